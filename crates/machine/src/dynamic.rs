//! Constants and calls that are linked while the program runs: `ldc` of anything but numbers, `invokedynamic`,
//! `MethodHandle` and `VarHandle` calls.
//!
//! What linking decides by names alone is shared by all states ([`sites::Sites`]) and sits in the links of the code.
//! What it makes — objects — lies in memory, in the record of the site:
//!
//! | word | holds |
//! | --- | --- |
//! | 0 | 0: not linked; [`FAILED`]; [`LINKED`]; [`CALL_SITE`]; else the method to call |
//! | 1 | a reference: the value, the target, the extra argument of the method, the error |
//! | 2, 3 | a primitive value |
//!
//! Whatever takes Java code to link leaves through [`Trap::Before`]: a method of the machine's own runs the JDK's
//! linker and fills the record, then the instruction is tried again (`dynamic/adaptors.rs`). The bootstrap methods
//! that javac's output names are not run at all where what they would make can be made directly
//! (`dynamic/bootstrap.rs`).

mod adaptors;
mod bootstrap;
mod concat;
mod constants;
mod convert;
mod lambda;
mod polymorphic;
mod record;
pub(crate) mod sites;
mod switch;

use crate::interpret::Next;
use crate::layout::{SITE_WORDS, SITES, frame};
use crate::link;
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use program::ir::{Call, Code};
use program::world::{ClassId, Method};

/// State of a site's record: the value or target is there.
const LINKED: u32 = 1;
/// State of a site's record: the target is that of a `CallSite`, which may change.
const CALL_SITE: u32 = 2;
/// State of a site's record: linking failed for ever, with the error that is there.
const FAILED: u32 = u32::MAX;

/// What a dynamic call does, in bits 32 to 56 of its link. The low bits say with what.
mod form {
    /// Calls the target of the site whose number, plus one, is in the low bits.
    pub const SITE: u32 = 0;
    /// Makes a lambda object of this class from the captured values.
    pub const CAPTURE: u32 = 1;
    /// Gives the one lambda object of this class.
    pub const SINGLETON: u32 = 2;
    /// Concatenates by this recipe.
    pub const CONCAT: u32 = 3;
    /// Finds the label of a pattern switch that a value matches.
    pub const SWITCH: u32 = 4;
    /// Gives the `java.lang.Class` of this class.
    pub const MIRROR: u32 = 5;
}

/// The link of a dynamic call that needs no record.
fn native_link(form: u32, number: u32) -> u64 {
    link::dynamic(number) | u64::from(form) << 32
}

impl<'p> Machine<'p> {
    /// The value of a constant, and whether it takes two words.
    pub(crate) fn load_constant(&mut self, method: &'p Method, code: &'p Code, site: u32) -> Result<(u64, bool), Trap> {
        let site = &code.constants[site as usize];
        let filled = site.link.get();
        if filled == 0 {
            let filled = self.link_constant(self.program.class(method.class), site.index)?;
            site.link.set(filled);
            return self.linked_constant(filled, method, site.index);
        }
        self.linked_constant(filled, method, site.index)
    }

    /// Links a dynamic call site: to what can be made directly, or to a record.
    #[cold]
    pub(crate) fn link_dynamic(&mut self, method: &'p Method, code: &Code, number: u32) -> Result<(), Trap> {
        let site = &code.calls[number as usize];
        let filled = match self.well_known(method, site, number)? {
            Some(filled) => filled,
            None => link::dynamic(self.site(method.id.0, number)? + 1),
        };
        site.link.set(filled);
        Ok(())
    }

    /// Carries out a dynamic call.
    pub(crate) fn call_dynamic(&mut self, method: &'p Method, code: &'p Code, site: u32) -> Result<Next, Trap> {
        let call = &code.calls[site as usize];
        let link = call.link.get();
        let number = link as u32;
        let value = match link::middle(link) {
            form::SITE => return self.call_site(method, code, call, number.wrapping_sub(1)),
            form::CAPTURE => return self.capture(code, call, ClassId(number)),
            form::SINGLETON => return self.singleton(call, ClassId(number)),
            form::CONCAT => return self.concatenate(code, call, number),
            form::SWITCH => self.switch(code, call, number)?,
            form::MIRROR => self.mirror(ClassId(number))?,
            _ => return Err(Trap::Unsupported("a dynamic call of no known form".to_owned())),
        };
        self.set_result(call, value);
        Ok(Next::Advance)
    }

    /// Calls the target of a site, which is linked first if need be.
    fn call_site(&mut self, method: &'p Method, code: &'p Code, call: &Call, number: u32) -> Result<Next, Trap> {
        let record = SITES + number * SITE_WORDS;
        let object = self.memory.load(record + 1);
        let state = self.memory.load(record);
        match state {
            LINKED | CALL_SITE => {}
            FAILED => return Err(Trap::Throw(object)),
            _ => return Err(self.bootstrap(method, call, number)?),
        }
        let mut buffer = Buffer::default();
        buffer.push(object);
        self.push_arguments(code, call, &mut buffer);
        if state == LINKED {
            return self.invoke_basic(buffer.words(), u32::from(call.dest));
        }
        let adaptor = self.target_adaptor(self.site_descriptor(method, call))?;
        buffer.push(0);
        self.push_call(adaptor, buffer.words(), u32::from(call.dest))?;
        Ok(Next::Reload)
    }

    /// The words of a call's arguments, after those that `buffer` holds already.
    fn push_arguments(&self, code: &Code, call: &Call, buffer: &mut Buffer) {
        let first = call.first as usize;
        for &reg in &code.operands[first..first + usize::from(call.count)] {
            buffer.push(self.memory.load(self.fp() + frame::REGISTERS + u32::from(reg)));
        }
    }

    /// One word of a call's arguments.
    fn argument(&self, code: &Code, call: &Call, position: usize) -> u32 {
        let reg = code.operands[call.first as usize + position];
        self.memory.load(self.fp() + frame::REGISTERS + u32::from(reg))
    }

    /// Writes the result of a call that pushed no frame.
    fn set_result(&mut self, call: &Call, value: u32) {
        if call.dest != Call::NO_RESULT {
            self.set_register(call.dest, value);
        }
    }

    /// The number of a call site, by where it stands.
    fn site(&self, method: u32, place: u32) -> Result<u32, Trap> {
        let number = self.shared.site_number(method, place);
        number.ok_or_else(|| Trap::Unsupported("more than a quarter of a million dynamic sites".to_owned()))
    }

    /// The reference in a linked record; `None` if it is not linked.
    fn record_value(&self, number: u32) -> Result<Option<Address>, Trap> {
        let record = SITES + number * SITE_WORDS;
        match self.memory.load(record) {
            0 => Ok(None),
            FAILED => Err(Trap::Throw(self.memory.load(record + 1))),
            _ => Ok(Some(self.memory.load(record + 1))),
        }
    }
}

/// Argument words on their way to a callee: on the stack unless there are many.
#[derive(Default)]
struct Buffer {
    few: [u32; 16],
    count: usize,
    many: Vec<u32>,
}

impl Buffer {
    #[inline]
    fn push(&mut self, word: u32) {
        if self.many.is_empty() {
            if let Some(slot) = self.few.get_mut(self.count) {
                *slot = word;
                self.count += 1;
                return;
            }
            self.many.extend_from_slice(&self.few);
        }
        self.many.push(word);
    }

    #[inline]
    fn words(&self) -> &[u32] {
        if self.many.is_empty() {
            &self.few[..self.count]
        } else {
            &self.many
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_keeps_the_order_of_few_words_and_of_many() {
        for count in [0, 1, 16, 17, 300] {
            let mut buffer = Buffer::default();
            (0..count).for_each(|word| buffer.push(word));
            assert!(buffer.words().iter().copied().eq(0..count), "{count}");
        }
    }
}
