//! Tells an observer how a search goes, and notices when there is no time or memory left for it.

use crate::progress_timer::ProgressTimer;
use crate::step::Shape;
use crate::{Figures, Observer, Options, Why};

/// Looks around every few steps.
pub(crate) struct Monitor<'a> {
    observer: &'a mut dyn Observer,
    /// When to do so.
    pub timer: ProgressTimer,
    /// What the search looked like the last time.
    pub shape: Shape,
}

impl<'a> Monitor<'a> {
    /// The search begins.
    pub fn new(observer: &'a mut dyn Observer) -> Self {
        Monitor {
            observer,
            timer: ProgressTimer::new(),
            shape: Shape::default(),
        }
    }

    /// Looks around: why the search must stop, if it must. The figures are up to date but for the time.
    pub fn look(&mut self, figures: &mut Figures, options: &Options) -> Option<Why> {
        let (elapsed, report) = self.timer.look();
        figures.elapsed = elapsed;
        match () {
            () if options.time.is_some_and(|most| elapsed >= most) => Some(Why::Time),
            () if !self.observer.has_room() => Some(Why::Memory),
            () if report && !self.observer.progress(figures) => Some(Why::Interrupted),
            () => None,
        }
    }
}
