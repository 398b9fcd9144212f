//! What a step touches: the locations that other threads could reach.

/// A memory cell that other threads could reach, as an opaque name that is unique within one state: a field, an array
/// element, a monitor, a thread's permit, the clock. Two steps can only interfere through a location in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The object, or what stands for one (a class for its static fields).
    pub object: u32,
    /// The cell within it; [`Location::MONITOR`] for its monitor.
    pub cell: u32,
}

impl Location {
    /// The cell number that stands for an object's monitor: its owner and its wait set.
    pub const MONITOR: u32 = u32::MAX;
    /// The cell number that stands for all cells of an object.
    pub const WHOLE: u32 = u32::MAX - 1;
    /// The virtual clock.
    pub const CLOCK: Location = Location { object: 0, cell: 0 };
    /// Touched by what conflicts with everything: exit, halt, class initialisation by name.
    pub const EVERYTHING: Location = Location {
        object: 0,
        cell: Location::WHOLE,
    };

    /// Whether the two may be the same cell.
    pub fn overlaps(self, other: Location) -> bool {
        self == Location::EVERYTHING
            || other == Location::EVERYTHING
            || self.object == other.object
                && (self.cell == other.cell
                    || self.cell == Location::WHOLE && other.cell != Location::MONITOR
                    || other.cell == Location::WHOLE && self.cell != Location::MONITOR)
    }
}

/// How a location is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
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

impl AccessKind {
    /// Whether the access leaves its place as it was.
    pub fn is_read(self) -> bool {
        matches!(self, AccessKind::Read | AccessKind::AtomicRead)
    }

    /// Whether the access orders nothing. Every data race has one such access at least.
    pub fn is_plain(self) -> bool {
        matches!(self, AccessKind::Read | AccessKind::Write)
    }
}

/// One access to one location. The footprint of a step is a slice of these; it is empty for a step that no other thread
/// can notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// Where.
    pub location: Location,
    /// How.
    pub access: AccessKind,
}

impl MemoryAccess {
    /// Whether the order of the two may matter.
    pub fn conflicts(self, other: MemoryAccess) -> bool {
        self.location.overlaps(other.location) && !(self.access.is_read() && other.access.is_read())
    }

    /// Whether the two are a data race when both are about to happen (JLS §17.4.5): conflicting accesses to one variable,
    /// at least one of them plain.
    pub fn races(self, other: MemoryAccess) -> bool {
        (self.access.is_plain() || other.access.is_plain())
            && self.is_data()
            && other.is_data()
            && self.conflicts(other)
    }

    /// Whether the access is to variables. An access to a monitor does not, nor does one to a whole object, or to everything,
    /// that is not plain: that is the start or the end of a thread, or the end of the program, which only order.
    pub fn is_data(self) -> bool {
        match self.access {
            AccessKind::Read | AccessKind::Write => true,
            AccessKind::AtomicRead | AccessKind::AtomicWrite => self.location.cell < Location::WHOLE,
            AccessKind::Acquire | AccessKind::Release => false,
        }
    }
}

/// Whether two steps with these footprints may interfere: a location in common that one of them changes.
pub fn conflict(one: &[MemoryAccess], two: &[MemoryAccess]) -> bool {
    one.iter().any(|mine| two.iter().any(|theirs| mine.conflicts(*theirs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_is_a_conflict_of_data_with_a_plain_access() {
        let at = |cell| Location { object: 7, cell };
        let (field, whole, monitor) = (at(1), at(Location::WHOLE), at(Location::MONITOR));
        let cases = [
            (field, AccessKind::Write, field, AccessKind::Read, true),
            (field, AccessKind::Write, field, AccessKind::AtomicRead, true),
            (field, AccessKind::Read, field, AccessKind::AtomicWrite, true),
            (field, AccessKind::Write, field, AccessKind::AtomicWrite, true),
            (field, AccessKind::Read, field, AccessKind::AtomicRead, false),
            (field, AccessKind::AtomicWrite, field, AccessKind::AtomicWrite, false),
            (whole, AccessKind::Read, field, AccessKind::AtomicWrite, true),
            // The start of a thread orders; so does what conflicts with everything.
            (whole, AccessKind::AtomicWrite, field, AccessKind::Write, false),
            (
                Location::EVERYTHING,
                AccessKind::AtomicWrite,
                field,
                AccessKind::Write,
                false,
            ),
            (monitor, AccessKind::Acquire, field, AccessKind::Write, false),
            (at(2), AccessKind::AtomicWrite, field, AccessKind::Write, false),
        ];
        for (one, how, two, and, expected) in cases {
            let a = MemoryAccess {
                location: one,
                access: how,
            };
            let b = MemoryAccess {
                location: two,
                access: and,
            };
            assert_eq!(a.races(b), expected, "{a:?} {b:?}");
            assert_eq!(b.races(a), expected, "{b:?} {a:?}");
        }
    }

    #[test]
    fn conflicts_need_a_common_place_and_a_write() {
        let field = Location { object: 7, cell: 1 };
        let whole = Location {
            object: 7,
            cell: Location::WHOLE,
        };
        let monitor = Location {
            object: 7,
            cell: Location::MONITOR,
        };
        let other = Location { object: 8, cell: 1 };
        let cases = [
            (field, AccessKind::Read, field, AccessKind::Read, false),
            (field, AccessKind::Read, field, AccessKind::Write, true),
            (field, AccessKind::AtomicWrite, field, AccessKind::AtomicRead, true),
            (field, AccessKind::Write, other, AccessKind::Write, false),
            (whole, AccessKind::Write, field, AccessKind::Read, true),
            (whole, AccessKind::Write, monitor, AccessKind::Acquire, false),
            (monitor, AccessKind::Acquire, monitor, AccessKind::Release, true),
            (Location::EVERYTHING, AccessKind::Write, other, AccessKind::Read, true),
        ];
        for (one, how, two, and, expected) in cases {
            let a = MemoryAccess {
                location: one,
                access: how,
            };
            let b = MemoryAccess {
                location: two,
                access: and,
            };
            assert_eq!(conflict(&[a], &[b]), expected, "{a:?} {b:?}");
            assert_eq!(conflict(&[b], &[a]), expected, "{b:?} {a:?}");
        }
    }
}
