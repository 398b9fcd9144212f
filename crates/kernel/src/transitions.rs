//! What can happen next at one state, and what is wrong with it already.

use crate::{AccessKind, Flaw, Location, MemoryAccess, ThreadId, conflict};

/// The next action of a thread, which may or may not be possible now.
#[derive(Clone, Copy, Debug)]
pub struct Transition<A> {
    /// Who would act.
    pub thread: ThreadId,
    /// What to hand to [`crate::System::apply`].
    pub action: A,
    /// Whether it can be applied in this state.
    pub enabled: bool,
    /// Whether the thread waits, and this only ends its waiting: it is no thread that could go on by itself.
    pub wakeup: bool,
    /// Whether it may happen for no reason, or never: nobody can count on it.
    pub spurious: bool,
    /// Whether it is a step of many accesses, of which others could do some instead once they were in its midst.
    pub wide: bool,
    first: u32,
    end: u32,
}

/// Whether a state is an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// It is not: if nobody can move, that is a deadlock.
    #[default]
    Open,
    /// The program is over, in good order.
    Over,
    /// The program asked for this execution to be forgotten.
    Ignored,
}

/// The next actions of every live thread at one state. Kept by its owner and filled again and again.
#[derive(Clone, Debug)]
pub struct Transitions<A> {
    entries: Vec<Transition<A>>,
    touches: Vec<MemoryAccess>,
    /// Whether one of them is plain, and whether one writes: without both there is no race.
    plain: bool,
    writes: bool,
    /// What is wrong with the state by itself.
    pub flaws: Vec<Flaw>,
    /// Whether it is an end.
    pub end: End,
    /// What the program wants to be remembered of having been here, by numbers that the system understands.
    pub marks: Vec<u128>,
}

impl<A> Default for Transitions<A> {
    fn default() -> Transitions<A> {
        Transitions {
            entries: Vec::new(),
            touches: Vec::new(),
            plain: false,
            writes: false,
            flaws: Vec::new(),
            end: End::Open,
            marks: Vec::new(),
        }
    }
}

impl<A: Copy> Transitions<A> {
    /// Forgets everything and keeps the room for it.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.touches.clear();
        (self.plain, self.writes) = (false, false);
        self.flaws.clear();
        self.end = End::Open;
        self.marks.clear();
    }

    /// Adds an action that touches nothing so far.
    pub fn add(&mut self, thread: ThreadId, action: A, enabled: bool) {
        let at = self.touches.len() as u32;
        self.entries.push(Transition {
            thread,
            action,
            enabled,
            wakeup: false,
            spurious: false,
            wide: false,
            first: at,
            end: at,
        });
    }

    /// Adds a touch to the action that was added last.
    pub fn touch(&mut self, location: Location, access: AccessKind) {
        self.touches.push(MemoryAccess { location, access });
        self.plain |= access.is_plain();
        self.writes |= matches!(access, AccessKind::Write | AccessKind::AtomicWrite);
        if let Some(last) = self.entries.last_mut() {
            last.end = self.touches.len() as u32;
        }
    }

    /// Adds another action of the thread that was added last, with the same footprint.
    pub fn add_alternative(&mut self, action: A, enabled: bool) {
        if let Some(&last) = self.entries.last() {
            self.entries.push(Transition {
                action,
                enabled,
                ..last
            });
        }
    }

    /// Adds another action of the thread that was added last which ends its waiting.
    pub fn add_wake_up(&mut self, action: A, spurious: bool) {
        self.add_alternative(action, true);
        if let Some(last) = self.entries.last_mut() {
            (last.wakeup, last.spurious) = (true, spurious);
        }
    }

    /// Makes the action at a position a step of many accesses, with this footprint.
    pub fn replace_footprint(&mut self, position: usize, touches: &[MemoryAccess]) {
        let first = self.touches.len() as u32;
        for &MemoryAccess { location, access } in touches {
            self.touches.push(MemoryAccess { location, access });
            self.plain |= access.is_plain();
            self.writes |= matches!(access, AccessKind::Write | AccessKind::AtomicWrite);
        }
        let entry = &mut self.entries[position];
        (entry.first, entry.end, entry.wide) = (first, self.touches.len() as u32, true);
    }

    /// Whether nobody can move and that is no end, unless something happens on which nobody can count.
    pub fn is_dead(&self) -> bool {
        self.end == End::Open && !self.entries.iter().any(|entry| entry.enabled && !entry.spurious)
    }

    /// The actions in their fixed order.
    pub fn entries(&self) -> &[Transition<A>] {
        &self.entries
    }

    /// The same, to be changed.
    pub fn entries_mut(&mut self) -> &mut [Transition<A>] {
        &mut self.entries
    }

    /// What one of these actions touches.
    pub fn footprint(&self, of: &Transition<A>) -> &[MemoryAccess] {
        &self.touches[of.first as usize..of.end as usize]
    }

    /// The pairs of enabled actions of two threads that are a data race, or may be one in the midst of a step of many accesses.
    pub fn races(&self) -> impl Iterator<Item = (&Transition<A>, &Transition<A>)> {
        let entries = match self.plain && self.writes {
            true => &self.entries[..],
            false => &[],
        };
        entries.iter().enumerate().flat_map(move |(position, one)| {
            entries[position + 1..]
                .iter()
                .filter(move |two| one.enabled && two.enabled && one.thread != two.thread)
                .filter(move |two| {
                    let (mine, theirs) = (self.footprint(one), self.footprint(two));
                    let is_plain = |touches: &[MemoryAccess]| touches.iter().any(|touch| touch.access.is_plain());
                    mine.iter().any(|mine| theirs.iter().any(|touch| mine.races(*touch)))
                        || (one.wide || two.wide) && (is_plain(mine) || is_plain(theirs)) && conflict(mine, theirs)
                })
                .map(move |two| (one, two))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_needs_two_enabled_threads_a_plain_access_and_a_write() {
        let x = Location { object: 1, cell: 2 };
        let cases = [
            (true, AccessKind::Read, true, AccessKind::Write, 1),
            (true, AccessKind::Read, true, AccessKind::Read, 0),
            (true, AccessKind::Read, false, AccessKind::Write, 0),
            (true, AccessKind::AtomicRead, true, AccessKind::Write, 1),
            (true, AccessKind::Read, true, AccessKind::AtomicWrite, 1),
            (true, AccessKind::Read, true, AccessKind::AtomicRead, 0),
            (true, AccessKind::AtomicRead, true, AccessKind::AtomicWrite, 0),
        ];
        for (enabled, access, other_enabled, other, races) in cases {
            let mut transitions: Transitions<u32> = Transitions::default();
            transitions.add(ThreadId(0), 10, enabled);
            transitions.touch(x, access);
            transitions.add(ThreadId(1), 20, other_enabled);
            transitions.touch(x, other);
            assert_eq!(transitions.races().count(), races, "{access:?} {other:?}");
            let pair = transitions.races().next().map(|(one, two)| (one.action, two.action));
            assert_eq!(pair, (races == 1).then_some((10, 20)));
        }
    }

    #[test]
    fn alternatives_share_a_footprint() {
        let mut transitions: Transitions<u32> = Transitions::default();
        transitions.add(ThreadId(0), 1, true);
        transitions.touch(Location::CLOCK, AccessKind::Read);
        transitions.add_alternative(2, false);
        let [one, two] = transitions.entries() else {
            panic!("two entries")
        };
        assert_eq!(transitions.footprint(one), transitions.footprint(two));
        assert!(one.enabled && !two.enabled);
    }
}
