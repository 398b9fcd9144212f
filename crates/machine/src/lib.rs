//! The machine that runs a program: its memory, its interpreter, its threads.
//!
//! All state lies in one word-addressed memory with a trail ([`memory`]); everything else here is code that reads and
//! writes it, or is shared by all states and named by content ([`machine::Shared`]).

pub mod assemble;
mod atomicity;
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
mod extent;
mod footprint;
mod frames;
mod handle;
pub mod heap;
mod initialize;
pub mod inspect;
mod interference;
mod interpret;
pub mod known;
pub mod layout;
pub mod link;
mod lockset;
pub mod machine;
pub mod memory;
mod missing;
mod monitor;
mod names;
pub mod native;
mod numbers;
mod owner;
mod part;
mod race;
mod reach;
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
mod thread_signature;
mod threads;
mod throw;
mod transitions;
mod trust;
mod view;
mod violations;
mod wait_set;
mod warmup;
mod writer;

pub use boot::{LaunchError, Start, register_kind};
pub use caveat::{Caveat, Mode};
pub use decode::Malformed;
pub use exchange::Disagreement;
pub use machine::{Console, Files, Limits, Machine, Shared, StartError, StepSemantics, Trap, raise};
pub use memory::Address;
pub use native::{Alternatives, Answer, Args, Native, Natives, Outcome, Touches};
#[doc(hidden)]
pub use reach::Origins;
pub use schedule::End;
pub use solo::AHEAD;
pub use transitions::Mark;
pub use warmup::Nowhere;
