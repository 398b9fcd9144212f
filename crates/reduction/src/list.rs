//! The reductions by name, and which of them go together.

use crate::dominated::Dominated;
use crate::escape::Escape;
use crate::escape_static::EscapeStatic;
use crate::final_field::FinalField;
use crate::lockset::Lockset;
use crate::optimistic::Optimistic;
use crate::own::Own;
use crate::selflock::SelfLock;
use crate::settled::Settled;
use crate::{Ample, Assumptions, Independence};
use kernel::View;
use std::fmt;

/// A part of a combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Every instruction is a step.
    None,
    /// Only what other threads could notice is a step. Part of everything but `none`.
    Base,
    /// `escape-static`
    EscapeStatic,
    /// `escape`
    Escape,
    /// `atomic`
    Atomic,
    /// `selflock`
    SelfLock,
    /// `dominated`
    Dominated,
    /// `lockset`
    Lockset,
    /// `final`
    Final,
    /// `own`
    Own,
    /// `persistent`
    Persistent,
    /// `sleep`
    Sleep,
    /// `optimistic`
    Optimistic,
    /// The best of them.
    Auto,
}

/// A reduction as the user sees it.
pub struct Entry {
    /// Which one.
    pub part: Part,
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
}

/// All of them, in the order in which they are listed.
pub const REDUCTIONS: &[Entry] = &[
    Entry {
        part: Part::Auto,
        name: "auto",
        summary: "the best sound combination of what follows (default)",
    },
    Entry {
        part: Part::None,
        name: "none",
        summary: "every instruction is a step of its own: for comparison only",
    },
    Entry {
        part: Part::Base,
        name: "base",
        summary: "a step is one access that other threads could notice, and all the local work after it",
    },
    Entry {
        part: Part::EscapeStatic,
        name: "escape-static",
        summary: "objects proved beforehand never to be shared are no reason to switch threads",
    },
    Entry {
        part: Part::Escape,
        name: "escape",
        summary: "objects that only one thread can reach in a state are no reason to switch there",
    },
    Entry {
        part: Part::Atomic,
        name: "atomic",
        summary: "states with a single successor are not stored",
    },
    Entry {
        part: Part::SelfLock,
        name: "selflock",
        summary: "nor are objects that the thread has locked, if nobody uses them without; guessed and checked",
    },
    Entry {
        part: Part::Dominated,
        name: "dominated",
        summary: "nor are objects that others can only reach through such a locked one",
    },
    Entry {
        part: Part::Lockset,
        name: "lockset",
        summary: "nor are fields and elements that are only read, or always accessed under one lock; guessed and checked",
    },
    Entry {
        part: Part::Final,
        name: "final",
        summary: "nor are final fields that are set before their object is shared; checked",
    },
    Entry {
        part: Part::Own,
        name: "own",
        summary: "nor are fields of a thread's own object that no other thread uses; guessed and checked",
    },
    Entry {
        part: Part::Persistent,
        name: "persistent",
        summary: "only threads with whose next steps nothing that the others may still do interferes",
    },
    Entry {
        part: Part::Sleep,
        name: "sleep",
        summary: "what was tried is not tried again after steps that commute with it; depth-first only",
    },
    Entry {
        part: Part::Optimistic,
        name: "optimistic",
        summary: "accesses that a lock, or a rule of yours, keeps to one thread at a time are no steps of their own; guessed and \
                  checked; keeps all properties but livelock, and of a Java program lock",
    },
];

/// Names that do not make a combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// There is no reduction of this name.
    Unknown(String),
    /// The first stands alone and cannot be combined with the second.
    Alone(&'static str, &'static str),
    /// The first takes many steps as one, about which the second knows nothing.
    Apart(&'static str, &'static str),
    /// The first needs the second.
    Needs(&'static str, &'static str),
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Illegal::Unknown(name) => write!(f, "there is no reduction `{name}`"),
            Illegal::Alone(one, two) => write!(f, "`{one}` stands alone: it cannot be combined with `{two}`"),
            Illegal::Apart(one, two) => write!(
                f,
                "`{one}` takes many steps as one, of which `{two}` knows nothing: it goes with `base` and `atomic` only"
            ),
            Illegal::Needs(one, two) => write!(f, "`{one}` rests on `{two}`: give both"),
        }
    }
}

impl std::error::Error for Illegal {}

/// A legal combination of reductions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    parts: Vec<Part>,
}

/// What `auto` stands for.
const AUTO: &[Part] = &[
    Part::Escape,
    Part::Atomic,
    Part::SelfLock,
    Part::Dominated,
    Part::Lockset,
    Part::Final,
    Part::Own,
    Part::Persistent,
    Part::Sleep,
];

impl Combination {
    /// The combination with these names.
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Combination, Illegal> {
        let mut parts = Vec::new();
        for name in names {
            let entry = REDUCTIONS.iter().find(|entry| entry.name == name);
            let entry = entry.ok_or_else(|| Illegal::Unknown(name.to_owned()))?;
            if !parts.contains(&entry.part) {
                parts.push(entry.part);
            }
        }
        parts.sort_unstable();
        let made = Combination { parts };
        made.check()?;
        Ok(made)
    }

    fn check(&self) -> Result<(), Illegal> {
        for alone in [Part::None, Part::Auto] {
            if let Some(&other) = self.parts.iter().find(|&&part| part != alone)
                && self.parts.contains(&alone)
            {
                return Err(Illegal::Alone(alone.name(), other.name()));
            }
        }
        let goes = |part: &&Part| !matches!(part, Part::Optimistic | Part::Atomic | Part::Base);
        if self.parts.contains(&Part::Optimistic)
            && let Some(other) = self.parts.iter().find(goes)
        {
            return Err(Illegal::Apart(Part::Optimistic.name(), other.name()));
        }
        if self.parts.contains(&Part::Dominated) && !self.parts.contains(&Part::SelfLock) {
            return Err(Illegal::Needs(Part::Dominated.name(), Part::SelfLock.name()));
        }
        Ok(())
    }

    /// All legal combinations that leave something out of any system, by name: `optimistic`, for models alone, is not among them.
    pub fn all() -> Vec<Combination> {
        let is_general = |part: Part| !matches!(part, Part::None | Part::Base | Part::Optimistic);
        let parts: Vec<&str> = REDUCTIONS
            .iter()
            .filter(|entry| is_general(entry.part))
            .map(|entry| entry.name)
            .collect();
        (1_u32..1 << parts.len())
            .filter_map(|chosen| {
                let is_chosen = |at: &usize| chosen >> at & 1 != 0;
                Combination::named((0..parts.len()).filter(is_chosen).map(|at| parts[at])).ok()
            })
            .collect()
    }

    /// Whether it has a part.
    pub fn has(&self, part: Part) -> bool {
        self.expanded().contains(&part)
    }

    /// Whether the choice is left to us.
    pub fn is_auto(&self) -> bool {
        self.parts[..] == [Part::Auto]
    }

    /// Whether it leaves nothing out: `none` or `base`.
    pub fn is_full(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::None | Part::Base))
    }

    fn expanded(&self) -> &[Part] {
        match self.parts[..] {
            [Part::Auto] => AUTO,
            _ => &self.parts,
        }
    }

    /// The names of its parts.
    pub fn names(&self) -> Vec<&'static str> {
        self.parts.iter().map(|part| part.name()).collect()
    }

    /// The reduction; `None` if nothing is left out.
    pub fn make<S: View>(&self, assumptions: Assumptions) -> Option<Ample<S>> {
        if self.is_full() {
            return None;
        }
        let mut independences: Vec<Box<dyn Independence<S>>> = Vec::new();
        let mut add = |part: Part, one: Box<dyn Independence<S>>| {
            if self.has(part) {
                independences.push(one);
            }
        };
        // The cheapest are asked first, but those that need no assumption before those that assume much.
        add(Part::EscapeStatic, Box::new(EscapeStatic));
        add(Part::Final, Box::new(FinalField));
        add(Part::Final, Box::new(Settled));
        add(Part::Own, Box::<Own>::default());
        add(Part::Escape, Box::<Escape>::default());
        add(Part::SelfLock, Box::new(SelfLock));
        add(Part::Lockset, Box::<Lockset>::default());
        add(Part::Dominated, Box::new(Dominated::new(self.has(Part::SelfLock))));
        let mut ample = Ample::new(independences, assumptions);
        ample.atomic = self.has(Part::Atomic);
        ample.persistent = self.has(Part::Persistent);
        ample.sleep = self.has(Part::Sleep);
        ample.optimistic = self.has(Part::Optimistic).then(Optimistic::default);
        Some(ample)
    }
}

impl Part {
    /// Its name.
    pub fn name(self) -> &'static str {
        REDUCTIONS
            .iter()
            .find(|entry| entry.part == self)
            .map_or("", |entry| entry.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_go_together_is_refused_in_words() {
        let cases = [
            ("escpe", "there is no reduction `escpe`"),
            (
                "none,escape",
                "`none` stands alone: it cannot be combined with `escape`",
            ),
            ("auto,base", "`auto` stands alone: it cannot be combined with `base`"),
            ("dominated", "`dominated` rests on `selflock`: give both"),
        ];
        for (names, message) in cases {
            let refused = Combination::named(names.split(',')).expect_err(names);
            assert_eq!(refused.to_string(), message);
        }
        for names in [
            "none",
            "base",
            "auto",
            "base,escape",
            "atomic,escape,escape",
            "selflock,dominated,final",
        ] {
            assert!(Combination::named(names.split(',')).is_ok(), "{names}");
        }
    }
}
