//! The machine: a program in the midst of running, and what it shares with every other machine on the same program.

use crate::caveat::Caveat;
use crate::discipline::Discipline;
use crate::dynamic::sites::Sites;
use crate::handle::Handle;
use crate::known::Known;
use crate::layout::{HEAP, MAX_STRINGS, MAX_THREADS, frame, thread, thread_record};
use crate::memory::{Address, Memory};
use crate::native::{Bound, Natives};
use crate::trust::Repute;
use crate::view::Declared;
use crate::writer::Writer;
use kernel::{Instrumentation, Unsupported};
use program::world::{ClassId, LoadError, LoaderId, MethodId, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::AtomicBool;
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
    /// Whether some machine has seen the program lock its standard streams, or run code of its own while they are locked.
    pub console_matters: AtomicBool,
    /// Whether the program interrupts a thread.
    pub interrupts_matter: AtomicBool,
    /// Whether the program asks which threads there are: then it can tell when one starts or ends, and get hold of any.
    pub threads_matter: AtomicBool,
    /// Whether the program looks at what a thread is doing: at its state or its stack.
    pub threads_watched: AtomicBool,
    /// Whether the program can tell threads apart by what they are called: names, ids, hash codes that they have drawn.
    pub names_matter: AtomicBool,
    /// What executions have shown that the verdict does not cover.
    pub caveats: Mutex<BTreeSet<Caveat>>,
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
            console_matters: AtomicBool::new(false),
            interrupts_matter: AtomicBool::new(false),
            threads_matter: AtomicBool::new(false),
            threads_watched: AtomicBool::new(false),
            names_matter: AtomicBool::new(false),
            caveats: Mutex::default(),
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
    /// Output and input.
    pub console: Box<dyn Console>,
    /// The running thread.
    pub current: u32,
    /// Its topmost frame.
    pub(crate) fp: Address,
    /// Where its stack ends.
    pub(crate) stack_end: Address,
    /// Frames of the running thread from here up are logged or younger than the step.
    pub(crate) logged: Address,
    pub(crate) bound: Vec<Option<Bound>>,
    pub(crate) selections: Box<[(u64, MethodId)]>,
    pub(crate) offsets: HashMap<(&'static str, &'static str), u32>,
    /// Offsets of fields by where their names lie; see `find_offset`.
    pub(crate) asked: Box<[Asked]>,
    /// Threads in the order in which they began to wait for something: who waited longest is served first.
    pub(crate) arrivals: Vec<u32>,
    pub(crate) collect_at: Address,
    /// Whether an instruction of a run has found the heap full right after a collection.
    pub(crate) starved: bool,
    /// The option that a run has once gone beyond, outside of exploring.
    pub(crate) lacks: std::cell::Cell<Option<&'static str>>,
    pub(crate) roles: crate::encode::Roles,
    pub(crate) writer: Option<Handle<Writer>>,
    /// The writers of earlier states, the latest last, and writers that can be used again.
    pub(crate) earlier: Vec<Handle<Writer>>,
    pub(crate) spare_writers: Vec<Handle<Writer>>,
    /// How to get back what was encoded before, and the lengths of the trail then and at the last vector.
    pub(crate) kept: crate::refresh::Kept,
    pub(crate) kept_between: (usize, usize),
    /// How long the trail is, if some but not all of the steps between these two were undone, and nothing else has happened.
    pub(crate) unwound: Option<usize>,
    pub(crate) moments: kernel::StateVector,
    /// Who reaches what in the state at hand, as far as somebody has asked.
    pub(crate) reach: crate::reach::Reach,
    /// What is reached by others than one thread, for as long as only that one moves.
    pub(crate) others: crate::reach::Reach,
    pub(crate) others_than: u32,
    pub(crate) shield: crate::reach::Reach,
    pub(crate) holders: crate::reach::Reach,
    pub(crate) roots: crate::reach::Roots,
    pub(crate) sorter: Option<Box<crate::symmetry::Sorter>>,
    /// The main thread's object and its holder, each if it can be told who reaches it, or 0.
    pub(crate) main_objects: [Address; 2],
    /// Whether the program may get hold of threads that nobody gave to it, by the classes with numbers below the first.
    pub(crate) exposure: (u32, bool),
    /// What the current step is about to touch, and whether nobody knows.
    pub(crate) written: Vec<kernel::MemoryAccess>,
    pub(crate) scratch: kernel::Transitions<crate::system::Action>,
    /// The footprint of the current step, until a native method has been compared with it (`audit`).
    pub(crate) declared_step: Vec<kernel::MemoryAccess>,
    pub(crate) wild: bool,
    pub(crate) escaping: Vec<Address>,
    /// The places, by method and instruction, whose objects were proved never to be shared.
    pub proved: std::sync::Arc<std::collections::HashSet<(MethodId, u32)>>,
    /// For each class that somebody asked about, which words of its objects are final fields.
    pub(crate) declared: Vec<Option<Box<[Declared]>>>,
    /// What each class that somebody asked about is, as far as races are concerned.
    pub(crate) reputes: Vec<Option<Repute>>,
    /// What this machine has noted in [`Shared::caveats`].
    pub(crate) noted: BTreeSet<Caveat>,
    /// What the words of objects are, by class, and what was found to be storable where: class, word, class of what is stored.
    pub(crate) slots: Vec<Option<Box<[crate::slots::Slot]>>>,
    pub(crate) storable: HashSet<(ClassId, u32, ClassId)>,
    /// Whether synchronizers are no locks, because one was taken from its owner.
    pub(crate) distrusts: bool,
    /// Whether the current step has yet to touch something that others may see.
    pub(crate) fresh: bool,
    /// Whether the running thread is the only one that is alive, so that nobody sees where its step ends.
    pub(crate) alone: bool,
    /// Whether accesses of a thread that is alone are looked at ([`Machine::attend`]), and whether it stops at each.
    pub(crate) attentive: bool,
    pub(crate) pauses: bool,
    pub(crate) paused: bool,
    /// Whether a thread that was alone has written anything in the current step.
    pub(crate) wrote: bool,
    /// How many steps of the main thread [`Machine::run_ahead`] has taken, and whether these had no end in sight.
    pub(crate) ahead: u32,
    pub(crate) restless: bool,
    /// How many words were left when garbage was last collected on the way.
    pub(crate) left: u32,
    /// Frame and instruction with which the current step began.
    pub(crate) began: (Address, u32),
    /// Whether the present turn ends because the thread gave way.
    pub(crate) gave_way: bool,
    /// How many more turns [`Machine::run`] may give to threads.
    pub turns: u64,
    /// Whether the running thread gives way to the others.
    pub yielding: bool,
    /// Which alternative a native method that has several takes, counted from 0.
    pub choice: u32,
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

/// Where the names of a class and a field lie and how long they are, and the offset of the field; 0 if there is none.
pub(crate) type Asked = ((usize, usize, usize, usize), u32);

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
            console,
            current: 0,
            fp: 0,
            stack_end: 0,
            logged: 0,
            bound: Vec::new(),
            selections: vec![(0, MethodId(0)); 1 << 13].into(),
            offsets: HashMap::new(),
            asked: vec![Asked::default(); 256].into(),
            arrivals: Vec::new(),
            starved: false,
            lacks: std::cell::Cell::new(None),
            collect_at: HEAP + shared.limits.heap_words / 2,
            roles: crate::encode::Roles::default(),
            writer: Some(Handle::default()),
            earlier: Vec::new(),
            spare_writers: Vec::new(),
            kept: crate::refresh::Kept::default(),
            kept_between: (0, 0),
            unwound: None,
            moments: kernel::StateVector::default(),
            reach: crate::reach::Reach::default(),
            others: crate::reach::Reach::default(),
            others_than: 0,
            shield: crate::reach::Reach::default(),
            holders: crate::reach::Reach::default(),
            roots: crate::reach::Roots::default(),
            sorter: None,
            main_objects: [0; 2],
            exposure: (0, false),
            written: Vec::new(),
            scratch: kernel::Transitions::default(),
            declared_step: Vec::new(),
            wild: false,
            escaping: Vec::new(),
            proved: std::sync::Arc::default(),
            declared: Vec::new(),
            reputes: Vec::new(),
            noted: BTreeSet::new(),
            slots: Vec::new(),
            storable: HashSet::new(),
            distrusts: false,
            discipline: None,
            fresh: true,
            alone: false,
            attentive: false,
            pauses: false,
            paused: false,
            wrote: false,
            ahead: 0,
            restless: false,
            left: 0,
            began: (0, 0),
            gave_way: false,
            turns: u64::MAX,
            yielding: false,
            choice: 0,
            stepping: false,
            semantics: StepSemantics::default(),
            allowed: Vec::new(),
            operation: crate::operations::Current::default(),
        })
    }

    /// A run goes beyond what this option allows.
    pub(crate) fn note_lack(&self, option: &'static str) {
        self.lacks.set(self.lacks.get().or(Some(option)));
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

    /// Makes a thread the running one, with this frame on top.
    pub(crate) fn set_current(&mut self, number: u32, fp: Address) {
        self.current = number;
        self.fp = fp;
        self.stack_end = self.stack(number).1;
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
        if of == self.current {
            self.fp
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
