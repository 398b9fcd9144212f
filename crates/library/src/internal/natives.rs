//! `jdk.internal.loader.NativeLibraries`: the JDK's own libraries count as loaded, since what they hold is here. Others
//! cannot be loaded.

use crate::common::{Entry, non_null, nothing, unsupported, zero_wide};
use machine::{Answer, Args, Machine, Outcome};

const LIBRARIES: &str = "jdk/internal/loader/NativeLibraries";
const RAW: &str = "jdk/internal/loader/RawNativeLibraries";

pub(crate) const METHODS: &[Entry] = &[
    (
        LIBRARIES,
        "findBuiltinLib",
        "(Ljava/lang/String;)Ljava/lang/String;",
        find_builtin,
    ),
    (
        LIBRARIES,
        "load",
        "(Ljdk/internal/loader/NativeLibraries$NativeLibraryImpl;Ljava/lang/String;ZZZ)Z",
        load,
    ),
    (
        LIBRARIES,
        "load",
        "(Ljdk/internal/loader/NativeLibraries$NativeLibraryImpl;Ljava/lang/String;ZZ)Z",
        load,
    ),
    (LIBRARIES, "unload", "(Ljava/lang/String;ZZJ)V", nothing),
    (LIBRARIES, "unload", "(Ljava/lang/String;ZJ)V", nothing),
    (
        LIBRARIES,
        "findEntry0",
        "(Ljdk/internal/loader/NativeLibraries$NativeLibraryImpl;Ljava/lang/String;)J",
        zero_wide,
    ),
    (
        "jdk/internal/loader/NativeLibrary",
        "findEntry0",
        "(JLjava/lang/String;)J",
        zero_wide,
    ),
    (
        RAW,
        "load0",
        "(Ljdk/internal/loader/RawNativeLibraries$RawNativeLibraryImpl;Ljava/lang/String;)Z",
        |m, args| {
            let name = m.text(non_null(args.word(1))?);
            unsupported(format!("native library {name}"))
        },
    ),
    (RAW, "unload0", "(Ljava/lang/String;J)V", nothing),
];

/// Names of the libraries that the JDK loads for its own use.
const KNOWN: &[&str] = &[
    "java",
    "net",
    "nio",
    "zip",
    "jimage",
    "extnet",
    "management",
    "prefs",
    "verify",
    "instrument",
];

/// All of the JDK's libraries are built in: then it looks for no file.
fn find_builtin(m: &mut Machine<'_>, args: &Args) -> Answer {
    let name = m.text(non_null(args.word(0))?);
    let plain = name
        .strip_prefix("lib")
        .and_then(|name| name.strip_suffix(".so"))
        .unwrap_or(&name);
    if KNOWN.contains(&plain) {
        return Ok(m.new_string(plain)?.into());
    }
    Ok(Outcome::Word(0))
}

fn load(m: &mut Machine<'_>, args: &Args) -> Answer {
    let name = m.text(non_null(args.word(1))?);
    if !KNOWN.contains(&&*name) {
        return unsupported(format!("native library {name}"));
    }
    const IMPL: &str = "jdk/internal/loader/NativeLibraries$NativeLibraryImpl";
    if let Some(offset) = m.find_offset(IMPL, "handle") {
        m.memory.store_wide(args.word(0) + offset, 1);
    }
    Ok(Outcome::Word(1))
}
