//! `java.io.UnixFileSystem`: what `java.io.File` asks. Nothing can be changed.

use super::open::{self, Found};
use crate::common::{Entry, non_null, unsupported};
use crate::lang::system::EPOCH_SECONDS;
use machine::{Answer, Args, Machine, Outcome, Trap};

const SYSTEM: &str = "java/io/UnixFileSystem";

/// Bits of `getBooleanAttributes0`.
const EXISTS: i32 = 1;
const REGULAR: i32 = 2;
const DIRECTORY: i32 = 4;

/// Bit of `checkAccess` for writing.
const WRITE: i32 = 2;

pub(crate) const METHODS: &[Entry] = &[
    (
        SYSTEM,
        "canonicalize0",
        "(Ljava/lang/String;)Ljava/lang/String;",
        |m, args| {
            let path = m.text(non_null(args.word(1))?);
            Ok(m.new_string(&open::normal(&path))?.into())
        },
    ),
    (SYSTEM, "getBooleanAttributes0", "(Ljava/io/File;)I", |m, args| {
        Ok(match look(m, args)? {
            Found::Nothing => 0,
            Found::Folder => EXISTS | DIRECTORY,
            Found::File(_) => EXISTS | REGULAR,
            Found::Device => EXISTS,
        }
        .into())
    }),
    (SYSTEM, "getBooleanAttributes0", "(Ljava/lang/String;)I", |m, args| {
        let path = m.text(non_null(args.word(1))?);
        Ok(match open::look(m, &path)? {
            Found::Nothing => 0,
            Found::Folder => EXISTS | DIRECTORY,
            Found::File(_) => EXISTS | REGULAR,
            Found::Device => EXISTS,
        }
        .into())
    }),
    (SYSTEM, "checkAccess", "(Ljava/io/File;I)Z", check_access),
    (SYSTEM, "checkAccess0", "(Ljava/io/File;I)Z", check_access),
    (SYSTEM, "getLastModifiedTime", "(Ljava/io/File;)J", last_modified),
    (SYSTEM, "getLastModifiedTime0", "(Ljava/io/File;)J", last_modified),
    (SYSTEM, "getLength", "(Ljava/io/File;)J", length),
    (SYSTEM, "getLength0", "(Ljava/io/File;)J", length),
    (SYSTEM, "list", "(Ljava/io/File;)[Ljava/lang/String;", list),
    (SYSTEM, "list0", "(Ljava/io/File;)[Ljava/lang/String;", list),
    (SYSTEM, "getNameMax0", "(Ljava/lang/String;)J", |_, _| Ok(255i64.into())),
    (SYSTEM, "getSpace", "(Ljava/io/File;I)J", crate::common::zero_wide),
    (SYSTEM, "getSpace0", "(Ljava/io/File;I)J", crate::common::zero_wide),
    (SYSTEM, "createDirectory", "(Ljava/io/File;)Z", change),
    (SYSTEM, "createDirectory0", "(Ljava/io/File;)Z", change),
    (SYSTEM, "createFileExclusively", "(Ljava/lang/String;)Z", create),
    (SYSTEM, "createFileExclusively0", "(Ljava/lang/String;)Z", create),
    (SYSTEM, "delete0", "(Ljava/io/File;)Z", change),
    (SYSTEM, "rename0", "(Ljava/io/File;Ljava/io/File;)Z", change),
    (SYSTEM, "setLastModifiedTime", "(Ljava/io/File;J)Z", change),
    (SYSTEM, "setLastModifiedTime0", "(Ljava/io/File;J)Z", change),
    (SYSTEM, "setPermission", "(Ljava/io/File;IZZ)Z", change),
    (SYSTEM, "setPermission0", "(Ljava/io/File;IZZ)Z", change),
    (SYSTEM, "setReadOnly", "(Ljava/io/File;)Z", change),
    (SYSTEM, "setReadOnly0", "(Ljava/io/File;)Z", change),
];

fn path(m: &mut Machine<'_>, args: &Args) -> Result<String, Trap> {
    let path = m.get(non_null(args.word(1))?, "java/io/File", "path");
    Ok(m.text(non_null(path)?))
}

fn look(m: &mut Machine<'_>, args: &Args) -> Result<Found, Trap> {
    let path = path(m, args)?;
    open::look(m, &path)
}

fn check_access(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok((!matches!(look(m, args)?, Found::Nothing) && args.int(2) & WRITE == 0).into())
}

/// All files are as old as the virtual world.
fn last_modified(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok(match look(m, args)? {
        Found::Nothing => 0,
        _ => EPOCH_SECONDS * 1000,
    }
    .into())
}

fn length(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok(match look(m, args)? {
        Found::File(contents) => contents.len() as u64,
        _ => 0,
    }
    .into())
}

fn list(m: &mut Machine<'_>, args: &Args) -> Answer {
    let path = path(m, args)?;
    if !matches!(open::look(m, &path)?, Found::Folder) {
        return Ok(Outcome::Word(0));
    }
    let folder = open::window(m, &path)?;
    let mut names = Vec::new();
    for name in m.shared.files.list(&folder) {
        names.push(m.new_string(&name)?);
    }
    Ok(m.new_references(m.known.string_array, &names)?.into())
}

fn change(m: &mut Machine<'_>, args: &Args) -> Answer {
    let path = path(m, args)?;
    unsupported(format!("changing the file {path}"))
}

fn create(m: &mut Machine<'_>, args: &Args) -> Answer {
    let path = m.text(non_null(args.word(1))?);
    unsupported(format!("writing the file {path}"))
}
