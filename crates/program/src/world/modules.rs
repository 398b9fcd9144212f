//! Which of the built-in loaders defines a module of the JDK.

use super::class::LoaderId;

/// Modules of the JDK whose classes the bootstrap loader defines; of the rest, tools go to the application loader and
/// everything else to the platform loader.
const BOOT_MODULES: &[&str] = &[
    "java.base",
    "java.datatransfer",
    "java.desktop",
    "java.instrument",
    "java.logging",
    "java.management",
    "java.management.rmi",
    "java.naming",
    "java.prefs",
    "java.rmi",
    "java.security.sasl",
    "java.xml",
    "jdk.incubator.foreign",
    "jdk.incubator.vector",
    "jdk.internal.vm.ci",
    "jdk.jfr",
    "jdk.management",
    "jdk.management.agent",
    "jdk.management.jfr",
    "jdk.naming.rmi",
    "jdk.net",
    "jdk.nio.mapmode",
    "jdk.sctp",
    "jdk.unsupported",
];
const TOOL_MODULES: &[&str] = &[
    "jdk.attach",
    "jdk.compiler",
    "jdk.editpad",
    "jdk.hotspot.agent",
    "jdk.internal.ed",
    "jdk.internal.jvmstat",
    "jdk.internal.le",
    "jdk.internal.md",
    "jdk.internal.opt",
    "jdk.jartool",
    "jdk.javadoc",
    "jdk.jcmd",
    "jdk.jconsole",
    "jdk.jdeps",
    "jdk.jdi",
    "jdk.jdwp.agent",
    "jdk.jlink",
    "jdk.jpackage",
    "jdk.jshell",
    "jdk.jstatd",
    "jdk.random",
    "jdk.unsupported.desktop",
];

/// The loader that defines a module of the JDK.
pub(super) fn module_loader(module: &str) -> LoaderId {
    if BOOT_MODULES.contains(&module) {
        LoaderId::BOOT
    } else if TOOL_MODULES.contains(&module) {
        LoaderId::APP
    } else {
        LoaderId::PLATFORM
    }
}
