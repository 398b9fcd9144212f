//! Who may interfere with whom, for persistent and for sleep sets.
//!
//! SOUNDNESS, two steps of different threads in one state ([`Machine::is_exchangeable`]): a step changes nothing that others can tell
//! but what its footprint names, and vectors know no addresses, so two steps without a location in common lead to one state in both
//! orders. What footprints do not tell is left out here:
//! * Threads are numbered in the order of their starts, and numbers are used again.
//! * Whether a class is initialised is looked at in the midst of steps.
//! * The clock is set back when no step has left a moment that is remembered.
//! * What touches everything ends the program, or stops the others, also those that touch nothing.
//!
//! SOUNDNESS, what the others may do while some threads stand still ([`Machine::interfering_threads`]): an object that none of those who can move
//! reaches, nor anybody from what all share, stays out of their reach, whatever they hand to each other and whichever threads they
//! start. So nobody touches it. Who can move is the least set of threads with these rules:
//! * Who can take a step now can move, and who waits with a way out of his own.
//! * Who waits to be notified, unparked or interrupted can move if one of those who can reaches what he waits at, or his thread.
//! * Who wants a monitor, or a class that is being initialised, can move if he can who has it.
//! * Who waits for the end of the program can move if all can who put it off.

use crate::layout::{CLASSES, HEAP, OWNER_MASK, STRINGS, class, class_record, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::reachability::Reach;
use crate::system::{Action, What};
use kernel::{AccessKind, Location, MemoryAccess, ThreadId, Transitions, conflict};
use program::world::ClassId;

/// The bit of a thread in a set of threads. Those with great numbers share one, so that a set says too much of them and never too
/// little.
pub(crate) fn bit(number: u32) -> u32 {
    1 << number.min(31)
}

impl Machine<'_> {
    /// Whether two enabled actions of different threads with these footprints commute.
    pub(crate) fn is_exchangeable(&self, one: &[MemoryAccess], two: &[MemoryAccess]) -> bool {
        let is_plain =
            |touch: &MemoryAccess| touch.location.object != 0 && !(CLASSES..STRINGS).contains(&touch.location.object);
        let all_plain = one.iter().chain(two).all(is_plain);
        let renumber = self.renumbers(one) && self.renumbers(two);
        all_plain && !renumber && !conflict(one, two)
    }

    /// Whether a step with this footprint may start or end a thread.
    fn renumbers(&self, touches: &[MemoryAccess]) -> bool {
        touches.iter().any(|touch| {
            let Location { object, cell } = touch.location;
            cell == Location::WHOLE
                && touch.access == AccessKind::AtomicWrite
                && object >= HEAP
                && self.program.is_subclass(self.class_of(object), self.known.thread)
        })
    }

    /// Appends those of the threads who can move that reach what some threads, which stand still, are about to touch, or hold what
    /// these wait for: nobody, if nobody can come to it. `false` if it is something that anybody may come to.
    pub(crate) fn interfering_threads(&mut self, still: &[ThreadId], out: &mut Vec<ThreadId>) -> bool {
        if let [one] = still
            && self.semantics.runs_through()
            && self.is_one_of_two(one.0)
        {
            // What the other one cannot come to is local, and `escape` knows that already.
            return false;
        }
        let (mut holders, is_known) = self.reachability.take_holders();
        if !is_known {
            self.find_holders(&mut holders);
        }
        let known = self.who_comes_to(still, &holders);
        if let Some(comers) = known {
            let movers = self.movers(still, &holders);
            let interfering_threads = movers.into_iter().filter(|&mover| bit(mover) & comers != 0);
            out.extend(interfering_threads.map(ThreadId));
        }
        self.reachability.put_holders(holders);
        known.is_some()
    }

    /// Whether there is one other thread, and it can move.
    fn is_one_of_two(&mut self, number: u32) -> bool {
        let is_live = |&other: &u32| self.thread_word(other, thread::STATUS) != status::FREE && other != number;
        let mut others = (0..=self.highest_thread()).filter(is_live);
        let (Some(other), None) = (others.next(), others.next()) else {
            return false;
        };
        self.can_step(other)
    }

    /// Whether a thread can take a step now.
    pub(crate) fn can_step(&mut self, number: u32) -> bool {
        let state = self.thread_word(number, thread::STATUS);
        let next = self.next_runnable(number, state);
        let wanted = next.and_then(|next| self.monitor_wanted(number, next));
        self.is_enabled(number, state, next, wanted)
    }

    /// Labels every object with the threads that reach it.
    fn find_holders(&mut self, holders: &mut Reach) {
        holders.begin_sets();
        self.meet_shared(holders);
        for number in 0..=self.highest_thread() {
            self.meet_roots(holders, number, bit(number));
        }
        while let Some(met) = holders.take() {
            self.follow(holders, met);
        }
    }

    /// The threads that reach what some are about to touch, or hold a monitor among it; `None` for what is no object's, or one's of
    /// which it cannot be told.
    fn who_comes_to(&mut self, still: &[ThreadId], holders: &Reach) -> Option<u32> {
        let mut comers = 0;
        for &thread in still {
            if self.is_timed(thread.0) {
                return None;
            }
            let mut transitions = Transitions::default();
            let go = Action {
                thread: thread.0,
                what: What::Go,
            };
            transitions.add(thread, go, true);
            let next = self.next_runnable(thread.0, self.thread_word(thread.0, thread::STATUS));
            self.footprint(thread.0, next, &mut transitions);
            if self.is_in_operation(thread.0) {
                if !self.can_step(thread.0) {
                    // Nobody knows what it will touch once it can.
                    return None;
                }
                transitions.replace_footprint(0, &self.probed(thread.0)?);
            }
            let entry = transitions.entries().first()?;
            for touch in transitions.footprint(entry) {
                let is_monitor = touch.location.cell == Location::MONITOR;
                let owner = match is_monitor && touch.location.object >= HEAP {
                    true => self.owner_of_monitor(touch.location.object),
                    false => None,
                };
                if owner == Some(thread.0) && touch.access == AccessKind::Release {
                    // Nobody else can do anything to it. Who waits there and could go by himself is touched, too.
                    continue;
                }
                comers |= holders.label(self.tracked_at(touch.location)?).unwrap_or(0) | owner.map_or(0, bit);
            }
        }
        Some(comers)
    }

    /// The threads that can move as long as some stand still.
    fn movers(&mut self, still: &[ThreadId], holders: &Reach) -> Vec<u32> {
        let mut others: Vec<u32> = (0..=self.highest_thread())
            .filter(|&number| {
                self.thread_word(number, thread::STATUS) != status::FREE && !still.contains(&ThreadId(number))
            })
            .collect();
        let (mut movers, mut set) = (Vec::new(), 0);
        loop {
            let before = movers.len();
            others.retain(|&number| {
                let moves = self.can_move(number, &movers, set, holders);
                if moves {
                    movers.push(number);
                    set |= bit(number);
                }
                !moves
            });
            if movers.len() == before {
                return movers;
            }
        }
    }

    /// Whether a thread can move if these can, which are known to.
    fn can_move(&mut self, number: u32, movers: &[u32], set: u32, holders: &Reach) -> bool {
        if self.can_step(number) {
            return true;
        }
        let state = self.thread_word(number, thread::STATUS);
        let is_reached = |machine: &Self, object: Address| {
            !machine.is_tracked(object) || holders.label(object).unwrap_or(0) & set != 0
        };
        match state {
            status::WAITING | status::PARKED | status::SLEEPING => {
                self.semantics.spurious
                    || self.is_timed(number)
                    || is_reached(self, self.thread_word(number, thread::OBJECT))
                    || state == status::WAITING && is_reached(self, self.thread_word(number, thread::BLOCKER))
            }
            _ => self.is_let_go(number, movers),
        }
    }

    /// Whether a thread that waits for a monitor, a class or the end of the program can move if these can, which are known to.
    pub(crate) fn is_let_go(&mut self, number: u32, movers: &[u32]) -> bool {
        if self.thread_word(number, thread::STATUS) == status::ENDING {
            return (0..=self.highest_thread()).all(|other| {
                let object = self.thread_word(other, thread::OBJECT);
                let puts_off = other != number && object != 0 && !self.is_daemon(object);
                !puts_off || movers.contains(&other)
            });
        }
        self.hinderer(number)
            .is_none_or(|owner| self.thread_word(owner, thread::STATUS) == status::FREE || movers.contains(&owner))
    }

    /// Who has the monitor, or initialises the class, that a thread wants and cannot have now.
    fn hinderer(&self, number: u32) -> Option<u32> {
        let blocker = self.thread_word(number, thread::BLOCKER);
        let (monitor, wanted) = match self.thread_word(number, thread::STATUS) {
            status::BLOCKED | status::REACQUIRING => (Some(blocker), None),
            status::INITIALIZING => (None, Some(ClassId(blocker))),
            _ => {
                let next = self.next_instruction(number);
                (
                    next.and_then(|next| self.monitor_wanted(number, next)),
                    next.and_then(|next| self.class_wanted(next)),
                )
            }
        };
        match (monitor, wanted) {
            (Some(object), _) => self.owner_of_monitor(object),
            (None, Some(wanted)) => {
                let owner = self.memory.load(class_record(wanted) + class::OWNER);
                owner.checked_sub(1)
            }
            (None, None) => None,
        }
    }

    fn owner_of_monitor(&self, object: Address) -> Option<u32> {
        let owner = self.memory.load(self.lock_cell(object)) & OWNER_MASK;
        owner.checked_sub(1)
    }
}

impl Action {
    /// A number that means the same in all states with one vector, if threads go by their numbers in it.
    pub(crate) fn name(self) -> u64 {
        let (kind, number) = match self.what {
            What::Go => (0, 0),
            What::Timeout => (1, 0),
            What::Spurious => (2, 0),
            What::Choose(number) => (3, number),
            What::Wake(thread) => (4, thread),
            What::Leap => (5, 0),
            What::Unaware => (6, 0),
            What::Begin => (7, 0),
        };
        u64::from(self.thread) << 35 | kind << 32 | u64::from(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_have_names_of_their_own() {
        let whats = [
            What::Go,
            What::Timeout,
            What::Spurious,
            What::Choose(0),
            What::Choose(7),
            What::Wake(0),
            What::Wake(7),
            What::Leap,
            What::Begin,
            What::Unaware,
        ];
        let actions = [0, 1, 4094].map(|thread| whats.map(|what| Action { thread, what }.name()));
        let distinct: std::collections::BTreeSet<u64> = actions.into_iter().flatten().collect();
        assert_eq!(distinct.len(), 3 * whats.len());
    }
}
