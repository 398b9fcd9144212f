//! Nobody can move, or some wait for each other in a circle. Circles are noticed by the system.

use crate::property::{Definition, Inspected, Kind, Property, Visible};

static DEFINITION: Definition = Definition {
    name: "deadlock",
    summary: "nobody can move, or threads wait for each other's locks in a circle",
    is_default: true,
    kind: Kind::State(Some(check)),
    visible: Visible::Enabled,
};

impl Property {
    /// Nobody can move, or some wait for each other in a circle.
    pub const DEADLOCK: Property = Property::new(&DEFINITION);
}

fn check(state: &mut dyn Inspected, keys: &mut Vec<u64>) {
    if state.is_dead() {
        keys.push(state.stuck());
    }
}
