//! Getting a program ready to be explored.
//!
//! What the JDK's own classes do when they are first used is the same in every execution, so it is done before the search
//! begins and becomes part of the start-up image: the program is run under a few schedules, and the classes of the JDK that it used
//! are initialised up front, and [caches](crate::settle) that they fill when they are first asked are filled. The program's own classes are linked but not initialised: when that happens, and by whom, is part
//! of what is explored. Only classes without any code to run are done with.

use crate::boot::{LaunchError, Start};
use crate::layout::{class, class_record, init, thread};
use crate::machine::{Console, Machine};
use crate::schedule::End;
use crate::system::{Action, Undo};
use kernel::{Transition, Transitions};
use program::classfile::Constant;
use program::world::{ClassId, ClassKind, LoaderId};
use std::collections::BTreeSet;

/// Turns that the run may take: enough for any program that is small enough to be explored.
const TURNS: u64 = 500;
/// After so many turns in which no class was initialised there will be no more: most such programs never end.
const FRUITLESS: u64 = 100;

/// Steps that the main thread may take by itself before all others.
const AHEAD: u32 = 200;

/// Schedules, each of which may show more of the JDK that the program uses: for [`Machine::walk`].
const SCHEDULES: [(u32, bool); 6] = [(0, false), (0, true), (1, false), (8, true), (64, false), (512, true)];
/// How many steps there are in such a schedule at most.
const STEPS: u32 = 5000;
/// How many of these may end without coming to an instruction that others may see.
const LONG: u32 = 20;

impl Machine<'_> {
    /// Boots an empty machine and puts the program before its first step, with what it needs of the JDK in the image.
    pub fn prepare_search(&mut self, start: &Start) -> Result<(), LaunchError> {
        self.prepare_searches(std::slice::from_ref(start))?;
        self.solo.start_over();
        self.launch_start(start)
    }

    /// Boots an empty machine, with what any of these programs needs of the JDK in the image. [`Machine::begin`] puts one of
    /// them before its first step, and another one afterwards.
    pub fn prepare_searches(&mut self, starts: &[Start]) -> Result<(), LaunchError> {
        self.boot().map_err(LaunchError::Start)?;
        self.freeze();
        let before = self.class_states();
        let console = std::mem::replace(&mut self.console, Box::new(Nowhere));
        // Whoever reads a name here goes on, and the search will be told.
        let names = std::mem::replace(&mut self.semantics.names_threads, true);
        let mut used = BTreeSet::new();
        for start in starts {
            self.run_ahead(start, AHEAD)?;
            for (turn, newest) in SCHEDULES {
                if (self.shared.stopped)() {
                    break;
                }
                // What operations access is nobody's business here.
                let steps = self.without_operations(|machine| machine.walk(turn, newest));
                used.extend(self.classes_used(&before));
                let has_others = self.highest_thread() > 0;
                for undo in steps.into_iter().rev() {
                    self.undo(undo);
                }
                // A single thread has no turns: only what it chooses can differ.
                if newest && !has_others {
                    break;
                }
            }
            self.run_for_long(&before);
            used.extend(self.classes_used(&before));
            self.restart();
        }
        if self.sets_properties() || !self.settle(&used) {
            self.restart();
        }
        self.link_program();
        self.intern_literals();
        self.console = console;
        self.semantics.names_threads = names;
        self.freeze();
        let words = |object| object..object + self.object_words(object);
        let mains = self.find_main_objects().map(|object| object.map_or(0..0, words));
        self.reachability.set_main_objects(mains);
        Ok(())
    }

    /// Goes back to the image, whatever has happened since, and puts a program before its first step: one of those that
    /// the image was prepared for.
    pub fn begin(&mut self, start: &Start) -> Result<(), LaunchError> {
        self.restart();
        self.facts.assume_again();
        self.solo.start_over();
        self.forget_encodings();
        self.launch_start(start)
    }

    /// The classes of the JDK that were initialised since these states of classes.
    fn classes_used(&self, before: &[u32]) -> Vec<ClassId> {
        let is_used = |&id: &ClassId| {
            let class = self.program.class(id);
            self.state_of(id) == init::DONE
                && before.get(id.index()) != Some(&init::DONE)
                && class.kind == ClassKind::Instance
                && class.loader < LoaderId::APP
                && !class.given
        };
        self.program.class_ids().filter(is_used).collect()
    }

    /// Takes steps: so many of each thread in turn, or as long as it can go if that is 0. The newest thread is the next one, if so wanted,
    /// or the oldest. What is needed to go back over them.
    fn walk(&mut self, turn: u32, newest: bool) -> Vec<Undo> {
        let mut undos = Vec::new();
        let (mut transitions, mut last, mut taken, mut long) = (Transitions::default(), None, 0, 0);
        for _ in 0..STEPS {
            if (self.shared.stopped)() {
                break;
            }
            self.transitions(&mut transitions);
            let find = |accepts: &dyn Fn(&Transition<Action>) -> bool| {
                let mut fitting = transitions
                    .entries()
                    .iter()
                    .filter(|entry| entry.enabled && accepts(entry));
                if newest { fitting.next_back() } else { fitting.next() }
            };
            let next = find(&|entry| Some(entry.thread) == last && taken < turn)
                .or_else(|| find(&|entry| Some(entry.thread) != last || turn == 0))
                .or_else(|| find(&|_| true));
            let Some(&Transition { thread, action, .. }) = next else {
                break;
            };
            taken = if Some(thread) == last { taken + 1 } else { 1 };
            last = Some(thread);
            let Ok(undo) = self.apply(action) else { break };
            undos.push(undo);
            // Who computes for long shows little.
            let gave_way = self.run.take_gave_way();
            long += u32::from(!gave_way && self.thread_word(thread.0, thread::READY) == 0);
            if long > LONG {
                break;
            }
        }
        self.stepping = false;
        undos
    }

    /// Runs under one schedule, as long as that shows more classes. However it ends, the search will find out.
    fn run_for_long(&mut self, before: &[u32]) {
        let mut known = self.classes_used(before).len();
        for _ in 0..TURNS / FRUITLESS {
            self.limit_turns(FRUITLESS);
            if !matches!(self.run(), End::OutOfTurns) {
                break;
            }
            let used = self.classes_used(before).len();
            if std::mem::replace(&mut known, used) == used {
                break;
            }
        }
        self.limit_turns(u64::MAX);
    }

    fn state_of(&self, id: ClassId) -> u32 {
        self.memory.load(class_record(id) + class::STATE)
    }

    fn class_states(&self) -> Vec<u32> {
        (0..self.program.class_end().0)
            .map(|id| self.state_of(ClassId(id)))
            .collect()
    }

    /// Initialises classes and fills their caches, or the first only if the second fails; `false` if both do.
    fn settle(&mut self, classes: &BTreeSet<ClassId>) -> bool {
        if self.initialize_all(classes) && self.fill_caches(classes) {
            return true;
        }
        self.restart();
        self.initialize_all(classes)
    }

    /// Initialises classes; `false` if one fails or starts a thread, which is no business of the image's.
    fn initialize_all(&mut self, classes: &BTreeSet<ClassId>) -> bool {
        let Ok(initializer) = self.initializer_method() else {
            return false;
        };
        self.run.forget_lack();
        classes.iter().all(|&id| {
            // What a limit has cut short is no business of the image's either.
            self.call_and_wait(initializer, &[id.0]).is_ok()
                && self.live_threads().len() == 1
                && self.run.lack().is_none()
        })
    }

    /// Whether the program may set system properties, which classes of the JDK look at when they are initialised.
    fn sets_properties(&self) -> bool {
        self.program
            .classes()
            // `setProperties` of `gov.nasa.jpf.vm.Verify` does nothing.
            .filter(|class| class.loader >= LoaderId::APP && &*class.name != "gov/nasa/jpf/vm/Verify")
            .filter_map(|class| class.file.as_ref())
            .any(|file| {
                let pool = &file.pool;
                (1..pool.len() as u16)
                    .filter(|&index| matches!(pool.get(index), Constant::Utf8 { .. }))
                    .any(|index| {
                        let names = ["setProperty", "setProperties", "clearProperty", "getProperties"];
                        names.contains(&pool.text(index))
                    })
            })
    }

    /// Interns the literals of all classes that are loaded, so that who comes to one first makes no difference.
    fn intern_literals(&mut self) {
        for id in self.program.class_ids() {
            let Some(file) = &self.program.class(id).file else {
                continue;
            };
            for index in 1..file.pool.len() as u16 {
                if let Constant::String(text) = *file.pool.get(index) {
                    // If there are too many, the rest is interned when it is used.
                    let _ = self.intern_constant(&file.pool, text);
                }
            }
        }
    }

    /// Links the classes of the program that are loaded, and initialises those that have nothing to run.
    fn link_program(&mut self) {
        for id in self.program.class_ids() {
            let class = self.program.class(id);
            if class.loader >= LoaderId::APP && class.kind == ClassKind::Instance && !class.given {
                // One that cannot be linked says so when it is used.
                if self.prepare(id).is_ok() {
                    let _ = self.require_initialized(id);
                }
            }
        }
    }
}

/// Swallows output and has no input.
pub struct Nowhere;

impl Console for Nowhere {
    fn write(&mut self, _stream: u32, _bytes: &[u8]) {}

    fn read(&mut self, _buffer: &mut [u8]) -> usize {
        0
    }

    fn available(&mut self) -> usize {
        0
    }
}
