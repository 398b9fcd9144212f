//! Locations at which threads could meet: where one walk saw two of them, one of which writes. First those with plain accesses, which would be
//! a data race at one time, then those with others. Locks are not among them.
//!
//! Most plain accesses are ordered by something, a lock or a start of a thread. Which are not, and where the order of others matters, is for
//! other walks to find out.

use kernel::{Location, MemoryAccess, ThreadId};
use std::collections::HashMap;

/// How many locations are kept.
const MOST: usize = 64;

/// The locations of some walks.
#[derive(Default)]
pub(crate) struct RaceCandidates {
    /// Who was where on the latest walk.
    seen: HashMap<Location, Vec<(ThreadId, MemoryAccess)>>,
    plain: Vec<Location>,
    others: Vec<Location>,
}

impl RaceCandidates {
    /// Another walk begins.
    pub fn begin(&mut self) {
        self.seen.clear();
    }

    /// A thread touches something.
    pub fn note(&mut self, thread: ThreadId, touches: &[MemoryAccess]) {
        let is_one = |touch: &MemoryAccess| touch.location != Location::CLOCK && touch.location.cell != Location::WHOLE;
        for &touch in touches.iter().filter(|touch| touch.is_data() && is_one(touch)) {
            let seen = self.seen.entry(touch.location).or_default();
            if !seen.contains(&(thread, touch)) {
                seen.push((thread, touch));
                let mut theirs = seen
                    .iter()
                    .filter(|(other, theirs)| *other != thread && theirs.conflicts(touch));
                let Some(&(_, first)) = theirs.next() else { continue };
                let races = [first]
                    .iter()
                    .chain(theirs.map(|(_, theirs)| theirs))
                    .any(|theirs| theirs.races(touch));
                let locations = if races { &mut self.plain } else { &mut self.others };
                if locations.len() < MOST && !locations.contains(&touch.location) {
                    locations.push(touch.location);
                }
            }
        }
    }

    /// The locations, those that were seen first at the beginning.
    pub fn into_locations(mut self) -> Vec<Location> {
        self.others.retain(|location| !self.plain.contains(location));
        self.plain.append(&mut self.others);
        self.plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::AccessKind;

    #[test]
    fn threads_meet_where_one_of_them_writes_on_the_same_walk() {
        let mut candidates = RaceCandidates::default();
        let mut note = |thread: u32, cell: u32, access: AccessKind| {
            let location = Location { object: 1, cell };
            candidates.note(ThreadId(thread), &[MemoryAccess { location, access }]);
        };
        note(0, 1, AccessKind::Write);
        note(0, 1, AccessKind::Read);
        note(0, 2, AccessKind::Read);
        note(1, 2, AccessKind::Read);
        note(0, 3, AccessKind::AtomicWrite);
        note(1, 3, AccessKind::AtomicWrite);
        note(0, 4, AccessKind::Write);
        note(1, 4, AccessKind::Read);
        note(0, 5, AccessKind::Write);
        note(1, 5, AccessKind::AtomicRead);
        candidates.begin();
        candidates.note(
            ThreadId(1),
            &[MemoryAccess {
                location: Location { object: 1, cell: 1 },
                access: AccessKind::Read,
            }],
        );
        // Those that would be data races come first.
        let locations = [4, 5, 3].map(|cell| Location { object: 1, cell });
        assert_eq!(candidates.into_locations(), locations);
    }
}
