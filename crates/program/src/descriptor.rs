//! Field and method descriptors (JVMS §4.3), read in place.
//!
//! The iterators stop at the first thing that is not a descriptor, so they are safe on any text; the class file reader has
//! checked what it lets through with [`is_field`] and [`is_method`].

/// What a value is, as far as a machine that does not look inside references cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `Z`
    Boolean,
    /// `B`
    Byte,
    /// `C`
    Char,
    /// `S`
    Short,
    /// `I`
    Int,
    /// `F`
    Float,
    /// `J`
    Long,
    /// `D`
    Double,
    /// A class, interface or array type.
    Reference,
}

impl Kind {
    /// How many local variables or operand stack slots a value takes: 2 for `long` and `double`, else 1.
    pub const fn words(self) -> u32 {
        match self {
            Kind::Long | Kind::Double => 2,
            _ => 1,
        }
    }

    /// The kind of a field descriptor, from its first letter; `None` for another letter.
    pub fn of(descriptor: &str) -> Option<Kind> {
        descriptor.as_bytes().first().copied().and_then(Kind::of_letter)
    }

    /// The letter that stands for the kind in a descriptor; `L` for every reference.
    pub const fn letter(self) -> char {
        match self {
            Kind::Boolean => 'Z',
            Kind::Byte => 'B',
            Kind::Char => 'C',
            Kind::Short => 'S',
            Kind::Int => 'I',
            Kind::Float => 'F',
            Kind::Long => 'J',
            Kind::Double => 'D',
            Kind::Reference => 'L',
        }
    }

    /// How many bytes an array element of the kind takes.
    pub const fn bytes(self) -> u32 {
        match self {
            Kind::Boolean | Kind::Byte => 1,
            Kind::Char | Kind::Short => 2,
            Kind::Int | Kind::Float | Kind::Reference => 4,
            Kind::Long | Kind::Double => 8,
        }
    }

    /// The class of the boxes of a primitive type; `None` for a reference.
    pub const fn wrapper(self) -> Option<&'static str> {
        Some(match self {
            Kind::Boolean => "java/lang/Boolean",
            Kind::Byte => "java/lang/Byte",
            Kind::Char => "java/lang/Character",
            Kind::Short => "java/lang/Short",
            Kind::Int => "java/lang/Integer",
            Kind::Float => "java/lang/Float",
            Kind::Long => "java/lang/Long",
            Kind::Double => "java/lang/Double",
            Kind::Reference => return None,
        })
    }

    /// The primitive type that a class boxes.
    pub fn wrapped_by(class: &str) -> Option<Kind> {
        let kinds = [
            Kind::Boolean,
            Kind::Byte,
            Kind::Char,
            Kind::Short,
            Kind::Int,
            Kind::Float,
            Kind::Long,
            Kind::Double,
        ];
        kinds.into_iter().find(|kind| kind.wrapper() == Some(class))
    }

    const fn of_letter(letter: u8) -> Option<Kind> {
        Some(match letter {
            b'Z' => Kind::Boolean,
            b'B' => Kind::Byte,
            b'C' => Kind::Char,
            b'S' => Kind::Short,
            b'I' => Kind::Int,
            b'F' => Kind::Float,
            b'J' => Kind::Long,
            b'D' => Kind::Double,
            b'L' | b'[' => Kind::Reference,
            _ => return None,
        })
    }
}

/// The parameters of a method descriptor from left to right: each one's field descriptor and kind.
pub fn parameters(descriptor: &str) -> Parameters<'_> {
    Parameters {
        rest: descriptor.strip_prefix('(').unwrap_or(""),
    }
}

/// Iterator of [`parameters`].
#[derive(Debug, Clone)]
pub struct Parameters<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Parameters<'a> {
    type Item = (&'a str, Kind);

    fn next(&mut self) -> Option<(&'a str, Kind)> {
        let end = field_end(self.rest.as_bytes())?;
        let (field, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some((field, Kind::of(field)?))
    }
}

/// The return type of a method descriptor; `None` for `void`.
pub fn return_type(descriptor: &str) -> Option<(&str, Kind)> {
    let (_, result) = descriptor.rsplit_once(')')?;
    Some((result, Kind::of(result)?))
}

/// How many words the parameters of a method descriptor take, the receiver not counted.
pub fn argument_words(descriptor: &str) -> u32 {
    parameters(descriptor).map(|(_, kind)| kind.words()).sum()
}

/// Whether the text is a well-formed field descriptor.
pub fn is_field(descriptor: &str) -> bool {
    let bytes = descriptor.as_bytes();
    checked_field_end(bytes) == Some(bytes.len())
}

/// Whether the text is a well-formed method descriptor. The limit of 255 words is not looked at: it binds declarations.
pub fn is_method(descriptor: &str) -> bool {
    let Some(mut rest) = descriptor.as_bytes().strip_prefix(b"(") else {
        return false;
    };
    while let Some(end) = checked_field_end(rest) {
        rest = rest.get(end..).unwrap_or(&[]);
    }
    match rest.strip_prefix(b")") {
        Some(b"V") => true,
        Some(result) => checked_field_end(result) == Some(result.len()),
        None => false,
    }
}

/// Whether the text is the internal name of a class: parts with `/` between them, none empty, and none with `.`, `;` or `[`.
pub fn is_class_name(name: &str) -> bool {
    is_class_name_bytes(name.as_bytes())
}

fn is_class_name_bytes(name: &[u8]) -> bool {
    class_name_end(name) == Some(name.len())
}

/// Where a well-formed class name ends that is followed by `;` or by nothing.
fn class_name_end(bytes: &[u8]) -> Option<usize> {
    let mut previous = b'/';
    for (place, &byte) in bytes.iter().enumerate() {
        // Letters, nearly all there is, are above the marks except for `[`.
        if byte <= b';' || byte == b'[' {
            match byte {
                b'.' | b'[' => return None,
                b'/' if previous == b'/' => return None,
                b';' => return (previous != b'/').then_some(place),
                _ => {}
            }
        }
        previous = byte;
    }
    (previous != b'/').then_some(bytes.len())
}

/// Where the field descriptor at the start of `bytes` ends, without a look at class names.
fn field_end(bytes: &[u8]) -> Option<usize> {
    let dimensions = bytes.iter().take_while(|byte| **byte == b'[').count();
    match bytes.get(dimensions)? {
        b'L' => Some(bytes.iter().position(|byte| *byte == b';')? + 1),
        b'Z' | b'B' | b'C' | b'S' | b'I' | b'F' | b'J' | b'D' => Some(dimensions + 1),
        _ => None,
    }
}

/// The same with every rule: at most 255 dimensions and a well-formed class name.
#[inline]
fn checked_field_end(bytes: &[u8]) -> Option<usize> {
    let (mut dimensions, mut rest) = (0, bytes);
    while let [b'[', tail @ ..] = rest {
        (dimensions, rest) = (dimensions + 1, tail);
    }
    let (letter, tail) = rest.split_first()?;
    if dimensions > 255 {
        return None;
    }
    match letter {
        b'L' => {
            let end = class_name_end(tail)?;
            // The name must have ended at a `;`.
            (end < tail.len()).then_some(dimensions + end + 2)
        }
        b'Z' | b'B' | b'C' | b'S' | b'I' | b'F' | b'J' | b'D' => Some(dimensions + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_descriptors_are_told_from_other_text() {
        let deep = "[".repeat(255) + "I";
        let too_deep = "[".repeat(256) + "I";
        for (text, expected) in [
            ("I", true),
            ("Z", true),
            ("Ljava/lang/Object;", true),
            ("[[J", true),
            ("[La;", true),
            ("Lä/€;", true),
            (deep.as_str(), true),
            (too_deep.as_str(), false),
            ("", false),
            ("V", false),
            ("[", false),
            ("[V", false),
            ("L;", false),
            ("L", false),
            ("La", false),
            ("La;b", false),
            ("II", false),
            ("La.b;", false),
            ("La//b;", false),
            ("L/a;", false),
            ("La/;", false),
            ("L[a;", false),
            ("()V", false),
            ("Q", false),
        ] {
            assert_eq!(is_field(text), expected, "{text}");
        }
    }

    #[test]
    fn method_descriptors_are_told_from_other_text() {
        for (text, expected) in [
            ("()V", true),
            ("(I)I", true),
            ("(IJLa/b;[[D)[La;", true),
            ("", false),
            ("()", false),
            ("(V)V", false),
            ("(I", false),
            ("I)V", false),
            ("(I)VV", false),
            ("(L;)V", false),
            ("()[V", false),
            ("(I)(I)V", false),
        ] {
            assert_eq!(is_method(text), expected, "{text}");
        }
    }

    #[test]
    fn parameters_and_return_types_are_read_in_place() {
        use Kind::*;
        let all = |text| parameters(text).collect::<Vec<_>>();
        assert_eq!(
            all("(ZBCSIFJDLa;[[I[La;)V"),
            [
                ("Z", Boolean),
                ("B", Byte),
                ("C", Char),
                ("S", Short),
                ("I", Int),
                ("F", Float),
                ("J", Long),
                ("D", Double),
                ("La;", Reference),
                ("[[I", Reference),
                ("[La;", Reference),
            ]
        );
        for (text, words, result) in [
            ("()V", 0, None),
            ("(IJ)J", 3, Some(("J", Long))),
            ("(D[D)[La;", 3, Some(("[La;", Reference))),
            ("hello", 0, None),
            ("(Lü", 0, None),
            ("(I[", 1, None),
        ] {
            assert_eq!((argument_words(text), return_type(text)), (words, result), "{text}");
        }
    }
}
