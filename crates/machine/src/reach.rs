//! Which thread can get hold of which object in a state.
//!
//! Young objects are labelled with the one thread that reaches them, or as shared: one traversal for all threads, made at most
//! once a state, and only as far as somebody asks. What others reach than the thread that moves stays as it is as long as the
//! thread moves on and changes no reference that they might follow, so that is kept for longer. Objects of the start-up image count as shared; those of its words that have
//! changed are where its references to young objects lie. The one exception is the main thread's own object, to which the image
//! refers only in lists of threads that nobody looks at, and its holder, to which only that refers (`Machine::find_main_objects`).

use crate::encode::each_live;
use crate::frames::RETRY;
use crate::layout::{CLASSES, ESCAPED, HEAP, OWNER_MASK, THREAD_WORDS, THREADS, frame, status, thread, thread_record};
use crate::machine::Machine;
use crate::memory::Address;
use program::ir::RegisterKind;
use program::world::ClassKind;

/// More than one thread, or a thread and what all share.
pub(crate) const SHARED: u32 = u32::MAX;

/// The labels of the objects of one state, as far as they had to be found.
#[derive(Default)]
pub(crate) struct Reach {
    slots: Vec<Slot>,
    used: usize,
    stamp: u64,
    /// What was met, in order, each with its label then, and how much of it was followed.
    work: Vec<(Address, u32)>,
    followed: usize,
    /// Whose roots were met: those that all share, then those of each thread.
    begun: Vec<bool>,
    /// Whether the labels are those of the state at hand.
    pub valid: bool,
    /// Whether labels are sets of threads, a bit each, and not single ones.
    pub sets: bool,
}

/// The words of the image that hold references and were ever written.
#[derive(Default)]
pub(crate) struct Roots {
    words: Vec<Address>,
    /// How many words had been written when these were found.
    seen: usize,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    address: Address,
    label: u32,
    stamp: u64,
}

impl Reach {
    pub(crate) fn begin(&mut self) {
        if self.slots.is_empty() {
            self.slots.resize(1 << 8, Slot::default());
        }
        self.stamp += 1;
        self.used = 0;
        self.work.clear();
        self.followed = 0;
        self.begun.clear();
    }

    /// What was met and is to be followed next.
    pub(crate) fn take(&mut self) -> Option<(Address, u32)> {
        let next = self.work.get(self.followed).copied();
        self.followed += usize::from(next.is_some());
        next
    }

    fn place(&self, address: Address) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (address.wrapping_mul(0x9e37_79b9) >> 7) as usize & mask;
        while self.slots[at].stamp == self.stamp && self.slots[at].address != address {
            at = (at + 1) & mask;
        }
        at
    }

    pub(crate) fn label(&self, address: Address) -> Option<u32> {
        let slot = self.slots.get(self.place(address))?;
        (slot.stamp == self.stamp).then_some(slot.label)
    }

    /// Meets an object on the way from what `label` stands for; it must be followed if that is news.
    fn meet(&mut self, address: Address, label: u32) {
        let at = self.place(address);
        let known = (self.slots[at].stamp == self.stamp).then_some(self.slots[at].label);
        let merged = match known {
            None => label,
            Some(old) if old == label || old == SHARED => return,
            Some(old) if self.sets && old | label == old => return,
            Some(old) if self.sets => old | label,
            Some(_) => SHARED,
        };
        self.slots[at] = Slot {
            address,
            label: merged,
            stamp: self.stamp,
        };
        self.work.push((address, merged));
        if known.is_none() {
            self.used += 1;
            if self.used * 2 > self.slots.len() {
                self.grow();
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old.into_iter().filter(|slot| slot.stamp == self.stamp) {
            let at = self.place(slot.address);
            self.slots[at] = slot;
        }
    }
}

/// Where every way to an object begins: for tests that reach objects in wrong ways, and must be caught.
#[doc(hidden)]
pub struct Origins {
    /// What all threads share.
    pub shared: Vec<Address>,
    /// What each live thread holds on to, its own object first.
    pub threads: Vec<(u32, Vec<Address>)>,
}

#[doc(hidden)]
impl Machine<'_> {
    pub fn origins(&mut self) -> Origins {
        self.find_roots();
        let shared = self.roots.words.iter().map(|&at| self.memory.load(at)).collect();
        let is_live = |number: &u32| self.thread_word(*number, thread::STATUS) != status::FREE;
        let roots_of = |number| {
            let mut roots = Vec::new();
            self.each_thread_root(number, |object| roots.push(object));
            (number, roots)
        };
        let threads = (0..=self.highest_thread()).filter(is_live).map(roots_of).collect();
        Origins { shared, threads }
    }

    /// The objects that can be asked about among those that one refers to.
    pub fn tracked_references(&self, object: Address) -> Vec<Address> {
        let mut references = Vec::new();
        self.references_of(object, |value| references.push(value));
        references.retain(|&value| self.is_tracked(value));
        references
    }
}

impl Machine<'_> {
    /// The state is another one: who reached what is forgotten.
    #[inline]
    pub(crate) fn forget_reach(&mut self) {
        self.reach.valid = false;
        self.holders.valid = false;
        self.others.valid = false;
    }

    /// The same, where only this thread has moved, forward or back. If it has not stirred ([`Machine::stirs`]), the others reach what
    /// they reached before.
    #[inline]
    pub(crate) fn forget_reach_of(&mut self, number: u32, stirs: bool) {
        let kept = self.others.valid && self.others_than == number && !stirs;
        self.forget_reach();
        self.others.valid = kept;
    }

    /// Whether the current step may have changed what others than its thread reach.
    ///
    /// SOUNDNESS: what they reach are the objects that one comes to from their variables, from what they wait at, and from words outside
    /// of objects. A step changes no variables but its own thread's, and whatever word it changes elsewhere is logged, except in
    /// objects that are younger than the step, to which only such a word or a variable can lead.
    pub(crate) fn stirs(&self, number: u32) -> bool {
        let (limit, top) = (self.memory.limit(), self.memory.top());
        let leads = |value: Address| self.is_tracked(value) && value < top;
        self.memory.step_log().iter().any(|&(at, old)| match at {
            _ if at >= limit => false,
            THREADS..CLASSES => {
                let (of, word) = ((at - THREADS) / THREAD_WORDS, (at - THREADS) % THREAD_WORDS);
                let is_root = matches!(word, thread::OBJECT | thread::STATUS | thread::BLOCKER | thread::FRAME);
                is_root && (of != number || self.semantics.counts_threads)
            }
            _ => leads(old) || leads(self.memory.load(at)),
        })
    }

    /// Whether only this thread reaches a young object.
    pub fn is_reached_by_one(&mut self, number: u32, object: Address) -> bool {
        self.find_reached_by_one(number, object, usize::MAX) == Some(true)
    }

    /// The same, if it is found out by following `most` objects.
    ///
    /// The traversal stops where it is known that another does, and goes on from there when it is asked again. What the thread itself
    /// reaches is only followed where another one is asked about.
    pub(crate) fn find_reached_by_one(&mut self, number: u32, object: Address, most: usize) -> Option<bool> {
        // Who has moved last will most likely move on.
        let moves = number == self.current;
        if moves && self.others_than != number {
            self.others_than = number;
            self.others.valid = false;
        }
        let mut reach = std::mem::take(if moves { &mut self.others } else { &mut self.reach });
        if !reach.valid {
            reach.begin();
            reach.begun.resize(self.highest_thread() as usize + 2, false);
            reach.valid = true;
        }
        let own = number as usize + 1;
        let end = reach.followed.saturating_add(most);
        let alone = loop {
            if reach.label(object).is_some_and(|label| label != number) {
                break Some(false);
            }
            if reach.followed == end {
                break None;
            }
            if let Some(met) = reach.take() {
                self.follow(&mut reach, met);
                continue;
            }
            let mut left = reach.begun.iter().enumerate();
            let Some((next, _)) = left.find(|&(whose, &begun)| !begun && whose != own) else {
                break Some(true);
            };
            reach.begun[next] = true;
            match next as u32 {
                0 => self.meet_shared(&mut reach),
                thread => self.meet_roots(&mut reach, thread - 1, thread - 1),
            }
        };
        *(if moves { &mut self.others } else { &mut self.reach }) = reach;
        alone
    }

    /// Whether every way of another thread to a young object goes through one that `guards`.
    pub(crate) fn is_shielded(
        &mut self,
        number: u32,
        object: Address,
        guards: impl Fn(&Self, Address) -> bool,
    ) -> bool {
        // Where nothing is a guard, it is the same as being local.
        let mut guarded = false;
        self.each_thread_root(number, |root| {
            guarded |= root != 0 && self.is_locked_by(root, number) && guards(self, root);
        });
        if !guarded {
            return self.is_reached_by_one(number, object);
        }
        let mut reach = std::mem::take(&mut self.shield);
        reach.begin();
        self.meet_shared(&mut reach);
        for other in 0..=self.highest_thread() {
            if other != number {
                self.meet_roots(&mut reach, other, SHARED);
            }
        }
        while let Some(met) = reach.take()
            && reach.label(object).is_none()
        {
            if !guards(self, met.0) {
                self.follow(&mut reach, met);
            }
        }
        let shielded = reach.label(object).is_none();
        self.shield = reach;
        shielded
    }

    /// The young objects that were ever shared and that some thread can still get hold of.
    pub(crate) fn shared_objects(&mut self) -> Vec<Address> {
        let mut reach = std::mem::take(&mut self.shield);
        reach.begin();
        self.meet_shared(&mut reach);
        for number in 0..=self.highest_thread() {
            self.meet_roots(&mut reach, number, SHARED);
        }
        while let Some(met) = reach.take() {
            self.follow(&mut reach, met);
        }
        let met = reach.work.iter().map(|&(object, _)| object);
        let shared = met.filter(|&object| self.has_flag(object, ESCAPED)).collect();
        self.shield = reach;
        shared
    }

    /// Meets what an object leads to.
    pub(crate) fn follow(&self, reach: &mut Reach, (object, label): (Address, u32)) {
        self.references_of(object, |value| {
            if self.is_tracked(value) {
                reach.meet(value, label);
            }
        });
    }

    /// Meets what a thread holds on to by itself.
    pub(crate) fn meet_roots(&self, reach: &mut Reach, number: u32, label: u32) {
        if self.thread_word(number, thread::STATUS) == status::FREE {
            return;
        }
        self.each_thread_root(number, |object| {
            if self.is_tracked(object) {
                reach.meet(object, label);
            }
        });
    }

    /// Meets what the running thread holds on to by itself, but for the frames of `Thread`'s own methods that are on top.
    pub(crate) fn meet_caller_roots(&self, reach: &mut Reach) {
        let mut meet = |object: Address| {
            if self.is_tracked(object) {
                reach.meet(object, SHARED);
            }
        };
        meet(self.thread_word(self.current, thread::OBJECT));
        let (mut at, mut before) = (self.fp, true);
        while at != 0 && self.program.method(self.frame_at(at).0).class == self.known.thread {
            before = self.memory.load(at + frame::DEST) & RETRY != 0;
            at = self.frame_at(at).2;
        }
        self.each_variable_from(at, before, meet);
    }

    /// Meets what the words outside of tracked objects and threads refer to.
    pub(crate) fn meet_shared(&mut self, reach: &mut Reach) {
        self.find_roots();
        for &at in &self.roots.words {
            let object = self.memory.load(at);
            if self.is_tracked(object) {
                reach.meet(object, SHARED);
            }
        }
        // Who asks which threads there are gets hold of all of them.
        let asked = if self.semantics.counts_threads {
            self.highest_thread() + 1
        } else {
            0
        };
        for number in 0..asked {
            let object = self.thread_word(number, thread::OBJECT);
            if self.thread_word(number, thread::STATUS) != status::FREE && self.is_tracked(object) {
                reach.meet(object, SHARED);
            }
        }
    }

    /// The words of the image that hold references and were ever written, ascending.
    pub(crate) fn root_words(&mut self) -> &[Address] {
        self.find_roots();
        &self.roots.words
    }

    fn find_roots(&mut self) {
        let known = self.memory.touched_count();
        if self.roots.seen != known {
            let mains = self.main_objects.map(|object| match object {
                0 => 0..0,
                _ => object..object + self.object_words(object),
            });
            let references = &self.roles.references;
            let is_root =
                |&&at: &&Address| crate::encode::bit(references, at) && !mains.iter().any(|words| words.contains(&at));
            self.roots.words.clear();
            self.roots.words.extend(self.memory.touched().iter().filter(is_root));
            self.roots.seen = known;
        }
    }

    /// Whether it is asked who reaches an object: of the image, only the main thread's.
    pub fn is_tracked(&self, object: Address) -> bool {
        object >= self.memory.image_end() || object != 0 && self.main_objects.contains(&object)
    }

    /// The main thread's own object, if the image refers to it in lists of threads only, and its holder, if nothing else refers to
    /// that; 0 for what is not so.
    pub(crate) fn find_main_objects(&mut self) -> [Address; 2] {
        let main = self.thread_word(0, thread::OBJECT);
        let image = HEAP..self.memory.image_end();
        if !image.contains(&main) {
            return [0; 2];
        }
        let holder = self.holder(main).filter(|holder| image.contains(holder)).unwrap_or(0);
        let (mut is_alone, mut is_held) = (true, holder != 0);
        let mut at = image.start;
        while at < image.end {
            if at != main {
                let (mut refers, mut holds) = (false, false);
                self.references_of(at, |value| {
                    refers |= value == main;
                    holds |= value == holder;
                });
                is_alone &= !refers || &*self.program.class(self.class_of(at)).name == "[Ljava/lang/Thread;";
                is_held &= !holds;
            }
            at += self.object_words(at);
        }
        match is_alone {
            true => [main, if is_held { holder } else { 0 }],
            false => [0; 2],
        }
    }

    /// The objects that a thread holds on to by itself: its live variables, what it waits for, its own object.
    pub(crate) fn each_thread_root(&self, number: u32, mut visit: impl FnMut(Address)) {
        let record = thread_record(number);
        visit(self.memory.load(record + thread::OBJECT));
        if matches!(
            self.memory.load(record + thread::STATUS),
            status::BLOCKED | status::WAITING | status::REACQUIRING | status::PARKED
        ) {
            visit(self.memory.load(record + thread::BLOCKER));
        }
        self.each_variable(number, visit);
    }

    /// The objects in a thread's variables, as far as it may still use them.
    pub(crate) fn each_variable(&self, number: u32, visit: impl FnMut(Address)) {
        self.each_variable_from(self.top_frame(number), true, visit);
    }

    /// The same from a frame down, whose instruction is yet to run if it is `before` that.
    fn each_variable_from(&self, mut at: Address, mut before: bool, mut visit: impl FnMut(Address)) {
        while at != 0 {
            let (id, pc, caller) = self.frame_at(at);
            if let Ok(code) = self.program.code(self.program.method(id)) {
                each_live(code, pc, before, |register, kind| {
                    if kind == RegisterKind::Ref {
                        visit(self.memory.load(at + frame::REGISTERS + u32::from(register)));
                    }
                });
            }
            before = self.memory.load(at + frame::DEST) & RETRY != 0;
            at = caller;
        }
    }

    /// The references that an object holds.
    pub(crate) fn references_of(&self, object: Address, mut visit: impl FnMut(Address)) {
        let class = self.program.class(self.class_of(object));
        if let ClassKind::Array(element) = class.kind {
            if !self.program.class(element).is_primitive() {
                for index in 0..self.array_length(object) {
                    visit(self.element(object, index));
                }
            }
            return;
        }
        for &offset in &class.references {
            visit(self.memory.load(object + offset));
        }
    }

    /// Whether a thread has the lock of an object.
    pub fn is_locked_by(&self, object: Address, number: u32) -> bool {
        self.memory.load(self.lock_cell(object)) & OWNER_MASK == number + 1
    }
}
