//! Whether native methods keep to their footprints: every load and store that one makes is compared with what it declares.
//!
//! Footprints of native methods are declared by hand, and races and reductions rest on them. In builds with debug assertions, which
//! all tests use, a recorder in [`crate::memory`] notes what a native method accesses, in a single run as well as step by step. An
//! access that its footprint does not cover is a panic: it is a bug of Raddle's. A method of which it is not known what it touches
//! conflicts with everything and is not looked at.
//!
//! SOUNDNESS: what need not be declared, because no other thread can change it or tell that it was changed:
//! * what the method itself has allocated, the stack of its thread, and of its thread's record all but permit and wake-up;
//! * record and stack of a thread that it starts, for which the thread object stands; which record is free is known to depend on the
//!   order of starts (`interference`);
//! * the class of an object and the length of an array, which never change, and the flags beside the class and the record of a lock
//!   set, which are the machine's own;
//! * that an object has a monitor object, and its identity hash code once it is drawn: both stay;
//! * in the record of a thread that waits at a monitor, what tells so: the monitor stands for its wait set;
//! * final fields of the JDK's own classes, when they are read: they are set before anybody can hand the object to a native method. So
//!   are those by which reflection and method handles find their member;
//! * strings, and of a class object what it says about the class: they are the same from when they were made, but for hash codes and
//!   names that are kept once they were computed;
//! * the class object and the static fields' object of a class, interned strings, loaders by number, fresh numbers: whoever comes first
//!   makes them, and they are the same for all, up to names;
//! * that a class is initialised, which it stays; that it is not, if the method then asks for it; that this thread is at it; that a class is
//!   not linked, which one that breaks the rules for linking stays; and linking,
//!   or initialisation that runs no code, of which no program can tell;
//! * what a thread is doing (`threadStatus`), and whether it was interrupted where no thread ever is: these are a matter of
//!   [`crate::StepSemantics`], and all is explored again once they matter;
//! * that a thread runs, if its permit is declared: what is done to one that ends comes to nothing, before and after;
//! * who runs, and who has a monitor, by a method that conflicts with everything: no reduction assumes anything about these;
//! * memory outside of the heap, which lies in objects that no program can reach, by a method that conflicts with everything then.
//!
//! What else never changes is read through [`Machine::settled`], with the reason at the place.

use crate::known::monitor;
use crate::layout::{
    CLASS_WORDS, CLASSES, CLOCK, COUNTER, GLOBALS, HEAP, INFLATED, LOADERS, LOCK, MAX_THREADS, OBSERVED, SITE_WORDS,
    SITES, STRINGS, THREAD_END, THREAD_WORDS, THREADS, class, frame, init, thread, thread_record,
};
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use crate::native::{Answer, Touches};
use kernel::{AccessKind, Location, MemoryAccess, ThreadId, Transitions};
use program::classfile::flags;
use program::world::{ARRAY_HEADER_WORDS, ClassId, ClassKind, HEADER_WORDS, LoaderId, Method};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::{LazyLock, Mutex};

/// Some bytes that were loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accessed {
    /// The first, counted from word 0.
    from: u64,
    bytes: u64,
    writes: bool,
}

/// Notes what is accessed while it is on, and where objects begin. Without debug assertions it does nothing.
#[derive(Default)]
pub(crate) struct Recorder {
    on: Cell<bool>,
    accesses: RefCell<Vec<Accessed>>,
    /// A bit for each word of memory with which an object begins.
    starts: Vec<u64>,
}

impl Recorder {
    /// Bytes are read, at an offset from a word.
    #[inline(always)]
    pub(crate) fn read(&self, address: Address, offset: usize, bytes: usize) {
        if cfg!(debug_assertions) && self.on.get() {
            self.note(address, offset, bytes, false);
        }
    }

    /// Bytes are written.
    #[inline(always)]
    pub(crate) fn written(&self, address: Address, offset: usize, bytes: usize) {
        if cfg!(debug_assertions) && self.on.get() {
            self.note(address, offset, bytes, true);
        }
    }

    #[cold]
    fn note(&self, address: Address, offset: usize, bytes: usize, writes: bool) {
        let access = Accessed {
            from: u64::from(address) * 4 + offset as u64,
            bytes: bytes as u64,
            writes,
        };
        let mut accesses = self.accesses.borrow_mut();
        if bytes > 0 && accesses.last() != Some(&access) {
            accesses.push(access);
        }
    }

    /// An object of so many words now lies here.
    #[inline(always)]
    pub(crate) fn placed(&mut self, address: Address, words: u32) {
        if cfg!(debug_assertions) {
            self.enter(address as usize, words as usize);
        }
    }

    fn enter(&mut self, address: usize, words: usize) {
        let end = address + words;
        if self.starts.len() <= end / 64 {
            self.starts.resize(end / 64 + 1, 0);
        }
        for at in address / 64..=end / 64 {
            let below = if at == address / 64 {
                (1 << (address % 64)) - 1
            } else {
                0
            };
            let above = if at == end / 64 { u64::MAX << (end % 64) } else { 0 };
            self.starts[at] &= below | above;
        }
        self.starts[address / 64] |= 1 << (address % 64);
    }

    /// Where the object that has this word begins.
    fn start_of(&self, address: Address) -> Option<Address> {
        let (mut at, mut mask) = (address as usize / 64, u64::MAX >> (63 - address % 64));
        loop {
            match self.starts.get(at)? & mask {
                0 if at == 0 => return None,
                0 => (at, mask) = (at - 1, u64::MAX),
                found => return Some((at * 64) as Address + 63 - found.leading_zeros()),
            }
        }
    }
}

/// Which locations of footprints were accessed, a line each in a file.
struct Uses {
    file: File,
    told: HashSet<String>,
}

/// Writes a line, once.
fn tell(uses: &Mutex<Uses>, line: String) {
    let mut uses = uses.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // A list that cannot be written is of no use to anybody, and no reason to stop.
    if !uses.told.contains(&line) && uses.file.write_all(format!("{line}\n").as_bytes()).is_ok() {
        uses.told.insert(line);
    }
}

/// The list that `RADDLE_FOOTPRINTS` asks for.
static USES: LazyLock<Option<Mutex<Uses>>> = LazyLock::new(|| {
    let path = std::env::var_os("RADDLE_FOOTPRINTS")?;
    let file = OpenOptions::new().create(true).append(true).open(path).ok()?;
    let told = HashSet::new();
    Some(Mutex::new(Uses { file, told }))
});

/// What a native method may access, noted before it runs.
pub(crate) struct Declared {
    touches: Touches,
    footprint: Vec<MemoryAccess>,
    /// Objects from here on are its own.
    top: Address,
}

impl Declared {
    fn has(&self, location: Location) -> bool {
        self.footprint.iter().any(|touch| touch.location == location)
    }
}

impl Machine<'_> {
    /// Reads what never changes once a native method can come to it, so that its footprint need not name it.
    ///
    /// SOUNDNESS: each caller says why.
    pub fn settled<T>(&self, read: impl FnOnce(&Self) -> T) -> T {
        let was = self.memory.recorder.on.replace(false);
        let found = read(self);
        self.memory.recorder.on.set(was);
        found
    }

    /// The same, for what looks up offsets on the way.
    pub fn settled_mut<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let was = self.memory.recorder.on.replace(false);
        let found = read(self);
        self.memory.recorder.on.set(was);
        found
    }

    /// Before a step: notes its footprint, for the native method that it may begin with.
    pub(crate) fn declare_step(&mut self, number: u32) {
        if !cfg!(debug_assertions) {
            return;
        }
        let next = self.next_runnable(number, self.thread_word(number, thread::STATUS));
        let footprint = self.footprint_of(|machine, transitions| machine.footprint(number, next, transitions));
        self.step.declare(footprint);
    }

    fn footprint_of(
        &mut self,
        footprint: impl FnOnce(&mut Self, &mut Transitions<crate::system::Action>),
    ) -> Vec<MemoryAccess> {
        let mut transitions = Transitions::default();
        let action = crate::system::Action {
            thread: self.current(),
            what: crate::system::What::Go,
        };
        transitions.add(ThreadId(self.current()), action, true);
        footprint(self, &mut transitions);
        transitions
            .entries()
            .first()
            .map_or(Vec::new(), |entry| transitions.footprint(entry).to_vec())
    }

    /// Before a native method whose frame is on top: begins to note what it accesses, unless that is not known anyway.
    pub(crate) fn begin_audit(&mut self, method: &Method, touches: Touches) -> Option<Declared> {
        if !cfg!(debug_assertions) || touches == Touches::Unknown || self.is_odd(self.fp(), touches) {
            return None;
        }
        let (number, fp) = (self.current(), self.fp());
        let mut footprint =
            self.footprint_of(|machine, transitions| machine.native_footprint(number, fp, method, transitions));
        // A thread that has waited goes on by what its step declares.
        if self.step.began_with(fp, self.memory.load(fp + frame::PC)) {
            footprint.append(&mut self.step.take_declared());
        }
        self.memory.recorder.on.set(true);
        Some(Declared {
            touches,
            footprint,
            top: self.memory.top(),
        })
    }

    /// After it: compares what it has accessed with what it declares.
    pub(crate) fn end_audit(&mut self, method: &Method, declared: Option<Declared>, answer: &Answer) {
        self.step.take_declared();
        let Some(declared) = declared else { return };
        self.memory.recorder.on.set(false);
        let mut accesses = self.memory.recorder.accesses.take();
        if let Some(uses) = &*USES {
            self.tell_uses(uses, method, &declared, &accesses);
        }
        for &access in &accesses {
            if let Some(what) = self.undeclared(access, &declared, answer) {
                let class = self.program.class(method.class).external_name();
                let name = self.program.text(method.name);
                let does = if access.writes { "writes" } else { "reads" };
                let found = format!(
                    "{class}.{name}{} {does} {what}, which its footprint does not name ({:?})",
                    self.program.text(method.descriptor),
                    declared.touches
                );
                match &*USES {
                    Some(uses) => tell(uses, format!("undeclared {found}")),
                    None => panic!("{found}"),
                }
            }
        }
        accesses.clear();
        self.memory.recorder.accesses.replace(accesses);
    }

    /// Tells which locations of a footprint were accessed as it says.
    fn tell_uses(&self, uses: &Mutex<Uses>, method: &Method, declared: &Declared, accesses: &[Accessed]) {
        let class = self.program.class(method.class).external_name();
        let name = format!("{class}.{}", self.program.text(method.name));
        for (position, touch) in declared.footprint.iter().enumerate() {
            let Location { object, cell } = touch.location;
            let words = match object {
                0 => continue,
                HEAP.. => self.object_words(object),
                CLASSES.. => CLASS_WORDS,
                _ => THREAD_WORDS,
            };
            let used = accesses.iter().any(|access| {
                let at = (access.from / 4) as Address;
                (object..object + words).contains(&at) && access.writes != touch.access.is_read()
            });
            let cell = match cell {
                Location::WHOLE => "whole",
                Location::MONITOR => "monitor",
                _ => "cell",
            };
            let used = if used { "used" } else { "unused" };
            tell(uses, format!("{used} {name} {position} {cell} {:?}", touch.access));
        }
    }

    /// What an access is about, if it had to be declared and was not.
    fn undeclared(&self, access: Accessed, declared: &Declared, answer: &Answer) -> Option<String> {
        let first = (access.from / 4) as Address;
        let last = ((access.from + access.bytes - 1) / 4) as Address;
        let everything = declared.has(Location::EVERYTHING);
        match first {
            at if at >= self.memory.limit() => {
                let number = (at - self.memory.limit()) / self.shared.limits.stack_words;
                let is_fine = number == self.current() || everything || self.starts(number, declared);
                (!is_fine).then(|| "the stack of another thread".to_owned())
            }
            at if at >= declared.top => None,
            at if at >= HEAP && everything && declared.touches.may_be_outside() => None,
            at if at >= HEAP => self.undeclared_in_object(access, declared),
            _ if everything => None,
            _ => (first..=last).find_map(|at| self.undeclared_word(at, access.writes, declared, answer)),
        }
    }

    /// Whether a thread is one that a native method with this footprint has started.
    fn starts(&self, number: u32, declared: &Declared) -> bool {
        let object = self.thread_word(number, thread::OBJECT);
        let starts = |touch: &MemoryAccess| touch.location.object == object && touch.access == AccessKind::AtomicWrite;
        object != 0 && declared.footprint.iter().any(starts)
    }

    /// The same for a word of the machine's tables.
    fn undeclared_word(&self, at: Address, writes: bool, declared: &Declared, answer: &Answer) -> Option<String> {
        let covers = |object: Address| {
            let names = |touch: &MemoryAccess| {
                touch.location == Location { object, cell: 0 } && !(writes && touch.access.is_read())
            };
            declared.footprint.iter().any(names)
        };
        match at {
            THREADS..CLASSES => {
                let (number, word) = ((at - THREADS) / THREAD_WORDS, (at - THREADS) % THREAD_WORDS);
                let is_fine = covers(at - word) || self.is_fine_in_thread(number, word, writes, declared);
                (!is_fine).then(|| format!("word {word} of the record of thread {number}, not the running one's"))
            }
            CLASSES..STRINGS => {
                let (number, word) = ((at - CLASSES) / CLASS_WORDS, (at - CLASSES) % CLASS_WORDS);
                let asks = matches!(answer, Err(Trap::Initialize(_)));
                let state = self.memory.load(at - word + class::STATE);
                let is_own = self.memory.load(at - word + class::OWNER) == self.current() + 1;
                let is_fine = match word {
                    class::MIRROR | class::STATICS => true,
                    class::STATE if writes => {
                        state == init::LINKED || self.program.class(ClassId(number)).initializer.is_none()
                    }
                    class::STATE if state < init::LINKED => true,
                    class::STATE | class::OWNER => asks || is_own || state == init::DONE,
                    _ => false,
                };
                let name = || self.program.class(ClassId(number)).external_name();
                (!is_fine && !covers(at - word)).then(|| format!("word {word} of the record of class {}", name()))
            }
            STRINGS..SITES | LOADERS.. | COUNTER | THREAD_END | OBSERVED => None,
            at if at - CLOCK < 2 => (!declared.has(Location::CLOCK)).then(|| "the clock".to_owned()),
            GLOBALS.. => Some(format!("the global word {}", at - GLOBALS)),
            SITES.. => Some(format!("the dynamic site {}", (at - SITES) / SITE_WORDS)),
            _ => Some(format!("word {at}")),
        }
    }

    /// Whether a word of a thread's record needs no mention.
    fn is_fine_in_thread(&self, number: u32, word: u32, writes: bool, declared: &Declared) -> bool {
        let monitors = declared
            .footprint
            .iter()
            .filter(|touch| touch.location.cell == Location::MONITOR);
        let mut monitors = monitors.map(|touch| touch.location.object).peekable();
        let has_monitor = monitors.peek().is_some();
        let is_looked_at = matches!(word, thread::STATUS | thread::BLOCKER | thread::WAKE);
        let blocker = self.thread_word(number, thread::BLOCKER);
        match () {
            () if self.starts(number, declared) => true,
            () if number == self.current() => !matches!(word, thread::PERMIT | thread::WAKE) || has_monitor,
            () if !writes && is_looked_at && has_monitor => true,
            () if monitors.any(|object| object == blocker) => true,
            () => !writes && word == thread::STATUS && self.starts_any(declared),
        }
    }

    /// Whether a footprint is that of the start of a thread.
    fn starts_any(&self, declared: &Declared) -> bool {
        declared.footprint.iter().any(|touch| {
            touch.location.object >= HEAP
                && touch.access == AccessKind::AtomicWrite
                && touch.location.cell == Location::WHOLE
                && self
                    .program
                    .is_subclass(self.class_of(touch.location.object), self.known.thread)
        })
    }

    /// The same for some bytes of an object.
    fn undeclared_in_object(&self, access: Accessed, declared: &Declared) -> Option<String> {
        let first = (access.from / 4) as Address;
        let Some(object) = self.memory.recorder.start_of(first) else {
            return Some(format!("word {first}, which is no object's"));
        };
        let class = self.class_of(object);
        let of = self.program.class(class);
        let named = |what: String| Some(format!("{what} of an object of class {}", of.external_name()));
        let header = if of.is_array() {
            ARRAY_HEADER_WORDS
        } else {
            HEADER_WORDS
        };
        let covers = |cell: u32| {
            declared.footprint.iter().any(|touch| {
                touch.location.object == object
                    && (touch.location.cell == cell
                        || touch.location.cell == Location::WHOLE && cell != Location::MONITOR)
                    && !(access.writes && touch.access.is_read())
            })
        };
        let word = first - object;
        if class == self.known.monitor {
            let belongs = |touch: &MemoryAccess| {
                matches!(touch.location.cell, Location::MONITOR | LOCK)
                    && touch.location.object >= HEAP
                    && self.memory.load(touch.location.object + LOCK) == object | INFLATED
            };
            let is_drawn = word == monitor::HASH && !access.writes && self.memory.load(first) != 0;
            let is_ordered = !access.writes && declared.has(Location::EVERYTHING);
            let is_fine = is_drawn || is_ordered || declared.footprint.iter().any(belongs);
            return if is_fine { None } else { named(format!("word {word}")) };
        }
        if word < header {
            let is_fine = match word {
                0 => true,
                LOCK if !access.writes && self.memory.load(first) & INFLATED != 0 => true,
                LOCK => {
                    covers(LOCK) || covers(Location::MONITOR) || !access.writes && declared.has(Location::EVERYTHING)
                }
                _ => !access.writes,
            };
            return if is_fine {
                None
            } else {
                named(format!("header word {word}"))
            };
        }
        let from = access.from - u64::from(object) * 4;
        let cells = self.cells_over(object, from, access.bytes);
        if of.is_array() {
            let index = cells.map(|cell| cell - header).find(|index| !covers(header + index))?;
            return named(format!("element {index}"));
        }
        let is_upper = |cell: u32| of.wides.binary_search(&cell.wrapping_sub(1)).is_ok();
        let mut fields = cells.filter(|&cell| !is_upper(cell));
        let cell =
            fields.find(|&cell| !covers(cell) && !self.needs_no_declaration(object, cell, access.writes, declared))?;
        named(self.variable_name((class, cell)))
    }

    /// Whether a field never changes, or what it holds is nobody's business.
    fn needs_no_declaration(&self, object: Address, cell: u32, writes: bool, declared: &Declared) -> bool {
        let (class, known) = (self.class_of(object), &self.known);
        if class == known.class {
            return !writes || cell == known.class_name || Some(cell) == known.class_package;
        }
        if class == known.string {
            return !writes || cell == known.string_hash || cell == known.string_hash_is_zero;
        }
        let Some((owner, name)) = self.field_at(class, cell) else {
            return false;
        };
        match (&*self.program.class(owner).name, name) {
            ("java/lang/Thread" | "java/lang/Thread$FieldHolder", "threadStatus") => true,
            ("java/lang/Thread", "interrupted") => !self.semantics.interrupts,
            ("java/lang/Thread", "eetop") => {
                let number = self.memory.load(object + cell);
                let object = thread_record(number.wrapping_sub(1).min(MAX_THREADS));
                !writes && (declared.has(Location { object, cell: 0 }) || declared.has(Location::EVERYTHING))
            }
            ("java/lang/ClassLoader", "$loader") => true,
            (
                "java/lang/reflect/Field" | "java/lang/reflect/Method" | "java/lang/reflect/Constructor",
                "clazz" | "slot" | "name" | "type",
            )
            | ("java/lang/invoke/ResolvedMethodName", _) => !writes,
            _ => !writes && self.is_final_of_jdk(owner, class, cell),
        }
    }

    fn is_final_of_jdk(&self, owner: ClassId, class: ClassId, cell: u32) -> bool {
        let is_static = matches!(self.program.class(class).kind, ClassKind::Statics(_));
        let here = self.program.class(owner);
        let mut fields = here.fields.iter().filter(|field| field.is_static() == is_static);
        let found = fields.find(|field| field.offset == cell);
        here.loader == LoaderId::BOOT && found.is_some_and(|field| field.flags & flags::FINAL != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_by_any_of_their_words() {
        let mut recorder = Recorder::default();
        for (address, words) in [(100, 28), (128, 300), (428, 2)] {
            recorder.enter(address, words);
        }
        let found = [100, 127, 128, 191, 400, 427, 428, 429].map(|address| recorder.start_of(address));
        let starts = [100, 100, 128, 128, 128, 128, 428, 428];
        assert_eq!(found, starts.map(Some));
        assert_eq!(recorder.start_of(99), None);
        // What was undone is not there any more when something else lies in its place.
        recorder.enter(100, 329);
        assert_eq!([128, 428].map(|address| recorder.start_of(address)), [Some(100); 2]);
    }

    #[test]
    fn only_what_happens_in_between_is_recorded() {
        let recorder = Recorder::default();
        recorder.read(1, 0, 4);
        recorder.on.set(true);
        recorder.read(2, 3, 1);
        recorder.read(2, 3, 1);
        recorder.written(2, 0, 8);
        recorder.on.set(false);
        recorder.written(3, 0, 4);
        let kept = recorder.accesses.take();
        let kept: Vec<_> = kept.iter().map(|one| (one.from, one.bytes, one.writes)).collect();
        let expected = if cfg!(debug_assertions) {
            vec![(11, 1, false), (8, 8, true)]
        } else {
            Vec::new()
        };
        assert_eq!(kept, expected);
    }
}
