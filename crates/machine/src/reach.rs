//! Which thread can get hold of which object in a state.
//!
//! Young objects are labelled with the one thread that reaches them, or as shared: one traversal for all threads, made at most
//! once a state and only when somebody asks. Objects of the start-up image count as shared; those of its words that have
//! changed are where its references to young objects lie. The one exception is the main thread's own object, to which the image
//! refers only in lists of threads that nobody looks at (`Machine::find_main_object`).

use crate::encode::each_live;
use crate::frames::RETRY;
use crate::layout::{HEAP, OWNER_MASK, frame, status, thread, thread_record};
use crate::machine::Machine;
use crate::memory::Address;
use program::ir::RegisterKind;
use program::world::ClassKind;

/// More than one thread, or a thread and what all share.
const SHARED: u32 = u32::MAX;

/// The labels of the objects of one state.
#[derive(Default)]
pub(crate) struct Reach {
    slots: Vec<Slot>,
    used: usize,
    stamp: u64,
    work: Vec<Address>,
    /// Whether the labels are those of the state at hand.
    pub valid: bool,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    address: Address,
    label: u32,
    stamp: u64,
}

impl Reach {
    fn begin(&mut self) {
        if self.slots.is_empty() {
            self.slots.resize(1 << 8, Slot::default());
        }
        self.stamp += 1;
        self.used = 0;
    }

    fn place(&self, address: Address) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (address.wrapping_mul(0x9e37_79b9) >> 7) as usize & mask;
        while self.slots[at].stamp == self.stamp && self.slots[at].address != address {
            at = (at + 1) & mask;
        }
        at
    }

    fn label(&self, address: Address) -> Option<u32> {
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
            Some(_) => SHARED,
        };
        self.slots[at] = Slot {
            address,
            label: merged,
            stamp: self.stamp,
        };
        self.work.push(address);
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

impl Machine<'_> {
    /// Whether only this thread reaches a young object.
    pub(crate) fn is_reached_by_one(&mut self, number: u32, object: Address) -> bool {
        if !self.reach.valid {
            let mut reach = std::mem::take(&mut self.reach);
            self.label_all(&mut reach);
            reach.valid = true;
            self.reach = reach;
        }
        self.reach.label(object).is_none_or(|label| label == number)
    }

    fn label_all(&mut self, reach: &mut Reach) {
        reach.begin();
        for at in self.shared_roots() {
            reach.meet(self.memory.load(at), SHARED);
        }
        self.follow(reach, |_| true);
        for number in 0..=self.highest_thread() {
            if self.thread_word(number, thread::STATUS) == status::FREE {
                continue;
            }
            self.each_thread_root(number, |object| {
                if self.is_tracked(object) {
                    reach.meet(object, number);
                }
            });
            self.follow(reach, |_| true);
        }
    }

    /// Whether every way of another thread to a young object goes through one that `guards`.
    pub(crate) fn is_shielded(
        &mut self,
        number: u32,
        object: Address,
        guards: impl Fn(&Self, Address) -> bool,
    ) -> bool {
        let mut reach = std::mem::take(&mut self.shield);
        reach.begin();
        for at in self.shared_roots() {
            reach.meet(self.memory.load(at), SHARED);
        }
        for other in 0..=self.highest_thread() {
            if other != number && self.thread_word(other, thread::STATUS) != status::FREE {
                self.each_thread_root(other, |root| {
                    if self.is_tracked(root) {
                        reach.meet(root, SHARED);
                    }
                });
            }
        }
        self.follow(&mut reach, |object| !guards(self, object));
        let shielded = reach.label(object).is_none();
        self.shield = reach;
        shielded
    }

    /// Follows the references of what was met, as far as `passes` lets it.
    fn follow(&self, reach: &mut Reach, passes: impl Fn(Address) -> bool) {
        while let Some(object) = reach.work.pop() {
            if !passes(object) {
                continue;
            }
            let Some(label) = reach.label(object) else { continue };
            self.references_of(object, |value| {
                if self.is_tracked(value) {
                    reach.meet(value, label);
                }
            });
        }
    }

    /// Whether it is asked who reaches an object: of the image, only the main thread's.
    pub(crate) fn is_tracked(&self, object: Address) -> bool {
        object >= self.memory.image_end() || object == self.main_object && object != 0
    }

    /// The words outside of tracked objects and threads that refer to tracked objects now.
    fn shared_roots(&mut self) -> Vec<Address> {
        let main = self.main_object;
        let main_end = if main == 0 { 0 } else { main + self.object_words(main) };
        let touched = self.memory.touched().to_vec();
        let is_root = |&at: &Address| {
            crate::encode::bit(&self.roles.references, at)
                && self.is_tracked(self.memory.load(at))
                && !(main..main_end).contains(&at)
        };
        touched.into_iter().filter(is_root).collect()
    }

    /// The main thread's own object, if the image refers to it in lists of threads only.
    pub(crate) fn find_main_object(&mut self) -> Address {
        let main = self.thread_word(0, thread::OBJECT);
        let end = self.memory.image_end();
        if !(HEAP..end).contains(&main) {
            return 0;
        }
        let mut at = HEAP;
        while at < end {
            let mut refers = false;
            self.references_of(at, |value| refers |= value == main);
            let is_list = &*self.program.class(self.class_of(at)).name == "[Ljava/lang/Thread;";
            if refers && !is_list && at != main {
                return 0;
            }
            at += self.object_words(at);
        }
        main
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
        let mut at = self.top_frame(number);
        let mut before = true;
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
    pub(crate) fn is_locked_by(&self, object: Address, number: u32) -> bool {
        self.memory.load(self.lock_cell(object)) & OWNER_MASK == number + 1
    }
}
