//! Primitive values in boxes: `java.lang.Integer` and its like.

use crate::common::{jdk_class, unsupported};
use machine::{Address, Machine, Trap};
use program::descriptor::Kind;
use program::world::MethodId;

/// A primitive value with its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub kind: Kind,
    /// The bits; those of a narrow type as an int has them.
    pub bits: u64,
}

/// A narrow value as the int that Java code sees.
pub(crate) fn widened(kind: Kind, word: u32) -> u32 {
    match kind {
        Kind::Boolean => word & 1,
        Kind::Byte => word as i8 as u32,
        Kind::Char => word & 0xffff,
        Kind::Short => word as i16 as u32,
        _ => word,
    }
}

/// The value in a box; `None` if the object is none.
pub(crate) fn unbox(m: &mut Machine<'_>, object: Address) -> Option<Value> {
    let kind = Kind::wrapped_by(&m.program.class(m.class_of(object)).name)?;
    let offset = m.offset(kind.wrapper()?, "value");
    let bits = match kind {
        Kind::Long | Kind::Double => m.memory.load_wide(object + offset),
        _ => u64::from(widened(kind, m.memory.load(object + offset))),
    };
    Some(Value { kind, bits })
}

impl Value {
    /// The value as a wider type (JLS §5.1.2); `None` if it is not wider.
    pub(crate) fn widen(self, to: Kind) -> Option<u64> {
        use Kind::{Boolean, Byte, Char, Double, Float, Int, Long, Short};
        if self.kind == to {
            return Some(self.bits);
        }
        let int = self.bits as u32 as i32;
        Some(match (self.kind, to) {
            (Byte, Short | Int) | (Short | Char, Int) => self.bits,
            (Byte | Short | Char | Int, Long) => i64::from(int) as u64,
            (Byte | Short | Char | Int, Float) => u64::from((int as f32).to_bits()),
            (Byte | Short | Char | Int, Double) => f64::from(int).to_bits(),
            (Long, Float) => u64::from((self.bits as i64 as f32).to_bits()),
            (Long, Double) => (self.bits as i64 as f64).to_bits(),
            (Float, Double) => f64::from(f32::from_bits(self.bits as u32)).to_bits(),
            (Boolean, _) => return None,
            _ => return None,
        })
    }
}

/// `Integer.valueOf` and its like.
pub(crate) fn value_of(m: &mut Machine<'_>, kind: Kind) -> Result<MethodId, Trap> {
    let name = kind.wrapper().unwrap_or("java/lang/Object");
    let class = jdk_class(m, name)?;
    match m
        .program
        .find_method(class, "valueOf", &format!("({})L{name};", kind.letter()))
    {
        Some(method) => Ok(method),
        None => unsupported(format!("{}.valueOf", name.replace('/', "."))),
    }
}
