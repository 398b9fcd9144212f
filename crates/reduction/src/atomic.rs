//! `atomic`: states with a single successor are not stored (Dwyer et al., section 4).
//!
//! SOUNDNESS: there is nothing to choose there, so what follows is explored as a part of the step before. The search looks at these
//! states all the same, stores one now and then, and notices a run that goes in circles ([`kernel::Reduction::is_atomic`]). Under a bound on
//! preemptions only steps are longer, and all states are stored.

use crate::Ample;
use crate::description::Description;
use kernel::{Instrumentation, View};

pub(crate) static DESCRIPTION: Description = Description {
    needs: Instrumentation::LONG_STEPS,
    in_auto: true,
    keeps_preemptions: true,
    ..Description::new("atomic", "states with a single successor are not stored")
};

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.atomic = true;
}
