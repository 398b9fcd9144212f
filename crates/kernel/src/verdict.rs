//! The three endings, never mixed: a finding, something unsupported, or our own bug (which is a panic).

use std::fmt;

/// Something that Raddle does not do. The verdict becomes unknown, with the place; never "holds".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What was asked for: `java.io.FileInputStream.open0`.
    pub what: String,
    /// Where: `Foo.java:12`, or empty where no line is known.
    pub place: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unsupported: {}", self.what)?;
        if !self.place.is_empty() {
            write!(f, ", called from {}", self.place)?;
        }
        Ok(())
    }
}

impl std::error::Error for Unsupported {}

/// What is said about a program in the end; `T` is the trace of a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<T> {
    /// Every behaviour was explored and none breaks the property.
    Holds,
    /// One does, and this is how.
    Violated(T),
    /// Neither is known, because of this.
    Unknown(String),
}
