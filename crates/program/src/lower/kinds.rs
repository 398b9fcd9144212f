//! Kinds of values: registers, ranges and widths for descriptors, types and opcodes.

use super::opcode::*;
use super::stack::range;
use super::types::Type;
use crate::descriptor::Kind;
use crate::ir::{Narrow, RegisterKind};

/// The kind of register for a value of a descriptor's kind.
pub(super) fn register_kind(kind: Kind) -> RegisterKind {
    match kind {
        Kind::Long | Kind::Double => RegisterKind::Wide,
        Kind::Reference => RegisterKind::Ref,
        _ => RegisterKind::Word,
    }
}

/// The kind of register for a value of an inferred type.
pub(super) fn kind_of_type(one: Type) -> RegisterKind {
    match one {
        Type::INT | Type::FLOAT => RegisterKind::Word,
        Type::LONG | Type::DOUBLE => RegisterKind::Wide,
        _ => RegisterKind::Ref,
    }
}

/// The kind of value that a store to a local variable takes; `None` for other instructions.
pub(super) fn stored_kind(op: u8) -> Option<RegisterKind> {
    match op {
        ISTORE | FSTORE => Some(RegisterKind::Word),
        LSTORE | DSTORE => Some(RegisterKind::Wide),
        ASTORE => Some(RegisterKind::Ref),
        _ => None,
    }
}

/// How a value of a descriptor's kind lies in memory, if narrower than a word.
pub(super) fn narrow_kind(kind: Kind) -> Option<Narrow> {
    match kind {
        Kind::Boolean => Some(Narrow::Boolean),
        Kind::Byte => Some(Narrow::Byte),
        Kind::Char => Some(Narrow::Char),
        Kind::Short => Some(Narrow::Short),
        _ => None,
    }
}

/// The range of a narrow type.
pub(super) fn narrow_range(to: Narrow) -> u8 {
    match to {
        Narrow::Boolean => range::BOOLEAN,
        Narrow::Byte => range::BYTE,
        Narrow::Char => range::CHAR,
        Narrow::Short => range::SHORT,
    }
}

/// The ranges of all values of a descriptor's kind.
pub(super) fn kind_range(kind: Kind) -> u8 {
    match kind {
        Kind::Boolean => range::ALL,
        Kind::Byte => range::BYTE | range::SHORT,
        Kind::Char => range::CHAR,
        Kind::Short => range::SHORT,
        _ => 0,
    }
}
