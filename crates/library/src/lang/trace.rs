//! `java.lang.StackTraceElement`.

use crate::common::{Entry, non_null};
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};
use program::world::MethodId;

const ELEMENT: &str = "java/lang/StackTraceElement";

pub(crate) const METHODS: &[Entry] = &[
    (
        ELEMENT,
        "initStackTraceElements",
        "([Ljava/lang/StackTraceElement;Ljava/lang/Throwable;)V",
        |m, args| {
            let backtrace = m.memory.load(non_null(args.word(1))? + m.known.throwable_backtrace);
            let count = m.memory.load(args.word(1) + m.known.throwable_depth);
            fill_all(m, args.word(0), backtrace, count)
        },
    ),
    (
        ELEMENT,
        "initStackTraceElements",
        "([Ljava/lang/StackTraceElement;Ljava/lang/Object;I)V",
        |m, args| fill_all(m, args.word(0), args.word(1), args.word(2)),
    ),
    (
        ELEMENT,
        "initStackTraceElement",
        "(Ljava/lang/StackTraceElement;Ljava/lang/StackFrameInfo;)V",
        fill_one,
    ),
];

/// Line of a frame of a native method.
const NATIVE_LINE: i32 = -2;
/// Line of a frame without debug information.
const NO_LINE: i32 = -1;

fn fill_all(m: &mut Machine<'_>, elements: Address, backtrace: Address, count: u32) -> Answer {
    non_null(elements)?;
    if count == 0 {
        return Ok(Outcome::Void);
    }
    non_null(backtrace)?;
    if m.array_length(elements) != count || m.array_length(backtrace) < count * 2 {
        return raise("java/lang/IndexOutOfBoundsException", "the trace has another length");
    }
    for index in 0..count {
        let element = non_null(m.element(elements, index))?;
        // SOUNDNESS: as in `throwable.rs`.
        let (method, bci) = m.settled(|m| (m.element(backtrace, index * 2), m.element(backtrace, index * 2 + 1)));
        fill(m, element, MethodId(method), bci)?;
    }
    Ok(Outcome::Void)
}

/// Describes a place in the code by a `StackTraceElement`.
pub(crate) fn fill(m: &mut Machine<'_>, element: Address, id: MethodId, bci: u32) -> Result<(), Trap> {
    let method = m.program.method(id);
    let class = m.program.class(method.class);
    let mirror = m.mirror(class.id)?;
    m.set(element, ELEMENT, "declaringClassObject", mirror);
    let name = super::class::name_of(m, mirror)?;
    m.set(element, ELEMENT, "declaringClass", name);
    let loader = m.get(mirror, "java/lang/Class", "classLoader");
    if loader != 0 {
        let name = m.get(loader, "java/lang/ClassLoader", "name");
        m.set(element, ELEMENT, "classLoaderName", name);
    }
    let module = m.get(mirror, "java/lang/Class", "module");
    if module != 0
        && let Some([_, name, version, _]) = m.entry_of_module(module)
    {
        m.set(element, ELEMENT, "moduleName", name);
        m.set(element, ELEMENT, "moduleVersion", version);
    }
    let name = m.program.text(method.name).clone();
    let name = m.intern(&name)?;
    m.set(element, ELEMENT, "methodName", name);
    let source = class
        .file
        .as_ref()
        .and_then(|file| Some(file.pool.text(file.source_file?)));
    if let Some(source) = source {
        let file = m.intern(source)?;
        m.set(element, ELEMENT, "fileName", file);
    }
    let line = if method.is_native() {
        NATIVE_LINE
    } else {
        method.line(bci as u16).map_or(NO_LINE, i32::from)
    };
    m.set(element, ELEMENT, "lineNumber", line as u32);
    Ok(())
}

fn fill_one(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (element, frame) = (non_null(args.word(0))?, non_null(args.word(1))?);
    // SOUNDNESS: the method of a frame is noted when the frame is made.
    let Some(method) = m.settled_mut(|m| super::walker::method_of_frame(m, frame)) else {
        return raise("java/lang/InternalError", "a stack frame without a method");
    };
    let bci = m.get(frame, "java/lang/StackFrameInfo", "bci");
    fill(m, element, method, bci)?;
    Ok(Outcome::Void)
}
