//! `java.io` and `java.nio`: standard input and output, and the files that the machine was given, for reading.

pub(crate) mod channel;
pub(crate) mod descriptor;
pub(crate) mod dispatcher;
pub(crate) mod open;
pub(crate) mod print;
pub(crate) mod random;
pub(crate) mod streams;
pub(crate) mod system;
