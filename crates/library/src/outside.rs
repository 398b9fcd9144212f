//! Memory outside of the heap, as `Unsafe.allocateMemory` and direct buffers use it.
//!
//! A block is a byte array that a table of the machine's own refers to, so that going back, collecting and encoding
//! need not know of it. Blocks move in a collection; what the program sees is therefore not where a block lies but
//! its place in the table:
//!
//! ```text
//! bit 62 set | number of the block, 30 bits | offset in the block, 32 bits
//! ```

use crate::unsafe_::fault;
use machine::layout::GLOBALS;
use machine::machine::{Machine, Trap};
use machine::memory::Address;
use machine::native::{Answer, Args, Native, Outcome};
use program::world::ARRAY_HEADER_WORDS;

/// The global word that refers to the table of blocks, an `Object[]`.
const BLOCKS: Address = GLOBALS + 16;

const OUTSIDE: u64 = 1 << 62;
/// The largest block: an array has room for it.
const LARGEST: i32 = i32::MAX - 16;
const HEADER_BYTES: u64 = ARRAY_HEADER_WORDS as u64 * 4;
const UNSAFE: &str = "jdk/internal/misc/Unsafe";

/// The place in the table of the block that an address lies in, and the block.
fn block(m: &Machine<'_>, address: u64) -> Option<(u32, Address)> {
    let table = m.memory.load(BLOCKS);
    let number = (address >> 32) as u32 & 0x3fff_ffff;
    if address >> 62 != 1 || table == 0 || number >= m.array_length(table) {
        return None;
    }
    Some((number, m.element(table, number))).filter(|found| found.1 != 0)
}

/// Where `size` bytes at an address lie: a byte array and the offset in it.
pub(crate) fn place(m: &Machine<'_>, address: u64, size: u64) -> Result<(Address, usize), Trap> {
    let Some((_, block)) = block(m, address) else {
        return fault();
    };
    let start = HEADER_BYTES + (address & 0xffff_ffff);
    // Up to the end of the last word: the JDK compares and sets single bytes through the word that holds them.
    match start.checked_add(size) {
        Some(end) if end <= u64::from(m.object_words(block)) * 4 => Ok((block, start as usize)),
        _ => fault(),
    }
}

/// A new block, or `None` if there is no room.
fn new_block(m: &mut Machine<'_>, size: u64) -> Result<Option<Address>, Trap> {
    let block = match i32::try_from(size) {
        Ok(size) if size <= LARGEST => m.new_array(m.known.byte_array, size),
        // Larger than any array, so larger than any heap here.
        _ => Err(m.heap_full()),
    };
    match block {
        Ok(block) => Ok(Some(block)),
        Err(Trap::Raise(..)) => Ok(None),
        Err(trap) => Err(trap),
    }
}

/// Enters a block into the table, at the lowest free place.
fn enter(m: &mut Machine<'_>, block: Address) -> Result<u64, Trap> {
    let mut table = m.memory.load(BLOCKS);
    let length = if table == 0 { 0 } else { m.array_length(table) };
    let number = (0..length)
        .find(|&number| m.element(table, number) == 0)
        .unwrap_or(length);
    if number == length {
        let larger = m.new_array(m.known.object_array, (length * 2).max(16) as i32)?;
        for index in 0..length {
            m.set_element(larger, index, m.element(table, index));
        }
        m.memory.store(BLOCKS, larger);
        table = larger;
    }
    m.set_element(table, number, block);
    Ok(OUTSIDE | u64::from(number) << 32)
}

fn allocate(m: &mut Machine<'_>, args: &Args) -> Answer {
    match new_block(m, args.wide(1))? {
        Some(block) => Ok(enter(m, block)?.into()),
        // The JDK makes an OutOfMemoryError of it.
        None => Ok(0u64.into()),
    }
}

fn reallocate(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (address, size) = (args.wide(1), args.wide(3));
    let Some(larger) = new_block(m, size)? else {
        return Ok(0u64.into());
    };
    if address == 0 {
        return Ok(enter(m, larger)?.into());
    }
    let Some((number, old)) = block(m, address) else {
        return fault();
    };
    let kept = size.min(u64::from(m.array_length(old))) as usize;
    m.memory
        .copy_bytes((old, HEADER_BYTES as usize), (larger, HEADER_BYTES as usize), kept);
    let table = m.memory.load(BLOCKS);
    m.set_element(table, number, larger);
    Ok((OUTSIDE | u64::from(number) << 32).into())
}

fn free(m: &mut Machine<'_>, args: &Args) -> Answer {
    if let Some((number, _)) = block(m, args.wide(1)) {
        let table = m.memory.load(BLOCKS);
        m.set_element(table, number, 0);
    }
    Ok(Outcome::Void)
}

/// The natives.
pub(crate) const METHODS: &[(&str, &str, &str, Native)] = &[
    (UNSAFE, "allocateMemory0", "(J)J", allocate),
    (UNSAFE, "reallocateMemory0", "(JJ)J", reallocate),
    (UNSAFE, "freeMemory0", "(J)V", free),
];
