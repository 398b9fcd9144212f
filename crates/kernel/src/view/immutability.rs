//! What is not written any more.

use crate::{Location, System};

/// A part of [`crate::View`].
pub trait Immutability: System {
    /// Whether a location is never written once it is initialised, if the program keeps to what it declares. A whole object is no such
    /// location, whatever its parts are ([`crate::Variables::parts`]).
    fn is_final(&self, state: &mut Self::State, location: Location) -> bool;

    /// Whether a location was there before the first step, belongs to no thread and is not the program's own, and nothing else is assumed
    /// about it: it may well be that it is never written any more.
    fn is_settled(&self, state: &mut Self::State, location: Location) -> bool;
}
