//! Which code is looked into, and which is taken for anything.
//!
//! The program's own classes are looked into, and of the JDK the basics: strings, boxes, exceptions, collections and
//! functional interfaces. All else (input and output, reflection, method handles, executors, streams, locks, formatting) is
//! *outside*: what is passed to it is shared from then on, and what comes from it may be any shared object.
//!
//! That bounds the analysis too: what a small program uses of the JDK is some hundred methods.

use program::world::{Class, ClassId, LoaderId, Program};

/// How a class is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The program's own.
    Program,
    /// Of the JDK, and looked into.
    Library,
    /// Not looked into.
    Outside,
}

/// Classes of `java.lang` that are outside, by the name before the first `$`.
const OUTSIDE_LANG: &[&str] = &[
    "ApplicationShutdownHooks",
    "BaseVirtualThread",
    "Class",
    "ClassLoader",
    "ClassValue",
    "InheritableThreadLocal",
    "LiveStackFrame",
    "LiveStackFrameInfo",
    "Module",
    "ModuleLayer",
    "NamedPackage",
    "Package",
    "Process",
    "ProcessBuilder",
    "ProcessEnvironment",
    "ProcessHandle",
    "ProcessHandleImpl",
    "ProcessImpl",
    "Runtime",
    "ScopedValue",
    "SecurityManager",
    "Shutdown",
    "StackStreamFactory",
    "StackTraceElement",
    "StackWalker",
    "System",
    "Terminator",
    "Thread",
    "ThreadBuilders",
    "ThreadGroup",
    "ThreadLocal",
    "VirtualThread",
    "WeakPairMap",
];

/// Classes of `java.util` that are outside.
const OUTSIDE_UTIL: &[&str] = &[
    "Base64",
    "Calendar",
    "Currency",
    "Date",
    "Formatter",
    "GregorianCalendar",
    "JapaneseImperialCalendar",
    "ListResourceBundle",
    "Locale",
    "Properties",
    "PropertyResourceBundle",
    "ResourceBundle",
    "Scanner",
    "ServiceLoader",
    "SimpleTimeZone",
    "TimeZone",
    "Timer",
    "TimerTask",
    "UUID",
];

/// How a class is treated.
pub(crate) fn scope(class: &Class) -> Scope {
    if class.loader >= LoaderId::APP {
        return if class.given { Scope::Outside } else { Scope::Program };
    }
    let simple = |package: &str| {
        let rest = class.name.strip_prefix(package)?;
        let outer = rest.split('$').next().unwrap_or(rest);
        (!outer.contains('/')).then_some(outer)
    };
    let inside = match (simple("java/lang/"), simple("java/util/")) {
        (Some(name), _) => !OUTSIDE_LANG.contains(&name),
        (_, Some(name)) => !OUTSIDE_UTIL.contains(&name),
        _ => simple("java/util/function/").is_some() || simple("jdk/internal/util/").is_some() || class.is_array(),
    };
    if inside { Scope::Library } else { Scope::Outside }
}

/// Whether a call from the program's own code may lead to the program's methods or classes being found by their names, so
/// that any of them may be run by code that is not looked into.
pub(crate) fn finds_by_name(class: &str, method: &str) -> bool {
    const PACKAGES: &[&str] = &[
        "java/lang/",
        "java/lang/ref/",
        "java/util/",
        "java/util/function/",
        "java/util/concurrent/",
        "java/util/concurrent/atomic/",
        "java/util/concurrent/locks/",
        "java/util/stream/",
        "java/util/regex/",
        "java/io/",
        "java/math/",
        "java/time/",
        "java/text/",
    ];
    if class.starts_with('[') {
        return false;
    }
    let (package, name) = class.rsplit_once('/').unwrap_or(("", class));
    let outer = name.split('$').next().unwrap_or(name);
    match class {
        "java/lang/reflect/Array" | "java/lang/invoke/VarHandle" => return false,
        "java/lang/invoke/MethodHandles" => return !matches!(method, "lookup" | "privateLookupIn"),
        "java/lang/invoke/MethodHandles$Lookup" => return !matches!(method, "findVarHandle" | "findStaticVarHandle"),
        _ => {}
    }
    match (package, outer) {
        ("java/lang", "Class") => !matches!(
            method,
            "getName"
                | "getSimpleName"
                | "getTypeName"
                | "getPackageName"
                | "getSuperclass"
                | "getComponentType"
                | "getModifiers"
                | "getEnumConstants"
                | "desiredAssertionStatus"
                | "isInstance"
                | "isAssignableFrom"
                | "isArray"
                | "isInterface"
                | "isEnum"
                | "isRecord"
                | "isPrimitive"
                | "cast"
                | "equals"
                | "hashCode"
                | "toString"
        ),
        ("java/lang", "ClassLoader" | "ModuleLayer" | "Module" | "StackWalker" | "ClassValue") => true,
        ("java/lang", "Thread") => method == "getContextClassLoader",
        ("java/util", "ServiceLoader" | "ResourceBundle") => true,
        ("java/io", "ObjectInputStream" | "ObjectOutputStream" | "ObjectStreamClass") => true,
        _ => !PACKAGES.iter().any(|known| known.strip_suffix('/') == Some(package)),
    }
}

/// The name of a class of immutable values that lead to nothing: a string or a box. Whoever shares one shares nothing else
/// through it, so values are not followed; of the places that make them nothing is claimed.
pub(crate) fn value(descriptor: &str) -> Option<&str> {
    let name = descriptor.strip_prefix('L')?.strip_suffix(';')?;
    is_value(name).then_some(name)
}

/// Whether a class is one of immutable values that lead to nothing.
pub(crate) fn is_value(name: &str) -> bool {
    let values = [
        "String",
        "Integer",
        "Long",
        "Boolean",
        "Character",
        "Byte",
        "Short",
        "Float",
        "Double",
    ];
    name.strip_prefix("java/lang/")
        .is_some_and(|rest| values.contains(&rest))
}

/// Whether a class is one of the program's own.
pub(crate) fn is_own(program: &Program, class: ClassId) -> bool {
    program.class(class).loader >= LoaderId::APP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_find_members_by_name_counts_as_reflection() {
        for (class, method, expected) in [
            ("java/lang/Class", "forName", true),
            ("java/lang/Class", "getName", false),
            ("java/lang/Class", "getDeclaredConstructor", true),
            ("java/lang/Class", "desiredAssertionStatus", false),
            ("java/lang/reflect/Method", "invoke", true),
            ("java/lang/reflect/Array", "newInstance", false),
            ("java/lang/invoke/MethodHandles$Lookup", "findVirtual", true),
            ("java/lang/invoke/MethodHandles$Lookup", "findVarHandle", false),
            ("java/util/ArrayList", "add", false),
            ("java/util/concurrent/Executors", "newFixedThreadPool", false),
            ("javax/swing/JFrame", "show", true),
        ] {
            assert_eq!(finds_by_name(class, method), expected, "{class}.{method}");
        }
    }
}
