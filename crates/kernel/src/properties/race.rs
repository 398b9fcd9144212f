//! Two conflicting accesses, at least one of them plain, that are both about to happen.

use crate::property::{Definition, Inspected, Kind, Property, Visible};

static DEFINITION: Definition = Definition {
    name: "race",
    summary: "two threads about to access one field or element, without order, one of them writing",
    is_default: true,
    kind: Kind::State(Some(check)),
    visible: Visible::Conflicts,
};

impl Property {
    /// Two conflicting accesses, at least one of them plain, that are both about to happen.
    pub const RACE: Property = Property::new(&DEFINITION);
}

fn check(state: &mut dyn Inspected, keys: &mut Vec<u64>) {
    state.races(keys);
}
