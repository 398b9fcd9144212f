//! The weak compare-and-set of `jdk.internal.misc.Unsafe`, while a program is explored: it may fail for no reason. Where it
//! does not, its body runs, which is the strong one.

use crate::common::Entry;
use machine::{Alternatives, Answer, Args, Machine, Outcome};

const UNSAFE: &str = "jdk/internal/misc/Unsafe";
const BYTE: &str = "(Ljava/lang/Object;JBB)Z";
const SHORT: &str = "(Ljava/lang/Object;JSS)Z";
const INT: &str = "(Ljava/lang/Object;JII)Z";
const LONG: &str = "(Ljava/lang/Object;JJJ)Z";
const REFERENCE: &str = "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z";

/// Those of all other types, and those of bytes and shorts that order less, are made of these.
pub(crate) const REPLACED: &[Entry] = &[
    (UNSAFE, "weakCompareAndSetByte", BYTE, attempt),
    (UNSAFE, "weakCompareAndSetShort", SHORT, attempt),
    (UNSAFE, "weakCompareAndSetInt", INT, attempt),
    (UNSAFE, "weakCompareAndSetIntPlain", INT, attempt),
    (UNSAFE, "weakCompareAndSetIntAcquire", INT, attempt),
    (UNSAFE, "weakCompareAndSetIntRelease", INT, attempt),
    (UNSAFE, "weakCompareAndSetLong", LONG, attempt),
    (UNSAFE, "weakCompareAndSetLongPlain", LONG, attempt),
    (UNSAFE, "weakCompareAndSetLongAcquire", LONG, attempt),
    (UNSAFE, "weakCompareAndSetLongRelease", LONG, attempt),
    (UNSAFE, "weakCompareAndSetReference", REFERENCE, attempt),
    (UNSAFE, "weakCompareAndSetReferencePlain", REFERENCE, attempt),
    (UNSAFE, "weakCompareAndSetReferenceAcquire", REFERENCE, attempt),
    (UNSAFE, "weakCompareAndSetReferenceRelease", REFERENCE, attempt),
];

/// Whether a method may fail for no reason.
pub(crate) fn alternatives(class: &str, name: &str) -> Option<Alternatives> {
    let listed = REPLACED.iter().any(|entry| entry.0 == class && entry.1 == name);
    listed.then_some(Alternatives::Failure)
}

fn attempt(m: &mut Machine<'_>, _: &Args) -> Answer {
    m.note_attempt();
    Ok(if m.choice() == 1 {
        Outcome::Word(0)
    } else {
        Outcome::Body
    })
}
