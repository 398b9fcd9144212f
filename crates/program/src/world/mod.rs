//! The world of a program: every class that was loaded, by whom, and how its members are found.
//!
//! Loading and linking depend on names and bytes alone. They run no Java code and are no part of a state.

mod class;
mod constraints;
mod define;
mod export;
mod layout;
mod load;
mod modules;
mod names;
mod program;
mod resolve;
mod table;

pub use class::{
    ARRAY_HEADER_WORDS, ARRAY_LENGTH, Class, ClassId, ClassKind, Field, HEADER_WORDS, LoaderId, Method, MethodId,
    field_info,
};
pub use constraints::Disagreement;
pub use define::{MethodSpec, SyntheticClass};
pub use export::{Divergence, Format, World};
pub use load::LoadError;
pub use names::{Names, Symbol};
pub use program::Program;
pub use resolve::{MemberError, Reference};
pub use table::Table;
