//! `java.lang.Throwable` and `java.lang.NullPointerException`.
//!
//! A backtrace is an `int[]` of pairs: method number and bytecode index, the innermost frame first.

use crate::common::Entry;
use machine::{Address, Answer, Args, Machine, Outcome};
use program::world::{ARRAY_HEADER_WORDS, MethodId};

pub(crate) const METHODS: &[Entry] = &[
    (
        "java/lang/Throwable",
        "fillInStackTrace",
        "(I)Ljava/lang/Throwable;",
        fill_in_stack_trace,
    ),
    (
        "java/lang/NullPointerException",
        "getExtendedNPEMessage",
        "()Ljava/lang/String;",
        get_extended_message,
    ),
];

fn fill_in_stack_trace(m: &mut Machine<'_>, args: &Args) -> Answer {
    let exception = args.word(0);
    let frames = m.backtrace(m.current(), Some(m.class_of(exception)));
    // A word more than the frames need says that the code at fault is not among them.
    let out_of_sight = i32::from(m.fails_out_of_sight(m.class_of(exception)));
    let pairs = m.new_array(m.known.int_array, frames.len() as i32 * 2 + out_of_sight)?;
    for (position, (method, bci)) in frames.iter().enumerate() {
        let at = pairs + ARRAY_HEADER_WORDS + position as u32 * 2;
        m.memory.poke(at, method.0);
        m.memory.poke(at + 1, u32::from(*bci));
    }
    m.memory.store(exception + m.known.throwable_backtrace, pairs);
    m.memory.store(exception + m.known.throwable_depth, frames.len() as u32);
    m.memory.store(exception + m.known.throwable_trace, 0);
    Ok(exception.into())
}

/// The innermost frame of a backtrace.
fn innermost(m: &Machine<'_>, exception: Address) -> Option<(MethodId, u32)> {
    let pairs = m.memory.load(exception + m.known.throwable_backtrace);
    // SOUNDNESS: a backtrace is filled when it is made, and only native methods know what it is.
    let first = || m.settled(|m| (MethodId(m.element(pairs, 0)), m.element(pairs, 1)));
    (pairs != 0 && m.array_length(pairs) >= 2 && m.array_length(pairs).is_multiple_of(2)).then(first)
}

/// Says what was null, from the bytecode of the frame that failed.
fn get_extended_message(m: &mut Machine<'_>, args: &Args) -> Answer {
    let message = innermost(m, args.word(0)).and_then(|(method, bci)| {
        let (file, info) = m.program.method(method).info()?;
        program::npe::describe(file, info, bci as usize)
    });
    Ok(match message {
        Some(text) => m.new_string(&text)?.into(),
        None => Outcome::Word(0),
    })
}
