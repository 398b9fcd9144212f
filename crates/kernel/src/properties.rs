//! The properties by name, a file each.

mod deadlock;
mod exception;
mod history;
mod livelock;
mod lock;
mod race;
mod reachable;

use crate::Property;

impl Property {
    /// All of them, in the order in which they are listed.
    pub const ALL: &[Property] = &[
        Property::DEADLOCK,
        Property::EXCEPTION,
        Property::RACE,
        Property::REACHABLE,
        Property::LOCK,
        Property::LIVELOCK,
    ];

    /// Those that are looked for unless the user says otherwise.
    pub fn defaults() -> impl Iterator<Item = Property> {
        Property::ALL.iter().copied().filter(|property| property.is_default())
    }

    /// The property of a name.
    pub fn named(name: &str) -> Option<Property> {
        Property::ALL.iter().copied().find(|property| property.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_is_found_by_its_name() {
        for &property in Property::ALL {
            assert_eq!(Property::named(property.name()), Some(property));
        }
        assert_eq!(Property::named("dead lock"), None);
    }

    #[test]
    fn names_are_distinct_and_in_the_order_of_the_list() {
        for pair in Property::ALL.windows(2) {
            assert!(pair[0] < pair[1], "{pair:?}");
        }
    }
}
