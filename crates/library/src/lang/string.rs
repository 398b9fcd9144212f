//! `java.lang.String`.

use crate::common::{Entry, zero};
use machine::{Answer, Args, Machine, Outcome};

pub(crate) const METHODS: &[Entry] = &[
    ("java/lang/String", "intern", "()Ljava/lang/String;", |m, args| {
        Ok(m.intern_string(args.word(0))?.into())
    }),
    ("java/lang/StringUTF16", "isBigEndian", "()Z", zero),
];

/// Methods whose bodies fill a cache that no program can see. As one step that touches nothing, they do not add to what
/// is explored, and states that differ in the cache alone are one.
pub(crate) const REPLACED: &[Entry] = &[
    ("java/lang/String", "hashCode", "()I", hash_code),
    ("java/lang/Class", "getName", "()Ljava/lang/String;", |m, args| {
        Ok(super::class::name_of(m, args.word(0))?.into())
    }),
    (
        "java/lang/Class",
        "getPackageName",
        "()Ljava/lang/String;",
        package_name,
    ),
];

fn package_name(m: &mut Machine<'_>, args: &Args) -> Answer {
    let mirror = args.word(0);
    let known = m.get(mirror, "java/lang/Class", "packageName");
    if known != 0 {
        return Ok(known.into());
    }
    let mut class = m.program.class(m.mirrored(mirror));
    while let Some(element) = class.element() {
        class = m.program.class(element);
    }
    let name = if class.is_primitive() {
        "java.lang".to_owned()
    } else {
        class.package().replace('/', ".")
    };
    let string = m.intern(&name)?;
    m.set(mirror, "java/lang/Class", "packageName", string);
    Ok(string.into())
}

fn hash_code(m: &mut Machine<'_>, args: &Args) -> Answer {
    let string = args.word(0);
    let at = string + m.known.string_hash;
    let known = m.memory.load(at);
    if known != 0 {
        return Ok(Outcome::Word(known));
    }
    let value = m.memory.load(string + m.known.string_value);
    if value == 0 {
        return Ok(Outcome::Word(0));
    }
    let step = |hash: u32, unit: u32| hash.wrapping_mul(31).wrapping_add(unit);
    // SOUNDNESS: strings are immutable, and nobody but the string has its array.
    let hash = m.settled(|m| {
        let bytes = m.byte_array(value);
        if m.memory.load(string + m.known.string_coder) & 0xff == 0 {
            bytes.iter().fold(0, |hash, &byte| step(hash, byte.into()))
        } else {
            let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
            units.fold(0, |hash, unit| step(hash, unit.into()))
        }
    });
    m.memory.store(at, hash);
    Ok(Outcome::Word(hash))
}
