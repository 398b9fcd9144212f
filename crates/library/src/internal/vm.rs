//! `jdk.internal.misc` and `jdk.internal.vm`: no archive of classes, no signals, no continuations (virtual threads get
//! a thread of the machine each), no foreign functions, no vectors.

use crate::common::{Entry, non_null, nothing, unsupported, zero, zero_wide};
use machine::{Answer, Args, Machine, Outcome};

const CDS: &str = "jdk/internal/misc/CDS";
const VM: &str = "jdk/internal/misc/VM";
const SIGNAL: &str = "jdk/internal/misc/Signal";
const CONTINUATION: &str = "jdk/internal/vm/Continuation";
const VIRTUAL: &str = "java/lang/VirtualThread";
const SCOPED: &str = "jdk/internal/misc/ScopedMemoryAccess";

pub(crate) const METHODS: &[Entry] = &[
    (CDS, "isDumpingClassList0", "()Z", zero),
    (CDS, "isDumpingArchive0", "()Z", zero),
    (CDS, "isSharingEnabled0", "()Z", zero),
    (CDS, "getCDSConfigStatus", "()I", zero),
    (CDS, "getRandomSeedForDumping", "()J", zero_wide),
    (CDS, "initializeFromArchive", "(Ljava/lang/Class;)V", nothing),
    (
        CDS,
        "defineArchivedModules",
        "(Ljava/lang/ClassLoader;Ljava/lang/ClassLoader;)V",
        nothing,
    ),
    (CDS, "logLambdaFormInvoker", "(Ljava/lang/String;)V", nothing),
    (CDS, "dumpClassList", "(Ljava/lang/String;)V", nothing),
    (CDS, "dumpDynamicArchive", "(Ljava/lang/String;)V", nothing),
    (CDS, "needsClassInitBarrier0", "(Ljava/lang/Class;)Z", zero),
    (VM, "initialize", "()V", nothing),
    (VM, "initializeFromArchive", "(Ljava/lang/Class;)V", nothing),
    (VM, "getRuntimeArguments", "()[Ljava/lang/String;", |m, _| {
        Ok(m.new_references(m.known.string_array, &[])?.into())
    }),
    ("jdk/internal/misc/PreviewFeatures", "isPreviewEnabled", "()Z", zero),
    // No signal has a number, so none can be handled or raised.
    (SIGNAL, "findSignal0", "(Ljava/lang/String;)I", |_, _| Ok((-1).into())),
    (SIGNAL, "handle0", "(IJ)J", zero_wide),
    (SIGNAL, "raise0", "(I)V", |_, _| {
        unsupported("jdk.internal.misc.Signal.raise")
    }),
    ("jdk/internal/vm/ContinuationSupport", "isSupported0", "()Z", zero),
    (CONTINUATION, "pin", "()V", nothing),
    (CONTINUATION, "unpin", "()V", nothing),
    (
        CONTINUATION,
        "isPinned0",
        "(Ljdk/internal/vm/ContinuationScope;)I",
        zero,
    ),
    (VIRTUAL, "notifyJvmtiStart", "()V", nothing),
    (VIRTUAL, "notifyJvmtiEnd", "()V", nothing),
    (VIRTUAL, "notifyJvmtiMount", "(Z)V", nothing),
    (VIRTUAL, "notifyJvmtiUnmount", "(Z)V", nothing),
    (VIRTUAL, "notifyJvmtiHideFrames", "(Z)V", nothing),
    (VIRTUAL, "notifyJvmtiDisableSuspend", "(Z)V", nothing),
    (VIRTUAL, "postPinnedEvent", "(Ljava/lang/String;)V", nothing),
    ("jdk/internal/vm/ForeignLinkerSupport", "isSupported0", "()Z", zero),
    (
        "jdk/internal/vm/VMSupport",
        "getVMTemporaryDirectory",
        "()Ljava/lang/String;",
        |m, _| Ok(m.new_string("/tmp")?.into()),
    ),
    (
        "jdk/internal/vm/VMSupport",
        "initAgentProperties",
        "(Ljava/util/Properties;)Ljava/util/Properties;",
        |_, args| Ok(Outcome::Word(args.word(0))),
    ),
    ("jdk/internal/vm/vector/VectorSupport", "registerNatives", "()I", zero),
    (
        "jdk/internal/vm/vector/VectorSupport",
        "getMaxLaneCount",
        "(Ljava/lang/Class;)I",
        |_, _| Ok((-1).into()),
    ),
    (
        "jdk/internal/vm/vector/VectorSupport",
        "getCPUFeatures",
        "()Ljava/lang/String;",
        |m, _| Ok(m.new_string("")?.into()),
    ),
    (
        "java/util/concurrent/atomic/AtomicLong",
        "VMSupportsCS8",
        "()Z",
        crate::common::yes,
    ),
    (
        SCOPED,
        "closeScope0",
        "(Ljdk/internal/misc/ScopedMemoryAccess$Scope;Ljdk/internal/misc/ScopedMemoryAccess$Scope$ScopedAccessError;)Z",
        |m, args| close_scope(m, args, true),
    ),
    (
        SCOPED,
        "closeScope0",
        "(Ljdk/internal/foreign/MemorySessionImpl;)Z",
        |m, args| close_scope(m, args, true),
    ),
    (
        SCOPED,
        "closeScope0",
        "(Ljdk/internal/foreign/MemorySessionImpl;Ljdk/internal/misc/ScopedMemoryAccess$ScopedAccessError;)V",
        |m, args| close_scope(m, args, false),
    ),
];

/// Whether another thread is within an access to the scope: it would have a frame of `ScopedMemoryAccess` with the
/// scope among its arguments. Accesses here are single steps, so none ever is.
fn close_scope(_: &mut Machine<'_>, args: &Args, answers: bool) -> Answer {
    non_null(args.word(1))?;
    Ok(if answers { Outcome::Word(1) } else { Outcome::Void })
}
