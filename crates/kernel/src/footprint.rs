//! What a step touches: the places that other threads could reach.

/// A memory cell that other threads could reach, as an opaque name that is unique within one state: a field, an array
/// element, a monitor, a thread's permit, the clock. Two steps can only interfere through a place in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The object, or what stands for one (a class for its static fields).
    pub object: u32,
    /// The cell within it; [`Place::MONITOR`] for its monitor.
    pub cell: u32,
}

impl Place {
    /// The cell number that stands for an object's monitor: its owner and its wait set.
    pub const MONITOR: u32 = u32::MAX;
    /// The cell number that stands for all cells of an object.
    pub const WHOLE: u32 = u32::MAX - 1;
    /// The virtual clock.
    pub const CLOCK: Place = Place { object: 0, cell: 0 };
    /// Touched by what conflicts with everything: exit, halt, class initialisation by name.
    pub const EVERYTHING: Place = Place {
        object: 0,
        cell: Place::WHOLE,
    };

    /// Whether the two may be the same cell.
    pub fn overlaps(self, other: Place) -> bool {
        self == Place::EVERYTHING
            || other == Place::EVERYTHING
            || self.object == other.object
                && (self.cell == other.cell
                    || self.cell == Place::WHOLE && other.cell != Place::MONITOR
                    || other.cell == Place::WHOLE && self.cell != Place::MONITOR)
    }
}

/// How a place is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Plain read.
    Read,
    /// Plain write.
    Write,
    /// Volatile, opaque, acquire or release read, or one inside an atomic operation that failed to write.
    AtomicRead,
    /// Volatile or release write, or an atomic read-modify-write.
    AtomicWrite,
    /// A lock is taken.
    Acquire,
    /// A lock is given back, or the wait set is changed.
    Release,
}

impl Access {
    /// Whether the access leaves its place as it was.
    pub fn is_read(self) -> bool {
        matches!(self, Access::Read | Access::AtomicRead)
    }

    /// Whether the access orders nothing. Every data race has one such access at least.
    pub fn is_plain(self) -> bool {
        matches!(self, Access::Read | Access::Write)
    }
}

/// One access to one place. The footprint of a step is a slice of these; it is empty for a step that no other thread
/// can notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Touch {
    /// Where.
    pub place: Place,
    /// How.
    pub access: Access,
}

impl Touch {
    /// Whether the order of the two may matter.
    pub fn conflicts(self, other: Touch) -> bool {
        self.place.overlaps(other.place) && !(self.access.is_read() && other.access.is_read())
    }

    /// Whether the two are a data race when both are about to happen (JLS §17.4.5): conflicting accesses to one variable,
    /// at least one of them plain.
    pub fn races(self, other: Touch) -> bool {
        (self.access.is_plain() || other.access.is_plain())
            && self.is_data()
            && other.is_data()
            && self.conflicts(other)
    }

    /// Whether the touch accesses variables. A touch of a monitor does not, nor does one of a whole object, or of everything,
    /// that is not plain: that is the start or the end of a thread, or the end of the program, which only order.
    pub fn is_data(self) -> bool {
        match self.access {
            Access::Read | Access::Write => true,
            Access::AtomicRead | Access::AtomicWrite => self.place.cell < Place::WHOLE,
            Access::Acquire | Access::Release => false,
        }
    }
}

/// Whether two steps with these footprints may interfere: a place in common that one of them changes.
pub fn conflict(one: &[Touch], two: &[Touch]) -> bool {
    one.iter().any(|mine| two.iter().any(|theirs| mine.conflicts(*theirs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_is_a_conflict_of_data_with_a_plain_access() {
        let at = |cell| Place { object: 7, cell };
        let (field, whole, monitor) = (at(1), at(Place::WHOLE), at(Place::MONITOR));
        let cases = [
            (field, Access::Write, field, Access::Read, true),
            (field, Access::Write, field, Access::AtomicRead, true),
            (field, Access::Read, field, Access::AtomicWrite, true),
            (field, Access::Write, field, Access::AtomicWrite, true),
            (field, Access::Read, field, Access::AtomicRead, false),
            (field, Access::AtomicWrite, field, Access::AtomicWrite, false),
            (whole, Access::Read, field, Access::AtomicWrite, true),
            // The start of a thread orders; so does what conflicts with everything.
            (whole, Access::AtomicWrite, field, Access::Write, false),
            (Place::EVERYTHING, Access::AtomicWrite, field, Access::Write, false),
            (monitor, Access::Acquire, field, Access::Write, false),
            (at(2), Access::AtomicWrite, field, Access::Write, false),
        ];
        for (one, how, two, and, expected) in cases {
            let a = Touch {
                place: one,
                access: how,
            };
            let b = Touch {
                place: two,
                access: and,
            };
            assert_eq!(a.races(b), expected, "{a:?} {b:?}");
            assert_eq!(b.races(a), expected, "{b:?} {a:?}");
        }
    }

    #[test]
    fn conflicts_need_a_common_place_and_a_write() {
        let field = Place { object: 7, cell: 1 };
        let whole = Place {
            object: 7,
            cell: Place::WHOLE,
        };
        let monitor = Place {
            object: 7,
            cell: Place::MONITOR,
        };
        let other = Place { object: 8, cell: 1 };
        let cases = [
            (field, Access::Read, field, Access::Read, false),
            (field, Access::Read, field, Access::Write, true),
            (field, Access::AtomicWrite, field, Access::AtomicRead, true),
            (field, Access::Write, other, Access::Write, false),
            (whole, Access::Write, field, Access::Read, true),
            (whole, Access::Write, monitor, Access::Acquire, false),
            (monitor, Access::Acquire, monitor, Access::Release, true),
            (Place::EVERYTHING, Access::Write, other, Access::Read, true),
        ];
        for (one, how, two, and, expected) in cases {
            let a = Touch {
                place: one,
                access: how,
            };
            let b = Touch {
                place: two,
                access: and,
            };
            assert_eq!(conflict(&[a], &[b]), expected, "{a:?} {b:?}");
            assert_eq!(conflict(&[b], &[a]), expected, "{b:?} {a:?}");
        }
    }
}
