//! `jdk.internal.reflect.Reflection` and `java.security.AccessController`: who calls.

use crate::common::{Entry, non_null, nothing, zero};
use machine::{Answer, Args, Machine, Outcome};
use program::world::{ClassId, Method};

const REFLECTION: &str = "jdk/internal/reflect/Reflection";
const CONTROLLER: &str = "java/security/AccessController";

pub(crate) const METHODS: &[Entry] = &[
    (REFLECTION, "getCallerClass", "()Ljava/lang/Class;", get_caller_class),
    (
        REFLECTION,
        "areNestMates",
        "(Ljava/lang/Class;Ljava/lang/Class;)Z",
        are_nest_mates,
    ),
    (
        CONTROLLER,
        "getStackAccessControlContext",
        "()Ljava/security/AccessControlContext;",
        zero,
    ),
    (
        CONTROLLER,
        "getInheritedAccessControlContext",
        "()Ljava/security/AccessControlContext;",
        zero,
    ),
    (
        CONTROLLER,
        "getProtectionDomain",
        "(Ljava/lang/Class;)Ljava/security/ProtectionDomain;",
        zero,
    ),
    (
        CONTROLLER,
        "ensureMaterializedForStackWalk",
        "(Ljava/lang/Object;)V",
        nothing,
    ),
];

/// Whether a frame stands between a caller and what it calls without being either: reflection, method handles, and
/// what the machine made itself.
fn is_between(m: &Machine<'_>, method: &Method, accessor: Option<ClassId>) -> bool {
    if method.index == u16::MAX && method.hidden {
        return true;
    }
    let class = m.program.class(method.class);
    match &*class.name {
        "java/lang/reflect/Method" if &**m.program.text(method.name) == "invoke" => true,
        name if method.hidden && name.starts_with("java/lang/invoke/") => true,
        _ => accessor.is_some_and(|accessor| m.program.is_subclass(class.id, accessor)),
    }
}

/// The class of who called the method that asks.
pub(crate) fn caller_class(m: &Machine<'_>) -> Option<ClassId> {
    let accessor = crate::common::jdk_class(m, "jdk/internal/reflect/MethodAccessorImpl").ok();
    // The frame of the native method, then that of the method that asks.
    let (_, _, asking) = m.frame_at(m.current_frame());
    let mut at = if asking == 0 { 0 } else { m.frame_at(asking).2 };
    while at != 0 {
        let (method, _, caller) = m.frame_at(at);
        let method = m.program.method(method);
        if !is_between(m, method, accessor) {
            return Some(method.class);
        }
        at = caller;
    }
    None
}

fn get_caller_class(m: &mut Machine<'_>, _: &Args) -> Answer {
    match caller_class(m) {
        Some(class) => Ok(m.mirror(class)?.into()),
        None => Ok(Outcome::Word(0)),
    }
}

fn are_nest_mates(m: &mut Machine<'_>, args: &Args) -> Answer {
    let one = m.mirrored(non_null(args.word(0))?);
    let two = m.mirrored(non_null(args.word(1))?);
    Ok((m.program.nest_host(one) == m.program.nest_host(two)).into())
}
