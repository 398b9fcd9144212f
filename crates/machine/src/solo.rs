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
use kernel::{Access, ThreadId, Vector};
use program::world::Method;

/// After so many steps it is looked whether the main thread goes round in a circle: shorter ways do not take long.
const UNWATCHED: u32 = 8;

/// How many words of garbage there may be before it is collected.
const GARBAGE: u32 = 1 << 23;

impl Machine<'_> {
    /// Whether a thread is the only one alive, and its step may go on for that.
    pub(crate) fn is_alone(&self, number: u32) -> bool {
        let others = (0..=self.highest_thread()).filter(|&other| other != number);
        self.manner.solo && others.into_iter().all(|other| self.thread_word(other, thread::STATUS) == status::FREE)
    }

    /// Whether steps of a thread that is alone pause before every access ([`Machine::apply_seen`]).
    pub fn pause(&mut self, pauses: bool) {
        self.pauses = pauses;
    }

    pub(crate) fn begin_attention(&mut self, solo: bool) {
        (self.attentive, self.wrote, self.paused) = (solo, false, false);
    }

    /// Looks at the next instruction of a thread that is alone; whether the thread pauses before it.
    #[cold]
    pub(crate) fn attend(&mut self) -> bool {
        if !self.wrote {
            self.wrote = self.is_about_to_write();
            self.attentive = self.pauses || !self.wrote;
        }
        self.paused = self.pauses && !self.fresh;
        self.paused
    }

    fn is_about_to_write(&mut self) -> bool {
        let Some(next) = self.next_instruction(self.current) else {
            return false;
        };
        let mut menu = std::mem::take(&mut self.scratch);
        menu.clear();
        let go = Action {
            thread: self.current,
            what: What::Go,
        };
        menu.add(ThreadId(self.current), go, true);
        self.instruction_footprint(self.current, next, &mut menu);
        let mut touches = menu.entries().iter().flat_map(|entry| menu.footprint(entry));
        let writes = touches.any(|touch| !touch.access.is_read());
        self.scratch = menu;
        writes
    }

    /// Whether the search is told of a special instruction, or has something to choose there, also where nobody else sees it. A thread that
    /// starts another one is alone for the last time, so the search begins there.
    pub(crate) fn is_told(&mut self, method: &Method, op: u16) -> bool {
        let own = |machine: &Self| machine.thread_word(machine.current, thread::OBJECT);
        match op {
            special::UNCAUGHT => true,
            special::THREAD_END | special::AWAIT_OTHERS => !self.can_enter(own(self), self.current),
            special::NATIVE => self.bind(method).map_or(true, |bound| match bound.alternatives {
                Alternatives::One => matches!(
                    bound.touches,
                    Touches::Object {
                        access: Access::AtomicWrite,
                        ..
                    }
                ),
                // Nobody else is there to wait.
                Alternatives::Waiters { .. } => false,
                Alternatives::Clock => self.observes_time(self.fp),
                _ => true,
            }),
            _ => false,
        }
    }

    /// Takes the steps of the main thread before which there is nothing to choose and nobody to see them, `most` at the most. There is no way
    /// back. However this ends, the search begins there.
    pub fn run_ahead(&mut self, most: u32) {
        self.ahead = 0;
        let (mut kept, mut renew) = (Vec::new(), UNWATCHED);
        while self.ahead < most && self.goes_on_alone() {
            if self.step_ahead(&mut |_| ()).is_none() {
                break;
            }
            self.ahead += 1;
            if self.ahead >= UNWATCHED {
                // Brent's algorithm, as in the search: if there is no way out, it must be the search that says so.
                let mut vector = Vector::default();
                self.encode(&mut vector);
                let words = vector.words();
                if kept == words {
                    break;
                }
                if self.ahead >= renew {
                    (kept, renew) = (words, self.ahead * 2);
                }
            }
        }
    }

    /// Takes the first of these steps again, from where the program begins. `see` is shown the machine before each access. Whether that
    /// was possible.
    pub fn run_ahead_again(&mut self, start: &Start, see: &mut dyn FnMut(&mut Self)) -> Result<bool, LaunchError> {
        self.restart();
        self.launch_start(start)?;
        for _ in 0..self.ahead {
            see(self);
            if self.step_ahead(see).is_none() {
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

    fn step_ahead(&mut self, see: &mut dyn FnMut(&mut Self)) -> Option<()> {
        let go = Action {
            thread: 0,
            what: What::Go,
        };
        self.apply_seen(go, see).ok()?;
        if self.memory.top() - self.memory.image_end() > GARBAGE {
            self.collect();
            self.forget_reach();
        }
        self.memory.commit();
        Some(())
    }
}
