//! Methods with a body that are taken over: their work would be for a host that is not there.

use crate::common::{Entry, nothing, zero};
use machine::{Answer, Args, Machine, Outcome};

pub(crate) const METHODS: &[Entry] = &[
    // There are no signals to end the program.
    ("java/lang/Terminator", "setup", "()V", nothing),
    ("java/lang/Terminator", "teardown", "()V", nothing),
    // Starting up the logging of the JDK at every exit would say nothing in the end.
    ("java/lang/Shutdown", "logRuntimeExit", "(I)V", nothing),
    // Reflection stays with the native accessors, which no method need be spun for.
    (
        "jdk/internal/reflect/ReflectionFactory",
        "inflationThreshold",
        "()I",
        |_, _| Ok(i32::MAX.into()),
    ),
    // Locale data of the host: none.
    (
        "sun/util/locale/provider/HostLocaleProviderAdapterImpl",
        "initialize",
        "()Z",
        zero,
    ),
    // A cache beside each thread, which would only be one more thing to tell states apart by.
    (
        "java/lang/ScopedValue$Cache",
        "put",
        "(Ljava/lang/ScopedValue;Ljava/lang/Object;)V",
        nothing,
    ),
];

/// What is taken over only while a program is explored.
pub(crate) const EXPLORED: &[Entry] = &[
    // How far the JDK has started is written once more, when it shuts down. These tell no difference then.
    ("jdk/internal/misc/VM", "isBooted", "()Z", has_started),
    ("jdk/internal/misc/VM", "isModuleSystemInited", "()Z", has_started),
    // A list of all thread pools, for thread dumps.
    (
        "jdk/internal/vm/ThreadContainers",
        "registerContainer",
        "(Ljdk/internal/vm/ThreadContainer;)Ljava/lang/Object;",
        zero,
    ),
    (
        "jdk/internal/vm/ThreadContainers",
        "deregisterContainer",
        "(Ljava/lang/Object;)V",
        nothing,
    ),
];

/// It has, once there is an image.
fn has_started(m: &mut Machine<'_>, _: &Args) -> Answer {
    match m.memory.image_end() {
        0 => Ok(Outcome::Body),
        _ => Ok(1.into()),
    }
}
