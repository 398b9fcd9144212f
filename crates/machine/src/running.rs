//! The thread that runs.
//!
//! While a thread runs, its topmost frame is told here; the word in its record is brought up to date when it stops
//! ([`thread::FRAME`](crate::layout::thread)). Frames of it from `logged` up are in the trail or younger than the step, so nothing
//! of them is logged again.

use crate::memory::Address;

/// Which thread it is, and where its stack stands.
#[derive(Default)]
pub(crate) struct Running {
    thread: u32,
    frame: Address,
    stack_end: Address,
    logged: Address,
}

impl Running {
    /// The number of the thread.
    #[inline(always)]
    pub(crate) fn thread(&self) -> u32 {
        self.thread
    }

    /// Its topmost frame.
    #[inline(always)]
    pub(crate) fn frame(&self) -> Address {
        self.frame
    }

    /// Where its stack ends.
    #[inline(always)]
    pub(crate) fn stack_end(&self) -> Address {
        self.stack_end
    }

    /// Another thread runs from here on.
    pub(crate) fn switch(&mut self, thread: u32, frame: Address, stack_end: Address) {
        (self.thread, self.frame, self.stack_end) = (thread, frame, stack_end);
    }

    /// Another frame of the thread is the topmost one. An older one must be logged first.
    #[inline(always)]
    pub(crate) fn set_frame(&mut self, frame: Address) {
        self.frame = frame;
    }

    /// Whether a frame is logged, or younger than the step.
    #[inline(always)]
    pub(crate) fn is_logged(&self, frame: Address) -> bool {
        frame >= self.logged
    }

    /// Notes that this frame and all above it are.
    pub(crate) fn note_logged(&mut self, frame: Address) {
        self.logged = frame;
    }
}
