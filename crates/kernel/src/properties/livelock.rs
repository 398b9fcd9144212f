//! Threads that run for ever without changing anything that others look at. Whether something changes is what it is about, so every
//! step can be seen. The check is the search's (`search::livelock`).

use crate::property::{Definition, Kind, Property, Visible};

static DEFINITION: Definition = Definition {
    name: "livelock",
    summary: "threads that run for ever and change nothing that another one looks at",
    is_default: false,
    kind: Kind::Endless,
    visible: Visible::EveryStep,
};

impl Property {
    /// Threads that run for ever without changing anything that others look at.
    pub const LIVELOCK: Property = Property::new(&DEFINITION);
}
