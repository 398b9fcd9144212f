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
const VIEW: u32 = 1;

/// Kept by its owner, so that comparing does not allocate.
#[derive(Default)]
pub(crate) struct Views {
    numbers: Numbers,
    work: Vec<Address>,
    words: [Vec<u32>; 2],
    /// Whether objects that others get at have the numbers of the state at hand.
    begun: bool,
}

impl Views {
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
    pub(crate) fn compare_views(&mut self, one: u32, two: u32, views: &mut Views) -> Ordering {
        if !std::mem::replace(&mut views.begun, true) {
            self.number_outside(views);
        }
        for (at, number) in [one, two].into_iter().enumerate() {
            let mut words = std::mem::take(&mut views.words[at]);
            words.clear();
            self.view(number, views, &mut words);
            views.words[at] = words;
        }
        let [ones, twos] = &views.words;
        ones.cmp(twos)
    }

    /// Numbers the objects that others than loose threads get at, in the order in which these come to them.
    fn number_outside(&mut self, views: &mut Views) {
        views.numbers.begin();
        views.numbers.begin_group(OUTSIDE, false);
        views.work.clear();
        for at in self.root_words().to_vec() {
            let object = self.memory.load(at);
            if self.is_tracked(object) {
                views.meet(object, OUTSIDE);
            }
        }
        for number in 0..=self.highest_thread() {
            if !is_loose(number) && self.thread_word(number, thread::STATUS) != status::FREE {
                self.each_thread_root(number, |object| {
                    if self.is_tracked(object) {
                        views.meet(object, OUTSIDE);
                    }
                });
            }
        }
        let mut next = 0;
        while let Some(&object) = views.work.get(next) {
            next += 1;
            let mut meet = |value: Address| {
                if self.is_tracked(value) {
                    views.meet(value, OUTSIDE);
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
    fn view(&self, number: u32, views: &mut Views, out: &mut Vec<u32>) {
        views.numbers.begin_group(VIEW, false);
        views.work.clear();
        self.each_thread_root(number, |object| out.push(self.seen(object, views)));
        let mut next = 0;
        while let Some(&object) = views.work.get(next) {
            next += 1;
            out.push(self.memory.load(object));
            let lock = self.memory.load(self.lock_cell(object));
            out.extend([lock >> OWNER_BITS, self.owner_kind(number, lock)]);
            self.view_words(object, views, out);
        }
    }

    /// The words of an object after its header as they count in a view.
    fn view_words(&self, object: Address, views: &mut Views, out: &mut Vec<u32>) {
        let described = self.program.class(self.class_of(object));
        let start = out.len();
        if let ClassKind::Array(element) = described.kind {
            let count = self.object_words(object) - ARRAY_HEADER_WORDS;
            out.push(self.array_length(object));
            out.extend_from_slice(self.memory.words(object + ARRAY_HEADER_WORDS, count));
            if !self.program.class(element).is_primitive() {
                for word in &mut out[start + 1..] {
                    *word = self.seen(*word, views);
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
            out[at(offset)] = self.seen(out[at(offset)], views);
        }
    }

    fn seen(&self, object: Address, views: &mut Views) -> u32 {
        match self.is_tracked(object) {
            true => views.meet(object, VIEW),
            false => object,
        }
    }
}
