//! The line that shows how far a search is.

use crate::publish::{Publisher, complain};
use driver::{Figures, Observer, Report, budget};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How far the latest search was when it last told.
static LATEST: Mutex<Option<Figures>> = Mutex::new(None);

/// How far the latest search was when it last told, if it has.
pub fn latest() -> Option<Figures> {
    *LATEST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows figures on a terminal while a search runs.
pub struct Progress {
    shown: bool,
    visible: bool,
    next: Instant,
    last: (Duration, u64),
    rate: f64,
    time: Option<Duration>,
    memory: u64,
    title: String,
    publisher: Option<Publisher>,
}

impl Progress {
    /// `title` stands before the figures. The publisher is told what is known as soon as the search is over.
    pub fn new(quiet: bool, title: &str, publisher: Option<Publisher>) -> Progress {
        Progress {
            shown: false,
            visible: !quiet && std::io::stderr().is_terminal(),
            next: Instant::now(),
            last: (Duration::ZERO, 0),
            rate: 0.0,
            time: None,
            memory: 0,
            title: title.to_owned(),
            publisher,
        }
    }

    fn show(&mut self, figures: &Figures) {
        let (before, states) = self.last;
        let passed = figures.elapsed.saturating_sub(before).as_secs_f64();
        if passed > 0.0 {
            self.rate = figures.states.saturating_sub(states) as f64 / passed;
        }
        self.last = (figures.elapsed, figures.states);
        let bytes = budget::resident();
        let mut line = format!(
            "{}{} states · {}/s · depth {} · {} open · {}",
            self.title,
            short(figures.states as f64),
            short(self.rate),
            short(figures.depth as f64),
            short(figures.frontier as f64),
            size(bytes),
        );
        if let Some(time) = self.time {
            let share = figures.elapsed.as_secs_f64() / time.as_secs_f64().max(0.001);
            line = format!("{line} · {:.0}% of the time", share * 100.0);
        }
        if self.memory > 0 {
            line = format!(
                "{line} · {:.0}% of the memory",
                bytes as f64 / self.memory as f64 * 100.0
            );
        }
        let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        let line: String = line.chars().take(width.saturating_sub(1)).collect();
        let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        let _ = std::io::stderr().flush();
        self.shown = true;
    }
}

impl Observer for Progress {
    fn warns(&mut self, messages: &str) {
        complain(messages);
    }

    fn begins(&mut self, time: Option<Duration>, memory: u64) {
        // What is over within a moment needs no progress.
        self.next = Instant::now() + Duration::from_millis(500);
        self.last = (Duration::ZERO, 0);
        self.rate = 0.0;
        self.time = time;
        self.memory = memory;
    }

    fn turns_to(&mut self, what: &str) {
        self.title = format!("{what} · ");
        self.last = (Duration::ZERO, 0);
    }

    fn progress(&mut self, figures: &Figures) {
        *LATEST.lock().unwrap_or_else(PoisonError::into_inner) = Some(*figures);
        let now = Instant::now();
        if self.visible && now >= self.next {
            self.next = now + Duration::from_millis(200);
            self.show(figures);
        }
    }

    /// Takes the line away.
    fn ends(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
            self.shown = false;
        }
    }

    fn knows(&mut self, report: &Report) {
        if let Some(publisher) = &self.publisher {
            publisher.agree(report.clone());
        }
    }
}

/// A number in at most four digits: 950, 12.3k, 4.56M.
fn short(number: f64) -> String {
    let (value, unit) = match number {
        _ if number < 1e3 => (number, ""),
        _ if number < 1e6 => (number / 1e3, "k"),
        _ if number < 1e9 => (number / 1e6, "M"),
        _ => (number / 1e9, "G"),
    };
    match (unit, value) {
        ("", _) => format!("{value:.0}"),
        (_, _) if value < 10.0 => format!("{value:.2}{unit}"),
        (_, _) if value < 100.0 => format!("{value:.1}{unit}"),
        _ => format!("{value:.0}{unit}"),
    }
}

fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["kB", "MB", "GB", "TB"] {
        if value < 1000.0 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    format!("{value:.0} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (7.0, "7"),
            (950.0, "950"),
            (12_345.0, "12.3k"),
            (4_560_000.0, "4.56M"),
            (512e6, "512M"),
        ];
        for (number, expected) in cases {
            assert_eq!(short(number), expected);
        }
        assert_eq!(size(34_000_000), "34 MB");
    }
}
