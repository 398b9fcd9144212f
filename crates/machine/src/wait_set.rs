//! Wait sets: who is in them, who is notified, and how a wait ends (JLS 17.2).
//!
//! A notification, an interrupt and a time limit may all come to a thread before it has its monitor back, and the thread decides in
//! which order it takes them (JLS 17.2.1). So a thread that was interrupted, or whose time is up, stays in the wait set until it has the
//! monitor back, and may still be the one that is notified. How the wait ends is decided when the monitor is taken back, and where
//! several ends are allowed each is explored ([`Machine::ends_otherwise`]):
//! * Interrupted, and not notified: it throws.
//! * Interrupted and notified, in whichever order: it returns with the interrupt pending, or it throws.
//! * Interrupted, and its time is up or it woke up for no reason: the same.
//!
//! A thread that throws has not taken the notification, so another one must have (JLS 17.2.4): of those that were in the wait set when
//! `notify` was called, one returns normally or all throw.
//!
//! SOUNDNESS: the execution in which another one takes the notification is explored by itself, since `notify` chooses each thread of the wait
//! set. What remains is that nobody takes it, because all throw. There the notification is given to the one that takes the monitor back
//! last. So a notified thread may throw if, and only if, none still waits of those that could have been notified in its place:
//! those that were in the wait set together with it, and those that were together with one of them when that one was notified.
//!
//! To know these, each thread has a *turn*, which counts as long as it waits or wants its monitor back. Those in the wait set that
//! could have been notified in place of a notified thread are the ones with a lesser turn. Turns are renumbered whenever one changes, so that
//! they depend on nothing but this order. They are part of the state only if the program interrupts threads.

use crate::layout::{status, thread, wake};
use crate::machine::Machine;
use crate::memory::Address;

/// A turn after all others, until turns are renumbered.
const LAST: u32 = 0xffff;

impl Machine<'_> {
    /// How a thread that waited was woken: one of [`wake`].
    pub fn wake_kind(&self, number: u32) -> u32 {
        self.thread_word(number, thread::WAKE) & wake::KIND_MASK
    }

    fn turn(&self, number: u32) -> u32 {
        self.thread_word(number, thread::WAKE) >> wake::KIND_BITS
    }

    fn set_wake(&mut self, number: u32, kind: u32, turn: u32) {
        self.set_thread_word(number, thread::WAKE, turn << wake::KIND_BITS | kind);
    }

    /// Notes how a thread was woken; its turn stays.
    pub(crate) fn set_wake_kind(&mut self, number: u32, kind: u32) {
        self.set_wake(number, kind, self.turn(number));
    }

    /// The threads in the wait set of an object. One that was interrupted, or whose time is up, stays in it until it has the monitor
    /// again: it may still be the one that is notified.
    pub(crate) fn waiters(&self, object: Address) -> Vec<u32> {
        self.waiting_at(object, |machine, number| !machine.is_notified(number))
    }

    fn waiting_at(&self, object: Address, wanted: impl Fn(&Self, u32) -> bool) -> Vec<u32> {
        (0..=self.highest_thread())
            .filter(|&number| {
                let state = self.thread_word(number, thread::STATUS);
                matches!(state, status::WAITING | status::REACQUIRING)
                    && self.thread_word(number, thread::BLOCKER) == object
                    && wanted(self, number)
            })
            .collect()
    }

    fn is_notified(&self, number: u32) -> bool {
        self.thread_word(number, thread::STATUS) == status::REACQUIRING && self.wake_kind(number) == wake::NOTIFIED
    }

    /// Wakes one thread in the wait set of an object: the one that was chosen, or who has waited longest.
    pub fn wake_one(&mut self, object: Address) {
        let waiting = self.waiters(object);
        let first = if self.stepping {
            self.step
                .choice()
                .checked_sub(1)
                .filter(|chosen| waiting.contains(chosen))
        } else {
            self.run.longest_waiting(&waiting)
        };
        let Some(number) = first else {
            return;
        };
        // Whoever it could have stood in for, the others here now can.
        let turn = self.turn(number);
        for other in waiting {
            self.set_wake(other, self.wake_kind(other), self.turn(other).min(turn));
        }
        self.wake(number, wake::NOTIFIED);
        self.enter_turn(number, LAST, object);
    }

    /// Wakes all threads in the wait set of an object. None of them takes anything from another.
    pub fn wake_all(&mut self, object: Address) {
        for number in self.waiters(object) {
            self.wake(number, wake::NOTIFIED);
            self.enter_turn(number, 0, object);
        }
    }

    /// The running thread has entered the wait set of an object.
    pub(crate) fn enter_wait_set(&mut self, object: Address) {
        self.enter_turn(self.current(), LAST, object);
    }

    /// Gives a thread that waits at an object another turn.
    fn enter_turn(&mut self, number: u32, turn: u32, object: Address) {
        if self.semantics.interrupts {
            self.set_wake(number, self.wake_kind(number), turn);
            self.renumber_turns(object);
        }
    }

    /// Numbers the turns at an object anew, in their order: as many as there are changes between threads in the wait set and notified ones. A
    /// notified thread in whose place nobody else could have been notified has turn 0.
    fn renumber_turns(&mut self, object: Address) {
        let mut threads = self.waiting_at(object, |_, _| true);
        // A notified thread comes after those with a lesser turn, and before the others.
        threads.sort_by_key(|&number| 2 * self.turn(number) + u32::from(!self.is_notified(number)));
        let (mut turn, mut after_waiter) = (0, false);
        for number in threads {
            let waits = !self.is_notified(number);
            turn += u32::from(after_waiter && !waits);
            after_waiter = waits;
            if self.turn(number) != turn {
                self.set_wake(number, self.wake_kind(number), turn);
            }
        }
    }

    /// The threads whose waiting keeps a notified thread from throwing: they could have been notified in its place.
    pub(crate) fn passed_over(&self, number: u32) -> Vec<u32> {
        if self.wake_kind(number) != wake::NOTIFIED || self.turn(number) == 0 {
            return Vec::new();
        }
        let object = self.thread_word(number, thread::BLOCKER);
        self.waiting_at(object, |machine, other| {
            machine.thread_word(other, thread::STATUS) == status::WAITING && machine.turn(other) < machine.turn(number)
        })
    }

    /// Whether the wait of a thread that takes its monitor back may end in another way than that of HotSpot, which returns if the thread was
    /// notified, and throws if it was interrupted and not notified.
    pub(crate) fn ends_otherwise(&self, number: u32) -> bool {
        self.semantics.interrupts
            && self.is_interrupted(number)
            && match self.wake_kind(number) {
                wake::NOTIFIED => self.passed_over(number).is_empty(),
                wake::TIMEOUT | wake::SPURIOUS => true,
                _ => false,
            }
    }

    /// The running thread has the monitor of an object back, and waits no longer. Whether its wait ends with an exception.
    pub fn leave_wait_set(&mut self, object: Address) -> bool {
        let me = self.current();
        let otherwise = self.step.choice() == 1 && self.ends_otherwise(me);
        let throws = match self.wake_kind(me) {
            wake::INTERRUPTED => true,
            wake::NOTIFIED => otherwise,
            _ => self.is_interrupted(me) != otherwise,
        };
        if self.semantics.interrupts {
            self.renumber_turns(object);
        }
        throws
    }
}
