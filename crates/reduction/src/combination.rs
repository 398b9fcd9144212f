//! Which reductions go together, and what several of them come to.

use crate::Ample;
use crate::description::{Description, Goes, Rule};
use crate::list::{AUTO, BASE, REDUCTIONS, rules};
use kernel::{Assumptions, Instrumentation, Property, View};
use std::fmt;

/// Names that do not make a combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// There is no reduction of this name.
    Unknown(String),
    /// The first stands alone and cannot be combined with the second.
    Alone(&'static str, &'static str),
    /// The first takes many steps as one, about which the second knows nothing; these do.
    Apart(&'static str, &'static str, &'static [&'static str]),
    /// The first needs the second.
    Needs(&'static str, &'static str),
    /// This may leave out the very schedule with few preemptions.
    Bounded(&'static str),
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Illegal::Unknown(name) => write!(f, "there is no reduction `{name}`"),
            Illegal::Alone(one, two) => write!(f, "`{one}` stands alone: it cannot be combined with `{two}`"),
            Illegal::Apart(one, two, others) => write!(
                f,
                "`{one}` takes many steps as one, of which `{two}` knows nothing: it goes with `{}` only",
                others.join("` and `")
            ),
            Illegal::Bounded(name) => write!(
                f,
                "`{name}` may leave out the very schedule with few preemptions: leave --reduce or --preemptions out"
            ),
            Illegal::Needs(one, two) => write!(f, "`{one}` rests on `{two}`: give both"),
        }
    }
}

impl std::error::Error for Illegal {}

/// A legal combination of reductions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// What was named, in the order of the list.
    parts: Vec<&'static Description>,
    /// What that stands for.
    meant: Vec<&'static Description>,
    /// Whether it goes with a bound on preemptions.
    bounded: bool,
}

impl Combination {
    /// The combination with these names.
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Combination, Illegal> {
        Combination::of(REDUCTIONS, names)
    }

    /// The combination with these names out of a list of reductions.
    pub fn of<'n>(
        list: &[&'static Description],
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Combination, Illegal> {
        let mut places = Vec::new();
        for name in names {
            let place = list.iter().position(|description| description.name == name);
            places.push(place.ok_or_else(|| Illegal::Unknown(name.to_owned()))?);
        }
        places.sort_unstable();
        places.dedup();
        let parts: Vec<_> = places.into_iter().map(|place| list[place]).collect();
        check(&parts)?;
        let in_auto = list.iter().copied().filter(|description| description.in_auto);
        let meant = match parts[..] {
            [part] if *part == AUTO => in_auto.collect(),
            _ => parts.clone(),
        };
        Ok(Combination {
            parts,
            meant,
            bounded: false,
        })
    }

    /// The choice that is left to us.
    pub fn auto() -> Combination {
        Combination {
            parts: vec![&AUTO],
            meant: REDUCTIONS.iter().copied().filter(|one| one.in_auto).collect(),
            bounded: false,
        }
    }

    /// Nothing is left out, and steps are as long as they can be all the same.
    pub fn base() -> Combination {
        Combination {
            parts: vec![&BASE],
            meant: vec![&BASE],
            bounded: false,
        }
    }

    /// All legal combinations that leave something out of any system, by name: those that stand [apart](Goes::Apart) are not among them.
    pub fn all() -> Vec<Combination> {
        let is_general = |part: &&Description| !part.is_full && !matches!(part.goes, Goes::Apart(_));
        let all = REDUCTIONS.iter().copied().filter(is_general);
        let names: Vec<&str> = all.map(|description| description.name).collect();
        (1_u32..1 << names.len())
            .filter_map(|chosen| {
                let is_chosen = |at: &usize| chosen >> at & 1 != 0;
                Combination::named((0..names.len()).filter(is_chosen).map(|at| names[at])).ok()
            })
            .collect()
    }

    /// Those that stand apart, each by itself and then with each that goes with it and leaves something out.
    pub fn all_apart() -> Vec<Combination> {
        let mut all = Vec::new();
        for description in REDUCTIONS {
            if let Goes::Apart(others) = description.goes {
                all.extend(Combination::named([description.name]));
                let more = others
                    .iter()
                    .map(|&other| Combination::named([description.name, other]));
                all.extend(more.flatten().filter(|one| one.parts.iter().all(|part| !part.is_full)));
            }
        }
        all
    }

    /// The same for searches with a bound on preemptions. `auto` does without what does not go with one.
    pub fn bounded(&self) -> Result<Combination, Illegal> {
        let keeps = |part: &&Description| part.is_full || part.keeps_preemptions;
        let meant: Vec<_> = self.meant.iter().copied().filter(keeps).collect();
        match self.meant.iter().find(|part| !keeps(part)) {
            Some(part) if !self.is_auto() => Err(Illegal::Bounded(part.name)),
            _ => Ok(Combination {
                parts: self.parts.clone(),
                meant,
                bounded: true,
            }),
        }
    }

    /// Whether the choice is left to us.
    pub fn is_auto(&self) -> bool {
        self.parts[..] == [&AUTO]
    }

    /// Whether it leaves nothing out.
    pub fn is_full(&self) -> bool {
        self.parts.iter().all(|part| part.is_full)
    }

    /// Whether every instruction is a step, which takes many more states.
    pub fn is_finest(&self) -> bool {
        self.instrumentation().has(Instrumentation::EVERY_STEP)
    }

    /// Whether violations of a property are found with it. In some systems that may depend on who can still reach an object.
    pub fn preserves(&self, property: Property, depends_on_reach: bool) -> bool {
        let is_lost = |part: &&Description| {
            part.loses.contains(&property) || depends_on_reach && part.loses_if_reached.contains(&property)
        };
        !self.meant.iter().any(is_lost)
    }

    /// The part that keeps something with every state, if there is one and it was asked for: it goes with depth-first search only, and
    /// not with every store. If the choice is left to us, it is not used elsewhere.
    pub fn keeps_with_states(&self) -> Option<&'static str> {
        let part = self.parts.iter().find(|part| part.keeps_with_states);
        part.map(|part| part.name)
    }

    /// Whether one of its parts listens to an option of the user's.
    pub fn hears(&self, option: &str) -> bool {
        self.meant.iter().any(|part| part.hears == Some(option))
    }

    /// The names of what it stands for.
    pub fn meant(&self) -> Vec<&'static str> {
        self.meant.iter().map(|part| part.name).collect()
    }

    /// The names of its parts.
    pub fn names(&self) -> Vec<&'static str> {
        self.parts.iter().map(|part| part.name).collect()
    }

    /// What it needs of the system.
    pub fn instrumentation(&self) -> Instrumentation {
        let first = match self.is_full() {
            true => Instrumentation::NONE,
            false => Instrumentation::REDUCED,
        };
        self.meant.iter().fold(first, |all, part| all.and(part.needs))
    }

    /// The reduction; `None` if nothing is left out.
    pub fn make<S: View>(&self, assumptions: Assumptions) -> Option<Ample<S>> {
        self.make_of(&rules(), assumptions)
    }

    /// The same, where the rules of its parts are among these.
    pub fn make_of<S: View>(&self, rules: &[Rule<S>], assumptions: Assumptions) -> Option<Ample<S>> {
        if self.is_full() {
            return None;
        }
        let mut ample = Ample::new(assumptions);
        ample.bounded = self.bounded;
        for part in self.meant.iter().filter(|part| !part.is_full) {
            let rule = rules.iter().find(|rule| rule.description == *part);
            let rule = rule.unwrap_or_else(|| panic!("there is no rule for `{}`", part.name));
            ample.add(rule.add);
        }
        Some(ample)
    }
}

/// Whether these go together.
fn check(parts: &[&'static Description]) -> Result<(), Illegal> {
    let other = |one: &Description| parts.iter().find(|part| ***part != *one);
    for alone in parts.iter().rev().filter(|part| part.goes == Goes::Alone) {
        if let Some(other) = other(alone) {
            return Err(Illegal::Alone(alone.name, other.name));
        }
    }
    for part in parts {
        if let Goes::Apart(others) = part.goes {
            let goes = |other: &&&Description| **other != *part && !others.contains(&other.name);
            if let Some(other) = parts.iter().find(goes) {
                return Err(Illegal::Apart(part.name, other.name, others));
            }
        }
    }
    for part in parts {
        if let Goes::Needs(name) = part.goes
            && !parts.iter().any(|other| other.name == name)
        {
            return Err(Illegal::Needs(part.name, name));
        }
    }
    Ok(())
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
            ("auto,none", "`none` stands alone: it cannot be combined with `auto`"),
            ("dominated", "`dominated` rests on `selflock`: give both"),
            (
                "optimistic,escape",
                "`optimistic` takes many steps as one, of which `escape` knows nothing: it goes with `base` and `atomic` only",
            ),
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
            "optimistic,base,atomic",
        ] {
            assert!(Combination::named(names.split(',')).is_ok(), "{names}");
        }
    }

    #[test]
    fn every_reduction_has_a_name_of_its_own_and_a_rule() {
        for (position, description) in REDUCTIONS.iter().enumerate() {
            let first = REDUCTIONS.iter().position(|other| other.name == description.name);
            assert_eq!(first, Some(position), "{description:?}");
            assert!(!description.summary.is_empty(), "{description:?}");
        }
        assert_eq!(Combination::all_apart().len(), 2, "`optimistic`, and with `atomic`");
    }

    #[test]
    fn a_combination_needs_what_its_parts_need() {
        let needs = |names: &str| {
            let combination = Combination::named(names.split(',')).expect(names);
            combination.instrumentation()
        };
        let runs_through = Instrumentation::LOCAL_COMMUTES.and(Instrumentation::LONG_STEPS);
        let cases = [
            ("base", Instrumentation::REDUCED, false),
            ("none", Instrumentation::EVERY_STEP, true),
            ("persistent", Instrumentation::REDUCED, true),
            ("persistent", Instrumentation::ESCAPE_BITS, false),
            ("escape", runs_through, false),
            ("atomic", runs_through, false),
            ("escape,atomic", runs_through, true),
            ("optimistic", runs_through, true),
            ("auto", runs_through, true),
            ("auto", Instrumentation::PROOFS, false),
            ("final", Instrumentation::LOCKSETS, false),
            ("lockset", Instrumentation::LOCKSETS, true),
        ];
        for (names, what, expected) in cases {
            assert_eq!(needs(names).has(what), expected, "{names}: {what:?}");
        }
    }
}
