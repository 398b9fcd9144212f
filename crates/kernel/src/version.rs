//! Versions of sections: numbers that are given out once in a process.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many versions are taken at a time, so that the common count is rarely asked.
const BLOCK: u64 = 1 << 16;

/// The first version that belongs to no block. Version 0 is given to nothing.
static NEXT_BLOCK: AtomicU64 = AtomicU64::new(1);

/// A source of versions. No two sources of a process ever give the same one, so whatever compares versions need not ask
/// which system they come from.
#[derive(Debug, Default)]
pub struct Versions {
    next: u64,
    end: u64,
}

impl Versions {
    /// A version that was never given out before. It is not 0.
    #[inline]
    pub fn fresh(&mut self) -> u64 {
        if self.next == self.end {
            // Numbers need to be distinct, and order nothing else.
            self.next = NEXT_BLOCK.fetch_add(BLOCK, Ordering::Relaxed);
            self.end = self.next + BLOCK;
        }
        let version = self.next;
        self.next += 1;
        version
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn sources_of_all_threads_give_different_versions() {
        let count = 2 * BLOCK + 3;
        let take = move || {
            let mut sources = [Versions::default(), Versions::default()];
            (0..count).map(|number| sources[number as usize % 2].fresh()).collect()
        };
        let threads: Vec<_> = (0..3).map(|_| std::thread::spawn(take)).collect();
        let lists: Vec<Vec<u64>> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        let all: HashSet<u64> = lists.into_iter().flatten().collect();
        assert_eq!(all.len() as u64, 3 * count);
        assert!(!all.contains(&0));
    }
}
