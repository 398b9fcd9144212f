//! What the JDK leaves to native code, a file for each of its classes.
//!
//! Nothing here keeps state of its own: what a native method must remember lies in the machine's memory, so that going
//! back forgets it. Nothing reaches the host: files are those that the machine was given, the clock is virtual,
//! whatever looks random is fixed.

mod common;
mod constant_pool;
mod files;
mod history;
mod internal;
mod invoke;
mod io;
mod lang;
mod member_name;
mod outside;
mod reflect;
mod touches;
mod unsafe_;
mod unsafe_layout;
mod util;
mod var_handle;
mod verify;
mod weak;

pub use files::HostFiles;

use common::Entry;
use machine::{Alternatives, Native, Natives, Outcome, Touches};
use std::collections::HashMap;

/// Methods without a body.
const NATIVE: &[&[Entry]] = &[
    lang::object::METHODS,
    lang::class::METHODS,
    lang::domain::METHODS,
    lang::members::METHODS,
    lang::loader::METHODS,
    lang::system::METHODS,
    lang::runtime::METHODS,
    lang::string::METHODS,
    lang::number::METHODS,
    lang::math::METHODS,
    lang::throwable::METHODS,
    lang::trace::METHODS,
    lang::walker::METHODS,
    lang::module::METHODS,
    lang::reference::METHODS,
    lang::process::METHODS,
    lang::thread::METHODS,
    unsafe_::METHODS,
    unsafe_layout::METHODS,
    outside::METHODS,
    invoke::METHODS,
    var_handle::METHODS,
    constant_pool::METHODS,
    reflect::array::METHODS,
    reflect::executable::METHODS,
    reflect::invoke::METHODS,
    reflect::reflection::METHODS,
    io::descriptor::METHODS,
    io::streams::METHODS,
    io::random::METHODS,
    io::system::METHODS,
    io::dispatcher::METHODS,
    io::channel::METHODS,
    util::checksum::METHODS,
    util::inflater::METHODS,
    util::deflater::METHODS,
    util::zone::METHODS,
    internal::image::METHODS,
    internal::props::METHODS,
    internal::vm::METHODS,
    internal::management::METHODS,
    internal::threads::METHODS,
    internal::natives::METHODS,
    internal::net::METHODS,
    internal::perf::METHODS,
    internal::platform::METHODS,
];

/// Methods with a body that reaches for native code which makes no sense here.
const REPLACED: &[&[Entry]] = &[
    lang::reference::REPLACED,
    lang::string::REPLACED,
    lang::math::REPLACED,
    lang::domain::REPLACED,
    lang::thread::REPLACED,
    unsafe_::REPLACED,
    unsafe_layout::REPLACED,
    invoke::REPLACED,
    internal::replaced::METHODS,
    internal::image::REPLACED,
];

/// The native methods of the JDK.
pub struct Library {
    natives: Table,
    replaced: Table,
    /// What is taken over only while a program is explored.
    output: Table,
    /// What is taken over in the program's own classes.
    verify: Table,
}

/// By class, then by name and descriptor.
type Table = HashMap<&'static str, Vec<(&'static str, &'static str, Native)>>;

impl Library {
    /// All of them.
    pub fn new() -> Library {
        Library {
            natives: table(NATIVE),
            replaced: table(REPLACED),
            output: Table::new(),
            verify: table(&[verify::METHODS, history::METHODS]),
        }
    }

    /// For exploring a program: printing is no step.
    pub fn exploring() -> Library {
        Library {
            output: table(&[
                io::print::REPLACED,
                weak::REPLACED,
                lang::thread::EXPLORED,
                internal::replaced::EXPLORED,
            ]),
            ..Library::new()
        }
    }
}

impl Default for Library {
    fn default() -> Library {
        Library::new()
    }
}

impl Natives for Library {
    fn find(&self, class: &str, name: &str, descriptor: &str) -> Option<Native> {
        // Both only tell the JVM where native code and fields lie.
        if descriptor == "()V" && matches!(name, "registerNatives" | "initIDs") {
            return Some(|_, _| Ok(Outcome::Void));
        }
        look_up(&self.natives, class, name, descriptor)
    }

    fn replaces(&self, boot: bool, class: &str, name: &str, descriptor: &str) -> Option<Native> {
        if !boot {
            return look_up(&self.verify, class, name, descriptor);
        }
        look_up(&self.output, class, name, descriptor).or_else(|| look_up(&self.replaced, class, name, descriptor))
    }

    fn touches(&self, class: &str, name: &str, descriptor: &str) -> Touches {
        touches::touches(class, name, descriptor)
    }

    fn alternatives(&self, class: &str, name: &str, descriptor: &str) -> Alternatives {
        match (class, name) {
            ("java/lang/Thread", "getState") => Alternatives::Either,
            ("java/lang/Object", "notify") => Alternatives::Waiters { object: 0 },
            ("java/lang/System", "nanoTime" | "currentTimeMillis")
            | ("jdk/internal/misc/VM", "getNanoTimeAdjustment") => Alternatives::Clock,
            _ => weak::alternatives(class, name).unwrap_or_else(|| verify::alternatives(class, name, descriptor)),
        }
    }
}

fn table(lists: &'static [&'static [Entry]]) -> Table {
    let mut table = Table::new();
    for &(class, name, descriptor, native) in lists.iter().copied().flatten() {
        table.entry(class).or_default().push((name, descriptor, native));
    }
    table
}

fn look_up(table: &Table, class: &str, name: &str, descriptor: &str) -> Option<Native> {
    let methods = table.get(class)?;
    methods
        .iter()
        .find(|method| method.0 == name && method.1 == descriptor)
        .map(|method| method.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_method_is_listed_twice() {
        for lists in [NATIVE, REPLACED] {
            let mut seen = std::collections::HashSet::new();
            for (class, name, descriptor, _) in lists.iter().copied().flatten() {
                assert!(seen.insert((class, name, descriptor)), "{class}.{name}{descriptor}");
            }
        }
    }
}
