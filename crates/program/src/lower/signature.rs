//! A fast walk over method descriptors, which are looked at twice for every call.

use crate::descriptor::Kind;

/// Calls `f` with the kind and the text of each parameter; gives the kind of the result, `None` for void.
#[inline]
pub(super) fn walk<'a>(descriptor: &'a str, mut f: impl FnMut(Kind, &'a str)) -> Option<Kind> {
    let bytes = descriptor.as_bytes();
    let mut at = 1;
    loop {
        let start = at;
        let kind = match *bytes.get(at)? {
            b')' => return bytes.get(at + 1).and_then(|&letter| kind_of(letter)),
            letter => kind_of(letter)?,
        };
        if kind == Kind::Reference {
            while bytes.get(at) == Some(&b'[') {
                at += 1;
            }
            match *bytes.get(at)? {
                b'L' => at += bytes.get(at..)?.iter().position(|&byte| byte == b';')?,
                letter => _ = kind_of(letter)?,
            }
        }
        at += 1;
        f(kind, descriptor.get(start..at).unwrap_or(""));
    }
}

fn kind_of(letter: u8) -> Option<Kind> {
    Some(match letter {
        b'L' | b'[' => Kind::Reference,
        b'I' => Kind::Int,
        b'Z' => Kind::Boolean,
        b'J' => Kind::Long,
        b'B' => Kind::Byte,
        b'C' => Kind::Char,
        b'S' => Kind::Short,
        b'F' => Kind::Float,
        b'D' => Kind::Double,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor;

    #[test]
    fn a_walk_sees_what_the_iterator_sees() {
        for text in [
            "()V",
            "(I)J",
            "(IJ[[DLa/b;[Lc;Z)[La;",
            "(BCSF)D",
            "([I)Ljava/lang/String;",
            "",
            "(",
            "(La",
            "([",
            "(X)V",
        ] {
            let mut seen = Vec::new();
            let result = walk(text, |kind, field| seen.push((field, kind)));
            let expected: Vec<_> = descriptor::parameters(text).collect();
            assert_eq!(seen, expected, "{text}");
            if descriptor::is_method(text) {
                assert_eq!(result, descriptor::return_type(text).map(|(_, kind)| kind), "{text}");
            }
        }
    }
}
