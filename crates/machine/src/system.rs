//! The machine as a [`kernel::System`]: pending actions, steps, going back.
//!
//! Between two steps each thread stands before its next visible instruction. A step executes that instruction and all
//! that follows up to the next visible one. What an instruction touches is read off its operands.

use crate::interpret::Exit;
use crate::layout::{class, class_record, frame, init, status, thread, thread_record, wake};
use crate::link;
use crate::machine::{Console, Machine, Shared};
use crate::memory::{Address, Checkpoint};
use crate::native::Touches;
use crate::special;
use kernel::{Access, Footprint, Pending, Place, System, ThreadId, Unsupported};
use program::ir::{Code, Instr};
use program::world::{ARRAY_HEADER_WORDS, Method};

/// Calls and backward jumps without a visible instruction after which a step ends all the same.
const BUDGET: i64 = 10_000_000;

/// One step of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Who acts.
    pub thread: u32,
    /// What happens.
    pub what: What,
}

/// What happens in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The thread executes its next instruction.
    Go,
    /// The thread stops waiting because its time is up.
    Timeout,
}

/// What is needed to go back over a step.
pub struct Undo {
    checkpoint: Checkpoint,
    current: u32,
    fp: Address,
    arrivals: Vec<u32>,
}

/// How a step ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The thread stands before its next visible instruction, is blocked, or is over.
    Paused,
    /// The program is over.
    Halted(i32),
    /// No visible instruction came up for a long time.
    Budget,
}

impl Machine<'_> {
    /// The next actions of every live thread, in the order of their numbers.
    pub fn pending(&mut self, out: &mut Vec<Pending<Action>>) {
        out.clear();
        if self.halted().is_some() {
            return;
        }
        for number in 0..=self.highest_thread() {
            let state = self.thread_word(number, thread::STATUS);
            if state == status::FREE {
                continue;
            }
            let mut footprint = Footprint::default();
            self.footprint(number, &mut footprint);
            let enabled = match state {
                status::ENDING => {
                    let before = self.current;
                    self.current = number;
                    let alive = self.others_alive();
                    self.current = before;
                    !alive
                }
                _ => self.can_run(number) && self.can_execute(number),
            };
            let timed = matches!(state, status::WAITING | status::PARKED | status::SLEEPING)
                && self.memory.load_wide(thread_record(number) + thread::DEADLINE) != 0;
            let action = |what| Action { thread: number, what };
            if timed {
                let mut wakes = footprint.clone();
                wakes.touch(Place::CLOCK, Access::Read);
                out.push(Pending {
                    thread: ThreadId(number),
                    action: action(What::Timeout),
                    enabled: true,
                    footprint: wakes,
                });
            }
            out.push(Pending {
                thread: ThreadId(number),
                action: action(What::Go),
                enabled,
                footprint,
            });
        }
    }

    /// Whether the next instruction of a thread would not have to wait for another thread.
    fn can_execute(&self, number: u32) -> bool {
        let fp = self.top_frame(number);
        let (id, pc, _) = self.frame_at(fp);
        let Some(code) = self.program.ready(self.program.method(id)) else {
            return true;
        };
        let register = |reg: u16| self.memory.load(fp + frame::REGISTERS + u32::from(reg));
        match code.instrs.get(pc as usize) {
            Some(&Instr::MonitorEnter { o }) => register(o) == 0 || self.can_enter(register(o), number),
            Some(&Instr::Special {
                op: special::INIT_BEGIN,
                a,
                ..
            }) => {
                let record = class_record(register(a));
                self.memory.load(record + class::STATE) != init::RUNNING
                    || self.memory.load(record + class::OWNER) == number + 1
            }
            _ => true,
        }
    }

    /// What the next step of a thread touches first. Empty for a thread that has yet to reach a visible instruction.
    pub fn footprint(&mut self, number: u32, out: &mut Footprint) {
        out.clear();
        let blocker = self.thread_word(number, thread::BLOCKER);
        match self.thread_word(number, thread::STATUS) {
            status::BLOCKED => return out.touch(monitor(blocker), Access::Acquire),
            status::WAITING | status::REACQUIRING => {
                out.touch(monitor(blocker), Access::Acquire);
                return out.touch(thread_place(number), Access::AtomicWrite);
            }
            status::PARKED | status::SLEEPING => return out.touch(thread_place(number), Access::AtomicWrite),
            status::INITIALIZING => return out.touch(class_place(blocker), Access::AtomicRead),
            status::ENDING => return out.touch(Place::EVERYTHING, Access::Write),
            _ => {}
        }
        let fp = self.top_frame(number);
        if fp == 0 {
            return;
        }
        let (id, pc, _) = self.frame_at(fp);
        let method = self.program.method(id);
        let Ok(code) = self.program.code(method) else { return };
        let Some(&instr) = code.instrs.get(pc as usize) else {
            return;
        };
        self.instruction_footprint(fp, method, code, instr, out);
    }

    fn instruction_footprint(&mut self, fp: Address, method: &Method, code: &Code, instr: Instr, out: &mut Footprint) {
        let register = |reg: u16| self.memory.load(fp + frame::REGISTERS + u32::from(reg));
        let access = |link: u64, write: bool| match (link::is_volatile(link), write) {
            (false, false) => Access::Read,
            (false, true) => Access::Write,
            (true, false) => Access::AtomicRead,
            (true, true) => Access::AtomicWrite,
        };
        let link = |site: u32| code.fields[site as usize].link.get();
        let mut field = |o: u16, site: u32, write: bool| {
            let link = link(site);
            out.touch(
                Place {
                    object: register(o),
                    cell: link as u32,
                },
                access(link, write),
            );
        };
        match instr {
            Instr::GetField { o, site, .. }
            | Instr::GetFieldWide { o, site, .. }
            | Instr::GetFieldNarrow { o, site, .. } => {
                field(o, site, false);
            }
            Instr::PutField { o, site, .. }
            | Instr::PutFieldWide { o, site, .. }
            | Instr::PutFieldNarrow { o, site, .. } => {
                field(o, site, true);
            }
            Instr::GetStatic { site, .. } | Instr::GetStaticWide { site, .. } | Instr::GetStaticNarrow { site, .. } => {
                self.static_footprint(link(site), false, out);
            }
            Instr::PutStatic { site, .. } | Instr::PutStaticWide { site, .. } | Instr::PutStaticNarrow { site, .. } => {
                self.static_footprint(link(site), true, out);
            }
            Instr::ArrayGet { o, i, .. }
            | Instr::ArrayGetByte { o, i, .. }
            | Instr::ArrayGetChar { o, i, .. }
            | Instr::ArrayGetShort { o, i, .. }
            | Instr::ArrayGetWide { o, i, .. } => {
                out.touch(
                    Place {
                        object: register(o),
                        cell: ARRAY_HEADER_WORDS + register(i),
                    },
                    Access::Read,
                );
            }
            Instr::ArrayPut { o, i, .. }
            | Instr::ArrayPutRef { o, i, .. }
            | Instr::ArrayPutByte { o, i, .. }
            | Instr::ArrayPutShort { o, i, .. }
            | Instr::ArrayPutWide { o, i, .. } => {
                out.touch(
                    Place {
                        object: register(o),
                        cell: ARRAY_HEADER_WORDS + register(i),
                    },
                    Access::Write,
                );
            }
            Instr::MonitorEnter { o } => out.touch(monitor(register(o)), Access::Acquire),
            Instr::MonitorExit { o } => out.touch(monitor(register(o)), Access::Release),
            Instr::Special { op, a, .. } => match op {
                special::NATIVE => self.native_footprint(fp, method, out),
                special::INIT_BEGIN | special::INIT_DONE | special::INIT_FAILED | special::INIT_SUPERS => {
                    out.touch(class_place(register(a)), Access::AtomicWrite);
                }
                special::THREAD_END => {
                    out.touch(monitor(register(a)), Access::Release);
                    out.touch(
                        Place {
                            object: register(a),
                            cell: Place::WHOLE,
                        },
                        Access::AtomicWrite,
                    );
                    // The end of the last thread that is no daemon ends the program.
                    out.touch(Place::EVERYTHING, Access::Write);
                }
                special::AWAIT_OTHERS | special::HALT => out.touch(Place::EVERYTHING, Access::Write),
                special::INIT_CLINIT => {}
                _ => out.touch(Place::EVERYTHING, Access::Write),
            },
            _ => {}
        }
    }

    fn static_footprint(&self, link: u64, write: bool, out: &mut Footprint) {
        let of = link::middle(link);
        let record = class_record(of);
        if self.memory.load(record + class::STATE) != init::DONE {
            out.touch(class_place(of), Access::AtomicRead);
        }
        let access = match (link::is_volatile(link), write) {
            (false, false) => Access::Read,
            (false, true) => Access::Write,
            (true, false) => Access::AtomicRead,
            (true, true) => Access::AtomicWrite,
        };
        out.touch(
            Place {
                object: self.memory.load(record + class::STATICS),
                cell: link as u32,
            },
            access,
        );
    }

    /// What a native method touches: the library says so, and everything where it does not.
    fn native_footprint(&mut self, fp: Address, method: &Method, out: &mut Footprint) {
        let touches = self.bind(method).map_or(Touches::Everything, |bound| bound.touches);
        let register = |position: u32| self.memory.load(fp + frame::REGISTERS + position);
        match touches {
            Touches::Nothing => {}
            // Without an object, the offset is an address outside of the heap.
            Touches::Cell { object, .. } if register(object) == 0 => out.touch(Place::EVERYTHING, Access::Write),
            Touches::Cell { object, offset, access } => {
                let cell = register(offset) / 4;
                out.touch(
                    Place {
                        object: register(object),
                        cell,
                    },
                    access,
                );
            }
            Touches::Object { object, access } => {
                out.touch(
                    Place {
                        object: register(object),
                        cell: Place::WHOLE,
                    },
                    access,
                );
            }
            Touches::Objects { read, written } => {
                out.touch(
                    Place {
                        object: register(read),
                        cell: Place::WHOLE,
                    },
                    Access::Read,
                );
                out.touch(
                    Place {
                        object: register(written),
                        cell: Place::WHOLE,
                    },
                    Access::Write,
                );
            }
            Touches::Monitor { object, access } => out.touch(monitor(register(object)), access),
            Touches::Thread { object } => {
                let object = register(object);
                match if object == 0 { None } else { self.thread_of(object) } {
                    Some(number) => out.touch(thread_place(number), Access::AtomicWrite),
                    None => out.touch(
                        Place {
                            object,
                            cell: Place::WHOLE,
                        },
                        Access::AtomicWrite,
                    ),
                }
            }
            Touches::Self_ => {
                let number = self.thread_with_frame(fp);
                out.touch(thread_place(number), Access::AtomicWrite);
            }
            Touches::Clock => out.touch(Place::CLOCK, Access::Read),
            Touches::Everything => out.touch(Place::EVERYTHING, Access::Write),
        }
    }

    fn thread_with_frame(&self, fp: Address) -> u32 {
        (fp - self.memory.limit()) / self.shared.limits.stack_words
    }

    /// Takes a step. The thread's action must be enabled.
    pub fn apply(&mut self, action: Action) -> Result<(Undo, Outcome), Unsupported> {
        let undo = Undo {
            checkpoint: self.memory.begin(),
            current: self.current,
            fp: self.fp,
            arrivals: self.arrivals.clone(),
        };
        // The thread that ran last has its topmost frame in a variable, not in its record.
        if self.current != action.thread {
            self.switch_to(action.thread);
        }
        if action.what == What::Timeout {
            self.wake(action.thread, wake::TIMEOUT);
            if !self.can_run(action.thread) {
                return Ok((undo, Outcome::Paused));
            }
        }
        self.switch_to(action.thread);
        self.log_top();
        self.fresh = true;
        let mut fuel = BUDGET;
        let exit = self.execute::<true>(&mut fuel);
        let over = matches!(exit, Exit::Ended);
        self.set_thread_word(self.current, thread::FRAME, if over { 0 } else { self.fp });
        let outcome = match exit {
            Exit::Pending | Exit::Blocked | Exit::Ended => Outcome::Paused,
            Exit::Fuel => Outcome::Budget,
            Exit::Halt(status) => Outcome::Halted(status),
            Exit::Done(_) | Exit::Failed(_) => Outcome::Halted(0),
            Exit::Collect => {
                self.undo(undo);
                return Err(Unsupported {
                    what: "more memory than --heap allows".to_owned(),
                    place: String::new(),
                });
            }
            Exit::Unsupported(what) => {
                self.undo(undo);
                return Err(what);
            }
        };
        Ok((undo, outcome))
    }

    /// Goes back over the latest step.
    pub fn undo(&mut self, undo: Undo) {
        self.memory.undo(undo.checkpoint);
        self.set_current(undo.current, undo.fp);
        self.arrivals = undo.arrivals;
        self.yielding = false;
    }
}

/// A Java program as a system: its main class and arguments on the classes of a [`Shared`].
pub struct Java<'p> {
    /// The classes, and what machines on them share.
    pub shared: &'p Shared<'p>,
    /// The main class.
    pub main_class: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Makes the console of each machine.
    pub console: fn() -> Box<dyn Console>,
}

impl<'p> System for Java<'p> {
    type State = Machine<'p>;
    type Action = Action;
    type Undo = Undo;

    fn initial(&self) -> Result<Machine<'p>, Unsupported> {
        let failed = |what: String| Unsupported {
            what,
            place: String::new(),
        };
        let mut machine = Machine::new(self.shared, (self.console)()).map_err(|error| failed(error.to_string()))?;
        machine.boot().map_err(|error| failed(error.to_string()))?;
        machine.freeze();
        machine
            .launch(&self.main_class, &self.arguments)
            .map_err(|error| failed(error.to_string()))?;
        Ok(machine)
    }

    fn pending(&self, state: &mut Machine<'p>, out: &mut Vec<Pending<Action>>) {
        state.pending(out);
    }

    fn apply(&self, state: &mut Machine<'p>, action: Action) -> Result<Undo, Unsupported> {
        state.apply(action).map(|(undo, _)| undo)
    }

    fn undo(&self, state: &mut Machine<'p>, undo: Undo) {
        state.undo(undo);
    }

    fn encode(&self, state: &mut Machine<'p>, out: &mut Vec<u32>) {
        state.encode(out);
    }

    fn decode(&self, state: &mut Machine<'p>, words: &[u32]) -> Result<(), Unsupported> {
        state.decode(words).map_err(|_| Unsupported {
            what: "a vector of another program".to_owned(),
            place: String::new(),
        })
    }
}

fn monitor(object: Address) -> Place {
    Place {
        object,
        cell: Place::MONITOR,
    }
}

/// A thread's status, permit and interrupts.
fn thread_place(number: u32) -> Place {
    Place {
        object: thread_record(number),
        cell: 0,
    }
}

/// The initialisation state of a class.
fn class_place(of: u32) -> Place {
    Place {
        object: class_record(of),
        cell: 0,
    }
}
