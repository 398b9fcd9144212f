//! Reductions under a bound on preemptions: the thread that moved last runs on where the others need no turn.
//!
//! A preemption is a switch away from a thread that could have gone on. A search with a bound explores all schedules with at most so many.
//! A reduction goes with it only if each schedule that it leaves out has an equivalent one that needs no more preemptions. Ample sets in
//! general do not have that property: Coons, Musuvathi and McKinley (OOPSLA 2013) show why, and repair it by exploring more threads. Here
//! less is left out instead. An ample set is used only if it is the thread that moved last, could go on, and does not unblock others.
//! What remains of a reduction is its best part: no switch in the midst of what a thread does for itself.
//!
//! SOUNDNESS: let `t` have moved last, and be able to go on, at a state `s`. Let its next action `a` commute with all that others may do before it
//! (`ample`), and change for none of them whether it can go on. Take a schedule `u a w` from `s` in which `t` has no step in `u`; `x` moves first in
//! `u` and `z` last. It is left out, and `a u w` is kept, or leads to one that is, as for ample sets in general. Count the preemptions of both:
//!
//! - The first switch, from `t` to `x`, is one preemption in `u a w`, since `t` can go on at `s`; it is at most one in `a u w`.
//! - In `u`, each thread that is left can go on, or cannot, at the same places with `a` before as without. So switches cost the same.
//! - If `w` begins with `t`, both switch from `z` to `t`, at the same cost. Else `u a w` switches from `z` to `t` and from `t` to another thread, and
//!   `a u w` at most once, from `z`, at the cost of the former.
//! - If the schedule ends in `u`, what it shows is shown by `a u` as well, and the first point holds.
//!
//! So `a u w` needs no more. All that follows from `s` after `a` is at a state with the same last thread and no more of the bound used up, and the
//! argument goes on there. The proviso (`search`) holds for states with their schedules, which are what is stored.
//!
//! Without the condition on `t` this fails. Where another thread moved last, or `t` cannot go on, the switch to `x` is free in `u a w` and may cost in
//! `a u w`, because `t` may be able to go on after `a`. It also fails where `a` unblocks: a thread that waits for a lock is left for free before the
//! lock is given back, and at a cost afterwards.
//!
//! SOUNDNESS: which actions unblock. To read does not, nor does to take a lock. What gives back a lock, changes a wait set, starts or ends a thread,
//! or moves the clock may, unless no other thread can reach the object. A write to a variable may if a step waits for the variable: in a model, or an
//! operation of the library at once. It was proved to commute with all that others may do. One that waits for the variable does not do it yet; but it
//! does once the write has unblocked it, at a state that needs no more preemptions than the bound allows, and there the proof, if it was an
//! assumption, is seen to be wrong.

use kernel::{AccessKind, Location, MemoryAccess, ThreadId, Transitions, View};

/// Whether to switch away from a thread would be a preemption.
pub(crate) fn could_go_on<A: Copy>(transitions: &Transitions<A>, thread: ThreadId) -> bool {
    let mut entries = transitions.entries().iter();
    entries.any(|entry| entry.thread == thread && entry.enabled && !entry.wakeup && !entry.spurious)
}

/// Whether a current action of a thread may let another one go on that waits.
pub(crate) fn may_unblock<S: View>(
    system: &S,
    state: &mut S::State,
    transitions: &Transitions<S::Action>,
    thread: ThreadId,
) -> bool {
    let own = transitions.entries().iter().filter(|entry| entry.thread == thread);
    let mut touches = own.flat_map(|entry| transitions.footprint(entry));
    touches.any(|touch| signals(*touch) && !system.is_local(state, thread, touch.location))
}

/// Whether an access does more than to read or write a variable, or to take a lock.
fn signals(touch: MemoryAccess) -> bool {
    match touch.access {
        AccessKind::Read | AccessKind::AtomicRead | AccessKind::Acquire => false,
        AccessKind::Release => true,
        AccessKind::Write | AccessKind::AtomicWrite => {
            touch.location.cell >= Location::WHOLE || touch.location == Location::CLOCK
        }
    }
}
