//! The stack of a depth-first search.
//!
//! Each state on the path owns its choices, so that one can be added to any of them while the search is deeper: it is tried when the
//! search has come back there. The vectors of states that were left are used again.

use crate::bounds::Schedule;
use crate::proviso::SafetyProviso;
use crate::step::Choice;
use std::mem::size_of;
use store::StateId;

/// A state on the path.
pub(crate) struct Frame<A> {
    /// Which state it is, if the table can tell.
    pub id: Option<StateId>,
    pub schedule: Schedule,
    /// How many steps lead to it.
    pub steps: usize,
    /// Whether other threads than those that are tried are due in the end.
    pub proviso: SafetyProviso,
    /// Which sleepers are asleep in it.
    pub asleep: (u32, u32),
    /// How many sleepers there were before it.
    pub sleepers: usize,
    /// Whether the same state is on the path already.
    pub again: bool,
    /// Whether it was opened before, for other actions.
    pub reopened: bool,
    /// What is tried there, and how many of these were.
    choices: Vec<Choice<A>>,
    tried: usize,
}

impl<A: Copy> Frame<A> {
    /// A state with nothing to be tried.
    pub fn new(id: Option<StateId>, schedule: Schedule, steps: usize) -> Self {
        Frame {
            id,
            schedule,
            steps,
            proviso: SafetyProviso::new(false),
            asleep: (0, 0),
            sleepers: 0,
            again: false,
            reopened: false,
            choices: Vec::new(),
            tried: 0,
        }
    }

    /// What is tried there, was tried, and will be.
    pub fn choices(&self) -> &[Choice<A>] {
        &self.choices
    }

    /// What is tried next.
    #[inline]
    pub fn next_choice(&mut self) -> Option<Choice<A>> {
        let choice = self.choices.get(self.tried).copied()?;
        self.tried += 1;
        Some(choice)
    }
}

/// The states on the path, the first one at the bottom.
pub(crate) struct Frames<A> {
    frames: Vec<Frame<A>>,
    /// Vectors that can be used again.
    spare: Vec<Vec<Choice<A>>>,
    /// For how many choices there is room in all vectors.
    room: usize,
}

impl<A: Copy + PartialEq> Frames<A> {
    /// An empty path.
    pub fn new() -> Self {
        Frames {
            frames: Vec::new(),
            spare: Vec::new(),
            room: 0,
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// The end of the path.
    #[inline]
    pub fn last(&self) -> Option<&Frame<A>> {
        self.frames.last()
    }

    /// The same, to be changed.
    #[inline]
    pub fn last_mut(&mut self) -> Option<&mut Frame<A>> {
        self.frames.last_mut()
    }

    /// Makes a state the end of the path, where these are tried.
    pub fn push(&mut self, frame: Frame<A>, choices: &[Choice<A>]) {
        let mut own = self.spare.pop().unwrap_or_default();
        let before = own.capacity();
        own.reserve_exact(choices.len());
        own.extend_from_slice(choices);
        self.room += own.capacity() - before;
        self.frames.push(Frame { choices: own, ..frame });
    }

    /// Adds to what is tried at a state on the path, by its place there, unless it is among that already; whether it was not. Nothing is
    /// lost if the search is deeper: the state is not left before it has come back and tried this.
    pub fn add(&mut self, place: usize, choice: Choice<A>) -> bool {
        let choices = &mut self.frames[place].choices;
        let is_new = choices.iter().all(|other| other.action != choice.action);
        if is_new {
            let before = choices.capacity();
            choices.push(choice);
            self.room += choices.capacity() - before;
        }
        is_new
    }

    /// Leaves the end of the path, where nothing more is to be tried.
    pub fn pop(&mut self) -> Option<Frame<A>> {
        let mut frame = self.frames.pop()?;
        let mut choices = std::mem::take(&mut frame.choices);
        choices.clear();
        self.spare.push(choices);
        Some(frame)
    }

    /// Memory.
    pub fn bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame<A>>()
            + self.spare.capacity() * size_of::<Vec<Choice<A>>>()
            + self.room * size_of::<Choice<A>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::ThreadId;

    fn choice(action: u32) -> Choice<u32> {
        Choice {
            action,
            thread: ThreadId(0),
            entry: 0,
            costs: false,
            asleep: (0, 0),
        }
    }

    fn push(frames: &mut Frames<u32>, actions: &[u32]) {
        let choices: Vec<_> = actions.iter().copied().map(choice).collect();
        frames.push(Frame::new(None, Schedule::default(), 0), &choices);
    }

    fn next(frames: &mut Frames<u32>) -> Option<u32> {
        Some(frames.last_mut()?.next_choice()?.action)
    }

    #[test]
    fn a_choice_is_added_to_an_earlier_state_while_the_search_is_deeper() {
        let mut frames = Frames::new();
        push(&mut frames, &[1]);
        assert_eq!(next(&mut frames), Some(1));
        push(&mut frames, &[2, 3]);
        assert_eq!(next(&mut frames), Some(2));
        push(&mut frames, &[4]);
        // All of the first state's choices have been tried, and one of them is tried at the moment.
        assert!(frames.add(0, choice(7)));
        assert!(!frames.add(0, choice(7)) && !frames.add(0, choice(1)));
        assert!(frames.add(1, choice(8)));
        let mut tried = Vec::new();
        while frames.len() > 0 {
            tried.extend(std::iter::from_fn(|| next(&mut frames)));
            frames.pop();
        }
        assert_eq!(tried, [4, 3, 8, 7]);
    }

    #[test]
    fn vectors_are_used_again() {
        let mut frames = Frames::new();
        for _ in 0..3 {
            for length in [3, 1, 2] {
                push(&mut frames, &[1, 2, 3][..length]);
            }
            while frames.pop().is_some() {}
        }
        assert!(frames.room <= 3 * 3, "{}", frames.room);
        assert_eq!(frames.spare.len(), 3);
        push(&mut frames, &[]);
        assert_eq!(next(&mut frames), None);
    }
}
