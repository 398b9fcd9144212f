//! Where the fields of a class lie in its objects.

use super::{Class, HEADER_WORDS};
use crate::descriptor::Kind;

/// Where fields lie, one after the other.
pub(super) struct Layout {
    /// Where the next field lies.
    pub words: u32,
    /// Offsets of references.
    pub references: Vec<u32>,
    /// Offsets of longs and doubles.
    pub wides: Vec<u32>,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            words: HEADER_WORDS,
            references: Vec::new(),
            wides: Vec::new(),
        }
    }
}

impl Layout {
    /// What comes after the fields of a class.
    pub fn after(parent: &Class) -> Layout {
        Layout {
            words: parent.words,
            references: parent.references.to_vec(),
            wides: parent.wides.to_vec(),
        }
    }

    /// The place of one more field.
    pub fn place(&mut self, kind: Kind) -> u32 {
        let offset = self.words;
        match kind {
            Kind::Reference => self.references.push(offset),
            Kind::Long | Kind::Double => self.wides.push(offset),
            _ => {}
        }
        self.words += kind.words();
        offset
    }
}
