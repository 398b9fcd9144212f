//! What threads can get at, as words that can be compared: for those that are alike in all else.

use crate::encode::{GROUP_SHIFT, YOUNG};
use crate::layout::{OWNER_BITS, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::numbers::Numbers;
use crate::symmetry::is_loose;
use program::world::{ARRAY_HEADER_WORDS, ClassKind, HEADER_WORDS};
use std::cmp::Ordering;

/// Objects that others than loose threads get at, and those of one thread's view.
const OUTSIDE: u32 = 0;
const SIGNATURE: u32 = 1;

/// Kept by its owner, so that comparing does not allocate.
#[derive(Default)]
pub(crate) struct ThreadSignatures {
    numbers: Numbers,
    work: Vec<Address>,
    words: [Vec<u32>; 2],
    /// Whether objects that others get at have the numbers of the state at hand.
    begun: bool,
}

impl ThreadSignatures {
    /// The state is another one.
    pub(crate) fn begin(&mut self) {
        self.begun = false;
    }

    /// The number of an object in a group or one before it, given to it now if it has none.
    fn meet(&mut self, object: Address, group: u32) -> u32 {
        if let Some(known) = self.numbers.find(object, group) {
            return known;
        }
        let number = YOUNG | group << GROUP_SHIFT | self.work.len() as u32;
        self.numbers.enter(object, number, group);
        self.work.push(object);
        number
    }
}

impl Machine<'_> {
    /// Compares what two threads can get at.
    pub(crate) fn compare_signatures(&mut self, one: u32, two: u32, signatures: &mut ThreadSignatures) -> Ordering {
        if !std::mem::replace(&mut signatures.begun, true) {
            self.number_outside(signatures);
        }
        for (at, number) in [one, two].into_iter().enumerate() {
            let mut words = std::mem::take(&mut signatures.words[at]);
            words.clear();
            self.signature(number, signatures, &mut words);
            signatures.words[at] = words;
        }
        let [ones, twos] = &signatures.words;
        ones.cmp(twos)
    }

    /// Numbers the objects that others than loose threads get at, in the order in which these come to them.
    fn number_outside(&mut self, signatures: &mut ThreadSignatures) {
        signatures.numbers.begin();
        signatures.numbers.begin_group(OUTSIDE, false);
        signatures.work.clear();
        for at in self.root_words().to_vec() {
            let object = self.memory.load(at);
            if self.is_tracked(object) {
                signatures.meet(object, OUTSIDE);
            }
        }
        for number in 0..=self.highest_thread() {
            if !is_loose(number) && self.thread_word(number, thread::STATUS) != status::FREE {
                self.each_thread_root(number, |object| {
                    if self.is_tracked(object) {
                        signatures.meet(object, OUTSIDE);
                    }
                });
            }
        }
        let mut next = 0;
        while let Some(&object) = signatures.work.get(next) {
            next += 1;
            let mut meet = |value: Address| {
                if self.is_tracked(value) {
                    signatures.meet(value, OUTSIDE);
                }
            };
            let described = self.program.class(self.class_of(object));
            match self.is_thread(described) {
                true => {
                    let seen = described
                        .references
                        .iter()
                        .filter(|&&offset| offset != self.known.thread_name);
                    seen.for_each(|offset| meet(self.memory.load(object + offset)));
                }
                false => self.references_of(object, meet),
            }
        }
    }

    /// What a thread can get at, in words that do not depend on where objects lie: those that others get at by their numbers, the rest
    /// in the order in which the thread comes to them.
    fn signature(&self, number: u32, signatures: &mut ThreadSignatures, out: &mut Vec<u32>) {
        signatures.numbers.begin_group(SIGNATURE, false);
        signatures.work.clear();
        self.each_thread_root(number, |object| out.push(self.seen(object, signatures)));
        let mut next = 0;
        while let Some(&object) = signatures.work.get(next) {
            next += 1;
            out.push(self.memory.load(object));
            let lock = self.memory.load(self.lock_cell(object));
            out.extend([lock >> OWNER_BITS, self.owner_kind(number, lock)]);
            self.signature_words(object, signatures, out);
        }
    }

    /// The words of an object after its header as they count in a view.
    fn signature_words(&self, object: Address, signatures: &mut ThreadSignatures, out: &mut Vec<u32>) {
        let described = self.program.class(self.class_of(object));
        let start = out.len();
        if let ClassKind::Array(element) = described.kind {
            let count = self.object_words(object) - ARRAY_HEADER_WORDS;
            out.push(self.array_length(object));
            out.extend_from_slice(self.memory.words(object + ARRAY_HEADER_WORDS, count));
            if !self.program.class(element).is_primitive() {
                for word in &mut out[start + 1..] {
                    *word = self.seen(*word, signatures);
                }
            }
            return;
        }
        out.extend_from_slice(self.memory.words(object + HEADER_WORDS, described.words - HEADER_WORDS));
        let at = |offset: u32| start + (offset - HEADER_WORDS) as usize;
        for offset in self
            .caches(self.class_of(object))
            .into_iter()
            .filter(|&offset| offset != 0)
        {
            out[at(offset)] = 0;
        }
        if self.is_thread(described) {
            for offset in self.names_of_threads() {
                out[at(offset)] = 0;
            }
        }
        for &offset in &described.references {
            out[at(offset)] = self.seen(out[at(offset)], signatures);
        }
    }

    fn seen(&self, object: Address, signatures: &mut ThreadSignatures) -> u32 {
        match self.is_tracked(object) {
            true => signatures.meet(object, SIGNATURE),
            false => object,
        }
    }
}
