//! Simpler operations and questions. All chains of them come to an end.

use super::super::shrink::{bodies, refs};
use super::{Ask, Deed, Gate, Op, Owned, Patience, Take};

fn gates(gate: Gate) -> Vec<Gate> {
    match gate {
        Gate::Static(0) => Vec::new(),
        Gate::Read => vec![Gate::Write],
        Gate::Write | Gate::Static(_) | Gate::Local(_) | Gate::Final => vec![Gate::Static(0)],
    }
}

fn takes(take: Take) -> Vec<Take> {
    match take {
        Take::Try => Vec::new(),
        Take::Spin | Take::Timed => vec![Take::Try],
        Take::Lock => vec![Take::Spin],
        Take::Interruptibly => vec![Take::Lock],
    }
}

fn synchronizers(owned: Owned) -> Vec<Owned> {
    match owned {
        Owned::Static => Vec::new(),
        Owned::Local(_) => vec![Owned::Static],
    }
}

fn deeds(deed: Deed) -> Vec<Deed> {
    match deed {
        Deed::Give(_) => vec![Deed::Drop, Deed::Take],
        Deed::Take | Deed::Drop | Deed::Set(0) => Vec::new(),
        Deed::Set(_) => vec![Deed::Set(0)],
    }
}

/// Simpler statements of the same kind.
pub(in super::super) fn operations(op: &Op) -> Vec<Op> {
    match op {
        Op::Hold(gate, take, body) => {
            let shorter = bodies(body).into_iter().map(|body| Op::Hold(*gate, *take, body));
            let easier = takes(*take).into_iter().map(|take| Op::Hold(*gate, take, body.clone()));
            let nearer = gates(*gate).into_iter().map(|gate| Op::Hold(gate, *take, body.clone()));
            shorter.chain(easier).chain(nearer).collect()
        }
        Op::Unlock(gate) => gates(*gate).into_iter().map(Op::Unlock).collect(),
        Op::Await(number, Patience::Deaf | Patience::Timed) => vec![Op::Await(*number, Patience::Woken)],
        Op::Park(true) => vec![Op::Park(false)],
        Op::Own(owned, deed) => {
            let nearer = synchronizers(*owned).into_iter().map(|owned| Op::Own(owned, *deed));
            nearer
                .chain(deeds(*deed).into_iter().map(|deed| Op::Own(*owned, deed)))
                .collect()
        }
        Op::Sleep => vec![Op::Park(true)],
        Op::Interrupt(whom) => vec![Op::Unpark(*whom)],
        Op::Await(..) | Op::Signal(..) | Op::Acquire | Op::Release | Op::Park(_) | Op::Unpark(_) | Op::Look => {
            Vec::new()
        }
    }
}

/// Simpler questions.
pub(in super::super) fn questions(ask: &Ask) -> Vec<Ask> {
    match ask {
        Ask::Held(gate) => gates(*gate).into_iter().map(Ask::Held).collect(),
        Ask::Locked(gate) => gates(*gate).into_iter().map(Ask::Locked).collect(),
        Ask::Queued(gate) => {
            let nearer = gates(*gate).into_iter().map(Ask::Queued);
            nearer.chain([Ask::Locked(*gate)]).collect()
        }
        Ask::Owner(number) => vec![Ask::Locked(Gate::Static(*number))],
        Ask::Mine(owned) => synchronizers(*owned).into_iter().map(Ask::Mine).collect(),
        Ask::Free(owned) => synchronizers(*owned).into_iter().map(Ask::Free).collect(),
        Ask::State(owned, state) => {
            let nearer = synchronizers(*owned).into_iter();
            nearer.map(|owned| Ask::State(owned, *state)).collect()
        }
        Ask::Swapped(owned, old, new) => {
            let nearer = synchronizers(*owned).into_iter();
            let nearer = nearer.map(|owned| Ask::Swapped(owned, *old, *new));
            nearer.chain([Ask::State(*owned, *old)]).collect()
        }
        Ask::IsInterrupted(_) => vec![Ask::Interrupted],
        Ask::SameHash(one, other) => {
            let ones = refs(one).into_iter().map(|one| Ask::SameHash(one, other.clone()));
            let others = refs(other).into_iter().map(|other| Ask::SameHash(one.clone(), other));
            ones.chain(others).collect()
        }
        Ask::Passed(true) => vec![Ask::Passed(false)],
        Ask::Acquired | Ask::Interrupted | Ask::Passed(false) => Vec::new(),
    }
}
