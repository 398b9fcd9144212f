//! Places at which threads could meet: where one walk saw two of them, with accesses that would be a data race at one time.
//!
//! Most such accesses are ordered by something, a lock or a start of a thread. Which are not is for other walks to find out.

use kernel::{Place, ThreadId, Touch};
use std::collections::HashMap;

/// How many places are kept.
const MOST: usize = 64;

/// The places of some walks.
#[derive(Default)]
pub(crate) struct Crowd {
    /// Who was where on the latest walk.
    seen: HashMap<Place, Vec<(ThreadId, Touch)>>,
    places: Vec<Place>,
}

impl Crowd {
    /// Another walk begins.
    pub fn begin(&mut self) {
        self.seen.clear();
    }

    /// A thread touches something.
    pub fn note(&mut self, thread: ThreadId, touches: &[Touch]) {
        for &touch in touches.iter().filter(|touch| touch.is_data()) {
            let seen = self.seen.entry(touch.place).or_default();
            if !seen.contains(&(thread, touch)) {
                seen.push((thread, touch));
                let meets = seen
                    .iter()
                    .any(|&(other, theirs)| other != thread && theirs.races(touch));
                if meets && self.places.len() < MOST && !self.places.contains(&touch.place) {
                    self.places.push(touch.place);
                }
            }
        }
    }

    /// The places, those that were seen first at the beginning.
    pub fn into_places(self) -> Vec<Place> {
        self.places
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
        let places = [4, 5].map(|cell| Place { object: 1, cell });
        assert_eq!(crowd.into_places(), places);
    }
}
