//! `java.lang.Runtime` and `java.lang.Shutdown`: four processors, the machine's own heap.

use crate::common::{Entry, nothing};
use machine::layout::HEAP;
use machine::{Answer, Args, Machine, Outcome};
use program::world::LoaderId;

const RUNTIME: &str = "java/lang/Runtime";

/// How many processors a program is told there are.
pub(crate) const PROCESSORS: i32 = 4;

pub(crate) const METHODS: &[Entry] = &[
    (RUNTIME, "availableProcessors", "()I", available_processors),
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

/// Classes that ask for the number of processors only to know how often to look at a word before they wait, and wait at once if there is one.
///
/// SOUNDNESS: to look and go round changes nothing. Whoever would find the word changed at a later look finds it at the first one, if it comes
/// to that only then. So one look shows all that many would.
const SPINNING: [&str; 1] = ["java/util/concurrent/Phaser"];

fn available_processors(m: &mut Machine<'_>, _: &Args) -> Answer {
    let (_, _, caller) = m.frame_at(m.current_frame());
    let spins = caller != 0 && {
        let class = m.program.class(m.program.method(m.frame_at(caller).0).class);
        class.loader == LoaderId::BOOT && SPINNING.contains(&&*class.name)
    };
    Ok(if spins { 1 } else { PROCESSORS }.into())
}

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
