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

/// All of the JDK's libraries are built in: then it looks for no file.
fn find_builtin(m: &mut Machine<'_>, args: &Args) -> Answer {
    let name = m.text(non_null(args.word(0))?);
    if !is_own(m, &name) {
        return Ok(Outcome::Word(0));
    }
    let plain = name
        .strip_prefix("lib")
        .and_then(|name| name.strip_suffix(".so"))
        .unwrap_or(&name);
    Ok(m.new_string(plain)?.into())
}

/// Whether the JDK has a library with this file name.
fn is_own(m: &Machine<'_>, name: &str) -> bool {
    let files = m.shared.files;
    files
        .list(&format!("{}/lib", files.java_home()))
        .iter()
        .any(|file| file == name)
}

fn load(m: &mut Machine<'_>, args: &Args) -> Answer {
    const IMPL: &str = "jdk/internal/loader/NativeLibraries$NativeLibraryImpl";
    let name = m.text(non_null(args.word(1))?);
    if !is_own(m, &format!("lib{name}.so")) {
        return unsupported(format!("native library {name}"));
    }
    if let Some(offset) = m.find_offset(IMPL, "handle") {
        m.memory.store_wide(args.word(0) + offset, 1);
    }
    Ok(Outcome::Word(1))
}
