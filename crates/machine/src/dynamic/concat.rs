//! String concatenation: `StringConcatFactory` without its method handles.
//!
//! Strings, ints, longs, chars and booleans are put together natively. What needs Java code to become a string —
//! objects, floats and doubles — becomes one first, from left to right, in a method of the machine's own.

use super::bootstrap::Site;
use super::{form, native_link};
use crate::assemble::Assembler;
use crate::heap::ARRAY_BASE;
use crate::interpret::{Exit, Next};
use crate::link;
use crate::machine::{Machine, Trap, raise};
use crate::memory::Address;
use program::classfile::Constant;
use program::descriptor::{self, Kind};
use program::ir::{Call, CallKind, Code, Instr, Reg, RegisterKind};
use program::world::MethodId;
use serde::{Deserialize, Serialize};

const STRING: &str = "Ljava/lang/String;";

/// A part of a concatenated string; numbers are positions of argument words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Piece {
    Text(Vec<u16>),
    String(u16),
    Int(u16),
    Long(u16),
    Char(u16),
    Boolean(u16),
}

/// How a string is put together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pieces: Vec<Piece>,
}

impl Recipe {
    /// Adds text, joined to what precedes it.
    pub(super) fn text(&mut self, units: impl IntoIterator<Item = u16>) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.extend(units),
            _ => self.pieces.push(Piece::Text(units.into_iter().collect())),
        }
    }

    /// Adds the value whose first word is the argument at a position.
    fn value(&mut self, position: u16, kind: Kind) {
        self.pieces.push(match kind {
            Kind::Boolean => Piece::Boolean(position),
            Kind::Char => Piece::Char(position),
            Kind::Long => Piece::Long(position),
            Kind::Byte | Kind::Short | Kind::Int => Piece::Int(position),
            Kind::Float | Kind::Double | Kind::Reference => Piece::String(position),
        });
    }
}

/// The recipe of a call and the registers that it takes, in code under construction.
#[derive(Default)]
pub(super) struct Concatenation {
    recipe: Recipe,
    operands: Vec<Reg>,
}

impl Concatenation {
    /// Adds text.
    pub(super) fn text(&mut self, text: &str) {
        self.recipe.text(text.encode_utf16());
    }

    /// Adds a value, which `stringifier` makes a string of if it is an object of a class other than `String`.
    pub(super) fn value(
        &mut self,
        machine: &Machine<'_>,
        assembler: &mut Assembler,
        reg: Reg,
        text: &str,
        stringifier: (&str, &str),
    ) -> Result<(), Trap> {
        let Some(kind) = Kind::of(text) else { return Ok(()) };
        let position = self.operands.len() as u16;
        self.recipe.value(position, kind);
        if !needs_code(text) {
            self.operands.extend(super::convert::words(reg, kind));
            return Ok(());
        }
        let (class, name, parameter) = match kind {
            Kind::Float | Kind::Double => ("java/lang/String", "valueOf", text),
            _ => (stringifier.0, stringifier.1, "Ljava/lang/Object;"),
        };
        let method = machine.static_method(class, name, &format!("({parameter})Ljava/lang/String;"))?;
        let string = assembler.register(RegisterKind::Ref);
        assembler.call_static(method, &super::convert::words(reg, kind), Some(string));
        self.operands.push(string);
        Ok(())
    }

    /// Adds the instructions that concatenate and return.
    pub(super) fn finish(self, machine: &Machine<'_>, assembler: &mut Assembler) {
        let result = assembler.register(RegisterKind::Ref);
        let number = machine.shared.sites.recipe_number(self.recipe);
        assembler.call_filled(
            CallKind::Dynamic,
            native_link(form::CONCAT, number),
            &self.operands,
            Some(result),
        );
        assembler.push(Instr::Return { s: result });
    }
}

/// Whether it takes Java code to make a string of a value.
fn needs_code(text: &str) -> bool {
    match Kind::of(text) {
        Some(Kind::Float | Kind::Double) => true,
        Some(Kind::Reference) => text != STRING,
        _ => false,
    }
}

/// The constant parts of a concatenated string, and between them `None` for each argument. `None` altogether if there
/// is a constant that takes Java code to become a string.
fn parts(site: &Site<'_>, has_recipe: bool, arguments: usize) -> Option<Vec<Option<Vec<u16>>>> {
    if !has_recipe {
        return Some(vec![None; arguments]);
    }
    let Constant::String(recipe) = site.argument(0) else {
        return None;
    };
    let mut parts: Vec<Option<Vec<u16>>> = Vec::new();
    let mut constants = 1;
    for unit in site.pool.units(recipe) {
        let text: Vec<u16> = match unit {
            1 => {
                parts.push(None);
                continue;
            }
            2 => {
                constants += 1;
                match site.argument(constants - 1) {
                    Constant::String(text) => site.pool.units(text).collect(),
                    Constant::Integer(value) => value.to_string().encode_utf16().collect(),
                    Constant::Long(value) => value.to_string().encode_utf16().collect(),
                    _ => return None,
                }
            }
            unit => vec![unit],
        };
        match parts.last_mut() {
            Some(Some(last)) => last.extend(text),
            _ => parts.push(Some(text)),
        }
    }
    Some(parts)
}

impl<'p> Machine<'p> {
    /// The link of a call site that concatenates.
    pub(super) fn concatenation(&mut self, site: &Site<'p>, has_recipe: bool) -> Result<Option<u64>, Trap> {
        let parameters: Vec<_> = descriptor::parameters(site.descriptor).collect();
        let is_string = descriptor::return_type(site.descriptor).is_some_and(|(text, _)| text == STRING);
        let Some(parts) = parts(site, has_recipe, parameters.len()) else {
            return Ok(None);
        };
        let placed = parts.iter().filter(|part| part.is_none()).count();
        if !is_string || placed != parameters.len() {
            return Ok(None);
        }
        if parameters.iter().any(|(text, _)| needs_code(text)) {
            let method = self.concatenating_method(&parameters, parts)?;
            return Ok(Some(link::call(link::STATIC, method)));
        }
        let mut recipe = Recipe::default();
        let mut position = 0;
        let mut kinds = parameters.iter().map(|&(_, kind)| kind);
        for part in parts {
            match part {
                Some(text) => recipe.text(text),
                None => {
                    let kind = kinds.next().unwrap_or(Kind::Reference);
                    recipe.value(position, kind);
                    position += kind.words() as u16;
                }
            }
        }
        Ok(Some(native_link(form::CONCAT, self.shared.sites.recipe_number(recipe))))
    }

    /// A static method that makes strings of its arguments and concatenates them.
    fn concatenating_method(
        &mut self,
        parameters: &[(&str, Kind)],
        parts: Vec<Option<Vec<u16>>>,
    ) -> Result<MethodId, Trap> {
        let shape: String = parameters
            .iter()
            .map(|&(text, kind)| if text == STRING { 'T' } else { kind.letter() })
            .collect();
        let name = format!("concat({shape}){parts:?}");
        if let Some(known) = self.shared.sites.method(&name) {
            return Ok(known);
        }
        let kinds: Vec<_> = parameters.iter().map(|&(_, kind)| crate::register_kind(kind)).collect();
        let mut assembler = Assembler::new(&kinds);
        let mut concatenation = Concatenation::default();
        let mut reg: Reg = 0;
        let mut next = parameters.iter();
        for part in parts {
            match part {
                Some(text) => concatenation.recipe.text(text),
                None => {
                    let Some(&(text, kind)) = next.next() else { break };
                    let stringifier = ("java/lang/StringConcatHelper", "stringOf");
                    concatenation.value(self, &mut assembler, reg, text, stringifier)?;
                    reg += kind.words() as Reg;
                }
            }
        }
        concatenation.finish(self, &mut assembler);
        let text: String = parameters.iter().map(|&(text, _)| text).collect();
        let made = assembler.finish(self.program, self.known.object, "concat", &format!("({text}){STRING}"))?;
        Ok(self.shared.sites.enter_method(name, made))
    }

    /// Concatenates by a recipe.
    pub(super) fn concatenate(&mut self, code: &Code, call: &Call, number: u32) -> Result<Next, Trap> {
        if self.run.is_collection_due(self.memory.top()) {
            return Ok(Next::Leave(Exit::Collect));
        }
        let Some(recipe) = self.shared.sites.recipe(number) else {
            return Err(Trap::Unsupported("a concatenation without a recipe".to_owned()));
        };
        let mut text = Text::default();
        for piece in &recipe.pieces {
            let word = |position: u16| self.argument(code, call, usize::from(position));
            match *piece {
                Piece::Text(ref units) => text.units(units.iter().copied()),
                Piece::String(position) => self.append(&mut text, word(position)),
                Piece::Int(position) => text.ascii(&(word(position) as i32).to_string()),
                Piece::Long(position) => {
                    let value = u64::from(word(position)) | u64::from(word(position + 1)) << 32;
                    text.ascii(&(value as i64).to_string());
                }
                Piece::Char(position) => text.units([word(position) as u16]),
                Piece::Boolean(position) => text.ascii(if word(position) & 1 == 1 { "true" } else { "false" }),
            }
        }
        let string = self.new_text(text)?;
        self.set_result(call, string);
        Ok(Next::Advance)
    }

    fn append(&self, text: &mut Text, string: Address) {
        if string == 0 {
            return text.ascii("null");
        }
        let value = self.memory.load(string + self.known.string_value);
        if value == 0 {
            return;
        }
        let bytes = self.byte_array(value);
        if self.memory.load(string + self.known.string_coder) & 0xff == 0 {
            text.latin(bytes);
        } else {
            text.units(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])));
        }
    }

    fn new_text(&mut self, text: Text) -> Result<Address, Trap> {
        let bytes = if text.is_wide {
            text.wide.iter().flat_map(|unit| unit.to_le_bytes()).collect()
        } else {
            text.narrow
        };
        let Ok(length) = i32::try_from(bytes.len()) else {
            return raise("java/lang/OutOfMemoryError", "Overflow: String length out of range");
        };
        let value = self.new_array(self.known.byte_array, length)?;
        self.memory.store_bytes(value, ARRAY_BASE, &bytes);
        let string = self.new_object(self.known.string)?;
        self.memory.poke(string + self.known.string_value, value);
        self.memory
            .poke(string + self.known.string_coder, u32::from(text.is_wide));
        Ok(string)
    }
}

/// Text under construction: a byte a unit until one does not fit.
#[derive(Default)]
struct Text {
    narrow: Vec<u8>,
    wide: Vec<u16>,
    is_wide: bool,
}

impl Text {
    fn ascii(&mut self, text: &str) {
        self.latin(text.as_bytes());
    }

    fn latin(&mut self, bytes: &[u8]) {
        if self.is_wide {
            self.wide.extend(bytes.iter().map(|&byte| u16::from(byte)));
        } else {
            self.narrow.extend_from_slice(bytes);
        }
    }

    fn units(&mut self, units: impl IntoIterator<Item = u16>) {
        for unit in units {
            if !self.is_wide {
                if let Ok(byte) = u8::try_from(unit) {
                    self.narrow.push(byte);
                    continue;
                }
                self.is_wide = true;
                self.wide = self.narrow.iter().map(|&byte| u16::from(byte)).collect();
            }
            self.wide.push(unit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_takes_a_byte_a_unit_until_one_does_not_fit() {
        let mut text = Text::default();
        text.ascii("a");
        text.units([0xe9]);
        assert!(!text.is_wide);
        assert_eq!(text.narrow, [b'a', 0xe9]);
        text.units([0x20ac, 0xd83d]);
        text.latin(&[0xff]);
        assert!(text.is_wide);
        assert_eq!(text.wide, [0x61, 0xe9, 0x20ac, 0xd83d, 0xff]);
    }

    #[test]
    fn constant_parts_of_a_recipe_are_joined() {
        let mut recipe = Recipe::default();
        recipe.text("a".encode_utf16());
        recipe.text("b".encode_utf16());
        recipe.value(0, Kind::Long);
        recipe.value(2, Kind::Byte);
        assert_eq!(
            recipe.pieces,
            [Piece::Text(vec![0x61, 0x62]), Piece::Long(0), Piece::Int(2)]
        );
    }
}
