//! One word-addressed memory with a trail.
//!
//! All that changes while a program runs lies here: objects, frames, the tables of threads and classes. An address is
//! a word number; 0 is null. Memory has these parts, in this order:
//!
//! | part | what it holds | how it goes back |
//! | --- | --- | --- |
//! | tables | threads, classes, interned strings, call sites | every write is logged |
//! | heap | objects, allocated by a bump | a write below `mark` is logged; allocation is undone by resetting `top` |
//! | stacks | frames, a fixed range for each thread | whole frames are logged when they first come into play |
//!
//! A *step* begins with [`Memory::begin`]. Until the next one, a word is logged at most once: a bit for each word
//! tells whether it was. Words allocated since the step began need no log at all. Registers are written without a
//! log: the top frame is logged when the step begins, and an older frame when a return uncovers it, so a loop over
//! local variables costs the trail nothing.
//!
//! Every address that 32 bits can name is reserved, as far as any offset from it leads, and has nothing behind it but where memory
//! really is. So a wrong address may hit a wrong word or fault, and never reaches anything else of the process. The heap gets its
//! pages as it grows, which is also when it is asked whether there is `Memory::room` for them.

use crate::audit::Recorder;
use crate::reserve::Reserved;

/// A word number; 0 is null.
pub type Address = u32;

/// Bytes from word 0 that any address with any offset may lie in: as many elements as 32 bits can count, of eight bytes each, from the
/// last word on, and a value that begins there.
const SPAN: usize = (1 << 34) + (1 << 35) + (1 << 16);
/// Bytes of the bits of all words.
const BITS_SPAN: usize = (1 << 29) + (1 << 16);
/// Words at the end of the heap that only an error may use which says that the heap is full.
const RESERVE: u32 = 1 << 14;
/// Words of the heap that keep their pages when all goes back to the image: 16 MiB.
const KEPT: u32 = 1 << 22;
/// The heap grows by a multiple of so many words: a mebibyte.
const STRIDE: u32 = 1 << 18;

/// What is needed to go back to the beginning of a step.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint {
    trail: usize,
    segment: usize,
    top: Address,
    mark: Address,
}

/// The memory.
pub struct Memory {
    words: Reserved,
    base: *mut u32,
    dirty: Reserved,
    bits: *mut u64,
    size: u32,
    /// First free word of the heap.
    top: Address,
    /// Where the part of the heap ends that has pages.
    ceiling: Address,
    /// Whether there is room for so many bytes more.
    room: fn(u64) -> bool,
    /// Whether there was none when the heap last wanted to grow.
    refused: bool,
    /// Words at the end of the heap that nobody gets.
    held_back: u32,
    /// Where the heap ends.
    limit: Address,
    /// Words of the heap from here on are younger than the current step.
    mark: Address,
    /// Words with their old values, and frames: their first address, which lies beyond the limit, and how many words they have.
    trail: Vec<(Address, u32)>,
    /// The old words of the frames in the trail.
    frames: Vec<u32>,
    /// Where in the trail the current step begins.
    segment: usize,
    image: Image,
    changes: Changes,
    /// What a native method accesses, in builds with debug assertions.
    pub(crate) recorder: Recorder,
}

/// What has changed since somebody looked.
#[derive(Default)]
struct Changes {
    /// How long the trail was then, or how short it has become since: what lies beyond has changed.
    seen: usize,
    /// Words that were taken back from what was seen.
    undone: Vec<Address>,
    /// Whether the trail does not tell.
    lost: bool,
    /// How low the top of the heap has been since: objects from there on are others now.
    lowest: Address,
}

/// What memory held when the program was about to begin, and which of those words were ever written since.
#[derive(Default)]
struct Image {
    words: Vec<u32>,
    touched: Vec<u64>,
    changed: Vec<Address>,
    sorted: usize,
}

impl Memory {
    /// A memory of `size` words whose heap lies between `heap` and `limit`.
    pub fn new(size: u32, heap: Address, limit: Address) -> std::io::Result<Memory> {
        let mut words = Reserved::new(SPAN)?;
        let mut dirty = Reserved::new(BITS_SPAN)?;
        words.commit(0, heap as usize * 4)?;
        words.commit(limit as usize * 4, size as usize * 4)?;
        dirty.commit(0, size as usize / 8 + 8)?;
        let base = words.base().cast();
        let bits = dirty.base().cast();
        Ok(Memory {
            words,
            base,
            dirty,
            bits,
            size,
            top: heap,
            ceiling: heap,
            room: |_| true,
            refused: false,
            held_back: RESERVE.min((limit - heap) / 2),
            limit,
            mark: heap,
            trail: Vec::new(),
            frames: Vec::new(),
            segment: 0,
            image: Image::default(),
            changes: Changes::default(),
            recorder: Recorder::default(),
        })
    }

    /// Where word 0 lies.
    #[inline(always)]
    pub fn base(&self) -> *mut u32 {
        self.base
    }

    #[inline(always)]
    fn at(&self, address: Address) -> *mut u32 {
        debug_assert!(address < self.size, "word {address} of {}", self.size);
        // SAFETY: the mapping covers every u32 address, and as far beyond as the offset of an element may lead. Those that the
        // machine forms have pages: addresses come from `allocate`, from table and stack bounds checked where they are handed
        // out, and offsets within objects are checked by the linker (fields) or the interpreter (elements). See
        // ARCHITECTURE.md, "Raw words".
        unsafe { self.base.add(address as usize) }
    }

    /// The word at an address.
    #[inline(always)]
    pub fn load(&self, address: Address) -> u32 {
        self.recorder.read(address, 0, 4);
        self.peek(address)
    }

    /// The same, for the memory's own purposes: it is no access.
    #[inline(always)]
    fn peek(&self, address: Address) -> u32 {
        // SAFETY: `at` gives a pointer into the mapping, aligned to a word.
        unsafe { *self.at(address) }
    }

    /// Some words in a row.
    #[inline(always)]
    pub fn words(&self, address: Address, count: u32) -> &[u32] {
        debug_assert!(u64::from(address) + u64::from(count) <= u64::from(self.size));
        self.recorder.read(address, 0, count as usize * 4);
        // SAFETY: as `load`, for the first and for the last of them; nobody writes as long as the slice is borrowed.
        unsafe { std::slice::from_raw_parts(self.at(address), count as usize) }
    }

    /// Two words as one value, the lower one first.
    #[inline(always)]
    pub fn load_wide(&self, address: Address) -> u64 {
        self.recorder.read(address, 0, 8);
        // SAFETY: as `load`; wides need not be aligned to eight bytes.
        unsafe { self.at(address).cast::<u64>().read_unaligned() }
    }

    /// Writes a word and logs the old one.
    #[inline(always)]
    pub fn store(&mut self, address: Address, value: u32) {
        self.recorder.written(address, 0, 4);
        self.log(address);
        // SAFETY: as `load`.
        unsafe { *self.at(address) = value }
    }

    /// Writes two words.
    #[inline(always)]
    pub fn store_wide(&mut self, address: Address, value: u64) {
        self.recorder.written(address, 0, 8);
        self.log(address);
        self.log(address + 1);
        // SAFETY: as `load_wide`.
        unsafe { self.at(address).cast::<u64>().write_unaligned(value) }
    }

    /// The byte at a byte offset from a word address.
    #[inline(always)]
    pub fn load_byte(&self, address: Address, offset: usize) -> u8 {
        self.recorder.read(address, offset, 1);
        // SAFETY: as `load`, for the word that holds the byte.
        unsafe { *self.at(address).cast::<u8>().add(offset) }
    }

    /// Writes a byte.
    #[inline(always)]
    pub fn store_byte(&mut self, address: Address, offset: usize, value: u8) {
        self.recorder.written(address, offset, 1);
        self.log(address + (offset / 4) as u32);
        // SAFETY: as `load_byte`.
        unsafe { *self.at(address).cast::<u8>().add(offset) = value }
    }

    /// The 16-bit value at a byte offset, which is aligned to nothing.
    #[inline(always)]
    pub fn load_short(&self, address: Address, offset: usize) -> u16 {
        self.recorder.read(address, offset, 2);
        // SAFETY: as `load`, for the one or two words that hold the value.
        unsafe { self.at(address).cast::<u8>().add(offset).cast::<u16>().read_unaligned() }
    }

    /// Writes a 16-bit value.
    #[inline(always)]
    pub fn store_short(&mut self, address: Address, offset: usize, value: u16) {
        self.recorder.written(address, offset, 2);
        self.log(address + (offset / 4) as u32);
        if offset % 4 == 3 {
            self.log(address + (offset / 4) as u32 + 1);
        }
        // SAFETY: as `load_short`.
        unsafe {
            self.at(address)
                .cast::<u8>()
                .add(offset)
                .cast::<u16>()
                .write_unaligned(value)
        }
    }

    /// `len` bytes from a byte offset.
    pub fn bytes(&self, address: Address, offset: usize, len: usize) -> &[u8] {
        assert!(
            address as usize * 4 + offset + len <= self.size as usize * 4,
            "bytes outside of memory"
        );
        self.recorder.read(address, offset, len);
        // SAFETY: just checked to lie in the mapping; the borrow keeps writers away.
        unsafe { std::slice::from_raw_parts(self.at(address).cast::<u8>().add(offset), len) }
    }

    /// Writes bytes at a byte offset.
    pub fn store_bytes(&mut self, address: Address, offset: usize, bytes: &[u8]) {
        assert!(
            address as usize * 4 + offset + bytes.len() <= self.size as usize * 4,
            "bytes outside of memory"
        );
        if bytes.is_empty() {
            return;
        }
        self.recorder.written(address, offset, bytes.len());
        self.log_range(
            address + (offset / 4) as u32,
            address + ((offset + bytes.len() - 1) / 4) as u32 + 1,
        );
        // SAFETY: just checked to lie in the mapping; `bytes` cannot overlap it because it is borrowed apart.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at(address).cast::<u8>().add(offset), bytes.len()) }
    }

    /// Copies `len` bytes between two places that may overlap.
    pub fn copy_bytes(&mut self, from: (Address, usize), to: (Address, usize), len: usize) {
        if len == 0 {
            return;
        }
        let end = self.size as usize * 4;
        assert!(
            from.0 as usize * 4 + from.1 + len <= end && to.0 as usize * 4 + to.1 + len <= end,
            "bytes outside of memory"
        );
        self.recorder.read(from.0, from.1, len);
        self.recorder.written(to.0, to.1, len);
        self.log_range(to.0 + (to.1 / 4) as u32, to.0 + ((to.1 + len - 1) / 4) as u32 + 1);
        // SAFETY: both ranges were just checked to lie in the mapping; `copy` allows them to overlap.
        unsafe {
            let source = self.at(from.0).cast::<u8>().add(from.1);
            std::ptr::copy(source, self.at(to.0).cast::<u8>().add(to.1), len);
        }
    }

    /// Logs a word if the current step has not done so and did not allocate it.
    #[inline(always)]
    pub fn log(&mut self, address: Address) {
        if address < self.mark {
            self.log_old(address);
        }
    }

    #[inline(always)]
    fn log_old(&mut self, address: Address) {
        // SAFETY: the bitmap has a bit for every word of memory.
        let word = unsafe { &mut *self.bits.add(address as usize / 64) };
        let bit = 1u64 << (address % 64);
        if *word & bit == 0 {
            *word |= bit;
            let old = self.peek(address);
            self.trail.push((address, old));
            self.note_change(address);
        }
    }

    #[inline]
    fn note_change(&mut self, address: Address) {
        if address < self.image_end() {
            let word = &mut self.image.touched[address as usize / 64];
            let bit = 1u64 << (address % 64);
            if *word & bit == 0 {
                *word |= bit;
                self.image.changed.push(address);
            }
        }
    }

    /// Makes what memory holds now the image that states are compared with.
    pub fn freeze(&mut self) {
        self.commit();
        let words = self.snapshot(0, self.top);
        self.image = Image {
            touched: vec![0; words.len() / 64 + 1],
            words,
            changed: Vec::new(),
            sorted: 0,
        };
    }

    /// Where the image ends; 0 if there is none.
    pub fn image_end(&self) -> Address {
        self.image.words.len() as Address
    }

    /// The words of the image that were ever written since it was made, ascending. Many may have their old value.
    pub fn touched(&mut self) -> &[Address] {
        if self.image.sorted < self.image.changed.len() {
            self.image.changed.sort_unstable();
            self.image.sorted = self.image.changed.len();
        }
        &self.image.changed
    }

    /// How many of them there are.
    pub fn touched_count(&self) -> usize {
        self.image.changed.len()
    }

    /// The value that a word of the image had.
    pub fn original(&self, address: Address) -> u32 {
        self.image.words[address as usize]
    }

    /// Gives every word of the image its old value, and frees the heap behind it. There is no way back.
    pub fn reset_to_image(&mut self) {
        self.commit();
        for position in 0..self.image.changed.len() {
            let address = self.image.changed[position];
            self.poke(address, self.image.words[address as usize]);
        }
        self.top = self.image_end();
        self.mark = self.top;
        // What one run has needed is not kept for ever. A little is, because most runs need that much again.
        let kept = self.top.saturating_add(KEPT).min(self.ceiling);
        self.words.give_back(kept as usize * 4, self.ceiling as usize * 4);
        self.ceiling = kept;
    }

    /// Forgets which words of the image were ever written. All of them must have their old values.
    pub fn forget_touched(&mut self) {
        for address in self.image.changed.drain(..) {
            self.image.touched[address as usize / 64] &= !(1 << (address % 64));
        }
        self.image.sorted = 0;
        self.lose_changes();
    }

    /// Logs a range of words.
    pub fn log_range(&mut self, from: Address, to: Address) {
        for address in from..to.min(self.mark) {
            self.log_old(address);
        }
    }

    /// Logs the words of a frame; frames lie above every mark and are logged at most once a step by their owner.
    pub fn log_frame(&mut self, from: Address, to: Address) {
        debug_assert!(self.limit <= from && from <= to && to <= self.size);
        let words = to - from;
        self.trail.push((from, words));
        // SAFETY: the frame lies in the mapping, and nothing writes to it meanwhile.
        let old = unsafe { std::slice::from_raw_parts(self.at(from), words as usize) };
        self.frames.extend_from_slice(old);
    }

    /// Takes `words` zeroed words from the heap; `None` when it is full, or there is no room for it to grow.
    #[inline(always)]
    pub fn allocate(&mut self, words: u32) -> Option<Address> {
        let address = self.top;
        if words > self.ceiling - address && !self.grow(words) {
            return None;
        }
        self.top = address + words;
        self.recorder.placed(address, words);
        // SAFETY: the range lies between the heap's start and its limit. It must be cleared because undo and
        // collection leave old words behind.
        unsafe { std::ptr::write_bytes(self.at(address), 0, words as usize) };
        Some(address)
    }

    /// Gives the heap pages for so many words more, and some to spare; whether it has them.
    #[cold]
    fn grow(&mut self, words: u32) -> bool {
        let end = self.limit - self.held_back;
        if end < self.top || words > end - self.top {
            self.refused = false;
            return false;
        }
        let needed = self.top + words;
        let ceiling = needed
            .checked_next_multiple_of(STRIDE)
            .map_or(end, |next| next.min(end));
        let (from, to) = (self.ceiling as usize * 4, ceiling as usize * 4);
        self.refused = !(self.room)((to - from) as u64) || self.words.commit(from, to).is_err();
        if !self.refused {
            self.ceiling = ceiling;
        }
        !self.refused
    }

    /// Asks `room` from now on whether there is room for so many bytes, each time the heap grows.
    pub fn ask_for_room(&mut self, room: fn(u64) -> bool) {
        self.room = room;
    }

    /// Whether the heap was last refused something because there is no room, and not because it is full.
    pub fn was_refused(&self) -> bool {
        self.refused
    }

    /// Gives out what was held back until the next collection, for an exception that says that the heap is full; whether there is some.
    pub fn open_reserve(&mut self) -> bool {
        self.held_back = 0;
        self.limit - self.top >= RESERVE / 2
    }

    /// First free word of the heap.
    pub fn top(&self) -> Address {
        self.top
    }

    /// Where the heap ends.
    pub fn limit(&self) -> Address {
        self.limit
    }

    /// Begins a step.
    pub fn begin(&mut self) -> Checkpoint {
        let checkpoint = Checkpoint {
            trail: self.trail.len(),
            segment: self.segment,
            top: self.top,
            mark: self.mark,
        };
        self.clear_bits(self.segment);
        self.segment = self.trail.len();
        self.mark = self.top;
        checkpoint
    }

    /// The words that the current step has logged, with their old values, and frames.
    pub fn step_log(&self) -> &[(Address, u32)] {
        &self.trail[self.segment..]
    }

    /// Whether an object is younger than the current step.
    pub(crate) fn is_young(&self, object: Address) -> bool {
        (self.mark..self.top).contains(&object)
    }

    /// Goes back to the beginning of the latest step.
    pub fn undo(&mut self, checkpoint: Checkpoint) {
        let from = checkpoint.trail;
        for &(address, old) in self.trail[from..].iter().rev() {
            if address < self.limit {
                // SAFETY: logged addresses are addresses of memory, which has a bit for every word.
                unsafe {
                    *self.at(address) = old;
                    *self.bits.add(address as usize / 64) &= !(1u64 << (address % 64));
                }
                continue;
            }
            let rest = self.frames.len() - old as usize;
            // SAFETY: the frame lies in the mapping, with this many words.
            let frame = unsafe { std::slice::from_raw_parts_mut(self.at(address), old as usize) };
            frame.copy_from_slice(&self.frames[rest..]);
            self.frames.truncate(rest);
        }
        let seen = self.changes.seen.max(from);
        let undone = self.trail[from..seen].iter().map(|&(address, _)| address);
        self.changes.undone.extend(undone);
        self.trail.truncate(from);
        self.changes.seen = self.changes.seen.min(from);
        self.changes.lowest = self.changes.lowest.min(checkpoint.top);
        self.top = checkpoint.top;
        self.mark = checkpoint.mark;
        self.segment = checkpoint.segment;
        // The step that goes on from here is over; whoever continues begins a new one.
    }

    fn clear_bits(&mut self, from: usize) {
        for &(address, _) in &self.trail[from..] {
            // SAFETY: as in `log_old`.
            unsafe { *self.bits.add(address as usize / 64) &= !(1u64 << (address % 64)) };
        }
    }

    /// Forgets how to go back: the past is over.
    pub fn commit(&mut self) {
        self.clear_bits(self.segment);
        self.trail.clear();
        self.frames.clear();
        self.segment = 0;
        self.mark = self.top;
        self.changes.seen = 0;
        self.lose_changes();
    }

    /// Makes the next look at what has changed say that it cannot be told.
    pub fn lose_changes(&mut self) {
        self.changes.lost = true;
    }

    /// How long the trail was when somebody last looked at what has changed, if nothing of that was undone since.
    pub fn seen_at(&self) -> Option<usize> {
        (!self.changes.lost && self.changes.undone.is_empty()).then_some(self.changes.seen)
    }

    /// Nothing has changed since the last look, as far as it matters.
    pub fn see(&mut self) {
        self.changes.undone.clear();
        self.changes.seen = self.trail.len();
        self.changes.lowest = self.top;
    }

    /// Objects below this address are those that there were at the last look.
    pub fn lowest_top(&self) -> Address {
        self.changes.lowest
    }

    /// Appends the old words, and the frames, that may have changed since the last call, some of them more than once; `false` if that
    /// cannot be told. Only between steps: what a step writes after the call may not be noticed.
    pub fn take_changes(&mut self, out: &mut Vec<Address>) -> bool {
        let known = !self.changes.lost;
        if known {
            out.append(&mut self.changes.undone);
            out.extend(self.trail[self.changes.seen..].iter().map(|&(address, _)| address));
        }
        self.changes.lost = false;
        self.see();
        known
    }

    /// How many words and frames are logged.
    pub fn trail_len(&self) -> usize {
        self.trail.len()
    }

    /// Sets the first free word, after a collection has moved what lives down. Only without a past.
    pub fn set_top(&mut self, top: Address) {
        assert!(self.trail.is_empty(), "a collection cannot be undone");
        self.top = top;
        self.mark = top;
        self.held_back = RESERVE.min(self.limit - top);
        self.ceiling = self.ceiling.min(self.limit - self.held_back);
    }

    /// Moves an object down, without a log.
    pub fn slide(&mut self, old: Address, new: Address, words: u32) {
        debug_assert!(new < old);
        self.recorder.placed(new, words);
        // SAFETY: both ranges lie in the heap; `copy` allows them to overlap.
        unsafe { std::ptr::copy(self.at(old), self.at(new), words as usize) };
    }

    /// Writes a word without a log: for frames, and for what a collection moves.
    #[inline(always)]
    pub fn poke(&mut self, address: Address, value: u32) {
        self.recorder.written(address, 0, 4);
        // SAFETY: as `load`.
        unsafe { *self.at(address) = value }
    }

    /// Every word between two addresses, for comparisons in tests.
    pub fn snapshot(&self, from: Address, to: Address) -> Vec<u32> {
        (from..to).map(|address| self.load(address)).collect()
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Memory({} words, {} logged, {} bytes mapped)",
            self.top,
            self.trail.len(),
            self.words.len() + self.dirty.len()
        )
    }
}

// SAFETY: the pointers lead into mappings that the memory owns; nothing else refers to them.
unsafe impl Send for Memory {}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(1 << 16, 1 << 10, 1 << 15).unwrap()
    }

    #[test]
    fn a_word_is_logged_once_a_step_and_comes_back() {
        let mut memory = memory();
        let object = memory.allocate(4).unwrap();
        memory.store(object, 1);
        memory.commit();
        let outer = memory.begin();
        (0..1000).for_each(|n| memory.store(object, n));
        assert_eq!(memory.trail_len(), 1);
        let inner = memory.begin();
        (0..1000).for_each(|n| memory.store(object, 5000 + n));
        let young = memory.allocate(8).unwrap();
        memory.store(young, 9);
        assert_eq!(memory.trail_len(), 2);
        memory.undo(inner);
        assert_eq!((memory.load(object), memory.top()), (999, object + 4));
        memory.undo(outer);
        assert_eq!(memory.load(object), 1);
    }

    #[test]
    fn going_back_after_the_past_is_over_goes_no_further() {
        let mut memory = memory();
        let object = memory.allocate(4).unwrap();
        memory.begin();
        (0..4).for_each(|word| memory.store(object + word, word));
        memory.see();
        memory.commit();
        let step = memory.begin();
        memory.store(object, 7);
        memory.undo(step);
        assert_eq!(memory.load(object), 0);
    }

    #[test]
    fn the_heap_grows_only_where_there_is_room() {
        let mut memory = Memory::new(1 << 22, 1 << 10, 1 << 21).unwrap();
        memory.ask_for_room(|bytes| bytes <= 1 << 20);
        assert_eq!(memory.allocate(100), Some(1 << 10));
        assert_eq!(memory.allocate(2 << 18), None);
        assert!(memory.was_refused());
        let small = memory.allocate(1 << 10).unwrap();
        memory.store(small + 1023, 5);
        assert_eq!(memory.allocate(1 << 21), None);
        memory.ask_for_room(|_| true);
        let large = memory.allocate(2 << 18).unwrap();
        assert_eq!(memory.load(large + (2 << 18) - 1), 0);
        assert!(!memory.was_refused());
        assert_eq!(memory.allocate(1 << 21), None);
        assert!(!memory.was_refused(), "it is full");
    }

    #[test]
    fn narrow_writes_log_the_words_they_lie_in() {
        let mut memory = memory();
        let object = memory.allocate(4).unwrap();
        memory.store_bytes(object, 0, &[1, 2, 3, 4, 5, 6, 7, 8]);
        memory.commit();
        let before = memory.snapshot(object, object + 4);
        let step = memory.begin();
        memory.store_byte(object, 5, 99);
        memory.store_short(object, 3, 0xabcd);
        memory.store_wide(object + 1, 7);
        memory.copy_bytes((object, 0), (object, 2), 9);
        memory.undo(step);
        assert_eq!(memory.snapshot(object, object + 4), before);
    }
}
