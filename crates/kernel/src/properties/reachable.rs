//! A place that the program says can be reached, and no execution reaches. Having been there is a mark of a state.

use crate::property::{Definition, Kind, Property, Visible};

static DEFINITION: Definition = Definition {
    name: "reachable",
    summary: "a Verify.assertReachable that no execution reaches",
    is_default: true,
    kind: Kind::Whole,
    visible: Visible::OwnSteps,
};

impl Property {
    /// A place that the program says can be reached, and cannot.
    pub const REACHABLE: Property = Property::new(&DEFINITION);
}
