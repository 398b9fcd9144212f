//! `java.lang.StackWalker`: its frames in batches.
//!
//! Where a walk stands is kept in the first element of the array that the JDK reserves for the JVM: an `int[]` with the
//! address of the next frame. Frames of continuations are not known here; virtual threads have stacks of their own.

use crate::common::{Entry, jdk_class, non_null, nothing, unsupported, yes};
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};
use program::classfile::flags;
use program::world::{ClassId, Method, MethodId};

const WALKER: &str = "java/lang/StackStreamFactory$AbstractStackWalker";
const FRAME: &str = "java/lang/StackFrameInfo";
const CLASS_FRAME: &str = "java/lang/ClassFrameInfo";
const MEMBER: &str = "java/lang/invoke/MemberName";
const RESOLVED: &str = "java/lang/invoke/ResolvedMethodName";

/// Modes of a walk, as in `StackStreamFactory`.
const CLASSES_ONLY: u32 = 2;
const CALLER_CLASS: u32 = 4;
const SHOW_HIDDEN: u32 = 32;
const LIVE_FRAMES: u32 = 256;

/// Bits of a member's flags, as in `MethodHandleNatives.Constants`.
const IS_METHOD: u32 = 0x0001_0000;
const IS_CONSTRUCTOR: u32 = 0x0002_0000;
const CALLER_SENSITIVE: u32 = 0x0010_0000;
const HIDDEN_MEMBER: u32 = 0x0080_0000;
const KIND_SHIFT: u32 = 24;

pub(crate) const METHODS: &[Entry] = &[
    ("java/lang/StackStreamFactory", "checkStackWalkModes", "()Z", yes),
    (
        WALKER,
        "callStackWalk",
        "(JIII[Ljava/lang/Object;)Ljava/lang/Object;",
        |m, args| {
            begin(
                m,
                args,
                args.word(1),
                Place {
                    skip: 3,
                    size: 4,
                    start: 5,
                    frames: 6,
                },
            )
        },
    ),
    (
        WALKER,
        "callStackWalk",
        "(JILjdk/internal/vm/ContinuationScope;Ljdk/internal/vm/Continuation;II[Ljava/lang/Object;)Ljava/lang/Object;",
        |m, args| {
            begin(
                m,
                args,
                args.word(1),
                Place {
                    skip: 3,
                    size: 6,
                    start: 7,
                    frames: 8,
                },
            )
        },
    ),
    (
        WALKER,
        "callStackWalk",
        "(IILjdk/internal/vm/ContinuationScope;Ljdk/internal/vm/Continuation;II[Ljava/lang/Object;)Ljava/lang/Object;",
        |m, args| {
            begin(
                m,
                args,
                args.word(1),
                Place {
                    skip: 2,
                    size: 5,
                    start: 6,
                    frames: 7,
                },
            )
        },
    ),
    (WALKER, "fetchStackFrames", "(JJII[Ljava/lang/Object;)I", |m, args| {
        let filled = fill(m, args.word(1), args.word(5), args.word(6), args.word(7))?;
        // Older JDKs want the index after the last frame.
        Ok(Outcome::Word(args.word(6) + filled))
    }),
    (WALKER, "fetchStackFrames", "(IJIII[Ljava/lang/Object;)I", |m, args| {
        Ok(Outcome::Word(fill(
            m,
            args.word(1),
            args.word(5),
            args.word(6),
            args.word(7),
        )?))
    }),
    (
        WALKER,
        "setContinuation",
        "(J[Ljava/lang/Object;Ljdk/internal/vm/Continuation;)V",
        nothing,
    ),
    (FRAME, "expandStackFrameInfo", "()V", expand),
];

/// Which argument words hold what.
struct Place {
    skip: usize,
    size: usize,
    start: usize,
    frames: usize,
}

fn begin(m: &mut Machine<'_>, args: &Args, mode: u32, place: Place) -> Answer {
    let walker = args.word(0);
    let (skip, size) = (args.int(place.skip), args.word(place.size));
    let (start, frames) = (args.word(place.start), non_null(args.word(place.frames))?);
    if mode & LIVE_FRAMES != 0 {
        return unsupported("a stack walk over live frames");
    }
    let mut at = m.current_frame();
    let abstract_walker = jdk_class(m, WALKER)?;
    let plain_walker = jdk_class(m, "java/lang/StackWalker")?;
    // The frames of the walk itself do not count.
    while at != 0 {
        let (method, _, caller) = m.frame_at(at);
        let class = m.program.method(method).class;
        if class != plain_walker && !m.program.is_subclass(class, abstract_walker) {
            break;
        }
        at = caller;
    }
    for _ in 0..skip {
        at = if at == 0 { 0 } else { m.frame_at(at).2 };
    }
    if m.array_length(frames) == 0 {
        return raise("java/lang/InternalError", "no room for stack frames");
    }
    let position = m.new_array(m.known.int_array, 1)?;
    m.set_element(position, 0, at);
    m.set_element(frames, 0, position);
    let filled = fill(m, mode, size, start, frames)?;
    let class = m.class_of(walker);
    let Some(method) = m.program.find_method(class, "doStackWalk", "(JIIII)Ljava/lang/Object;") else {
        return unsupported("java.lang.StackStreamFactory without doStackWalk");
    };
    // The anchor only has to be something.
    let newer = m.find_offset(CLASS_FRAME, "flags").is_some();
    let count = if newer { filled } else { size };
    Ok(Outcome::Call(
        method,
        vec![walker, 1, 0, skip as u32, count, start, start + filled],
    ))
}

/// Fills the next frames in; says how many.
fn fill(m: &mut Machine<'_>, mode: u32, size: u32, start: u32, frames: Address) -> Result<u32, Trap> {
    non_null(frames)?;
    let position = match m.array_length(frames) {
        0 => 0,
        _ => m.element(frames, 0),
    };
    if position == 0 {
        return raise("java/lang/InternalError", "doStackWalk: corrupted buffers");
    }
    let room = m.array_length(frames).saturating_sub(start).min(size);
    let mut at = m.element(position, 0);
    let mut filled = 0;
    while at != 0 && filled < room {
        let (id, pc, caller) = m.frame_at(at);
        let method = m.program.method(id);
        at = caller;
        // What the machine made itself is no frame of Java, however much is to be shown.
        if method.hidden && (mode & SHOW_HIDDEN == 0 || method.index == u16::MAX) {
            continue;
        }
        if mode & CALLER_CLASS != 0 && filled == 0 && method.caller_sensitive {
            let name = m.program.signature(method.class, method.name, method.descriptor);
            return raise(
                "java/lang/UnsupportedOperationException",
                format!("StackWalker::getCallerClass called from @CallerSensitive '{name}' method"),
            );
        }
        let bci = m.bci(id, pc);
        describe(m, frames, start + filled, method, u32::from(bci), mode)?;
        filled += 1;
    }
    m.set_element(position, 0, at);
    Ok(filled)
}

fn describe(
    m: &mut Machine<'_>,
    frames: Address,
    index: u32,
    method: &Method,
    bci: u32,
    mode: u32,
) -> Result<(), Trap> {
    let mirror = m.mirror(method.class)?;
    let Some(offset) = m.find_offset(CLASS_FRAME, "flags") else {
        if mode & CLASSES_ONLY != 0 {
            m.set_element(frames, index, mirror);
            return Ok(());
        }
        let frame = non_null(m.element(frames, index))?;
        let member = non_null(m.get(frame, FRAME, "memberName"))?;
        fill_member(m, member, method)?;
        m.set(frame, FRAME, "bci", bci);
        return Ok(());
    };
    let frame = non_null(m.element(frames, index))?;
    let kept = m.memory.load(frame + offset) & !0x00ff_ffff;
    m.memory
        .store(frame + offset, kept | member_flags(m, method) & 0x00ff_ffff);
    if mode & CLASSES_ONLY != 0 {
        m.set(frame, CLASS_FRAME, "classOrMemberName", mirror);
    } else {
        let resolved = resolved_name(m, method)?;
        m.set(frame, CLASS_FRAME, "classOrMemberName", resolved);
        m.set(frame, FRAME, "bci", bci);
    }
    Ok(())
}

/// Flags, kind of member and kind of reference, as a `MemberName` has them.
fn member_flags(m: &Machine<'_>, method: &Method) -> u32 {
    let (kind, reference) = match &**m.program.text(method.name) {
        "<init>" => (IS_CONSTRUCTOR, 8),
        _ if method.is_static() => (IS_METHOD, 6),
        _ if method.is_private() => (IS_METHOD, 7),
        _ if m.program.class(method.class).is_interface() => (IS_METHOD, 9),
        _ => (IS_METHOD, 5),
    };
    let sensitive = if method.caller_sensitive { CALLER_SENSITIVE } else { 0 };
    // Only newer JDKs know the bit; to older ones it means nothing.
    let hidden = if method.hidden { HIDDEN_MEMBER } else { 0 };
    u32::from(method.flags & !flags::SYNCHRONIZED) | kind | sensitive | hidden | reference << KIND_SHIFT
}

fn resolved_name(m: &mut Machine<'_>, method: &Method) -> Result<Address, Trap> {
    let of: ClassId = jdk_class(m, RESOLVED)?;
    let resolved = m.new_object(of)?;
    m.set(resolved, RESOLVED, "$method", method.id.0);
    if let Some(offset) = m.find_offset(RESOLVED, "vmholder") {
        let mirror = m.mirror(method.class)?;
        m.memory.store(resolved + offset, mirror);
    }
    Ok(resolved)
}

fn fill_member(m: &mut Machine<'_>, member: Address, method: &Method) -> Result<(), Trap> {
    let mirror = m.mirror(method.class)?;
    let name = m.program.text(method.name).clone();
    let name = m.intern(&name)?;
    let descriptor = m.program.text(method.descriptor).clone();
    let descriptor = m.intern(&descriptor)?;
    let resolved = resolved_name(m, method)?;
    let bits = member_flags(m, method) & !HIDDEN_MEMBER;
    m.set(member, MEMBER, "clazz", mirror);
    m.set(member, MEMBER, "name", name);
    m.set(member, MEMBER, "type", descriptor);
    m.set(member, MEMBER, "flags", bits);
    m.set(member, MEMBER, "method", resolved);
    Ok(())
}

/// The method of a `StackFrameInfo`.
pub(crate) fn method_of_frame(m: &mut Machine<'_>, frame: Address) -> Option<MethodId> {
    let resolved = if m.find_offset(CLASS_FRAME, "flags").is_some() {
        m.get(frame, CLASS_FRAME, "classOrMemberName")
    } else {
        match m.get(frame, FRAME, "memberName") {
            0 => 0,
            member => m.get(member, MEMBER, "method"),
        }
    };
    if resolved == 0 {
        return None;
    }
    Some(m.get(resolved, RESOLVED, "$method"))
        .filter(|&method| method != 0)
        .map(MethodId)
}

/// Name and descriptor of a frame's method.
fn expand(m: &mut Machine<'_>, args: &Args) -> Answer {
    let frame = args.word(0);
    let Some(method) = method_of_frame(m, frame) else {
        return raise("java/lang/InternalError", "a stack frame without a method");
    };
    let method = m.program.method(method);
    let name = m.program.text(method.name).clone();
    let name = m.intern(&name)?;
    let descriptor = m.program.text(method.descriptor).clone();
    let descriptor = m.intern(&descriptor)?;
    m.set(frame, FRAME, "name", name);
    m.set(frame, FRAME, "type", descriptor);
    Ok(Outcome::Void)
}
