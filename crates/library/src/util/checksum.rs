//! `java.util.zip.CRC32` and `Adler32`.

use crate::common::{Entry, non_null};
use crate::io::streams::checked;
use crate::outside;
use machine::heap::ARRAY_BASE;
use machine::{Answer, Args, Machine};

const CRC: &str = "java/util/zip/CRC32";
const ADLER: &str = "java/util/zip/Adler32";

pub(crate) const METHODS: &[Entry] = &[
    (CRC, "update", "(II)I", |_, args| {
        Ok((crc32(args.word(0), &[args.word(1) as u8]) as i32).into())
    }),
    (CRC, "updateBytes0", "(I[BII)I", |m, args| of_array(m, args, crc32)),
    (CRC, "updateByteBuffer0", "(IJII)I", |m, args| of_buffer(m, args, crc32)),
    (ADLER, "update", "(II)I", |_, args| {
        Ok((adler32(args.word(0), &[args.word(1) as u8]) as i32).into())
    }),
    (ADLER, "updateBytes", "(I[BII)I", |m, args| of_array(m, args, adler32)),
    (ADLER, "updateByteBuffer", "(IJII)I", |m, args| {
        of_buffer(m, args, adler32)
    }),
];

fn of_array(m: &mut Machine<'_>, args: &Args, sum: fn(u32, &[u8]) -> u32) -> Answer {
    let array = non_null(args.word(1))?;
    let (offset, length) = checked(m, array, args.int(2), args.int(3))?;
    let bytes = m.memory.bytes(array, ARRAY_BASE + offset, length);
    Ok((sum(args.word(0), bytes) as i32).into())
}

fn of_buffer(m: &mut Machine<'_>, args: &Args, sum: fn(u32, &[u8]) -> u32) -> Answer {
    let length = args.int(4).max(0) as u64;
    let address = args.wide(1).wrapping_add(args.int(3) as i64 as u64);
    let (block, offset) = outside::place(m, address, length)?;
    Ok((sum(args.word(0), m.memory.bytes(block, offset, length as usize)) as i32).into())
}

/// The reflected polynomial of CRC-32.
const POLYNOMIAL: u32 = 0xedb8_8320;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 {
                value >> 1 ^ POLYNOMIAL
            } else {
                value >> 1
            };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
};

/// CRC-32 of what came before, whose sum is given, and these bytes.
pub(crate) fn crc32(sum: u32, bytes: &[u8]) -> u32 {
    !bytes
        .iter()
        .fold(!sum, |crc, &byte| TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8)
}

/// Adler-32 of what came before, whose sum is given, and these bytes.
pub(crate) fn adler32(sum: u32, bytes: &[u8]) -> u32 {
    const PRIME: u32 = 65_521;
    let (mut low, mut high) = (sum & 0xffff, sum >> 16);
    // As many bytes as cannot overflow a word.
    for chunk in bytes.chunks(5552) {
        for &byte in chunk {
            low += u32::from(byte);
            high += low;
        }
        low %= PRIME;
        high %= PRIME;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standards() {
        assert_eq!(crc32(0, b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(crc32(0, b"12345"), b"6789"), 0xcbf4_3926);
        assert_eq!(adler32(1, b"Wikipedia"), 0x11e6_0398);
        assert_eq!(adler32(adler32(1, b"Wiki"), b"pedia"), 0x11e6_0398);
    }
}
