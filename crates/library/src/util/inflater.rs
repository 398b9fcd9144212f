//! `java.util.zip.Inflater`. Its state lies in two byte arrays that a table in memory refers to.

use super::inflate::{Inflate, WINDOW};
use crate::common::{Entry, non_null};
use crate::io::streams::checked;
use crate::outside;
use machine::heap::ARRAY_BASE;
use machine::support::root::INFLATERS;
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};

const INFLATER: &str = "java/util/zip/Inflater";

pub(crate) const METHODS: &[Entry] = &[
    (INFLATER, "init", "(Z)J", |m, args| {
        let state = m.new_bytes(&Inflate::new(args.word(0) & 1 != 0).save())?;
        let window = m.new_array(m.known.byte_array, WINDOW as i32)?;
        let number = m.root_push(INFLATERS, &[state, window])?;
        Ok((u64::from(number) + 1).into())
    }),
    (INFLATER, "end", "(J)V", |m, args| {
        entry(m, args.wide(0))?;
        let (table, index) = (m.root(INFLATERS), (args.wide(0) as u32 - 1) * 2);
        m.set_element(table, index, 0);
        m.set_element(table, index + 1, 0);
        Ok(Outcome::Void)
    }),
    (INFLATER, "reset", "(J)V", |m, args| {
        let (state, _) = entry(m, args.wide(0))?;
        let raw = load(m, state)?.is_raw();
        m.memory.store_bytes(state, ARRAY_BASE, &Inflate::new(raw).save());
        Ok(Outcome::Void)
    }),
    (INFLATER, "getAdler", "(J)I", |m, args| {
        let (state, _) = entry(m, args.wide(0))?;
        Ok((load(m, state)?.check() as i32).into())
    }),
    (INFLATER, "setDictionary", "(J[BII)V", |m, args| {
        let array = non_null(args.word(2))?;
        let (offset, length) = checked(m, array, args.int(3), args.int(4))?;
        let bytes = m.byte_array(array)[offset..offset + length].to_vec();
        set_dictionary(m, args.wide(0), &bytes)
    }),
    (INFLATER, "setDictionaryBuffer", "(JJI)V", |m, args| {
        let bytes = buffer(m, args.wide(2), args.int(4))?;
        set_dictionary(m, args.wide(0), &bytes)
    }),
    (INFLATER, "inflateBytesBytes", "(J[BII[BII)J", |m, args| {
        let input = array(m, args, 3)?;
        inflate(m, args, &input, To::Array(args.word(6), args.int(7), args.int(8)))
    }),
    (INFLATER, "inflateBytesBuffer", "(J[BIIJI)J", |m, args| {
        let input = array(m, args, 3)?;
        inflate(m, args, &input, To::Memory(args.wide(6), args.int(8)))
    }),
    (INFLATER, "inflateBufferBytes", "(JJI[BII)J", |m, args| {
        let input = buffer(m, args.wide(3), args.int(5))?;
        inflate(m, args, &input, To::Array(args.word(6), args.int(7), args.int(8)))
    }),
    (INFLATER, "inflateBufferBuffer", "(JJIJI)J", |m, args| {
        let input = buffer(m, args.wide(3), args.int(5))?;
        inflate(m, args, &input, To::Memory(args.wide(6), args.int(8)))
    }),
];

/// Where bytes go: a part of an array, or memory outside of the heap.
pub(super) enum To {
    Array(Address, i32, i32),
    Memory(u64, i32),
}

impl To {
    /// How many bytes fit.
    pub(super) fn room(&self) -> usize {
        match *self {
            To::Array(_, _, length) | To::Memory(_, length) => length.max(0) as usize,
        }
    }

    /// Writes bytes, no more than fit.
    pub(super) fn write(&self, m: &mut Machine<'_>, bytes: &[u8]) -> Result<(), Trap> {
        match *self {
            To::Array(array, offset, length) => {
                let (offset, _) = checked(m, non_null(array)?, offset, length)?;
                m.memory.store_bytes(array, ARRAY_BASE + offset, bytes);
            }
            To::Memory(address, _) => {
                let (block, offset) = outside::place(m, address, bytes.len() as u64)?;
                m.memory.store_bytes(block, offset, bytes);
            }
        }
        Ok(())
    }
}

/// A part of a byte array: array, offset and length begin at an argument word.
pub(super) fn array(m: &Machine<'_>, args: &Args, first: usize) -> Result<Vec<u8>, Trap> {
    let array = non_null(args.word(first))?;
    let (offset, length) = checked(m, array, args.int(first + 1), args.int(first + 2))?;
    Ok(m.byte_array(array)[offset..offset + length].to_vec())
}

/// Bytes outside of the heap.
pub(super) fn buffer(m: &Machine<'_>, address: u64, length: i32) -> Result<Vec<u8>, Trap> {
    let length = length.max(0) as usize;
    if length == 0 {
        return Ok(Vec::new());
    }
    let (block, offset) = outside::place(m, address, length as u64)?;
    Ok(m.memory.bytes(block, offset, length).to_vec())
}

/// State and window of an inflater.
fn entry(m: &Machine<'_>, handle: u64) -> Result<(Address, Address), Trap> {
    let table = m.root(INFLATERS);
    let found = handle
        .checked_sub(1)
        .filter(|&index| table != 0 && index < u64::from(m.array_length(table) / 2))
        .map(|index| {
            (
                m.element(table, index as u32 * 2),
                m.element(table, index as u32 * 2 + 1),
            )
        })
        .filter(|found| found.0 != 0);
    match found {
        Some(found) => Ok(found),
        None => raise("java/lang/NullPointerException", "Inflater has been closed"),
    }
}

fn load(m: &Machine<'_>, state: Address) -> Result<Inflate, Trap> {
    match Inflate::load(m.byte_array(state)) {
        Some(state) => Ok(state),
        None => raise("java/lang/InternalError", "the inflater's state is broken"),
    }
}

fn set_dictionary(m: &mut Machine<'_>, handle: u64, dictionary: &[u8]) -> Answer {
    let (state, window) = entry(m, handle)?;
    let mut inflate = load(m, state)?;
    let mut bytes = m.byte_array(window).to_vec();
    if !inflate.set_dictionary(dictionary, &mut bytes) {
        return Err(Trap::Raise("java/lang/IllegalArgumentException", None));
    }
    m.memory.store_bytes(state, ARRAY_BASE, &inflate.save());
    m.memory.store_bytes(window, ARRAY_BASE, &bytes);
    Ok(Outcome::Void)
}

fn inflate(m: &mut Machine<'_>, args: &Args, input: &[u8], to: To) -> Answer {
    let (state, window) = entry(m, args.wide(1))?;
    let mut inflate = load(m, state)?;
    let mut bytes = m.byte_array(window).to_vec();
    let mut output = vec![0; to.room()];
    let result = inflate.run(input, &mut output, &mut bytes);
    let progress = match &result {
        Ok(progress) | Err((progress, _)) => progress,
    };
    to.write(m, &output[..progress.written])?;
    m.memory.store_bytes(state, ARRAY_BASE, &inflate.save());
    // Only what changed, so that going back costs no more than that.
    let changed = progress.written.min(WINDOW);
    let end = inflate.position();
    let start = (end + WINDOW - changed) % WINDOW;
    if start < end || changed == 0 {
        m.memory
            .store_bytes(window, ARRAY_BASE + start, &bytes[start..start + changed]);
    } else {
        m.memory.store_bytes(window, ARRAY_BASE + start, &bytes[start..]);
        m.memory.store_bytes(window, ARRAY_BASE, &bytes[..end]);
    }
    match result {
        Ok(progress) => {
            let counts = progress.read as u64 | (progress.written as u64) << 31;
            let flags = u64::from(progress.ended) << 62 | u64::from(progress.needs_dictionary) << 63;
            Ok((counts | flags).into())
        }
        Err((progress, message)) => {
            m.set(args.word(0), INFLATER, "inputConsumed", progress.read as u32);
            m.set(args.word(0), INFLATER, "outputConsumed", progress.written as u32);
            raise("java/util/zip/DataFormatException", message)
        }
    }
}
