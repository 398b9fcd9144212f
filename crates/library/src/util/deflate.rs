//! Compression to "deflate" data (RFC 1951) that makes the same choices as zlib, so that the result has the same bytes:
//! its hash chains, its lazy matching, its limits for each level and its blocks of 16383 symbols.
//!
//! All input is given at once. zlib waits for enough input before it decides anything, so that how the input is cut
//! makes no difference there either. Level 0 alone differs: zlib's stored blocks depend on the buffers of its caller.

use super::trees::Block;

const WINDOW: usize = 32_768;
const LEAST: usize = 3;
const MOST: usize = 258;
/// How far back a match may begin.
const REACH: usize = WINDOW - (MOST + LEAST + 1);
/// Matches of three bytes are not worth it from here on.
const TOO_FAR: usize = 4096;
const HASH_BITS: u32 = 15;
const STORED_MOST: usize = 65_535;

/// Where something happens to the stream besides its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flush {
    /// Everything up to here can be decompressed.
    Sync,
    /// And nothing after it refers to what was before.
    Full,
}

/// How hard a level tries: from which length of the last match on it looks less, lazily, no further; and how long chains
/// are followed.
struct Effort {
    good: usize,
    lazy: usize,
    nice: usize,
    chain: usize,
}

const EFFORTS: [Effort; 10] = [
    Effort {
        good: 0,
        lazy: 0,
        nice: 0,
        chain: 0,
    },
    Effort {
        good: 4,
        lazy: 4,
        nice: 8,
        chain: 4,
    },
    Effort {
        good: 4,
        lazy: 5,
        nice: 16,
        chain: 8,
    },
    Effort {
        good: 4,
        lazy: 6,
        nice: 32,
        chain: 32,
    },
    Effort {
        good: 4,
        lazy: 4,
        nice: 16,
        chain: 16,
    },
    Effort {
        good: 8,
        lazy: 16,
        nice: 32,
        chain: 32,
    },
    Effort {
        good: 8,
        lazy: 16,
        nice: 128,
        chain: 128,
    },
    Effort {
        good: 8,
        lazy: 32,
        nice: 128,
        chain: 256,
    },
    Effort {
        good: 32,
        lazy: 128,
        nice: 258,
        chain: 1024,
    },
    Effort {
        good: 32,
        lazy: 258,
        nice: 258,
        chain: 4096,
    },
];

/// What is compressed, and how.
pub(crate) struct Task<'a> {
    /// The dictionary, then the input.
    pub data: &'a [u8],
    /// Bytes of the dictionary.
    pub start: usize,
    /// 0 to 9.
    pub level: usize,
    /// zlib's "filtered" strategy.
    pub filtered: bool,
    /// Without matches.
    pub huffman_only: bool,
    /// Flushes, at ascending positions of `data`.
    pub flushes: &'a [(usize, Flush)],
    /// Whether the stream ends after the data.
    pub finish: bool,
}

/// Compresses; the stream ends at a byte if a flush or the end comes last.
pub(crate) fn compress(task: &Task<'_>) -> Vec<u8> {
    let mut state = State {
        task,
        heads: vec![0; 1 << HASH_BITS],
        links: vec![0; WINDOW],
        at: task.start,
        block_start: task.start,
        waiting: 0,
        block: Block::default(),
        out: Bits::default(),
    };
    if task.start > 0 {
        state.insert_range(0, task.start.saturating_sub(LEAST - 1));
        state.waiting = task.start.min(LEAST - 1);
    }
    let mut flushes = task.flushes.iter().peekable();
    loop {
        let next = flushes.next();
        let end = next.map_or(task.data.len(), |flush| flush.0);
        let last = next.is_none();
        if last && !task.finish {
            break;
        }
        state.segment(end, last);
        let Some((_, kind)) = next else { break };
        state.out.stored(&[], false);
        if *kind == Flush::Full {
            state.heads.fill(0);
            state.waiting = 0;
        }
    }
    state.out.align();
    state.out.bytes
}

struct State<'t> {
    task: &'t Task<'t>,
    /// The latest position of each hash; 0 is none, so that position 0 is never found.
    heads: Vec<u32>,
    /// The position before, with the same hash.
    links: Vec<u32>,
    at: usize,
    block_start: usize,
    /// Positions before `at` that could not be hashed for want of input.
    waiting: usize,
    block: Block,
    out: Bits,
}

impl State<'_> {
    fn hash(&self, at: usize) -> usize {
        let data = self.task.data;
        (usize::from(data[at]) << 10 ^ usize::from(data[at + 1]) << 5 ^ usize::from(data[at + 2]))
            & ((1 << HASH_BITS) - 1)
    }

    /// Enters a position; gives the one before it with the same hash, or 0.
    fn insert(&mut self, at: usize) -> usize {
        let hash = self.hash(at);
        let before = self.heads[hash];
        self.links[at % WINDOW] = before;
        self.heads[hash] = at as u32;
        before as usize
    }

    fn insert_range(&mut self, from: usize, to: usize) {
        for at in from..to {
            self.insert(at);
        }
    }

    /// Compresses up to `end`, and ends the block there.
    fn segment(&mut self, end: usize, last: bool) {
        // What could not be hashed at the end of the last segment can be now.
        if self.waiting > 0 && self.at < end {
            let from = self.at - self.waiting;
            let to = self.at.min(end.saturating_sub(LEAST - 1));
            self.insert_range(from, to);
            self.waiting = self.at - to.max(from);
        }
        match self.task.level {
            0 => return self.store(end, last),
            _ if self.task.huffman_only => self.literals(end),
            1..=3 => self.fast(end),
            _ => self.slow(end),
        }
        self.waiting = self.at.min(LEAST - 1);
        if last || !self.block.is_empty() {
            self.flush_block(self.at, last);
        }
    }

    fn flush_block(&mut self, end: usize, last: bool) {
        let stored = &self.task.data[self.block_start..end];
        self.block.write(&mut self.out, stored, last);
        self.block_start = end;
    }

    fn store(&mut self, end: usize, last: bool) {
        loop {
            let size = (end - self.at).min(STORED_MOST);
            let is_last = last && self.at + size == end;
            if size == 0 && !is_last {
                return;
            }
            self.out.stored(&self.task.data[self.at..self.at + size], is_last);
            self.at += size;
            self.block_start = self.at;
            if self.at == end {
                return;
            }
        }
    }

    fn literals(&mut self, end: usize) {
        while self.at < end {
            let full = self.block.literal(self.task.data[self.at]);
            self.at += 1;
            if full {
                self.flush_block(self.at, false);
            }
        }
    }

    /// The longest match for the current position that is longer than `previous`, from a chain of candidates. Its length
    /// and where it is.
    fn longest(&self, candidate: usize, previous: usize, end: usize) -> (usize, usize) {
        let effort = &EFFORTS[self.task.level];
        let data = self.task.data;
        let ahead = end - self.at;
        let scan = &data[self.at..end];
        let limit = self.at.saturating_sub(REACH);
        let nice = effort.nice.min(ahead);
        let mut chain = if previous >= effort.good {
            effort.chain >> 2
        } else {
            effort.chain
        };
        let (mut best, mut found) = (previous, 0);
        let mut candidate = candidate;
        if best >= ahead {
            return (ahead, 0);
        }
        loop {
            let there = &data[candidate..];
            if there[best] == scan[best] && there[best - 1] == scan[best - 1] && there[..2] == scan[..2] {
                let most = MOST.min(ahead);
                let length = scan[..most]
                    .iter()
                    .zip(there)
                    .take_while(|(one, other)| one == other)
                    .count();
                if length > best {
                    found = candidate;
                    best = length;
                    if length >= nice {
                        break;
                    }
                }
            }
            candidate = self.links[candidate % WINDOW] as usize;
            chain -= 1;
            if candidate <= limit || chain == 0 {
                break;
            }
        }
        (best.min(ahead), found)
    }

    fn fast(&mut self, end: usize) {
        let effort = &EFFORTS[self.task.level];
        while self.at < end {
            let candidate = if end - self.at >= LEAST {
                self.insert(self.at)
            } else {
                0
            };
            let mut length = 0;
            let mut found = 0;
            if candidate != 0 && self.at - candidate <= REACH {
                (length, found) = self.longest(candidate, LEAST - 1, end);
            }
            let full;
            if length >= LEAST {
                full = self.block.pair(self.at - found, length);
                let after = self.at + length;
                if length <= effort.lazy && end - after >= LEAST {
                    self.insert_range(self.at + 1, after);
                }
                self.at = after;
            } else {
                full = self.block.literal(self.task.data[self.at]);
                self.at += 1;
            }
            if full {
                self.flush_block(self.at, false);
            }
        }
    }

    fn slow(&mut self, end: usize) {
        let effort = &EFFORTS[self.task.level];
        let (mut length, mut found) = (LEAST - 1, 0);
        // A literal before the current position that waits for a better match here.
        let mut pending = false;
        while self.at < end {
            let candidate = if end - self.at >= LEAST {
                self.insert(self.at)
            } else {
                0
            };
            let (last_length, last_found) = (length, found);
            length = LEAST - 1;
            if candidate != 0 && last_length < effort.lazy && self.at - candidate <= REACH {
                (length, found) = self.longest(candidate, last_length, end);
                let poor = length == LEAST && self.at - found > TOO_FAR;
                if length <= 5 && (self.task.filtered || poor) {
                    length = LEAST - 1;
                }
            }
            if last_length >= LEAST && length <= last_length {
                let full = self.block.pair(self.at - 1 - last_found, last_length);
                let after = self.at + last_length - 1;
                let most = (end + 1).saturating_sub(LEAST);
                self.insert_range(self.at + 1, after.min(most));
                self.at = after;
                pending = false;
                length = LEAST - 1;
                if full {
                    self.flush_block(self.at, false);
                }
            } else {
                if pending && self.block.literal(self.task.data[self.at - 1]) {
                    self.flush_block(self.at, false);
                }
                pending = true;
                self.at += 1;
            }
        }
        if pending {
            // Whether this fills the block does not matter: it ends here.
            self.block.literal(self.task.data[self.at - 1]);
        }
    }
}

/// Bits, the first one lowest.
#[derive(Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    buffer: u64,
    count: u32,
}

impl Bits {
    /// Appends at most 32 bits.
    pub(super) fn put(&mut self, value: u32, count: u32) {
        self.buffer |= u64::from(value) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.buffer as u8);
            self.buffer >>= 8;
            self.count -= 8;
        }
    }

    /// Fills the last byte up.
    fn align(&mut self) {
        if self.count > 0 {
            self.bytes.push(self.buffer as u8);
            self.buffer = 0;
            self.count = 0;
        }
    }

    /// Appends a stored block.
    pub(super) fn stored(&mut self, bytes: &[u8], last: bool) {
        self.put(u32::from(last), 3);
        self.align();
        let length = bytes.len() as u16;
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend((!length).to_le_bytes());
        self.bytes.extend(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::inflate::{Inflate, WINDOW};

    /// Numbers that look random, the same in every run.
    fn random(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        }
    }

    fn sample(seed: u64, length: usize) -> Vec<u8> {
        let mut next = random(seed);
        let mut data = Vec::new();
        while data.len() < length {
            match next() % 3 {
                0 => data.extend((0..next() % 20).map(|n| (n * 7) as u8)),
                1 => data.push(next() as u8),
                _ => {
                    let from = next() as usize % data.len().max(1);
                    let piece: Vec<u8> = data[from..].iter().take(next() as usize % 300).copied().collect();
                    data.extend(piece);
                }
            }
        }
        data.truncate(length);
        data
    }

    fn expand(stream: &[u8], room: usize) -> Result<Vec<u8>, &'static str> {
        let mut output = vec![0; room];
        let progress = Inflate::new(true)
            .run(stream, &mut output, &mut vec![0; WINDOW])
            .map_err(|(_, why)| why)?;
        output.truncate(progress.written);
        Ok(output)
    }

    #[test]
    fn what_is_compressed_can_be_expanded() {
        for (length, seed) in [(0, 1), (1, 2), (2, 3), (500, 4), (40_000, 5), (150_000, 6)] {
            let data = sample(seed, length);
            for level in 0..10 {
                for (filtered, huffman_only) in [(false, false), (true, false), (false, true)] {
                    let flushes = [(length / 3, Flush::Sync), (length / 2, Flush::Full)];
                    let flushes = if length > 100 { &flushes[..] } else { &[] };
                    let task = Task {
                        data: &data,
                        start: 0,
                        level,
                        filtered,
                        huffman_only,
                        flushes,
                        finish: true,
                    };
                    assert_eq!(
                        expand(&compress(&task), length).as_ref(),
                        Ok(&data),
                        "{length} bytes, level {level}"
                    );
                }
            }
        }
    }

    #[test]
    fn broken_streams_are_refused_or_expanded_without_harm() {
        let data = sample(9, 3000);
        let task = Task {
            data: &data,
            start: 0,
            level: 6,
            filtered: false,
            huffman_only: false,
            flushes: &[],
            finish: true,
        };
        let stream = compress(&task);
        let mut next = random(10);
        for _ in 0..3000 {
            let mut broken = stream.clone();
            for _ in 0..1 + next() % 4 {
                let at = next() as usize % broken.len();
                broken[at] = next() as u8;
            }
            // Either outcome is right; there must be one.
            let _ = expand(&broken, 10_000);
        }
    }
}
