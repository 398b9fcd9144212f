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
use crate::reachability::{Reach, SHARED, Whose};
use program::ir::RegisterKind;
use program::world::ClassKind;

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
        let shared = self.root_words().to_vec();
        let shared = shared.iter().map(|&at| self.memory.load(at)).collect();
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
        let moves = number == self.current();
        let mut reach = self.reachability.take_for(number, moves);
        reach.begin_state(self.highest_thread() + 1);
        let end = reach.followed().saturating_add(most);
        let alone = loop {
            if reach.label(object).is_some_and(|label| label != number) {
                break Some(false);
            }
            if reach.followed() == end {
                break None;
            }
            if let Some(met) = reach.take() {
                self.follow(&mut reach, met);
                continue;
            }
            match reach.next_roots(number) {
                None => break Some(true),
                Some(Whose::Shared) => self.meet_shared(&mut reach),
                Some(Whose::Thread(thread)) => self.meet_roots(&mut reach, thread, thread),
            }
        };
        self.reachability.put_back(reach, moves);
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
        let mut reach = self.reachability.take_room();
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
        self.reachability.put_room(reach);
        shielded
    }

    /// The young objects that were ever shared and that some thread can still get hold of.
    pub(crate) fn shared_objects(&mut self) -> Vec<Address> {
        let mut reach = self.reachability.take_room();
        self.meet_shared(&mut reach);
        for number in 0..=self.highest_thread() {
            self.meet_roots(&mut reach, number, SHARED);
        }
        while let Some(met) = reach.take() {
            self.follow(&mut reach, met);
        }
        let shared = reach.met().filter(|&object| self.has_flag(object, ESCAPED)).collect();
        self.reachability.put_room(reach);
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
        meet(self.thread_word(self.current(), thread::OBJECT));
        let (mut at, mut before) = (self.fp(), true);
        while at != 0 && self.program.method(self.frame_at(at).0).class == self.known.thread {
            before = self.memory.load(at + frame::DEST) & RETRY != 0;
            at = self.frame_at(at).2;
        }
        self.each_variable_from(at, before, meet);
    }

    /// Meets what the words outside of tracked objects and threads refer to.
    pub(crate) fn meet_shared(&mut self, reach: &mut Reach) {
        self.reachability.find_roots(&mut self.memory, &self.roles);
        for &at in self.reachability.roots() {
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
        self.reachability.find_roots(&mut self.memory, &self.roles);
        self.reachability.roots()
    }

    /// Whether it is asked who reaches an object: of the image, only the main thread's.
    pub fn is_tracked(&self, object: Address) -> bool {
        object >= self.memory.image_end() || self.reachability.is_main(object)
    }

    /// The main thread's own object, if the image refers to it in lists of threads only, and its holder, if nothing else refers to
    /// that.
    pub(crate) fn find_main_objects(&self) -> [Option<Address>; 2] {
        let main = self.thread_word(0, thread::OBJECT);
        let image = HEAP..self.memory.image_end();
        if !image.contains(&main) {
            return [None; 2];
        }
        let holder = self.holder(main).filter(|holder| image.contains(holder));
        let (mut is_alone, mut is_held) = (true, true);
        let mut at = image.start;
        while at < image.end {
            if at != main {
                let (mut refers, mut holds) = (false, false);
                self.references_of(at, |value| {
                    refers |= value == main;
                    holds |= Some(value) == holder;
                });
                is_alone &= !refers || &*self.program.class(self.class_of(at)).name == "[Ljava/lang/Thread;";
                is_held &= !holds;
            }
            at += self.object_words(at);
        }
        match is_alone {
            true => [Some(main), holder.filter(|_| is_held)],
            false => [None; 2],
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
