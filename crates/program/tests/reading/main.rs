//! Reading classes from wherever they are, against the JDKs of this machine.

mod classpaths;
mod common;
mod format;
mod mutants;
mod nulls;
mod platform;
mod sources;
