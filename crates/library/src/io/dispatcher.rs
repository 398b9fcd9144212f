//! `sun.nio.fs.UnixNativeDispatcher`: the system calls under `java.nio.file.Files`, for reading.

use super::open::{self, Found};
use crate::common::{Entry, array_of, jdk_class, non_null, nothing, unsupported, zero};
use crate::lang::system::EPOCH_SECONDS;
use crate::outside;
use machine::support::root::FOLDERS;
use machine::{Address, Answer, Args, Machine, Outcome, Trap};

const CALLS: &str = "sun/nio/fs/UnixNativeDispatcher";
const LINUX: &str = "sun/nio/fs/LinuxNativeDispatcher";
const ATTRIBUTES: &str = "sun/nio/fs/UnixFileAttributes";
const EXCEPTION: &str = "sun/nio/fs/UnixException";

/// Error numbers, as the JDK has them for Linux.
const NO_ENTRY: i32 = 2;
const BAD_FILE: i32 = 9;
const NO_ACCESS: i32 = 13;
const NOT_FOLDER: i32 = 20;
const INVALID: i32 = 22;
const READ_ONLY: i32 = 30;

pub(crate) const METHODS: &[Entry] = &[
    (CALLS, "init", "()I", zero),
    (LINUX, "init", "()V", nothing),
    (CALLS, "getcwd", "()[B", |m, _| Ok(m.new_bytes(b"/")?.into())),
    (CALLS, "stat0", "(JLsun/nio/fs/UnixFileAttributes;)V", |m, args| {
        stat(m, args.wide(0), args.word(2))
    }),
    (CALLS, "lstat0", "(JLsun/nio/fs/UnixFileAttributes;)V", |m, args| {
        stat(m, args.wide(0), args.word(2))
    }),
    (CALLS, "stat0", "(JLsun/nio/fs/UnixFileAttributes;)I", |m, args| {
        let path = text_at(m, args.wide(0))?;
        let found = open::look(m, &path)?;
        if matches!(found, Found::Nothing) {
            return Ok(NO_ENTRY.into());
        }
        fill(m, args.word(2), &found, &path)?;
        Ok(Outcome::Word(0))
    }),
    (CALLS, "stat1", "(J)I", |m, args| {
        let path = text_at(m, args.wide(0))?;
        let found = open::look(m, &path)?;
        Ok((mode_of(&found) as i32).into())
    }),
    (CALLS, "fstat", "(ILsun/nio/fs/UnixFileAttributes;)V", |m, args| {
        stat_open(m, args)
    }),
    (CALLS, "fstat0", "(ILsun/nio/fs/UnixFileAttributes;)V", |m, args| {
        stat_open(m, args)
    }),
    (CALLS, "exists0", "(J)Z", |m, args| {
        let path = text_at(m, args.wide(0))?;
        Ok((!matches!(open::look(m, &path)?, Found::Nothing)).into())
    }),
    (CALLS, "access0", "(JI)V", |m, args| match access(m, args)? {
        0 => Ok(Outcome::Void),
        error => fail(m, error),
    }),
    (CALLS, "access0", "(JI)I", |m, args| Ok(access(m, args)?.into())),
    (CALLS, "open0", "(JII)I", open_file),
    (CALLS, "close0", "(I)V", |m, args| {
        open::close(m, args.int(0));
        Ok(Outcome::Void)
    }),
    (CALLS, "read", "(IJI)I", read),
    (CALLS, "read0", "(IJI)I", read),
    (CALLS, "realpath0", "(J)[B", |m, args| {
        let path = text_at(m, args.wide(0))?;
        match open::look(m, &path)? {
            Found::Nothing => fail(m, NO_ENTRY),
            _ => Ok(m.new_bytes(open::normal(&path).as_bytes())?.into()),
        }
    }),
    // Links have been followed before anything is seen.
    (CALLS, "readlink0", "(J)[B", |m, _| fail(m, INVALID)),
    (CALLS, "opendir0", "(J)J", open_folder),
    (CALLS, "readdir", "(J)[B", next_name),
    (CALLS, "readdir0", "(J)[B", next_name),
    (CALLS, "rewind", "(J)V", |m, args| {
        if let Some((_, position)) = folder(m, args) {
            m.set_element(position, 0, 0);
        }
        Ok(Outcome::Void)
    }),
    (CALLS, "closedir", "(J)V", |m, args| {
        if folder(m, args).is_some() {
            let (table, index) = (m.root(FOLDERS), (args.wide(0) as u32 - 1) * 2);
            m.set_element(table, index, 0);
            m.set_element(table, index + 1, 0);
        }
        Ok(Outcome::Void)
    }),
    (CALLS, "getpwuid", "(I)[B", |m, _| Ok(m.new_bytes(b"raddle")?.into())),
    (CALLS, "getgrgid", "(I)[B", |m, _| Ok(m.new_bytes(b"raddle")?.into())),
    (CALLS, "getpwnam0", "(J)I", |_, _| Ok((-1).into())),
    (CALLS, "getgrnam0", "(J)I", |_, _| Ok((-1).into())),
    (CALLS, "strerror", "(I)[B", |m, args| {
        let text = match args.int(0) {
            NO_ENTRY => "No such file or directory",
            BAD_FILE => "Bad file descriptor",
            NO_ACCESS => "Permission denied",
            NOT_FOLDER => "Not a directory",
            INVALID => "Invalid argument",
            READ_ONLY => "Read-only file system",
            _ => "Unknown error",
        };
        Ok(m.new_bytes(text.as_bytes())?.into())
    }),
    (CALLS, "mkdir0", "(JI)V", change),
    (CALLS, "rmdir0", "(J)V", change),
    (CALLS, "unlink0", "(J)V", change),
    (CALLS, "rename0", "(JJ)V", change),
    (CALLS, "link0", "(JJ)V", change),
    (CALLS, "symlink0", "(JJ)V", change),
    (CALLS, "chmod0", "(JI)V", change),
    (CALLS, "utimes0", "(JJJ)V", change),
];

/// Throws the JDK's `UnixException` with an error number.
fn fail<T>(m: &mut Machine<'_>, error: i32) -> Result<T, Trap> {
    let class = jdk_class(m, EXCEPTION)?;
    let exception = m.new_object(class)?;
    m.set(exception, EXCEPTION, "errno", error as u32);
    m.set(exception, "java/lang/Throwable", "cause", exception);
    Err(Trap::Throw(exception))
}

/// The text up to a zero byte, outside of the heap.
fn text_at(m: &Machine<'_>, address: u64) -> Result<String, Trap> {
    let mut bytes = Vec::new();
    loop {
        let (block, offset) = outside::place(m, address + bytes.len() as u64, 1)?;
        match m.memory.load_byte(block, offset) {
            0 => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
            byte => bytes.push(byte),
        }
    }
}

/// Type and permissions.
fn mode_of(found: &Found) -> u32 {
    match found {
        Found::Nothing => 0,
        Found::Folder => 0o040_555,
        Found::File(_) => 0o100_444,
        Found::Device => 0o020_444,
    }
}

fn fill(m: &mut Machine<'_>, attributes: Address, found: &Found, path: &str) -> Result<(), Trap> {
    let attributes = non_null(attributes)?;
    let size = match found {
        Found::File(contents) => contents.len() as u64,
        _ => 4096,
    };
    // A number for each path, the same in every run.
    let name = open::normal(path);
    let number = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    m.set(attributes, ATTRIBUTES, "st_mode", mode_of(found));
    m.set(attributes, ATTRIBUTES, "st_nlink", 1);
    for (field, value) in [
        ("st_ino", number >> 1),
        ("st_dev", 1),
        ("st_size", size),
        ("st_atime_sec", EPOCH_SECONDS),
        ("st_mtime_sec", EPOCH_SECONDS),
        ("st_ctime_sec", EPOCH_SECONDS),
        ("st_birthtime_sec", EPOCH_SECONDS),
    ] {
        let offset = m.offset(ATTRIBUTES, field);
        m.memory.store_wide(attributes + offset, value);
    }
    Ok(())
}

fn stat(m: &mut Machine<'_>, address: u64, attributes: Address) -> Answer {
    let path = text_at(m, address)?;
    let found = open::look(m, &path)?;
    if matches!(found, Found::Nothing) {
        return fail(m, NO_ENTRY);
    }
    fill(m, attributes, &found, &path)?;
    Ok(Outcome::Void)
}

fn stat_open(m: &mut Machine<'_>, args: &Args) -> Answer {
    let Some(path) = open::path(m, args.int(0)) else {
        return fail(m, BAD_FILE);
    };
    let found = open::look(m, &path)?;
    fill(m, args.word(1), &found, &path)?;
    Ok(Outcome::Void)
}

/// 0, or why a file cannot be used in this way.
fn access(m: &mut Machine<'_>, args: &Args) -> Result<i32, Trap> {
    const WRITE: i32 = 2;
    let path = text_at(m, args.wide(0))?;
    Ok(match open::look(m, &path)? {
        Found::Nothing => NO_ENTRY,
        _ if args.int(2) & WRITE != 0 => READ_ONLY,
        _ => 0,
    })
}

fn open_file(m: &mut Machine<'_>, args: &Args) -> Answer {
    /// Everything that would change the file: write, read and write, create, truncate, append.
    const CHANGING: u32 = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000;
    let path = text_at(m, args.wide(0))?;
    if args.word(2) & CHANGING != 0 {
        return unsupported(format!("writing the file {path}"));
    }
    match open::look(m, &path)? {
        Found::Nothing => fail(m, NO_ENTRY),
        _ => Ok((open::open(m, &path)? as i32).into()),
    }
}

fn read(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (address, length) = (args.wide(1), args.int(3).max(0) as usize);
    match open::read(m, args.int(0), length)? {
        Some(bytes) => {
            let (block, offset) = outside::place(m, address, bytes.len() as u64)?;
            m.memory.store_bytes(block, offset, &bytes);
            Ok((bytes.len() as i32).into())
        }
        None => fail(m, BAD_FILE),
    }
}

/// An open folder is an entry of a table: its names, and how many were read.
fn open_folder(m: &mut Machine<'_>, args: &Args) -> Answer {
    let path = text_at(m, args.wide(0))?;
    match open::look(m, &path)? {
        Found::Nothing => return fail(m, NO_ENTRY),
        Found::File(_) | Found::Device => return fail(m, NOT_FOLDER),
        Found::Folder => {}
    }
    let inside = open::window(m, &path)?;
    let mut names = Vec::new();
    for name in m.shared.files.list(&inside) {
        names.push(m.new_bytes(name.as_bytes())?);
    }
    let class = array_of(m, m.known.byte_array)?;
    let names = m.new_references(class, &names)?;
    let position = m.new_array(m.known.int_array, 1)?;
    let number = m.root_push(FOLDERS, &[names, position])?;
    Ok((u64::from(number) + 1).into())
}

fn folder(m: &Machine<'_>, args: &Args) -> Option<(Address, Address)> {
    let (table, index) = (m.root(FOLDERS), args.wide(0).checked_sub(1)?);
    if table == 0 || index >= u64::from(m.array_length(table) / 2) {
        return None;
    }
    Some((
        m.element(table, index as u32 * 2),
        m.element(table, index as u32 * 2 + 1),
    ))
    .filter(|found| found.0 != 0)
}

fn next_name(m: &mut Machine<'_>, args: &Args) -> Answer {
    let Some((names, position)) = folder(m, args) else {
        return fail(m, BAD_FILE);
    };
    let next = m.element(position, 0);
    if next >= m.array_length(names) {
        return Ok(Outcome::Word(0));
    }
    m.set_element(position, 0, next + 1);
    Ok(m.element(names, next).into())
}

fn change(m: &mut Machine<'_>, args: &Args) -> Answer {
    let path = text_at(m, args.wide(0))?;
    unsupported(format!("changing the file {path}"))
}
