//! What a reduction needs of a system, besides its transitions.

/// A set of requirements, which a system is given before it is searched. One that knows nothing of a requirement answers the questions of
/// [`crate::View`] as if it were not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instrumentation(u16);

impl Instrumentation {
    /// Nothing.
    pub const NONE: Instrumentation = Instrumentation(0);
    /// Every instruction is a step, and no thread is taken for another.
    pub const EVERY_STEP: Instrumentation = Instrumentation(1);
    /// Something may be left out: so it is with every reduction.
    pub const REDUCED: Instrumentation = Instrumentation(1 << 1);
    /// It is noted which objects other threads were ever able to reach.
    pub const ESCAPE_BITS: Instrumentation = Instrumentation(1 << 2);
    /// It is noted which locks are held whenever a shared object is accessed.
    pub const LOCKSETS: Instrumentation = Instrumentation(1 << 3);
    /// Final fields are left out of that: the reduction knows that they do not change.
    pub const FINALS_APART: Instrumentation = Instrumentation(1 << 4);
    /// Objects that were proved never to be shared are marked.
    pub const PROOFS: Instrumentation = Instrumentation(1 << 5);
    /// An access to an object that no other thread was ever able to reach is no reason to switch threads.
    pub const LOCAL_COMMUTES: Instrumentation = Instrumentation(1 << 6);
    /// A step may go on where there is no reason to switch threads: the states in between are not stored.
    pub const LONG_STEPS: Instrumentation = Instrumentation(1 << 7);

    /// These requirements and others.
    #[must_use]
    pub const fn and(self, other: Instrumentation) -> Instrumentation {
        Instrumentation(self.0 | other.0)
    }

    /// These requirements without others.
    #[must_use]
    pub const fn without(self, other: Instrumentation) -> Instrumentation {
        Instrumentation(self.0 & !other.0)
    }

    /// Whether all of `other` are among them.
    #[inline]
    pub const fn has(self, other: Instrumentation) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A system that records what reductions need.
pub trait Instrumented {
    /// Makes ready for these requirements, before there is any state.
    fn instrument(&mut self, needs: Instrumentation);
}
