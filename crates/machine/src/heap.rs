//! Objects: making them, looking into them, strings, arrays and class objects.

use crate::known::monitor;
use crate::layout::{self, CLASS_MASK, INFLATED, INTERNED, LOCK, class, class_record, thread};
use crate::machine::{Machine, Trap, raise};
use crate::memory::Address;
use program::world::{ARRAY_HEADER_WORDS, ARRAY_LENGTH, ClassId, ClassKind, LoaderId};

/// Byte offset of the first element from an array's start.
pub const ARRAY_BASE: usize = ARRAY_HEADER_WORDS as usize * 4;

/// The longest array that a JVM makes, however large its heap is.
const LONGEST_ARRAY: i32 = i32::MAX - 2;

impl Machine<'_> {
    /// The class of an object, which is not null.
    #[inline(always)]
    pub fn class_of(&self, object: Address) -> ClassId {
        ClassId(self.memory.load(object) & CLASS_MASK)
    }

    /// Takes words from the heap. A native method that is told to collect first is entered again, so it must allocate
    /// before it changes anything.
    #[inline]
    pub fn allocate(&mut self, class: ClassId, words: u32) -> Result<Address, Trap> {
        match self.memory.allocate(words) {
            Some(address) => {
                self.memory.poke(address, class.0);
                Ok(address)
            }
            None => Err(self.heap_full()),
        }
    }

    /// What becomes of who wants more than the heap has. A run collects first, and only if that was in vain there is an error. While
    /// exploring there is never one: where a heap ends is no property of the program.
    #[cold]
    pub fn heap_full(&mut self) -> Trap {
        let starved = self.run.take_starved();
        if self.memory.was_refused() {
            return Trap::Unsupported("more memory than --memory allows".to_owned());
        }
        if self.stepping {
            return Trap::Unsupported("more memory than --heap allows".to_owned());
        }
        if !starved {
            return Trap::Collect;
        }
        self.run.note_lack("--heap");
        if !self.memory.open_reserve() {
            return Trap::Unsupported("more memory than --heap allows".to_owned());
        }
        Trap::Raise("java/lang/OutOfMemoryError", Some("Java heap space".to_owned()))
    }

    /// A zeroed instance.
    #[inline]
    pub fn new_object(&mut self, class: ClassId) -> Result<Address, Trap> {
        let words = self.program.class(class).words;
        self.allocate(class, words)
    }

    /// A zeroed array of an array class.
    pub fn new_array(&mut self, class: ClassId, length: i32) -> Result<Address, Trap> {
        if length < 0 {
            return raise("java/lang/NegativeArraySizeException", length.to_string());
        }
        if length > LONGEST_ARRAY {
            return raise("java/lang/OutOfMemoryError", "Requested array size exceeds VM limit");
        }
        let shift = self.program.class(class).element_shift;
        let words = ARRAY_HEADER_WORDS as u64 + ((length as u64) << shift).div_ceil(4);
        let Ok(words) = u32::try_from(words) else {
            return Err(self.heap_full());
        };
        let array = self.allocate(class, words)?;
        self.memory.poke(array + ARRAY_LENGTH, length as u32);
        Ok(array)
    }

    /// The length of an array.
    #[inline(always)]
    pub fn array_length(&self, array: Address) -> u32 {
        self.memory.load(array + ARRAY_LENGTH)
    }

    /// An element of an array of words or references; the index has been checked.
    #[inline(always)]
    pub fn element(&self, array: Address, index: u32) -> u32 {
        self.memory.load(array + ARRAY_HEADER_WORDS + index)
    }

    /// Sets an element of an array of words or references; the index has been checked.
    #[inline(always)]
    pub fn set_element(&mut self, array: Address, index: u32, value: u32) {
        self.memory.store(array + ARRAY_HEADER_WORDS + index, value);
    }

    /// Words that an object occupies.
    pub fn object_words(&self, object: Address) -> u32 {
        let class = self.program.class(self.class_of(object));
        match class.kind {
            ClassKind::Array(_) => {
                let bytes = u64::from(self.array_length(object)) << class.element_shift;
                ARRAY_HEADER_WORDS + bytes.div_ceil(4) as u32
            }
            _ => class.words,
        }
    }

    /// An array of references.
    pub fn new_references(&mut self, class: ClassId, elements: &[Address]) -> Result<Address, Trap> {
        let array = self.new_array(class, elements.len() as i32)?;
        for (index, &element) in elements.iter().enumerate() {
            self.memory.poke(array + ARRAY_HEADER_WORDS + index as u32, element);
        }
        Ok(array)
    }

    /// A byte array.
    pub fn new_bytes(&mut self, bytes: &[u8]) -> Result<Address, Trap> {
        let array = self.new_array(self.known.byte_array, bytes.len() as i32)?;
        self.memory.store_bytes(array, ARRAY_BASE, bytes);
        Ok(array)
    }

    /// The bytes of a byte array.
    pub fn byte_array(&self, array: Address) -> &[u8] {
        self.memory.bytes(array, ARRAY_BASE, self.array_length(array) as usize)
    }

    /// A string.
    pub fn new_string(&mut self, text: &str) -> Result<Address, Trap> {
        if text.is_ascii() {
            return self.new_latin(text.as_bytes());
        }
        let units: Vec<u16> = text.encode_utf16().collect();
        self.new_string_utf16(&units)
    }

    fn new_latin(&mut self, bytes: &[u8]) -> Result<Address, Trap> {
        let value = self.new_bytes(bytes)?;
        let string = self.new_object(self.known.string)?;
        self.memory.poke(string + self.known.string_value, value);
        Ok(string)
    }

    /// A string of UTF-16 units, compact where they all fit a byte.
    pub fn new_string_utf16(&mut self, units: &[u16]) -> Result<Address, Trap> {
        if units.iter().all(|&unit| unit < 256) {
            let bytes: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
            return self.new_latin(&bytes);
        }
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let value = self.new_bytes(&bytes)?;
        let string = self.new_object(self.known.string)?;
        self.memory.poke(string + self.known.string_value, value);
        self.memory.poke(string + self.known.string_coder, 1);
        Ok(string)
    }

    /// The UTF-16 units of a string, which is not null.
    pub fn string_units(&self, string: Address) -> Vec<u16> {
        // SOUNDNESS: strings are immutable, and nobody but the string has its array.
        self.settled(|machine| machine.units_of(string))
    }

    fn units_of(&self, string: Address) -> Vec<u16> {
        let value = self.memory.load(string + self.known.string_value);
        if value == 0 {
            return Vec::new();
        }
        let bytes = self.byte_array(value);
        if self.memory.load(string + self.known.string_coder) & 0xff == 0 {
            bytes.iter().map(|&byte| u16::from(byte)).collect()
        } else {
            bytes
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect()
        }
    }

    /// The text of a string; lone surrogates become U+FFFD.
    pub fn text(&self, string: Address) -> String {
        String::from_utf16_lossy(&self.string_units(string))
    }

    /// The text of a string that may be null.
    pub fn text_or_null(&self, string: Address) -> Option<String> {
        (string != 0).then(|| self.text(string))
    }

    /// The interned string of these units.
    pub fn intern_units(&mut self, units: &[u16]) -> Result<Address, Trap> {
        let Some(number) = self.shared.string_number(units) else {
            return Err(Trap::Unsupported("more than 262144 interned strings".to_owned()));
        };
        let known = self.memory.load(layout::STRINGS + number);
        if known != 0 {
            return Ok(known);
        }
        let string = self.new_string_utf16(units)?;
        self.enter_interned(number, string);
        Ok(string)
    }

    /// The interned string of a text.
    pub fn intern(&mut self, text: &str) -> Result<Address, Trap> {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.intern_units(&units)
    }

    /// What `String.intern` gives for this string: itself, if it is the first of its content.
    pub fn intern_string(&mut self, string: Address) -> Result<Address, Trap> {
        let units = self.string_units(string);
        let Some(number) = self.shared.string_number(&units) else {
            return Err(Trap::Unsupported("more than 262144 interned strings".to_owned()));
        };
        let known = self.memory.load(layout::STRINGS + number);
        if known != 0 {
            return Ok(known);
        }
        self.enter_interned(number, string);
        Ok(string)
    }

    fn enter_interned(&mut self, number: u32, string: Address) {
        let header = self.memory.load(string);
        self.memory.store(string, header | INTERNED);
        self.store_root(layout::STRINGS + number, string);
    }

    /// The `java.lang.Class` of a class, made when first asked for.
    pub fn mirror(&mut self, of: ClassId) -> Result<Address, Trap> {
        let record = class_record(of);
        let known = self.memory.load(record + class::MIRROR);
        if known != 0 {
            return Ok(known);
        }
        let mirror = self.new_object(self.known.class)?;
        self.memory.poke(mirror + self.known.class_number, of.0);
        self.store_root(record + class::MIRROR, mirror);
        let described = self.program.class(of);
        if let Some(element) = described.element() {
            let component = self.mirror(element)?;
            self.memory.store(mirror + self.known.class_component, component);
        }
        if described.loader != LoaderId::BOOT {
            let loader = self.memory.load(layout::LOADERS + described.loader.0);
            self.memory.store(mirror + self.known.class_loader_field, loader);
        }
        self.fill_mirror(of, mirror)?;
        Ok(mirror)
    }

    /// The class that a `java.lang.Class` stands for.
    #[inline]
    pub fn mirrored(&self, mirror: Address) -> ClassId {
        ClassId(self.memory.load(mirror + self.known.class_number))
    }

    /// The object that holds the static fields of a class; made when first asked for.
    pub fn statics(&mut self, of: ClassId) -> Result<Address, Trap> {
        let record = class_record(of);
        let known = self.memory.load(record + class::STATICS);
        if known != 0 {
            return Ok(known);
        }
        let layout = self.program.class(of).statics;
        let statics = self.new_object(layout.unwrap_or(self.known.object))?;
        self.store_root(record + class::STATICS, statics);
        Ok(statics)
    }

    /// The word that holds an object's lock: in the object, or in its monitor object.
    #[inline]
    pub fn lock_cell(&self, object: Address) -> Address {
        let word = self.memory.load(object + LOCK);
        if word & INFLATED != 0 {
            (word & !INFLATED) + monitor::LOCK
        } else {
            object + LOCK
        }
    }

    /// The monitor object of an object, made when first needed.
    fn inflate(&mut self, object: Address) -> Result<Address, Trap> {
        let word = self.memory.load(object + LOCK);
        if word & INFLATED != 0 {
            return Ok(word & !INFLATED);
        }
        let monitor = self.new_object(self.known.monitor)?;
        self.memory.poke(monitor + monitor::LOCK, word);
        self.memory.store(object + LOCK, monitor | INFLATED);
        Ok(monitor)
    }

    /// The identity hash code of an object: stable, and drawn from a sequence of the asking thread's own, so that
    /// what one thread asks for does not depend on what others do.
    pub fn identity_hash(&mut self, object: Address) -> Result<u32, Trap> {
        let monitor = self.inflate(object)?;
        let known = self.memory.load(monitor + monitor::HASH);
        if known != 0 {
            return Ok(known);
        }
        if self.current() != 0 {
            self.tell_apart()?;
        }
        let drawn = self.thread_word(self.current(), thread::HASHES) + 1;
        self.set_thread_word(self.current(), thread::HASHES, drawn);
        let mut mixed = (self.lineage() << 32 ^ u64::from(drawn)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^= mixed >> 29;
        mixed = mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let hash = ((mixed >> 33) as u32 & 0x7fff_ffff).max(1);
        self.memory.store(monitor + monitor::HASH, hash);
        Ok(hash)
    }

    /// Whether the identity hash code of an object is drawn; null has one.
    pub(crate) fn has_hash(&self, object: Address) -> bool {
        if object == 0 {
            return true;
        }
        let word = self.memory.load(object + LOCK);
        word & INFLATED != 0 && self.memory.load((word & !INFLATED) + monitor::HASH) != 0
    }

    /// The word offset of a field of a JDK class, by name; for native methods.
    ///
    /// # Panics
    /// If the JDK has no such field: ask only for fields that every supported JDK has, or use [`Machine::find_offset`].
    pub fn offset(&mut self, class: &'static str, field: &'static str) -> u32 {
        self.find_offset(class, field)
            .unwrap_or_else(|| panic!("the JDK's {class} has no field {field}"))
    }

    /// As [`Machine::offset`], for fields that only some JDKs have.
    pub fn find_offset(&mut self, class: &'static str, field: &'static str) -> Option<u32> {
        self.facts.offset(self.program, class, field)
    }

    /// A word field of an object of a JDK class, by name.
    pub fn get(&mut self, object: Address, class: &'static str, field: &'static str) -> u32 {
        let offset = self.offset(class, field);
        self.memory.load(object + offset)
    }

    /// Sets a word field of an object of a JDK class, by name.
    pub fn set(&mut self, object: Address, class: &'static str, field: &'static str, value: u32) {
        let offset = self.offset(class, field);
        self.memory.store(object + offset, value);
    }
}
