//! Data races inside of operations: what two steps access in their midst.
//!
//! Two steps race if both threads can come to accesses of which either may be next, and which conflict, one of them plain. What an
//! operation accesses under a lock of its own is no race with what another one does under the same lock. So both threads are taken access
//! by access to where they would race, first one and then the other from there, and back.

use crate::layout::thread;
use crate::machine::Machine;
use crate::operation_probe::Probe;
use crate::system::{Action, Undo, What};
use kernel::{MemoryAccess, ThreadId, Transitions};

/// How many accesses of a step are looked at.
const LONGEST: usize = 4096;

impl Machine<'_> {
    /// Shows `tell` the states in which the two threads of these enabled actions are about to race, each with the name of the race, until it
    /// answers.
    pub fn find_race<T>(
        &mut self,
        one: Action,
        two: Action,
        tell: &mut dyn FnMut(&mut Self, u64) -> Option<T>,
    ) -> Option<T> {
        if !self.is_in_operation(one.thread) && !self.is_in_operation(two.thread) {
            let key = self.race_key(one.thread, two.thread)?;
            return tell(self, key);
        }
        let steps = [self.probe(one), self.probe(two)];
        self.without_operations(|machine| {
            machine
                .meet(one, (two, &steps[1]), tell)
                .or_else(|| machine.meet(two, (one, &steps[0]), tell))
        })
    }

    /// Takes one thread to each of its accesses with which the other may race, and the other one from there to where it does.
    fn meet<T>(
        &mut self,
        one: Action,
        (two, theirs): (Action, &Probe),
        tell: &mut dyn FnMut(&mut Self, u64) -> Option<T>,
    ) -> Option<T> {
        let race = |one: &[MemoryAccess], two: &[MemoryAccess]| {
            one.iter().any(|touch| two.iter().any(|other| touch.races(*other)))
        };
        self.go_through(one, &mut |machine| {
            let next = machine.next_accesses(one);
            // What the other one comes to from here may be something else than what it would have come to before.
            if !race(&next, &theirs.touched) && !next.iter().any(|touch| touch.access.is_plain()) {
                return None;
            }
            machine.go_through(two, &mut |machine| {
                let others = machine.next_accesses(two);
                if !race(&next, &others) || !machine.can_step(one.thread) || !machine.can_step(two.thread) {
                    return None;
                }
                let key = machine.race_key(one.thread, two.thread)?;
                tell(machine, key)
            })
        })
    }

    /// Shows `see` the states before the accesses of a step, until it answers, and goes back.
    fn go_through<T>(&mut self, action: Action, see: &mut dyn FnMut(&mut Self) -> Option<T>) -> Option<T> {
        let (mut taken, mut action): (Vec<Undo>, Action) = (Vec::new(), action);
        let found = loop {
            let found = see(self);
            let goes_on = self.can_step(action.thread) && self.stands_in_operation(action.thread);
            if found.is_some() || !goes_on || taken.len() == LONGEST {
                break found;
            }
            match self.apply(action) {
                Ok(undo) => taken.push(undo),
                Err(_) => break None,
            }
            action.what = What::Go;
        };
        while let Some(undo) = taken.pop() {
            self.undo(undo);
        }
        found
    }

    /// What an action accesses first. What the library has to itself orders.
    fn next_accesses(&mut self, action: Action) -> Vec<MemoryAccess> {
        let mut transitions = Transitions::default();
        transitions.add(ThreadId(action.thread), action, true);
        let next = self.next_runnable(action.thread, self.thread_word(action.thread, thread::STATUS));
        self.footprint(action.thread, next, &mut transitions);
        let entry = transitions.entries().first();
        let touches = entry.map_or(&[][..], |entry| transitions.footprint(entry));
        touches
            .iter()
            .map(|&touch| self.as_seen_by_clients(action.thread, touch))
            .collect()
    }
}
