//! Why a method could not be lowered.

use crate::classfile::{ClassFile, MethodInfo};
use std::fmt;

/// What sort of failure it is: each becomes a different Java exception, or the end of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowerErrorKind {
    /// A verifier rejects the method: `VerifyError`.
    Verify,
    /// The bytes are no bytecode at all: also `VerifyError` in HotSpot, but found while decoding.
    Format,
    /// A class that the check needs could not be loaded; the text is what [`super::Rules`] said.
    Class,
    /// Correct, as far as we can tell, but beyond our limits.
    Unsupported,
}

/// A method that could not be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    /// Bytecode index of the instruction at fault.
    pub bci: u32,
    /// What is wrong.
    pub what: String,
    /// The method, as `class.name(descriptor)`.
    pub method: String,
    /// What sort of failure it is.
    pub kind: LowerErrorKind,
}

impl LowerError {
    #[cold]
    pub(super) fn new(kind: LowerErrorKind, bci: u32, what: impl Into<String>) -> Box<LowerError> {
        Box::new(LowerError {
            bci,
            what: what.into(),
            method: String::new(),
            kind,
        })
    }

    #[cold]
    pub(super) fn verify(bci: u32, what: impl Into<String>) -> Box<LowerError> {
        LowerError::new(LowerErrorKind::Verify, bci, what)
    }

    #[cold]
    pub(super) fn format(bci: u32, what: impl Into<String>) -> Box<LowerError> {
        LowerError::new(LowerErrorKind::Format, bci, what)
    }

    #[cold]
    pub(super) fn unsupported(bci: u32, what: impl Into<String>) -> Box<LowerError> {
        LowerError::new(LowerErrorKind::Unsupported, bci, what)
    }

    /// Adds which method it is.
    #[cold]
    pub(super) fn within(mut self, file: &ClassFile, method: &MethodInfo) -> LowerError {
        let class = file.pool.class_name(file.this_class);
        self.method = format!(
            "{class}.{}{}",
            file.pool.text(method.name),
            file.pool.text(method.descriptor)
        );
        self
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (in {} at bytecode {})", self.what, self.method, self.bci)
    }
}

impl std::error::Error for LowerError {}

/// Boxed, so that passing a success on costs next to nothing.
pub(super) type Result<T> = std::result::Result<T, Box<LowerError>>;
