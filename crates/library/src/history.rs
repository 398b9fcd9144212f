//! `raddle.History`: what calls came to. It is an ordinary class on the program's class path; two of its methods are taken over, so that
//! each is one step.

use crate::common::{Entry, non_null};
use machine::history::{BEGUN, HISTORY};
use machine::layout::thread;
use machine::{Address, Answer, Args, Machine, Outcome, Trap};

pub(crate) const METHODS: &[Entry] = &[
    (HISTORY, "began", "([IIIII)V", began),
    (
        HISTORY,
        "ended",
        "([I[Ljava/lang/Object;IIILjava/lang/Object;I)V",
        ended,
    ),
    (HISTORY, "hasPermit", "(Ljava/lang/Thread;)Z", |m, _| {
        Ok((m.thread_word(m.current(), thread::PERMIT) != 0).into())
    }),
];

/// `(words, first, threads, place, length)`: a call begins when so many of each thread have ended.
fn began(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (words, threads, place) = (args.word(0), args.word(2), args.word(3));
    check(
        m,
        words,
        [
            args.word(1),
            threads.wrapping_sub(1),
            place,
            place.wrapping_add(threads),
        ],
    )?;
    m.set_element(words, place, BEGUN);
    for number in 0..threads {
        m.set_element(words, place + 1 + number, m.element(words, number));
    }
    Ok(Outcome::Void)
}

/// `(words, results, thread, place, slot, result, how)`: a call has ended.
fn ended(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (words, results, number) = (args.word(0), args.word(1), args.word(2));
    check(m, words, [number, args.word(3)])?;
    check(m, results, [args.word(4)])?;
    m.set_element(words, args.word(3), args.word(6));
    m.set_element(results, args.word(4), args.word(5));
    let before = m.element(words, number);
    m.set_element(words, number, before.wrapping_add(1));
    Ok(Outcome::Void)
}

/// Whether an array has elements with these numbers.
fn check<const N: usize>(m: &Machine<'_>, array: Address, numbers: [u32; N]) -> Result<(), Trap> {
    let length = m.array_length(non_null(array)?);
    match numbers.iter().all(|&number| number < length) {
        true => Ok(()),
        false => Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", None)),
    }
}
