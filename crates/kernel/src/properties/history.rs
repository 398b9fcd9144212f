//! What the program has recorded when it ends or when no thread can move any more. It is no defect: whoever wants to have all of them
//! asks for each once. The system notices it, and what it recorded is what the key stands for. A user cannot ask for it by name.
//!
//! SOUNDNESS: only states without successors have one, and every reduction keeps those.

use crate::property::{Definition, Kind, Property, Visible};

static DEFINITION: Definition = Definition {
    name: "history",
    summary: "what the program has recorded at its end",
    is_default: false,
    kind: Kind::State(None),
    visible: Visible::Enabled,
};

impl Property {
    /// What the program has recorded when it ends or when no thread can move any more.
    pub const HISTORY: Property = Property::new(&DEFINITION);
}
