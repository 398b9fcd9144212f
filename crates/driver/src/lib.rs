//! Checks programs and says what there is to say about them: all that the `raddle` command does.

pub mod analyze;
pub mod arguments;
mod assumptions;
pub mod budget;
pub mod check;
pub mod compare;
mod consistency;
mod console;
mod discipline;
pub mod dump;
mod growth;
mod narrate;
pub mod oracle;
mod progress;
pub mod publish;
mod remarks;
pub mod replay;
pub mod run;
mod sources;
mod subject;
mod target;
mod verdict;
mod verify;
pub mod watchdog;
mod world;

pub use subject::step_semantics::semantics;

/// What can go wrong before or besides the program under test: a message, and the status to exit with.
pub struct Failure {
    /// The status to exit with.
    pub status: u8,
    /// What to say.
    pub message: String,
}

impl Failure {
    /// Wrong usage or wrong input.
    pub fn input(message: impl Into<String>) -> Failure {
        Failure {
            status: 2,
            message: message.into(),
        }
    }

    /// Something that Raddle does not do.
    pub fn unknown(message: impl Into<String>) -> Failure {
        Failure {
            status: 3,
            message: message.into(),
        }
    }
}
