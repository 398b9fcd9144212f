//! What is wrong with one state.

use crate::livelock;
use kernel::{End, Flaw, Property, System, Transitions};
use std::collections::BTreeSet;

/// A set of properties that is quick to ask.
#[derive(Clone, Copy)]
pub(crate) struct Wanted([bool; Property::ALL.len()]);

impl Wanted {
    /// The set of these.
    pub fn new(properties: &BTreeSet<Property>) -> Wanted {
        Wanted(Property::ALL.map(|one| properties.contains(&one)))
    }

    /// The set of this one.
    pub fn only(property: Property) -> Wanted {
        Wanted(Property::ALL.map(|one| one == property))
    }

    /// Whether it is among them.
    pub fn has(self, property: Property) -> bool {
        self.0[property as usize]
    }
}

/// Appends what is wrong with a state by itself, as far as it is wanted. `transitions` are those of the state.
pub(crate) fn inspect<S: System>(
    system: &S,
    state: &mut S::State,
    transitions: &Transitions<S::Action>,
    wanted: Wanted,
    flaws: &mut Vec<Flaw>,
) {
    if transitions.end == End::Ignored {
        return;
    }
    flaws.extend(transitions.flaws.iter().filter(|flaw| wanted.has(flaw.property)));
    if wanted.has(Property::Race) {
        for (one, two) in transitions.races() {
            if let Some(key) = system.race(state, one, two) {
                let property = Property::Race;
                flaws.push(Flaw { property, key });
            }
        }
    }
    if wanted.has(Property::Deadlock) && transitions.is_dead() {
        let (property, key) = (Property::Deadlock, system.stuck(state));
        flaws.push(Flaw { property, key });
    }
}

/// Whether a state has this flaw. `transitions` are those of the state.
pub fn meets<S: System>(system: &S, state: &mut S::State, transitions: &Transitions<S::Action>, flaw: Flaw) -> bool {
    if flaw.property == Property::Livelock {
        return livelock::caught(system, state) == Some(flaw.key);
    }
    let mut flaws = Vec::new();
    inspect(system, state, transitions, Wanted::only(flaw.property), &mut flaws);
    flaws.contains(&flaw)
}
