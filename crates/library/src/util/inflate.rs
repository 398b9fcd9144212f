//! Decompression of "deflate" data (RFC 1950, RFC 1951) that can stop and go on at any byte, in a state that is plain
//! data: it is kept in the machine's memory between two calls.
//!
//! Errors are told in zlib's words, since Java programs see them.

use super::checksum::adler32;
use super::codes::{Codes, DISTANCES, LENGTHS, ORDER};

/// Bytes of history that a match may reach back into.
pub(crate) const WINDOW: usize = 32_768;

/// What comes next in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Mode {
    Header,
    DictionaryId,
    NeedsDictionary,
    Block,
    StoredLength,
    Stored,
    Table,
    CodeLengths,
    Lengths,
    Symbols,
    Match,
    Check,
    Done,
}

const MODES: [Mode; 13] = [
    Mode::Header,
    Mode::DictionaryId,
    Mode::NeedsDictionary,
    Mode::Block,
    Mode::StoredLength,
    Mode::Stored,
    Mode::Table,
    Mode::CodeLengths,
    Mode::Lengths,
    Mode::Symbols,
    Mode::Match,
    Mode::Check,
    Mode::Done,
];

/// The most code lengths that a block can have, those of its code for code lengths not counted.
const MOST_LENGTHS: usize = 288 + 32;

/// Everything but the window.
pub(crate) struct Inflate {
    mode: Mode,
    /// Without zlib's header and check.
    raw: bool,
    last: bool,
    /// Bits that were taken from the input and not used.
    bits: u64,
    count: u32,
    /// Rest of a stored block, or of a match.
    left: u32,
    distance: u32,
    /// Numbers of codes of the block at hand: literals and lengths, distances, code lengths; how many are known.
    literals: u16,
    distances: u16,
    code_lengths: u16,
    have: u16,
    lengths: [u8; MOST_LENGTHS],
    order_lengths: [u8; 19],
    /// The check over all output, or of the dictionary that is needed.
    adler: u32,
    /// Bytes of output so far, as far as they matter for matches.
    filled: u32,
    /// Where in the window the next byte goes.
    next: u32,
}

/// What one call has done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub read: usize,
    pub written: usize,
    pub ended: bool,
    pub needs_dictionary: bool,
}

/// Room for a state as bytes.
pub(crate) const STATE: usize = 56 + MOST_LENGTHS + 19;

impl Inflate {
    pub(crate) fn new(raw: bool) -> Inflate {
        Inflate {
            mode: if raw { Mode::Block } else { Mode::Header },
            raw,
            last: false,
            bits: 0,
            count: 0,
            left: 0,
            distance: 0,
            literals: 0,
            distances: 0,
            code_lengths: 0,
            have: 0,
            lengths: [0; MOST_LENGTHS],
            order_lengths: [0; 19],
            adler: u32::from(!raw),
            filled: 0,
            next: 0,
        }
    }

    /// Whether it has no header and check.
    pub(crate) fn is_raw(&self) -> bool {
        self.raw
    }

    /// The check of the output so far, or the number of the dictionary that is needed.
    pub(crate) fn check(&self) -> u32 {
        self.adler
    }

    /// Where in the window the next byte goes.
    pub(crate) fn position(&self) -> usize {
        self.next as usize
    }

    /// The state as bytes.
    pub(crate) fn save(&self) -> [u8; STATE] {
        let mut bytes = [0; STATE];
        bytes[0] = self.mode as u8;
        bytes[1] = u8::from(self.raw);
        bytes[2] = u8::from(self.last);
        bytes[8..16].copy_from_slice(&self.bits.to_le_bytes());
        for (index, word) in [self.count, self.left, self.distance, self.adler, self.filled, self.next]
            .iter()
            .enumerate()
        {
            bytes[16 + index * 4..20 + index * 4].copy_from_slice(&word.to_le_bytes());
        }
        for (index, half) in [self.literals, self.distances, self.code_lengths, self.have]
            .iter()
            .enumerate()
        {
            bytes[40 + index * 2..42 + index * 2].copy_from_slice(&half.to_le_bytes());
        }
        bytes[56..56 + MOST_LENGTHS].copy_from_slice(&self.lengths);
        bytes[56 + MOST_LENGTHS..].copy_from_slice(&self.order_lengths);
        bytes
    }

    /// The state that was saved in these bytes.
    pub(crate) fn load(bytes: &[u8]) -> Option<Inflate> {
        let bytes: &[u8; STATE] = bytes.try_into().ok()?;
        let word = |index: usize| {
            let at = 16 + index * 4;
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let half = |index: usize| u16::from_le_bytes([bytes[40 + index * 2], bytes[41 + index * 2]]);
        let mut state = Inflate::new(bytes[1] != 0);
        state.mode = *MODES.get(usize::from(bytes[0]))?;
        state.last = bytes[2] != 0;
        state.bits = u64::from_le_bytes(bytes[8..16].try_into().ok()?);
        state.count = word(0).min(56);
        state.left = word(1);
        state.distance = word(2).min(WINDOW as u32);
        state.adler = word(3);
        state.filled = word(4).min(WINDOW as u32);
        state.next = word(5) % WINDOW as u32;
        state.literals = half(0).min(288);
        state.distances = half(1).min(32);
        state.code_lengths = half(2).min(19);
        state.have = half(3).min(MOST_LENGTHS as u16);
        state.lengths.copy_from_slice(&bytes[56..56 + MOST_LENGTHS]);
        state.order_lengths.copy_from_slice(&bytes[56 + MOST_LENGTHS..]);
        Some(state)
    }

    /// Presets the window; `false` if that is not the dictionary that is needed.
    pub(crate) fn set_dictionary(&mut self, dictionary: &[u8], window: &mut [u8]) -> bool {
        match self.mode {
            Mode::NeedsDictionary if adler32(1, dictionary) != self.adler => return false,
            Mode::NeedsDictionary => {
                self.mode = Mode::Block;
                self.adler = 1;
            }
            _ if !self.raw => return false,
            _ => {}
        }
        for &byte in &dictionary[dictionary.len().saturating_sub(WINDOW)..] {
            self.keep(byte, window);
        }
        true
    }

    fn keep(&mut self, byte: u8, window: &mut [u8]) {
        window[self.next as usize % WINDOW] = byte;
        self.next = (self.next + 1) % WINDOW as u32;
        self.filled = (self.filled + 1).min(WINDOW as u32);
    }

    /// Decompresses what there is of input into what there is of room. The window has [`WINDOW`] bytes.
    ///
    /// An error comes with what was done before it.
    pub(crate) fn run(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        window: &mut [u8],
    ) -> Result<Progress, (Progress, &'static str)> {
        let mut work = Work {
            input,
            read: 0,
            output,
            written: 0,
            tables: None,
        };
        let result = loop {
            match self.step(&mut work, window) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(message) => break Err(message),
            }
        };
        // Whole bytes that were taken in advance go back, unless it was input that was missing.
        let full = work.written == work.output.len();
        let over = matches!(self.mode, Mode::Check | Mode::Done | Mode::NeedsDictionary);
        let back = if full || over || result.is_err() {
            (self.count as usize / 8).min(work.read)
        } else {
            0
        };
        self.count -= back as u32 * 8;
        self.bits &= (1u64 << self.count) - 1;
        if !self.raw && self.mode != Mode::NeedsDictionary && work.written > 0 {
            self.adler = adler32(self.adler, &work.output[..work.written]);
        }
        // The check of zlib's trailer is that of all output, this call's included.
        let mut progress = Progress {
            read: work.read - back,
            written: work.written,
            ended: self.mode == Mode::Done,
            needs_dictionary: self.mode == Mode::NeedsDictionary,
        };
        match result {
            Err(message) => Err((progress, message)),
            Ok(()) if self.mode == Mode::Check => {
                let (read, result) = self.finish(&input[progress.read..]);
                progress.read += read;
                progress.ended = self.mode == Mode::Done;
                match result {
                    Some(message) => Err((progress, message)),
                    None => Ok(progress),
                }
            }
            Ok(()) => Ok(progress),
        }
    }

    /// Reads zlib's check as far as there is input.
    fn finish(&mut self, input: &[u8]) -> (usize, Option<&'static str>) {
        let mut read = 0;
        while self.count < 32 && read < input.len() {
            self.bits |= u64::from(input[read]) << self.count;
            self.count += 8;
            read += 1;
        }
        if self.count < 32 {
            return (read, None);
        }
        let stored = (self.bits as u32).swap_bytes();
        self.bits >>= 32;
        self.count -= 32;
        if stored != self.adler {
            return (read, Some("incorrect data check"));
        }
        self.mode = Mode::Done;
        (read, None)
    }

    /// Takes one small step; `false` when there is no input or no room for another.
    fn step(&mut self, work: &mut Work<'_>, window: &mut [u8]) -> Result<bool, &'static str> {
        match self.mode {
            Mode::Header => {
                let Some(header) = self.take(work, 16) else {
                    return Ok(false);
                };
                let (method, more) = (header & 0xff, header >> 8);
                if (method << 8 | more) % 31 != 0 {
                    return Err("incorrect header check");
                }
                if method & 15 != 8 {
                    return Err("unknown compression method");
                }
                if method >> 4 > 7 {
                    return Err("invalid window size");
                }
                self.mode = if more & 0x20 == 0 {
                    Mode::Block
                } else {
                    Mode::DictionaryId
                };
            }
            Mode::DictionaryId => {
                let Some(id) = self.take(work, 32) else {
                    return Ok(false);
                };
                self.adler = id.swap_bytes();
                self.mode = Mode::NeedsDictionary;
            }
            Mode::NeedsDictionary | Mode::Done | Mode::Check => return Ok(false),
            Mode::Block => return self.block(work),
            Mode::StoredLength => {
                let Some(lengths) = self.take(work, 32) else {
                    return Ok(false);
                };
                if lengths & 0xffff != !lengths >> 16 {
                    return Err("invalid stored block lengths");
                }
                self.left = lengths & 0xffff;
                self.mode = Mode::Stored;
            }
            Mode::Stored => {
                if self.left == 0 {
                    self.mode = Mode::Block;
                    return Ok(true);
                }
                if work.written == work.output.len() {
                    return Ok(false);
                }
                let Some(byte) = self.take(work, 8) else {
                    return Ok(false);
                };
                self.put(byte as u8, work, window);
                self.left -= 1;
            }
            Mode::Table => {
                let Some(sizes) = self.take(work, 14) else {
                    return Ok(false);
                };
                self.literals = (sizes & 31) as u16 + 257;
                self.distances = (sizes >> 5 & 31) as u16 + 1;
                self.code_lengths = (sizes >> 10) as u16 + 4;
                if self.literals > 286 || self.distances > 30 {
                    return Err("too many length or distance symbols");
                }
                self.have = 0;
                self.order_lengths = [0; 19];
                self.mode = Mode::CodeLengths;
            }
            Mode::CodeLengths => {
                if self.have == self.code_lengths {
                    if !Codes::is_valid(&self.order_lengths, false) {
                        return Err("invalid code lengths set");
                    }
                    self.have = 0;
                    self.mode = Mode::Lengths;
                    work.tables = None;
                    return Ok(true);
                }
                let Some(length) = self.take(work, 3) else {
                    return Ok(false);
                };
                self.order_lengths[ORDER[usize::from(self.have)]] = length as u8;
                self.have += 1;
            }
            Mode::Lengths => return self.length(work),
            Mode::Symbols => return self.symbol(work, window),
            Mode::Match => {
                while self.left > 0 {
                    if work.written == work.output.len() {
                        return Ok(false);
                    }
                    let at = (self.next as usize + WINDOW - self.distance as usize) % WINDOW;
                    let byte = window[at];
                    self.put(byte, work, window);
                    self.left -= 1;
                }
                self.mode = Mode::Symbols;
            }
        }
        Ok(true)
    }

    fn block(&mut self, work: &mut Work<'_>) -> Result<bool, &'static str> {
        if self.last {
            // What is left of the last byte is thrown away.
            let odd = self.count % 8;
            self.drop(odd);
            self.mode = if self.raw { Mode::Done } else { Mode::Check };
            return Ok(false);
        }
        let Some(header) = self.take(work, 3) else {
            return Ok(false);
        };
        self.last = header & 1 == 1;
        match header >> 1 {
            0 => {
                let odd = self.count % 8;
                self.drop(odd);
                self.mode = Mode::StoredLength;
            }
            1 => {
                self.fixed();
                work.tables = None;
                self.mode = Mode::Symbols;
            }
            2 => self.mode = Mode::Table,
            _ => return Err("invalid block type"),
        }
        Ok(true)
    }

    /// The code lengths that RFC 1951 fixes.
    fn fixed(&mut self) {
        self.literals = 288;
        self.distances = 32;
        for (symbol, length) in self.lengths.iter_mut().enumerate() {
            *length = match symbol {
                0..144 => 8,
                144..256 => 9,
                256..280 => 7,
                280..288 => 8,
                _ => 5,
            };
        }
    }

    /// Reads one code length of the block, or a run of equal ones.
    fn length(&mut self, work: &mut Work<'_>) -> Result<bool, &'static str> {
        let total = self.literals + self.distances;
        if self.have >= total {
            let (literals, distances) = self.lengths[..usize::from(total)].split_at(usize::from(self.literals));
            if literals[256] == 0 {
                return Err("invalid code -- missing end-of-block");
            }
            if !Codes::is_valid(literals, true) {
                return Err("invalid literal/lengths set");
            }
            if !Codes::is_valid(distances, true) {
                return Err("invalid distances set");
            }
            work.tables = None;
            self.mode = Mode::Symbols;
            return Ok(true);
        }
        self.fill(work);
        let codes = Codes::new(&self.order_lengths);
        let Some((symbol, used)) = codes.decode(self.bits, self.count) else {
            return if self.count >= 15 {
                Err("invalid code lengths set")
            } else {
                Ok(false)
            };
        };
        let (extra, base, value) = match symbol {
            0..16 => (0, 1, symbol as u8),
            16 if self.have == 0 => return Err("invalid bit length repeat"),
            16 => (2, 3, self.lengths[usize::from(self.have) - 1]),
            17 => (3, 3, 0),
            _ => (7, 11, 0),
        };
        if self.count < used + extra {
            return Ok(false);
        }
        self.drop(used);
        let repeat = base + (self.bits & ((1 << extra) - 1)) as u16;
        self.drop(extra);
        if self.have + repeat > total {
            return Err("invalid bit length repeat");
        }
        let from = usize::from(self.have);
        self.lengths[from..from + usize::from(repeat)].fill(value);
        self.have += repeat;
        Ok(true)
    }

    /// Reads literals until there is no room, or a match, or the end of the block.
    fn symbol(&mut self, work: &mut Work<'_>, window: &mut [u8]) -> Result<bool, &'static str> {
        let tables = match work.tables.take() {
            Some(tables) => tables,
            None => {
                let (literals, distances) = (usize::from(self.literals), usize::from(self.distances));
                Box::new((
                    Codes::new(&self.lengths[..literals]),
                    Codes::new(&self.lengths[literals..literals + distances]),
                ))
            }
        };
        let result = self.symbol_with(&tables, work, window);
        work.tables = Some(tables);
        result
    }

    fn symbol_with(
        &mut self,
        tables: &(Codes, Codes),
        work: &mut Work<'_>,
        window: &mut [u8],
    ) -> Result<bool, &'static str> {
        loop {
            if work.written == work.output.len() {
                return Ok(false);
            }
            self.fill(work);
            let Some((symbol, mut used)) = tables.0.decode(self.bits, self.count) else {
                return if self.count >= 15 {
                    Err("invalid literal/length code")
                } else {
                    Ok(false)
                };
            };
            if symbol < 256 {
                self.drop(used);
                self.put(symbol as u8, work, window);
                continue;
            }
            if symbol == 256 {
                self.drop(used);
                self.mode = Mode::Block;
                return Ok(true);
            }
            let Some(&(base, extra)) = LENGTHS.get(usize::from(symbol) - 257) else {
                return Err("invalid literal/length code");
            };
            let mut bits = self.bits >> used;
            let length = u32::from(base) + (bits & ((1 << extra) - 1)) as u32;
            used += u32::from(extra);
            if self.count < used {
                return Ok(false);
            }
            bits >>= extra;
            let Some((symbol, more)) = tables.1.decode(bits, self.count - used) else {
                return if self.count - used >= 15 {
                    Err("invalid distance code")
                } else {
                    Ok(false)
                };
            };
            let Some(&(base, extra)) = DISTANCES.get(usize::from(symbol)) else {
                return Err("invalid distance code");
            };
            bits >>= more;
            used += more + u32::from(extra);
            if self.count < used {
                return Ok(false);
            }
            let distance = u32::from(base) + (bits & ((1 << extra) - 1)) as u32;
            if distance > self.filled {
                return Err("invalid distance too far back");
            }
            self.drop(used);
            self.left = length;
            self.distance = distance;
            self.mode = Mode::Match;
            return Ok(true);
        }
    }

    fn put(&mut self, byte: u8, work: &mut Work<'_>, window: &mut [u8]) {
        work.output[work.written] = byte;
        work.written += 1;
        self.keep(byte, window);
    }

    /// Takes as many bits into the buffer as it holds.
    fn fill(&mut self, work: &mut Work<'_>) {
        while self.count <= 48 && work.read < work.input.len() {
            self.bits |= u64::from(work.input[work.read]) << self.count;
            self.count += 8;
            work.read += 1;
        }
    }

    fn drop(&mut self, count: u32) {
        self.bits = if count >= 64 { 0 } else { self.bits >> count };
        self.count -= count;
    }

    /// The next bits, at most 32; `None` if there are not so many.
    fn take(&mut self, work: &mut Work<'_>, count: u32) -> Option<u32> {
        self.fill(work);
        if self.count < count {
            return None;
        }
        let value = (self.bits & ((1u64 << count) - 1)) as u32;
        self.drop(count);
        Some(value)
    }
}

/// Input and output of one call.
struct Work<'a> {
    input: &'a [u8],
    read: usize,
    output: &'a mut [u8],
    written: usize,
    /// The codes of the block at hand.
    tables: Option<Box<(Codes, Codes)>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "hello hello hello hello\n" with zlib's header, as zlib compresses it.
    const HELLO: [u8; 17] = [
        0x78, 0x9c, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0xb9, 0x00, 0x70, 0xbe, 0x08, 0xbb,
    ];

    #[test]
    fn it_goes_on_after_every_byte_of_input_and_output() {
        let text = b"hello hello hello hello\n";
        let stream = HELLO;
        for (step_in, step_out) in [(1, 1), (1, 100), (100, 1), (3, 2), (100, 100)] {
            let mut state = Inflate::new(false);
            let mut window = vec![0; WINDOW];
            let (mut position, mut result, mut ended) = (0, Vec::<u8>::new(), false);
            for _ in 0..1000 {
                let mut room = vec![0; step_out];
                let end = (position + step_in).min(stream.len());
                let progress = state.run(&stream[position..end], &mut room, &mut window).unwrap();
                position += progress.read;
                result.extend(&room[..progress.written]);
                ended = progress.ended;
                state = Inflate::load(&state.save()).unwrap();
                if ended {
                    break;
                }
            }
            assert!(ended, "{step_in} {step_out}");
            assert_eq!(result, text);
            assert_eq!(position, stream.len());
        }
    }

    #[test]
    fn broken_streams_are_told_in_the_words_of_zlib() {
        for (stream, message) in [
            (&[0x78, 0x9d][..], "incorrect header check"),
            (&[0x78, 0x9c, 0x07], "invalid block type"),
            (&[0x78, 0x9c, 0x01, 1, 0, 1, 0], "invalid stored block lengths"),
        ] {
            let mut state = Inflate::new(false);
            let result = state.run(stream, &mut [0; 10], &mut vec![0; WINDOW]);
            assert_eq!(result.map_err(|(_, message)| message), Err(message));
        }
    }
}
