//! `java.util.zip.Deflater`.
//!
//! Input is collected, in memory, until the stream is flushed or finished; then all of it is compressed, from the
//! beginning, and what was not given out yet is given out. Nothing else need be remembered.

use super::checksum::adler32;
use super::deflate::{Flush, Task, compress};
use super::inflater::{To, array, buffer};
use crate::common::{Entry, unsupported};
use machine::heap::ARRAY_BASE;
use machine::support::root::DEFLATERS;
use machine::{Address, Answer, Machine, Outcome, Trap, raise};

const DEFLATER: &str = "java/util/zip/Deflater";

/// Words of a deflater's settings.
mod setting {
    pub(super) const LEVEL: u32 = 0;
    pub(super) const STRATEGY: u32 = 1;
    pub(super) const RAW: u32 = 2;
    /// Bytes of dictionary and input.
    pub(super) const LENGTH: u32 = 3;
    /// Bytes of the dictionary.
    pub(super) const DICTIONARY: u32 = 4;
    /// Bytes of output given out so far.
    pub(super) const GIVEN: u32 = 5;
    /// Whether the end of the stream was asked for.
    pub(super) const FINISHED: u32 = 6;
    /// How many flushes there were; then two words for each: where, and which.
    pub(super) const FLUSHES: u32 = 7;
    pub(super) const SIZE: u32 = 8;
}

/// Words of an entry of the table: settings, input, output or null.
const ENTRY: u32 = 3;

const FINISH: i32 = 4;
const HUFFMAN_ONLY: u32 = 2;
const FILTERED: u32 = 1;
const DEFAULT_LEVEL: i32 = 6;

pub(crate) const METHODS: &[Entry] = &[
    (DEFLATER, "init", "(IIZ)J", |m, args| {
        let settings = fresh(m, args.int(0), args.word(1), args.word(2) & 1)?;
        let input = m.new_array(m.known.byte_array, 0)?;
        let number = m.root_push(DEFLATERS, &[settings, input, 0])?;
        Ok((u64::from(number) + 1).into())
    }),
    (DEFLATER, "end", "(J)V", |m, args| {
        let (at, _) = entry(m, args.wide(0))?;
        let table = m.root(DEFLATERS);
        for word in 0..ENTRY {
            m.set_element(table, at + word, 0);
        }
        Ok(Outcome::Void)
    }),
    (DEFLATER, "reset", "(J)V", |m, args| {
        let (at, settings) = entry(m, args.wide(0))?;
        let (level, strategy) = (
            m.element(settings, setting::LEVEL),
            m.element(settings, setting::STRATEGY),
        );
        let raw = m.element(settings, setting::RAW);
        let settings = fresh(m, level as i32, strategy, raw)?;
        let input = m.new_array(m.known.byte_array, 0)?;
        let table = m.root(DEFLATERS);
        m.set_element(table, at, settings);
        m.set_element(table, at + 1, input);
        m.set_element(table, at + 2, 0);
        Ok(Outcome::Void)
    }),
    (DEFLATER, "getAdler", "(J)I", |m, args| {
        let (at, settings) = entry(m, args.wide(0))?;
        let length = m.element(settings, setting::LENGTH) as usize;
        let dictionary = m.element(settings, setting::DICTIONARY) as usize;
        let table = m.root(DEFLATERS);
        let data = &m.byte_array(m.element(table, at + 1))[..length];
        if m.element(settings, setting::RAW) != 0 {
            return Ok(1.into());
        }
        // Before any input, it is the dictionary's.
        let of = if length == dictionary {
            data
        } else {
            &data[dictionary..]
        };
        Ok((adler32(1, of) as i32).into())
    }),
    (DEFLATER, "setDictionary", "(J[BII)V", |m, args| {
        let bytes = array(m, args, 2)?;
        set_dictionary(m, args.wide(0), &bytes)
    }),
    (DEFLATER, "setDictionaryBuffer", "(JJI)V", |m, args| {
        let bytes = buffer(m, args.wide(2), args.int(4))?;
        set_dictionary(m, args.wide(0), &bytes)
    }),
    (DEFLATER, "deflateBytesBytes", "(J[BII[BIIII)J", |m, args| {
        let input = array(m, args, 3)?;
        let to = To::Array(args.word(6), args.int(7), args.int(8));
        deflate(m, args.wide(1), &input, to, args.int(9), args.int(10))
    }),
    (DEFLATER, "deflateBytesBuffer", "(J[BIIJIII)J", |m, args| {
        let input = array(m, args, 3)?;
        deflate(
            m,
            args.wide(1),
            &input,
            To::Memory(args.wide(6), args.int(8)),
            args.int(9),
            args.int(10),
        )
    }),
    (DEFLATER, "deflateBufferBytes", "(JJI[BIIII)J", |m, args| {
        let input = buffer(m, args.wide(3), args.int(5))?;
        let to = To::Array(args.word(6), args.int(7), args.int(8));
        deflate(m, args.wide(1), &input, to, args.int(9), args.int(10))
    }),
    (DEFLATER, "deflateBufferBuffer", "(JJIJIII)J", |m, args| {
        let input = buffer(m, args.wide(3), args.int(5))?;
        deflate(
            m,
            args.wide(1),
            &input,
            To::Memory(args.wide(6), args.int(8)),
            args.int(9),
            args.int(10),
        )
    }),
];

fn fresh(m: &mut Machine<'_>, level: i32, strategy: u32, raw: u32) -> Result<Address, Trap> {
    let settings = m.new_array(m.known.int_array, setting::SIZE as i32)?;
    m.set_element(settings, setting::LEVEL, level as u32);
    m.set_element(settings, setting::STRATEGY, strategy);
    m.set_element(settings, setting::RAW, raw);
    Ok(settings)
}

/// Where the entry of a deflater begins, and its settings.
fn entry(m: &Machine<'_>, handle: u64) -> Result<(u32, Address), Trap> {
    let table = m.root(DEFLATERS);
    let found = handle
        .checked_sub(1)
        .filter(|&index| table != 0 && index < u64::from(m.array_length(table) / ENTRY))
        .map(|index| (index as u32 * ENTRY, m.element(table, index as u32 * ENTRY)))
        .filter(|found| found.1 != 0);
    match found {
        Some(found) => Ok(found),
        None => raise("java/lang/NullPointerException", "Deflater has been closed"),
    }
}

/// Appends to the input of a deflater.
fn append(m: &mut Machine<'_>, at: u32, settings: Address, bytes: &[u8]) -> Result<(), Trap> {
    if bytes.is_empty() {
        return Ok(());
    }
    let table = m.root(DEFLATERS);
    let old = m.element(table, at + 1);
    let length = m.element(settings, setting::LENGTH) as usize;
    let needed = length + bytes.len();
    let mut input = old;
    if needed > m.array_length(old) as usize {
        let Ok(size) = i32::try_from((needed * 2).max(512)) else {
            return unsupported("gigabytes to compress");
        };
        input = m.new_array(m.known.byte_array, size)?;
        m.memory.copy_bytes((old, ARRAY_BASE), (input, ARRAY_BASE), length);
        m.set_element(table, at + 1, input);
    }
    m.memory.store_bytes(input, ARRAY_BASE + length, bytes);
    m.set_element(settings, setting::LENGTH, needed as u32);
    Ok(())
}

fn set_dictionary(m: &mut Machine<'_>, handle: u64, dictionary: &[u8]) -> Answer {
    let (at, settings) = entry(m, handle)?;
    if m.element(settings, setting::LENGTH) != 0 {
        return Err(Trap::Raise("java/lang/IllegalArgumentException", None));
    }
    append(m, at, settings, dictionary)?;
    m.set_element(settings, setting::DICTIONARY, dictionary.len() as u32);
    Ok(Outcome::Void)
}

/// A level as zlib counts them.
fn effective(level: i32) -> usize {
    if (0..=9).contains(&level) {
        level as usize
    } else {
        DEFAULT_LEVEL as usize
    }
}

fn deflate(m: &mut Machine<'_>, handle: u64, input: &[u8], to: To, flush: i32, params: i32) -> Answer {
    let (at, settings) = entry(m, handle)?;
    if params & 1 != 0 {
        set_params(m, settings, params)?;
    }
    append(m, at, settings, input)?;
    let table = m.root(DEFLATERS);
    let new_input = !input.is_empty();
    if new_input {
        m.set_element(table, at + 2, 0);
    }
    if flush == FINISH {
        if m.element(settings, setting::FINISHED) == 0 {
            m.set_element(settings, setting::FINISHED, 1);
            m.set_element(table, at + 2, 0);
        }
    } else if flush != 0 {
        note_flush(m, at, flush as u32)?;
    }
    let (at, settings) = entry(m, handle)?;
    let finished = m.element(settings, setting::FINISHED) != 0;
    let asked = finished || m.element(settings, setting::FLUSHES) != 0;
    let mut output = m.element(table, at + 2);
    if output == 0 && asked {
        let bytes = produce(m, at, settings, finished);
        output = m.new_bytes(&bytes)?;
        m.set_element(table, at + 2, output);
    }
    let given = m.element(settings, setting::GIVEN) as usize;
    let (mut count, mut ended) = (0, false);
    if output != 0 {
        let rest = m.byte_array(output).get(given..).unwrap_or(&[]).to_vec();
        count = rest.len().min(to.room());
        to.write(m, &rest[..count])?;
        m.set_element(settings, setting::GIVEN, (given + count) as u32);
        ended = finished && count == rest.len();
    }
    let result = input.len() as u64 | (count as u64) << 31 | u64::from(ended) << 62;
    Ok(result.into())
}

fn set_params(m: &mut Machine<'_>, settings: Address, params: i32) -> Result<(), Trap> {
    let (strategy, level) = (params as u32 >> 1 & 3, params >> 3);
    let known = (
        m.element(settings, setting::STRATEGY),
        m.element(settings, setting::LEVEL) as i32,
    );
    let used = m.element(settings, setting::LENGTH) > m.element(settings, setting::DICTIONARY);
    if used && (known.0 != strategy || effective(known.1) != effective(level)) {
        return unsupported("another level or strategy in the midst of compression");
    }
    m.set_element(settings, setting::STRATEGY, strategy);
    m.set_element(settings, setting::LEVEL, level as u32);
    Ok(())
}

/// Notes a flush after the input so far, unless there is nothing since the last one.
fn note_flush(m: &mut Machine<'_>, at: u32, kind: u32) -> Result<(), Trap> {
    let table = m.root(DEFLATERS);
    let old = m.element(table, at);
    let (count, length) = (m.element(old, setting::FLUSHES), m.element(old, setting::LENGTH));
    let last = if count == 0 {
        None
    } else {
        Some(m.element(old, setting::SIZE + (count - 1) * 2))
    };
    if last == Some(length) {
        return Ok(());
    }
    let words = setting::SIZE + count * 2;
    let larger = m.new_array(m.known.int_array, words as i32 + 2)?;
    for index in 0..words {
        let word = m.element(old, index);
        m.set_element(larger, index, word);
    }
    m.set_element(larger, words, length);
    m.set_element(larger, words + 1, kind);
    m.set_element(larger, setting::FLUSHES, count + 1);
    m.set_element(table, at, larger);
    m.set_element(table, at + 2, 0);
    Ok(())
}

/// The whole stream so far.
fn produce(m: &Machine<'_>, at: u32, settings: Address, finished: bool) -> Vec<u8> {
    const FULL: u32 = 3;
    let word = |index| m.element(settings, index);
    let length = word(setting::LENGTH) as usize;
    let data = &m.byte_array(m.element(m.root(DEFLATERS), at + 1))[..length];
    let dictionary = word(setting::DICTIONARY) as usize;
    let flushes: Vec<(usize, Flush)> = (0..word(setting::FLUSHES))
        .map(|index| {
            let kind = if word(setting::SIZE + index * 2 + 1) == FULL {
                Flush::Full
            } else {
                Flush::Sync
            };
            (word(setting::SIZE + index * 2) as usize, kind)
        })
        .collect();
    let level = effective(word(setting::LEVEL) as i32);
    let strategy = word(setting::STRATEGY);
    let huffman_only = strategy == HUFFMAN_ONLY;
    let raw = word(setting::RAW) != 0;
    let mut stream = Vec::new();
    if !raw {
        let speed = match level {
            _ if huffman_only => 0,
            0 | 1 => 0,
            2..=5 => 1,
            6 => 2,
            _ => 3,
        };
        let mut header = 0x7800 | speed << 6 | if dictionary > 0 { 0x20 } else { 0 };
        header += 31 - header % 31;
        stream.extend((header as u16).to_be_bytes());
        if dictionary > 0 {
            stream.extend(adler32(1, &data[..dictionary]).to_be_bytes());
        }
    }
    // A window's worth of the dictionary is all that can be referred to.
    let kept = dictionary.saturating_sub(32_768);
    let flushes: Vec<_> = flushes.into_iter().map(|(at, kind)| (at - kept, kind)).collect();
    stream.extend(compress(&Task {
        data: &data[kept..],
        start: dictionary - kept,
        level,
        filtered: strategy == FILTERED,
        huffman_only,
        flushes: &flushes,
        finish: finished,
    }));
    if !raw && finished {
        stream.extend(adler32(1, &data[dictionary..]).to_be_bytes());
    }
    stream
}
