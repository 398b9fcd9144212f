//! `java.lang.reflect.Array`.

use super::boxes::{Value, unbox, value_of, widened};
use crate::common::{Entry, array_of, non_null};
use machine::heap::ARRAY_BASE;
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};
use program::descriptor::Kind;
use program::world::{ClassId, ClassKind};

const ARRAY: &str = "java/lang/reflect/Array";

pub(crate) const METHODS: &[Entry] = &[
    (ARRAY, "getLength", "(Ljava/lang/Object;)I", |m, args| {
        let (array, _) = array_and_kind(m, args.word(0))?;
        Ok(m.array_length(array).into())
    }),
    (ARRAY, "get", "(Ljava/lang/Object;I)Ljava/lang/Object;", get),
    (ARRAY, "getBoolean", "(Ljava/lang/Object;I)Z", |m, args| {
        get_as(m, args, Kind::Boolean)
    }),
    (ARRAY, "getByte", "(Ljava/lang/Object;I)B", |m, args| {
        get_as(m, args, Kind::Byte)
    }),
    (ARRAY, "getChar", "(Ljava/lang/Object;I)C", |m, args| {
        get_as(m, args, Kind::Char)
    }),
    (ARRAY, "getShort", "(Ljava/lang/Object;I)S", |m, args| {
        get_as(m, args, Kind::Short)
    }),
    (ARRAY, "getInt", "(Ljava/lang/Object;I)I", |m, args| {
        get_as(m, args, Kind::Int)
    }),
    (ARRAY, "getLong", "(Ljava/lang/Object;I)J", |m, args| {
        get_as(m, args, Kind::Long)
    }),
    (ARRAY, "getFloat", "(Ljava/lang/Object;I)F", |m, args| {
        get_as(m, args, Kind::Float)
    }),
    (ARRAY, "getDouble", "(Ljava/lang/Object;I)D", |m, args| {
        get_as(m, args, Kind::Double)
    }),
    (ARRAY, "set", "(Ljava/lang/Object;ILjava/lang/Object;)V", set),
    (ARRAY, "setBoolean", "(Ljava/lang/Object;IZ)V", |m, args| {
        set_as(m, args, Kind::Boolean)
    }),
    (ARRAY, "setByte", "(Ljava/lang/Object;IB)V", |m, args| {
        set_as(m, args, Kind::Byte)
    }),
    (ARRAY, "setChar", "(Ljava/lang/Object;IC)V", |m, args| {
        set_as(m, args, Kind::Char)
    }),
    (ARRAY, "setShort", "(Ljava/lang/Object;IS)V", |m, args| {
        set_as(m, args, Kind::Short)
    }),
    (ARRAY, "setInt", "(Ljava/lang/Object;II)V", |m, args| {
        set_as(m, args, Kind::Int)
    }),
    (ARRAY, "setLong", "(Ljava/lang/Object;IJ)V", |m, args| {
        set_as(m, args, Kind::Long)
    }),
    (ARRAY, "setFloat", "(Ljava/lang/Object;IF)V", |m, args| {
        set_as(m, args, Kind::Float)
    }),
    (ARRAY, "setDouble", "(Ljava/lang/Object;ID)V", |m, args| {
        set_as(m, args, Kind::Double)
    }),
    (ARRAY, "newArray", "(Ljava/lang/Class;I)Ljava/lang/Object;", new_array),
    (
        ARRAY,
        "multiNewArray",
        "(Ljava/lang/Class;[I)Ljava/lang/Object;",
        multi_new_array,
    ),
];

fn no_array<T>() -> Result<T, Trap> {
    raise("java/lang/IllegalArgumentException", "Argument is not an array")
}

fn wrong_type<T>() -> Result<T, Trap> {
    raise("java/lang/IllegalArgumentException", "argument type mismatch")
}

/// An array that must be one, and what its elements are.
fn array_and_kind(m: &Machine<'_>, array: Address) -> Result<(Address, Kind), Trap> {
    let ClassKind::Array(element) = m.program.class(m.class_of(non_null(array)?)).kind else {
        return no_array();
    };
    match m.program.class(element).kind {
        ClassKind::Primitive(Some(kind)) => Ok((array, kind)),
        _ => Ok((array, Kind::Reference)),
    }
}

fn check_index(m: &Machine<'_>, array: Address, index: i32) -> Result<u32, Trap> {
    if index as u32 >= m.array_length(array) {
        return Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", None));
    }
    Ok(index as u32)
}

fn load(m: &Machine<'_>, array: Address, kind: Kind, index: u32) -> u64 {
    let at = ARRAY_BASE + index as usize * kind.bytes() as usize;
    match kind {
        Kind::Boolean | Kind::Byte => u64::from(widened(kind, u32::from(m.memory.load_byte(array, at)))),
        Kind::Char | Kind::Short => u64::from(widened(kind, u32::from(m.memory.load_short(array, at)))),
        Kind::Long | Kind::Double => m.memory.load_wide(array + (at / 4) as u32),
        _ => u64::from(m.element(array, index)),
    }
}

fn store(m: &mut Machine<'_>, array: Address, kind: Kind, index: u32, bits: u64) {
    let at = ARRAY_BASE + index as usize * kind.bytes() as usize;
    match kind {
        Kind::Boolean => m.memory.store_byte(array, at, bits as u8 & 1),
        Kind::Byte => m.memory.store_byte(array, at, bits as u8),
        Kind::Char | Kind::Short => m.memory.store_short(array, at, bits as u16),
        Kind::Long | Kind::Double => m.memory.store_wide(array + (at / 4) as u32, bits),
        _ => m.set_element(array, index, bits as u32),
    }
}

fn words(kind: Kind, bits: u64) -> Vec<u32> {
    if kind.words() == 2 {
        vec![bits as u32, (bits >> 32) as u32]
    } else {
        vec![bits as u32]
    }
}

fn get(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (array, kind) = array_and_kind(m, args.word(0))?;
    let index = check_index(m, array, args.int(1))?;
    let bits = load(m, array, kind, index);
    if kind == Kind::Reference {
        return Ok(Outcome::Word(bits as u32));
    }
    Ok(Outcome::Call(value_of(m, kind)?, words(kind, bits)))
}

fn get_as(m: &mut Machine<'_>, args: &Args, wanted: Kind) -> Answer {
    let (array, kind) = array_and_kind(m, args.word(0))?;
    if kind == Kind::Reference {
        return raise(
            "java/lang/IllegalArgumentException",
            "Argument is not an array of primitive type",
        );
    }
    let index = check_index(m, array, args.int(1))?;
    let value = Value {
        kind,
        bits: load(m, array, kind, index),
    };
    match value.widen(wanted) {
        Some(bits) if wanted.words() == 2 => Ok(Outcome::Wide(bits)),
        Some(bits) => Ok(Outcome::Word(bits as u32)),
        None => wrong_type(),
    }
}

fn set(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (array, kind) = array_and_kind(m, args.word(0))?;
    let value = args.word(2);
    if kind == Kind::Reference {
        let index = check_index(m, array, args.int(1))?;
        let element = m.program.class(m.class_of(array)).element().unwrap_or(m.known.object);
        if value != 0 && !m.program.is_subclass(m.class_of(value), element) {
            return raise("java/lang/IllegalArgumentException", "array element type mismatch");
        }
        m.set_element(array, index, value);
        return Ok(Outcome::Void);
    }
    // Null is no box.
    let unboxed = if value == 0 { None } else { unbox(m, value) };
    let Some(unboxed) = unboxed else { return wrong_type() };
    let index = check_index(m, array, args.int(1))?;
    match unboxed.widen(kind) {
        Some(bits) => store(m, array, kind, index, bits),
        None => return wrong_type(),
    }
    Ok(Outcome::Void)
}

fn set_as(m: &mut Machine<'_>, args: &Args, given: Kind) -> Answer {
    let (array, kind) = array_and_kind(m, args.word(0))?;
    if kind == Kind::Reference {
        return raise(
            "java/lang/IllegalArgumentException",
            "Argument is not an array of primitive type",
        );
    }
    let index = check_index(m, array, args.int(1))?;
    let bits = if given.words() == 2 {
        args.wide(2)
    } else {
        u64::from(widened(given, args.word(2)))
    };
    match (Value { kind: given, bits }).widen(kind) {
        Some(bits) => store(m, array, kind, index, bits),
        None => return wrong_type(),
    }
    Ok(Outcome::Void)
}

/// The class of arrays of a class, which must not be void.
fn array_class(m: &Machine<'_>, element: ClassId) -> Result<ClassId, Trap> {
    let described = m.program.class(element);
    let dimensions = described.name.bytes().take_while(|&byte| byte == b'[').count();
    if described.kind == ClassKind::Primitive(None) || dimensions >= 255 {
        return Err(Trap::Raise("java/lang/IllegalArgumentException", None));
    }
    array_of(m, element)
}

fn new_array(m: &mut Machine<'_>, args: &Args) -> Answer {
    let element = m.mirrored(non_null(args.word(0))?);
    let class = array_class(m, element)?;
    Ok(m.new_array(class, args.int(1))?.into())
}

fn multi_new_array(m: &mut Machine<'_>, args: &Args) -> Answer {
    let element = m.mirrored(non_null(args.word(0))?);
    let lengths = non_null(args.word(1))?;
    let lengths: Vec<i32> = (0..m.array_length(lengths))
        .map(|index| m.element(lengths, index) as i32)
        .collect();
    if lengths.is_empty() {
        return raise("java/lang/IllegalArgumentException", "Empty dimensions array");
    }
    if lengths.len() > 255 {
        return Err(Trap::Raise("java/lang/IllegalArgumentException", None));
    }
    if let Some(negative) = lengths.iter().find(|&&length| length < 0) {
        return raise("java/lang/NegativeArraySizeException", negative.to_string());
    }
    let mut class = element;
    for _ in &lengths {
        class = array_class(m, class)?;
    }
    Ok(nested(m, class, &lengths)?.into())
}

fn nested(m: &mut Machine<'_>, class: ClassId, lengths: &[i32]) -> Result<Address, Trap> {
    let array = m.new_array(class, lengths[0])?;
    if lengths.len() > 1
        && let Some(element) = m.program.class(class).element()
    {
        for index in 0..lengths[0] as u32 {
            let inner = nested(m, element, &lengths[1..])?;
            m.set_element(array, index, inner);
        }
    }
    Ok(array)
}
