//! Noticing that a run which stores nothing has come back to where it was.
//!
//! Brent's algorithm (BIT 20, 1980): one state is kept, and replaced by the one at hand at each power of two. A run that
//! goes round in a circle meets the kept one, once the distance between two replacements is as long as the circle.

use kernel::{StateVector, System};

/// Runs up to this many steps are not watched: it costs more than they do.
const UNWATCHED: usize = 256;

/// Only every so many steps the state is compared: a circle is met all the same, after at most so many times its length.
const STRIDE: usize = 64;

/// A run of so many steps is interrupted, and the state that it has come to is stored after all: it may have no end.
const LONGEST: usize = 1 << 18;
/// The same for a run whose states become larger and larger.
const LONGEST_GROWING: usize = 1 << 12;
/// The same for a run that goes on from such a state.
const LONGEST_AFTER: usize = 1 << 6;

/// How many steps one counts for that goes on where another was cut off because it took so long.
const LONG_STEP: usize = 64;

/// Where a run has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Back {
    /// To a state that is new as far as is known.
    Nowhere,
    /// To one that it was in before.
    Round,
    /// To one that is stored: a circle that was stored somewhere is not gone round once more for each of its states.
    Stored,
}

/// Watches one run at a time.
#[derive(Default)]
pub(crate) struct CycleDetector {
    steps: usize,
    /// The steps, where a long one counts for several.
    weight: usize,
    longest: usize,
    looks: usize,
    renew: usize,
    kept: Vec<u32>,
    vector: StateVector,
}

impl CycleDetector {
    /// A run begins.
    pub fn begin(&mut self) {
        let was_interrupted = self.longest != 0 && self.weight >= self.longest;
        self.longest = if was_interrupted { LONGEST_AFTER } else { LONGEST };
        (self.steps, self.weight) = (0, 0);
        (self.looks, self.renew) = (0, 1);
        self.kept.clear();
    }

    /// How many steps without a choice the run has had.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Whether the run is too long.
    pub fn is_endless(&self) -> bool {
        self.weight >= self.longest
    }

    /// The run is about to make a step; whether it is somewhere where it was before, or somewhere that `is_stored`. If the step goes on with one
    /// that was too `long`, that is worth a look.
    pub fn came_back<S: System>(
        &mut self,
        system: &S,
        state: &mut S::State,
        long: bool,
        is_stored: impl FnOnce(&StateVector) -> bool,
    ) -> Back {
        self.steps += 1;
        self.weight += if long { LONG_STEP } else { 1 };
        if !long && (self.steps < UNWATCHED || !self.steps.is_multiple_of(STRIDE)) {
            return Back::Nowhere;
        }
        self.looks += 1;
        self.vector.clear();
        system.encode(state, &mut self.vector);
        let words = self.vector.words();
        if self.kept == words {
            return Back::Round;
        }
        self.vector.end_chunk();
        if is_stored(&self.vector) {
            return Back::Stored;
        }
        if self.looks >= self.renew {
            if !self.kept.is_empty() && words.len() > self.kept.len() {
                self.longest = self.longest.min(LONGEST_GROWING);
            }
            self.renew = self.looks * 2;
            self.kept = words;
        }
        Back::Nowhere
    }
}
