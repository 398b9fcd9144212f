//! What programs do with `java.util.concurrent`, interrupts, the clock and hash codes.
//!
//! One such operation is tens of steps, so the programs that have them are short: two threads, one or two operations each.

mod random;
mod shrink;
mod source;
mod topics;

pub(super) use random::{Scope, is_concurrent};
pub(super) use shrink::{operations, questions};
pub(super) use source::{IMPORTS, STATICS, names_of_asked, names_of_operation};

use super::{Ref, Stmt};

/// A lock of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// A static `ReentrantLock`.
    Static(u8),
    /// The one that a local node has, which may be null.
    Local(u8),
    /// The one that the static final node has.
    Final,
    /// The static `ReentrantReadWriteLock`, for readers.
    Read,
    /// The same for a writer.
    Write,
}

/// How a lock of the library is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// `lock()`.
    Lock,
    /// `lockInterruptibly()`.
    Interruptibly,
    /// `tryLock()`; what is done under the lock is left out if there is no luck.
    Try,
    /// The same until some time is up.
    Timed,
    /// `tryLock()` over and over.
    Spin,
}

/// How long somebody waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Until he is woken, or interrupted.
    Woken,
    /// The same, whoever interrupts him.
    Deaf,
    /// Until some time is up.
    Timed,
}

/// A synchronizer that names its owner, and does what it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owned {
    /// The static one.
    Static,
    /// The one that a local node has, which may be null.
    Local(u8),
}

/// What a synchronizer is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Whoever tells it is the owner.
    Take,
    /// There is none.
    Drop,
    /// It is that one.
    Give(Whom),
    /// Its state is this.
    Set(u8),
}

/// A thread that somebody else wakes or interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// The main thread.
    Main,
    /// One that the main thread starts.
    Thread(u8),
    /// Whoever does it.
    Oneself,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Under a lock, which is given back in any case.
    Hold(Gate, Take, Vec<Stmt>),
    /// Gives a lock back, whoever has it.
    Unlock(Gate),
    /// Waits for the condition of a static lock.
    Await(u8, Patience),
    /// Signals it, to one or to all.
    Signal(u8, bool),
    /// Takes a permit of the semaphore, once there is one.
    Acquire,
    /// Gives one back.
    Release,
    /// Parks until unparked, or until some time is up.
    Park(bool),
    /// Unparks a thread.
    Unpark(Whom),
    /// Interrupts a thread.
    Interrupt(Whom),
    /// Tells a synchronizer something.
    Own(Owned, Deed),
    /// Sleeps.
    Sleep,
    /// Keeps the time.
    Look,
}

/// A question that is answered by yes or no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Whether the thread itself has a lock.
    Held(Gate),
    /// Whether anybody has it.
    Locked(Gate),
    /// Whether anybody waits for it.
    Queued(Gate),
    /// Whether anybody is named as the owner of a static lock.
    Owner(u8),
    /// Whether the thread itself is the owner of a synchronizer.
    Mine(Owned),
    /// Whether nobody is.
    Free(Owned),
    /// Whether its state is this.
    State(Owned, u8),
    /// Whether a compare-and-set of its state succeeds.
    Swapped(Owned, u8, u8),
    /// Whether there is a permit; if so, it is taken.
    Acquired,
    /// Whether the thread was interrupted; it is not any more.
    Interrupted,
    /// Whether that one was, who still is.
    IsInterrupted(Whom),
    /// Whether two nodes have the same hash code.
    SameHash(Ref, Ref),
    /// Whether time has passed since it was kept; or whether it has not gone back.
    Passed(bool),
}

impl Op {
    /// The statements in it.
    pub(super) fn inner(&self) -> &[Stmt] {
        match self {
            Op::Hold(_, _, body) => body,
            _ => &[],
        }
    }

    /// The same, to be changed.
    pub(super) fn inner_mut(&mut self) -> Option<&mut Vec<Stmt>> {
        match self {
            Op::Hold(_, _, body) => Some(body),
            _ => None,
        }
    }

    /// The thread that it names.
    pub(super) fn whom(&self) -> Option<Whom> {
        match self {
            Op::Unpark(whom) | Op::Interrupt(whom) | Op::Own(_, Deed::Give(whom)) => Some(*whom),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(super) fn whom_mut(&mut self) -> Option<&mut Whom> {
        match self {
            Op::Unpark(whom) | Op::Interrupt(whom) | Op::Own(_, Deed::Give(whom)) => Some(whom),
            _ => None,
        }
    }
}
