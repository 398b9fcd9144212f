//! What the loop does not do itself: checks, exceptions, arrays of arrays; and what narrow cells hold.

use crate::machine::{Machine, Trap, raise};
use crate::memory::Address;
use program::ir::Narrow;
use program::world::ClassId;

impl Machine<'_> {
    /// Refuses a value that an array of references cannot hold.
    #[inline]
    pub(super) fn check_element(&self, array: Address, value: Address) -> Result<(), Trap> {
        let array_class = self.program.class(self.class_of(array));
        let Some(element) = array_class.element() else {
            return Ok(());
        };
        let class = self.class_of(value);
        if class == element || element == self.known.object || self.program.is_subclass(class, element) {
            return Ok(());
        }
        raise(
            "java/lang/ArrayStoreException",
            self.program.class(class).external_name(),
        )
    }

    /// The class must be a concrete one and initialised.
    #[cold]
    pub(super) fn require_instantiable(&mut self, of: ClassId) -> Result<(), Trap> {
        let described = self.program.class(of);
        if described.is_abstract() {
            return raise("java/lang/InstantiationError", described.external_name());
        }
        self.require_initialized(of)
    }

    /// A new array of arrays, down to the last of the dimensions.
    pub(super) fn new_multi_array(&mut self, class: ClassId, dimensions: &[i32]) -> Result<Address, Trap> {
        let array = self.new_array(class, dimensions[0])?;
        if dimensions.len() > 1
            && let Some(element) = self.program.class(class).element()
        {
            for index in 0..dimensions[0] as u32 {
                let inner = self.new_multi_array(element, &dimensions[1..])?;
                self.set_element(array, index, inner);
            }
        }
        Ok(array)
    }
}

/// What a narrow cell holds, as an int.
#[inline(always)]
pub(super) fn narrow(value: u32, kind: Narrow) -> u32 {
    match kind {
        Narrow::Boolean => value & 0xff,
        Narrow::Byte => value as i8 as u32,
        Narrow::Char => value & 0xffff,
        Narrow::Short => value as i16 as u32,
    }
}

/// What is stored in a narrow cell: the upper bits of its word stay clear, so that the JDK's byte-wise accesses and
/// ours agree.
#[inline(always)]
pub(super) fn stored(value: u32, kind: Narrow) -> u32 {
    match kind {
        Narrow::Boolean => value & 1,
        Narrow::Byte => value & 0xff,
        Narrow::Char | Narrow::Short => value & 0xffff,
    }
}

/// An index that is not within an array.
#[cold]
pub(super) fn bounds(index: u32, length: u32) -> Trap {
    let message = format!("Index {} out of bounds for length {length}", index as i32);
    Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", Some(message))
}

/// A division by zero.
#[cold]
pub(super) fn by_zero() -> Trap {
    Trap::Raise("java/lang/ArithmeticException", Some("/ by zero".to_owned()))
}
