//! Whether it pays to ask if a state is known before looking at what can be done there.
//!
//! A run that stores nothing on its way looks at each state, to see whether there is anything to choose. Where nearly always there is, states
//! have to be written down all the same, and many of them turn out to be known, so that nobody needed to look. Both are counted, the
//! latest steps most: how a program begins says little of what follows.

/// Writing a state down costs more than looking at it: so many times fewer steps must be forced than lead to known states.
const FORCED_FOR_ONE_MET: u32 = 4;

/// When so many were counted, they count half from then on.
const WINDOW: u32 = 4096;

/// What the latest steps were like.
#[derive(Default)]
pub(crate) struct LookupHeuristic {
    met: u32,
    forced: u32,
}

impl LookupHeuristic {
    /// A step has led to a known state.
    pub fn note_met(&mut self) {
        self.met += 1;
        self.age();
    }

    /// A step was taken because there was nothing to choose.
    pub fn note_forced(&mut self) {
        self.forced += 1;
        self.age();
    }

    fn age(&mut self) {
        if self.met + self.forced >= WINDOW {
            self.met /= 2;
            self.forced /= 2;
        }
    }

    /// Whether it pays to ask first.
    pub fn asks_first(&self) -> bool {
        self.met >= WINDOW / 4 && self.met > FORCED_FOR_ONE_MET * self.forced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_pays_where_steps_lead_to_known_states_and_not_where_they_are_forced() {
        let mut lookup_heuristic = LookupHeuristic::default();
        assert!(!lookup_heuristic.asks_first());
        for _ in 0..100_000 {
            lookup_heuristic.note_forced();
        }
        assert!(!lookup_heuristic.asks_first());
        // A long beginning without choices is forgotten soon.
        for _ in 0..3 * WINDOW {
            lookup_heuristic.note_met();
        }
        assert!(lookup_heuristic.asks_first());
        for _ in 0..WINDOW {
            lookup_heuristic.note_forced();
            lookup_heuristic.note_met();
        }
        assert!(!lookup_heuristic.asks_first());
    }
}
