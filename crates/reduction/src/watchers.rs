//! Which independences watch locations of a kind: most kinds are watched by none, and are not worth a look.

use crate::independence::Independence;
use kernel::{Assumptions, Location, View};

/// A bit for each independence, in their order.
type Set = u16;

/// How many independences there may be at most.
pub(crate) const MOST: usize = 15;

/// Marks a set that is known.
const KNOWN: Set = 1 << MOST;

/// For each kind of locations, which independences watch accesses to them, as far as that is known.
#[derive(Default)]
pub(crate) struct Watchers {
    kinds: Vec<Vec<Set>>,
    /// How often assumptions had turned when these were found.
    turns: u64,
}

impl Watchers {
    /// The independences that watch an access to this location.
    pub(crate) fn of<S: View>(
        &mut self,
        system: &S,
        state: &mut S::State,
        location: Location,
        all: &[Box<dyn Independence<S>>],
        assumptions: &Assumptions,
    ) -> Set {
        let Some((of, cell)) = system.kind_of(state, location) else {
            return Set::MAX;
        };
        if self.turns != assumptions.turns() {
            self.turns = assumptions.turns();
            self.kinds.clear();
        }
        let (of, cell) = (of as usize, cell as usize);
        if self.kinds.len() <= of {
            self.kinds.resize(of + 1, Vec::new());
        }
        let cells = &mut self.kinds[of];
        if cells.len() <= cell {
            cells.resize(cell + 1, 0);
        }
        if cells[cell] == 0 {
            cells[cell] = KNOWN;
            for (position, one) in all.iter().enumerate() {
                cells[cell] |= Set::from(one.watches(system, state, location, assumptions)) << position;
            }
        }
        cells[cell]
    }
}
