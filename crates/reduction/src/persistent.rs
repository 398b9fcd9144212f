//! `persistent`: persistent sets, by conditional stubborn sets over whole threads.
//!
//! After Godefroid (1996), chapter 4, in the form in which Stoller and Cohen (2006, section 10) compare with it. A set of threads is
//! enough if nothing that the others may do, as long as none of the set moves, interferes with the next step of one of them, or lets
//! one take a step that it cannot take now. Such a set is grown from a thread that can move: whoever may interfere joins it, until
//! nobody is left who may. What the others may still do is the system's to say ([`kernel::Interference::interfering_threads`]), so the set is as small as
//! the system knows its own future.
//!
//! Ties: a set is grown from each thread that can move, he who moved last first and then in the order of the transitions; the one with the
//! fewest enabled actions is taken, and of several with as few, the first.
//!
//! A model reads that off its text. A Java program reads it off the state: who can move at all, and what these reach. So for one
//! thread by itself, and if all others can move, it is `escape`.
//!
//! What a property looks at is kept for the reasons that `ample` gives: the set is an ample set of several threads. Two threads that
//! race are never one inside and one outside.

use crate::ample::{Ample, Several};
use crate::description::Description;
use crate::query_throttle::QueryThrottle;
use kernel::{ThreadId, Transitions, View};

pub(crate) static DESCRIPTION: Description = Description {
    in_auto: true,
    ..Description::new(
        "persistent",
        "only threads with whose next steps nothing that the others may still do interferes",
    )
};

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.look_for_several(Box::<Persistent>::default());
}

/// The choice of several threads.
#[derive(Default)]
struct Persistent {
    throttle: QueryThrottle,
}

impl<S: View> Several<S> for Persistent {
    fn choose(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        order: &[ThreadId],
        enough: &mut Vec<ThreadId>,
    ) {
        let enabled = |still: &[ThreadId]| {
            let entries = transitions.entries().iter();
            entries
                .filter(|entry| entry.enabled && still.contains(&entry.thread))
                .count()
        };
        let mut least = enabled(order);
        let (mut still, mut interfering_threads) = (Vec::new(), Vec::new());
        for &thread in order {
            still.clear();
            still.push(thread);
            let spot = system.spot(state, thread);
            let is_less = self.throttle.ask(spot, || {
                loop {
                    interfering_threads.clear();
                    if !system.interfering_threads(state, &still, &mut interfering_threads) {
                        break false;
                    }
                    interfering_threads.retain(|interfering| !still.contains(interfering));
                    if interfering_threads.is_empty() {
                        break enabled(&still) < least;
                    }
                    still.append(&mut interfering_threads);
                    if enabled(&still) >= least {
                        break false;
                    }
                }
            });
            if is_less {
                least = enabled(&still);
                enough.clear();
                enough.extend_from_slice(&still);
            }
        }
    }
}
