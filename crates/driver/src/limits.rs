//! When there must be an end: the time that a check has, and whether somebody has asked for its end. Both are those of the process,
//! as the memory is (`budget`).
//!
//! Whatever takes long looks at [`is_over`] where it can, and ends in good order.

use crate::budget;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why there must be an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The time that the user has allowed is up.
    Time,
    /// Somebody has asked for it.
    Interrupted,
    /// The memory that the user has allowed is used up.
    Memory,
}

static DEADLINE: Mutex<Option<Instant>> = Mutex::new(None);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on there is so much time; any if there is no limit, or none that a clock can count.
pub(crate) fn limit_time(time: Option<Duration>) {
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    *DEADLINE.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
}

/// From now on there is no limit of time or memory, and nobody has asked for an end.
pub fn lift() {
    INTERRUPTED.store(false, Ordering::Relaxed);
    limit_time(None);
    budget::lift();
}

/// How much time is left, if there is a limit.
pub fn time_left() -> Option<Duration> {
    let deadline = (*DEADLINE.lock().unwrap_or_else(PoisonError::into_inner))?;
    Some(deadline.saturating_duration_since(Instant::now()))
}

/// Asks for an end; whether somebody already had.
pub fn interrupt() -> bool {
    INTERRUPTED.swap(true, Ordering::Relaxed)
}

/// Whether somebody has asked for an end.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Whether the time is up.
pub fn is_late() -> bool {
    time_left().is_some_and(|left| left.is_zero())
}

/// Whether there must be an end.
pub fn is_over() -> bool {
    is_interrupted() || is_late()
}
