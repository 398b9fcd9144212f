//! How the loop ends, and what it is asked to do next.

use crate::memory::Address;
use kernel::Unsupported;

/// Why the loop ended.
#[derive(Debug)]
pub enum Exit {
    /// The thread has had its share.
    Fuel,
    /// The next instruction touches something that other threads may see. Only when stepping.
    Pending,
    /// The thread cannot go on now; its record says why.
    Blocked,
    /// The thread is over.
    Ended,
    /// The program is over.
    Halt(i32),
    /// The heap should be collected before going on.
    Collect,
    /// The call that the machine itself made has returned this word.
    Done(u32),
    /// The call that the machine itself made has thrown.
    Failed(Address),
    /// Something is not supported.
    Unsupported(Unsupported),
}

/// What a special instruction or native method asks the loop to do next.
pub(crate) enum Next {
    /// Go on with the following instruction.
    Advance,
    /// Go on with whatever frame is topmost now.
    Reload,
    /// Leave the loop.
    Leave(Exit),
}
