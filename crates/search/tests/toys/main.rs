//! The searches on systems that are small enough to know all about.

mod assumptions;
mod livelock;
mod minimise;
mod orders;
mod toy;
mod walks;
