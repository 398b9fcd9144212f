//! How threads wait in operations, are interrupted there, and who could tell.

use crate::assumption::LOOKS;
use crate::layout::{HEAP, frame, status, thread, thread_record};
use crate::machine::Machine;
use crate::memory::Address;
use crate::operation_table::Effect;
use crate::system::{Action, Undo, What};
use kernel::Location;
use program::world::LoaderId;

impl Machine<'_> {
    /// Whether a thread asks in a frame of `Thread.isInterrupted` whether another one is interrupted. Operations that wait clear the status for
    /// a moment, and set it again.
    ///
    /// SOUNDNESS: the library itself asks before it interrupts a thread that is not interrupted yet. If it is told that one is while the status
    /// would have been cleared for a moment, all that it leaves out is to set it again.
    pub(crate) fn asks_of_another(&self, number: u32, at: Address) -> bool {
        let of = self.memory.load(at + frame::REGISTERS);
        let (_, _, caller) = self.frame_at(at);
        let is_librarys = caller != 0 && {
            let class = self.program.class(self.program.method(self.frame_at(caller).0).class);
            class.loader == LoaderId::BOOT && class.name.starts_with("java/util/concurrent/")
        };
        self.semantics.at_once && of != self.thread_word(number, thread::OBJECT) && !is_librarys
    }

    /// Whether a step of a thread that would end in waiting is not taken.
    pub(crate) fn is_held_back(&mut self, number: u32) -> bool {
        !self.semantics.spurious
            && match self.effect_of(number) {
                Some(Effect::WhenAble | Effect::Reacquiring) => true,
                Some(Effect::WhenAbleAlone) => !self.semantics.crowds,
                _ => false,
            }
    }

    /// The running thread parks. Outside of operations it could find a permit that one has left behind.
    ///
    /// SOUNDNESS: it cannot tell where it parks in a loop that only looks whether to go on, and parks if not. Whoever finds a permit there looks
    /// once more, as it would have if it had come to look for the first time only now.
    pub fn note_parked(&mut self) {
        const LOOPS: [(&str, &str); 4] = [
            ("java/util/concurrent/locks/AbstractQueuedSynchronizer", "acquire"),
            ("java/util/concurrent/locks/AbstractQueuedLongSynchronizer", "acquire"),
            ("java/util/concurrent/CompletableFuture$Signaller", "block"),
            ("java/util/concurrent/Phaser$QNode", "block"),
        ];
        const BETWEEN: [&str; 2] = ["jdk/internal/misc/Unsafe", "java/util/concurrent/locks/LockSupport"];
        let mut at = self.fp();
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            let method = self.program.method(id);
            let (class, name) = (
                &*self.program.class(method.class).name,
                &**self.program.text(method.name),
            );
            if LOOPS.contains(&(class, name)) {
                return;
            }
            if !BETWEEN.contains(&class) {
                break;
            }
            at = caller;
        }
        self.note_looked();
    }

    /// The running thread looks at what another one is doing. Outside of operations it could tell how others wait in them.
    pub fn note_looked(&mut self) {
        if self.stepping && self.semantics.at_once && self.operation_of(self.current()) == 0 {
            self.violate(&LOOKS);
        }
    }

    /// Whether a thread waits without a time limit.
    pub(crate) fn waits_for_good(&self, number: u32) -> bool {
        let state = self.thread_word(number, thread::STATUS);
        let is_timed = self.memory.load_wide(thread_record(number) + thread::DEADLINE) != 0;
        matches!(state, status::WAITING | status::PARKED) && !is_timed
    }

    /// The step of a thread that is held back, after which it waits, so that one can see what for.
    pub fn next_held_back(&mut self) -> Option<Action> {
        let mut steps = (0..=self.highest_thread()).map(|thread| Action { thread, what: What::Go });
        steps.find(|&go| {
            self.is_in_operation(go.thread)
                && self.is_held_back(go.thread)
                && self.can_step(go.thread)
                && self.probe(go).waits
        })
    }

    /// Looks at a state in which every thread that is held back waits where it would.
    pub(crate) fn as_waiting<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let mut undos: Vec<Undo> = Vec::new();
        while let Some(undo) = self.next_held_back().and_then(|go| self.apply(go).ok()) {
            undos.push(undo);
        }
        let seen = look(self);
        undos.into_iter().rev().for_each(|undo| self.undo(undo));
        seen
    }

    /// Whether an action in an operation that looks whether its thread is interrupted, where it is not, only looks.
    ///
    /// SOUNDNESS: whoever has looked may be interrupted before it takes effect, and takes effect all the same, or else looks again and throws.
    /// So where threads are interrupted, `lockInterruptibly` and the like are two steps. The first one is a step like any other, so that
    /// whoever leaves out orders of steps knows what it touches.
    pub(crate) fn is_to_begin(&mut self, action: Action) -> bool {
        let number = action.thread;
        self.semantics.interrupts
            && action.what == What::Go
            && self.thread_word(number, thread::STATUS) == status::RUNNABLE
            && self.thread_word(number, thread::READY) & thread::BEGUN == 0
            && !self.is_interrupted(number)
            && self.effect_of(number) != Some(Effect::Assumed)
    }

    /// Whether a thread stands in an operation where it has looked whether it is interrupted, and has been interrupted since.
    fn was_interrupted_since(&mut self, number: u32) -> bool {
        self.thread_word(number, thread::READY) & thread::BEGUN != 0
            && self.is_interrupted(number)
            && self.is_in_operation(number)
    }

    /// Whether a thread whose next action was added last may go on in an operation without noticing that it has been interrupted.
    pub(crate) fn may_be_unaware(&mut self, number: u32, action: Action) -> bool {
        if !self.was_interrupted_since(number) {
            return false;
        }
        if action.what != What::Go {
            // One of several that are chosen from: so it is explored inside.
            self.violate_by(number, &LOOKS);
        }
        action.what == What::Go
    }

    /// Whether the latest access writes what others know.
    pub(crate) fn is_writing(&self) -> bool {
        let is_old = |location: Location| !self.memory.is_young(location.object);
        let mut writes = self.step.written().iter().filter(|touch| !touch.access.is_read());
        writes.any(|touch| is_old(touch.location))
    }

    /// Whether a step in an operation ends before its next accesses, which have to do with interrupts.
    ///
    /// Whoever interrupts another thread has often said before that it will: a task that is cancelled may see that first. And whoever has found
    /// that it has to wait may be interrupted before it does, and throw although it need not wait any more. Whoever only waits until it can take
    /// effect must not be held back halfway: once it has written something, it has a lock, and what was found cannot change.
    pub(crate) fn meets_interrupts(&mut self, number: u32) -> bool {
        let own = self.interrupt_status(number);
        let is_status = |location: Location| {
            let is_cell = location.cell == own.cell && location.object >= HEAP;
            is_cell
                && self
                    .program
                    .is_subclass(self.class_of(location.object), self.known.thread)
        };
        let touches = || self.step.written().iter();
        if touches().any(|touch| touch.location == own && touch.access.is_read()) {
            return match self.effect_of(number) {
                Some(Effect::Assumed) => false,
                Some(Effect::AtOnce | Effect::AwaitsSignal | Effect::Signalling) => true,
                _ => !self.operation.wrote,
            };
        }
        touches().any(|touch| touch.location != own && !touch.access.is_read() && is_status(touch.location))
            && self.effect_of(number) != Some(Effect::Assumed)
    }

    /// A thread has looked whether it is interrupted, as the beginning of an operation.
    pub(crate) fn begin_interruptibly(&mut self, number: u32) {
        let ready = self.thread_word(number, thread::READY);
        self.set_thread_word(number, thread::READY, ready | thread::BEGUN);
    }

    /// A thread waits. In an operation it may as well be about to, and have looked already.
    pub(crate) fn wait_interruptibly(&mut self, number: u32) {
        if self.semantics.interrupts
            && !self.is_interrupted(number)
            && self.is_in_operation(number)
            && self.effect_of(number) != Some(Effect::Assumed)
        {
            self.begin_interruptibly(number);
        }
    }

    /// After a step of a thread that has not noticed that it is interrupted: now it can.
    pub(crate) fn end_unaware(&mut self, number: u32) {
        let object = self.thread_word(number, thread::OBJECT);
        self.memory.store(object + self.known.thread_interrupted, 1);
        let ready = self.thread_word(number, thread::READY) & !thread::BEGUN;
        self.set_thread_word(number, thread::READY, ready);
        // Whoever is held back stays where it was.
        if !self.is_held_back(number) {
            self.interrupt(object);
        }
    }

    /// Where it is noted that a thread is interrupted.
    pub(crate) fn interrupt_status(&self, number: u32) -> Location {
        Location {
            object: self.thread_word(number, thread::OBJECT),
            cell: self.known.thread_interrupted,
        }
    }

    /// Whether a thread that parks with a time limit, in the operation with which the step began, does not do so: the operation gives up.
    ///
    /// SOUNDNESS, of whoever waits for a signal with a time limit: it has released its lock, and comes for it again. If it is not signalled, it
    /// makes no difference to others when its time is over, for they do not look at the clock, or who waits.
    pub(crate) fn gives_up(&mut self, number: u32) -> bool {
        self.operation.is_on()
            && self.thread_word(number, thread::STATUS) == status::PARKED
            && self.memory.load_wide(thread_record(number) + thread::DEADLINE) != 0
            && self.is_where_it_began(number)
            && match self.effect_of(number) {
                Some(Effect::GivesUp) => true,
                Some(Effect::AwaitsSignal) => !self.semantics.signals && !self.semantics.interrupts,
                _ => false,
            }
    }
}
