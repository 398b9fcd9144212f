//! Collecting garbage in a single run: what lives slides down, in order.
//!
//! Only for machines without a past: going back over a collection is not possible. Weak references are kept like any
//! other, which every JVM may do.

use crate::layout::{
    self, GLOBALS, HEAP, INFLATED, LOCK, MAX_THREADS, SITE_WORDS, SITES, STRINGS, THREAD_WORDS, THREADS, class,
    class_record, frame, status, thread,
};
use crate::machine::Machine;
use crate::memory::Address;
use program::ir::RegisterKind;
use program::world::{ARRAY_HEADER_WORDS, ClassKind};

/// Which objects live, by the word at which they begin.
struct Marks {
    bits: Vec<u64>,
    start: Address,
    end: Address,
}

impl Marks {
    fn covers(&self, object: Address) -> bool {
        object >= self.start && object < self.end
    }

    fn has(&self, object: Address) -> bool {
        let position = (object - self.start) as usize;
        self.bits[position / 64] >> (position % 64) & 1 == 1
    }

    /// Marks an object; `false` if it was marked before.
    fn set(&mut self, object: Address) -> bool {
        let position = (object - self.start) as usize;
        let bit = 1 << (position % 64);
        let word = &mut self.bits[position / 64];
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }
}

impl Machine<'_> {
    /// Collects what is younger than the image. All threads are between two instructions.
    pub(crate) fn collect(&mut self) {
        self.memory.commit();
        let start = self.memory.image_end().max(HEAP);
        let end = self.memory.top();
        let mut marks = Marks {
            bits: vec![0; (end - start) as usize / 64 + 1],
            start,
            end,
        };
        let mut work = Vec::new();
        self.each_root(&mut |machine, at| work.push(target(machine.memory.load(at))));
        while let Some(object) = work.pop() {
            if marks.covers(object) && marks.set(object) {
                self.each_edge(object, &mut |machine, at| work.push(target(machine.memory.load(at))));
            }
        }
        // Where each live object goes, in order.
        let mut live = Vec::new();
        let mut free = start;
        let mut at = start;
        while at < end {
            let size = self.object_words(at);
            if marks.has(at) {
                live.push((at, free, size));
                free += size;
            }
            at += size;
        }
        let forward = |word: u32| -> u32 {
            let old = target(word);
            match live.binary_search_by_key(&old, |&(old, ..)| old) {
                Ok(position) => live[position].1 | word & INFLATED,
                Err(_) => word,
            }
        };
        self.each_root(&mut |machine, at| {
            let word = machine.memory.load(at);
            machine.memory.poke(at, forward(word));
        });
        for &(old, ..) in &live {
            self.each_edge(old, &mut |machine, at| {
                let word = machine.memory.load(at);
                machine.memory.poke(at, forward(word));
            });
        }
        for &(old, new, size) in &live {
            if old != new {
                self.memory.slide(old, new, size);
            }
        }
        self.memory.set_top(free);
        self.run.collect_at(next_collection(free, self.memory.limit()));
    }

    /// Every word of an object that refers to another: its references, and its lock word if that leads to a monitor.
    fn each_edge(&mut self, object: Address, visit: &mut dyn FnMut(&mut Self, Address)) {
        self.each_reference(object, visit);
        if self.memory.load(object + LOCK) & INFLATED != 0 {
            visit(self, object + LOCK);
        }
    }

    /// Every word outside of the heap that may refer into it.
    fn each_root(&mut self, visit: &mut dyn FnMut(&mut Self, Address)) {
        for number in 0..MAX_THREADS {
            let record = THREADS + number * THREAD_WORDS;
            let state = self.memory.load(record + thread::STATUS);
            if state == status::FREE {
                continue;
            }
            visit(self, record + thread::OBJECT);
            if matches!(
                state,
                status::BLOCKED | status::WAITING | status::REACQUIRING | status::PARKED
            ) {
                visit(self, record + thread::BLOCKER);
            }
            self.each_frame_root(self.memory.load(record + thread::FRAME), visit);
        }
        for of in self.program.class_ids() {
            visit(self, class_record(of) + class::MIRROR);
            visit(self, class_record(of) + class::STATICS);
            visit(self, class_record(of) + class::CAUSE);
        }
        for number in 0..self.shared.string_count() {
            visit(self, STRINGS + number);
        }
        for number in 0..self.shared.site_count() {
            visit(self, SITES + number * SITE_WORDS + 1);
        }
        for at in GLOBALS + layout::FIRST_ROOT..HEAP {
            visit(self, at);
        }
        // Of the image, only what was written since can lead to anything younger.
        for at in self.memory.touched().to_vec() {
            if at >= HEAP && self.is_reference(at) {
                visit(self, at);
            }
        }
    }

    fn each_frame_root(&mut self, top: Address, visit: &mut dyn FnMut(&mut Self, Address)) {
        let mut at = top;
        let mut topmost = true;
        while at != 0 {
            let (id, pc, caller) = self.frame_at(at);
            let method = self.program.method(id);
            if let Ok(code) = self.program.code(method) {
                let live = code.liveness();
                let retried = topmost;
                for (position, register) in code.registers.iter().enumerate() {
                    let needed = if retried {
                        live.is_live(pc, position)
                    } else {
                        live.is_live_across(pc, position)
                    };
                    if register.kind == RegisterKind::Ref && needed {
                        visit(self, at + frame::REGISTERS + u32::from(register.reg));
                    }
                }
            }
            topmost = self.memory.load(at + frame::DEST) & crate::frames::RETRY != 0;
            at = caller;
        }
    }

    /// Every word of an object that holds a reference.
    pub(crate) fn each_reference(&mut self, object: Address, visit: &mut dyn FnMut(&mut Self, Address)) {
        let class = self.program.class(self.class_of(object));
        if let ClassKind::Array(element) = class.kind {
            if !self.program.class(element).is_primitive() {
                for index in 0..self.array_length(object) {
                    visit(self, object + ARRAY_HEADER_WORDS + index);
                }
            }
            return;
        }
        for &offset in &class.references {
            visit(self, object + offset);
        }
    }
}

/// The object that a word refers to; a lock word refers to a monitor with its flag set.
fn target(word: u32) -> Address {
    word & !INFLATED
}

/// How full the heap may get before the next collection: half of what is free, or to the end when little is, so that
/// allocation itself finds the end and says `OutOfMemoryError`.
fn next_collection(free: Address, end: Address) -> Address {
    let left = end - free;
    if left < end / 16 { end } else { free + left / 2 }
}
