//! `java.lang.reflect` and the JDK's own reflection.

pub(crate) mod array;
pub(crate) mod boxes;
pub(crate) mod executable;
pub(crate) mod invoke;
pub(crate) mod reflection;
