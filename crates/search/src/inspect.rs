//! What is wrong with one state.

use crate::livelock;
use kernel::{Check, End, Flaw, Inspected, Kind, NextStep, Property, System, Transitions};
use std::collections::BTreeSet;

/// The properties that are looked for, and the checks of those that are about one state.
pub(crate) struct Wanted {
    properties: Vec<Property>,
    checks: Vec<(Property, Check)>,
}

impl Wanted {
    /// The set of these.
    pub fn new(properties: &BTreeSet<Property>) -> Wanted {
        Wanted::of(properties.iter().copied())
    }

    /// The set of this one.
    pub fn only(property: Property) -> Wanted {
        Wanted::of([property])
    }

    fn of(properties: impl IntoIterator<Item = Property>) -> Wanted {
        let properties: Vec<Property> = properties.into_iter().collect();
        let check = |&property: &Property| match property.kind() {
            Kind::State(check) => Some((property, check?)),
            Kind::Endless | Kind::Whole => None,
        };
        Wanted {
            checks: properties.iter().filter_map(check).collect(),
            properties,
        }
    }

    /// Whether it is among them.
    pub fn has(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}

/// A state for the checks.
struct At<'a, S: System> {
    system: &'a S,
    state: &'a mut S::State,
    transitions: &'a Transitions<S::Action>,
}

impl<S: System> Inspected for At<'_, S> {
    fn end(&self) -> End {
        self.transitions.end
    }

    fn is_dead(&self) -> bool {
        self.transitions.is_dead()
    }

    fn next_step(&self, position: usize) -> Option<NextStep<'_>> {
        let entry = self.transitions.entries().get(position)?;
        Some(NextStep {
            thread: entry.thread,
            enabled: entry.enabled,
            footprint: self.transitions.footprint(entry),
        })
    }

    fn stuck(&mut self) -> u64 {
        self.system.stuck(self.state)
    }

    fn races(&mut self, keys: &mut Vec<u64>) {
        for (one, two) in self.transitions.races() {
            if let Some(key) = self.system.race(self.state, one, two) {
                keys.push(key);
            }
        }
    }
}

/// Appends what is wrong with a state by itself, as far as it is wanted. `transitions` are those of the state.
pub(crate) fn inspect<S: System>(
    system: &S,
    state: &mut S::State,
    transitions: &Transitions<S::Action>,
    wanted: &Wanted,
    flaws: &mut Vec<Flaw>,
) {
    if transitions.end == End::Ignored {
        return;
    }
    if !transitions.flaws.is_empty() {
        flaws.extend(transitions.flaws.iter().filter(|flaw| wanted.has(flaw.property)));
    }
    let mut keys = Vec::new();
    let mut at = At {
        system,
        state,
        transitions,
    };
    for &(property, check) in &wanted.checks {
        check(&mut at, &mut keys);
        // There is rarely anything, and this is asked at every state.
        if !keys.is_empty() {
            flaws.extend(keys.drain(..).map(|key| Flaw { property, key }));
        }
    }
}

/// What breaks a property of one state there. `transitions` are those of the state.
pub fn flaws_of<S: System>(
    system: &S,
    state: &mut S::State,
    transitions: &Transitions<S::Action>,
    property: Property,
) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    inspect(system, state, transitions, &Wanted::only(property), &mut flaws);
    flaws
}

/// Whether a state has this flaw. `transitions` are those of the state.
pub fn meets<S: System>(system: &S, state: &mut S::State, transitions: &Transitions<S::Action>, flaw: Flaw) -> bool {
    if flaw.property.is_endless() {
        return livelock::caught(system, state) == Some(flaw.key);
    }
    flaws_of(system, state, transitions, flaw.property).contains(&flaw)
}
