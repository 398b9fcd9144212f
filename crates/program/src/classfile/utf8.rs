//! Modified UTF-8 (JVMS §4.4.7): U+0000 in two bytes, and characters above U+FFFF as two surrogates of three bytes each.

/// The units where text does not say it all.
pub(super) type Lone = Option<Box<[u16]>>;

/// Appends the decoded text to `text` as UTF-8, a lone surrogate as U+FFFD; then gives the exact units too. `None` if the
/// bytes are not modified UTF-8. `lenient` allows overlong forms, as a virtual machine does for files before Java 1.4.
#[inline]
pub(super) fn decode(bytes: &[u8], lenient: bool, text: &mut Vec<u8>) -> Option<Lone> {
    // Almost all constants are ASCII without a zero, which means the same in both encodings. No early end: vector code.
    if bytes.iter().fold(true, |ascii, byte| ascii & (1..0x80).contains(byte)) {
        text.extend_from_slice(bytes);
        return Some(None);
    }
    decode_slowly(bytes, lenient, text)
}

#[cold]
fn decode_slowly(bytes: &[u8], lenient: bool, text: &mut Vec<u8>) -> Option<Lone> {
    let units = units(bytes, lenient)?;
    let mut lone = false;
    for decoded in char::decode_utf16(units.iter().copied()) {
        let decoded = decoded.unwrap_or_else(|_| {
            lone = true;
            char::REPLACEMENT_CHARACTER
        });
        text.extend_from_slice(decoded.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Some(lone.then(|| units.into_boxed_slice()))
}

fn units(bytes: &[u8], lenient: bool) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let (unit, tail) = match (first >> 4, tail) {
            (0..=7, tail) if *first != 0 => (u16::from(*first), tail),
            (0xC | 0xD, [second, tail @ ..]) => {
                let unit = (u16::from(*first & 0x1F) << 6) | continuation(*second)?;
                if !lenient && unit != 0 && unit < 0x80 {
                    return None;
                }
                (unit, tail)
            }
            (0xE, [second, third, tail @ ..]) => {
                let unit = (u16::from(*first & 0x0F) << 12) | (continuation(*second)? << 6) | continuation(*third)?;
                if !lenient && unit < 0x800 {
                    return None;
                }
                (unit, tail)
            }
            _ => return None,
        };
        units.push(unit);
        rest = tail;
    }
    Some(units)
}

fn continuation(byte: u8) -> Option<u16> {
    (byte & 0xC0 == 0x80).then_some(u16::from(byte & 0x3F))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What some bytes mean: text, and units where these say more.
    type Meaning = Option<(&'static str, Option<&'static [u16]>)>;

    #[test]
    fn modified_utf8_is_decoded_exactly() {
        let cases: [(&[u8], Meaning); 12] = [
            (b"", Some(("", None))),
            (b"main", Some(("main", None))),
            ("häß€".as_bytes(), Some(("häß€", None))),
            (b"a\xC0\x80b", Some(("a\0b", None))),
            (b"\xED\xA0\xBD\xED\xB8\x80", Some(("😀", None))),
            (b"x\xED\xA0\xBDy", Some(("x\u{FFFD}y", Some(&[0x78, 0xD83D, 0x79])))),
            (
                b"\xED\xB8\x80\xED\xA0\xBD",
                Some(("\u{FFFD}\u{FFFD}", Some(&[0xDE00, 0xD83D]))),
            ),
            (b"a\0b", None),
            ("😀".as_bytes(), None),
            (b"\xC1\x81", None),
            (b"\xE0\x81\x81", None),
            (b"\xE2\x82", None),
        ];
        for (bytes, expected) in cases {
            let mut text = Vec::new();
            let lone = decode(bytes, false, &mut text);
            let text = String::from_utf8(text).unwrap_or_default();
            assert_eq!(lone.is_some(), expected.is_some(), "{bytes:?}");
            if let Some((expected, units)) = expected {
                assert_eq!(
                    (text.as_str(), lone.flatten().as_deref()),
                    (expected, units),
                    "{bytes:?}"
                );
            }
        }
        let mut text = Vec::new();
        assert_eq!(decode(b"\xC1\x81", true, &mut text), Some(None));
        assert_eq!(text, b"A", "files before Java 1.4 may have overlong forms");
    }
}
