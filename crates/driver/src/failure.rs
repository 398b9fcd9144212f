//! What can go wrong before or besides the program under test.

use std::fmt;

/// Why there is no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Wrong usage or wrong input, in words.
    Input(String),
    /// Something that Raddle does not do, in words.
    Unknown(String),
}

impl Failure {
    /// Wrong usage or wrong input.
    pub fn input(message: impl Into<String>) -> Failure {
        Failure::Input(message.into())
    }

    /// Something that Raddle does not do.
    pub fn unknown(message: impl Into<String>) -> Failure {
        Failure::Unknown(message.into())
    }

    /// What to say.
    pub fn message(&self) -> &str {
        let (Failure::Input(message) | Failure::Unknown(message)) = self;
        message
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for Failure {}
