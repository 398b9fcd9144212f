//! The machine as a [`kernel::System`]: steps, and going back over them.
//!
//! Between two steps each thread stands before its next visible instruction. A step executes that instruction and all
//! that follows up to the next visible one. A step of a thread that is the only one alive goes on, see `solo.rs`.

use crate::boot::{LaunchError, Start};
use crate::interpret::Exit;
use crate::layout::{self, ALONE, OWNER_MASK, frame, status, thread, thread_record, wake};
use crate::machine::{Machine, Shared, StepSemantics};
use crate::memory::{Address, Checkpoint};
use crate::operation_table::Operations;
use crate::warmup::Nowhere;
use kernel::{
    Instrumentation, Instrumented, Obstacle, StateVector, System, ThreadId, Transition, Transitions, Unsupported,
};
use std::sync::Arc;

/// Calls and backward jumps without a visible instruction after which a step ends all the same.
const BUDGET: i64 = 20_000;

/// How far the clock may leap between two looks at it: an hour, in nanoseconds.
const LEAP: u64 = 3_600_000_000_000;

/// One step of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// Who acts.
    pub thread: u32,
    /// What happens.
    pub what: What,
}

/// What happens in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// The thread executes its next instruction.
    Go,
    /// The thread stops waiting because its time is up.
    Timeout,
    /// The thread stops waiting for no reason.
    Spurious,
    /// The thread executes its next instruction, which takes this alternative: the number that is chosen.
    Choose(u32),
    /// The thread notifies this one.
    Wake(u32),
    /// The thread looks at the clock, which has leapt ahead.
    Leap,
    /// The thread looks whether it is interrupted, which it is not, as the beginning of an operation.
    Begin,
    /// The thread goes on with an operation, and does not notice yet that it has been interrupted since it looked.
    Unaware,
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.thread)?;
        match self.what {
            What::Go => Ok(()),
            What::Timeout => write!(f, "t"),
            What::Spurious => write!(f, "s"),
            What::Choose(number) => write!(f, "c{number}"),
            What::Wake(thread) => write!(f, "w{thread}"),
            What::Leap => write!(f, "l"),
            What::Begin => write!(f, "b"),
            What::Unaware => write!(f, "u"),
        }
    }
}

impl std::str::FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Action, String> {
        let wrong = || format!("`{text}` is no step of a schedule");
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let thread = text[..digits].parse().map_err(|_| wrong())?;
        let rest = &text[digits..];
        let number = || rest[1..].parse::<u32>().map_err(|_| wrong());
        let what = match rest.bytes().next() {
            None => What::Go,
            Some(b't') if rest.len() == 1 => What::Timeout,
            Some(b's') if rest.len() == 1 => What::Spurious,
            Some(b'l') if rest.len() == 1 => What::Leap,
            Some(b'b') if rest.len() == 1 => What::Begin,
            Some(b'u') if rest.len() == 1 => What::Unaware,
            Some(b'c') => What::Choose(number()?),
            Some(b'w') => What::Wake(number()?),
            _ => return Err(wrong()),
        };
        Ok(Action { thread, what })
    }
}

/// What is needed to go back over a step.
pub struct Undo {
    checkpoint: Checkpoint,
    stirs: bool,
    wrote: bool,
    thread: u32,
    current: u32,
    fp: Address,
}

impl Machine<'_> {
    /// Takes a step. The action must be an enabled one of the state. On an error, nothing has happened.
    pub fn apply(&mut self, action: Action) -> Result<Undo, Unsupported> {
        self.apply_seen(action, &mut |_| ())
    }

    /// The same. If the machine [pauses](Machine::pause) and the thread is alone, or in an operation, `see` is shown it before each instruction that
    /// others could see, if there were any, and with which the step does not begin.
    pub fn apply_seen(&mut self, action: Action, see: &mut dyn FnMut(&mut Self)) -> Result<Undo, Unsupported> {
        let mut undo = Undo {
            checkpoint: self.memory.begin(),
            stirs: true,
            wrote: false,
            thread: action.thread,
            current: self.current(),
            fp: self.fp(),
        };
        let stepped = self.take_step(action, see);
        self.solo.end();
        match stepped {
            Ok(()) => {
                undo.wrote = self.solo.wrote();
                // Without `escape` nobody asks.
                undo.stirs = !self.semantics.runs_through() || self.stirs(action.thread);
                self.reachability.forget_of(action.thread, undo.stirs);
                Ok(undo)
            }
            Err(what) => {
                self.undo(undo);
                Err(what)
            }
        }
    }

    fn take_step(&mut self, action: Action, see: &mut dyn FnMut(&mut Self)) -> Result<(), Unsupported> {
        self.stepping = true;
        let number = action.thread;
        let solo = self.is_alone(number);
        self.solo.begin_attention(solo);
        self.catch_up();
        self.encoding.note_moved(number);
        self.declare_step(number);
        // SOUNDNESS: what a thread does while it is alone happens before all that any other will do, and after all that any other has
        // done. So nothing that a reduction rests on is about it, and no record is kept of it.
        self.step.forget_written();
        if self.semantics.has(Instrumentation::ESCAPE_BITS) && !solo {
            self.note_written(action);
        }
        let records = self.semantics.has(Instrumentation::LOCKSETS)
            && !solo
            && action.what != What::Timeout
            && action.what != What::Spurious;
        if records {
            self.record_accesses(number)
                .map_err(|_| self.unsupported("more memory than --heap allows".to_owned()))?;
        }
        // The thread that ran last has its topmost frame in a variable, not in its record.
        if self.current() != number {
            self.set_current(number, self.thread_word(number, thread::FRAME));
        }
        let alone = self.memory.load(ALONE) & OWNER_MASK;
        if alone != 0 && (alone != number + 1 || action.what == What::Spurious) {
            // Whoever asked to run alone cannot go on, or could not: that is over.
            self.memory.store(ALONE, 0);
        }
        self.begin_operation(action);
        self.step.choose(0);
        match action.what {
            What::Go => {}
            What::Timeout => self.time_out(number),
            What::Spurious => self.wake(number, wake::SPURIOUS),
            What::Choose(choice) => self.step.choose(choice),
            What::Wake(waiter) => self.step.choose(waiter + 1),
            What::Leap => {
                let now = self.clock() + LEAP;
                self.memory.store_wide(layout::CLOCK, now);
            }
            What::Begin => {
                self.begin_interruptibly(number);
                return Ok(());
            }
            What::Unaware => self.clear_interrupt(number),
        }
        let state = self.thread_word(number, thread::STATUS);
        // Who has stopped waiting takes the monitor back in a step of its own, as one that was notified does.
        let is_woken = matches!(action.what, What::Timeout | What::Spurious) && state == status::REACQUIRING;
        // Who waits for all others to end may go on once it is enabled.
        if !is_woken && (self.can_run(number) || state == status::ENDING) {
            self.run_step(number, solo, records, see)?;
            while self.gives_up(number) {
                self.time_out(number);
                self.note_time_out();
                self.run_step(number, solo, records, see)?;
            }
        }
        if action.what == What::Unaware {
            self.end_unaware(number);
        }
        self.settle_clock();
        Ok(())
    }

    /// The time limit of a thread that waits is over.
    fn time_out(&mut self, number: u32) {
        self.wake(number, wake::TIMEOUT);
        let deadline = self.memory.load_wide(thread_record(number) + thread::DEADLINE);
        let now = self.clock().max(deadline);
        self.memory.store_wide(layout::CLOCK, now);
    }

    /// Runs a thread up to the end of its step.
    fn run_step(
        &mut self,
        number: u32,
        solo: bool,
        records: bool,
        see: &mut dyn FnMut(&mut Self),
    ) -> Result<(), Unsupported> {
        self.switch_to(number);
        self.log_top();
        let (pc, fresh) = (
            self.memory.load(self.fp() + frame::PC),
            self.thread_word(number, thread::READY) != 0,
        );
        self.step.begin(self.fp(), pc, fresh);
        self.solo.begin(solo);
        let mut fuel = BUDGET;
        let exit = loop {
            self.operation.forget_where(number);
            let exit = self.execute::<true>(&mut fuel);
            if !self.solo.take_paused() {
                break exit;
            }
            self.set_thread_word(number, thread::FRAME, self.fp());
            self.set_thread_word(number, thread::READY, 1);
            see(self);
            self.step.set_fresh(true);
        };
        let over = matches!(exit, Exit::Ended);
        self.set_thread_word(number, thread::FRAME, if over { 0 } else { self.fp() });
        let ready = matches!(exit, Exit::Pending | Exit::Blocked);
        self.set_thread_word(number, thread::READY, ready.into());
        if matches!(exit, Exit::Blocked) {
            self.wait_interruptibly(number);
        }
        match exit {
            Exit::Collect => {
                return Err(self.unsupported("more memory than --heap allows".to_owned()));
            }
            Exit::Unsupported(what) => return Err(what),
            Exit::Done(_) | Exit::Failed(_) => self.halt(0),
            Exit::Pending | Exit::Blocked | Exit::Ended | Exit::Fuel | Exit::Halt(_) => {}
        }
        if records {
            self.note_owned(number)
                .map_err(|_| self.unsupported("more memory than --heap allows".to_owned()))?;
        }
        // An object has two words at least, so its number within a group of the vector has enough bits.
        if self.memory.top() - self.memory.image_end() > 2 << crate::encode::GROUP_SHIFT {
            return Err(self.unsupported("more than 256 MiB of objects on one path".to_owned()));
        }
        Ok(())
    }

    /// Goes back over the latest step.
    pub fn undo(&mut self, undo: Undo) {
        let trail = self.memory.trail_len();
        self.reachability.forget_of(undo.thread, undo.stirs);
        self.operation.forget_where(undo.thread);
        self.memory.undo(undo.checkpoint);
        self.encoding.take_back(&mut self.memory, undo.thread, trail);
        self.set_current(undo.current, undo.fp);
        self.step.set_yielding(false);
    }
}

/// A Java program as a system, on the classes of a [`Shared`].
pub struct Java<'p> {
    /// The classes, and what machines on them share.
    pub shared: &'p Shared<'p>,
    /// How the program begins.
    pub start: Start,
    /// How its steps are counted, as long as all that they rest on holds.
    pub semantics: StepSemantics,
    /// Whether the image is of this program alone, and its main thread goes ahead as far as it can by itself. Else programs share an image.
    pub alone: bool,
    /// Fields on which races are allowed: `Class.field` or `field`.
    pub allowed: Vec<String>,
    /// What takes effect at once.
    pub operations: Arc<Operations>,
}

impl<'p> Java<'p> {
    /// A machine before the first step of the program.
    pub fn machine(&self) -> Result<Machine<'p>, LaunchError> {
        let mut machine = Machine::new(self.shared, Box::new(Nowhere)).map_err(LaunchError::Start)?;
        self.prepare(&mut machine)?;
        Ok(machine)
    }

    /// Makes an image of the program in an empty machine, and puts it before the first step.
    pub(crate) fn prepare(&self, machine: &mut Machine<'p>) -> Result<(), LaunchError> {
        machine.semantics = self.current_semantics();
        machine.allowed.clone_from(&self.allowed);
        machine.take_at_once(self.operations.clone());
        machine.prepare_search(&self.start)
    }
}

impl Instrumented for Java<'_> {
    fn instrument(&mut self, needs: Instrumentation) {
        let StepSemantics { spurious, locks, .. } = self.semantics;
        self.semantics = StepSemantics {
            spurious,
            locks,
            ..StepSemantics::new(needs)
        };
    }
}

fn unsupported(error: LaunchError) -> Unsupported {
    Unsupported {
        what: error.to_string(),
        place: String::new(),
        obstacle: Obstacle::Feature,
    }
}

impl<'p> System for Java<'p> {
    type State = Machine<'p>;
    type Action = Action;
    type Undo = Undo;

    fn initial(&self) -> Result<Machine<'p>, Unsupported> {
        self.machine().map_err(unsupported)
    }

    fn is_broken(&self) -> bool {
        self.rests_on_broken()
    }

    fn refine(&self, state: &mut Machine<'p>) -> Result<bool, Unsupported> {
        let refined = self.drop_broken();
        if refined {
            self.begin_anew(state).map_err(unsupported)?;
        }
        Ok(refined)
    }

    fn transitions(&self, state: &mut Machine<'p>, transitions: &mut Transitions<Action>) {
        state.transitions(transitions);
        state.add_history(transitions);
    }

    fn apply(&self, state: &mut Machine<'p>, action: Action) -> Result<Undo, Unsupported> {
        state.apply(action)
    }

    fn undo(&self, state: &mut Machine<'p>, undo: Undo) {
        state.undo(undo);
    }

    fn encode(&self, state: &mut Machine<'p>, out: &mut StateVector) {
        state.encode(out);
    }

    fn decode(&self, state: &mut Machine<'p>, words: &[u32]) -> Result<(), Unsupported> {
        state.decode(words).map_err(|_| Unsupported {
            what: match state.memory.was_refused() {
                true => "more memory than --memory allows".to_owned(),
                false => "a vector of another program".to_owned(),
            },
            place: String::new(),
            obstacle: Obstacle::Feature,
        })
    }

    fn wrote(&self, undo: &Undo) -> bool {
        undo.wrote
    }

    fn canonical_id(&self, state: &mut Machine<'p>, thread: ThreadId) -> Option<ThreadId> {
        state.canonical_id(thread.0).map(ThreadId)
    }

    fn stuck(&self, state: &mut Machine<'p>) -> u64 {
        state.stuck()
    }

    fn race(&self, state: &mut Machine<'p>, one: &Transition<Action>, two: &Transition<Action>) -> Option<u64> {
        state.find_race(one.action, two.action, &mut |_, key| Some(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_as_they_are_written() {
        let whats = [
            What::Go,
            What::Timeout,
            What::Spurious,
            What::Choose(3),
            What::Wake(12),
            What::Leap,
            What::Begin,
            What::Unaware,
        ];
        for what in whats {
            let action = Action { thread: 7, what };
            assert_eq!(action.to_string().parse(), Ok(action));
        }
        for wrong in ["", "x", "1x", "1c", "1tt", "-1", "1w-"] {
            assert!(wrong.parse::<Action>().is_err(), "{wrong}");
        }
    }
}
