//! A lock for what takes a moment: letting go of it is one plain store, which waits for nothing.
//!
//! A mutex of the library lets go with an operation that waits until all stores before it have reached the cache; there are always some,
//! because a new item has just been written. That made a search several percent slower.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whoever waits lets others run after so many looks.
const PATIENCE: u32 = 64;

/// Guards a value.
#[derive(Default)]
pub(crate) struct Latch<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is handed from thread to thread, and only one at a time gets at it.
unsafe impl<T: Send> Sync for Latch<T> {}

impl<T> Latch<T> {
    /// Waits until nobody else has the value.
    #[inline]
    pub(crate) fn lock(&self) -> Latched<'_, T> {
        if self.taken.swap(true, Ordering::Acquire) {
            self.wait();
        }
        Latched { latch: self }
    }

    #[cold]
    fn wait(&self) {
        let mut looks = 0;
        while self.taken.load(Ordering::Relaxed) || self.taken.swap(true, Ordering::Acquire) {
            pause(&mut looks);
        }
    }
}

/// Passes a moment, after so many looks that were in vain.
pub(crate) fn pause(looks: &mut u32) {
    *looks += 1;
    match *looks < PATIENCE {
        true => std::hint::spin_loop(),
        false => std::thread::yield_now(),
    }
}

/// The value, for as long as this lives.
pub(crate) struct Latched<'l, T> {
    latch: &'l Latch<T>,
}

// SAFETY: it shares nothing but the value.
unsafe impl<T: Sync> Sync for Latched<'_, T> {}

impl<T> Deref for Latched<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the latch is taken, and nobody else has taken it.
        unsafe { &*self.latch.value.get() }
    }
}

impl<T> DerefMut for Latched<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the latch is taken, and nobody else has taken it.
        unsafe { &mut *self.latch.value.get() }
    }
}

impl<T> Drop for Latched<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.latch.taken.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_at_a_time_has_the_value() {
        let latch = Latch::<(u64, u64)>::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        let mut value = latch.lock();
                        assert_eq!(value.0, value.1);
                        value.0 += 1;
                        value.1 += 1;
                    }
                });
            }
        });
        assert_eq!(*latch.lock(), (80_000, 80_000));
    }
}
