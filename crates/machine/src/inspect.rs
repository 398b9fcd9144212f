//! A state in words that a reader of Java understands: who waits for what, what a thread is about to touch, its stack.
//! For reports; nothing here changes anything.

use crate::deadlock::SYNCHRONIZERS;
use crate::heap::ARRAY_BASE;
use crate::layout::{OWNER_MASK, class, class_record, frame, init, status, thread, thread_record};
use crate::link;
use crate::machine::Machine;
use crate::memory::Address;
use crate::special;
use crate::transitions::Next;
use program::descriptor::Kind;
use program::ir::Instr;
use program::world::{ARRAY_HEADER_WORDS, ClassId, ClassKind, LoaderId, MethodId};

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nothing.
    Nothing,
    /// A monitor that another thread has; after `Object.wait` if `again`.
    Monitor {
        /// The object.
        object: Address,
        /// Who has it.
        owner: Option<u32>,
        /// Whether it had it before.
        again: bool,
    },
    /// To be notified.
    Notice {
        /// The object.
        object: Address,
        /// Whether it will stop waiting by itself.
        timed: bool,
    },
    /// A lock of `java.util.concurrent`.
    Lock {
        /// The lock's synchronizer.
        object: Address,
        /// Who has it, if it has an owner.
        owner: Option<u32>,
        /// Who can end the wait.
        end: EndedBy,
    },
    /// A permit to go on, because of this object (or null).
    Permit {
        /// What `LockSupport` was told.
        object: Address,
        /// Whether it will stop waiting by itself.
        timed: bool,
    },
    /// Time to pass.
    Sleep,
    /// A class that another thread initialises.
    Class {
        /// The class.
        of: ClassId,
        /// Who is at it.
        owner: u32,
    },
    /// All other threads to end.
    Others,
}

/// Who can end the wait for a synchronizer that has an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// The owner, who gives it up.
    Owner,
    /// The owner, or whoever interrupts the thread.
    Interrupt,
    /// Whoever unparks or interrupts the thread.
    Anyone,
    /// Time.
    Time,
}

/// A cell of the heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The object; the holder of a class's static fields for those.
    pub object: Address,
    /// Where its value lies.
    pub at: Address,
    /// Byte within the words at `at`.
    pub byte: usize,
    /// What kind of value it holds.
    pub kind: Kind,
    /// What it is called.
    pub name: CellName,
}

/// What a cell is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellName {
    /// A static field: its class and name.
    Static(String, String),
    /// A field: the class that declares it, and its name.
    Field(String, String),
    /// An element of an array.
    Element(u32),
}

/// What a thread is about to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Nothing that others see.
    Inside,
    /// Read or write a cell.
    Access {
        /// The cell.
        cell: Cell,
        /// Whether it may be written.
        writes: bool,
    },
    /// Take a monitor.
    Enter(Address),
    /// Give a monitor back.
    Exit(Address),
    /// Begin to initialise a class, or see that it is.
    Initialize(ClassId),
    /// Call a native method with these first argument words.
    Native(MethodId, [u32; 4]),
    /// Hand an uncaught exception over.
    Uncaught(Address),
    /// End.
    End,
}

/// A frame of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The method, if it is known.
    pub method: Option<MethodId>,
    /// Its class, as Java writes it.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its source file; empty if unknown.
    pub file: String,
    /// The line; 0 if unknown.
    pub line: u32,
    /// Whether it is the program's own code.
    pub users: bool,
    /// Whether it is a native method.
    pub native: bool,
}

impl Machine<'_> {
    /// What a thread waits for now.
    pub fn wait_of(&mut self, number: u32) -> Wait {
        let blocker = self.thread_word(number, thread::BLOCKER);
        let timed = self.memory.load_wide(thread_record(number) + thread::DEADLINE) != 0;
        match self.thread_word(number, thread::STATUS) {
            status::RUNNABLE if self.thread_word(number, thread::READY) != 0 => {
                let Some(next) = self.next_instruction(number) else {
                    return Wait::Nothing;
                };
                if let Some(object) = self.monitor_wanted(number, next) {
                    return self.monitor_wait(number, object, false);
                }
                match self.class_wanted(next) {
                    Some(of) => self.class_wait(number, of),
                    None => Wait::Nothing,
                }
            }
            status::BLOCKED => self.monitor_wait(number, blocker, false),
            status::REACQUIRING => self.monitor_wait(number, blocker, true),
            status::WAITING => Wait::Notice { object: blocker, timed },
            status::PARKED => self.park_wait(number, timed),
            status::SLEEPING => Wait::Sleep,
            status::INITIALIZING => self.class_wait(number, ClassId(blocker)),
            status::ENDING => Wait::Others,
            _ => Wait::Nothing,
        }
    }

    fn monitor_wait(&self, number: u32, object: Address, again: bool) -> Wait {
        if self.can_enter(object, number) {
            return Wait::Nothing;
        }
        let owner = (self.memory.load(self.lock_cell(object)) & OWNER_MASK).checked_sub(1);
        Wait::Monitor { object, owner, again }
    }

    fn class_wait(&self, number: u32, of: ClassId) -> Wait {
        let record = class_record(of);
        match self.memory.load(record + class::OWNER).checked_sub(1) {
            Some(owner) if owner != number && self.memory.load(record + class::STATE) == init::RUNNING => {
                Wait::Class { of, owner }
            }
            _ => Wait::Nothing,
        }
    }

    fn park_wait(&mut self, number: u32, timed: bool) -> Wait {
        const OWNABLE: &str = "java/util/concurrent/locks/AbstractOwnableSynchronizer";
        let thread_object = self.thread_word(number, thread::OBJECT);
        let object = match self.find_offset("java/lang/Thread", "parkBlocker") {
            Some(offset) => self.memory.load(thread_object + offset),
            None => 0,
        };
        let ownable = self.program.loaded(LoaderId::BOOT, OWNABLE);
        match (ownable, self.find_offset(OWNABLE, "exclusiveOwnerThread")) {
            (Some(ownable), Some(offset))
                if object != 0 && self.program.is_subclass(self.class_of(object), ownable) =>
            {
                let owner = match self.memory.load(object + offset) {
                    0 => None,
                    owner => self.thread_of(owner),
                };
                let end = match self.acquires(number, object) {
                    _ if timed => EndedBy::Time,
                    Some(false) => EndedBy::Owner,
                    Some(true) => EndedBy::Interrupt,
                    None => EndedBy::Anyone,
                };
                Wait::Lock { object, owner, end }
            }
            _ => Wait::Permit { object, timed },
        }
    }

    /// Whether a thread waits in an interruptible way, if it is acquiring a synchronizer of one of the JDK's own locks.
    fn acquires(&self, number: u32, object: Address) -> Option<bool> {
        // Node, argument, shared, interruptible, timed, time: the synchronizer itself is in register 0. In newer JDKs the argument of a
        // read-write lock is a long, and takes two registers.
        const ACQUIRE: [(&str, &str, u32); 2] = [
            (
                "java/util/concurrent/locks/AbstractQueuedSynchronizer",
                "(Ljava/util/concurrent/locks/AbstractQueuedSynchronizer$Node;IZZZJ)I",
                4,
            ),
            (
                "java/util/concurrent/locks/AbstractQueuedLongSynchronizer",
                "(Ljava/util/concurrent/locks/AbstractQueuedLongSynchronizer$Node;JZZZJ)I",
                5,
            ),
        ];
        if !SYNCHRONIZERS.contains(&&*self.program.class(self.class_of(object)).name) {
            return None;
        }
        let mut at = self.top_frame(number);
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            let method = self.program.method(id);
            let class = self.program.class(method.class);
            let acquires = |(name, descriptor, _): &&(&str, &str, u32)| {
                class.loader == LoaderId::BOOT
                    && *class.name == **name
                    && &**self.program.text(method.name) == "acquire"
                    && &**self.program.text(method.descriptor) == *descriptor
            };
            if let Some((_, _, interruptible)) = ACQUIRE.iter().find(acquires) {
                let register = |register: u32| self.memory.load(at + frame::REGISTERS + register);
                return (register(0) == object).then(|| register(*interruptible) & 1 != 0);
            }
            at = caller;
        }
        None
    }

    /// What a thread is called.
    pub fn thread_name(&self, number: u32) -> String {
        match self.thread_word(number, thread::OBJECT) {
            0 => format!("thread {number}"),
            object => {
                let name = self.memory.load(object + self.known.thread_name);
                let name = self.text_or_null(name).unwrap_or_default();
                // Virtual threads have no name unless they are given one.
                if name.is_empty() {
                    format!("thread {number}")
                } else {
                    name
                }
            }
        }
    }

    /// Numbers of the threads that are alive.
    pub fn live_threads(&self) -> Vec<u32> {
        (0..=self.highest_thread())
            .filter(|&number| self.thread_word(number, thread::STATUS) != status::FREE)
            .collect()
    }

    /// The stack of a thread, topmost frame first; the machine's own methods are left out.
    pub fn frames(&self, number: u32) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut at = self.top_frame(number);
        while at != 0 {
            let (id, pc, caller) = self.frame_at(at);
            if self.program.method(id).index != u16::MAX {
                frames.push(self.frame(id, self.bci(id, pc)));
            }
            at = caller;
        }
        frames
    }

    /// A place in the code.
    pub fn frame(&self, id: MethodId, bci: u16) -> Frame {
        let method = self.program.method(id);
        let class = self.program.class(method.class);
        let source = method
            .info()
            .and_then(|(file, _)| file.source_file.map(|name| file.pool.text(name).to_owned()));
        Frame {
            method: Some(id),
            class: class.external_name(),
            name: self.program.text(method.name).to_string(),
            file: source.unwrap_or_default(),
            line: method.line(bci).map_or(0, u32::from),
            users: self.is_users(method),
            native: method.is_native(),
        }
    }

    /// What a thread is about to do.
    pub fn doing(&mut self, number: u32) -> Doing {
        if self.thread_word(number, thread::READY) == 0 {
            return Doing::Inside;
        }
        let Some(next) = self.next_instruction(number) else {
            return Doing::Inside;
        };
        let accessed = self.bytes_accessed(next);
        if let Some((object, byte, writes)) = accessed
            && let Some(cell) = self.cell(object, byte)
        {
            return Doing::Access { cell, writes };
        }
        let register = |reg: u16| self.memory.load(next.fp + frame::REGISTERS + u32::from(reg));
        match next.instr {
            Instr::MonitorEnter { o } => Doing::Enter(register(o)),
            Instr::MonitorExit { o } => Doing::Exit(register(o)),
            Instr::Special { op, a, b, .. } => self.doing_special(next.method.id, op, register(a), b, next.fp),
            _ => Doing::Inside,
        }
    }

    /// The object and the offset in bytes that an instruction accesses, and whether it writes there.
    pub(crate) fn bytes_accessed(&self, next: Next) -> Option<(Address, u32, bool)> {
        let Next { code, instr, fp, .. } = next;
        let register = |reg: u16| self.memory.load(fp + frame::REGISTERS + u32::from(reg));
        let field = |o: u16, site: u32, writes: bool| {
            let link = code.fields[site as usize].link.get();
            (register(o), (link as u32) * 4, writes)
        };
        let of_class = |site: u32, writes: bool| {
            let link = code.fields[site as usize].link.get();
            let statics = self.memory.load(class_record(link::owner(link)) + class::STATICS);
            (statics, (link as u32) * 4, writes)
        };
        let element = |o: u16, i: u16, shift: u32, writes: bool| {
            (register(o), ARRAY_BASE as u32 + (register(i) << shift), writes)
        };
        Some(match instr {
            Instr::GetField { o, site, .. }
            | Instr::GetFieldWide { o, site, .. }
            | Instr::GetFieldNarrow { o, site, .. } => field(o, site, false),
            Instr::PutField { o, site, .. }
            | Instr::PutFieldWide { o, site, .. }
            | Instr::PutFieldNarrow { o, site, .. } => field(o, site, true),
            Instr::GetStatic { site, .. } | Instr::GetStaticWide { site, .. } | Instr::GetStaticNarrow { site, .. } => {
                of_class(site, false)
            }
            Instr::PutStatic { site, .. } | Instr::PutStaticWide { site, .. } | Instr::PutStaticNarrow { site, .. } => {
                of_class(site, true)
            }
            Instr::ArrayGet { o, i, .. } => element(o, i, 2, false),
            Instr::ArrayGetByte { o, i, .. } => element(o, i, 0, false),
            Instr::ArrayGetChar { o, i, .. } | Instr::ArrayGetShort { o, i, .. } => element(o, i, 1, false),
            Instr::ArrayGetWide { o, i, .. } => element(o, i, 3, false),
            Instr::ArrayPut { o, i, .. } | Instr::ArrayPutRef { o, i, .. } => element(o, i, 2, true),
            Instr::ArrayPutByte { o, i, .. } => element(o, i, 0, true),
            Instr::ArrayPutShort { o, i, .. } => element(o, i, 1, true),
            Instr::ArrayPutWide { o, i, .. } => element(o, i, 3, true),
            Instr::Special {
                op: special::NATIVE, ..
            } => return self.bytes_of_unsafe(next),
            _ => return None,
        })
    }

    /// The same of a native method that accesses memory by offset.
    fn bytes_of_unsafe(&self, next: Next) -> Option<(Address, u32, bool)> {
        let register = |position: u32| self.memory.load(next.fp + frame::REGISTERS + position);
        if &*self.program.class(next.method.class).name != "jdk/internal/misc/Unsafe" || register(1) == 0 {
            return None;
        }
        let name = &**self.program.text(next.method.name);
        let writes = !name.starts_with("get") || name.starts_with("getAnd");
        let accesses = ["get", "put", "compareAnd"].iter().any(|verb| name.starts_with(verb));
        accesses.then(|| (register(1), register(2), writes))
    }

    fn doing_special(&self, method: MethodId, op: u16, a: u32, b: u16, fp: Address) -> Doing {
        let register = |position: u32| self.memory.load(fp + frame::REGISTERS + position);
        match op {
            special::NATIVE => Doing::Native(method, [register(0), register(1), register(2), register(3)]),
            special::INIT_BEGIN | special::INIT_SUPERS | special::INIT_DONE => Doing::Initialize(ClassId(a)),
            special::UNCAUGHT => Doing::Uncaught(register(b.into())),
            special::THREAD_END => Doing::End,
            _ => Doing::Inside,
        }
    }

    /// The cell at a byte offset of an object.
    pub fn cell(&self, object: Address, byte: u32) -> Option<Cell> {
        if object == 0 {
            return None;
        }
        let described = self.program.class(self.class_of(object));
        let make = |kind, at, byte, name| Cell {
            object,
            at,
            byte,
            kind,
            name,
        };
        if let ClassKind::Array(element) = described.kind {
            let kind = match self.program.class(element).kind {
                ClassKind::Primitive(Some(kind)) => kind,
                _ => Kind::Reference,
            };
            let offset = byte.checked_sub(ARRAY_BASE as u32)?;
            let name = CellName::Element(offset >> described.element_shift);
            let at = object + ARRAY_HEADER_WORDS + offset / 4;
            return Some(make(kind, at, (offset % 4) as usize, name));
        }
        let mut fields = self.program.fields_of(described.id);
        let (class, field) = fields.find(|(_, field)| field.offset == byte / 4)?;
        let (owner, name) = (class.external_name(), self.program.text(field.name).to_string());
        let name = match field.is_static() {
            true => CellName::Static(owner, name),
            false => CellName::Field(owner, name),
        };
        Some(make(field.kind, object + byte / 4, 0, name))
    }

    /// The reference field of this name that an object has.
    pub fn field_named(&self, object: Address, name: &str) -> Option<Cell> {
        let symbol = self.program.names.find(name)?;
        let mut fields = self.program.fields_of(self.class_of(object));
        let found = fields.find(|(_, field)| field.name == symbol && field.kind == Kind::Reference);
        self.cell(object, found?.1.offset * 4)
    }

    /// Class and name of the field that a thread is about to access.
    pub(crate) fn field_wanted(&mut self, number: u32) -> Option<(String, String)> {
        match self.doing(number) {
            Doing::Access { cell, .. } => match cell.name {
                CellName::Static(class, name) | CellName::Field(class, name) => Some((class, name)),
                CellName::Element(_) => None,
            },
            _ => None,
        }
    }

    /// The value of a cell, if it is no reference, as Java would write it.
    pub fn primitive_text(&self, cell: &Cell) -> Option<String> {
        let word = self.memory.load(cell.at);
        let byte = || self.memory.load_byte(cell.at, cell.byte);
        let short = || self.memory.load_short(cell.at, cell.byte);
        Some(match cell.kind {
            Kind::Boolean => (byte() & 1 != 0).to_string(),
            Kind::Byte => (byte() as i8).to_string(),
            Kind::Short => (short() as i16).to_string(),
            Kind::Char => match char::from_u32(short().into()).filter(|letter| !letter.is_control()) {
                Some(letter) => format!("'{letter}'"),
                None => format!("'\\u{:04x}'", short()),
            },
            Kind::Int => (word as i32).to_string(),
            Kind::Float => f32::from_bits(word).to_string(),
            Kind::Long => (self.memory.load_wide(cell.at) as i64).to_string(),
            Kind::Double => f64::from_bits(self.memory.load_wide(cell.at)).to_string(),
            Kind::Reference => return None,
        })
    }

    /// Where the one field of a boxed value lies, in bytes.
    pub fn offset_of_value(&self, class: ClassId) -> u32 {
        let fields = &self.program.class(class).fields;
        let value = fields.iter().find(|field| !field.is_static());
        value.map_or(0, |field| field.offset * 4)
    }

    /// The objects that hold the static fields of the program's classes.
    pub fn static_holders(&self) -> Vec<Address> {
        self.program
            .classes()
            .filter(|class| class.loader >= LoaderId::APP)
            .map(|class| self.memory.load(class_record(class.id) + class::STATICS))
            .filter(|&object| object != 0)
            .collect()
    }

    /// The exception that a thread is about to leave uncaught.
    pub fn uncaught(&mut self, number: u32) -> Option<Address> {
        match self.doing(number) {
            Doing::Uncaught(exception) => Some(exception),
            _ => None,
        }
    }
}
