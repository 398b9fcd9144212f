//! `java.lang.Runtime` and `java.lang.Shutdown`: four processors, the machine's own heap.

use crate::common::{Entry, nothing};
use machine::layout::HEAP;
use machine::{Machine, Outcome};

const RUNTIME: &str = "java/lang/Runtime";

/// How many processors a program is told there are.
pub(crate) const PROCESSORS: i32 = 4;

pub(crate) const METHODS: &[Entry] = &[
    (RUNTIME, "availableProcessors", "()I", |_, _| Ok(PROCESSORS.into())),
    (RUNTIME, "freeMemory", "()J", |m, _| {
        Ok((heap_bytes(m) - used_bytes(m)).into())
    }),
    (RUNTIME, "totalMemory", "()J", |m, _| Ok(heap_bytes(m).into())),
    (RUNTIME, "maxMemory", "()J", |m, _| Ok(heap_bytes(m).into())),
    (RUNTIME, "gc", "()V", nothing),
    ("java/lang/Shutdown", "beforeHalt", "()V", nothing),
    ("java/lang/Shutdown", "halt0", "(I)V", |m, args| {
        m.halt(args.int(0));
        Ok(Outcome::Void)
    }),
];

/// How large the heap is.
pub(crate) fn heap_bytes(m: &Machine<'_>) -> u64 {
    u64::from(m.memory.limit() - HEAP) * 4
}

/// How much of it is used. Garbage is no part of a state, so of a program that is explored only its beginning counts.
pub(crate) fn used_bytes(m: &Machine<'_>) -> u64 {
    let end = match m.memory.image_end() {
        0 => m.memory.top(),
        end => end,
    };
    u64::from(end - HEAP) * 4
}
