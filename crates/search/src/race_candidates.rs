//! Places at which threads could meet: where one walk saw two of them, one of which writes. First those with plain accesses, which would be
//! a data race at one time, then those with others. Locks are not among them.
//!
//! Most plain accesses are ordered by something, a lock or a start of a thread. Which are not, and where the order of others matters, is for
//! other walks to find out.

use kernel::{Place, ThreadId, Touch};
use std::collections::HashMap;

/// How many places are kept.
const MOST: usize = 64;

/// The places of some walks.
#[derive(Default)]
pub(crate) struct Crowd {
    /// Who was where on the latest walk.
    seen: HashMap<Place, Vec<(ThreadId, Touch)>>,
    plain: Vec<Place>,
    others: Vec<Place>,
}

impl Crowd {
    /// Another walk begins.
    pub fn begin(&mut self) {
        self.seen.clear();
    }

    /// A thread touches something.
    pub fn note(&mut self, thread: ThreadId, touches: &[Touch]) {
        let is_one = |touch: &Touch| touch.place != Place::CLOCK && touch.place.cell != Place::WHOLE;
        for &touch in touches.iter().filter(|touch| touch.is_data() && is_one(touch)) {
            let seen = self.seen.entry(touch.place).or_default();
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
                let places = if races { &mut self.plain } else { &mut self.others };
                if places.len() < MOST && !places.contains(&touch.place) {
                    places.push(touch.place);
                }
            }
        }
    }

    /// The places, those that were seen first at the beginning.
    pub fn into_places(mut self) -> Vec<Place> {
        self.others.retain(|place| !self.plain.contains(place));
        self.plain.append(&mut self.others);
        self.plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::Access;

    #[test]
    fn threads_meet_where_one_of_them_writes_on_the_same_walk() {
        let mut crowd = Crowd::default();
        let mut note = |thread: u32, cell: u32, access: Access| {
            let place = Place { object: 1, cell };
            crowd.note(ThreadId(thread), &[Touch { place, access }]);
        };
        note(0, 1, Access::Write);
        note(0, 1, Access::Read);
        note(0, 2, Access::Read);
        note(1, 2, Access::Read);
        note(0, 3, Access::AtomicWrite);
        note(1, 3, Access::AtomicWrite);
        note(0, 4, Access::Write);
        note(1, 4, Access::Read);
        note(0, 5, Access::Write);
        note(1, 5, Access::AtomicRead);
        crowd.begin();
        crowd.note(
            ThreadId(1),
            &[Touch {
                place: Place { object: 1, cell: 1 },
                access: Access::Read,
            }],
        );
        // Those that would be data races come first.
        let places = [4, 5, 3].map(|cell| Place { object: 1, cell });
        assert_eq!(crowd.into_places(), places);
    }
}
