//! An exception that nobody catches. The thread shows it by itself, so the system notices it.

use crate::property::{Definition, Kind, Property, Visible};

static DEFINITION: Definition = Definition {
    name: "exception",
    summary: "an uncaught exception or failed assertion, in any thread",
    is_default: true,
    kind: Kind::State(None),
    visible: Visible::OwnSteps,
};

impl Property {
    /// An exception that nobody catches, failed assertions among them.
    pub const EXCEPTION: Property = Property::new(&DEFINITION);
}
