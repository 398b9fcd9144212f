//! `java.lang.Float` and `java.lang.Double`: the same bits seen otherwise.

use crate::common::Entry;
use machine::Outcome;

pub(crate) const METHODS: &[Entry] = &[
    ("java/lang/Float", "floatToRawIntBits", "(F)I", |_, args| {
        Ok(Outcome::Word(args.word(0)))
    }),
    ("java/lang/Float", "intBitsToFloat", "(I)F", |_, args| {
        Ok(Outcome::Word(args.word(0)))
    }),
    ("java/lang/Double", "doubleToRawLongBits", "(D)J", |_, args| {
        Ok(Outcome::Wide(args.wide(0)))
    }),
    ("java/lang/Double", "longBitsToDouble", "(J)D", |_, args| {
        Ok(Outcome::Wide(args.wide(0)))
    }),
];
