//! Which objects were ever shared: a bit in their header that is set once and never cleared, part of the state.
//!
//! An object escapes when a reference to it is stored into something that has escaped, and with it all that it leads to. In
//! a program's own code that can only happen in the visible instruction with which a step begins: everything else in a step touches
//! objects of the thread's own, or none. So it is enough to look at what the step was about to write, once that instruction
//! has done so and before the next one. What the machine itself stores where every thread finds it goes through `store_root`.
//!
//! As long as a thread is alone, nothing is marked: what others will be able to reach is found when it starts one.

use crate::layout::{CLASSES, ESCAPED, PROVED};
use crate::machine::Machine;
use crate::memory::Address;
use crate::native::Touches;
use crate::special;
use crate::system::{Action, What};
use crate::transitions::Next;
use kernel::{Instrumentation, Location, ThreadId, Transitions};
use program::ir::Instr;

impl Machine<'_> {
    /// Before a step: notes what it is about to write.
    pub(crate) fn note_written(&mut self, action: Action) {
        let next = self.next_instruction(action.thread);
        self.note_footprint(action, |machine, transitions| {
            machine.footprint(action.thread, next, transitions);
        });
    }

    /// In the midst of a step: notes what the running thread is about to write with its next instruction.
    pub(crate) fn note_next(&mut self, next: Next) {
        let go = Action {
            thread: self.current(),
            what: What::Go,
        };
        self.note_footprint(go, |machine, transitions| {
            machine.instruction_footprint(go.thread, next, transitions);
        });
    }

    fn note_footprint(&mut self, action: Action, footprint: impl FnOnce(&mut Self, &mut Transitions<Action>)) {
        let mut transitions = self.step.take_room();
        transitions.add(ThreadId(action.thread), action, true);
        footprint(self, &mut transitions);
        let wild = self.is_wild(action.thread);
        self.step.note_written(&transitions, wild);
        self.step.put_room(transitions);
    }

    /// Whether a thread is about to call a native method of which nobody knows what it accesses.
    pub(crate) fn is_wild(&mut self, number: u32) -> bool {
        let Some(next) = self.next_instruction(number) else {
            return false;
        };
        let Instr::Special { op, .. } = next.instr else {
            return false;
        };
        let touches = self.bind(next.method).map_or(Touches::Unknown, |bound| bound.touches);
        op == special::NATIVE && (touches == Touches::Unknown || self.is_odd(next.fp, touches))
    }

    /// After the visible instruction of a step: what it has published has escaped.
    #[inline]
    pub(crate) fn mark_escaped(&mut self) {
        if self.semantics.has(Instrumentation::ESCAPE_BITS) {
            self.mark_written();
        }
    }

    fn mark_written(&mut self) {
        let number = self.current();
        let image_end = self.memory.image_end();
        let mut work = self.step.take_escaping();
        for &(at, _) in self.memory.step_log() {
            if (CLASSES..image_end).contains(&at) && crate::encode::bit(&self.roles.references, at) {
                work.push(self.memory.load(at));
            }
        }
        for touch in self.step.written().iter().filter(|touch| !touch.access.is_read()) {
            let Location { object, cell } = touch.location;
            let is_young = image_end <= object && object < self.memory.top();
            if !is_young || cell == Location::MONITOR || !self.has_flag(object, ESCAPED) {
                continue;
            }
            let class = self.program.class(self.class_of(object));
            if cell == Location::WHOLE || class.is_array() {
                self.references_of(object, |value| work.push(value));
            } else if class.references.contains(&cell) {
                work.push(self.memory.load(object + cell));
            }
        }
        if self.step.is_wild() {
            self.each_thread_root(number, |value| work.push(value));
        }
        self.escape_all(&mut work);
        self.step.put_escaping(work);
    }

    /// Stores a reference where every thread finds it.
    pub(crate) fn store_root(&mut self, at: Address, object: Address) {
        self.memory.store(at, object);
        self.escape(object);
    }

    /// Makes an object one that others may have seen, and all that it leads to.
    pub(crate) fn escape(&mut self, object: Address) {
        if !self.stepping || !self.semantics.has(Instrumentation::ESCAPE_BITS) {
            return;
        }
        let mut work = self.step.take_escaping();
        work.push(object);
        self.escape_all(&mut work);
        self.step.put_escaping(work);
    }

    /// A thread that was alone is about to start another one: what that will be able to reach has escaped.
    ///
    /// SOUNDNESS: that is all that the image leads to. And what has escaped leads only to what has: `escape_all` rests on that, so
    /// what was stored into such an object while nobody looked has escaped, too.
    pub(crate) fn escape_shared(&mut self) {
        if !self.semantics.has(Instrumentation::ESCAPE_BITS) {
            return;
        }
        let escaped = self.shared_objects();
        let mut work = self.step.take_escaping();
        for object in escaped {
            self.references_of(object, |value| work.push(value));
        }
        let image_end = self.memory.image_end();
        for position in 0..self.memory.touched().len() {
            let at = self.memory.touched()[position];
            if (CLASSES..image_end).contains(&at) && crate::encode::bit(&self.roles.references, at) {
                work.push(self.memory.load(at));
            }
        }
        self.escape_all(&mut work);
        self.step.put_escaping(work);
    }

    fn escape_all(&mut self, work: &mut Vec<Address>) {
        // SOUNDNESS: no program can tell which objects are known to be shared.
        self.settled_mut(|machine| machine.mark_all(work));
    }

    fn mark_all(&mut self, work: &mut Vec<Address>) {
        let image_end = self.memory.image_end();
        if image_end == 0 {
            // There is no image yet, and all that is there now will be in it: that counts as shared anyway.
            return work.clear();
        }
        while let Some(object) = work.pop() {
            if object >= image_end && !self.has_flag(object, ESCAPED) {
                let header = self.memory.load(object);
                self.memory.store(object, header | ESCAPED);
                self.references_of(object, |value| work.push(value));
            }
        }
    }

    pub(crate) fn has_flag(&self, object: Address, flag: u32) -> bool {
        self.memory.load(object) & flag != 0
    }

    /// Whether no thread but the running one has ever been able to reach an object.
    #[inline(always)]
    pub(crate) fn is_own(&self, object: Address) -> bool {
        let header = || self.memory.load(object);
        let semantics = &self.semantics;
        (semantics.runs_through() || semantics.runs_through_proved())
            && object >= self.memory.image_end()
            && (semantics.runs_through() && header() & ESCAPED == 0
                || semantics.runs_through_proved() && header() & PROVED != 0)
    }
}
