//! What is looked for, and what was found at one state.

/// A kind of defect that the search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// Nobody can move, or some wait for each other in a circle.
    Deadlock,
    /// An exception that nobody catches, failed assertions among them.
    Exception,
    /// Two conflicting plain accesses that are both about to happen.
    Race,
    /// A place that the program says can be reached, and cannot.
    Reachable,
    /// A lock that is still held by a thread that is over.
    Lock,
    /// Threads that run for ever without changing anything that others look at.
    Livelock,
}

impl Property {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Property; 6] = [
        Property::Deadlock,
        Property::Exception,
        Property::Race,
        Property::Reachable,
        Property::Lock,
        Property::Livelock,
    ];

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Property::Deadlock => "deadlock",
            Property::Exception => "exception",
            Property::Race => "race",
            Property::Reachable => "reachable",
            Property::Lock => "lock",
            Property::Livelock => "livelock",
        }
    }

    /// What it means, in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Property::Deadlock => "nobody can move, or threads wait for each other's locks in a circle",
            Property::Exception => "an uncaught exception or failed assertion, in any thread",
            Property::Race => "two threads about to access one field or element, without order, one of them writing",
            Property::Reachable => "a Verify.assertReachable that no execution reaches",
            Property::Lock => "a monitor, lock or read lock still held by a thread that has ended",
            Property::Livelock => "threads that run for ever and change nothing that another one looks at",
        }
    }

    /// Whether it is looked for unless the user says otherwise.
    pub fn is_default(self) -> bool {
        !matches!(self, Property::Lock | Property::Livelock)
    }

    /// The property of a name.
    pub fn named(name: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|property| property.name() == name)
    }
}

/// A defect at one state. Two with the same property and key are the same defect met twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flaw {
    /// What is broken.
    pub property: Property,
    /// Tells distinct defects of one property apart.
    pub key: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_is_found_by_its_name() {
        for property in Property::ALL {
            assert_eq!(Property::named(property.name()), Some(property));
        }
        assert_eq!(Property::named("dead lock"), None);
    }
}
