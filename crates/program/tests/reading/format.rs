//! What the class file reader refuses, and what it says then: one draft of a class, changed in one place a case.

use program::bytes::Bytes;
use program::classfile::{ClassFile, FormatErrorKind, flags::*};

/// A class file in pieces. Constants 1 to 16 are those of [`draft`]; cases append theirs.
struct Draft {
    version: (u16, u16),
    constants: Vec<Vec<u8>>,
    flags: u16,
    this: u16,
    parent: u16,
    interfaces: Vec<u16>,
    fields: Vec<Vec<u8>>,
    methods: Vec<Vec<u8>>,
    attributes: Vec<Vec<u8>>,
    tail: Vec<u8>,
}

fn u2s(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

fn utf8(text: &str) -> Vec<u8> {
    [&[1][..], &u2s(&[text.len() as u16]), text.as_bytes()].concat()
}

fn tagged(tag: u8, values: &[u16]) -> Vec<u8> {
    [&[tag][..], &u2s(values)].concat()
}

fn attribute(name: u16, contents: &[u8]) -> Vec<u8> {
    [&u2s(&[name])[..], &(contents.len() as u32).to_be_bytes(), contents].concat()
}

fn member(flags: u16, name: u16, descriptor: u16, attributes: &[Vec<u8>]) -> Vec<u8> {
    [
        u2s(&[flags, name, descriptor, attributes.len() as u16]),
        attributes.concat(),
    ]
    .concat()
}

/// Code of `length` times `nop`, with these handlers and attributes.
fn code(locals: u16, length: u32, handlers: &[[u16; 4]], attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = u2s(&[1, locals]);
    bytes.extend(length.to_be_bytes());
    bytes.resize(bytes.len() + length as usize, 0);
    bytes.extend(u2s(&[handlers.len() as u16]));
    bytes.extend(handlers.iter().flat_map(|row| u2s(row)));
    bytes.extend(u2s(&[attributes.len() as u16]));
    bytes.extend(attributes.concat());
    attribute(CODE, &bytes)
}

const CODE: u16 = 7;
const CONSTANT_VALUE: u16 = 8;
const LINES: u16 = 14;
const LOCALS: u16 = 15;
const EMPTY: u16 = 16;

fn draft() -> Draft {
    let constants = vec![
        utf8("A"),
        tagged(7, &[1]),
        utf8("java/lang/Object"),
        tagged(7, &[3]),
        utf8("m"),
        utf8("()V"),
        utf8("Code"),
        utf8("ConstantValue"),
        utf8("I"),
        vec![3, 0, 0, 0, 7],
        utf8("[I"),
        tagged(7, &[11]),
        tagged(12, &[5, 6]),
        utf8("LineNumberTable"),
        utf8("LocalVariableTable"),
        utf8(""),
    ];
    Draft {
        version: (61, 0),
        constants,
        flags: SUPER,
        this: 2,
        parent: 4,
        interfaces: vec![],
        fields: vec![],
        methods: vec![],
        attributes: vec![],
        tail: vec![],
    }
}

impl Draft {
    /// Appends a constant and gives its index.
    fn constant(&mut self, bytes: Vec<u8>) -> u16 {
        self.constants.push(bytes);
        self.constants.len() as u16
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = 0xCAFE_BABE_u32.to_be_bytes().to_vec();
        bytes.extend(u2s(&[self.version.1, self.version.0, self.constants.len() as u16 + 1]));
        bytes.extend(self.constants.concat());
        bytes.extend(u2s(&[self.flags, self.this, self.parent, self.interfaces.len() as u16]));
        bytes.extend(u2s(&self.interfaces));
        for table in [&self.fields, &self.methods, &self.attributes] {
            bytes.extend(u2s(&[table.len() as u16]));
            bytes.extend(table.concat());
        }
        bytes.extend(&self.tail);
        bytes
    }
}

/// Changes the draft and compares what the reader says of it with `expected`; "" means that it is content.
fn check(expected: &str, change: impl FnOnce(&mut Draft)) {
    let mut draft = draft();
    change(&mut draft);
    match ClassFile::parse(Bytes::from(draft.bytes())) {
        Ok(_) => assert_eq!(expected, "", "parsed, but should be refused"),
        Err(error) => assert_eq!(error.to_string(), format!("at byte {}: {expected}", error.offset)),
    }
}

#[test]
fn a_draft_reads_back() {
    check("", |_| {});
    let mut draft = draft();
    let value = attribute(CONSTANT_VALUE, &u2s(&[10]));
    draft.fields.push(member(STATIC | FINAL, 5, 9, &[value]));
    let lines = [
        attribute(LINES, &u2s(&[2, 3, 30, 1, 10])),
        attribute(LINES, &u2s(&[2, 1, 11, 0, 9])),
    ];
    let locals = attribute(LOCALS, &u2s(&[1, 0, 5, 5, 9, 1]));
    let attributes = [lines.concat(), locals];
    let mut body = code(2, 5, &[[0, 5, 4, 0]], &[]);
    // Three attributes in two pieces: set their count and the length of the whole by hand.
    let extra = attributes.concat();
    let at = body.len() - 1;
    body[at] = 3;
    body.extend(&extra);
    let length = (body.len() - 6) as u32;
    body[2..6].copy_from_slice(&length.to_be_bytes());
    draft.methods.push(member(0, 5, 6, &[body]));
    let file = ClassFile::parse(Bytes::from(draft.bytes())).expect("a good class");
    assert_eq!(file.pool.class_name(file.super_class), "java/lang/Object");
    assert_eq!(file.fields[0].constant_value, Some(10));
    let code = file.methods[0].code.as_ref().expect("code");
    assert_eq!(&file.bytes[code.code.clone()], &[0; 5]);
    assert_eq!(code.lines, [(0, 9), (1, 10), (1, 11), (3, 30)]);
    let found: Vec<_> = (0..6).map(|bci| code.line(bci)).collect();
    assert_eq!(found, [Some(9), Some(10), Some(11), Some(30), Some(30), Some(30)]);
    assert_eq!((code.locals[0].slot, file.pool.text(code.locals[0].name)), (1, "m"));
}

#[test]
fn versions_are_told_apart() {
    check("", |draft| draft.version = (45, 3));
    check("", |draft| draft.version = (69, 65535));
    for (version, expected) in [
        (
            (44, 0),
            "class file version 44 is older than any Java's, the oldest is 45",
        ),
        ((69, 1), "class file version 69.1 does not exist, only .0 and .65535 do"),
        (
            (70, 0),
            "class file version 70 (Java 26) is newer than this Raddle understands (69, Java 25); compile with --release \
             25 or less",
        ),
    ] {
        check(expected, |draft| draft.version = version);
        let mut draft = draft();
        draft.version = version;
        let error = ClassFile::parse(Bytes::from(draft.bytes())).expect_err(expected);
        assert_eq!(error.kind, FormatErrorKind::Version);
    }
}

#[test]
fn constants_must_fit_together() {
    check("unknown constant tag 2 for constant 17", |draft| {
        _ = draft.constant(vec![2])
    });
    check("Long constant has no room for its second slot", |draft| {
        _ = draft.constant(vec![5; 9])
    });
    check("Utf8 constant is not in modified UTF-8", |draft| {
        _ = draft.constant(vec![1, 0, 1, 0])
    });
    check("constant tag 17 needs class file version 55, this is 52", |draft| {
        draft.version = (52, 0);
        draft.constant(tagged(17, &[0, 13]));
    });
    for (constant, expected) in [
        (
            tagged(7, &[2]),
            "constant 17 (Class): refers to constant 2, which is Class instead of Utf8",
        ),
        (
            tagged(7, &[99]),
            "constant 17 (Class): refers to constant 99, which is unusable instead of Utf8",
        ),
        (tagged(7, &[16]), "constant 17 (Class): \"\" is not a class name"),
        (
            tagged(8, &[0]),
            "constant 17 (String): refers to constant 0, which is unusable instead of Utf8",
        ),
        (
            tagged(12, &[5, 5]),
            "constant 17 (NameAndType): \"m\" is not a field descriptor",
        ),
        (
            tagged(12, &[16, 9]),
            "constant 17 (NameAndType): \"\" is not a field name",
        ),
        (
            tagged(9, &[2, 13]),
            "constant 17 (Fieldref): field m has the method descriptor ()V",
        ),
        (
            tagged(10, &[1, 13]),
            "constant 17 (Methodref): refers to constant 1, which is Utf8 instead of Class",
        ),
        (
            tagged(11, &[2, 2]),
            "constant 17 (InterfaceMethodref): refers to constant 2, which is Class instead of NameAndType",
        ),
        (
            tagged(16, &[9]),
            "constant 17 (MethodType): \"I\" is not a method descriptor",
        ),
        (
            vec![15, 0, 0, 13],
            "constant 17 (MethodHandle): reference kind 0 is not one of 1 to 9",
        ),
        (
            vec![15, 6, 0, 13],
            "constant 17 (MethodHandle): kind 6 cannot refer to constant 13, which is NameAndType",
        ),
        (
            tagged(18, &[0, 13]),
            "a constant asks for bootstrap method 0, but there are 0",
        ),
    ] {
        check(expected, |draft| _ = draft.constant(constant));
    }
    check(
        "constant 18 (MethodHandle): kind 8 cannot refer to a method named m",
        |draft| {
            let method = draft.constant(tagged(10, &[2, 13]));
            draft.constant([vec![15, 8], u2s(&[method])].concat());
        },
    );
    check("constant 19 (Methodref): method <clinit> cannot be called", |draft| {
        let name = draft.constant(utf8("<clinit>"));
        let name_and_type = draft.constant(tagged(12, &[name, 6]));
        draft.constant(tagged(10, &[2, name_and_type]));
    });
}

#[test]
fn classes_must_be_sound() {
    check("6 bytes too many at the end of the class file", |draft| {
        draft.tail = vec![0; 6]
    });
    check("class A: the flags 0x0410 are not allowed", |draft| {
        draft.flags = FINAL | ABSTRACT
    });
    check("class A: java.lang.Object and only it has no superclass", |draft| {
        draft.parent = 0
    });
    check("class A: the array [I cannot be a superclass", |draft| {
        draft.parent = 12
    });
    check("the array [I cannot be the name of this class", |draft| draft.this = 12);
    check("constant 1 is Utf8 instead of Class", |draft| draft.this = 1);
    check("interface java/lang/Object is declared twice", |draft| {
        draft.interfaces = vec![4, 4]
    });
    check(
        "class A: an interface must have java.lang.Object as superclass, not A",
        |draft| {
            (draft.flags, draft.parent) = (INTERFACE | ABSTRACT, 2);
        },
    );
    check("attribute SourceFile stands there twice", |draft| {
        let name = draft.constant(utf8("SourceFile"));
        draft.attributes = vec![attribute(name, &u2s(&[1])); 2];
    });
    check("attribute SourceFile is 3 bytes long, 1 too many", |draft| {
        let name = draft.constant(utf8("SourceFile"));
        draft.attributes = vec![attribute(name, &[0, 1, 0])];
    });
    check(
        "attribute Unknown is 4294967295 bytes long, more than there are",
        |draft| {
            let name = draft.constant(utf8("Unknown"));
            draft.attributes = vec![[u2s(&[name]), vec![0xFF; 4]].concat()];
        },
    );
    check("a class cannot have both NestHost and NestMembers", |draft| {
        let (host, members) = (draft.constant(utf8("NestHost")), draft.constant(utf8("NestMembers")));
        draft.attributes = vec![attribute(host, &u2s(&[2])), attribute(members, &u2s(&[1, 2]))];
    });
    check("A cannot be an inner class of itself", |draft| {
        let name = draft.constant(utf8("InnerClasses"));
        draft.attributes = vec![attribute(name, &u2s(&[1, 2, 2, 0, 0]))];
    });
    check("a final class cannot have permitted subclasses", |draft| {
        draft.flags |= FINAL;
        let name = draft.constant(utf8("PermittedSubclasses"));
        draft.attributes = vec![attribute(name, &u2s(&[0]))];
    });
}

#[test]
fn fields_must_be_sound() {
    let value = |index| attribute(CONSTANT_VALUE, &u2s(&[index]));
    for (field, expected) in [
        (member(0, 5, 9, &[]), ""),
        // An instance field's ConstantValue is ignored as HotSpot ignores it.
        (member(0, 5, 9, &[value(1)]), ""),
        (
            member(STATIC, 5, 9, &[value(1)]),
            "constant 1 is Utf8 instead of a value of the field's type",
        ),
        (
            member(STATIC, 5, 11, &[value(10)]),
            "constant 10 is Integer instead of a value of the field's type",
        ),
        (
            member(STATIC, 5, 9, &[value(10), value(10)]),
            "attribute ConstantValue stands there twice",
        ),
        (
            member(PUBLIC | PRIVATE, 5, 9, &[]),
            "field m cannot have the flags 0x0003",
        ),
        (member(0, 16, 9, &[]), "\"\" is not a field name"),
        (
            member(0, 5, 6, &[]),
            "field m has the descriptor \"()V\", which is not one of a field",
        ),
    ] {
        check(expected, |draft| draft.fields.push(field));
    }
    check("field m I is declared twice", |draft| {
        draft.fields = vec![member(0, 5, 9, &[]); 2]
    });
}

#[test]
fn methods_must_be_sound() {
    let plain = || code(1, 1, &[], &[]);
    for (method, expected) in [
        (member(0, 5, 6, &[plain()]), ""),
        (
            member(0, 5, 6, &[]),
            "method m()V: no code, though it is neither native nor abstract",
        ),
        (
            member(NATIVE, 5, 6, &[plain()]),
            "method m()V: a native or abstract method cannot have code",
        ),
        (
            member(ABSTRACT | FINAL, 5, 6, &[]),
            "method m()V: the flags 0x0410 are not allowed here",
        ),
        (
            member(0, 5, 9, &[plain()]),
            "method mI: \"I\" is not a method descriptor",
        ),
        (
            member(0, 5, 6, &[plain(), plain()]),
            "attribute Code stands there twice",
        ),
        (
            member(0, 5, 6, &[code(0, 1, &[], &[])]),
            "1 words of arguments do not fit into 0 local variables",
        ),
        (member(STATIC, 5, 6, &[code(0, 1, &[], &[])]), ""),
        (
            member(0, 5, 6, &[code(1, 0, &[], &[])]),
            "code is 0 bytes long, 1 to 65535 are allowed",
        ),
        (member(0, 5, 6, &[code(1, 65535, &[], &[])]), ""),
        (
            member(0, 5, 6, &[code(1, 65536, &[], &[])]),
            "code is 65536 bytes long, 1 to 65535 are allowed",
        ),
        (member(0, 5, 6, &[code(1, 4, &[[0, 4, 3, 4]], &[])]), ""),
        (
            member(0, 5, 6, &[code(1, 4, &[[0, 5, 3, 0]], &[])]),
            "exception handler from 0 to 5 at 3 is not inside 4 bytes of code",
        ),
        (
            member(0, 5, 6, &[code(1, 4, &[[2, 2, 3, 0]], &[])]),
            "exception handler from 2 to 2 at 3 is not inside 4 bytes of code",
        ),
        (
            member(0, 5, 6, &[code(1, 4, &[[0, 1, 1, 1]], &[])]),
            "constant 1 is Utf8 instead of Class",
        ),
        (
            member(0, 5, 6, &[code(1, 4, &[], &[attribute(LINES, &u2s(&[1, 4, 7]))])]),
            "line 7 begins at 4, outside 4 bytes of code",
        ),
        (
            member(
                0,
                5,
                6,
                &[code(1, 4, &[], &[attribute(LOCALS, &u2s(&[1, 2, 3, 5, 9, 0]))])],
            ),
            "local variable m: 3 bytes from 2 are not inside 4 bytes of code",
        ),
        (
            member(
                0,
                5,
                6,
                &[code(1, 4, &[], &[attribute(LOCALS, &u2s(&[1, 0, 4, 5, 9, 1]))])],
            ),
            "local variable m: slot 1 is not one of 1",
        ),
        (
            member(
                0,
                5,
                6,
                &[code(
                    1,
                    4,
                    &[],
                    &[attribute(LOCALS, &u2s(&[2, 0, 4, 5, 9, 0, 0, 4, 5, 9, 0]))],
                )],
            ),
            "local variable in slot 0 from 0 is listed twice",
        ),
        (member(0, EMPTY, 6, &[plain()]), "method ()V: this is not a method name"),
    ] {
        check(expected, |draft| draft.methods.push(method));
    }
    check(
        "a generic type for slot 0 from 0, where no local variable is",
        |draft| {
            let types = attribute(
                draft.constant(utf8("LocalVariableTypeTable")),
                &u2s(&[1, 0, 4, 5, 9, 0]),
            );
            let body = code(1, 4, &[], &[attribute(LOCALS, &u2s(&[1, 1, 2, 5, 9, 0])), types]);
            draft.methods.push(member(0, 5, 6, &[body]));
        },
    );
    check("method m ()V is declared twice", |draft| {
        draft.methods = vec![member(0, 5, 6, &[plain()]); 2]
    });
    check("method <init>()V: the flags 0x0001 are not allowed here", |draft| {
        draft.flags = INTERFACE | ABSTRACT;
        let name = draft.constant(utf8("<init>"));
        draft.methods.push(member(PUBLIC, name, 6, &[plain()]));
    });
    check("method <clinit>()V: the flags 0x0000 are not allowed here", |draft| {
        let name = draft.constant(utf8("<clinit>"));
        draft.methods.push(member(0, name, 6, &[plain()]));
    });
    check("", |draft| {
        draft.version = (50, 0);
        let name = draft.constant(utf8("<clinit>"));
        draft.methods.push(member(0, name, 6, &[code(0, 1, &[], &[])]));
    });
    for (words, expected) in [(127, ""), (128, "257 words of arguments, at most 255 are allowed")] {
        let descriptor = format!("({})V", "J".repeat(words));
        let expected = match expected {
            "" => String::new(),
            what => format!("method m{descriptor}: {what}"),
        };
        check(&expected, |draft| {
            let descriptor = draft.constant(utf8(&descriptor));
            draft.methods.push(member(0, 5, descriptor, &[code(300, 1, &[], &[])]));
        });
    }
}
