//! Methods with a body that are taken over: their work would be for a host that is not there.

use crate::common::{Entry, nothing, zero};

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
