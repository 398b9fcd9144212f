//! Reading a state back from its vector; see `encode` for its form.

use crate::encode::{BEFORE, GROUP_SHIFT, HASHED, LAST_GROUP, STANDING, YOUNG, bit, each_live};
use crate::known::monitor;
use crate::layout::{
    self, CLASS_MASK, CLOCK, INFLATED, INTERNED, LOCK, STRINGS, THREAD_END, class, frame, status, thread, thread_record,
};
use crate::machine::Machine;
use crate::memory::Address;
use kernel::Instrumentation;
use program::ir::RegisterKind;
use program::world::{ARRAY_HEADER_WORDS, ClassId, ClassKind, MethodId};

impl Machine<'_> {
    /// Puts the machine into the state that a vector stands for. There is no way back from here.
    pub fn decode(&mut self, words: &[u32]) -> Result<(), Malformed> {
        let end = self.memory.load(THREAD_END);
        self.restart();
        for number in 0..end.max(self.memory.load(THREAD_END)) {
            self.memory.store(thread_record(number) + thread::STATUS, status::FREE);
        }
        let mut reader = Reader {
            words,
            at: 0,
            references: Vec::new(),
            interned: Vec::new(),
            objects: Vec::new(),
            groups: vec![0],
        };
        let now = u64::from(reader.next()?) | u64::from(reader.next()?) << 32;
        self.memory.store_wide(CLOCK, now);
        self.decode_image(&mut reader)?;
        let threads = self.decode_threads(&mut reader)?;
        self.decode_objects(&mut reader)?;
        for (position, number) in (1..).zip(threads) {
            if position <= LAST_GROUP {
                reader.groups.push(reader.objects.len());
            }
            self.decode_frames(number, &mut reader)?;
            self.decode_objects(&mut reader)?;
        }
        self.fix_references(&mut reader)?;
        self.memory.commit();
        Ok(())
    }

    fn decode_image(&mut self, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        for _ in 0..reader.next()? {
            let at = reader.next()?;
            let value = reader.next()?;
            if at >= self.memory.image_end() {
                return Err(Malformed);
            }
            if bit(&self.roles.locks, at + LOCK) && value & INTERNED != 0 {
                // A string of the image was interned since.
                reader.interned.push(at);
            }
            if bit(&self.roles.locks, at) && value == HASHED {
                let (lock, hash) = (reader.next()?, reader.next()?);
                reader.references.push(Fix::Hashed { at, lock, hash });
            } else if bit(&self.roles.references, at) && value & YOUNG != 0 {
                reader.references.push(Fix::Logged {
                    at,
                    number: value & !YOUNG,
                });
            } else {
                self.memory.store(at, value);
            }
        }
        Ok(())
    }

    fn decode_threads(&mut self, reader: &mut Reader<'_>) -> Result<Vec<u32>, Malformed> {
        let mut numbers = Vec::new();
        for _ in 0..reader.next()? {
            let number = reader.next()?;
            if number >= layout::MAX_THREADS {
                return Err(Malformed);
            }
            numbers.push(number);
            let end = self.memory.load(THREAD_END).max(number + 1);
            self.memory.store(THREAD_END, end);
            let object = reader.next()?;
            self.store_reference(thread_record(number) + thread::OBJECT, object, reader);
        }
        Ok(numbers)
    }

    fn store_reference(&mut self, at: Address, value: u32, reader: &mut Reader<'_>) {
        self.memory.store(at, value);
        if value & YOUNG != 0 {
            reader.references.push(Fix::Logged {
                at,
                number: value & !YOUNG,
            });
        }
    }

    fn decode_record(&mut self, number: u32, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        let record = thread_record(number);
        let blocker = reader.next()?;
        self.store_reference(record + thread::BLOCKER, blocker, reader);
        for word in STANDING {
            let value = reader.next()?;
            self.memory.store(record + word, value);
        }
        if self.semantics.has(Instrumentation::LOCKSETS) {
            let owned = reader.next()?;
            self.store_reference(record + thread::OWNED, owned, reader);
        }
        let counts = self.memory.load(record + thread::NAMES);
        self.memory.store(record + thread::NAMES, counts >> 16);
        self.memory.store(record + thread::NUMBERS, counts & 0xffff);
        let left = self.memory.load_wide(record + thread::DEADLINE);
        if left != 0 {
            let deadline = self.clock() + left - 1;
            self.memory.store_wide(record + thread::DEADLINE, deadline);
        }
        Ok(())
    }

    fn decode_frames(&mut self, number: u32, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        self.decode_record(number, reader)?;
        let count = reader.next()? as usize;
        let mut frames = Vec::new();
        for _ in 0..count {
            let (id, pc, dest) = (reader.next()?, reader.next()?, reader.next()?);
            if id == 0 || id >= self.program.method_end().0 {
                return Err(Malformed);
            }
            let method = self.program.method(MethodId(id));
            let code = self.code(method).map_err(|_| Malformed)?;
            let mut values = Vec::new();
            let mut wanted = Vec::new();
            each_live(code, pc, dest & BEFORE != 0, |register, kind| {
                wanted.push((register, kind))
            });
            for (register, kind) in wanted {
                values.push((register, kind == RegisterKind::Ref, reader.next()?));
                if kind == RegisterKind::Wide {
                    values.push((register + 1, false, reader.next()?));
                }
            }
            frames.push((id, pc, dest & !BEFORE, code.frame_words, values));
        }
        let (mut at, end) = self.stack(number);
        let mut caller = 0;
        for (id, pc, dest, size, values) in frames {
            if at + frame::REGISTERS + u32::from(size) > end {
                return Err(Malformed);
            }
            self.memory.poke(at + frame::METHOD, id);
            self.memory.poke(at + frame::PC, pc);
            self.memory.poke(at + frame::CALLER, caller);
            self.memory.poke(at + frame::DEST, dest);
            for (register, is_reference, value) in values {
                let word = at + frame::REGISTERS + u32::from(register);
                if is_reference && value & YOUNG != 0 {
                    reader.references.push(Fix::Plain {
                        at: word,
                        number: value & !YOUNG,
                    });
                } else {
                    self.memory.poke(word, value);
                }
            }
            caller = at;
            at += frame::REGISTERS + u32::from(size);
        }
        self.memory.store(thread_record(number) + thread::FRAME, caller);
        self.set_current(number, caller);
        Ok(())
    }

    fn decode_objects(&mut self, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        for _ in 0..reader.next()? {
            let header = reader.next()?;
            let lock = reader.next()?;
            let class = ClassId(header & CLASS_MASK);
            if class.0 == 0 || class >= self.program.class_end() {
                return Err(Malformed);
            }
            let described = self.program.class(class);
            let hashed = if lock == HASHED {
                Some((reader.next()?, reader.next()?))
            } else {
                None
            };
            let object = match described.kind {
                ClassKind::Array(_) => {
                    let record = if self.semantics.has(Instrumentation::LOCKSETS) {
                        reader.next()?
                    } else {
                        0
                    };
                    let length = reader.next()?;
                    let array = self.new_array(class, length as i32).map_err(|_| Malformed)?;
                    self.poke_reference(self.record_cell(array), record, reader);
                    array
                }
                _ => self.new_object(class).map_err(|_| Malformed)?,
            };
            self.memory.poke(object, header);
            reader.objects.push(object);
            match hashed {
                Some((lock, hash)) => reader.references.push(Fix::Hashed {
                    at: object + LOCK,
                    lock,
                    hash,
                }),
                None => self.memory.poke(object + LOCK, lock),
            }
            let first = if described.is_array() {
                ARRAY_HEADER_WORDS
            } else {
                program::world::HEADER_WORDS
            };
            for word in first..self.object_words(object) {
                let value = reader.next()?;
                self.memory.poke(object + word, value);
            }
            let mut young = Vec::new();
            self.each_reference(object, &mut |machine, at| {
                let value = machine.memory.load(at);
                if value & YOUNG != 0 {
                    young.push(Fix::Plain {
                        at,
                        number: value & !YOUNG,
                    });
                }
            });
            reader.references.append(&mut young);
            if self.semantics.has(Instrumentation::LOCKSETS) && !described.is_array() {
                self.decode_records(object, reader)?;
            }
        }
        Ok(())
    }

    fn decode_records(&mut self, object: Address, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        let count = reader.next()?;
        if count == 0 {
            return Ok(());
        }
        let fields = self.program.class(self.class_of(object)).words;
        let list = self.new_records(object).map_err(|_| Malformed)?;
        for _ in 0..count {
            let (how, locks) = (reader.next()?, reader.next()?);
            let cell = how >> 1;
            if cell >= fields {
                return Err(Malformed);
            }
            self.note_access((list, object), cell, how & 1 != 0);
            self.poke_reference(list + ARRAY_HEADER_WORDS + cell, locks, reader);
        }
        Ok(())
    }

    /// Writes a word that is a reference, perhaps to an object that is not made yet.
    fn poke_reference(&mut self, at: Address, value: u32, reader: &mut Reader<'_>) {
        self.memory.poke(at, value);
        if value & YOUNG != 0 {
            let number = value & !YOUNG;
            reader.references.push(Fix::Plain { at, number });
        }
    }

    fn fix_references(&mut self, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        for fix in std::mem::take(&mut reader.references) {
            let object = |number: u32| reader.object(number);
            match fix {
                Fix::Plain { at, number } => self.memory.poke(at, object(number)?),
                Fix::Logged { at, number } => self.memory.store(at, object(number)?),
                Fix::Hashed { at, lock, hash } => {
                    let monitor = self.new_object(self.known.monitor).map_err(|_| Malformed)?;
                    self.memory.poke(monitor + monitor::LOCK, lock);
                    self.memory.poke(monitor + monitor::HASH, hash);
                    self.memory.store(at, monitor | INFLATED);
                }
            }
        }
        // What is found by content is entered again.
        let objects = std::mem::take(&mut reader.objects);
        for object in objects.into_iter().chain(std::mem::take(&mut reader.interned)) {
            let header = self.memory.load(object);
            if header & INTERNED != 0 {
                let units = self.string_units(object);
                if let Some(number) = self.shared.string_number(&units) {
                    self.memory.store(STRINGS + number, object);
                }
            } else if header & CLASS_MASK == self.known.class.0 {
                let of = self.mirrored(object);
                self.memory.store(layout::class_record(of) + class::MIRROR, object);
            }
        }
        Ok(())
    }
}

/// The vector is none that encoding has made.
#[derive(Debug)]
pub struct Malformed;

/// A word that refers to an object that is not made yet.
enum Fix {
    Plain { at: Address, number: u32 },
    Logged { at: Address, number: u32 },
    Hashed { at: Address, lock: u32, hash: u32 },
}

struct Reader<'w> {
    words: &'w [u32],
    at: usize,
    references: Vec<Fix>,
    /// Strings of the image that were interned after it was made.
    interned: Vec<Address>,
    /// The objects that were made, in order.
    objects: Vec<Address>,
    /// How many objects there were before each group.
    groups: Vec<usize>,
}

impl Reader<'_> {
    /// The object that a reference without its flag stands for.
    fn object(&self, number: u32) -> Result<Address, Malformed> {
        let first = *self.groups.get((number >> GROUP_SHIFT) as usize).ok_or(Malformed)?;
        let position = first + (number & ((1 << GROUP_SHIFT) - 1)) as usize;
        self.objects.get(position).copied().ok_or(Malformed)
    }

    fn next(&mut self) -> Result<u32, Malformed> {
        let word = *self.words.get(self.at).ok_or(Malformed)?;
        self.at += 1;
        Ok(word)
    }
}
