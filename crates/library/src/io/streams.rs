//! `java.io.FileInputStream` and `FileOutputStream`. Output goes to the console; files are not written.

use super::{descriptor, open};
use crate::common::{Entry, non_null, unsupported};
use machine::heap::ARRAY_BASE;
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};

const INPUT: &str = "java/io/FileInputStream";
const OUTPUT: &str = "java/io/FileOutputStream";

pub(crate) const METHODS: &[Entry] = &[
    (INPUT, "open0", "(Ljava/lang/String;)V", |m, args| {
        let fd = m.get(args.word(0), INPUT, "fd");
        open_for_reading(m, fd, args.word(1))
    }),
    (INPUT, "read0", "()I", |m, args| {
        let fd = input(m, args);
        read_one(m, fd)
    }),
    (INPUT, "readBytes", "([BII)I", |m, args| {
        let fd = input(m, args);
        read_bytes(m, fd, args)
    }),
    (INPUT, "length0", "()J", |m, args| {
        let fd = input(m, args);
        length(m, fd)
    }),
    (INPUT, "position0", "()J", |m, args| {
        let fd = input(m, args);
        Ok(open::position(m, fd).into())
    }),
    (INPUT, "skip0", "(J)J", skip),
    (INPUT, "available0", "()I", |m, args| {
        let fd = input(m, args);
        match open::available(m, fd)? {
            Some(count) => Ok((count.min(i32::MAX as u64) as i32).into()),
            None => closed(),
        }
    }),
    (INPUT, "isRegularFile0", "(Ljava/io/FileDescriptor;)Z", |m, args| {
        Ok((descriptor::number(m, args.word(1)) > 2).into())
    }),
    (OUTPUT, "open0", "(Ljava/lang/String;Z)V", |m, args| {
        let path = m.text(non_null(args.word(1))?);
        unsupported(format!("writing the file {path}"))
    }),
    (OUTPUT, "write", "(IZ)V", |m, args| {
        let fd = output(m, args);
        write(m, fd, &[args.word(1) as u8])
    }),
    (OUTPUT, "writeBytes", "([BIIZ)V", |m, args| {
        let fd = output(m, args);
        let bytes = part(m, args.word(1), args.int(2), args.int(3))?;
        write(m, fd, &bytes)
    }),
];

pub(crate) fn closed<T>() -> Result<T, Trap> {
    raise("java/io/IOException", "Stream Closed")
}

fn input(m: &mut Machine<'_>, args: &Args) -> i32 {
    let fd = m.get(args.word(0), INPUT, "fd");
    descriptor::number(m, fd)
}

fn output(m: &mut Machine<'_>, args: &Args) -> i32 {
    let fd = m.get(args.word(0), OUTPUT, "fd");
    descriptor::number(m, fd)
}

/// Opens a file and puts its number into a `FileDescriptor`.
pub(crate) fn open_for_reading(m: &mut Machine<'_>, fd: Address, path: Address) -> Answer {
    let path = m.text(non_null(path)?);
    let number = match open::look(m, &path)? {
        open::Found::Nothing => {
            return raise(
                "java/io/FileNotFoundException",
                format!("{path} (No such file or directory)"),
            );
        }
        open::Found::Folder => return raise("java/io/FileNotFoundException", format!("{path} (Is a directory)")),
        open::Found::File(_) | open::Found::Device => open::open(m, &path)?,
    };
    descriptor::set_number(m, non_null(fd)?, number as i32);
    Ok(Outcome::Void)
}

pub(crate) fn read_one(m: &mut Machine<'_>, fd: i32) -> Answer {
    match open::read(m, fd, 1)? {
        Some(bytes) => Ok(bytes.first().map_or(-1, |&byte| i32::from(byte)).into()),
        None => closed(),
    }
}

/// Reads into a part of a byte array: array, offset and length are arguments 1 to 3.
pub(crate) fn read_bytes(m: &mut Machine<'_>, fd: i32, args: &Args) -> Answer {
    let array = non_null(args.word(1))?;
    let (offset, length) = checked(m, array, args.int(2), args.int(3))?;
    if length == 0 {
        return Ok(Outcome::Word(0));
    }
    let Some(bytes) = open::read(m, fd, length)? else {
        return closed();
    };
    if bytes.is_empty() {
        return Ok((-1).into());
    }
    m.memory.store_bytes(array, ARRAY_BASE + offset, &bytes);
    Ok((bytes.len() as i32).into())
}

/// Offset and length of a part that must lie in a byte array.
pub(crate) fn checked(m: &Machine<'_>, array: Address, offset: i32, length: i32) -> Result<(usize, usize), Trap> {
    let size = i64::from(m.array_length(array));
    if offset < 0 || length < 0 || i64::from(offset) + i64::from(length) > size {
        return Err(Trap::Raise("java/lang/IndexOutOfBoundsException", None));
    }
    Ok((offset as usize, length as usize))
}

fn part(m: &Machine<'_>, array: Address, offset: i32, length: i32) -> Result<Vec<u8>, Trap> {
    let array = non_null(array)?;
    let (offset, length) = checked(m, array, offset, length)?;
    Ok(m.memory.bytes(array, ARRAY_BASE + offset, length).to_vec())
}

/// Writes to one of the standard streams.
pub(crate) fn write(m: &mut Machine<'_>, fd: i32, bytes: &[u8]) -> Answer {
    match fd {
        1 | 2 => m.console.write(fd as u32, bytes),
        -1 => return closed(),
        _ => return raise("java/io/IOException", "Bad file descriptor"),
    }
    Ok(Outcome::Void)
}

/// The length of a file; 0 for the standard streams.
pub(crate) fn length(m: &mut Machine<'_>, fd: i32) -> Answer {
    match open::contents(m, fd)? {
        Some(contents) => Ok((contents.len() as u64).into()),
        None if open::is_open(m, fd) => Ok(0u64.into()),
        None => closed(),
    }
}

fn skip(m: &mut Machine<'_>, args: &Args) -> Answer {
    let fd = input(m, args);
    if !open::is_open(m, fd) {
        return closed();
    }
    if fd < 3 {
        return raise("java/io/IOException", "Illegal seek");
    }
    let (from, distance) = (open::position(m, fd) as i64, args.wide(1) as i64);
    let Some(to) = from.checked_add(distance).filter(|&to| to >= 0) else {
        return raise("java/io/IOException", "Invalid argument");
    };
    open::set_position(m, fd, to as u64);
    Ok((to - from).into())
}
