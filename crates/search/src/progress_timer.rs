//! When to look at the clock: often enough to stop in time, too rarely to be felt.

use std::time::{Duration, Instant};

/// Between two looks at the clock at most this many steps, and about `GOAL` of time.
const LONGEST: u32 = 128;
const GOAL: Duration = Duration::from_millis(5);
const BETWEEN_REPORTS: Duration = Duration::from_millis(40);

/// Counts steps and looks at the clock now and then.
pub(crate) struct ProgressTimer {
    start: Instant,
    looked: Instant,
    reported: Instant,
    stride: u32,
    left: u32,
}

impl ProgressTimer {
    /// Starts the clock.
    pub fn new() -> ProgressTimer {
        let now = Instant::now();
        ProgressTimer {
            start: now,
            looked: now,
            reported: now,
            stride: 1,
            left: 1,
        }
    }

    /// Counts a step; whether it is time to look at the clock.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.left -= 1;
        self.left == 0
    }

    /// Looks at the clock: the time since the start, and whether somebody should hear of it.
    pub fn look(&mut self) -> (Duration, bool) {
        let now = Instant::now();
        let passed = now - self.looked;
        self.stride = match () {
            () if passed < GOAL => (self.stride * 2).min(LONGEST),
            () if passed > GOAL * 2 => (self.stride / 4).max(1),
            () => self.stride,
        };
        self.left = self.stride;
        self.looked = now;
        let report = now - self.reported >= BETWEEN_REPORTS;
        if report {
            self.reported = now;
        }
        (now - self.start, report)
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}
