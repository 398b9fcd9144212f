//! A native method that accesses more than its footprint says is found out: here the start of the JDK is run with wrong footprints.

mod common;

use kernel::AccessKind;
use library::Library;
use machine::{Alternatives, Native, Natives, Touches};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The library, but for the footprint of one method.
struct Wrong {
    truth: Library,
    class: &'static str,
    name: &'static str,
    touches: Touches,
}

impl Natives for Wrong {
    fn find(&self, class: &str, name: &str, descriptor: &str) -> Option<Native> {
        self.truth.find(class, name, descriptor)
    }

    fn replaces(&self, boot: bool, class: &str, name: &str, descriptor: &str) -> Option<Native> {
        self.truth.replaces(boot, class, name, descriptor)
    }

    fn touches(&self, class: &str, name: &str, descriptor: &str) -> Touches {
        match class == self.class && name == self.name {
            true => self.touches,
            false => self.truth.touches(class, name, descriptor),
        }
    }

    fn alternatives(&self, class: &str, name: &str, descriptor: &str) -> Alternatives {
        self.truth.alternatives(class, name, descriptor)
    }
}

/// What the machine says when it starts with these footprints; `None` if it has no objection.
fn objection(natives: &dyn Natives) -> Option<String> {
    let jdk = common::jdks().remove(0);
    let nowhere = common::root().join("target");
    let start = AssertUnwindSafe(|| common::with_natives(&jdk, &nowhere, natives, |_, _| {}));
    let thrown = catch_unwind(start).err()?;
    thrown.downcast::<String>().ok().map(|message| *message)
}

const UNSAFE: &str = "jdk/internal/misc/Unsafe";

#[test]
fn an_access_that_no_footprint_names_is_a_bug() {
    let cells = |access| Touches::Cell {
        object: 1,
        offset: 2,
        bytes: 4,
        access,
    };
    let cases = [
        (
            "java/lang/System",
            "arraycopy",
            Touches::Nothing,
            "java.lang.System.arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V reads element",
        ),
        (
            UNSAFE,
            "compareAndSetInt",
            Touches::Nothing,
            "compareAndSetInt(Ljava/lang/Object;JII)Z reads",
        ),
        (
            UNSAFE,
            "compareAndSetInt",
            cells(AccessKind::AtomicRead),
            "compareAndSetInt(Ljava/lang/Object;JII)Z writes",
        ),
        (
            "java/lang/Object",
            "hashCode",
            Touches::Nothing,
            "java.lang.Object.hashCode()I",
        ),
    ];
    for (class, name, touches, expected) in cases {
        let natives = Wrong {
            truth: Library::new(),
            class,
            name,
            touches,
        };
        let said = objection(&natives).unwrap_or_default();
        assert!(said.contains(expected), "{class}.{name} as {touches:?}: {said:?}");
        assert!(said.contains("which its footprint does not name"), "{said:?}");
    }
}

#[test]
fn the_library_keeps_to_its_footprints() {
    assert_eq!(objection(&Library::new()), None);
}
