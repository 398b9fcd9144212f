//! Writing a state down.
//!
//! The vector has three parts: the words of the start-up image that differ from it, the threads with their frames,
//! and the objects that are younger than the image. Objects are numbered in the order in which a traversal from the
//! first two parts meets them, so the vector does not depend on addresses; garbage is never met; dead registers are
//! left out. Equal vectors mean states that are equal up to the names of objects.
//!
//! A reference is written as the address of an object of the image, or as [`YOUNG`] plus the number of a younger one.
//! Left out on purpose, because no program can tell: cached hash codes of strings, the table of interned strings
//! (decoding enters those it meets), and class objects that hold nothing of their own.

use crate::frames::RETRY;
use crate::known::monitor;
use crate::layout::{
    self, CLASS_MASK, CLASS_WORDS, CLASSES, GLOBALS, HEAP, INFLATED, LOCK, SITE_WORDS, SITES, STRINGS, THREADS, class,
    frame, status, thread, thread_record,
};
use crate::machine::Machine;
use crate::memory::Address;
use program::ir::{Code, RegisterKind};
use program::world::{ARRAY_HEADER_WORDS, ClassId, ClassKind};
use std::collections::HashMap;

/// Flag of a reference to an object that is younger than the image.
pub const YOUNG: u32 = 0x8000_0000;

/// Marks an object's lock word that is followed by the lock and the hash code of its monitor.
pub(crate) const HASHED: u32 = u32::MAX;

/// What the words of the image are: made once, when the image is frozen.
#[derive(Default)]
pub struct Roles {
    /// A bit for each word that holds a reference.
    pub(crate) references: Vec<u64>,
    /// A bit for each word that is the lock of an object.
    pub(crate) locks: Vec<u64>,
    /// A bit for each word that no program can see.
    silent: Vec<u64>,
}

pub(crate) fn bit(bits: &[u64], address: Address) -> bool {
    bits.get(address as usize / 64)
        .is_some_and(|word| word >> (address % 64) & 1 == 1)
}

fn set_bit(bits: &mut [u64], address: Address) {
    if let Some(word) = bits.get_mut(address as usize / 64) {
        *word |= 1 << (address % 64);
    }
}

/// Numbers the young objects that a traversal meets. Kept by its owner, so that encoding does not allocate.
#[derive(Default)]
pub struct Scratch {
    numbers: HashMap<Address, u32>,
    queue: Vec<Address>,
    touched: Vec<Address>,
}

impl Machine<'_> {
    /// Makes the present state the start-up image.
    pub fn freeze(&mut self) {
        self.memory.freeze();
        let end = self.memory.image_end();
        let words = end as usize / 64 + 1;
        let mut roles = Roles {
            references: vec![0; words],
            locks: vec![0; words],
            silent: vec![0; words],
        };
        for number in 0..layout::MAX_CLASSES {
            set_bit(&mut roles.references, CLASSES + number * CLASS_WORDS + class::MIRROR);
            set_bit(&mut roles.references, CLASSES + number * CLASS_WORDS + class::STATICS);
            set_bit(&mut roles.references, CLASSES + number * CLASS_WORDS + class::CAUSE);
        }
        for number in 0..layout::MAX_SITES {
            set_bit(&mut roles.references, SITES + number * SITE_WORDS + 1);
        }
        for at in GLOBALS + layout::FIRST_ROOT..HEAP {
            set_bit(&mut roles.references, at);
        }
        for at in THREADS..CLASSES {
            set_bit(&mut roles.silent, at);
        }
        for at in STRINGS..SITES {
            set_bit(&mut roles.silent, at);
        }
        let mut at = HEAP;
        while at < end {
            set_bit(&mut roles.locks, at + LOCK);
            self.each_reference(at, &mut |_, word| set_bit(&mut roles.references, word));
            for offset in self.caches(self.class_of(at)).into_iter().filter(|&offset| offset != 0) {
                set_bit(&mut roles.silent, at + offset);
            }
            at += self.object_words(at);
        }
        self.roles = roles;
    }

    /// Whether a word of the image holds a reference now, be it to a monitor.
    pub(crate) fn is_reference(&self, at: Address) -> bool {
        bit(&self.roles.references, at) || bit(&self.roles.locks, at) && self.memory.load(at) & INFLATED != 0
    }

    /// Goes back to the image, whatever has happened since.
    pub fn restart(&mut self) {
        self.memory.reset_to_image();
        self.current = 0;
        self.fp = 0;
        self.logged = 0;
        self.arrivals.clear();
        self.yielding = false;
    }

    /// Appends the canonical vector of the state to `out`.
    pub fn encode(&mut self, out: &mut Vec<u32>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.encode_with(&mut scratch, out);
        self.scratch = scratch;
    }

    fn encode_with(&mut self, scratch: &mut Scratch, out: &mut Vec<u32>) {
        scratch.numbers.clear();
        scratch.queue.clear();
        self.encode_image(scratch, out);
        self.encode_threads(scratch, out);
        let mut next = 0;
        while let Some(&object) = scratch.queue.get(next) {
            self.encode_object(object, scratch, out);
            next += 1;
        }
    }

    fn reference(&self, value: Address, scratch: &mut Scratch) -> u32 {
        if value < self.memory.image_end() {
            return value;
        }
        let fresh = scratch.numbers.len() as u32;
        let number = *scratch.numbers.entry(value).or_insert_with(|| {
            scratch.queue.push(value);
            fresh
        });
        YOUNG | number
    }

    fn encode_image(&mut self, scratch: &mut Scratch, out: &mut Vec<u32>) {
        scratch.touched.clear();
        scratch.touched.extend_from_slice(self.memory.touched());
        let start = out.len();
        out.push(0);
        let mut count = 0;
        for position in 0..scratch.touched.len() {
            let at = scratch.touched[position];
            let value = self.memory.load(at);
            if bit(&self.roles.silent, at) || value == self.memory.original(at) {
                continue;
            }
            if bit(&self.roles.locks, at) && value & INFLATED != 0 {
                let (lock, hash) = self.monitor_words(value);
                if hash == 0 && lock == self.memory.original(at) {
                    continue;
                }
                out.extend_from_slice(&[at, HASHED, lock, hash]);
                count += 1;
                continue;
            }
            let is_mirror = (CLASSES..STRINGS).contains(&at) && (at - CLASSES) % CLASS_WORDS == class::MIRROR;
            if is_mirror && self.is_plain_mirror(value) {
                continue;
            }
            let written = if bit(&self.roles.references, at) {
                self.reference(value, scratch)
            } else {
                value
            };
            out.extend_from_slice(&[at, written]);
            count += 1;
        }
        out[start] = count;
    }

    fn monitor_words(&self, lock: u32) -> (u32, u32) {
        let monitor = lock & !INFLATED;
        (
            self.memory.load(monitor + monitor::LOCK),
            self.memory.load(monitor + monitor::HASH),
        )
    }

    /// Whether a class object holds nothing that could not be made again.
    fn is_plain_mirror(&self, mirror: Address) -> bool {
        let own = [
            Some(self.known.class_component),
            Some(self.known.class_loader_field),
            self.known.class_module,
            Some(self.known.class_name),
            self.known.class_package,
        ];
        !self.program.class(self.mirrored(mirror)).given
            && self.memory.load(mirror + LOCK) == 0
            && self
                .program
                .class(self.known.class)
                .references
                .iter()
                .all(|&offset| own.contains(&Some(offset)) || self.memory.load(mirror + offset) == 0)
    }

    fn encode_threads(&mut self, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let start = out.len();
        out.push(0);
        let mut count = 0;
        for number in 0..=self.highest_thread() {
            let record = thread_record(number);
            let state = self.memory.load(record + thread::STATUS);
            if state == status::FREE {
                continue;
            }
            count += 1;
            let word = |offset: u32| self.memory.load(record + offset);
            let blocker = match state {
                status::BLOCKED | status::WAITING | status::REACQUIRING | status::PARKED => {
                    self.reference(word(thread::BLOCKER), scratch)
                }
                status::INITIALIZING => word(thread::BLOCKER),
                _ => 0,
            };
            let waits = matches!(state, status::WAITING | status::PARKED | status::SLEEPING);
            let phased = word(thread::PHASE) != 0;
            let object = self.reference(word(thread::OBJECT), scratch);
            out.extend_from_slice(&[
                number,
                state,
                object,
                blocker,
                if phased { word(thread::COUNT) } else { 0 },
                if waits { word(thread::DEADLINE) } else { 0 },
                if waits { word(thread::DEADLINE + 1) } else { 0 },
                word(thread::PERMIT),
                word(thread::PHASE),
                word(thread::HASHES),
                if phased { word(thread::WAKE) } else { 0 },
            ]);
            let top = self.top_frame(number);
            self.encode_frames(top, scratch, out);
        }
        out[start] = count;
    }

    /// Frames from the top down: method, instruction, destination, live registers.
    fn encode_frames(&mut self, top: Address, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let start = out.len();
        out.push(0);
        let mut at = top;
        let mut count = 0;
        let mut before = true;
        while at != 0 {
            let (id, pc, caller) = self.frame_at(at);
            let dest = self.memory.load(at + frame::DEST);
            out.extend_from_slice(&[id, pc, dest]);
            if let Ok(code) = self.program.code(self.program.method(id)) {
                self.each_live(code, pc, before, &mut |machine, register, kind| {
                    let word = at + frame::REGISTERS + u32::from(register);
                    match kind {
                        RegisterKind::Ref => out.push(machine.reference(machine.memory.load(word), scratch)),
                        RegisterKind::Word => out.push(machine.memory.load(word)),
                        RegisterKind::Wide => {
                            out.extend_from_slice(&[machine.memory.load(word), machine.memory.load(word + 1)]);
                        }
                    }
                });
            }
            count += 1;
            before = dest & RETRY != 0;
            at = caller;
        }
        out[start] = count;
    }

    /// The registers whose values matter: before the instruction if it is yet to run, across it if its call is
    /// under way.
    pub(crate) fn each_live(
        &self,
        code: &Code,
        pc: u32,
        before: bool,
        visit: &mut dyn FnMut(&Self, u16, RegisterKind),
    ) {
        let live = code.liveness();
        for (position, register) in code.registers.iter().enumerate() {
            if if before {
                live.is_live(pc, position)
            } else {
                live.is_live_across(pc, position)
            } {
                visit(self, register.reg, register.kind);
            }
        }
    }

    fn encode_object(&mut self, object: Address, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let header = self.memory.load(object);
        out.push(header);
        let lock = self.memory.load(object + LOCK);
        if lock & INFLATED != 0 {
            let (lock, hash) = self.monitor_words(lock);
            if hash == 0 {
                out.push(lock);
            } else {
                out.extend_from_slice(&[HASHED, lock, hash]);
            }
        } else {
            out.push(lock);
        }
        let described = self.program.class(header & CLASS_MASK);
        if let ClassKind::Array(element) = described.kind {
            let length = self.array_length(object);
            out.push(length);
            let words = self.object_words(object);
            let references = !self.program.class(element).is_primitive();
            for word in ARRAY_HEADER_WORDS..words {
                let value = self.memory.load(object + word);
                out.push(if references {
                    self.reference(value, scratch)
                } else {
                    value
                });
            }
            return;
        }
        let caches = self.caches(header & CLASS_MASK);
        let mut references = described.references.iter().copied().peekable();
        for word in program::world::HEADER_WORDS..described.words {
            let value = self.memory.load(object + word);
            let is_reference = references.next_if_eq(&word).is_some();
            out.push(match (caches.contains(&word), is_reference) {
                (true, _) => 0,
                (false, true) => self.reference(value, scratch),
                (false, false) => value,
            });
        }
    }

    /// Fields of a JDK class that hold what can be worked out again: no program can tell whether they are filled.
    fn caches(&self, class: ClassId) -> [u32; 2] {
        let known = &self.known;
        if class == known.string {
            [known.string_hash, known.string_hash_is_zero]
        } else if class == known.class {
            [known.class_name, known.class_package.unwrap_or(known.class_name)]
        } else {
            [0, 0]
        }
    }
}
