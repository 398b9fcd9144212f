//! `java.lang.ref`: references that are never cleared, which every JVM may do.
//!
//! So nothing is ever pending, and the threads that the JDK starts to deal with what is pending end at once.

use crate::common::{Entry, nothing, zero};
use machine::layout::status;
use machine::{Answer, Args, Machine, Outcome};

const REFERENCE: &str = "java/lang/ref/Reference";
const PHANTOM: &str = "java/lang/ref/PhantomReference";

pub(crate) const METHODS: &[Entry] = &[
    (
        REFERENCE,
        "getAndClearReferencePendingList",
        "()Ljava/lang/ref/Reference;",
        zero,
    ),
    (REFERENCE, "hasReferencePendingList", "()Z", zero),
    (REFERENCE, "waitForReferencePendingList", "()V", wait_for_ever),
    (REFERENCE, "refersTo0", "(Ljava/lang/Object;)Z", refers_to),
    (REFERENCE, "clear0", "()V", clear),
    (PHANTOM, "refersTo0", "(Ljava/lang/Object;)Z", refers_to),
    (PHANTOM, "clear0", "()V", clear),
    ("java/lang/ref/Finalizer", "isFinalizationEnabled", "()Z", zero),
    (
        "java/lang/ref/Finalizer",
        "reportComplete",
        "(Ljava/lang/Object;)V",
        nothing,
    ),
];

pub(crate) const REPLACED: &[Entry] = &[
    ("java/lang/ref/Reference$ReferenceHandler", "run", "()V", nothing),
    ("java/lang/ref/Finalizer$FinalizerThread", "run", "()V", nothing),
    (
        REFERENCE,
        "startReferenceHandlerThread",
        "(Ljava/lang/ThreadGroup;)V",
        nothing,
    ),
    (
        "java/lang/ref/Finalizer",
        "startFinalizerThread",
        "(Ljava/lang/ThreadGroup;)V",
        nothing,
    ),
    // A cleaner's thread would wake up every minute of virtual time to find nothing.
    (
        "jdk/internal/ref/CleanerImpl",
        "start",
        "(Ljava/lang/ref/Cleaner;Ljava/util/concurrent/ThreadFactory;)V",
        nothing,
    ),
];

fn wait_for_ever(m: &mut Machine<'_>, _: &Args) -> Answer {
    m.wait_for(status::PARKED, 0, 0);
    Ok(Outcome::Block)
}

fn refers_to(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok((m.get(args.word(0), REFERENCE, "referent") == args.word(1)).into())
}

fn clear(m: &mut Machine<'_>, args: &Args) -> Answer {
    m.set(args.word(0), REFERENCE, "referent", 0);
    Ok(Outcome::Void)
}
