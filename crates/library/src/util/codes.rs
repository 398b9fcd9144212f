//! The prefix codes of "deflate" data (RFC 1951 §3.2), and what their symbols mean.

/// In which order a block gives the lengths of its code for code lengths.
pub(super) const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Base and extra bits of each symbol for a length, from 257 on.
#[rustfmt::skip]
pub(super) const LENGTHS: [(u16, u8); 29] = [
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1), (17, 1), (19, 2), (23, 2),
    (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4), (115, 4), (131, 5), (163, 5),
    (195, 5), (227, 5), (258, 0),
];

/// Base and extra bits of each symbol for a distance.
#[rustfmt::skip]
pub(super) const DISTANCES: [(u16, u8); 30] = [
    (1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (7, 1), (9, 2), (13, 2), (17, 3), (25, 3), (33, 4), (49, 4), (65, 5), (97, 5),
    (129, 6), (193, 6), (257, 7), (385, 7), (513, 8), (769, 8), (1025, 9), (1537, 9), (2049, 10), (3073, 10), (4097, 11),
    (6145, 11), (8193, 12), (12_289, 12), (16_385, 13), (24_577, 13),
];

/// Bits that one look into the table decodes.
const QUICK: u32 = 9;

/// A canonical prefix code.
pub(super) struct Codes {
    /// Symbol and length for every group of [`QUICK`] bits that begins with a code of at most that length; 0 if none.
    quick: [u16; 1 << QUICK],
    /// How many codes have each length.
    counts: [u16; 16],
    /// Symbols in the order of their codes.
    symbols: Vec<u16>,
}

impl Codes {
    /// Whether lengths make a code that decodes everything. A code with a single word of one bit may be incomplete, if
    /// that is allowed.
    pub(super) fn is_valid(lengths: &[u8], single: bool) -> bool {
        let mut counts = [0i32; 16];
        for &length in lengths {
            counts[usize::from(length & 15)] += 1;
        }
        let longest = (1..16).rev().find(|&length| counts[length] != 0).unwrap_or(0);
        if longest == 0 {
            // No code at all: an error only when one is asked for.
            return single;
        }
        let mut left = 1i32;
        for &count in &counts[1..] {
            left = left * 2 - count;
            if left < 0 {
                return false;
            }
        }
        left == 0 || single && longest == 1
    }

    pub(super) fn new(lengths: &[u8]) -> Codes {
        let mut counts = [0u16; 16];
        for &length in lengths {
            counts[usize::from(length & 15)] += 1;
        }
        counts[0] = 0;
        let mut offsets = [0u16; 16];
        let mut first = [0u32; 16];
        let mut code = 0;
        for length in 1..16 {
            offsets[length] = offsets[length - 1] + counts[length - 1];
            code = (code + u32::from(counts[length - 1])) << 1;
            first[length] = code;
        }
        let mut symbols = vec![0; lengths.len()];
        let mut quick = [0u16; 1 << QUICK];
        for (symbol, &length) in lengths.iter().enumerate().filter(|&(_, &length)| length != 0) {
            let length = u32::from(length & 15);
            let slot = &mut offsets[length as usize];
            symbols[usize::from(*slot)] = symbol as u16;
            *slot += 1;
            let code = first[length as usize];
            first[length as usize] += 1;
            if length <= QUICK {
                let reversed = (code.reverse_bits() >> (32 - length)) as usize & ((1 << QUICK) - 1);
                for index in (reversed..1 << QUICK).step_by(1 << length) {
                    quick[index] = (symbol as u16) << 4 | length as u16;
                }
            }
        }
        Codes { quick, counts, symbols }
    }

    /// The symbol at the beginning of the bits, of which there are `count`, and its length.
    pub(super) fn decode(&self, bits: u64, count: u32) -> Option<(u16, u32)> {
        let entry = self.quick[bits as usize & ((1 << QUICK) - 1)];
        if entry != 0 {
            let length = u32::from(entry & 15);
            return (length <= count).then_some((entry >> 4, length));
        }
        let (mut code, mut first, mut index) = (0i32, 0i32, 0i32);
        for length in 1..16u32 {
            code |= (bits >> (length - 1) & 1) as i32;
            let here = i32::from(self.counts[length as usize]);
            if code - here < first {
                let symbol = self.symbols.get((index + (code - first)) as usize).copied()?;
                return (length <= count).then_some((symbol, length));
            }
            index += here;
            first = (first + here) << 1;
            code <<= 1;
        }
        None
    }
}
