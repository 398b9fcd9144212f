//! Who hears of a check while it runs.

use crate::{budget, limits};
use report::model::Report;
use search::Figures;
use std::time::Duration;

/// Hears of a check while it runs. None of it must be listened to.
pub trait Observer {
    /// The compiler has something to say about the program's source.
    fn warns(&mut self, _messages: &str) {}

    /// A search begins that has so much time, and a process that may hold so many bytes.
    fn begins(&mut self, _time: Option<Duration>, _memory: u64) {}

    /// The next of several searches is this one.
    fn turns_to(&mut self, _what: &str) {}

    /// How far the search is, some tens of milliseconds apart.
    fn progress(&mut self, _figures: &Figures) {}

    /// The search is over.
    fn ends(&mut self) {}

    /// What is known when all is explored, and violations are yet to be told in words. It has no verdict yet.
    fn knows(&mut self, _report: &Report) {}
}

/// Hears nothing.
pub struct Silent;

impl Observer for Silent {}

/// What a search asks and tells, for an observer.
pub(crate) struct Watch<'o>(pub(crate) &'o mut dyn Observer);

impl search::Observer for Watch<'_> {
    fn progress(&mut self, figures: &Figures) -> bool {
        self.0.progress(figures);
        !limits::is_interrupted()
    }

    fn has_room(&self) -> bool {
        budget::has_room_to_spare(0)
    }
}
