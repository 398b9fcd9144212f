//! `java.io.FileDescriptor`, `FileCleanable` and `Console`.

use super::open;
use crate::common::{Entry, nothing, zero};
use machine::{Address, Answer, Args, Machine, Outcome};

const DESCRIPTOR: &str = "java/io/FileDescriptor";

pub(crate) const METHODS: &[Entry] = &[
    (DESCRIPTOR, "close0", "()V", |m, args| close(m, args)),
    (DESCRIPTOR, "getAppend", "(I)Z", zero),
    (DESCRIPTOR, "getHandle", "(I)J", |_, _| Ok((-1i64).into())),
    (DESCRIPTOR, "sync", "()V", nothing),
    (DESCRIPTOR, "sync0", "()V", nothing),
    ("java/io/FileCleanable", "cleanupClose0", "(IJ)V", |m, args| {
        open::close(m, args.int(0));
        Ok(Outcome::Void)
    }),
    // There is no terminal.
    ("java/io/Console", "istty", "()Z", zero),
    ("java/io/Console", "ttyStatus", "()I", zero),
    ("java/io/Console", "encoding", "()Ljava/lang/String;", zero),
    ("java/io/Console", "echo", "(Z)Z", zero),
    ("jdk/internal/io/JdkConsoleImpl", "echo", "(Z)Z", zero),
];

/// The number in a `FileDescriptor`; -1 if there is none.
pub(crate) fn number(m: &mut Machine<'_>, descriptor: Address) -> i32 {
    if descriptor == 0 {
        -1
    } else {
        m.get(descriptor, DESCRIPTOR, "fd") as i32
    }
}

/// Sets the number in a `FileDescriptor`.
pub(crate) fn set_number(m: &mut Machine<'_>, descriptor: Address, number: i32) {
    m.set(descriptor, DESCRIPTOR, "fd", number as u32);
}

fn close(m: &mut Machine<'_>, args: &Args) -> Answer {
    let open = number(m, args.word(0));
    set_number(m, args.word(0), -1);
    open::close(m, open);
    Ok(Outcome::Void)
}
