//! Finds, reads and links classes: the JDK's image, jars, folders and `javac` for sources; then lowers their bytecode to
//! Raddle's three-address IR.
//!
//! Nothing here runs anything. All input is taken to be hostile: a broken file is an error value, never a panic.

pub mod archive;
pub mod bytes;
pub mod classfile;
pub mod classpath;
pub mod descriptor;
pub mod image;
pub mod input;
pub mod ir;
pub mod jdk;
pub mod lower;
pub mod npe;
pub mod source;
pub mod world;
