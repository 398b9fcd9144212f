//! The reductions that there are: a line each. The command line, the documentation and the tests read this list.

use crate::description::{Description, Goes, Rule};
use crate::{
    atomic, dominated, escape, escape_static, final_field, lockset, optimistic, own, persistent, selflock, sleep,
};
use kernel::{AssumptionKind, Instrumentation, View};

/// The list, as descriptions and as what they do. Each file has a `DESCRIPTION` and a function `add`.
macro_rules! list {
    ($($file:ident),* $(,)?) => {
        /// All of them, in the order in which they are listed.
        pub static REDUCTIONS: &[&Description] = &[&AUTO, &NONE, &BASE, $(&$file::DESCRIPTION),*];

        /// What they do. The first three do nothing themselves.
        pub fn rules<S: View>() -> Vec<Rule<S>> {
            vec![$(Rule { description: &$file::DESCRIPTION, add: $file::add }),*]
        }
    };
}

list! {
    escape_static,
    escape,
    atomic,
    selflock,
    dominated,
    lockset,
    final_field,
    own,
    persistent,
    sleep,
    optimistic,
}

/// `auto`: all that say that they are part of it.
pub(crate) static AUTO: Description = Description {
    goes: Goes::Alone,
    ..Description::new("auto", "the best sound combination of what follows (default)")
};

/// `none`: nothing is left out, and nothing is taken together.
static NONE: Description = Description {
    goes: Goes::Alone,
    needs: Instrumentation::EVERY_STEP,
    loses: &[],
    loses_if_reached: &[],
    is_full: true,
    ..Description::new("none", "every instruction is a step of its own: for comparison only")
};

/// `base`: nothing is left out of what other threads could notice. Part of everything but `none`.
pub(crate) static BASE: Description = Description {
    loses: &[],
    loses_if_reached: &[],
    is_full: true,
    ..Description::new(
        "base",
        "a step is one access that other threads could notice, and all the local work after it",
    )
};

/// What the user claims by an option, instead of it being assumed of all classes.
pub fn claimed_by(option: &str) -> Option<&'static AssumptionKind> {
    let all = REDUCTIONS.iter().flat_map(|description| description.assumes);
    all.copied().find(|kind| kind.claimed_by == Some(option))
}
