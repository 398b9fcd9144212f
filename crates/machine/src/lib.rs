//! The machine that runs a program: its memory, its interpreter, its threads.
//!
//! All state lies in one word-addressed memory with a trail ([`memory`]); everything else here is code that reads and
//! writes it, or is shared by all states and named by content ([`machine::Shared`]).

pub mod assemble;
mod audit;
mod boot;
mod caveat;
pub mod clock;
mod collect;
mod constraints;
mod deadlock;
mod decode;
pub mod discipline;
mod dynamic;
pub mod encode;
mod escape;
mod exchange;
mod exclusive;
mod extent;
mod flaws;
mod footprint;
mod frames;
mod handle;
pub mod heap;
mod initialize;
pub mod inspect;
mod interpret;
pub mod known;
pub mod layout;
pub mod link;
pub mod machine;
mod meddle;
pub mod memory;
mod missing;
mod monitor;
mod names;
pub mod native;
mod numbers;
mod owner;
mod part;
mod pending;
mod race;
mod reach;
mod record;
mod refresh;
mod reserve;
mod schedule;
mod settle;
mod slots;
mod solo;
mod special;
pub mod support;
mod symmetry;
pub mod system;
mod threads;
mod throw;
mod trust;
mod view;
mod views;
mod wait_set;
mod warm;
mod writer;

pub use boot::{LaunchError, Start, register_kind};
pub use caveat::{Caveat, Mode};
pub use decode::Malformed;
pub use exchange::Disagreement;
pub use machine::{Console, Files, Limits, Machine, Manner, Shared, StartError, Trap, raise};
pub use memory::Address;
pub use native::{Alternatives, Answer, Args, Native, Natives, Outcome, Touches};
pub use pending::Mark;
#[doc(hidden)]
pub use reach::Origins;
pub use schedule::End;
pub use solo::AHEAD;
pub use warm::Nowhere;
