//! An append-only table whose entries never move: ids are given out in order and stay valid for the table's life.

use memmap2::MmapMut;
use std::marker::PhantomData;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// Entries are numbered from 1, so that 0 is free to mean "none". Reading takes one load and no lock: the
/// interpreter looks up a method at every call.
pub struct Table<T> {
    slots: MmapMut,
    capacity: u32,
    next: AtomicU32,
    append: Mutex<()>,
    entries: PhantomData<T>,
}

impl<T> Table<T> {
    /// A table for at most `capacity` entries; room is taken from the system only as it is used.
    pub fn new(capacity: u32) -> std::io::Result<Table<T>> {
        let slots = MmapMut::map_anon((capacity as usize + 1) * size_of::<AtomicPtr<T>>())?;
        Ok(Table {
            slots,
            capacity,
            next: AtomicU32::new(1),
            append: Mutex::new(()),
            entries: PhantomData,
        })
    }

    fn slot(&self, id: u32) -> &AtomicPtr<T> {
        assert!(id <= self.capacity, "table entry {id} is out of range");
        let slots = self.slots.as_ptr().cast::<AtomicPtr<T>>();
        // SAFETY: the mapping is page-aligned, holds capacity + 1 pointers, was zeroed by the system (a null pointer
        // is a valid AtomicPtr) and is only ever touched through this function.
        unsafe { &*slots.add(id as usize) }
    }

    /// Adds the entry that `make` builds from its own number; `None` when the table is full.
    pub fn push_with(&self, make: impl FnOnce(u32) -> T) -> Option<u32> {
        let _guard = self.append.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let id = self.next.load(Ordering::Relaxed);
        if id > self.capacity {
            return None;
        }
        self.slot(id)
            .store(Box::into_raw(Box::new(make(id))), Ordering::Release);
        self.next.store(id + 1, Ordering::Release);
        Some(id)
    }

    /// The entry with this number.
    ///
    /// # Panics
    /// If there is none: numbers come from [`Table::push_with`] alone.
    #[inline(always)]
    pub fn get(&self, id: u32) -> &T {
        let entry = self.slot(id).load(Ordering::Acquire);
        assert!(!entry.is_null(), "table entry {id} does not exist");
        // SAFETY: a non-null slot was filled once from a Box by `push_with`, is never changed again, and is freed
        // only when the table is dropped.
        unsafe { &*entry }
    }

    /// One more than the highest number given out.
    pub fn end(&self) -> u32 {
        self.next.load(Ordering::Acquire)
    }
}

impl<T> Drop for Table<T> {
    fn drop(&mut self) {
        for id in 1..self.end() {
            let entry = self.slot(id).load(Ordering::Acquire);
            // SAFETY: made by Box::into_raw in `push_with`; nobody can hold a reference while the table is dropped.
            drop(unsafe { Box::from_raw(entry) });
        }
    }
}

// SAFETY: the table owns its entries and hands out only shared references to them; appending is guarded by a lock.
unsafe impl<T: Send + Sync> Sync for Table<T> {}
// SAFETY: as above; the mapping has no tie to the thread that made it.
unsafe impl<T: Send> Send for Table<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_place_and_a_full_table_says_so() {
        let table = Table::new(3).unwrap();
        let ids: Vec<_> = (0..4).map(|n| table.push_with(|id| format!("{n}:{id}"))).collect();
        assert_eq!(ids, [Some(1), Some(2), Some(3), None]);
        assert_eq!(table.get(2), "1:2");
        assert_eq!(table.end(), 4);
    }
}
