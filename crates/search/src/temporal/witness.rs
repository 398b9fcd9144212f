//! An execution through an accepting component: a short way there, and a loop within on which every condition is met.

use super::Execution;
use super::product::{Choice, Product};
use kernel::{Propositions, System};
use std::collections::HashSet;
use store::{Inserter, StateId};

/// How many states are looked at for a shorter way to the component.
const MOST_STATES: usize = 200_000;

/// What the system does, and where the automaton goes.
type Step<A> = (Option<A>, u32);

/// Walks about in the product.
pub(super) struct Witness<'w, 'a, S: Propositions> {
    product: &'w mut Product<'a, S>,
    inserter: &'w mut dyn Inserter,
}

/// A state that was met on the way: from which one, by which step.
struct Met<A> {
    from: usize,
    step: Option<Choice<A>>,
    depth: usize,
}

/// A way from a state, as far as it has been gone.
struct Way<S: System> {
    nodes: Vec<usize>,
    undos: Vec<Option<S::Undo>>,
}

impl<'w, 'a, S: Propositions> Witness<'w, 'a, S> {
    pub fn new(product: &'w mut Product<'a, S>, inserter: &'w mut dyn Inserter) -> Self {
        Witness { product, inserter }
    }

    /// The execution, from the initial state, which stays. `path`, if there is one, leads into the component, whose states `is_inside` knows.
    pub fn execution(
        mut self,
        state: &mut S::State,
        path: Option<&[Step<S::Action>]>,
        is_inside: impl Fn(StateId) -> bool,
    ) -> Execution<S::Action> {
        let initial = self.product.question.automaton.initial;
        let mut undos = Vec::new();
        let first = self.find(state, initial);
        let stem = match first.is_some_and(&is_inside) {
            true => Vec::new(),
            // The path is a way, if no shorter one is found.
            false => {
                let most = path.map_or(usize::MAX, |_| MOST_STATES);
                let shorter = self.search(state, initial, most, |_| true, |_, id| is_inside(id));
                let shorter = shorter.map(|steps| steps.iter().map(|step| (step.action, step.target)).collect());
                shorter.unwrap_or_else(|| path.unwrap_or_default().to_vec())
            }
        };
        let mut execution = Execution {
            steps: Vec::new(),
            loop_start: stem.len(),
            letters: Vec::new(),
        };
        let mut location = initial;
        for step in stem {
            self.take(state, step, &mut execution, &mut undos);
            location = step.1;
        }
        let home = self.find(state, location);
        let mut unmet = u128::MAX;
        // SOUNDNESS: the component is strongly connected and has a step for each condition, so a way is found each time.
        while unmet != 0 {
            let way = self.search(state, location, usize::MAX, &is_inside, |step, _| {
                unmet & !step.pending != 0
            });
            let way = way.expect("a component has a step for each condition");
            for step in way {
                unmet &= step.pending;
                self.take(state, (step.action, step.target), &mut execution, &mut undos);
                location = step.target;
            }
        }
        if self.find(state, location) != home {
            let way = self.search(state, location, usize::MAX, &is_inside, |_, id| Some(id) == home);
            for step in way.expect("a component is strongly connected") {
                self.take(state, (step.action, step.target), &mut execution, &mut undos);
            }
        }
        for undo in undos.into_iter().rev() {
            self.product.system.undo(state, undo);
        }
        execution
    }

    fn find(&mut self, state: &mut S::State, location: u32) -> Option<StateId> {
        self.inserter.find(self.product.encode(state, location))
    }

    fn take(
        &mut self,
        state: &mut S::State,
        step: Step<S::Action>,
        execution: &mut Execution<S::Action>,
        undos: &mut Vec<S::Undo>,
    ) {
        execution.letters.push(self.product.letter(state));
        execution.steps.push(step.0);
        undos.extend(self.apply(state, step.0));
    }

    /// Takes a step that was taken before.
    fn apply(&mut self, state: &mut S::State, action: Option<S::Action>) -> Option<S::Undo> {
        action.map(|action| {
            let applied = self.product.system.apply(state, action);
            applied.expect("a step that was taken can be taken again")
        })
    }

    /// A shortest way from a state, which stays, to a step that is wanted, over known states that are allowed.
    fn search(
        &mut self,
        state: &mut S::State,
        location: u32,
        most: usize,
        is_allowed: impl Fn(StateId) -> bool,
        is_wanted: impl Fn(&Choice<S::Action>, StateId) -> bool,
    ) -> Option<Vec<Choice<S::Action>>> {
        let mut met = vec![Met {
            from: 0,
            step: None,
            depth: 0,
        }];
        let mut known: HashSet<StateId> = self.find(state, location).into_iter().collect();
        let mut way = Way {
            nodes: vec![0],
            undos: Vec::new(),
        };
        let mut choices = Vec::new();
        let mut found = None;
        let mut next = 0;
        'states: while next < met.len() && met.len() < most {
            self.go(state, &met, &mut way, next);
            let location = met[next].step.map_or(location, |step| step.target);
            choices.clear();
            if self.product.choices(state, location, &mut choices).is_err() {
                break;
            }
            for choice in &choices {
                // What is not supported leads nowhere.
                let undo = match choice.action.map(|action| self.product.system.apply(state, action)) {
                    Some(Err(_)) => continue,
                    Some(Ok(undo)) => Some(undo),
                    None => None,
                };
                let target = self.find(state, choice.target).filter(|&id| is_allowed(id));
                if let Some(undo) = undo {
                    self.product.system.undo(state, undo);
                }
                let Some(target) = target else {
                    continue;
                };
                let is_found = is_wanted(choice, target);
                if is_found || known.insert(target) {
                    met.push(Met {
                        from: next,
                        step: Some(*choice),
                        depth: met[next].depth + 1,
                    });
                }
                if is_found {
                    found = Some(met.len() - 1);
                    break 'states;
                }
            }
            next += 1;
        }
        self.go(state, &met, &mut way, 0);
        let mut steps = Vec::new();
        let mut at = found?;
        while let Some(step) = met[at].step {
            steps.push(step);
            at = met[at].from;
        }
        steps.reverse();
        Some(steps)
    }

    /// Goes from where the way has led to a state that was met, back and forth.
    fn go(&mut self, state: &mut S::State, met: &[Met<S::Action>], way: &mut Way<S>, to: usize) {
        let mut ahead = Vec::new();
        let mut at = to;
        while way.nodes.get(met[at].depth) != Some(&at) {
            ahead.push(at);
            at = met[at].from;
        }
        while way.nodes.len() > met[at].depth + 1 {
            way.nodes.pop();
            if let Some(Some(undo)) = way.undos.pop() {
                self.product.system.undo(state, undo);
            }
        }
        for node in ahead.into_iter().rev() {
            let action = met[node].step.and_then(|step| step.action);
            let undo = self.apply(state, action);
            way.undos.push(undo);
            way.nodes.push(node);
        }
    }
}
