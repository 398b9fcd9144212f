//! Which names and access flags a class file may use (JVMS §4.2.2, §4.1, §4.5, §4.6).
//!
//! The names allowed since Java 5 are allowed in files of every version: before that they had to be Java identifiers, a
//! rule that protects nothing here.

use super::flags::*;
use crate::descriptor;

/// Whether a Class constant may have this name: a class's internal name or an array's descriptor.
pub(super) fn is_class(name: &str) -> bool {
    if name.starts_with('[') {
        descriptor::is_field(name)
    } else {
        descriptor::is_class_name(name)
    }
}

/// Whether a field, local variable or parameter may have this name.
pub(super) fn is_field(name: &str) -> bool {
    !name.is_empty() && !has(name, |byte| matches!(byte, b'.' | b';' | b'[' | b'/'))
}

/// Whether a method may have this name.
pub(super) fn is_method(name: &str) -> bool {
    match name {
        "<init>" | "<clinit>" => true,
        _ => !name.is_empty() && !has(name, |byte| matches!(byte, b'.' | b';' | b'[' | b'/' | b'<' | b'>')),
    }
}

/// Whether a byte of the text is one of those. Without an early end, so that it becomes vector code.
fn has(text: &str, one_of: impl Fn(u8) -> bool) -> bool {
    text.bytes().fold(false, |found, byte| found | one_of(byte))
}

/// Whether a class may have these flags.
pub(super) fn class_flags(flags: u16, major: u16) -> bool {
    let has = |bits: u16| flags & bits != 0;
    // Interfaces of files before Java 6 are abstract without saying so.
    let is_abstract = has(ABSTRACT) || (has(INTERFACE) && major < 50);
    let modern = major >= 49;
    !(is_abstract && has(FINAL)
        || has(INTERFACE) && !is_abstract
        || has(INTERFACE) && modern && has(SUPER | ENUM)
        || !has(INTERFACE) && modern && has(ANNOTATION))
}

/// Whether a field may have these flags.
pub(super) fn field_flags(flags: u16, major: u16, in_interface: bool) -> bool {
    if in_interface {
        let enumeration = if major >= 49 { ENUM } else { 0 };
        flags & (PUBLIC | STATIC | FINAL) == PUBLIC | STATIC | FINAL
            && flags & (PRIVATE | PROTECTED | VOLATILE | TRANSIENT | enumeration) == 0
    } else {
        one_visibility(flags) && flags & (FINAL | VOLATILE) != FINAL | VOLATILE
    }
}

/// Whether a method other than a class initialiser may have these flags.
pub(super) fn method_flags(flags: u16, major: u16, in_interface: bool, is_constructor: bool) -> bool {
    let has = |bits: u16| flags & bits != 0;
    // From Java 17 on the flag means nothing.
    let strict = if major < 61 { STRICT } else { 0 };
    if in_interface {
        match major {
            52.. => {
                has(PUBLIC) != has(PRIVATE)
                    && !has(NATIVE | PROTECTED | FINAL | SYNCHRONIZED)
                    && !(has(ABSTRACT) && has(PRIVATE | STATIC | strict))
            }
            49.. => {
                flags & (PUBLIC | ABSTRACT) == PUBLIC | ABSTRACT
                    && !has(PRIVATE | PROTECTED | STATIC | FINAL | SYNCHRONIZED | NATIVE | STRICT)
            }
            _ => flags & (PUBLIC | ABSTRACT) == PUBLIC | ABSTRACT && !has(STATIC | FINAL | NATIVE),
        }
    } else if is_constructor {
        let bridge = if major >= 49 { BRIDGE } else { 0 };
        one_visibility(flags) && !has(STATIC | FINAL | SYNCHRONIZED | NATIVE | ABSTRACT | bridge)
    } else {
        let modern = if major >= 49 { SYNCHRONIZED | strict } else { 0 };
        one_visibility(flags) && !(has(ABSTRACT) && has(FINAL | NATIVE | PRIVATE | STATIC | modern))
    }
}

fn one_visibility(flags: u16) -> bool {
    (flags & (PUBLIC | PRIVATE | PROTECTED)).count_ones() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules_of_their_kind() {
        for (name, class, field, method) in [
            ("a", true, true, true),
            ("a/b", true, false, false),
            ("<init>", true, true, true),
            ("<other>", true, true, false),
            ("a b", true, true, true),
            ("ünï", true, true, true),
            ("", false, false, false),
            ("a.b", false, false, false),
            ("a;", false, false, false),
            ("/a", false, false, false),
            ("[I", true, false, false),
            ("[V", false, false, false),
            ("[La/b;", true, false, false),
        ] {
            assert_eq!(
                (is_class(name), is_field(name), is_method(name)),
                (class, field, method),
                "{name}"
            );
        }
    }

    #[test]
    fn flags_follow_the_rules_of_their_version() {
        for (flags, major, fine) in [
            (PUBLIC | SUPER, 61, true),
            (FINAL | ABSTRACT, 61, false),
            (INTERFACE | ABSTRACT, 61, true),
            (INTERFACE, 61, false),
            (INTERFACE, 49, true),
            (INTERFACE | ABSTRACT | SUPER, 61, false),
            (INTERFACE | ABSTRACT | SUPER, 48, true),
            (ANNOTATION, 61, false),
        ] {
            assert_eq!(class_flags(flags, major), fine, "class {flags:#x} {major}");
        }
        for (flags, interface, fine) in [
            (0, false, true),
            (PUBLIC | PRIVATE, false, false),
            (FINAL | VOLATILE, false, false),
            (PUBLIC | STATIC | FINAL, true, true),
            (PUBLIC | FINAL, true, false),
            (PUBLIC | STATIC | FINAL | TRANSIENT, true, false),
        ] {
            assert_eq!(field_flags(flags, 61, interface), fine, "field {flags:#x} {interface}");
        }
        for (flags, major, interface, constructor, fine) in [
            (PUBLIC, 61, false, false, true),
            (PUBLIC | PROTECTED, 61, false, false, false),
            (ABSTRACT | STATIC, 61, false, false, false),
            (ABSTRACT | SYNCHRONIZED, 61, false, false, false),
            (ABSTRACT | SYNCHRONIZED, 48, false, false, true),
            (ABSTRACT | STRICT, 60, false, false, false),
            (ABSTRACT | STRICT, 61, false, false, true),
            (STATIC, 61, false, true, false),
            (VARARGS, 61, false, true, true),
            (PUBLIC, 52, true, false, true),
            (PRIVATE, 52, true, false, true),
            (0, 52, true, false, false),
            (PUBLIC, 51, true, false, false),
            (PUBLIC | ABSTRACT, 51, true, false, true),
            (PUBLIC | FINAL, 61, true, false, false),
        ] {
            let found = method_flags(flags, major, interface, constructor);
            assert_eq!(found, fine, "method {flags:#x} {major} {interface} {constructor}");
        }
    }
}
