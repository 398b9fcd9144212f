//! When memory that others may still be reading can be given back.
//!
//! Quiescent-state-based reclamation (McKenney, Slingwine, 1998). Whoever reads what may be replaced is a [`Reader`], and says
//! now and then that it holds on to nothing, by noting which epoch it has seen. What was replaced waits until every reader has
//! seen an epoch that began later. Reading costs nothing but that note.
//!
//! A reader that is there and never passes keeps what was replaced from being given back, so one that is done is dropped.

use crate::lock;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The epochs of one table, for memory of type `T`.
pub(crate) struct Epochs<T> {
    now: AtomicU64,
    waiting: Mutex<Waiting<T>>,
}

struct Waiting<T> {
    readers: Vec<Arc<Seen>>,
    /// What was replaced, and the epoch that began then.
    replaced: Vec<(u64, T)>,
}

/// The epoch that a reader has seen last, on a cache line of its own.
#[repr(align(64))]
struct Seen(AtomicU64);

impl<T> Epochs<T> {
    /// Nothing waits, and nobody reads.
    pub(crate) fn new() -> Arc<Self> {
        let waiting = Waiting {
            readers: Vec::new(),
            replaced: Vec::new(),
        };
        Arc::new(Epochs {
            now: AtomicU64::new(0),
            waiting: Mutex::new(waiting),
        })
    }

    /// One more reader.
    pub(crate) fn reader(self: &Arc<Self>) -> Reader<T> {
        let mut waiting = lock(&self.waiting);
        // What is replaced before this lock was let go of, the reader no longer finds.
        let last = self.now.load(Ordering::Relaxed);
        let seen = Arc::new(Seen(AtomicU64::new(last)));
        waiting.readers.push(Arc::clone(&seen));
        Reader {
            epochs: Arc::clone(self),
            seen,
            last,
            alone: PhantomData,
        }
    }

    /// What all that waits adds up to.
    pub(crate) fn sum(&self, size: impl Fn(&T) -> u64) -> u64 {
        lock(&self.waiting).replaced.iter().map(|(_, old)| size(old)).sum()
    }
}

impl<T> Waiting<T> {
    /// Takes out what no reader holds on to, `except` one who holds on to nothing.
    fn take_free(&mut self, except: Option<&Arc<Seen>>) -> Vec<(u64, T)> {
        let others = self
            .readers
            .iter()
            .filter(|seen| except.is_none_or(|one| !Arc::ptr_eq(seen, one)));
        // Acquire: what a reader has read before its note is read before the memory is used for anything else.
        let oldest = others.map(|seen| seen.0.load(Ordering::Acquire)).min();
        self.replaced
            .extract_if(.., |(began, _)| oldest.is_none_or(|oldest| *began <= oldest))
            .collect()
    }
}

/// Somebody who reads. One thread at a time uses it, so it can say for itself that it holds on to nothing.
pub(crate) struct Reader<T> {
    epochs: Arc<Epochs<T>>,
    seen: Arc<Seen>,
    /// What `seen` says.
    last: u64,
    alone: PhantomData<Cell<()>>,
}

impl<T> Reader<T> {
    /// Holds on to nothing that it has read so far: that `self` is borrowed exclusively shows it.
    #[inline]
    pub(crate) fn pass(&mut self) {
        // Acquire: from here on the reader finds nothing that was replaced before this epoch began.
        let now = self.epochs.now.load(Ordering::Acquire);
        if now != self.last {
            self.last = now;
            self.seen.0.store(now, Ordering::Release);
        }
    }

    /// Whether it reads under the protection of these epochs.
    #[inline]
    pub(crate) fn is_of(&self, epochs: &Arc<Epochs<T>>) -> bool {
        Arc::ptr_eq(&self.epochs, epochs)
    }

    /// Gives back what nobody finds any more, once nobody holds on to it. The reader itself holds on to nothing replaced.
    #[cold]
    pub(crate) fn give_back(&self, old: T) {
        let mut waiting = lock(&self.epochs.waiting);
        let began = self.epochs.now.fetch_add(1, Ordering::Release) + 1;
        waiting.replaced.push((began, old));
        let free = waiting.take_free(Some(&self.seen));
        drop(waiting);
        drop(free);
    }
}

impl<T> Drop for Reader<T> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.epochs.waiting);
        waiting.readers.retain(|seen| !Arc::ptr_eq(seen, &self.seen));
        let free = waiting.take_free(None);
        drop(waiting);
        drop(free);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_may_hold_on_to_waits_for_it() {
        let epochs = Epochs::new();
        let (mut first, mut second) = (epochs.reader(), epochs.reader());
        let (one, two) = (Arc::new(1), Arc::new(2));
        first.give_back(Arc::clone(&one));
        assert_eq!(Arc::strong_count(&one), 2);
        let third = epochs.reader();
        // The first has seen nothing since, and gives back on its own behalf.
        second.pass();
        first.give_back(Arc::clone(&two));
        assert_eq!((Arc::strong_count(&one), Arc::strong_count(&two)), (1, 2));
        assert_eq!(epochs.sum(|number| **number), 2);
        first.pass();
        second.pass();
        drop(third);
        assert_eq!(Arc::strong_count(&two), 1);
        drop(second);
        first.give_back(Arc::clone(&one));
        assert_eq!(Arc::strong_count(&one), 1);
    }
}
