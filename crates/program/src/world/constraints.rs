//! Loader constraints (JVMS §5.3.4): loaders that must mean one class by a name, because code of one uses a member of a class
//! of the other whose descriptor has that name.
//!
//! The JVM notes a constraint when it resolves a member or finds that a method overrides another, and refuses what breaks one.
//! Links are shared by all states and never undone, so constraints are, too: a link that is filled holds on every path.
//! SOUNDNESS: therefore all answers to the names of one constraint that loaders have given on any path must be one class. The
//! event that would break this is refused, be it a link or an answer. Where the JVM would surely refuse it as well, the caller
//! raises a `LinkageError`; where that depends on the path, it ends as unsupported.

use super::class::{ClassId, LoaderId};
use super::program::Program;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Which loaders must agree, name by name, and what loaders of the program's own have answered.
#[derive(Default)]
pub(super) struct Constraints {
    groups: HashMap<Arc<str>, Vec<Group>>,
    answers: HashMap<Arc<str>, BTreeSet<(LoaderId, ClassId)>>,
}

/// Loaders that agree on a name, and the class that any of them has answered with.
#[derive(Default)]
struct Group {
    loaders: BTreeSet<LoaderId>,
    class: Option<ClassId>,
}

impl Group {
    /// Adds what another group knows; `false` if the two have different classes.
    fn merge(&mut self, other: Group) -> bool {
        self.loaders.extend(other.loaders);
        match (self.class, other.class) {
            (Some(one), Some(two)) => one == two,
            (known, new) => {
                self.class = known.or(new);
                true
            }
        }
    }
}

/// Two loaders mean different classes by a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreement;

impl Program {
    /// Notes that two loaders must agree on a name. Nothing is noted if any of the loaders that must then agree have
    /// answered with different classes, on whatever path.
    pub fn constrain(&self, one: LoaderId, two: LoaderId, name: &str) -> Result<(), Disagreement> {
        // What a built-in loader finds depends on the class path alone. What it does not find now it never will.
        let found = |loader: LoaderId| {
            let class = loader.is_builtin().then(|| self.load(loader, name).ok())?;
            class.map(|class| (loader, class))
        };
        let built_in: Vec<_> = [one, two].into_iter().filter_map(found).collect();
        let mut constraints = self.constraints.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Constraints { groups, answers } = &mut *constraints;
        let name: Arc<str> = name.into();
        let groups = groups.entry(name.clone()).or_default();
        if groups
            .iter()
            .any(|group| group.loaders.contains(&one) && group.loaders.contains(&two))
        {
            return Ok(());
        }
        let mut joined = Group {
            loaders: BTreeSet::from([one, two]),
            class: None,
        };
        let known = answers.get(&name).into_iter().flatten().copied();
        for (loader, class) in known.chain(built_in) {
            let fact = Group {
                loaders: BTreeSet::from([loader]),
                class: Some(class),
            };
            if joined.loaders.contains(&loader) && !joined.merge(fact) {
                return Err(Disagreement);
            }
        }
        let touches = |group: &Group| group.loaders.contains(&one) || group.loaders.contains(&two);
        let classes: BTreeSet<ClassId> = groups
            .iter()
            .filter(|group| touches(group))
            .filter_map(|group| group.class)
            .collect();
        if classes
            .iter()
            .any(|&class| joined.class.is_some_and(|known| known != class))
            || classes.len() > 1
        {
            return Err(Disagreement);
        }
        let (old, mut kept): (Vec<Group>, Vec<Group>) = std::mem::take(groups).into_iter().partition(touches);
        for group in old {
            joined.merge(group);
        }
        kept.push(joined);
        *groups = kept;
        Ok(())
    }

    /// Whether a loader may answer a name with a class, or with one that is to be defined: no loader that must agree with it
    /// has answered with another.
    pub fn may_answer(&self, loader: LoaderId, name: &str, class: Option<ClassId>) -> Result<(), Disagreement> {
        let constraints = self.constraints.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut groups = constraints.groups.get(name).into_iter().flatten();
        let known = groups.find(|group| group.loaders.contains(&loader));
        match known.and_then(|group| group.class) {
            Some(known) if class != Some(known) => Err(Disagreement),
            _ => Ok(()),
        }
    }

    /// Notes what a loader has answered.
    pub(super) fn note_answer(&self, loader: LoaderId, name: &str, class: ClassId) {
        let mut constraints = self.constraints.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Constraints { groups, answers } = &mut *constraints;
        let mut groups = groups.get_mut(name).into_iter().flatten();
        if let Some(group) = groups.find(|group| group.loaders.contains(&loader)) {
            group.class = group.class.or(Some(class));
        }
        answers.entry(name.into()).or_default().insert((loader, class));
    }
}
