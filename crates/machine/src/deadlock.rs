//! Deadlocks of some threads while others may run on: threads that wait for each other in a circle that nobody can break.
//!
//! A circle by itself is not enough. A thread that is parked is let go by whoever unparks or interrupts it, so it matters who is able to:
//! * A monitor, or a class that is being initialised, is given up by its owner alone, and so is a `ReentrantLock` or a write lock, for a
//!   thread that waits in `lock()`: if it is unparked or interrupted it parks again.
//! * In `lockInterruptibly()` an interrupt ends the wait as well.
//! * Whoever waits in any other way for a synchronizer with an owner, or for a thread to end, may be let go by any thread that has hold of it.
//!
//! SOUNDNESS: a circle is reported only if it is certain: if none of its threads can move again, whatever the others do. Threads that
//! can move are found as the least set with the rules of [`Machine::may_move`]. A thread that none of those reaches is never unparked,
//! interrupted or notified, whatever they hand to each other. Where that cannot be told nothing is said: if those who could break
//! the circle end without doing so, nobody can move, and that is found by itself.

use crate::inspect::{EndedBy, Wait};
use crate::interference::bit;
use crate::layout::{status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::reachability::Reach;
use program::classfile::Constant;
use program::world::{Class, ClassId, LoaderId, Program};

/// The synchronizers of the JDK's own locks. Only the owner of one gives it up, and nobody outside of these classes sees who waits there.
pub(crate) const SYNCHRONIZERS: [&str; 4] = [
    "java/util/concurrent/locks/ReentrantLock$NonfairSync",
    "java/util/concurrent/locks/ReentrantLock$FairSync",
    "java/util/concurrent/locks/ReentrantReadWriteLock$NonfairSync",
    "java/util/concurrent/locks/ReentrantReadWriteLock$FairSync",
];

/// The locks that they belong to: a class that extends one may ask who waits.
const LOCKS: [&str; 2] = [
    "java/util/concurrent/locks/ReentrantLock",
    "java/util/concurrent/locks/ReentrantReadWriteLock",
];

/// Names in the code of a class that may ask which threads there are.
const ENUMERATES: [&str; 4] = [
    "getAllStackTraces",
    "getThreadGroup",
    "java/lang/ThreadGroup",
    "java/lang/management/ThreadMXBean",
];

/// Packages of the JDK, whose classes interrupt no thread that they were not given, and that of `Verify`.
const HARMLESS: [&str; 6] = ["java/", "javax/", "jdk/", "sun/", "com/sun/", "raddle/"];

/// Who can get hold of what.
struct Reached {
    by_any_way: Reach,
    /// The same for code that may interrupt what it finds. The JDK's locks only unpark those who wait for them, so no way leads through their
    /// synchronizers.
    for_interrupts: Reach,
}

impl Machine<'_> {
    /// The threads that wait for each other in a circle that nobody can break; empty if there is none.
    pub fn circle(&mut self) -> Vec<u32> {
        for start in 0..=self.highest_thread() {
            let mut members = Vec::new();
            let mut breakable = false;
            let mut at = start;
            while let Some((next, end)) = self.awaited(at) {
                members.push(at);
                breakable |= end != EndedBy::Owner;
                if next == start {
                    if !breakable || self.is_certain(&members) {
                        return members;
                    }
                    break;
                }
                // Each circle is looked at once, from its least member.
                if next < start || members.contains(&next) {
                    break;
                }
                at = next;
            }
        }
        Vec::new()
    }

    /// The thread that a thread waits for without a time limit, and who else could end that.
    fn awaited(&mut self, number: u32) -> Option<(u32, EndedBy)> {
        let (next, end) = match self.wait_of(number) {
            Wait::Monitor { owner: Some(owner), .. } | Wait::Class { owner, .. } => (owner, EndedBy::Owner),
            Wait::Lock {
                owner: Some(owner),
                end,
                ..
            } if end != EndedBy::Time => (owner, end),
            // To join a thread is to wait until it notifies at its end.
            Wait::Notice { object, timed: false } if self.is_thread(self.program.class(self.class_of(object))) => {
                (self.thread_of(object)?, EndedBy::Anyone)
            }
            _ => return None,
        };
        (next != number).then_some((next, end))
    }

    /// Whether none of these threads can ever move again.
    fn is_certain(&mut self, members: &[u32]) -> bool {
        let reached = Reached {
            by_any_way: self.label_holders(&[]),
            for_interrupts: self.label_holders(&SYNCHRONIZERS),
        };
        let movers = self.find_movers(&reached);
        movers.is_empty() || !members.iter().any(|member| movers.contains(member)) && !self.exposes_threads()
    }

    /// Labels every object with the threads that can get hold of it, by ways that do not lead through objects of these classes.
    fn label_holders(&mut self, hidden: &[&str]) -> Reach {
        let hidden: Vec<ClassId> = hidden
            .iter()
            .filter_map(|name| self.program.loaded(LoaderId::BOOT, name))
            .collect();
        let mut reach = Reach::default();
        reach.begin_sets();
        self.meet_shared(&mut reach);
        for number in 0..=self.highest_thread() {
            self.meet_roots(&mut reach, number, bit(number));
        }
        while let Some(met) = reach.take() {
            if !hidden.contains(&self.class_of(met.0)) {
                self.follow(&mut reach, met);
            }
        }
        reach
    }

    /// The threads that can still move.
    fn find_movers(&mut self, reached: &Reached) -> Vec<u32> {
        let mut others = self.live_threads();
        let (mut movers, mut set) = (Vec::new(), 0);
        loop {
            let before = movers.len();
            others.retain(|&number| {
                let moves = self.may_move(number, &movers, set, reached);
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

    /// Whether a thread can move, now or if these do, which are known to.
    fn may_move(&mut self, number: u32, movers: &[u32], set: u32, reached: &Reached) -> bool {
        let is_met = |machine: &Self, object: Address, reach: &Reach| {
            set != 0 && (!machine.is_tracked(object) || reach.label(object).unwrap_or(0) & set != 0)
        };
        let is_reached = |machine: &Self, object: Address| is_met(machine, object, &reached.by_any_way);
        let object = self.thread_word(number, thread::OBJECT);
        match self.thread_word(number, thread::STATUS) {
            status::SLEEPING => true,
            status::WAITING | status::PARKED => match self.wait_of(number) {
                Wait::Lock { owner, end, .. } => match end {
                    EndedBy::Owner => owner.is_none_or(|owner| movers.contains(&owner)),
                    EndedBy::Interrupt => {
                        owner.is_none_or(|owner| movers.contains(&owner))
                            || is_met(self, object, &reached.for_interrupts)
                    }
                    EndedBy::Anyone => self.semantics.spurious || is_reached(self, object),
                    EndedBy::Time => true,
                },
                Wait::Permit { timed, .. } => timed || self.semantics.spurious || is_reached(self, object),
                Wait::Notice { object: at, timed } => {
                    timed || self.semantics.spurious || is_reached(self, object) || is_reached(self, at)
                }
                _ => true,
            },
            _ => self.can_step(number) || self.is_let_go(number, movers),
        }
    }

    /// Whether the program may get hold of threads that nobody gave to it: its code asks which threads there are, or who waits for a lock, or
    /// not all of its code is loaded.
    fn exposes_threads(&mut self) -> bool {
        self.facts.exposes_threads(self.program)
    }
}

/// Whether the code of a class may get hold of threads that nobody gave to it.
pub(crate) fn class_exposes_threads(program: &Program, class: &Class) -> bool {
    let Some(file) = class.file.as_ref().filter(|_| class.loader >= LoaderId::APP) else {
        return false;
    };
    let extends = |name: &str| {
        let lock = program.loaded(LoaderId::BOOT, name);
        lock.is_some_and(|lock| program.is_subclass(class.id, lock))
    };
    let pool = &file.pool;
    LOCKS.into_iter().any(extends)
        || (1..pool.len() as u16).any(|index| match *pool.get(index) {
            Constant::Utf8 { .. } => ENUMERATES.contains(&pool.text(index)),
            Constant::Class(name) => {
                let name = pool.text(name);
                let is_known = name.starts_with('[')
                    || HARMLESS.iter().any(|prefix| name.starts_with(prefix))
                    || program.loaded(class.loader, name).is_some();
                !is_known
            }
            _ => false,
        })
}
