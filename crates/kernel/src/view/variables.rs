//! What a location is one of.

use crate::{Location, MemoryAccess, System};

/// A part of [`crate::View`].
pub trait Variables: System {
    /// The class of the object of a location, if it is an object that can be locked.
    fn class_of(&self, state: &mut Self::State, location: Location) -> Option<u32>;

    /// What a location is one of many of, about all of which one thing is assumed: a field of a class.
    fn variable_of(&self, state: &mut Self::State, location: Location) -> (u32, u32);

    /// The kind of a location, if all locations of its kind are alike in every state: in [`Variables::class_of`],
    /// [`crate::Immutability::is_final`], [`crate::Locksets::may_be_protected`] and [`crate::Ownership::may_be_held`]. What is known
    /// of one need not be asked of the others.
    fn kind_of(&self, state: &mut Self::State, location: Location) -> Option<(u32, u32)>;

    /// Appends what a touch is about, a variable each: of a plain access to a whole object, each of its cells.
    fn parts(&self, state: &mut Self::State, touch: MemoryAccess, out: &mut Vec<MemoryAccess>);
}
