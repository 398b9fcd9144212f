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
        Ok((u64::from(m.memory.limit() - m.memory.top()) * 4).into())
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

fn heap_bytes(m: &Machine<'_>) -> u64 {
    u64::from(m.memory.limit() - HEAP) * 4
}
