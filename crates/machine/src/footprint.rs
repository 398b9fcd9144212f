//! What the next step of a thread touches, read off the operands of its next instruction.

use crate::layout::{LOCK, OWNER_BITS, OWNER_MASK, class, class_record, frame, init, status, thread, thread_record};
use crate::link;
use crate::machine::Machine;
use crate::memory::Address;
use crate::native::Touches;
use crate::special;
use crate::system::Action;
use crate::transitions::Next;
use kernel::{AccessKind, Location, Transitions};
use program::ir::Instr;
use program::world::{ARRAY_HEADER_WORDS, ClassId, Method};

impl Machine<'_> {
    /// Adds what the next step of a thread, which executes `next` unless it waits, touches to the action that was added last:
    /// nothing for a thread that has yet to reach an instruction that others may see.
    pub(crate) fn footprint(&mut self, number: u32, next: Option<Next>, out: &mut Transitions<Action>) {
        if self.semantics.watches_threads {
            out.touch(Location::EVERYTHING, AccessKind::AtomicWrite);
        }
        let blocker = self.thread_word(number, thread::BLOCKER);
        match self.thread_word(number, thread::STATUS) {
            status::BLOCKED => return out.touch(monitor(blocker), AccessKind::Acquire),
            status::WAITING | status::REACQUIRING => {
                out.touch(monitor(blocker), AccessKind::Acquire);
                out.touch(thread_location(number), AccessKind::AtomicWrite);
                // How the wait may end depends on whether these still wait.
                for other in self.passed_over(number) {
                    out.touch(thread_location(other), AccessKind::AtomicRead);
                }
                return self.interrupt_footprint(number, out);
            }
            status::PARKED => return out.touch(thread_location(number), AccessKind::AtomicWrite),
            // Who is interrupted in his sleep forgets that he was.
            status::SLEEPING => {
                out.touch(thread_location(number), AccessKind::AtomicWrite);
                return self.interrupt_footprint(number, out);
            }
            status::INITIALIZING => return out.touch(class_location(ClassId(blocker)), AccessKind::AtomicRead),
            status::ENDING => return out.touch(Location::EVERYTHING, AccessKind::AtomicWrite),
            _ => {}
        }
        if self.thread_word(number, thread::READY) != 0
            && let Some(next) = next
        {
            self.instruction_footprint(number, next, out);
        }
    }

    pub(crate) fn instruction_footprint(&mut self, number: u32, next: Next, out: &mut Transitions<Action>) {
        let Next {
            method,
            code,
            instr,
            fp,
        } = next;
        let register = |reg: u16| self.memory.load(fp + frame::REGISTERS + u32::from(reg));
        let access = |link: u64, write: bool| match (link::is_volatile(link), write) {
            (false, false) => AccessKind::Read,
            (false, true) => AccessKind::Write,
            (true, false) => AccessKind::AtomicRead,
            (true, true) => AccessKind::AtomicWrite,
        };
        let link = |site: u32| code.fields[site as usize].link.get();
        let mut field = |o: u16, site: u32, write: bool| {
            let link = link(site);
            if link == 0 {
                // Only where every instruction is a step can one come up that was never linked.
                return out.touch(Location::EVERYTHING, AccessKind::AtomicWrite);
            }
            let location = Location {
                object: register(o),
                cell: link as u32,
            };
            // What raises an exception instead touches nothing.
            if location.object != 0 {
                out.touch(location, access(link, write));
            }
        };
        let element = |o: u16, i: u16| {
            let (array, index) = (register(o), register(i));
            let location = Location {
                object: array,
                cell: ARRAY_HEADER_WORDS.wrapping_add(index),
            };
            (array != 0 && index < self.array_length(array)).then_some(location)
        };
        match instr {
            Instr::GetField { o, site, .. } | Instr::GetFieldNarrow { o, site, .. } => {
                field(o, site, false);
            }
            Instr::GetFieldWide { o, site, .. } => {
                field(o, site, false);
                let object = register(o);
                if link(site) as u32 == self.known.thread_eetop
                    && object != 0
                    && self.is_thread(self.program.class(self.class_of(object)))
                {
                    self.note_alive(number, object);
                }
            }
            Instr::PutField { o, site, .. }
            | Instr::PutFieldWide { o, site, .. }
            | Instr::PutFieldNarrow { o, site, .. } => {
                field(o, site, true);
            }
            Instr::GetStatic { site, .. } | Instr::GetStaticWide { site, .. } | Instr::GetStaticNarrow { site, .. } => {
                self.static_footprint(number, link(site), false, out);
            }
            Instr::PutStatic { site, .. } | Instr::PutStaticWide { site, .. } | Instr::PutStaticNarrow { site, .. } => {
                self.static_footprint(number, link(site), true, out);
            }
            Instr::ArrayGet { o, i, .. }
            | Instr::ArrayGetByte { o, i, .. }
            | Instr::ArrayGetChar { o, i, .. }
            | Instr::ArrayGetShort { o, i, .. }
            | Instr::ArrayGetWide { o, i, .. } => {
                if let Some(location) = element(o, i) {
                    out.touch(location, AccessKind::Read);
                }
            }
            Instr::ArrayPut { o, i, .. }
            | Instr::ArrayPutRef { o, i, .. }
            | Instr::ArrayPutByte { o, i, .. }
            | Instr::ArrayPutShort { o, i, .. }
            | Instr::ArrayPutWide { o, i, .. } => {
                if let Some(location) = element(o, i) {
                    out.touch(location, AccessKind::Write);
                }
            }
            // A monitor that is held more than once stays so for everybody else.
            Instr::MonitorEnter { o } | Instr::MonitorExit { o } if self.keeps_monitor(number, register(o), instr) => {}
            Instr::MonitorEnter { o } => out.touch(monitor(register(o)), AccessKind::Acquire),
            Instr::MonitorExit { o } => out.touch(monitor(register(o)), AccessKind::Release),
            Instr::Special { op, a, .. } => match op {
                special::NATIVE => self.native_footprint(number, fp, method, out),
                // A class that is initialised stays so.
                special::INIT_BEGIN
                    if self.memory.load(class_record(ClassId(register(a))) + class::STATE) == init::DONE => {}
                special::INIT_BEGIN | special::INIT_DONE | special::INIT_FAILED | special::INIT_SUPERS => {
                    out.touch(class_location(ClassId(register(a))), AccessKind::AtomicWrite);
                }
                // To end, a thread takes its own monitor for a moment, and tells whoever waits there. That is so for the main
                // thread as well, which then waits until only daemon threads are left.
                special::THREAD_END | special::AWAIT_OTHERS => {
                    let object = register(a);
                    out.touch(monitor(object), AccessKind::Acquire);
                    self.wait_set(object, out);
                    self.whole_footprint(object, AccessKind::AtomicWrite, out);
                    if self.semantics.counts_threads {
                        out.touch(Location::EVERYTHING, AccessKind::AtomicWrite);
                    }
                }
                special::HALT => out.touch(Location::EVERYTHING, AccessKind::AtomicWrite),
                special::INIT_CLINIT | special::UNCAUGHT => {}
                _ => out.touch(Location::EVERYTHING, AccessKind::AtomicWrite),
            },
            _ => {}
        }
    }

    fn static_footprint(&mut self, number: u32, link: u64, write: bool, out: &mut Transitions<Action>) {
        if link == 0 {
            return out.touch(Location::EVERYTHING, AccessKind::AtomicWrite);
        }
        let of = link::owner(link);
        let record = class_record(of);
        if self.memory.load(record + class::STATE) != init::DONE {
            out.touch(class_location(of), AccessKind::AtomicRead);
            if self.memory.load(record + class::OWNER) != number + 1 {
                // The class comes first; the field is accessed in a later step.
                return;
            }
        }
        let access = match (link::is_volatile(link), write) {
            (false, false) => AccessKind::Read,
            (false, true) => AccessKind::Write,
            (true, false) => AccessKind::AtomicRead,
            (true, true) => AccessKind::AtomicWrite,
        };
        let location = Location {
            object: self.memory.load(record + class::STATICS),
            cell: link as u32,
        };
        if !(link::is_constant(link) && location.object < self.memory.image_end()) {
            out.touch(location, access);
        }
    }

    /// What a native method touches: the library says so, and everything where it does not know.
    pub(crate) fn native_footprint(
        &mut self,
        number: u32,
        fp: Address,
        method: &Method,
        out: &mut Transitions<Action>,
    ) {
        let touches = self.bind(method).map_or(Touches::Unknown, |bound| bound.touches);
        self.touches_footprint(number, fp, (method, touches), out);
    }

    fn touches_footprint(
        &mut self,
        number: u32,
        fp: Address,
        (method, touches): (&Method, Touches),
        out: &mut Transitions<Action>,
    ) {
        let register = |position: u32| self.memory.load(fp + frame::REGISTERS + position);
        match touches {
            Touches::Nothing => {}
            Touches::Several(all) => {
                for &one in all {
                    self.touches_footprint(number, fp, (method, one), out);
                }
            }
            // Without an object, the offset is an address outside of the heap.
            Touches::Cell { object, .. } | Touches::Swap { object, .. } if register(object) == 0 => {
                self.note_outside();
                out.touch(Location::EVERYTHING, AccessKind::AtomicWrite);
            }
            Touches::Swap {
                object,
                offset,
                bytes,
                expected,
            } => {
                let (object, offset) = (register(object), register(offset));
                let value = u64::from(register(expected)) | u64::from(register(expected + 1)) << 32;
                let access = match self.cell_at(object, offset, bytes) {
                    Some(_) if self.bytes_at(object, offset, bytes) != value & mask(bytes) => AccessKind::AtomicRead,
                    _ => AccessKind::AtomicWrite,
                };
                self.note_mode(number, method, fp);
                self.touch_bytes(object, offset, bytes, access, out);
            }
            Touches::Cell {
                object,
                offset,
                bytes,
                access,
            } => {
                let (object, offset) = (register(object), register(offset));
                let access = match access {
                    AccessKind::Read if self.begins_update(method, fp) => AccessKind::AtomicRead,
                    _ => access,
                };
                if !access.is_plain() {
                    self.note_mode(number, method, fp);
                }
                self.touch_bytes(object, offset, bytes, access, out);
            }
            Touches::Object { object, access } => {
                if self.semantics.counts_threads && access == AccessKind::AtomicWrite {
                    // It may be that a thread is started.
                    out.touch(Location::EVERYTHING, AccessKind::AtomicWrite);
                }
                let object = register(object);
                if object != 0 {
                    self.whole_footprint(object, access, out);
                }
            }
            Touches::Field { .. }
            | Touches::Element { .. }
            | Touches::Elements { .. }
            | Touches::Bytes { .. }
            | Touches::Copy
            | Touches::Behind { .. }
            | Touches::Pointees { .. } => {
                let mut extents = Vec::new();
                if !self.add_extents(fp, touches, &mut extents) {
                    // Bytes outside of the heap.
                    out.touch(Location::EVERYTHING, AccessKind::AtomicWrite);
                }
                for extent in extents {
                    extent
                        .locations()
                        .for_each(|location| out.touch(location, extent.access));
                }
            }
            // What is drawn stays.
            Touches::Hash { object } if self.has_hash(register(object)) => {}
            Touches::Hash { object } => {
                let location = Location {
                    object: register(object),
                    cell: LOCK,
                };
                out.touch(location, AccessKind::AtomicWrite);
            }
            Touches::Monitor { object, access } => {
                let object = register(object);
                out.touch(monitor(object), access);
                if access == AccessKind::Release {
                    self.wait_set(object, out);
                }
            }
            Touches::Wait { object, limit } => {
                out.touch(monitor(register(object)), AccessKind::Release);
                self.note_wait(number);
                self.limit_footprint(number, fp, limit, out);
                if self.semantics.interrupts {
                    out.touch(thread_location(number), AccessKind::AtomicWrite);
                    self.interrupt_footprint(number, out);
                }
            }
            Touches::Thread { object, interrupts } => {
                let object = register(object);
                match if object == 0 { None } else { self.thread_of(object) } {
                    Some(number) => {
                        out.touch(thread_location(number), AccessKind::AtomicWrite);
                        if interrupts {
                            self.interrupt_footprint(number, out);
                        }
                    }
                    None if object == 0 => {}
                    // To one that does not run nothing happens; its start and its end touch all of it.
                    None => out.touch(
                        Location {
                            object,
                            cell: self.known.thread_eetop,
                        },
                        AccessKind::AtomicRead,
                    ),
                }
            }
            Touches::Self_ { limit } => {
                if method.class != self.known.thread {
                    self.note_park(number);
                }
                self.limit_footprint(number, fp, limit, out);
                out.touch(thread_location(number), AccessKind::AtomicWrite);
                self.interrupt_footprint(number, out);
            }
            Touches::Clock => out.touch(Location::CLOCK, AccessKind::AtomicRead),
            Touches::Class { object } => {
                let mirror = register(object);
                if mirror != 0 {
                    let of = self.mirrored(mirror);
                    if self.memory.load(class_record(of) + class::STATE) != init::DONE {
                        out.touch(class_location(of), AccessKind::AtomicRead);
                    }
                }
            }
            Touches::Everything | Touches::Unknown => out.touch(Location::EVERYTHING, AccessKind::AtomicWrite),
        }
    }

    /// All of an object; of a thread, also what newer JDKs keep in a second object: `start` and the end set its status there.
    fn whole_footprint(&self, object: Address, access: AccessKind, out: &mut Transitions<Action>) {
        let cell = Location::WHOLE;
        out.touch(Location { object, cell }, access);
        if object != 0
            && self.program.is_subclass(self.class_of(object), self.known.thread)
            && let Some(object) = self.holder(object)
        {
            out.touch(Location { object, cell }, access);
        }
    }

    /// The cell of an object that has just these bytes; `None` if they are none that a field or an element has for itself.
    fn cell_at(&self, object: Address, offset: u32, bytes: u32) -> Option<u32> {
        let described = self.program.class(self.class_of(object));
        if described.is_array() {
            let from = offset.checked_sub(ARRAY_HEADER_WORDS * 4)?;
            let index = from >> described.element_shift;
            let is_one = bytes == 1 << described.element_shift && from.is_multiple_of(bytes);
            return (is_one && index < self.array_length(object)).then(|| ARRAY_HEADER_WORDS + index);
        }
        let word = offset / 4;
        let is_wide = |word: u32| described.wides.binary_search(&word).is_ok();
        let is_one = match bytes {
            8 => offset.is_multiple_of(4) && is_wide(word),
            _ => offset % 4 + bytes <= 4 && !is_wide(word) && !is_wide(word.wrapping_sub(1)),
        };
        (is_one && word < described.words).then_some(word)
    }

    /// Adds an access to some bytes of an object to the action that was added last: to each cell that has some of them, so that races
    /// with accesses to one of them are seen.
    fn touch_bytes(&self, object: Address, offset: u32, bytes: u32, access: AccessKind, out: &mut Transitions<Action>) {
        if let Some(cell) = self.cell_at(object, offset, bytes) {
            return out.touch(Location { object, cell }, access);
        }
        let cells = self.cells_over(object, offset.into(), bytes.into());
        if cells.is_empty() {
            out.touch(Location::EVERYTHING, AccessKind::AtomicWrite);
        }
        cells.for_each(|cell| out.touch(Location { object, cell }, access));
    }

    /// Up to eight bytes of an object.
    fn bytes_at(&self, object: Address, offset: u32, bytes: u32) -> u64 {
        let bytes = self.memory.bytes(object, offset as usize, bytes as usize);
        bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    /// Whether an access to bytes that no cell has for itself is one of which nobody but its thread knows what it orders.
    pub(crate) fn is_odd(&self, fp: Address, touches: Touches) -> bool {
        let register = |position: u32| self.memory.load(fp + frame::REGISTERS + position);
        let (object, offset, bytes) = match touches {
            Touches::Swap {
                object, offset, bytes, ..
            } => (object, offset, bytes),
            Touches::Cell {
                object,
                offset,
                bytes,
                access,
            } if !access.is_plain() => (object, offset, bytes),
            _ => return false,
        };
        let object = register(object);
        let has_cells = || {
            let offset = register(offset);
            self.cell_at(object, offset, bytes).is_some()
                || !self.cells_over(object, offset.into(), bytes.into()).is_empty()
        };
        object != 0 && !has_cells()
    }

    /// Who begins to wait looks at the clock if there is a time limit, two words at this position.
    fn limit_footprint(&self, number: u32, fp: Address, position: u32, out: &mut Transitions<Action>) {
        let begins = self.thread_word(number, thread::PHASE) == 0;
        if begins && self.memory.load_wide(fp + frame::REGISTERS + position) != 0 {
            out.touch(Location::CLOCK, AccessKind::AtomicRead);
        }
    }

    /// Whoever parks, sleeps or waits looks whether it was interrupted, and may forget it; whoever interrupts looks at it, too.
    fn interrupt_footprint(&mut self, number: u32, out: &mut Transitions<Action>) {
        let object = self.thread_word(number, thread::OBJECT);
        if self.semantics.interrupts && object != 0 {
            let cell = self.known.thread_interrupted;
            let access = match self.is_interrupted(number) {
                true => AccessKind::AtomicWrite,
                false => AccessKind::AtomicRead,
            };
            out.touch(Location { object, cell }, access);
        }
    }

    /// Who waits at a monitor is touched by whoever notifies them, if they could also go by themselves, or are about to.
    fn wait_set(&self, object: Address, out: &mut Transitions<Action>) {
        for waiter in self.waiters(object) {
            let timed = self.memory.load_wide(thread_record(waiter) + thread::DEADLINE) != 0
                || self.thread_word(waiter, thread::STATUS) == status::REACQUIRING;
            if timed || self.semantics.spurious || self.semantics.interrupts {
                out.touch(thread_location(waiter), AccessKind::AtomicWrite);
            }
        }
    }

    /// Whether a thread has a monitor before and after its next instruction, which enters or leaves it.
    fn keeps_monitor(&self, number: u32, object: Address, instr: Instr) -> bool {
        if object == 0 {
            return false;
        }
        let lock = self.memory.load(self.lock_cell(object));
        let fewest = match instr {
            Instr::MonitorExit { .. } => 2,
            _ => 1,
        };
        lock & OWNER_MASK == number + 1 && lock >> OWNER_BITS >= fewest
    }
}

/// The bits of so many bytes.
fn mask(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

fn monitor(object: Address) -> Location {
    Location {
        object,
        cell: Location::MONITOR,
    }
}

/// A thread's status and permit.
fn thread_location(number: u32) -> Location {
    Location {
        object: thread_record(number),
        cell: 0,
    }
}

/// The initialisation state of a class.
fn class_location(of: ClassId) -> Location {
    Location {
        object: class_record(of),
        cell: 0,
    }
}
