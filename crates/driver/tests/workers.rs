//! What a worker of a search has of its own can be sent to a thread, and what workers have in common can be shared: for Java programs and
//! for models. The parts of an explorer are tested where they are (`search::context`).

use kernel::{StateVector, Transitions, Versions};
use machine::system::{Action, Java, Undo};
use machine::{Machine, Shared};
use model::Model;
use reduction::Ample;
use store::{Bits, Cursor, Exact, Fingerprint, Inserter, SideTable, StateTable};

fn is_sync<T: Sync + ?Sized>() {}
fn is_send<T: Send + ?Sized>() {}

#[test]
fn what_workers_share_is_sync() {
    is_sync::<Java<'_>>();
    is_sync::<Shared<'_>>();
    is_sync::<Model>();
    is_sync::<dyn StateTable>();
    is_sync::<Exact>();
    is_sync::<Fingerprint>();
    is_sync::<Bits>();
    is_sync::<SideTable<Box<[u64]>>>();
}

#[test]
fn what_a_worker_has_is_send() {
    is_send::<Machine<'_>>();
    is_send::<Action>();
    is_send::<Undo>();
    is_send::<Transitions<Action>>();
    is_send::<<Model as kernel::System>::State>();
    is_send::<<Model as kernel::System>::Action>();
    is_send::<<Model as kernel::System>::Undo>();
    is_send::<StateVector>();
    is_send::<Versions>();
    is_send::<Cursor<'_>>();
    is_send::<Box<dyn Inserter + '_>>();
    is_send::<Ample<Java<'_>>>();
    is_send::<Ample<Model>>();
}
