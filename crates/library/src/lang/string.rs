//! `java.lang.String`.

use crate::common::{Entry, zero};

pub(crate) const METHODS: &[Entry] = &[
    ("java/lang/String", "intern", "()Ljava/lang/String;", |m, args| {
        Ok(m.intern_string(args.word(0))?.into())
    }),
    ("java/lang/StringUTF16", "isBigEndian", "()Z", zero),
];
