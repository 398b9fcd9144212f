//! A thread that is the only one alive: before the first start, and after all others have ended.
//!
//! Nobody is there to see its accesses, so they are no reason to end a step. Its step goes on until the thread starts another one, blocks,
//! ends, comes to an instruction of which the search is told (a choice, a mark, an exception that nobody catches), or has run for
//! long. What it does is in no record either; [`Machine::escape_shared`] catches up when it starts a thread.
//!
//! The steps with which a program begins are taken once, before all searching ([`Machine::run_ahead`]).

use crate::boot::{LaunchError, Start};
use crate::layout::{status, thread};
use crate::machine::Machine;
use crate::native::{Alternatives, Touches};
use crate::special;
use crate::system::{Action, What};
use kernel::{AccessKind, StateVector, ThreadId};
use program::world::Method;

/// Steps that the main thread may take before it starts another: a second, and some hundred million instructions.
pub const AHEAD: u32 = 1280;

/// Every so many of these it is looked whether they lead round in a circle, unless there are more words than that to look at.
const STRIDE: u32 = 16;
const WATCHED: u32 = 1 << 20;

/// How many words may be made before garbage is collected, and how many may be left then.
const GARBAGE: u32 = 1 << 22;
const LARGEST: u32 = 1 << 24;

/// Whether the thread that runs is alone, and what was found out about it.
#[derive(Default)]
pub(crate) struct Solo {
    /// Whether the running thread is the only one that is alive, so that nobody sees where its step ends.
    on: bool,
    /// Whether its accesses are looked at ([`Machine::attend`]), and whether it stops at each.
    attentive: bool,
    pauses: bool,
    paused: bool,
    /// Whether it has written anything in the current step.
    wrote: bool,
    /// How many steps of the main thread [`Machine::run_ahead`] has taken, and whether these had no end in sight.
    ahead: u32,
    restless: bool,
    /// How many words were left when garbage was last collected on the way.
    left: u32,
}

impl Solo {
    /// Whether the running thread is the only one alive, and its step goes on for that.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// A step begins to run, by a thread that is alone or by another.
    pub(crate) fn begin(&mut self, on: bool) {
        self.on = on;
    }

    /// The thread is not alone any more, or its step is over.
    pub(crate) fn end(&mut self) {
        self.on = false;
    }

    /// Before a step: nothing was written so far.
    pub(crate) fn begin_attention(&mut self, solo: bool) {
        (self.attentive, self.wrote, self.paused) = (solo, false, false);
    }

    /// Whether the accesses of a thread that is alone are looked at.
    #[inline(always)]
    pub(crate) fn is_attentive(&self) -> bool {
        self.attentive
    }

    /// Whether the step is interrupted, to be looked at; asked once.
    pub(crate) fn take_paused(&mut self) -> bool {
        std::mem::take(&mut self.paused)
    }

    /// Whether a thread that was alone has written anything in the step.
    pub(crate) fn wrote(&self) -> bool {
        self.wrote
    }

    /// Whether whoever takes the step wants to see each access: then it is interrupted here.
    pub(crate) fn pauses_here(&mut self) -> bool {
        self.paused = self.pauses;
        self.paused
    }

    /// A program is put before its first step.
    pub(crate) fn start_over(&mut self) {
        (self.ahead, self.restless) = (0, false);
    }
}

impl Machine<'_> {
    /// Whether a thread is the only one alive, and its step may go on for that.
    ///
    /// While a moment is remembered the clock cannot be set back, and a loop with a time limit comes back to a state only where it
    /// can. So the thread goes access by access from when its time is up until it has forgotten that. A program that looks at the clock
    /// itself never does.
    pub(crate) fn is_alone(&self, number: u32) -> bool {
        self.is_only(number) && !self.solo.restless && !self.awaits_clock()
    }

    /// Whether a thread is the only one alive.
    pub(crate) fn is_only(&self, number: u32) -> bool {
        let mut others = (0..=self.highest_thread()).filter(|&other| other != number);
        self.semantics.solo && others.all(|other| self.thread_word(other, thread::STATUS) == status::FREE)
    }

    /// Whether steps of a thread that is alone pause before every access ([`Machine::apply_seen`]).
    pub fn pause(&mut self, pauses: bool) {
        self.solo.pauses = pauses;
    }

    /// Looks at the next instruction of a thread that is alone; whether the thread pauses before it.
    #[cold]
    pub(crate) fn attend(&mut self) -> bool {
        if !self.solo.wrote {
            self.solo.wrote = self.is_about_to_write();
            self.solo.attentive = self.solo.pauses || !self.solo.wrote;
        }
        self.solo.paused = self.solo.pauses && !self.step.is_fresh();
        self.solo.paused
    }

    fn is_about_to_write(&mut self) -> bool {
        let Some(next) = self.next_instruction(self.current()) else {
            return false;
        };
        let mut transitions = self.step.take_room();
        let go = Action {
            thread: self.current(),
            what: What::Go,
        };
        transitions.add(ThreadId(self.current()), go, true);
        self.instruction_footprint(self.current(), next, &mut transitions);
        let mut touches = transitions
            .entries()
            .iter()
            .flat_map(|entry| transitions.footprint(entry));
        let writes = touches.any(|touch| !touch.access.is_read());
        self.step.put_room(transitions);
        writes
    }

    /// Whether the search is told of a special instruction, or has something to choose there, also where nobody else sees it. A thread that
    /// starts another one is alone for the last time, so the search begins there.
    pub(crate) fn is_told(&mut self, method: &Method, op: u16) -> bool {
        let own = |machine: &Self| machine.thread_word(machine.current(), thread::OBJECT);
        match op {
            special::UNCAUGHT => true,
            special::THREAD_END | special::AWAIT_OTHERS => !self.can_enter(own(self), self.current()),
            special::NATIVE => self.bind(method).map_or(true, |bound| match bound.alternatives {
                Alternatives::One => matches!(
                    bound.touches,
                    Touches::Object {
                        access: AccessKind::AtomicWrite,
                        ..
                    }
                ),
                // Nobody else is there to wait.
                Alternatives::Waiters { .. } => false,
                Alternatives::Clock => self.observes_time(self.fp()),
                _ => true,
            }),
            _ => false,
        }
    }

    /// Begins a program anew, and takes the steps of the main thread before which there is nothing to choose and nobody to see them. There is no
    /// way back: the search begins where this ends. If it comes to no end, `most` steps ahead, the program is where it begins, and goes
    /// access by access from there as if it were not alone: the search finds out what keeps it.
    pub fn run_ahead(&mut self, start: &Start, most: u32) -> Result<(), LaunchError> {
        self.solo.start_over();
        self.begin_alone(start)?;
        let (mut kept, mut renew) = (Vec::new(), STRIDE);
        while !(self.shared.stopped)() && self.goes_on_alone() {
            let is_large = self.memory.top() - self.memory.image_end() > LARGEST;
            let mut is_round = false;
            if self.solo.ahead > 0
                && self.solo.ahead.is_multiple_of(STRIDE)
                && self.memory.top() - self.memory.image_end() < WATCHED
            {
                // Brent's algorithm, as in the search.
                let mut vector = StateVector::default();
                self.encode_afresh(&mut vector);
                let words = vector.words();
                is_round = kept == words;
                if self.solo.ahead >= renew {
                    (kept, renew) = (words, self.solo.ahead * 2);
                }
            }
            if self.solo.ahead == most || is_large || is_round {
                (self.solo.ahead, self.solo.restless) = (0, true);
                self.begin_alone(start)?;
                break;
            }
            if !self.step_ahead(&mut |_| ()) {
                break;
            }
            self.solo.ahead += 1;
        }
        Ok(())
    }

    /// Goes back to where the program begins.
    fn begin_alone(&mut self, start: &Start) -> Result<(), LaunchError> {
        self.solo.left = 0;
        self.restart();
        // No step of these is undone, so nobody needs the vector before it.
        self.forget_encodings();
        self.launch_start(start)
    }

    /// Begins the program anew, and takes the steps that [`Machine::run_ahead`] has taken. `see` is shown the machine before each access.
    /// Whether that was possible.
    pub fn run_ahead_again(&mut self, start: &Start, see: &mut dyn FnMut(&mut Self)) -> Result<bool, LaunchError> {
        self.begin_alone(start)?;
        for _ in 0..self.solo.ahead {
            see(self);
            if !self.step_ahead(see) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the main thread is alone and in the midst of something.
    fn goes_on_alone(&self) -> bool {
        self.is_alone(0)
            && self.halted().is_none()
            && self.thread_word(0, thread::STATUS) == status::RUNNABLE
            && self.thread_word(0, thread::READY) == 0
    }

    /// Takes a step of the main thread for good; whether that is supported.
    fn step_ahead(&mut self, see: &mut dyn FnMut(&mut Self)) -> bool {
        let go = Action {
            thread: 0,
            what: What::Go,
        };
        let went = self.apply_seen(go, see).is_ok();
        let (top, image_end) = (self.memory.top(), self.memory.image_end());
        if top - image_end > GARBAGE && top - image_end > self.solo.left.saturating_mul(2) {
            self.collect();
            self.reachability.forget();
            self.solo.left = self.memory.top() - image_end;
        }
        self.memory.commit();
        went
    }
}
