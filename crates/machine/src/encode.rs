//! Writing a state down.
//!
//! The vector has these parts, each in chunks of its own: the clock; the words of the start-up image that differ from it;
//! a record for each thread; the young objects (those that are no part of the image) that these lead to; then for each thread
//! its frames, and the young objects that only they lead to. Objects are numbered within each of these groups in the
//! order in which a traversal meets them, so the vector does not depend on addresses, garbage is never met, and what one
//! thread does with objects of its own changes no other thread's chunks. Dead registers are left out. Equal vectors mean states
//! that are equal up to the names of objects, and of threads that can be taken for each other (`symmetry`).
//!
//! A reference is written as the address of an object of the image, or as [`YOUNG`] with the group and the number within it.
//! Left out on purpose, because no program can tell: cached hash codes of strings, and class objects that hold nothing of
//! their own.
//!
//! The first part, up to the objects that all threads may share, and that of each thread are sections of the vector. They are
//! kept from one call to the next, and only what a step may have changed is written anew (`refresh`).

use crate::encoding::Encoding;
use crate::known::monitor;
use crate::layout::{
    self, ALONE, CLASS_MASK, CLASS_WORDS, CLASSES, CLOCK, GLOBALS, HEAP, INFLATED, LOCK, SITE_WORDS, SITES, STRINGS,
    THREAD_END, THREADS, class, frame, status, thread, thread_record,
};
use crate::machine::Machine;
use crate::memory::Address;
use crate::part::{Part, Unchanged};
use crate::writer::Writer;
use kernel::{Instrumentation, StateVector};
use program::ir::{Code, RegisterKind};
use program::world::{ARRAY_HEADER_WORDS, ClassId, ClassKind, HEADER_WORDS};

/// Flag of a reference to an object that is younger than the image.
pub const YOUNG: u32 = 0x8000_0000;

/// Bits of the number of an object within its group.
pub(crate) const GROUP_SHIFT: u32 = 25;
/// The last group, which has everything that does not fit another.
pub(crate) const LAST_GROUP: u32 = (1 << (31 - GROUP_SHIFT)) - 1;

/// Flag in a frame's destination: its instruction is yet to run.
pub(crate) const BEFORE: u32 = 1 << 17;

/// More words than a monitor object has.
const MONITOR_WORDS: u32 = 8;

/// Marks an object's lock word that is followed by the lock and the hash code of its monitor.
pub(crate) const HASHED: u32 = u32::MAX;

/// The words of a thread's record that [`Machine::standing`] tells.
pub(crate) const STANDING: [u32; 11] = [
    thread::STATUS,
    thread::READY,
    thread::COUNT,
    thread::DEADLINE,
    thread::DEADLINE + 1,
    thread::PERMIT,
    thread::PHASE,
    thread::HASHES,
    thread::NAMES,
    thread::SORT,
    thread::WAKE,
];

/// What the words of the image are: made once, when the image is frozen.
#[derive(Default)]
pub struct Roles {
    /// A bit for each word that holds a reference.
    pub(crate) references: Vec<u64>,
    /// A bit for each word that is the lock of an object.
    pub(crate) locks: Vec<u64>,
    /// A bit for each word that no program can see.
    pub(crate) silent: Vec<u64>,
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
            set_bit(&mut roles.references, at);
        }
        // The clock has a place of its own in the vector.
        for at in [CLOCK, CLOCK + 1, THREAD_END] {
            set_bit(&mut roles.silent, at);
        }
        let mut at = HEAP;
        while at < end {
            set_bit(&mut roles.locks, at + LOCK);
            set_bit(&mut roles.references, self.record_cell(at));
            self.each_reference(at, &mut |_, word| set_bit(&mut roles.references, word));
            for offset in self.caches(self.class_of(at)).into_iter().filter(|&offset| offset != 0) {
                set_bit(&mut roles.silent, at + offset);
            }
            at += self.object_words(at);
        }
        self.roles = roles;
        self.encoding = Encoding::default();
    }

    /// Whether a word of the image holds a reference now, be it to a monitor.
    pub(crate) fn is_reference(&self, at: Address) -> bool {
        bit(&self.roles.references, at) || bit(&self.roles.locks, at) && self.memory.load(at) & INFLATED != 0
    }

    /// Goes back to the image, whatever has happened since.
    pub fn restart(&mut self) {
        self.memory.reset_to_image();
        self.reachability.forget();
        self.operation.forget_where_all();
        self.set_current(0, 0);
        self.running.note_logged(0);
        self.run.forget_arrivals();
        self.step.set_yielding(false);
    }

    /// Forgets which words of the image were ever written, and all that was encoded. Only where all of the image is as it was.
    pub(crate) fn forget_encodings(&mut self) {
        self.memory.forget_touched();
        self.reachability.forget_roots();
        self.encoding.forget();
    }

    /// Appends the canonical vector of the state to `out`.
    pub fn encode(&mut self, out: &mut StateVector) {
        self.bring_up_to_date(self.memory.seen_at());
        if let Some(writer) = self.encoding.writer() {
            writer.copy_to(out);
        }
    }

    /// Appends the vector without using anything that was kept: it is the same, which tests check.
    pub fn encode_afresh(&mut self, out: &mut StateVector) {
        let mut afresh = Writer::default();
        self.rebuild(&mut afresh);
        afresh.copy_to(out);
    }

    /// The young objects that a state has.
    pub fn young_objects(&mut self) -> Vec<Address> {
        let mut vector = StateVector::default();
        self.encode(&mut vector);
        let parts = self.encoding.writer().into_iter().flat_map(Writer::parts);
        parts.flat_map(|part| part.objects.iter().copied()).collect()
    }

    /// Writes everything anew.
    pub(crate) fn rebuild(&mut self, writer: &mut Writer) {
        writer.begin();
        self.permute(&mut writer.permutation);
        let mut part = writer.begin_part(0, u32::MAX);
        let now = self.clock();
        part.words.extend([now as u32, (now >> 32) as u32]);
        part.end_chunk();
        writer.image_start = part.words.len();
        self.write_image(writer, &mut part);
        writer.image_end = part.words.len();
        part.words.push(writer.permutation.threads.len() as u32);
        part.end_chunk();
        for slot in 0..writer.permutation.threads.len() {
            let object = self.thread_word(writer.permutation.threads[slot], thread::OBJECT);
            let object = self.reference(object, writer, &mut part);
            part.words.extend([writer.permutation.number(slot), object]);
            part.end_chunk();
        }
        self.write_objects(writer, &mut part);
        writer.keep_shared(part);
        let mut last = None;
        for position in 0..writer.permutation.threads.len() {
            let number = writer.permutation.threads[position];
            let group = (position as u32 + 1).min(LAST_GROUP);
            let mut part = writer.begin_part(group, number);
            if group == LAST_GROUP {
                // Threads beyond the last group share it: they go on numbering where the one before stopped.
                part.first = last.unwrap_or(0);
            }
            self.write_thread(number, writer, &mut part, None);
            last = Some(part.first + part.objects.len());
            writer.keep(position + 1, part);
        }
        writer.whole = writer.permutation.threads.len() < LAST_GROUP as usize;
    }

    #[inline]
    fn reference(&self, value: Address, writer: &mut Writer, part: &mut Part) -> u32 {
        if value < self.memory.image_end() {
            value
        } else {
            writer.number(value, part)
        }
    }

    pub(crate) fn write_image(&mut self, writer: &mut Writer, part: &mut Part) {
        let known = self.memory.touched_count();
        if writer.seen != known {
            writer.seen = known;
            let silent = &self.roles.silent;
            writer.touched.clear();
            writer
                .touched
                .extend(self.memory.touched().iter().filter(|&&at| !bit(silent, at)));
        }
        let start = part.words.len();
        part.words.push(0);
        let mut count = 0;
        for position in 0..writer.touched.len() {
            let at = writer.touched[position];
            let value = self.memory.load(at);
            if value == self.memory.original(at) {
                continue;
            }
            if bit(&self.roles.locks, at) && value & INFLATED != 0 {
                let (lock, hash) = self.monitor_words(value);
                writer.note_hidden(value & !INFLATED, MONITOR_WORDS);
                if hash == 0 && lock == self.memory.original(at) {
                    continue;
                }
                part.words.extend([at, HASHED, writer.permutation.owner(lock), hash]);
                count += 1;
                continue;
            }
            let is_mirror = (CLASSES..STRINGS).contains(&at) && (at - CLASSES) % CLASS_WORDS == class::MIRROR;
            if is_mirror {
                // Whether it is written depends on what it holds.
                writer.note_hidden(value, self.object_words(value));
                if self.is_plain_mirror(value) {
                    continue;
                }
            }
            let written = if bit(&self.roles.references, at) {
                self.reference(value, writer, part)
            } else if names_owner(at) || bit(&self.roles.locks, at) {
                writer.permutation.owner(value)
            } else {
                value
            };
            part.words.extend([at, written]);
            count += 1;
            if count % 4 == 0 {
                part.end_chunk();
            }
        }
        part.words[start] = count;
        part.end_chunk();
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
            && (!self.semantics.has(Instrumentation::LOCKSETS) || self.memory.load(self.record_cell(mirror)) == 0)
            && self
                .program
                .class(self.known.class)
                .references
                .iter()
                .all(|&offset| own.contains(&Some(offset)) || self.memory.load(mirror + offset) == 0)
    }

    /// What a thread's record says, without references and as far as it matters.
    pub(crate) fn standing(&self, number: u32) -> [u32; STANDING.len()] {
        let record = thread_record(number);
        let word = |offset: u32| self.memory.load(record + offset);
        let state = word(thread::STATUS);
        // How long it still waits, plus one; 0 for ever.
        let waits = matches!(state, status::WAITING | status::PARKED | status::SLEEPING);
        let left = match self.memory.load_wide(record + thread::DEADLINE) {
            0 => 0,
            deadline if waits => deadline.saturating_sub(self.clock()) + 1,
            _ => 0,
        };
        // How often it held the monitor, how it was woken and its turn matter only until it has the monitor again or goes on.
        let waited = matches!(state, status::WAITING | status::REACQUIRING);
        let woken = waited || state == status::RUNNABLE && word(thread::PHASE) != 0;
        // Who has nothing left to do does not park any more.
        let parks = state != status::ENDING;
        [
            state,
            word(thread::READY),
            if waited { word(thread::COUNT) } else { 0 },
            left as u32,
            (left >> 32) as u32,
            if parks { word(thread::PERMIT) } else { 0 },
            word(thread::PHASE),
            word(thread::HASHES),
            word(thread::NAMES) << 16 | word(thread::NUMBERS),
            word(thread::SORT),
            if woken { word(thread::WAKE) } else { 0 },
        ]
    }

    /// What a thread waits for, its frames from the bottom up, and its own objects; `kept` is what need not be written again.
    pub(crate) fn write_thread(&mut self, number: u32, writer: &mut Writer, part: &mut Part, kept: Option<Unchanged>) {
        let record = thread_record(number);
        let blocker = self.memory.load(record + thread::BLOCKER);
        let blocker = match self.memory.load(record + thread::STATUS) {
            status::BLOCKED | status::WAITING | status::REACQUIRING | status::PARKED => {
                self.reference(blocker, writer, part)
            }
            status::INITIALIZING => blocker,
            _ => 0,
        };
        part.words.push(blocker);
        part.words.extend(self.standing(number));
        if self.semantics.has(Instrumentation::LOCKSETS) {
            let owned = self.reference(self.memory.load(record + thread::OWNED), writer, part);
            part.words.push(owned);
        }
        let mut frames = std::mem::take(&mut writer.frames);
        self.frames_of(number, &mut frames);
        part.words.push(frames.len() as u32);
        part.end_chunk();
        let is_free = writer.permutation.is_free(number);
        if is_free {
            self.begin_key(number, &mut part.key);
        }
        part.mark(0);
        let written = kept.map_or(0, |kept| {
            let same = frames.iter().take_while(|&&frame| frame < kept.below);
            writer.take_over(kept.part, part, same)
        });
        for position in written..frames.len() {
            let at = frames[position];
            let before = self.is_before(&frames, position);
            self.write_frame(at, before, writer, part);
            if is_free {
                self.frame_key(at, before, &mut part.key);
            }
            part.end_chunk();
            part.mark(at);
        }
        writer.frames = frames;
        let taken = !part.objects.is_empty()
            && kept.is_some_and(|kept| kept.objects && writer.take_over_objects(kept.part, part));
        if !taken {
            self.write_objects(writer, part);
        }
    }

    /// Method, instruction, destination, live registers.
    fn write_frame(&self, at: Address, before: bool, writer: &mut Writer, part: &mut Part) {
        let (id, pc, _) = self.frame_at(at);
        let dest = self.memory.load(at + frame::DEST);
        part.words.extend([id.0, pc, if before { dest | BEFORE } else { dest }]);
        let Ok(code) = self.program.code(self.program.method(id)) else {
            return;
        };
        each_live(code, pc, before, |register, kind| {
            let word = at + frame::REGISTERS + u32::from(register);
            let value = self.memory.load(word);
            match kind {
                RegisterKind::Ref => {
                    let written = self.reference(value, writer, part);
                    part.words.push(written);
                }
                RegisterKind::Word => part.words.push(value),
                RegisterKind::Wide => part.words.extend([value, self.memory.load(word + 1)]),
            }
        });
    }

    /// The objects of the part at hand, their number first, and all that they lead to.
    fn write_objects(&self, writer: &mut Writer, part: &mut Part) {
        let count_at = part.words.len();
        part.words.push(0);
        part.end_chunk();
        part.first_chunk = part.ends.len();
        let mut next = 0;
        while let Some(&object) = part.objects.get(next) {
            next += 1;
            let known = part.objects.len() as u32;
            part.known.push(known);
            self.write_object(object, writer, part);
            part.end_chunk();
        }
        part.words[count_at] = next as u32;
    }

    pub(crate) fn write_object(&self, object: Address, writer: &mut Writer, part: &mut Part) {
        let header = self.memory.load(object);
        part.words.push(header);
        let lock = self.memory.load(object + LOCK);
        if lock & INFLATED != 0 {
            writer.note_hidden(lock & !INFLATED, MONITOR_WORDS);
            let (lock, hash) = self.monitor_words(lock);
            let lock = writer.permutation.owner(lock);
            if hash == 0 {
                part.words.push(lock);
            } else {
                part.words.extend([HASHED, lock, hash]);
            }
        } else {
            part.words.push(writer.permutation.owner(lock));
        }
        let class = ClassId(header & CLASS_MASK);
        let described = self.program.class(class);
        if let ClassKind::Array(element) = described.kind {
            if self.semantics.has(Instrumentation::LOCKSETS) {
                let record = self.memory.load(self.record_cell(object));
                let record = self.reference(record, writer, part);
                part.words.push(record);
            }
            part.words.push(self.array_length(object));
            let count = self.object_words(object) - ARRAY_HEADER_WORDS;
            let values = self.memory.words(object + ARRAY_HEADER_WORDS, count);
            if self.program.class(element).is_primitive() {
                part.words.extend_from_slice(values);
            } else {
                for &value in values {
                    let written = self.reference(value, writer, part);
                    part.words.push(written);
                }
            }
            return;
        }
        // First all words as they are, then over some of them what is to be read there.
        let start = part.words.len();
        let fields = self.memory.words(object + HEADER_WORDS, described.words - HEADER_WORDS);
        part.words.extend_from_slice(fields);
        let caches = self.caches(class);
        let end = self.memory.image_end();
        for &offset in &described.references {
            let at = start + (offset - HEADER_WORDS) as usize;
            let value = part.words[at];
            if value >= end && !caches.contains(&offset) && !self.is_hidden_name(described, offset) {
                part.words[at] = writer.number(value, part);
            }
        }
        for offset in caches.into_iter().filter(|&offset| offset != 0) {
            part.words[start + (offset - HEADER_WORDS) as usize] = 0;
        }
        if self.is_thread(described) {
            self.rename_thread(&mut part.words[start..], &writer.permutation);
        }
        if self.semantics.has(Instrumentation::LOCKSETS) {
            self.write_records(object, writer, part);
        }
    }

    /// The records of the fields of an object: of those that were accessed, with their number first.
    fn write_records(&self, object: Address, writer: &mut Writer, part: &mut Part) {
        let start = part.words.len();
        part.words.push(0);
        let list = self.memory.load(self.record_cell(object));
        if list == 0 {
            return;
        }
        writer.note_hidden(list, self.object_words(list));
        for (cell, locks, written) in self.records(list) {
            let locks = self.reference(locks, writer, part);
            part.words.extend([cell << 1 | u32::from(written), locks]);
            part.words[start] += 1;
        }
    }

    /// Fields of a JDK class that hold what can be worked out again: no program can tell whether they are filled.
    #[inline]
    pub(crate) fn caches(&self, class: ClassId) -> [u32; 2] {
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

/// Whether a word outside of objects has a thread's number plus one in its lower bits.
fn names_owner(at: Address) -> bool {
    at == ALONE || (CLASSES..STRINGS).contains(&at) && (at - CLASSES) % CLASS_WORDS == class::OWNER
}

/// The registers whose values matter: before the instruction if it is yet to run, across it if its call is under way.
#[inline]
pub(crate) fn each_live(code: &Code, pc: u32, before: bool, mut visit: impl FnMut(u16, RegisterKind)) {
    let live = code.liveness();
    let row = if before { live.before(pc) } else { live.across(pc) };
    for (position, &bits) in row.iter().enumerate() {
        let mut bits = bits;
        while bits != 0 {
            let register = code.registers[position * 64 + bits.trailing_zeros() as usize];
            visit(register.reg, register.kind);
            bits &= bits - 1;
        }
    }
}
