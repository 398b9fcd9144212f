//! How long a costly question is worth asking.
//!
//! Who reaches what is found by a traversal of the heap. At some places in the code the answer is never of use: all threads have the
//! object there at all times. Such a place is asked about less and less. "Don't know" is always sound, and in one search the same
//! questions are asked in the same order, so counts do not depend on the machine.

use kernel::Mixer;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// After so many answers in a row that were of no use, a place is asked about only now and then.
const ENOUGH: u32 = 128;

/// How often that is: once in so many times.
const SELDOM: u32 = 64;

/// Places in the code, each with how often in a row it was asked about in vain.
#[derive(Default)]
pub(crate) struct QueryThrottle {
    in_vain: HashMap<u64, u32, BuildHasherDefault<Mixer>>,
}

impl QueryThrottle {
    /// Asks about a place in the code, unless that has been in vain too often.
    pub fn ask(&mut self, spot: u64, question: impl FnOnce() -> bool) -> bool {
        let in_vain = self.in_vain.entry(spot).or_default();
        if *in_vain >= ENOUGH && !in_vain.is_multiple_of(SELDOM) {
            *in_vain = in_vain.wrapping_add(1);
            return false;
        }
        let useful = question();
        *in_vain = if useful { 0 } else { in_vain.wrapping_add(1) };
        useful
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_in_vain_is_asked_less_and_what_is_of_use_always() {
        let mut throttle = QueryThrottle::default();
        let mut asked = 0;
        for _ in 0..10_000 {
            throttle.ask(1, || {
                asked += 1;
                false
            });
        }
        assert!((ENOUGH..ENOUGH + 10_000 / SELDOM + 2).contains(&asked), "{asked}");
        assert!((0..1000).all(|_| throttle.ask(2, || true)));
        // What becomes of use is asked again.
        let answers = (0..200).filter(|_| throttle.ask(1, || true)).count();
        assert!(answers > 130, "{answers}");
    }
}
