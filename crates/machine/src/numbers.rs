//! The numbers that objects have in the vector, by address. Numbers come in groups, and all of a group can be taken back at once.

use crate::encode::{GROUP_SHIFT, YOUNG};
use crate::memory::Address;

/// An entry of the table of numbers; it is good as long as its group has the same stamp.
#[derive(Clone, Copy, Default)]
struct Slot {
    address: Address,
    number: u32,
    stamp: u64,
}

/// The table of numbers.
#[derive(Default)]
pub(crate) struct Numbers {
    slots: Vec<Slot>,
    used: usize,
    /// For each group, the stamp of its good entries.
    stamps: Vec<u64>,
    stamp: u64,
}

impl Numbers {
    /// Forgets everything and keeps the room for it.
    pub(crate) fn begin(&mut self) {
        if self.slots.is_empty() {
            self.slots.resize(1 << 10, Slot::default());
        }
        self.stamps.clear();
    }

    /// Begins a group: what numbers it had are forgotten, unless it goes on.
    pub(crate) fn begin_group(&mut self, group: u32, goes_on: bool) {
        let at = group as usize;
        if at >= self.stamps.len() {
            self.stamps.resize(at + 1, 0);
        }
        if !goes_on || self.stamps[at] == 0 {
            self.forget_group(group);
        }
    }

    /// Makes all entries of a group bad.
    pub(crate) fn forget_group(&mut self, group: u32) {
        self.stamp += 1;
        self.stamps[group as usize] = self.stamp;
    }

    /// Forgets the numbers that objects have in the first group.
    pub(crate) fn forget(&mut self, objects: &[Address]) {
        for &address in objects {
            let mask = self.slots.len() - 1;
            let mut at = hash(address) & mask;
            while self.slots[at].address != 0 {
                let slot = &mut self.slots[at];
                if slot.address == address && (slot.number & !YOUNG) >> GROUP_SHIFT == 0 {
                    // A stamp that no group ever has.
                    slot.stamp = 0;
                }
                at = (at + 1) & mask;
            }
        }
    }

    /// The number that an object has in a group or one before it.
    #[inline]
    pub(crate) fn find(&self, address: Address, last: u32) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash(address) & mask;
        loop {
            let slot = self.slots[at];
            if slot.address == 0 {
                return None;
            }
            // A later group may have had it: that one will be written anew.
            let group = (slot.number & !YOUNG) >> GROUP_SHIFT;
            if slot.address == address && group <= last && self.stamps.get(group as usize) == Some(&slot.stamp) {
                return Some(slot.number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Puts an entry into a slot that is empty or no longer good.
    pub(crate) fn enter(&mut self, address: Address, number: u32, group: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash(address) & mask;
        loop {
            let slot = self.slots[at];
            if slot.address == 0 {
                self.used += 1;
                break;
            }
            let known = ((slot.number & !YOUNG) >> GROUP_SHIFT) as usize;
            if self.stamps.get(known) != Some(&slot.stamp) {
                break;
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = Slot {
            address,
            number,
            stamp: self.stamps[group as usize],
        };
        if self.used * 2 > self.slots.len() {
            self.tidy();
        }
    }

    /// Drops entries that are no longer good, and makes more room if there is still too little.
    #[cold]
    fn tidy(&mut self) {
        let old = std::mem::take(&mut self.slots);
        let good = |slot: &Slot| {
            let group = ((slot.number & !YOUNG) >> GROUP_SHIFT) as usize;
            slot.address != 0 && self.stamps.get(group) == Some(&slot.stamp)
        };
        let kept: Vec<Slot> = old.iter().filter(|slot| good(slot)).copied().collect();
        let size = if kept.len() * 4 > old.len() {
            old.len() * 2
        } else {
            old.len()
        };
        self.slots = vec![Slot::default(); size];
        self.used = kept.len();
        let mask = size - 1;
        for slot in kept {
            let mut at = hash(slot.address) & mask;
            while self.slots[at].address != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }
}

fn hash(address: Address) -> usize {
    (address.wrapping_mul(0x9e37_79b9) >> 7) as usize
}
