//! What is lowered does what `java` does: programs written by hand for the corners, and random ones.

mod common;

use common::interpreter::{Interpreter, entries};
use common::{Folder, Hierarchy, Trusting, compile};
use program::classfile::ClassFile;
use program::ir::show;
use program::lower::lower;
use std::collections::HashMap;
use std::fmt::Write;
use std::process::Command;

const INPUTS: [i32; 6] = [0, 1, -1, 7, 300, -70000];

/// Runs every `static long m(int, int)` of `class` on all pairs of inputs here and under `java`, and compares. The
/// program prints a line for each call itself; see `MAIN`.
fn check(class: &str, source: &str) {
    let folder = Folder::new(class);
    let Some(files) = compile(&folder, &format!("{class}.java"), source) else {
        return;
    };
    let java = Command::new("java")
        .arg("-Xshare:auto")
        .arg("-cp")
        .arg(&folder.0)
        .arg(class)
        .output();
    let expected = match java {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => return eprintln!("skipped: no java ({error})"),
    };
    let actual = run(class, &files);
    for (ours, theirs) in actual.lines().zip(expected.lines()) {
        let name = theirs.split('(').next().unwrap_or("");
        assert_eq!(ours, theirs, "{}", listing(class, &files, name));
    }
    assert_eq!(actual.lines().count(), expected.lines().count());
    assert!(actual.lines().count() > 30, "nothing was run");
}

fn run(class: &str, files: &HashMap<String, ClassFile>) -> String {
    let mut hierarchy = Hierarchy::default();
    files.values().for_each(|file| hierarchy.add(file));
    for (name, parent) in [
        ("java/lang/Object", ""),
        ("java/lang/Throwable", "java/lang/Object"),
        ("java/lang/Exception", "java/lang/Throwable"),
        ("java/lang/RuntimeException", "java/lang/Exception"),
        ("java/lang/ArithmeticException", "java/lang/RuntimeException"),
        ("java/lang/NullPointerException", "java/lang/RuntimeException"),
        ("java/lang/ClassCastException", "java/lang/RuntimeException"),
        ("java/lang/IndexOutOfBoundsException", "java/lang/RuntimeException"),
        (
            "java/lang/ArrayIndexOutOfBoundsException",
            "java/lang/IndexOutOfBoundsException",
        ),
    ] {
        hierarchy.0.insert(name.to_owned(), (parent.to_owned(), false));
    }
    let mut out = String::new();
    for name in entries(&files[class]) {
        for a in INPUTS {
            for b in INPUTS {
                // A fresh machine each time: `java` resets the static fields, too.
                let mut interpreter = Interpreter::new(files, &hierarchy);
                let words = [a as u32, b as u32];
                let result = match interpreter.call(class, &name, "(II)J", &words) {
                    Ok(value) => (value as i64).to_string(),
                    Err(exception) => interpreter.class_of(exception).replace('/', "."),
                };
                assert!(interpreter.all_unlocked(), "{name}({a}, {b}) leaves a lock behind");
                let _ = writeln!(out, "{name}({a}, {b}) = {result}");
            }
        }
    }
    out
}

/// The lowered code of a method, for whoever has to find out what is wrong with it.
fn listing(class: &str, files: &HashMap<String, ClassFile>, name: &str) -> String {
    let file = &files[class];
    let method = file
        .methods
        .iter()
        .find(|method| file.pool.text(method.name) == name)
        .expect("a method");
    let code = lower(file, method, &Trusting).expect("code");
    show(Some(file), &format!("{class}.{name}(II)J"), &code)
}

/// Prints what every method gives. Methods are called in the order of the class file, which is that of the source.
fn with_main(class: &str, body: &str) -> String {
    let mut calls = String::new();
    for line in body.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("static long ")
            && let Some((name, parameters)) = rest.split_once('(')
            && parameters.starts_with("int a, int b)")
        {
            let _ = writeln!(
                calls,
                "        for (int a : in) for (int b : in) {{ reset(); String r; \
                 try {{ r = \"\" + {name}(a, b); }} catch (Throwable t) {{ r = t.getClass().getName(); }} \
                 System.out.println(\"{name}(\" + a + \", \" + b + \") = \" + r); }}"
            );
        }
    }
    format!(
        "public class {class} {{
{body}
    public static void main(String[] args) {{
        int[] in = {{ {} }};
{calls}    }}
}}
",
        INPUTS.map(|input| input.to_string()).join(", ")
    )
}

#[test]
fn corners_run_as_under_java() {
    check("Corners", &with_main("Corners", include_str!("lower_corners.txt")));
}

#[test]
fn random_programs_run_as_under_java() {
    // LOWER_SEEDS=100 for a long run.
    let seeds = std::env::var("LOWER_SEEDS")
        .ok()
        .and_then(|seeds| seeds.parse().ok())
        .unwrap_or(1u64);
    for seed in 1..=seeds {
        let class = format!("Random{seed}");
        let mut generator = Generator {
            state: 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed),
            depth: 0,
        };
        let mut body = String::from(
            "    static int f; static long g; static byte p; static char q; static short s; static boolean z;
    static void reset() { f = 0; g = 0; p = 0; q = 0; s = 0; z = false; }
    static int id(int a, int b) { return a * 31 + b; }
    static long wide(long a, int b) { return a - b; }
    static boolean odd(int a) { return (a & 1) != 0; }
    static byte low(int a) { byte r = (byte) a; if (r > 5) return (byte) (r + 300); return r; }
    static char chr(int a) { return (char) (a + 1); }
",
        );
        for method in 0..25 {
            generator.method(method, &mut body);
        }
        check(&class, &with_main(&class, &body));
    }
}

/// Makes random methods out of everything that has made trouble in a translation from stack to registers.
struct Generator {
    state: u64,
    depth: u32,
}

impl Generator {
    fn pick(&mut self, below: u32) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 33) as u32) % below
    }

    fn method(&mut self, number: u32, out: &mut String) {
        let _ = writeln!(out, "    static long m{number}(int a, int b) {{");
        out.push_str("        int c = a ^ b, d = 3; long k = a, l = b * 5L; int[] x = { a, b, 1, 2 }; long[] y = { k, l, 3, 4 }; boolean t = a < b;\n");
        for _ in 0..4 {
            self.depth = 0;
            let statement = self.statement(2);
            let _ = writeln!(out, "        {statement}");
        }
        out.push_str("        return a + 3L * b + 5L * c + 7L * d + 11 * k + 13 * l + 17 * f + 19 * g + 23 * p + 29 * q + 31 * s + (z ? 1 : 2) + (t ? 4 : 8)\n");
        out.push_str(
            "            + x[0] + 3L * x[1] + 7L * x[2] + 9L * x[3] + y[0] + 3 * y[1] + 5 * y[2] + 7 * y[3];\n    }\n",
        );
    }

    fn int(&mut self) -> String {
        self.depth += 1;
        if self.depth > 5 || self.pick(4) == 0 {
            self.depth -= 1;
            return ["a", "b", "c", "d", "f", "p", "q", "s", "0", "1", "-3", "70000", "x[1]"][self.pick(13) as usize]
                .to_owned();
        }
        let text = match self.pick(22) {
            0..=3 => {
                let op = ["+", "-", "*", "&", "|", "^", "<<", ">>", ">>>"][self.pick(9) as usize];
                format!("({} {op} {})", self.int(), self.int())
            }
            4 => format!(
                "({} / {})",
                self.int(),
                ["2", "-7", "3", "(d | 1)", "c"][self.pick(5) as usize]
            ),
            5 => format!(
                "({} % {})",
                self.int(),
                ["2", "-7", "10", "(b | 1)"][self.pick(4) as usize]
            ),
            6 | 7 => format!("({} = {})", self.variable(), self.int()),
            8 => format!("{}++", self.place()),
            9 => format!("--{}", self.place()),
            10 => format!("({} += {})", self.place(), self.int()),
            11 => format!("x[{} & 3]", self.int()),
            12 => format!("(x[{} & 3] = {})", self.int(), self.int()),
            13..=15 => format!("({} ? {} : {})", self.condition(), self.int(), self.int()),
            16 => format!("(int) {}", self.long()),
            17 => format!("id({}, {})", self.int(), self.int()),
            18 => format!("low({})", self.int()),
            19 => format!("chr({})", self.int()),
            20 => format!("-({})", self.int()),
            _ => format!("({} + x.length)", self.int()),
        };
        self.depth -= 1;
        text
    }

    fn long(&mut self) -> String {
        self.depth += 1;
        if self.depth > 5 || self.pick(4) == 0 {
            self.depth -= 1;
            return ["k", "l", "g", "5L", "0L", "4000000000L", "y[2]", "(long) a"][self.pick(8) as usize].to_owned();
        }
        let text = match self.pick(10) {
            0 | 1 => {
                let op = ["+", "-", "*", "&", "|", "^"][self.pick(6) as usize];
                format!("({} {op} {})", self.long(), self.long())
            }
            2 => format!(
                "({} {} {})",
                self.long(),
                ["<<", ">>", ">>>"][self.pick(3) as usize],
                self.int()
            ),
            3 => format!("({} = {})", ["k", "l", "g"][self.pick(3) as usize], self.long()),
            4 => format!("{}++", ["k", "l", "g", "y[a & 3]"][self.pick(4) as usize]),
            5 => format!("(y[{} & 3] += {})", self.int(), self.long()),
            6 => format!("({} ? {} : {})", self.condition(), self.long(), self.long()),
            7 => format!("wide({}, {})", self.long(), self.int()),
            8 => format!("({} + {})", self.int(), self.long()),
            _ => format!("({} / 7L)", self.long()),
        };
        self.depth -= 1;
        text
    }

    fn condition(&mut self) -> String {
        self.depth += 1;
        let text = match self.pick(9) {
            0..=2 => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.pick(6) as usize];
                format!("{} {op} {}", self.int(), self.int())
            }
            3 | 4 => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.pick(6) as usize];
                format!("{} {op} {}", self.long(), self.long())
            }
            5 if self.depth < 5 => format!("({} && {})", self.condition(), self.condition()),
            6 if self.depth < 5 => format!("({} || !({}))", self.condition(), self.condition()),
            7 if self.depth < 5 => format!("({} = {})", ["z", "t"][self.pick(2) as usize], self.condition()),
            _ => ["z", "t", "odd(a)", "odd(c)"][self.pick(4) as usize].to_owned(),
        };
        self.depth -= 1;
        text
    }

    fn variable(&mut self) -> &'static str {
        ["a", "b", "c", "d", "f"][self.pick(5) as usize]
    }

    fn place(&mut self) -> &'static str {
        ["a", "b", "c", "d", "f", "p", "q", "s", "x[b & 3]", "x[2]"][self.pick(10) as usize]
    }

    fn statement(&mut self, nesting: u32) -> String {
        let simple = match self.pick(4) {
            0 => format!("{} = {};", self.variable(), self.int()),
            1 => format!("k = {};", self.long()),
            2 => format!("t = {};", self.condition()),
            _ => format!(
                "x[{}] = {};",
                ["a", "b", "1", "c & 3"][self.pick(4) as usize],
                self.int()
            ),
        };
        if nesting == 0 {
            return simple;
        }
        let i = format!("i{nesting}{}", self.pick(1000));
        let less = nesting - 1;
        match self.pick(8) {
            0 => format!(
                "if ({}) {{ {} }} else {{ {} }}",
                self.condition(),
                self.statement(less),
                self.statement(less)
            ),
            1 => format!(
                "for (int {i} = 0; {i} < 4; {i}++) {{ {} if ({}) continue; {} }}",
                self.statement(less),
                self.condition(),
                self.statement(less)
            ),
            2 => format!(
                "switch ({} & 7) {{ case 1: {} case 2: {} break; default: {} }}",
                self.int(),
                self.statement(less),
                self.statement(less),
                self.statement(less)
            ),
            3 => format!(
                "try {{ {} {} }} catch (RuntimeException e{i}) {{ {} }}",
                self.statement(less),
                self.statement(less),
                self.statement(less)
            ),
            4 => format!(
                "try {{ {} if ({}) return {}; {} }} finally {{ {} }}",
                self.statement(less),
                self.condition(),
                self.long(),
                self.statement(less),
                self.statement(less)
            ),
            5 => format!(
                "int {i} = 0; while ({} && {i}++ < 5) {{ {} }}",
                self.condition(),
                self.statement(less)
            ),
            6 => format!(
                "synchronized (x) {{ {} {} }}",
                self.statement(less),
                self.statement(less)
            ),
            _ => format!("{simple} {}", self.statement(less)),
        }
    }
}
