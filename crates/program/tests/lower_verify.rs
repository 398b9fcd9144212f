//! What a verifier rejects is rejected, and why; what it accepts, subroutines included, is not.

mod common;

use common::assembler::{Assembler, Row};
use common::{Hierarchy, check_form};
use program::ir::{Instr, show};
use program::lower::{LowerErrorKind, lower};

/// The constants that the cases use, in this order from index 5 on: see `assemble`.
struct Constants {
    string: u16,
    long: u16,
    object_init: u16,
    other: u16,
    other_init: u16,
    own_int: u16,
    own_other: u16,
    other_field: u16,
    string_length: u16,
    takes_string: u16,
    run: u16,
    runtime: u16,
    init: u16,
    array: u16,
}

fn hierarchy() -> Hierarchy {
    let mut hierarchy = Hierarchy::default();
    for (name, parent, is_interface) in [
        ("java/lang/Object", "", false),
        ("java/lang/String", "java/lang/Object", false),
        ("java/lang/Throwable", "java/lang/Object", false),
        ("java/lang/RuntimeException", "java/lang/Throwable", false),
        ("java/lang/Runnable", "java/lang/Object", true),
        ("Case", "java/lang/Object", false),
        ("Other", "java/lang/Object", false),
    ] {
        hierarchy.0.insert(name.to_owned(), (parent.to_owned(), is_interface));
    }
    hierarchy
}

struct Case<'a> {
    what: &'a str,
    name: &'a str,
    descriptor: &'a str,
    is_static: bool,
    limits: (u16, u16),
    major: u16,
    /// What the message says; "" if the method is accepted.
    error: &'a str,
}

const PLAIN: Case<'static> = Case {
    what: "",
    name: "m",
    descriptor: "()V",
    is_static: true,
    limits: (4, 4),
    major: 49,
    error: "",
};

fn check(case: Case<'_>, code: impl Fn(&Constants) -> (Vec<u8>, Vec<Row>)) {
    let mut assembler = Assembler::new("Case", "java/lang/Object", case.major);
    let constants = Constants {
        string: assembler.string("text"),
        long: assembler.long(1 << 40),
        object_init: assembler.method_ref("java/lang/Object", "<init>", "()V"),
        other: assembler.class("Other"),
        other_init: assembler.method_ref("Other", "<init>", "()V"),
        own_int: assembler.field_ref("Case", "number", "I"),
        own_other: assembler.field_ref("Case", "object", "LOther;"),
        other_field: assembler.field_ref("Other", "number", "I"),
        string_length: assembler.method_ref("java/lang/String", "length", "()I"),
        takes_string: assembler.method_ref("Case", "takes", "(Ljava/lang/String;J)V"),
        run: assembler.interface_ref("java/lang/Runnable", "run", "()V"),
        runtime: assembler.class("java/lang/RuntimeException"),
        init: assembler.method_ref("Case", "<init>", "()V"),
        array: assembler.class("[[I"),
    };
    assembler.field(0, "number", "I");
    assembler.field(0, "object", "LOther;");
    let (code, rows) = code(&constants);
    let flags = if case.is_static { 0x9 } else { 0x1 };
    assembler.method(flags, case.name, case.descriptor, case.limits, &code, &rows);
    let file = assembler.parse();
    match lower(&file, &file.methods[0], &hierarchy()) {
        Ok(code) => {
            assert_eq!(
                "",
                case.error,
                "{} was accepted: {}",
                case.what,
                show(Some(&file), case.what, &code)
            );
            check_form(case.what, &code);
        }
        Err(error) => {
            assert!(!case.error.is_empty(), "{}: {error}", case.what);
            assert!(error.what.contains(case.error), "{}: {error}", case.what);
            assert!(
                matches!(error.kind, LowerErrorKind::Verify | LowerErrorKind::Format),
                "{}: {error:?}",
                case.what
            );
            assert!(error.method.starts_with("Case."), "{error:?}");
        }
    }
}

fn high(index: u16) -> u8 {
    (index >> 8) as u8
}

fn low(index: u16) -> u8 {
    index as u8
}

/// Cases of static methods without arguments.
fn plain(what: &str, error: &str, code: impl Fn(&Constants) -> Vec<u8>) {
    check(Case { what, error, ..PLAIN }, |constants| (code(constants), Vec::new()));
}

#[test]
fn stack_and_locals_keep_to_their_limits_and_types() {
    plain("nothing at all", "", |_| vec![177]);
    plain("stack underflow", "underflow", |_| vec![87, 177]);
    plain("stack overflow", "overflow", |_| vec![3, 3, 3, 3, 3, 177]);
    plain("an int as a reference", "bad type on operand stack", |_| {
        vec![4, 190, 87, 177]
    });
    plain("a reference as an int", "bad type on operand stack", |_| {
        vec![1, 4, 96, 87, 177]
    });
    plain("a float as an int", "bad type on operand stack", |_| {
        vec![11, 4, 96, 87, 177]
    });
    plain("half a long popped", "bad type on operand stack", |_| vec![9, 87, 177]);
    plain("a long split by swap", "bad type on operand stack", |_| {
        vec![9, 95, 88, 177]
    });
    plain("a long popped whole", "", |_| vec![9, 88, 177]);
    plain("an unset local", "bad type in local variable 0", |_| vec![26, 87, 177]);
    plain(
        "a long whose half was overwritten",
        "bad type in local variable 0",
        |_| vec![9, 63, 4, 60, 30, 88, 177],
    );
    plain("a local outside the frame", "local variable 4 is outside", |_| {
        vec![21, 4, 87, 177]
    });
    plain("a long outside the frame", "local variable 3 is outside", |_| {
        vec![9, 66, 177]
    });
    plain("iinc of a reference", "bad type in local variable 0", |_| {
        vec![1, 75, 132, 0, 1, 177]
    });
    plain("ldc of a long", "constant pool", |c| vec![18, low(c.long), 87, 177]);
    plain("ldc2_w of a long", "", |c| vec![20, high(c.long), low(c.long), 88, 177]);
    plain("ldc of a field", "constant pool", |c| vec![18, low(c.own_int), 87, 177]);
    plain("an int array read as bytes", "bad type on operand stack", |_| {
        vec![4, 188, 10, 3, 51, 87, 177]
    });
    plain("an int array read as ints", "", |_| vec![4, 188, 10, 3, 46, 87, 177]);
    plain("newarray of nothing", "newarray", |_| vec![4, 188, 3, 87, 177]);
    plain("more dimensions than the array has", "dimension", |c| {
        vec![4, 4, 4, 197, high(c.array), low(c.array), 3, 87, 177]
    });
    plain("as many dimensions as the array has", "", |c| {
        vec![4, 4, 197, high(c.array), low(c.array), 2, 87, 177]
    });
}

#[test]
fn control_stays_inside_and_agrees() {
    plain("falling off the end", "falling off", |_| vec![3, 87]);
    plain("falling off after a branch", "falling off", |_| vec![3, 153, 0, 3, 0]);
    plain("a jump into the middle", "not the start", |_| {
        vec![167, 0, 4, 17, 0, 177]
    });
    plain("a jump outside", "not the start", |_| vec![167, 0, 40, 177]);
    plain("a jump before the code", "before the code", |_| {
        vec![167, 0xFF, 0xF0, 177]
    });
    plain("an instruction cut off", "ends inside", |_| vec![177, 17, 0]);
    plain("no opcode", "no opcode", |_| vec![203, 177]);
    plain("different stack heights", "stack height", |_| {
        vec![3, 153, 0, 4, 4, 177]
    });
    plain("a loop that grows the stack", "stack height", |_| {
        vec![3, 167, 0xFF, 0xFF]
    });
    plain("different types on the stack", "mismatched", |_| {
        vec![3, 153, 0, 7, 4, 167, 0, 4, 11, 87, 177]
    });
    plain("a local that is int or float", "bad type in local", |_| {
        vec![3, 153, 0, 8, 4, 59, 167, 0, 5, 11, 67, 26, 87, 177]
    });
    plain("unreachable nonsense", "", |_| vec![177, 87, 177]);
    plain("switch keys out of order", "ascending", |_| {
        let mut code = vec![3, 171, 0, 0];
        for word in [27i32, 2, 5, 27, 4, 27] {
            code.extend_from_slice(&word.to_be_bytes());
        }
        code.push(177);
        code
    });
    plain("a switch", "", |_| {
        let mut code = vec![3, 170, 0, 0];
        for word in [23i32, 5, 6, 23, 23] {
            code.extend_from_slice(&word.to_be_bytes());
        }
        code.push(177);
        code
    });
    check(
        Case {
            what: "jsr in a new file",
            major: 51,
            error: "not allowed",
            ..PLAIN
        },
        |_| (vec![168, 0, 4, 177, 75, 169, 0], Vec::new()),
    );
    let rows = |start, end, target| move |c: &Constants| (vec![0, 177, 87, 177], vec![(start, end, target, c.runtime)]);
    check(
        Case {
            what: "a handler",
            ..PLAIN
        },
        rows(0, 1, 2),
    );
    check(
        Case {
            what: "a handler that catches an Other",
            error: "Throwable",
            ..PLAIN
        },
        |c| (vec![0, 177, 87, 177], vec![(0, 1, 2, c.other)]),
    );
    check(
        Case {
            what: "a handler into the middle",
            error: "not the start",
            ..PLAIN
        },
        |c| (vec![17, 0, 1, 87, 177, 87, 177], vec![(0, 3, 2, c.runtime)]),
    );
    check(
        Case {
            what: "a handler's local that not every way sets",
            error: "bad type in local",
            ..PLAIN
        },
        |_| (vec![4, 59, 177, 87, 26, 87, 177], vec![(0, 3, 3, 0)]),
    );
}

#[test]
fn members_get_what_their_descriptors_say() {
    let instance = Case {
        is_static: false,
        limits: (5, 5),
        ..PLAIN
    };
    let returns = |what, descriptor, error| Case {
        what,
        descriptor,
        error,
        ..PLAIN
    };
    check(returns("void returned as int", "()V", "wrong return type"), |_| {
        (vec![3, 172], Vec::new())
    });
    check(returns("an int returned as long", "()J", "wrong return type"), |_| {
        (vec![3, 172], Vec::new())
    });
    check(returns("a string returned as Other", "()LOther;", "bad type"), |c| {
        (vec![18, low(c.string), 176], Vec::new())
    });
    check(
        returns("a string returned as Runnable", "()Ljava/lang/Runnable;", ""),
        |c| (vec![18, low(c.string), 176], Vec::new()),
    );
    check(
        returns("a string returned as Object", "()Ljava/lang/Object;", ""),
        |c| (vec![18, low(c.string), 176], Vec::new()),
    );
    check(returns("null returned as Other", "()LOther;", ""), |_| {
        (vec![1, 176], Vec::new())
    });
    check(
        returns(
            "an array of arrays returned as array of Object",
            "()[Ljava/lang/Object;",
            "",
        ),
        |c| (vec![4, 4, 197, high(c.array), low(c.array), 2, 176], Vec::new()),
    );
    check(
        returns(
            "an array of ints returned as array of Object",
            "()[Ljava/lang/Object;",
            "bad type",
        ),
        |_| (vec![4, 188, 10, 176], Vec::new()),
    );
    check(
        Case {
            what: "a string stored in a field for Other",
            error: "bad type",
            ..instance
        },
        |c| {
            (
                vec![42, 18, low(c.string), 181, high(c.own_other), low(c.own_other), 177],
                Vec::new(),
            )
        },
    );
    check(
        Case {
            what: "an int stored in its field",
            ..instance
        },
        |c| (vec![42, 4, 181, high(c.own_int), low(c.own_int), 177], Vec::new()),
    );
    check(
        Case {
            what: "a field of another class",
            error: "bad type",
            ..instance
        },
        |c| {
            (
                vec![42, 180, high(c.other_field), low(c.other_field), 87, 177],
                Vec::new(),
            )
        },
    );
    check(
        Case {
            what: "a method of another class",
            error: "bad type",
            ..instance
        },
        |c| {
            (
                vec![42, 182, high(c.string_length), low(c.string_length), 87, 177],
                Vec::new(),
            )
        },
    );
    check(
        Case {
            what: "arguments in the wrong order",
            error: "bad type",
            ..instance
        },
        |c| {
            (
                vec![
                    42,
                    9,
                    18,
                    low(c.string),
                    182,
                    high(c.takes_string),
                    low(c.takes_string),
                    177,
                ],
                Vec::new(),
            )
        },
    );
    check(
        Case {
            what: "arguments as wanted",
            ..instance
        },
        |c| {
            (
                vec![
                    42,
                    18,
                    low(c.string),
                    9,
                    182,
                    high(c.takes_string),
                    low(c.takes_string),
                    177,
                ],
                Vec::new(),
            )
        },
    );
    check(
        Case {
            what: "an interface call on anything",
            ..instance
        },
        |c| (vec![42, 185, high(c.run), low(c.run), 1, 0, 177], Vec::new()),
    );
    check(
        Case {
            what: "an interface call with a wrong count",
            error: "count",
            ..instance
        },
        |c| (vec![42, 185, high(c.run), low(c.run), 2, 0, 177], Vec::new()),
    );
    check(
        Case {
            what: "a virtual call of an interface method",
            error: "constant pool",
            ..instance
        },
        |c| (vec![42, 182, high(c.run), low(c.run), 177], Vec::new()),
    );
    check(
        Case {
            what: "throwing a string",
            error: "bad type",
            ..PLAIN
        },
        |c| (vec![18, low(c.string), 191], Vec::new()),
    );
    check(
        Case {
            what: "special call of an unrelated class's method",
            error: "invokespecial",
            ..instance
        },
        |c| {
            (
                vec![
                    18,
                    low(c.string),
                    183,
                    high(c.string_length),
                    low(c.string_length),
                    87,
                    177,
                ],
                Vec::new(),
            )
        },
    );
}

#[test]
fn objects_are_initialised_once_and_before_use() {
    let constructor = Case {
        name: "<init>",
        is_static: false,
        ..PLAIN
    };
    plain("a new object", "", |c| {
        vec![
            187,
            high(c.other),
            low(c.other),
            89,
            183,
            high(c.other_init),
            low(c.other_init),
            87,
            177,
        ]
    });
    plain("a new object used too early", "bad type", |c| {
        vec![
            187,
            high(c.other),
            low(c.other),
            180,
            high(c.other_field),
            low(c.other_field),
            87,
            177,
        ]
    });
    plain("a new object initialised twice", "<init>", |c| {
        let (h, l) = (high(c.other_init), low(c.other_init));
        vec![187, high(c.other), low(c.other), 89, 89, 183, h, l, 183, h, l, 177]
    });
    plain("the wrong constructor", "wrong <init>", |c| {
        vec![187, high(c.other), low(c.other), 183, high(c.init), low(c.init), 177]
    });
    plain("a constructor called on a string", "<init>", |c| {
        vec![18, low(c.string), 183, high(c.object_init), low(c.object_init), 177]
    });
    plain("a constructor called virtually", "internal method", |c| {
        vec![1, 182, high(c.object_init), low(c.object_init), 177]
    });
    plain(
        "an object of an earlier round of the loop",
        "bad type in local variable 0",
        |c| {
            let (h, l) = (high(c.other_init), low(c.other_init));
            vec![
                1,
                75,
                187,
                high(c.other),
                low(c.other),
                42,
                87,
                75,
                3,
                153,
                0xFF,
                0xF9,
                42,
                183,
                h,
                l,
                177,
            ]
        },
    );
    check(
        Case {
            what: "a constructor",
            ..constructor
        },
        |c| (vec![42, 183, high(c.object_init), low(c.object_init), 177], Vec::new()),
    );
    check(
        Case {
            what: "a constructor that calls no other",
            error: "super()",
            ..constructor
        },
        |_| (vec![177], Vec::new()),
    );
    check(
        Case {
            what: "a constructor that calls two",
            error: "<init>",
            ..constructor
        },
        |c| {
            let (h, l) = (high(c.object_init), low(c.object_init));
            (vec![42, 183, h, l, 42, 183, h, l, 177], Vec::new())
        },
    );
    check(
        Case {
            what: "a constructor that calls a stranger's",
            error: "<init>",
            ..constructor
        },
        |c| (vec![42, 183, high(c.other_init), low(c.other_init), 177], Vec::new()),
    );
    check(
        Case {
            what: "this used before super()",
            error: "bad type",
            ..constructor
        },
        |c| {
            (
                vec![
                    42,
                    180,
                    high(c.own_int),
                    low(c.own_int),
                    87,
                    42,
                    183,
                    high(c.object_init),
                    low(c.object_init),
                    177,
                ],
                Vec::new(),
            )
        },
    );
    check(
        Case {
            what: "own field set before super()",
            ..constructor
        },
        |c| {
            let (h, l) = (high(c.object_init), low(c.object_init));
            (
                vec![42, 4, 181, high(c.own_int), low(c.own_int), 42, 183, h, l, 177],
                Vec::new(),
            )
        },
    );
    check(
        Case {
            what: "super() on one way only",
            error: "super()",
            ..constructor
        },
        |c| {
            (
                vec![3, 153, 0, 7, 42, 183, high(c.object_init), low(c.object_init), 177],
                Vec::new(),
            )
        },
    );
    check(
        Case {
            what: "super() in a try whose handler returns",
            error: "super()",
            ..constructor
        },
        |c| {
            (
                vec![42, 183, high(c.object_init), low(c.object_init), 177, 87, 177],
                vec![(0, 4, 5, 0)],
            )
        },
    );
    check(
        Case {
            what: "super() in a try whose handler throws",
            ..constructor
        },
        |c| {
            (
                vec![42, 183, high(c.object_init), low(c.object_init), 177, 191],
                vec![(0, 4, 5, 0)],
            )
        },
    );
}

#[test]
fn subroutines_are_copied() {
    // Two calls of one subroutine, around which local 1 has different types.
    check(
        Case {
            what: "two calls",
            limits: (2, 3),
            ..PLAIN
        },
        |_| {
            let code = vec![
                3, 60, // 0: istore_1
                168, 0, 14, // 2: jsr 16
                27, 87, // 5: iload_1, pop
                11, 68, // 7: fstore_1
                168, 0, 7, // 9: jsr 16
                35, 87, // 12: fload_1, pop
                177, 0, // 14
                77, 0, 169, 2, // 16: astore_2, nop, ret 2
            ];
            (code, Vec::new())
        },
    );
    check(
        Case {
            what: "ret on an int",
            error: "ret",
            ..PLAIN
        },
        |_| (vec![3, 59, 169, 0], Vec::new()),
    );
    // finally { if (x) continue; }: the subroutine is left by a jump and called again.
    check(
        Case {
            what: "a loop through a subroutine",
            ..PLAIN
        },
        |_| {
            let code = vec![
                168, 0, 4,   // 0: jsr 4
                177, // 3: return
                75,  // 4: astore_0
                3, 153, 0xFF, 0xFA, // 5: iconst_0, ifeq 0
                169, 0, // 9: ret 0
            ];
            (code, Vec::new())
        },
    );
}

#[test]
fn a_return_value_is_cut_to_its_type() {
    let mut assembler = Assembler::new("Case", "java/lang/Object", 49);
    assembler.method(0x9, "low", "(I)B", (1, 1), &[26, 172], &[]);
    assembler.method(0x9, "same", "(B)B", (1, 1), &[26, 172], &[]);
    assembler.method(0x9, "five", "()B", (1, 0), &[8, 172], &[]);
    let file = assembler.parse();
    let narrows: Vec<bool> = (0..3)
        .map(|at| {
            let code = lower(&file, &file.methods[at], &hierarchy()).expect("code");
            code.instrs
                .iter()
                .any(|instr| matches!(instr, Instr::IntToNarrow { .. }))
        })
        .collect();
    assert_eq!(narrows, [true, false, false]);
}
