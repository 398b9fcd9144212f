//! The machine: a program in the midst of running, and what it shares with every other machine on the same program.

use crate::caveat::Caveat;
use crate::class_facts::ClassFacts;
use crate::discipline::Discipline;
use crate::dynamic::sites::Sites;
use crate::encode::Roles;
use crate::encoding::Encoding;
use crate::history::Histories;
use crate::known::Known;
use crate::layout::{HEAP, MAX_STRINGS, MAX_THREADS, frame, thread, thread_record};
use crate::memory::{Address, Memory};
use crate::native::Natives;
use crate::reachability::Reachability;
use crate::run::Run;
use crate::running::Running;
use crate::solo::Solo;
use crate::step::Step;
use kernel::{Assumptions, Instrumentation, Unsupported};
use program::world::{ClassId, LoadError, LoaderId, MethodId, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, RwLock};

/// How large a program may grow, and what it is told about the world.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Words of the heap.
    pub heap_words: u32,
    /// Words of each thread's stack.
    pub stack_words: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            heap_words: 1 << 28,
            stack_words: 1 << 18,
        }
    }
}

/// Where the program's output goes and its input comes from.
pub trait Console: Send {
    /// Bytes written to standard output (1) or standard error (2).
    fn write(&mut self, stream: u32, bytes: &[u8]);
    /// Fills `buffer` from standard input; 0 at its end.
    fn read(&mut self, buffer: &mut [u8]) -> usize;
    /// How many bytes can be read without waiting.
    fn available(&mut self) -> usize;
}

/// What all machines on one program share: nothing here belongs to a state, and everything is named by content.
pub struct Shared<'p> {
    /// The classes.
    pub program: &'p Program,
    /// The native methods.
    pub natives: &'p dyn Natives,
    /// Limits.
    pub limits: Limits,
    /// System properties that the user has set, beside those that the library gives.
    pub properties: BTreeMap<String, String>,
    /// Files that the program may read: the class path and the JDK's own.
    pub files: &'p dyn Files,
    /// What steps rest on, and what executions have shown of it.
    pub(crate) assumptions: Mutex<Assumptions>,
    /// What executions have shown that the verdict does not cover.
    pub caveats: Mutex<BTreeSet<Caveat>>,
    /// What programs have recorded, by its number.
    pub(crate) histories: Mutex<Histories>,
    /// Whether the process may hold so many bytes more; asked before a heap grows.
    pub room: fn(u64) -> bool,
    /// Whether the user wants an end: what only saves time is then left out.
    pub stopped: fn() -> bool,
    pub(crate) strings: RwLock<Strings>,
    pub(crate) adaptors: Adaptors,
    pub(crate) sites: Sites,
}

/// The read-only files that a program under test may see.
pub trait Files: Send + Sync {
    /// The contents of a file; `None` where there is none.
    fn read(&self, path: &str) -> Option<Arc<[u8]>>;
    /// Whether there is something at a path that is not shown: what a link from within leads to, or no regular file.
    fn withholds(&self, path: &str) -> bool;
    /// Whether a path is a folder.
    fn is_folder(&self, path: &str) -> bool;
    /// The names in a folder.
    fn list(&self, path: &str) -> Vec<String>;
    /// The JDK's own folder.
    fn java_home(&self) -> &str;
    /// Feature version of the JDK.
    fn feature(&self) -> u32;
    /// Full version of the JDK.
    fn version(&self) -> &str;
    /// The class path as the user wrote it.
    fn class_path(&self) -> &str;
    /// Folders and files that can be read besides the JDK's own: the entries of the class path, and the archives that their
    /// manifests name.
    fn places(&self) -> &[String];
}

/// The machine's own methods, by their purpose and what they are for.
#[derive(Default)]
pub(crate) struct Adaptors {
    made: RwLock<HashMap<(u32, u32), MethodId>>,
}

impl Adaptors {
    pub(crate) fn get(&self, key: (u32, u32)) -> Option<MethodId> {
        self.made
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .get(&key)
            .copied()
    }

    /// All methods by their keys.
    pub(crate) fn all(&self) -> Vec<((u32, u32), MethodId)> {
        let made = self.made.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut all: Vec<_> = made.iter().map(|(&key, &method)| (key, method)).collect();
        all.sort_unstable();
        all
    }

    /// Enters a method; the first one entered for a key stays.
    pub(crate) fn enter(&self, key: (u32, u32), method: MethodId) -> MethodId {
        *self
            .made
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .entry(key)
            .or_insert(method)
    }
}

#[derive(Default)]
pub(crate) struct Strings {
    by_content: HashMap<Arc<[u16]>, u32>,
    contents: Vec<Arc<[u16]>>,
}

impl<'p> Shared<'p> {
    /// What machines on this program will share.
    pub fn new(
        program: &'p Program,
        natives: &'p dyn Natives,
        files: &'p dyn Files,
        limits: Limits,
        properties: BTreeMap<String, String>,
    ) -> Shared<'p> {
        Shared {
            program,
            natives,
            limits,
            properties,
            files,
            assumptions: Mutex::default(),
            caveats: Mutex::default(),
            histories: Mutex::default(),
            room: |_| true,
            stopped: || false,
            strings: RwLock::default(),
            adaptors: Adaptors::default(),
            sites: Sites::default(),
        }
    }

    /// The number under which a text is interned.
    pub(crate) fn string_number(&self, content: &[u16]) -> Option<u32> {
        if let Some(&number) = self
            .strings
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .by_content
            .get(content)
        {
            return Some(number);
        }
        let mut strings = self.strings.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&number) = strings.by_content.get(content) {
            return Some(number);
        }
        let number = u32::try_from(strings.contents.len())
            .ok()
            .filter(|&number| number < MAX_STRINGS)?;
        let content: Arc<[u16]> = content.into();
        strings.contents.push(content.clone());
        strings.by_content.insert(content, number);
        Some(number)
    }

    /// The text with this number.
    pub(crate) fn string_content(&self, number: u32) -> Option<Arc<[u16]>> {
        self.strings
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .contents
            .get(number as usize)
            .cloned()
    }

    /// The number of interned texts so far.
    pub(crate) fn string_count(&self) -> u32 {
        self.strings
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .contents
            .len() as u32
    }

    /// The number of a dynamic call site or constant, by where it stands.
    pub(crate) fn site_number(&self, of: u32, place: u32) -> Option<u32> {
        self.sites.number(of, place)
    }

    /// The number of dynamic sites so far.
    pub(crate) fn site_count(&self) -> u32 {
        self.sites.count()
    }
}

/// Why an instruction or a native method did not end in the usual way.
#[derive(Debug)]
pub enum Trap {
    /// This exception object is thrown.
    Throw(Address),
    /// An exception of this class, with this message, is to be made and thrown.
    Raise(&'static str, Option<String>),
    /// As `Raise`, with a cause.
    RaiseCause(&'static str, Option<String>, Address),
    /// Not supported: the run ends, and says so.
    Unsupported(String),
    /// A class that the program needs is not on its class path.
    Missing(Unsupported),
    /// The heap is full: it is collected, then the instruction is tried again.
    Collect,
    /// The class must be initialised first; then the instruction is tried again.
    Initialize(ClassId),
    /// This Java method must run first, with these argument words; then the instruction is tried again.
    Before(MethodId, Vec<u32>),
}

/// Short for [`Trap::Raise`] with a message.
pub fn raise<T>(class: &'static str, message: impl Into<String>) -> Result<T, Trap> {
    Err(Trap::Raise(class, Some(message.into())))
}

/// A running program.
pub struct Machine<'p> {
    /// What it shares with other machines.
    pub shared: &'p Shared<'p>,
    /// The classes.
    pub program: &'p Program,
    /// All of its state.
    pub memory: Memory,
    /// The JDK classes and members that the machine itself deals with.
    pub known: Known,
    /// What it has found out about classes.
    pub(crate) facts: ClassFacts,
    /// Output and input.
    pub console: Box<dyn Console>,
    /// The thread that runs.
    pub(crate) running: Running,
    /// What a run keeps besides the state.
    pub(crate) run: Run,
    /// What is known about the step that is being taken, and about a thread that is alone.
    pub(crate) step: Step,
    pub(crate) solo: Solo,
    pub(crate) roles: Roles,
    /// What was encoded last, and the way back.
    pub(crate) encoding: Encoding,
    /// Who reaches what, as far as somebody has asked.
    pub(crate) reachability: Reachability,
    /// The places, by method and instruction, whose objects were proved never to be shared.
    pub proved: std::sync::Arc<std::collections::HashSet<(MethodId, u32)>>,
    /// What this machine has noted in [`Shared::caveats`].
    pub(crate) noted: BTreeSet<Caveat>,
    /// Whether the machine goes step by step, and who is served first is no question.
    pub(crate) stepping: bool,
    /// How it goes step by step.
    pub semantics: StepSemantics,
    /// Fields on which the user allows races: `Class.field` or `field`.
    pub allowed: Vec<String>,
    /// Who has access to what, by the user's word.
    pub discipline: Option<Arc<Discipline>>,
    /// The operation that the current step is in.
    pub(crate) operation: crate::operations::Current,
}

/// How the machine goes step by step.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepSemantics {
    /// What the reductions need of it.
    pub instrumentation: Instrumentation,
    /// A thread that is alone runs through what others could see, if there were any.
    pub solo: bool,
    /// Threads may wake up without a reason.
    pub spurious: bool,
    /// Locks that a finished thread still holds are a flaw.
    pub locks: bool,
    /// Printing runs the JDK's own code, locks and all.
    pub prints: bool,
    /// Threads may be interrupted while they wait.
    pub interrupts: bool,
    /// Others can tell when a thread starts or ends, and get hold of it, without knowing it.
    pub counts_threads: bool,
    /// Others look at what a thread is doing, so every step of it may matter to them.
    pub watches_threads: bool,
    /// What threads are called is part of the state: none is taken for another.
    pub names_threads: bool,
    /// Operations of the library take effect at once, because they were proved to.
    pub at_once: bool,
    /// They do not after all, since somebody could tell.
    pub looks_inside: bool,
    /// None of them is held back for the sake of those to which it makes a difference how others wait.
    pub crowds: bool,
    /// Whether conditions are signalled, or threads look at the clock.
    pub signals: bool,
    /// Tasks are cancelled.
    pub cancels: bool,
}

impl StepSemantics {
    /// What these reductions need, and nothing else that is out of the ordinary.
    pub fn new(instrumentation: Instrumentation) -> StepSemantics {
        let every = instrumentation.has(Instrumentation::EVERY_STEP);
        StepSemantics {
            instrumentation,
            solo: !every,
            names_threads: every,
            ..StepSemantics::default()
        }
    }

    /// Whether reductions need this.
    #[inline]
    pub fn has(&self, what: Instrumentation) -> bool {
        self.instrumentation.has(what)
    }

    /// Whether a step does not end before an access to an object that no other thread was ever able to reach. A thread that is looked at
    /// must be seen wherever it can be.
    #[inline]
    pub fn runs_through(&self) -> bool {
        const NEEDED: Instrumentation = Instrumentation::LOCAL_COMMUTES.and(Instrumentation::LONG_STEPS);
        self.has(NEEDED) && !self.watches_threads
    }

    /// The same for an object that was proved never to be shared.
    #[inline]
    pub fn runs_through_proved(&self) -> bool {
        const NEEDED: Instrumentation = Instrumentation::PROOFS.and(Instrumentation::LONG_STEPS);
        self.has(NEEDED) && !self.watches_threads
    }
}

impl<'p> Machine<'p> {
    /// An empty machine: no class is initialised, no thread exists.
    pub fn new(shared: &'p Shared<'p>, console: Box<dyn Console>) -> Result<Machine<'p>, StartError> {
        let heap_end = HEAP
            .checked_add(shared.limits.heap_words)
            .ok_or(StartError::Memory("the heap is too large".into()))?;
        let stacks = shared
            .limits
            .stack_words
            .checked_mul(MAX_THREADS + 1)
            .ok_or(StartError::Memory("the stacks are too large".into()))?;
        let size = heap_end
            .checked_add(stacks)
            .ok_or(StartError::Memory("heap and stacks are too large".into()))?;
        let mut memory = Memory::new(size, HEAP, heap_end).map_err(|error| StartError::Memory(error.to_string()))?;
        memory.ask_for_room(shared.room);
        let known = Known::new(shared.program)?;
        Ok(Machine {
            shared,
            program: shared.program,
            memory,
            known,
            facts: ClassFacts::default(),
            console,
            running: Running::default(),
            run: Run::new(HEAP + shared.limits.heap_words / 2),
            step: Step::default(),
            solo: Solo::default(),
            roles: Roles::default(),
            encoding: Encoding::default(),
            reachability: Reachability::default(),
            proved: std::sync::Arc::default(),
            noted: BTreeSet::new(),
            discipline: None,
            stepping: false,
            semantics: StepSemantics::default(),
            allowed: Vec::new(),
            operation: crate::operations::Current::default(),
        })
    }

    /// How many more turns [`Machine::run`] may give to threads.
    pub fn limit_turns(&mut self, turns: u64) {
        self.run.limit_turns(turns);
    }

    /// Which alternative a native method that has several takes, counted from 0.
    pub fn choice(&self) -> u32 {
        self.step.choice()
    }

    /// The running thread gives way to the others.
    pub fn give_way(&mut self) {
        self.step.set_yielding(true);
    }

    /// Whether the machine goes step by step.
    pub fn is_stepping(&self) -> bool {
        self.stepping
    }

    /// Bounds of a thread's stack.
    pub(crate) fn stack(&self, thread: u32) -> (Address, Address) {
        let start = self.memory.limit() + thread * self.shared.limits.stack_words;
        (start, start + self.shared.limits.stack_words)
    }

    /// The running thread.
    #[inline(always)]
    pub fn current(&self) -> u32 {
        self.running.thread()
    }

    /// Its topmost frame.
    #[inline(always)]
    pub(crate) fn fp(&self) -> Address {
        self.running.frame()
    }

    /// Makes a thread the running one, with this frame on top.
    pub(crate) fn set_current(&mut self, number: u32, fp: Address) {
        let (_, end) = self.stack(number);
        self.running.switch(number, fp, end);
    }

    /// A word of a thread's record.
    pub fn thread_word(&self, of: u32, word: u32) -> u32 {
        self.memory.load(thread_record(of) + word)
    }

    /// Sets a word of a thread's record.
    #[inline]
    pub fn set_thread_word(&mut self, of: u32, word: u32, value: u32) {
        let at = thread_record(of) + word;
        // Most of the time it is what it was, and then there is nothing to log and to write anew.
        if self.memory.load(at) != value {
            self.memory.store(at, value);
        }
    }

    /// The topmost frame of any thread.
    pub fn top_frame(&self, of: u32) -> Address {
        if of == self.current() {
            self.fp()
        } else {
            self.thread_word(of, thread::FRAME)
        }
    }

    /// Method, instruction and caller of a frame.
    pub fn frame_at(&self, at: Address) -> (MethodId, u32, Address) {
        (
            MethodId(self.memory.load(at + frame::METHOD)),
            self.memory.load(at + frame::PC),
            self.memory.load(at + frame::CALLER),
        )
    }

    /// A class of the JDK or of the program, as the loader sees it.
    pub fn load_class(&self, loader: LoaderId, name: &str) -> Result<ClassId, LoadError> {
        self.program.load(loader, name)
    }
}

/// Why a program could not be started.
#[derive(Debug)]
pub enum StartError {
    /// Memory could not be had.
    Memory(String),
    /// What this option allows is not enough to start.
    TooSmall(&'static str),
    /// The JDK lacks something that every JDK has.
    Jdk(String),
    /// Something is not supported.
    Unsupported(Unsupported),
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartError::Memory(what) => write!(f, "no memory for the program: {what}"),
            StartError::TooSmall(option) => write!(f, "{option} is too small to start the JDK; allow more"),
            StartError::Jdk(what) => write!(f, "this JDK cannot be used: {what}"),
            StartError::Unsupported(what) => what.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}
