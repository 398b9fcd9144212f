//! Propositions about Java programs: conditions over static fields and what can be reached from them, and threads that are done.
//!
//! They are the conditions of a discipline (`discipline`) without those of one thread or one object. Where a condition has no value, as behind
//! a null or before the class of a static field is prepared, it does not hold.
//!
//! SOUNDNESS: a step is invisible to a proposition only if it writes no field, element or lock that the condition looks at, whatever object it
//! belongs to. What no other thread can reach is in no footprint, but neither is it reached from a static field; a step that publishes such an
//! object writes a field on the way to it. What a thread writes alone is in no footprint either, nor is, perhaps, what the initialiser of a
//! class writes: such steps are visible.

use crate::discipline::{Looks, When};
use crate::layout::{self, class, class_record, init};
use crate::machine::Machine;
use crate::special;
use crate::system::{Action, Java};
use kernel::{Propositions, Transition, Transitions};
use program::ir::Instr;
use program::world::ClassId;

/// A condition over states, with what it looks at.
#[derive(Clone, Debug)]
pub struct Proposition {
    when: When,
    looks: Looks,
    /// The classes whose static fields it looks at.
    classes: Vec<ClassId>,
    /// Whether it asks if a thread is done.
    ends: bool,
}

impl Proposition {
    /// The proposition that a condition holds, which is about no thread and no object of its own.
    pub fn new(when: When) -> Proposition {
        let mut looks = Looks::default();
        let (mut classes, mut ends) = (Vec::new(), false);
        when.each(&mut |part| match part {
            When::Static(class, name) => {
                classes.push(*class);
                looks.fields.push(name.clone());
            }
            When::Field(_, name) => looks.fields.push(name.clone()),
            When::Element(..) => looks.elements = true,
            When::Owner(_) => looks.owners = true,
            When::Permits(_) => looks.fields.extend(["sync", "state"].map(str::to_owned)),
            When::Done(_) => ends = true,
            _ => {}
        });
        Proposition {
            when,
            looks,
            classes,
            ends,
        }
    }
}

impl Machine<'_> {
    /// The object of the main thread, before the first step: it is there for good.
    pub fn main_thread(&self) -> When {
        When::Object(self.thread_word(0, layout::thread::OBJECT))
    }

    fn is_ready(&self, of: ClassId) -> bool {
        self.memory.load(class_record(of) + class::STATE) == init::DONE
    }

    /// Whether the next step of a thread may end it.
    fn may_end(&self, number: u32) -> bool {
        self.next_instruction(number).is_none_or(|next| {
            matches!(next.instr, Instr::Special { op, .. } if op == special::THREAD_END || op == special::AWAIT_OTHERS)
        })
    }
}

impl<'p> Propositions for Java<'p> {
    type Proposition = Proposition;

    fn holds(&self, state: &mut Machine<'p>, proposition: &Proposition) -> bool {
        state.grants(&proposition.when, 0, 0)
    }

    fn may_change(
        &self,
        state: &mut Machine<'p>,
        transitions: &Transitions<Action>,
        step: &Transition<Action>,
        proposition: &Proposition,
    ) -> bool {
        let number = step.thread.0;
        state.is_alone(number)
            || !proposition.classes.iter().all(|&class| state.is_ready(class))
            || state.may_write_looked_at(transitions.footprint(step), &proposition.looks)
            || proposition.ends && state.may_end(number)
    }
}
