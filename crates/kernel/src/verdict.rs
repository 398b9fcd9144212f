//! The three endings, never mixed: a finding, something unsupported, or our own bug (which is a panic).

use std::fmt;

/// Something that Raddle does not do. The verdict becomes unknown, with the place; never "holds".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What was asked for: `java.io.FileInputStream.open0`.
    pub what: String,
    /// Where: `Foo.java:12`, or empty where no line is known.
    pub place: String,
    /// What stands in the way.
    pub obstacle: Obstacle,
}

/// What stands in the way of a step, and so what would help.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Obstacle {
    /// Raddle cannot do it.
    #[default]
    Feature,
    /// A limit that the user can raise.
    Limit,
    /// The program is not whole: something that it needs was not given.
    Input,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, between) = match self.obstacle {
            Obstacle::Feature => ("unsupported: ", "called from"),
            Obstacle::Limit => ("", "at"),
            Obstacle::Input => ("", "needed at"),
        };
        write!(f, "{before}{}", self.what)?;
        if !self.place.is_empty() {
            write!(f, ", {between} {}", self.place)?;
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
