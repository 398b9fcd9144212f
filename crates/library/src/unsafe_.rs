//! `jdk.internal.misc.Unsafe`: fields, elements and memory outside of the heap by offset.
//!
//! A byte offset counts from the start of the object. Fields narrower than a word have a word of their own, in whose
//! low bytes they lie; elements of arrays are packed. What lies outside of the heap is in `outside.rs`.
//!
//! Every access is checked against the bounds of the object: an offset that comes from nowhere ends in an
//! `InternalError`, as a fault does in a JVM, and never reaches past the object. Within them, what is no field and no element, and a
//! reference as a number or a number as a reference, is not supported (`machine::slots`).

use crate::outside;
use machine::{Address, Answer, Args, Machine, Native, Outcome, Trap, raise};
use program::world::{ARRAY_HEADER_WORDS, ClassKind, HEADER_WORDS};

const UNSAFE: &str = "jdk/internal/misc/Unsafe";

/// What an access outside of every object gets.
pub(crate) fn fault<T>() -> Result<T, Trap> {
    raise(
        "java/lang/InternalError",
        "a fault occurred in an unsafe memory access operation",
    )
}

/// Where `size` bytes at an offset of an object, or at an address outside of the heap, lie: an object and the offset
/// in it.
#[inline]
pub(crate) fn place(m: &Machine<'_>, object: Address, offset: u64, size: u64) -> Result<(Address, usize), Trap> {
    if object == 0 {
        return outside::place(m, offset, size);
    }
    let first = match m.program.class(m.class_of(object)).kind {
        ClassKind::Array(_) => ARRAY_HEADER_WORDS,
        _ => HEADER_WORDS,
    };
    let end = u64::from(m.object_words(object)) * 4;
    match offset.checked_add(size) {
        Some(last) if last <= end && offset >= u64::from(first) * 4 => Ok((object, offset as usize)),
        _ => fault(),
    }
}

/// The same for bytes that are read as numbers.
#[inline]
fn numbers(m: &mut Machine<'_>, object: Address, offset: u64, size: u64) -> Result<(Address, usize), Trap> {
    let at = place(m, object, offset, size)?;
    m.check_bytes(at.0, at.1, size as usize, false)?;
    Ok(at)
}

/// The same for bytes that are written as numbers.
#[inline]
fn numbers_mut(m: &mut Machine<'_>, object: Address, offset: u64, size: u64) -> Result<(Address, usize), Trap> {
    let at = place(m, object, offset, size)?;
    m.check_bytes(at.0, at.1, size as usize, true)?;
    Ok(at)
}

/// Where a reference lies that is read, or replaced by this one.
#[inline]
fn reference(m: &mut Machine<'_>, object: Address, offset: u64, value: Address) -> Result<(Address, usize), Trap> {
    if object == 0 {
        return Err(Trap::Unsupported("references outside of the heap".to_owned()));
    }
    let at = place(m, object, offset, 4)?;
    m.check_reference(at.0, at.1, value)?;
    Ok(at)
}

#[inline]
fn load_word(m: &Machine<'_>, (object, offset): (Address, usize)) -> u32 {
    if offset.is_multiple_of(4) {
        return m.memory.load(object + (offset / 4) as u32);
    }
    m.memory
        .bytes(object, offset, 4)
        .iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u32::from(byte))
}

#[inline]
fn store_word(m: &mut Machine<'_>, (object, offset): (Address, usize), value: u32) {
    if offset.is_multiple_of(4) {
        m.memory.store(object + (offset / 4) as u32, value);
    } else {
        m.memory.store_bytes(object, offset, &value.to_le_bytes());
    }
}

#[inline]
fn load_wide(m: &Machine<'_>, (object, offset): (Address, usize)) -> u64 {
    if offset.is_multiple_of(4) {
        return m.memory.load_wide(object + (offset / 4) as u32);
    }
    m.memory
        .bytes(object, offset, 8)
        .iter()
        .rev()
        .fold(0, |wide, &byte| wide << 8 | u64::from(byte))
}

#[inline]
fn store_wide(m: &mut Machine<'_>, (object, offset): (Address, usize), value: u64) {
    if offset.is_multiple_of(4) {
        m.memory.store_wide(object + (offset / 4) as u32, value);
    } else {
        m.memory.store_bytes(object, offset, &value.to_le_bytes());
    }
}

// Arguments of every access: the Unsafe, the object, the offset (two words), the values.

fn get_word(m: &mut Machine<'_>, args: &Args) -> Answer {
    let at = numbers(m, args.word(1), args.wide(2), 4)?;
    Ok(Outcome::Word(load_word(m, at)))
}

fn put_word(m: &mut Machine<'_>, args: &Args) -> Answer {
    let at = numbers_mut(m, args.word(1), args.wide(2), 4)?;
    store_word(m, at, args.word(4));
    Ok(Outcome::Void)
}

fn get_wide(m: &mut Machine<'_>, args: &Args) -> Answer {
    let at = numbers(m, args.word(1), args.wide(2), 8)?;
    Ok(Outcome::Wide(load_wide(m, at)))
}

fn put_wide(m: &mut Machine<'_>, args: &Args) -> Answer {
    let at = numbers_mut(m, args.word(1), args.wide(2), 8)?;
    store_wide(m, at, args.wide(4));
    Ok(Outcome::Void)
}

fn get_boolean(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (object, offset) = numbers(m, args.word(1), args.wide(2), 1)?;
    Ok((m.memory.load_byte(object, offset) != 0).into())
}

fn put_boolean(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (object, offset) = numbers_mut(m, args.word(1), args.wide(2), 1)?;
    m.memory.store_byte(object, offset, args.word(4) as u8 & 1);
    Ok(Outcome::Void)
}

fn get_byte(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (object, offset) = numbers(m, args.word(1), args.wide(2), 1)?;
    Ok(i32::from(m.memory.load_byte(object, offset) as i8).into())
}

fn put_byte(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (object, offset) = numbers_mut(m, args.word(1), args.wide(2), 1)?;
    m.memory.store_byte(object, offset, args.word(4) as u8);
    Ok(Outcome::Void)
}

fn get_short(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (object, offset) = numbers(m, args.word(1), args.wide(2), 2)?;
    Ok(i32::from(m.memory.load_short(object, offset) as i16).into())
}

fn get_char(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (object, offset) = numbers(m, args.word(1), args.wide(2), 2)?;
    Ok(i32::from(m.memory.load_short(object, offset)).into())
}

fn put_short(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (object, offset) = numbers_mut(m, args.word(1), args.wide(2), 2)?;
    m.memory.store_short(object, offset, args.word(4) as u16);
    Ok(Outcome::Void)
}

/// Replaces a word that is as expected; gives the one that was there.
fn exchange(m: &mut Machine<'_>, args: &Args) -> Result<u32, Trap> {
    let at = numbers_mut(m, args.word(1), args.wide(2), 4)?;
    let old = load_word(m, at);
    if old == args.word(4) {
        store_word(m, at, args.word(5));
    }
    Ok(old)
}

fn exchange_wide(m: &mut Machine<'_>, args: &Args) -> Result<u64, Trap> {
    let at = numbers_mut(m, args.word(1), args.wide(2), 8)?;
    let old = load_wide(m, at);
    if old == args.wide(4) {
        store_wide(m, at, args.wide(6));
    }
    Ok(old)
}

fn exchange_byte(m: &mut Machine<'_>, args: &Args) -> Result<u8, Trap> {
    let (object, offset) = place(m, args.word(1), args.wide(2), 1)?;
    let old = m.memory.load_byte(object, offset);
    if old == args.word(4) as u8 {
        m.memory.store_byte(object, offset, args.word(5) as u8);
    }
    Ok(old)
}

fn exchange_short(m: &mut Machine<'_>, args: &Args) -> Result<u16, Trap> {
    let (object, offset) = place(m, args.word(1), args.wide(2), 2)?;
    // As the JDK's own body does, which takes the word that holds it.
    if offset % 4 == 3 {
        return raise(
            "java/lang/IllegalArgumentException",
            "Update spans the word, not supported",
        );
    }
    let old = m.memory.load_short(object, offset);
    if old == args.word(4) as u16 {
        m.memory.store_short(object, offset, args.word(5) as u16);
    }
    Ok(old)
}

fn compare_and_exchange_byte(m: &mut Machine<'_>, args: &Args) -> Answer {
    exchange_byte(m, args).map(|old| i32::from(old as i8).into())
}

fn compare_and_set_byte(m: &mut Machine<'_>, args: &Args) -> Answer {
    let old = exchange_byte(m, args)?;
    Ok((old == args.word(4) as u8).into())
}

fn compare_and_exchange_short(m: &mut Machine<'_>, args: &Args) -> Answer {
    exchange_short(m, args).map(|old| i32::from(old as i16).into())
}

fn compare_and_set_short(m: &mut Machine<'_>, args: &Args) -> Answer {
    let old = exchange_short(m, args)?;
    Ok((old == args.word(4) as u16).into())
}

fn compare_and_exchange(m: &mut Machine<'_>, args: &Args) -> Answer {
    exchange(m, args).map(Outcome::Word)
}

fn compare_and_set(m: &mut Machine<'_>, args: &Args) -> Answer {
    let old = exchange(m, args)?;
    Ok((old == args.word(4)).into())
}

fn compare_and_exchange_wide(m: &mut Machine<'_>, args: &Args) -> Answer {
    exchange_wide(m, args).map(Outcome::Wide)
}

fn compare_and_set_wide(m: &mut Machine<'_>, args: &Args) -> Answer {
    let old = exchange_wide(m, args)?;
    Ok((old == args.wide(4)).into())
}

fn get_reference(m: &mut Machine<'_>, args: &Args) -> Answer {
    let at = reference(m, args.word(1), args.wide(2), 0)?;
    Ok(Outcome::Word(load_word(m, at)))
}

fn put_reference(m: &mut Machine<'_>, args: &Args) -> Answer {
    let at = reference(m, args.word(1), args.wide(2), args.word(4))?;
    store_word(m, at, args.word(4));
    Ok(Outcome::Void)
}

/// Replaces a reference that is as expected; gives the one that was there.
fn exchange_references(m: &mut Machine<'_>, args: &Args) -> Result<u32, Trap> {
    let at = reference(m, args.word(1), args.wide(2), args.word(5))?;
    let old = load_word(m, at);
    if old == args.word(4) {
        store_word(m, at, args.word(5));
    }
    Ok(old)
}

fn compare_and_exchange_reference(m: &mut Machine<'_>, args: &Args) -> Answer {
    exchange_references(m, args).map(Outcome::Word)
}

fn compare_and_set_reference(m: &mut Machine<'_>, args: &Args) -> Answer {
    let old = exchange_references(m, args)?;
    Ok((old == args.word(4)).into())
}

/// What has no effect here: the memory is sequentially consistent.
fn nothing(_: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(Outcome::Void)
}

fn throw_exception(_: &mut Machine<'_>, args: &Args) -> Answer {
    match args.word(1) {
        0 => Err(Trap::Raise("java/lang/NullPointerException", None)),
        exception => Err(Trap::Throw(exception)),
    }
}

fn load_average(_: &mut Machine<'_>, _: &Args) -> Answer {
    Ok((-1).into())
}

fn set_memory(m: &mut Machine<'_>, args: &Args) -> Answer {
    m.note_outside();
    let (object, offset) = numbers_mut(m, args.word(1), args.wide(2), args.wide(4))?;
    let bytes = vec![args.word(6) as u8; args.wide(4) as usize];
    m.memory.store_bytes(object, offset, &bytes);
    Ok(Outcome::Void)
}

fn copy_memory(m: &mut Machine<'_>, args: &Args) -> Answer {
    m.note_outside();
    let size = args.wide(7);
    let from = numbers(m, args.word(1), args.wide(2), size)?;
    let to = numbers_mut(m, args.word(4), args.wide(5), size)?;
    m.memory.copy_bytes(from, to, size as usize);
    Ok(Outcome::Void)
}

fn copy_swap_memory(m: &mut Machine<'_>, args: &Args) -> Answer {
    m.note_outside();
    let (size, element) = (args.wide(7), args.wide(9) as usize);
    let (source, from) = numbers(m, args.word(1), args.wide(2), size)?;
    let (target, to) = numbers_mut(m, args.word(4), args.wide(5), size)?;
    let mut bytes = m.memory.bytes(source, from, size as usize).to_vec();
    if element > 1 {
        bytes.chunks_mut(element).for_each(<[u8]>::reverse);
    }
    m.memory.store_bytes(target, to, &bytes);
    Ok(Outcome::Void)
}

/// Methods with a body that are taken over. Their bodies compare and set the word that holds the byte or the short, and so would
/// touch its neighbours, which the JVM's own do not.
pub(crate) const REPLACED: &[(&str, &str, &str, Native)] = &[
    (
        UNSAFE,
        "compareAndExchangeByte",
        "(Ljava/lang/Object;JBB)B",
        compare_and_exchange_byte,
    ),
    (
        UNSAFE,
        "compareAndSetByte",
        "(Ljava/lang/Object;JBB)Z",
        compare_and_set_byte,
    ),
    (
        UNSAFE,
        "compareAndExchangeShort",
        "(Ljava/lang/Object;JSS)S",
        compare_and_exchange_short,
    ),
    (
        UNSAFE,
        "compareAndSetShort",
        "(Ljava/lang/Object;JSS)Z",
        compare_and_set_short,
    ),
];

/// The natives, without `park` and `unpark`, which are the threads' business, and those of `outside.rs` and
/// `unsafe_layout.rs`.
pub(crate) const METHODS: &[(&str, &str, &str, Native)] = &[
    (UNSAFE, "registerNatives", "()V", nothing),
    (UNSAFE, "getInt", "(Ljava/lang/Object;J)I", get_word),
    (UNSAFE, "putInt", "(Ljava/lang/Object;JI)V", put_word),
    (
        UNSAFE,
        "getReference",
        "(Ljava/lang/Object;J)Ljava/lang/Object;",
        get_reference,
    ),
    (
        UNSAFE,
        "putReference",
        "(Ljava/lang/Object;JLjava/lang/Object;)V",
        put_reference,
    ),
    (UNSAFE, "getBoolean", "(Ljava/lang/Object;J)Z", get_boolean),
    (UNSAFE, "putBoolean", "(Ljava/lang/Object;JZ)V", put_boolean),
    (UNSAFE, "getByte", "(Ljava/lang/Object;J)B", get_byte),
    (UNSAFE, "putByte", "(Ljava/lang/Object;JB)V", put_byte),
    (UNSAFE, "getShort", "(Ljava/lang/Object;J)S", get_short),
    (UNSAFE, "putShort", "(Ljava/lang/Object;JS)V", put_short),
    (UNSAFE, "getChar", "(Ljava/lang/Object;J)C", get_char),
    (UNSAFE, "putChar", "(Ljava/lang/Object;JC)V", put_short),
    (UNSAFE, "getLong", "(Ljava/lang/Object;J)J", get_wide),
    (UNSAFE, "putLong", "(Ljava/lang/Object;JJ)V", put_wide),
    (UNSAFE, "getFloat", "(Ljava/lang/Object;J)F", get_word),
    (UNSAFE, "putFloat", "(Ljava/lang/Object;JF)V", put_word),
    (UNSAFE, "getDouble", "(Ljava/lang/Object;J)D", get_wide),
    (UNSAFE, "putDouble", "(Ljava/lang/Object;JD)V", put_wide),
    (
        UNSAFE,
        "getReferenceVolatile",
        "(Ljava/lang/Object;J)Ljava/lang/Object;",
        get_reference,
    ),
    (
        UNSAFE,
        "putReferenceVolatile",
        "(Ljava/lang/Object;JLjava/lang/Object;)V",
        put_reference,
    ),
    (UNSAFE, "getIntVolatile", "(Ljava/lang/Object;J)I", get_word),
    (UNSAFE, "putIntVolatile", "(Ljava/lang/Object;JI)V", put_word),
    (UNSAFE, "getBooleanVolatile", "(Ljava/lang/Object;J)Z", get_boolean),
    (UNSAFE, "putBooleanVolatile", "(Ljava/lang/Object;JZ)V", put_boolean),
    (UNSAFE, "getByteVolatile", "(Ljava/lang/Object;J)B", get_byte),
    (UNSAFE, "putByteVolatile", "(Ljava/lang/Object;JB)V", put_byte),
    (UNSAFE, "getShortVolatile", "(Ljava/lang/Object;J)S", get_short),
    (UNSAFE, "putShortVolatile", "(Ljava/lang/Object;JS)V", put_short),
    (UNSAFE, "getCharVolatile", "(Ljava/lang/Object;J)C", get_char),
    (UNSAFE, "putCharVolatile", "(Ljava/lang/Object;JC)V", put_short),
    (UNSAFE, "getLongVolatile", "(Ljava/lang/Object;J)J", get_wide),
    (UNSAFE, "putLongVolatile", "(Ljava/lang/Object;JJ)V", put_wide),
    (UNSAFE, "getFloatVolatile", "(Ljava/lang/Object;J)F", get_word),
    (UNSAFE, "putFloatVolatile", "(Ljava/lang/Object;JF)V", put_word),
    (UNSAFE, "getDoubleVolatile", "(Ljava/lang/Object;J)D", get_wide),
    (UNSAFE, "putDoubleVolatile", "(Ljava/lang/Object;JD)V", put_wide),
    (UNSAFE, "compareAndSetInt", "(Ljava/lang/Object;JII)Z", compare_and_set),
    (
        UNSAFE,
        "compareAndExchangeInt",
        "(Ljava/lang/Object;JII)I",
        compare_and_exchange,
    ),
    (
        UNSAFE,
        "compareAndSetLong",
        "(Ljava/lang/Object;JJJ)Z",
        compare_and_set_wide,
    ),
    (
        UNSAFE,
        "compareAndExchangeLong",
        "(Ljava/lang/Object;JJJ)J",
        compare_and_exchange_wide,
    ),
    (
        UNSAFE,
        "compareAndSetReference",
        "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z",
        compare_and_set_reference,
    ),
    (
        UNSAFE,
        "compareAndExchangeReference",
        "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        compare_and_exchange_reference,
    ),
    (UNSAFE, "loadFence", "()V", nothing),
    (UNSAFE, "storeFence", "()V", nothing),
    (UNSAFE, "fullFence", "()V", nothing),
    (UNSAFE, "writeback0", "(J)V", nothing),
    (UNSAFE, "writebackPreSync0", "()V", nothing),
    (UNSAFE, "writebackPostSync0", "()V", nothing),
    (UNSAFE, "throwException", "(Ljava/lang/Throwable;)V", throw_exception),
    (UNSAFE, "getLoadAverage0", "([DI)I", load_average),
    (UNSAFE, "setMemory0", "(Ljava/lang/Object;JJB)V", set_memory),
    (
        UNSAFE,
        "copyMemory0",
        "(Ljava/lang/Object;JLjava/lang/Object;JJ)V",
        copy_memory,
    ),
    (
        UNSAFE,
        "copySwapMemory0",
        "(Ljava/lang/Object;JLjava/lang/Object;JJJ)V",
        copy_swap_memory,
    ),
];
