//! Writing a report where it is wanted.

use crate::{progress, status, watchdog};
use driver::{Failure, Report, Verdict, budget, end_early};
use report::Style;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How much of a report is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// One line.
    Quiet,
    /// What most people want to know.
    Plain,
    /// All of it.
    Verbose,
}

impl Level {
    /// What the options `-q` and `-v` say.
    pub fn new(quiet: bool, verbose: bool) -> Level {
        match (quiet, verbose) {
            (true, _) => Level::Quiet,
            (_, true) => Level::Verbose,
            _ => Level::Plain,
        }
    }
}

/// Where a report goes, and since when there is something to report.
#[derive(Clone)]
pub struct Publisher {
    /// When the command began.
    pub begun: Instant,
    /// Where the report is wanted as JSON.
    pub json: Option<PathBuf>,
    /// Where it is wanted as HTML.
    pub html: Option<PathBuf>,
    /// How much is printed.
    pub level: Level,
}

impl Publisher {
    /// Writes the report, with the time and the memory that it took, where it is wanted; the exit status of its verdict.
    pub fn publish(&self, mut report: Report) -> Result<u8, Failure> {
        report.seconds = self.begun.elapsed().as_secs_f64();
        report.peak_bytes = budget::peak();
        publish(&report, self.json.as_deref(), self.html.as_deref(), self.level)
    }

    /// Makes what is known so far the last words, should there be no time for more: a report that is unknown unless it has violations.
    pub fn agree(&self, mut report: Report) {
        let publisher = self.clone();
        watchdog::agree(move |cause| {
            end_early(&mut report, cause, progress::latest());
            publisher.publish(report).unwrap_or_else(|failure| {
                complain(&format!("raddle: {failure}\n"));
                status(&failure)
            })
        });
    }
}

/// Writes the report where it is wanted; the exit status of its verdict.
fn publish(report: &Report, json: Option<&Path>, html: Option<&Path>, level: Level) -> Result<u8, Failure> {
    let quiet = level == Level::Quiet;
    let mut to_stdout = !quiet;
    if let Some(path) = json {
        let text = report::to_json(report);
        if path == Path::new("-") {
            to_stdout = false;
            print(&text)?;
        } else {
            write_whole(path, &text)?;
        }
    }
    if let Some(path) = html {
        write_whole(path, &report::html(report))?;
    }
    if to_stdout {
        let style = Style {
            verbose: level == Level::Verbose,
            ..style()
        };
        print(&report::text(report, &style))?;
    } else if quiet && json != Some(Path::new("-")) {
        print(&format!("{}\n", report::one_line(report)))?;
    }
    Ok(match report.verdict {
        Verdict::Holds => 0,
        Verdict::Violated => 1,
        Verdict::Unknown => 3,
    })
}

/// Writes a file that is there in full or as it was before: first aside, in the same folder, and then under its name. What is no
/// regular file, and what lies in a folder that cannot be written to, is written as it is.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let known = std::fs::metadata(path).ok();
    // Behind a link the file changes, not the link.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let put = || match (aside(&target), &known) {
        (Some(aside), known) if known.as_ref().is_none_or(std::fs::Metadata::is_file) => {
            match std::fs::File::create_new(&aside) {
                Ok(mut file) => {
                    let moved = file
                        .write_all(text.as_bytes())
                        .and_then(|()| {
                            known
                                .as_ref()
                                .map_or(Ok(()), |known| file.set_permissions(known.permissions()))
                        })
                        .and_then(|()| std::fs::rename(&aside, &target));
                    if moved.is_err() {
                        let _ = std::fs::remove_file(&aside);
                    }
                    moved
                }
                Err(_) => std::fs::write(&target, text),
            }
        }
        _ => std::fs::write(&target, text),
    };
    watchdog::undisturbed(put).map_err(|error| cannot_write(path, &error))
}

/// A name next to a file's that nobody else uses.
fn aside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy();
    Some(path.with_file_name(format!(".{name}.{}.new", std::process::id())))
}

/// Refuses a file that cannot be written. Whoever cannot write the answer down should not work for hours first. Nothing is changed.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let cannot = |error| cannot_write(path, &error);
    match (path.exists(), aside(path)) {
        (false, Some(aside)) => watchdog::undisturbed(|| {
            std::fs::File::create_new(&aside).map_err(cannot)?;
            std::fs::remove_file(aside).map_err(cannot)
        }),
        _ => {
            let opened = std::fs::OpenOptions::new().append(true).open(path);
            opened.map(drop).map_err(cannot)
        }
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("cannot write {}: {error}", path.display()))
}

/// Prints; a closed pipe is the reader's business.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::input(format!("cannot write what is to be said: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a message to standard error, with everything that would steer a terminal escaped: it may quote a class file, a
/// source or the compiler. Nobody can be told if printing does not work.
pub fn complain(text: &str) {
    let text = report::clean_lines(text);
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Shows a line in the place of the last one on standard error, which is a terminal. Its text is Raddle's own.
pub fn progress(line: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "\r\x1b[K{line}").and_then(|()| out.flush());
}

/// How text looks on standard output.
pub fn style() -> Style {
    let terminal = std::io::stdout().is_terminal();
    let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
    Style {
        width: if terminal { width } else { 100 },
        colour: terminal && std::env::var_os("NO_COLOR").is_none(),
        verbose: false,
    }
}
