//! One run under one fixed and fair schedule, for `raddle run`: threads take turns, and the clock moves only when
//! nobody else can.

use crate::interpret::Exit;
use crate::layout::{self, frame, status, thread, thread_record, wake};
use crate::machine::Machine;
use kernel::Unsupported;

/// Calls and backward jumps that a thread may make before it is the next one's turn.
const SHARE: i64 = 20_000;

/// Turns in a row that end by giving way, after which nobody is taken to be able to run: more than the JDK's own
/// spinning before it blocks.
const PATIENCE: u32 = 5_000;

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// With this exit status.
    Exit(i32),
    /// Every thread waits for something that can never come.
    Stuck(Vec<String>),
    /// With something that is not supported.
    Unsupported(Unsupported),
    /// It did not: the turns that were allowed are used up, or the user wants an end.
    OutOfTurns,
    /// The machine's own call has returned.
    Done(u32),
    /// The machine's own call has thrown this.
    Failed(u32),
}

impl Machine<'_> {
    /// Runs until the program or the machine's own call ends.
    pub fn run(&mut self) -> End {
        self.stepping = false;
        self.solo.end();
        let mut idle = 0;
        loop {
            // Threads that do nothing but give way to one another wait for time to pass.
            if idle > PATIENCE && self.advance_clock() {
                idle = 0;
            }
            let Some(next) = self.next_thread() else {
                if self.advance_clock() {
                    continue;
                }
                return End::Stuck(self.describe_threads());
            };
            if (self.shared.stopped)() || !self.run.take_turn() {
                return End::OutOfTurns;
            }
            self.switch_to(next);
            self.memory.commit();
            self.log_top();
            let mut fuel = SHARE;
            let exit = self.run_on(&mut fuel);
            self.set_thread_word(
                self.current(),
                thread::FRAME,
                if matches!(exit, Exit::Ended) { 0 } else { self.fp() },
            );
            idle = if self.run.take_gave_way() { idle + 1 } else { 0 };
            match exit {
                Exit::Fuel | Exit::Pending | Exit::Collect => {}
                Exit::Blocked => {
                    if self.thread_word(self.current(), thread::STATUS) == status::BLOCKED {
                        self.note_blocked(self.current(), true);
                    }
                }
                Exit::Ended => {}
                Exit::Halt(status) => return End::Exit(status),
                Exit::Done(word) => return End::Done(word),
                Exit::Failed(exception) => return End::Failed(exception),
                Exit::Unsupported(what) => return End::Unsupported(what),
            }
        }
    }

    /// Runs the current thread and collects wherever it wants that. An instruction that finds the heap full right after a collection
    /// will not find it otherwise after another one.
    fn run_on(&mut self, fuel: &mut i64) -> Exit {
        let mut collected = None;
        loop {
            let exit = self.execute::<false>(fuel);
            if !matches!(exit, Exit::Collect) {
                self.run.set_starved(false);
                return exit;
            }
            // Without using up fuel no thread comes back to an instruction.
            let at = (self.fp(), self.memory.load(self.fp() + frame::PC), *fuel);
            self.run.set_starved(collected == Some(at));
            collected = Some(at);
            self.set_thread_word(self.current(), thread::FRAME, self.fp());
            self.collect();
        }
    }

    /// The next thread in turn that can run.
    fn next_thread(&mut self) -> Option<u32> {
        let count = self.highest_thread() + 1;
        for distance in 1..=count {
            let number = (self.current() + distance) % count;
            if self.can_run(number) {
                return Some(number);
            }
            let ends = self.thread_word(number, thread::STATUS) == status::ENDING;
            if ends && !self.is_kept_alive_without(number) {
                return Some(number);
            }
        }
        None
    }

    /// Makes a thread the running one.
    pub(crate) fn switch_to(&mut self, number: u32) {
        self.set_current(number, self.thread_word(number, thread::FRAME));
        let before = self.thread_word(number, thread::STATUS);
        if before != status::RUNNABLE {
            self.set_thread_word(number, thread::STATUS, status::RUNNABLE);
            if before == status::BLOCKED {
                self.note_blocked(number, false);
            }
        }
    }

    /// Moves the clock to the earliest deadline and wakes who waits for it; `false` if nobody does.
    fn advance_clock(&mut self) -> bool {
        let mut earliest = u64::MAX;
        for number in 0..=self.highest_thread() {
            if self.is_timed(number) {
                earliest = earliest.min(self.memory.load_wide(thread_record(number) + thread::DEADLINE));
            }
        }
        if earliest == u64::MAX {
            return false;
        }
        let now = self.clock().max(earliest);
        self.memory.store_wide(layout::CLOCK, now);
        for number in 0..=self.highest_thread() {
            if self.is_timed(number) && self.memory.load_wide(thread_record(number) + thread::DEADLINE) <= now {
                self.wake(number, wake::TIMEOUT);
            }
        }
        true
    }

    /// Whether a thread waits with a time limit.
    pub(crate) fn is_timed(&self, number: u32) -> bool {
        let waits = matches!(
            self.thread_word(number, thread::STATUS),
            status::WAITING | status::PARKED | status::SLEEPING
        );
        waits && self.memory.load_wide(thread_record(number) + thread::DEADLINE) != 0
    }

    /// A line for each live thread: what it waits for and where.
    pub fn describe_threads(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for number in 0..=self.highest_thread() {
            let what = match self.thread_word(number, thread::STATUS) {
                status::FREE => continue,
                status::RUNNABLE => "runs",
                status::BLOCKED | status::REACQUIRING => "waits for a monitor",
                status::WAITING => "waits to be notified",
                status::PARKED => "is parked",
                status::SLEEPING => "sleeps",
                status::INITIALIZING => "waits for a class to be initialised",
                _ => "waits for the other threads to end",
            };
            let object = self.thread_word(number, thread::OBJECT);
            let name = self.get(object, "java/lang/Thread", "name");
            let name = self.text_or_null(name).unwrap_or_default();
            let mut place = String::new();
            let mut at = self.thread_word(number, thread::FRAME);
            while at != 0 && place.is_empty() {
                let (method, pc, caller) = self.frame_at(at);
                if self.program.class(self.program.method(method).class).loader.0 >= 2 {
                    place = self
                        .place(method, pc)
                        .map(|place| format!(" at {place}"))
                        .unwrap_or_default();
                }
                at = caller;
            }
            lines.push(format!("thread \"{name}\" {what}{place}"));
        }
        lines
    }
}
