//! `jdk.internal`.

pub(crate) mod image;
pub(crate) mod management;
pub(crate) mod natives;
pub(crate) mod net;
pub(crate) mod perf;
pub(crate) mod platform;
pub(crate) mod props;
pub(crate) mod replaced;
pub(crate) mod threads;
pub(crate) mod vm;
