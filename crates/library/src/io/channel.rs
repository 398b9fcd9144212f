//! `sun.nio.ch`: channels on files, for reading, and what the selectors ask at start.
//!
//! Sockets, pipes and mapped files are not supported.

use super::{descriptor, open};
use crate::common::{Entry, non_null, nothing, unsupported, yes, zero, zero_wide};
use crate::outside;
use machine::heap::ARRAY_BASE;
use machine::{Answer, Args, Machine, Outcome, raise};

const UTIL: &str = "sun/nio/ch/IOUtil";
const OLD: &str = "sun/nio/ch/FileDispatcherImpl";
const NEW: &str = "sun/nio/ch/UnixFileDispatcherImpl";
const THREAD: &str = "sun/nio/ch/NativeThread";
const DESCRIPTOR_LONG: &str = "(Ljava/io/FileDescriptor;JI)I";

/// What a read answers at the end of a file.
const END: i32 = -1;

pub(crate) const METHODS: &[Entry] = &[
    (UTIL, "iovMax", "()I", |_, _| Ok(16.into())),
    (UTIL, "writevMax", "()J", |_, _| Ok(i64::from(i32::MAX).into())),
    (UTIL, "fdLimit", "()I", |_, _| Ok(1024.into())),
    (UTIL, "fdVal", "(Ljava/io/FileDescriptor;)I", |m, args| {
        Ok(descriptor::number(m, args.word(0)).into())
    }),
    (UTIL, "setfdVal", "(Ljava/io/FileDescriptor;I)V", |m, args| {
        descriptor::set_number(m, non_null(args.word(0))?, args.int(1));
        Ok(Outcome::Void)
    }),
    (UTIL, "configureBlocking", "(Ljava/io/FileDescriptor;Z)V", nothing),
    (UTIL, "randomBytes", "([B)Z", random_bytes),
    (UTIL, "makePipe", "(Z)J", |_, _| unsupported("pipes")),
    (OLD, "init", "()V", nothing),
    (OLD, "init0", "()V", nothing),
    (OLD, "read0", DESCRIPTOR_LONG, read),
    (NEW, "read0", DESCRIPTOR_LONG, read),
    (OLD, "pread0", "(Ljava/io/FileDescriptor;JIJ)I", read_at),
    (NEW, "pread0", "(Ljava/io/FileDescriptor;JIJ)I", read_at),
    (OLD, "write0", DESCRIPTOR_LONG, write),
    (NEW, "write0", DESCRIPTOR_LONG, write),
    (OLD, "seek0", "(Ljava/io/FileDescriptor;J)J", seek),
    (NEW, "seek0", "(Ljava/io/FileDescriptor;J)J", seek),
    (OLD, "size0", "(Ljava/io/FileDescriptor;)J", size),
    (NEW, "size0", "(Ljava/io/FileDescriptor;)J", size),
    (NEW, "available0", "(Ljava/io/FileDescriptor;)I", |m, args| {
        let fd = descriptor::number(m, args.word(0));
        Ok((open::available(m, fd)?.unwrap_or(0).min(i32::MAX as u64) as i32).into())
    }),
    (NEW, "isOther0", "(Ljava/io/FileDescriptor;)Z", |m, args| {
        Ok((descriptor::number(m, args.word(0)) < 3).into())
    }),
    (NEW, "allocationGranularity0", "()J", |_, _| Ok(4096i64.into())),
    (OLD, "close0", "(Ljava/io/FileDescriptor;)V", close),
    (
        "sun/nio/ch/UnixDispatcher",
        "close0",
        "(Ljava/io/FileDescriptor;)V",
        close,
    ),
    ("sun/nio/ch/UnixDispatcher", "init", "()V", nothing),
    (OLD, "preClose0", "(Ljava/io/FileDescriptor;)V", nothing),
    (
        "sun/nio/ch/UnixDispatcher",
        "preClose0",
        "(Ljava/io/FileDescriptor;)V",
        nothing,
    ),
    (OLD, "closeIntFD", "(I)V", close_number),
    (NEW, "closeIntFD", "(I)V", close_number),
    (OLD, "force0", "(Ljava/io/FileDescriptor;Z)I", zero),
    (NEW, "force0", "(Ljava/io/FileDescriptor;Z)I", zero),
    (OLD, "canTransferToFromOverlappedMap0", "()Z", yes),
    (
        "sun/nio/ch/FileChannelImpl",
        "initIDs",
        "()J",
        |_, _| Ok(4096i64.into()),
    ),
    ("sun/nio/ch/FileChannelImpl", "maxDirectTransferSize0", "()I", |_, _| {
        Ok(i32::MAX.into())
    }),
    // -4: not here, let the JDK do it by reading and writing.
    (
        "sun/nio/ch/FileChannelImpl",
        "transferTo0",
        "(Ljava/io/FileDescriptor;JJLjava/io/FileDescriptor;)J",
        |_, _| Ok((-4i64).into()),
    ),
    (
        OLD,
        "transferTo0",
        "(Ljava/io/FileDescriptor;JJLjava/io/FileDescriptor;Z)J",
        |_, _| Ok((-4i64).into()),
    ),
    (
        OLD,
        "transferFrom0",
        "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;JJZ)J",
        |_, _| Ok((-4i64).into()),
    ),
    (THREAD, "init", "()V", nothing),
    (THREAD, "current", "()J", zero_wide),
    (THREAD, "current0", "()J", zero_wide),
    (THREAD, "signal", "(J)V", nothing),
    (THREAD, "signal0", "(J)V", nothing),
    (THREAD, "supportPendingSignals0", "()Z", zero),
];

/// Bytes that look random and are the same in every run.
fn random_bytes(m: &mut Machine<'_>, args: &Args) -> Answer {
    let array = non_null(args.word(0))?;
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let bytes: Vec<u8> = (0..m.array_length(array))
        .map(|_| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 32) as u8
        })
        .collect();
    m.memory.store_bytes(array, ARRAY_BASE, &bytes);
    Ok(Outcome::Word(1))
}

fn bad_file<T>() -> Result<T, machine::Trap> {
    raise("java/io/IOException", "Bad file descriptor")
}

fn deliver(m: &mut Machine<'_>, address: u64, bytes: &[u8], wanted: usize) -> Answer {
    if bytes.is_empty() && wanted > 0 {
        return Ok(END.into());
    }
    let (block, offset) = outside::place(m, address, bytes.len() as u64)?;
    m.memory.store_bytes(block, offset, bytes);
    Ok((bytes.len() as i32).into())
}

fn read(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (fd, wanted) = (descriptor::number(m, args.word(0)), args.int(3).max(0) as usize);
    match open::read(m, fd, wanted)? {
        Some(bytes) => deliver(m, args.wide(1), &bytes, wanted),
        None => bad_file(),
    }
}

fn read_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (fd, wanted) = (descriptor::number(m, args.word(0)), args.int(3).max(0) as usize);
    let Some(contents) = open::contents(m, fd)? else {
        return bad_file();
    };
    let start = usize::try_from(args.wide(4)).unwrap_or(usize::MAX).min(contents.len());
    let end = start.saturating_add(wanted).min(contents.len());
    deliver(m, args.wide(1), &contents[start..end], wanted)
}

fn write(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (fd, length) = (descriptor::number(m, args.word(0)), args.int(3).max(0));
    let (block, offset) = outside::place(m, args.wide(1), length as u64)?;
    let bytes = m.memory.bytes(block, offset, length as usize).to_vec();
    super::streams::write(m, fd, &bytes)?;
    Ok(length.into())
}

/// Moves the position, or with a negative argument only tells it.
fn seek(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (fd, to) = (descriptor::number(m, args.word(0)), args.wide(1));
    if (to as i64) >= 0 {
        open::set_position(m, fd, to);
    }
    Ok(open::position(m, fd).into())
}

fn size(m: &mut Machine<'_>, args: &Args) -> Answer {
    let fd = descriptor::number(m, args.word(0));
    match open::contents(m, fd)? {
        Some(contents) => Ok((contents.len() as u64).into()),
        None => bad_file(),
    }
}

fn close(m: &mut Machine<'_>, args: &Args) -> Answer {
    let fd = descriptor::number(m, args.word(0));
    open::close(m, fd);
    Ok(Outcome::Void)
}

fn close_number(m: &mut Machine<'_>, args: &Args) -> Answer {
    open::close(m, args.int(0));
    Ok(Outcome::Void)
}
