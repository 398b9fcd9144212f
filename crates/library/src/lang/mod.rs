//! `java.lang` and its own parts.

pub(crate) mod class;
pub(crate) mod domain;
pub(crate) mod loader;
pub(crate) mod math;
pub(crate) mod members;
pub(crate) mod module;
pub(crate) mod number;
pub(crate) mod object;
pub(crate) mod process;
pub(crate) mod reference;
pub(crate) mod runtime;
pub(crate) mod string;
pub(crate) mod system;
pub(crate) mod thread;
pub(crate) mod throwable;
pub(crate) mod trace;
pub(crate) mod walker;
