//! `java.lang.Object`, without its monitor.

use crate::common::Entry;
use machine::{Answer, Args, Machine, Outcome, raise};
use program::world::{ARRAY_HEADER_WORDS, ARRAY_LENGTH, HEADER_WORDS};

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
    // The header is the copy's own; everything after it is copied, and the length of an array.
    let mut first = HEADER_WORDS;
    if m.program.class(class).is_array() {
        first = ARRAY_HEADER_WORDS;
        m.memory.poke(copy + ARRAY_LENGTH, m.array_length(object));
    }
    let bytes = (words - first) as usize * 4;
    m.memory.copy_bytes((object + first, 0), (copy + first, 0), bytes);
    Ok(Outcome::Word(copy))
}
