//! Strongly connected components of the state graph as the depth-first search sees it: those from which no end is reached.
//!
//! The path-based algorithm (Gabow, Inf. Process. Lett. 74, 2000) rides on the search. States are numbered in the order in which they
//! are met, so a number is an index in the algorithm, and a completed component is all that was met since its root and is not completed
//! yet. What is kept is two bits a state, the roots on the path, and the states of components that are not complete, as ranges.
//!
//! A state that is opened again for what was asleep there may be complete already. It stays so: what is found below it is a component of
//! its own, or belongs to one on the path.

use std::mem::size_of;
use store::StateId;

/// A component that is not complete: all that was met from its root up to the next root, and is not complete.
struct Root {
    id: u64,
    /// Whether a step within it leads back.
    cycles: bool,
    /// Whether it has an end, leads to one, or has a step of which it is not known where it leads.
    ends: bool,
}

/// A completed component from which the search has reached no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completed {
    /// It has a cycle.
    Cycle,
    /// It has none: all that could be done there was asleep. The first component of all counts as a cycle.
    Asleep,
}

/// The components of the states met so far.
#[derive(Default)]
pub(crate) struct Components {
    entered: u64,
    roots: Vec<Root>,
    /// The states of components that are not complete: from one number to before another, in ascending order.
    open: Vec<(u64, u64)>,
    /// A bit for each state by its number: whether its component is complete, and whether that has an end.
    complete: Vec<u64>,
    ending: Vec<u64>,
    /// Whether the store does not number its states, so that nothing can be said.
    pub lost: bool,
    /// How many steps were taken to have a closer look at some of them.
    pub examined: u64,
}

impl Components {
    /// A new state; whether it is an end.
    pub fn enter(&mut self, id: Option<StateId>, ends: bool) {
        self.lost |= id.map(StateId::number) != Some(self.entered);
        if self.lost {
            return;
        }
        let id = self.entered;
        self.entered += 1;
        if id as usize / 64 >= self.complete.len() {
            self.complete.push(0);
            self.ending.push(0);
        }
        self.roots.push(Root {
            id,
            cycles: false,
            ends,
        });
        match self.open.last_mut() {
            Some((_, end)) if *end == id => *end += 1,
            _ => self.open.push((id, id + 1)),
        }
    }

    /// A step from the end of the path to a known state.
    pub fn meet(&mut self, id: Option<StateId>) {
        let Some(id) = id.map(StateId::number).filter(|&id| id < self.entered) else {
            self.lost = true;
            return;
        };
        if self.lost {
        } else if has(&self.complete, id) {
            if has(&self.ending, id) {
                self.settle();
            }
        } else {
            // Everything on the path since that state is in one component with it.
            let (mut cycles, mut ends) = (true, false);
            while let Some(root) = self.roots.pop_if(|root| root.id > id) {
                cycles |= root.cycles;
                ends |= root.ends;
            }
            if let Some(root) = self.roots.last_mut() {
                root.cycles |= cycles;
                root.ends |= ends;
            }
        }
    }

    /// The component of the end of the path leads to an end, or nobody knows where, or is not to be asked about again.
    pub fn settle(&mut self) {
        if let Some(root) = self.roots.last_mut() {
            root.ends = true;
        }
    }

    /// The search is about to leave a state that was not opened again. If that completes a component from which no end was reached, which kind.
    pub fn completes(&mut self, id: Option<StateId>) -> Option<Completed> {
        let id = id?.number();
        match self.roots.last() {
            Some(root) if root.id == id && !root.ends && !self.lost => Some(match root.cycles || id == 0 {
                true => Completed::Cycle,
                false => Completed::Asleep,
            }),
            _ => None,
        }
    }

    /// The search leaves a state that was not opened again.
    pub fn leave(&mut self, id: Option<StateId>) {
        let Some(id) = id.map(StateId::number).filter(|_| !self.lost) else {
            return;
        };
        let Some(root) = self.roots.pop_if(|root| root.id == id) else {
            return;
        };
        while let Some((first, end)) = self.open.pop() {
            let from = first.max(id);
            if from >= end {
                self.open.push((first, end));
                break;
            }
            for member in from..end {
                set(&mut self.complete, member);
                if root.ends {
                    set(&mut self.ending, member);
                }
            }
            if first < id {
                self.open.push((first, id));
                break;
            }
        }
        if root.ends {
            self.settle();
        }
    }

    /// Memory held.
    pub fn bytes(&self) -> usize {
        self.roots.capacity() * size_of::<Root>()
            + self.open.capacity() * size_of::<(u64, u64)>()
            + (self.complete.capacity() + self.ending.capacity()) * size_of::<u64>()
    }
}

fn has(bits: &[u64], id: u64) -> bool {
    bits[id as usize / 64] >> (id % 64) & 1 == 1
}

fn set(bits: &mut [u64], id: u64) {
    bits[id as usize / 64] |= 1 << (id % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> Option<StateId> {
        Some(StateId::new(number))
    }

    #[test]
    fn a_cycle_without_an_end_is_told_once_it_is_left() {
        // 0 leads to 1, an end, and to the cycle of 2 and 3, from where 4 is reached in which all is asleep.
        let mut components = Components::default();
        components.enter(id(0), false);
        components.enter(id(1), true);
        assert_eq!(components.completes(id(1)), None);
        components.leave(id(1));
        components.enter(id(2), false);
        components.enter(id(3), false);
        components.enter(id(4), false);
        assert_eq!(components.completes(id(4)), Some(Completed::Asleep));
        components.leave(id(4));
        components.meet(id(2));
        assert_eq!(components.completes(id(3)), None);
        components.leave(id(3));
        assert_eq!(components.completes(id(2)), Some(Completed::Cycle));
        components.leave(id(2));
        assert_eq!(components.completes(id(0)), None);
        components.leave(id(0));
        assert!(components.roots.is_empty() && components.open.is_empty() && !components.lost);
        assert_eq!((components.complete[0], components.ending[0]), (0b11111, 0b00011));
    }

    #[test]
    fn a_step_to_a_component_with_an_end_is_a_way_out() {
        let mut components = Components::default();
        components.enter(id(0), false);
        components.enter(id(1), true);
        components.leave(id(1));
        components.enter(id(2), false);
        components.meet(id(2));
        components.meet(id(1));
        assert_eq!(components.completes(id(2)), None);
        // One that was asked about is not asked about again by what leads to it.
        components.leave(id(2));
        components.enter(id(3), false);
        components.meet(id(3));
        assert_eq!(components.completes(id(3)), Some(Completed::Cycle));
        components.settle();
        components.leave(id(3));
        components.enter(id(4), false);
        components.meet(id(4));
        components.meet(id(3));
        assert_eq!(components.completes(id(4)), None);
    }
}
