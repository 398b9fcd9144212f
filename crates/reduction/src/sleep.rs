//! `sleep`: sleep sets (Godefroid 1996, chapter 5).
//!
//! An action that was tried at a state is not tried again after others, until something is done that does not commute with it. Which
//! commute is the system's to say ([`kernel::Interference::commute`]); what sleeps where is kept by the search, which has explored it before.
//!
//! SOUNDNESS: every state is still visited, but for those that ample sets leave out, by one order of steps that commute.

use crate::Ample;
use crate::description::Description;
use kernel::View;

pub(crate) static DESCRIPTION: Description = Description {
    in_auto: true,
    keeps_with_states: true,
    ..Description::new(
        "sleep",
        "what was tried is not tried again after steps that commute with it; depth-first only",
    )
};

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.sleep = true;
}
