//! Numbers of states, and what is kept by them.

use crate::lock;
use std::num::NonZeroU64;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of a state: 0, 1, 2, … in the order of first insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(
    /// One more than the number, so that an `Option` takes no more room.
    NonZeroU64,
);

impl StateId {
    /// The first state that is entered.
    pub const FIRST: StateId = StateId(NonZeroU64::MIN);

    /// The state with this number, which is below 2⁶⁴ − 1.
    #[inline]
    pub fn new(number: u64) -> StateId {
        StateId(NonZeroU64::MIN.saturating_add(number))
    }

    /// Its number.
    #[inline]
    pub fn number(self) -> u64 {
        self.0.get() - 1
    }

    /// Its number, as a position among others that are kept in memory.
    #[inline]
    pub fn index(self) -> usize {
        self.number() as usize
    }
}

/// A set of states, a bit for each. It belongs to one explorer.
#[derive(Default)]
pub struct StateSet {
    words: Vec<u64>,
}

impl StateSet {
    /// Whether a state is in it.
    #[inline]
    pub fn contains(&self, id: StateId) -> bool {
        let word = self.words.get(id.index() / 64);
        word.is_some_and(|word| word >> (id.number() % 64) & 1 == 1)
    }

    /// Puts a state in, or takes it out.
    #[inline]
    pub fn set(&mut self, id: StateId, present: bool) {
        let at = id.index() / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let bit = 1 << (id.number() % 64);
        match present {
            true => self.words[at] |= bit,
            false => self.words[at] &= !bit,
        }
    }

    /// The memory held, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.words.capacity() * size_of::<u64>()) as u64
    }
}

const SHARE_BITS: u32 = 6;

/// What is kept with states, by their numbers; the default for those of which nothing was said. Many threads use it.
pub struct SideTable<T> {
    /// By the low bits of a number, so that explorers seldom wait for each other.
    shares: Box<[Mutex<Vec<T>>]>,
    /// For how many there is room.
    room: AtomicUsize,
}

impl<T: Default> SideTable<T> {
    /// A table of defaults.
    pub fn new() -> Self {
        Self {
            shares: (0..1 << SHARE_BITS).map(|_| Mutex::default()).collect(),
            room: AtomicUsize::new(0),
        }
    }

    /// Reads and changes what is kept with a state. Others that ask for the same state wait.
    pub fn with<R>(&self, id: StateId, body: impl FnOnce(&mut T) -> R) -> R {
        let (share, at) = (id.index() % self.shares.len(), id.index() >> SHARE_BITS);
        let mut share = lock(&self.shares[share]);
        if at >= share.len() {
            let before = share.capacity();
            share.resize_with(at + 1, T::default);
            self.room.fetch_add(share.capacity() - before, Ordering::Relaxed);
        }
        body(&mut share[at])
    }

    /// The memory held, in bytes, without what the values hold themselves.
    pub fn bytes(&self) -> u64 {
        let room = self.room.load(Ordering::Relaxed);
        (room * size_of::<T>() + self.shares.len() * size_of::<Mutex<Vec<T>>>()) as u64
    }
}

impl<T: Default> Default for SideTable<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_may_be_missing_takes_no_more_room() {
        assert_eq!(size_of::<Option<StateId>>(), size_of::<u64>());
        for number in [0, 1, u64::from(u32::MAX), 1 << 40, u64::MAX - 1] {
            assert_eq!(StateId::new(number).number(), number);
        }
        assert_eq!(StateId::FIRST, StateId::new(0));
        assert!(StateId::new(7) < StateId::new(1 << 33));
    }

    #[test]
    fn a_set_has_what_was_put_in() {
        let mut set = StateSet::default();
        for number in [0, 63, 64, 1000] {
            assert!(!set.contains(StateId::new(number)));
            set.set(StateId::new(number), true);
        }
        set.set(StateId::new(63), false);
        let has: Vec<u64> = (0..2000).filter(|&number| set.contains(StateId::new(number))).collect();
        assert_eq!(has, [0, 64, 1000]);
    }

    #[test]
    fn threads_keep_things_with_the_same_states() {
        let table = SideTable::<u64>::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|number| table.with(StateId::new(number), |kept| *kept += number)));
            }
        });
        for number in 0..1000 {
            assert_eq!(table.with(StateId::new(number), |kept| *kept), 4 * number);
        }
        assert_eq!(table.with(StateId::new(5000), |kept| *kept), 0);
    }
}
