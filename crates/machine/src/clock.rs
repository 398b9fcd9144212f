//! The virtual clock. It moves only when a timeout fires, or when the program itself looks at it again.
//!
//! A timeout may fire at any time, so the clock would only ever grow, and no loop with a timed wait would ever come
//! back to a state. But nothing in a program depends on what time it is, only on how much has passed since it looked:
//! while no moment is remembered anywhere, the clock is set back to where it began.

use crate::layout::{CLOCK, OBSERVED, thread, thread_record};
use crate::machine::Machine;

/// Where the clock begins, in nanoseconds: not at 0, because a deadline of 0 means none.
pub(crate) const BEGIN: u64 = 1_000_000_000;

/// What the clock counts from: the start of 2024, in milliseconds since 1970.
pub const EPOCH_MILLIS: u64 = 1_704_067_200_000;

/// What `System.nanoTime` counts from: a number that a program has from nowhere else.
const NANOS: u64 = 0x0123_4567 << 32;

/// How far the upper word of a remembered moment may be from that of the present one: more than a hundred days in
/// nanoseconds, more than forty in milliseconds.
const NEAR_NANOS: u32 = 1 << 21;
const NEAR_MILLIS: u32 = 1;

/// Bits of the word that tells who has looked at the clock: the program itself; the JDK, in milliseconds.
const BY_PROGRAM: u32 = 1;
const IN_MILLIS: u32 = 2;

impl Machine<'_> {
    /// The virtual clock, in nanoseconds.
    pub fn clock(&self) -> u64 {
        self.memory.load_wide(CLOCK)
    }

    /// What `System.nanoTime` says.
    pub fn nano_time(&mut self) -> u64 {
        self.note_look();
        NANOS + self.clock()
    }

    /// What `System.currentTimeMillis` says.
    pub fn millis(&mut self) -> u64 {
        self.note_look();
        if self.stepping {
            let looks = self.memory.load(OBSERVED) | IN_MILLIS;
            self.memory.store(OBSERVED, looks);
        }
        EPOCH_MILLIS + self.clock() / 1_000_000
    }

    /// Remembers that the program itself has looked at the clock: from then on it may keep moments in any form.
    pub fn note_look(&mut self) {
        if self.stepping && self.observes_time(self.fp()) {
            let looks = self.memory.load(OBSERVED) | BY_PROGRAM;
            self.memory.store(OBSERVED, looks);
        }
    }

    /// Whether the clock is to be set back once no moment is remembered.
    pub(crate) fn awaits_clock(&self) -> bool {
        self.clock() != BEGIN && self.memory.load(OBSERVED) & BY_PROGRAM == 0
    }

    /// Sets the clock back to its beginning if no moment is remembered.
    ///
    /// SOUNDNESS: only classes of the JDK have looked at the clock so far, and those of `observes_time` keep moments as
    /// longs, in nanoseconds or milliseconds. Any two neighbouring words of the state that could be one keep the clock as it
    /// is. Without any, the state behaves as the same state at any other time does.
    pub(crate) fn settle_clock(&mut self) {
        if !self.awaits_clock() {
            return;
        }
        let looks = self.memory.load(OBSERVED);
        let mut vector = self.encoding.take_vector();
        self.encode(&mut vector);
        let near = |word: u32, centre: u64, distance: u32| word.abs_diff((centre >> 32) as u32) <= distance;
        // The first two words are the clock itself.
        let words = vector.sections().iter().flat_map(|section| section.words());
        let remembered = words.skip(2).skip(1).any(|&upper| {
            near(upper, NANOS, NEAR_NANOS) || looks & IN_MILLIS != 0 && near(upper, EPOCH_MILLIS, NEAR_MILLIS)
        });
        self.encoding.put_vector(vector);
        if remembered {
            return;
        }
        let now = self.clock();
        for number in 0..=self.highest_thread() {
            let at = thread_record(number) + thread::DEADLINE;
            let deadline = self.memory.load_wide(at);
            if deadline != 0 {
                self.memory.store_wide(at, deadline.max(now) - now + BEGIN);
            }
        }
        self.memory.store_wide(CLOCK, BEGIN);
        // These words may have been logged before they were encoded above.
        self.memory.lose_changes();
    }
}
