//! Properties and reductions by their names, for front ends that are told them in words.

use crate::Failure;
use kernel::Property;
use reduction::{Combination, Illegal, REDUCTIONS};

/// The property of a name.
pub fn property(name: &str) -> Result<Property, Failure> {
    Property::named(name).ok_or_else(|| unknown("property", name, Property::ALL.iter().map(|one| one.name())))
}

/// The combination of the reductions with these names.
pub fn combination<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Combination, Failure> {
    Combination::named(names).map_err(|illegal| match illegal {
        Illegal::Unknown(name) => unknown("reduction", &name, REDUCTIONS.iter().map(|entry| entry.name)),
        other => Failure::input(other.to_string()),
    })
}

fn unknown(kind: &str, name: &str, known: impl Iterator<Item = &'static str>) -> Failure {
    let known: Vec<&str> = known.collect();
    let likeness = |other: &&&str| (strsim::jaro(name, other) * 1000.0) as u32;
    let meant = known.iter().max_by_key(likeness).filter(|other| likeness(other) > 700);
    let hint = meant.map_or(String::new(), |other| format!("; did you mean `{other}`?"));
    Failure::input(format!(
        "there is no {kind} `{name}`{hint}\nthere are {}",
        known.join(", ")
    ))
}
