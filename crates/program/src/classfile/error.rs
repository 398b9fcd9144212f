//! What the reader says of a file that is no class file.

use std::fmt;

/// Why a class file was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    /// Where in the file.
    pub offset: usize,
    /// What is wrong there.
    pub what: String,
    /// What kind of error a virtual machine makes of it.
    pub kind: FormatErrorKind,
}

/// The error of the Java platform that a [`FormatError`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatErrorKind {
    /// `ClassFormatError`.
    Malformed,
    /// `UnsupportedClassVersionError`.
    Version,
}

impl FormatError {
    #[cold]
    pub(super) fn new(offset: usize, what: impl Into<String>) -> FormatError {
        let mut what = what.into();
        // Names come from the file: they shall not break lines or paint the terminal.
        if what.contains(char::is_control) {
            let plain = |letter: char| {
                if letter.is_control() {
                    char::REPLACEMENT_CHARACTER
                } else {
                    letter
                }
            };
            what = what.chars().map(plain).collect();
        }
        FormatError {
            offset,
            what,
            kind: FormatErrorKind::Malformed,
        }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.what)
    }
}

impl std::error::Error for FormatError {}

pub(super) type Result<T> = std::result::Result<T, FormatError>;
