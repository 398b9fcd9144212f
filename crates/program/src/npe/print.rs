//! The words: what could not be done, and the expression that was null, read backwards from the instruction.

use super::Code;
use super::simulate::{Simulation, field_words};
use crate::classfile::flags;
use crate::descriptor;

/// How deep an expression is printed.
const MOST_DETAIL: u32 = 5;

/// How many parts an expression may have. HotSpot knows no limit, but it prints only what its verifier has seen.
const MOST_PARTS: u32 = 256;

/// How far below the top of the stack the reference lies that must not be null; `None` for an instruction without one and
/// for the call of a constructor.
pub(super) fn null_slot(code: &Code<'_>, bci: usize) -> Option<usize> {
    let (opcode, operand, _) = code.instruction(bci)?;
    Some(match opcode {
        // Array loads and stores: below the index, and the value to be stored.
        46..=53 => 1,
        79 | 81 | 83..=86 => 2,
        80 | 82 => 3,
        180 | 190 | 191 | 194 | 195 => 0,
        181 => field_words(code, code.u2(operand)?)? as usize,
        182 | 183 | 185 => {
            let (_, name, descriptor) = code.file.pool.member(code.u2(operand)?);
            if name == "<init>" || !descriptor.starts_with('(') {
                return None;
            }
            descriptor::argument_words(descriptor) as usize
        }
        _ => return None,
    })
}

/// Says what could not be done.
pub(super) fn failed_action(code: &Code<'_>, bci: usize, out: &mut String) -> Option<()> {
    const ELEMENTS: [&str; 8] = [
        "int",
        "long",
        "float",
        "double",
        "object",
        "byte/boolean",
        "char",
        "short",
    ];
    let (opcode, operand, _) = code.instruction(bci)?;
    let element = |first: u8| ELEMENTS.get(usize::from(opcode.checked_sub(first)?)).copied();
    match opcode {
        46..=53 => out.extend(["Cannot load from ", element(46)?, " array"]),
        79..=86 => out.extend(["Cannot store to ", element(79)?, " array"]),
        190 => out.push_str("Cannot read the array length"),
        191 => out.push_str("Cannot throw exception"),
        194 => out.push_str("Cannot enter synchronized block"),
        195 => out.push_str("Cannot exit synchronized block"),
        180 | 181 => {
            let (_, name, _) = code.file.pool.member(code.u2(operand)?);
            let action = if opcode == 180 {
                "Cannot read field \""
            } else {
                "Cannot assign field \""
            };
            out.extend([action, name, "\""]);
        }
        182 | 183 | 185 => {
            out.push_str("Cannot invoke \"");
            method_name(code, code.u2(operand)?, out);
            out.push('"');
        }
        _ => return None,
    }
    Some(())
}

/// Says what was null, if that can be told.
pub(super) fn cause(code: &Code<'_>, stacks: &Simulation<'_>, bci: usize, slot: usize, out: &mut String) {
    let Some(source) = stacks.stack(bci).and_then(|stack| stack.source(slot)) else {
        return;
    };
    let is_call = matches!(code.u1(source), Some(182..=185));
    let mut expression = Expression {
        code,
        stacks,
        fuel: MOST_PARTS,
        text: String::new(),
    };
    if expression.print(bci, slot, MOST_DETAIL) {
        let introduction = if is_call {
            " because the return value of \""
        } else {
            " because \""
        };
        out.extend([introduction, &expression.text, "\" is null"]);
    }
}

/// An expression that is being printed.
struct Expression<'a> {
    code: &'a Code<'a>,
    stacks: &'a Simulation<'a>,
    /// How many more parts may be printed.
    fuel: u32,
    text: String,
}

impl Expression<'_> {
    /// Prints what is in a slot of the stack before `bci`; `false` if nothing was printed, as it is too deep or of a kind
    /// that is not printed.
    fn print(&mut self, bci: usize, slot: usize, detail: u32) -> bool {
        let (Some(deeper), Some(fuel)) = (detail.checked_sub(1), self.fuel.checked_sub(1)) else {
            return false;
        };
        self.fuel = fuel;
        let Some(source) = self.stacks.stack(bci).and_then(|stack| stack.source(slot)) else {
            return false;
        };
        let code = self.code;
        let Some((opcode, operand, wide)) = code.instruction(source) else {
            return false;
        };
        match opcode {
            1 => self.text.push_str("null"),
            2..=8 => self.text.push_str(&(i32::from(opcode) - 3).to_string()),
            16 => self
                .text
                .push_str(&code.u1(operand).unwrap_or(0).cast_signed().to_string()),
            17 => self
                .text
                .push_str(&code.u2(operand).unwrap_or(0).cast_signed().to_string()),
            21 | 25 => self.local(bci, source, code.local(operand, wide).unwrap_or(0)),
            26..=29 => self.local(bci, source, u16::from(opcode - 26)),
            42..=45 => self.local(bci, source, u16::from(opcode - 42)),
            46..=53 => {
                if !self.print(source, 1, deeper) {
                    self.text.push_str("<array>");
                }
                self.text.push('[');
                // An index does not count as deeper.
                if !self.print(source, 0, detail) {
                    self.text.push_str("...");
                }
                self.text.push(']');
            }
            178 => {
                let (class, name, _) = code.file.pool.member(code.u2(operand).unwrap_or(0));
                class_name(class, &mut self.text);
                self.text.extend([".", name]);
            }
            180 => {
                if self.print(source, 0, deeper) {
                    self.text.push('.');
                }
                self.text
                    .push_str(code.file.pool.member(code.u2(operand).unwrap_or(0)).1);
            }
            182..=185 => method_name(code, code.u2(operand).unwrap_or(0), &mut self.text),
            _ => return false,
        }
        true
    }

    /// Prints the name of a local variable that the instruction at `source` loads for the one at `bci`, or what stands for it
    /// without a table: a parameter counts as one as long as nothing was assigned to it before `bci`.
    fn local(&mut self, bci: usize, source: usize, local: u16) {
        let code = self.code;
        let covers = |start: u16, length: u16| {
            let start = usize::from(start);
            (start..start + usize::from(length)).contains(&source)
        };
        if let Some(row) = code
            .info
            .locals
            .iter()
            .find(|row| row.slot == local && covers(row.start, row.length))
        {
            self.text.push_str(code.file.pool.text(row.name));
            return;
        }
        let is_static = code.method.flags & flags::STATIC != 0;
        let unwritten = self.stacks.stack(bci).is_some_and(|stack| !stack.was_written(local));
        if unwritten && !is_static && local == 0 {
            self.text.push_str("this");
            return;
        }
        let mut first = u32::from(!is_static);
        for (number, (_, kind)) in descriptor::parameters(code.file.pool.text(code.method.descriptor)).enumerate() {
            let next = first + kind.words();
            if unwritten && (first..next).contains(&u32::from(local)) {
                self.text.push_str(&format!("<parameter{}>", number + 1));
                return;
            }
            first = next;
        }
        self.text.push_str(&format!("<local{local}>"));
    }
}

/// `Class.method(types)` of a Method constant.
fn method_name(code: &Code<'_>, index: u16, out: &mut String) {
    let (class, name, descriptor) = code.file.pool.member(index);
    class_name(class, out);
    out.extend([".", name, "("]);
    for (number, (parameter, _)) in descriptor::parameters(descriptor).enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        type_name(parameter, out);
    }
    out.push(')');
}

/// The name of a class with dots; the two that everybody knows without their package.
fn class_name(name: &str, out: &mut String) {
    match name {
        "java/lang/Object" => out.push_str("Object"),
        "java/lang/String" => out.push_str("String"),
        _ => out.push_str(&name.replace('/', ".")),
    }
}

/// A field descriptor as it is written in a program.
fn type_name(descriptor: &str, out: &mut String) {
    let element = descriptor.trim_start_matches('[');
    match element {
        "Z" => out.push_str("boolean"),
        "B" => out.push_str("byte"),
        "C" => out.push_str("char"),
        "S" => out.push_str("short"),
        "I" => out.push_str("int"),
        "F" => out.push_str("float"),
        "J" => out.push_str("long"),
        "D" => out.push_str("double"),
        _ => {
            let name = element.strip_prefix('L').unwrap_or(element);
            let name = name.strip_suffix(';').unwrap_or(name).replace('/', ".");
            // Among parameters HotSpot shortens whatever begins like the two well-known names, so StringBuilder too.
            let shortened = name
                .strip_prefix("java.lang.")
                .filter(|name| name.starts_with("Object") || name.starts_with("String"));
            out.push_str(shortened.unwrap_or(&name));
        }
    }
    for _ in element.len()..descriptor.len() {
        out.push_str("[]");
    }
}
