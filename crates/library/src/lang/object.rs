//! `java.lang.Object`, without its monitor.

use crate::common::Entry;
use machine::{Answer, Args, Machine, Outcome, raise};
use program::world::HEADER_WORDS;

pub(crate) const METHODS: &[Entry] = &[
    ("java/lang/Object", "getClass", "()Ljava/lang/Class;", get_class),
    ("java/lang/Object", "hashCode", "()I", hash_code),
    ("java/lang/Object", "clone", "()Ljava/lang/Object;", clone),
];

fn get_class(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.class_of(args.word(0));
    Ok(m.mirror(class)?.into())
}

fn hash_code(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok(m.identity_hash(args.word(0))?.into())
}

fn clone(m: &mut Machine<'_>, args: &Args) -> Answer {
    let object = args.word(0);
    let class = m.class_of(object);
    if !m.program.is_subclass(class, m.known.cloneable) {
        return raise(
            "java/lang/CloneNotSupportedException",
            super::class::external_name(m, class),
        );
    }
    let words = m.object_words(object);
    let copy = m.allocate(class, words)?;
    // Class and lock are the copy's own; everything after them is copied.
    let bytes = (words - HEADER_WORDS) as usize * 4;
    m.memory
        .copy_bytes((object + HEADER_WORDS, 0), (copy + HEADER_WORDS, 0), bytes);
    Ok(Outcome::Word(copy))
}
