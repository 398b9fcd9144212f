//! Writing a report where it is wanted.

use crate::Failure;
use report::Style;
use report::model::Report;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Writes the report where it is wanted; the exit status of its verdict.
pub fn publish(report: &Report, json: Option<&Path>, html: Option<&Path>, quiet: bool) -> Result<u8, Failure> {
    let cannot =
        |path: &Path, error: std::io::Error| Failure::input(format!("cannot write {}: {error}", path.display()));
    let mut to_stdout = !quiet;
    if let Some(path) = json {
        let text = report::to_json(report);
        if path == Path::new("-") {
            to_stdout = false;
            print(&text)?;
        } else {
            std::fs::write(path, text).map_err(|error| cannot(path, error))?;
        }
    }
    if let Some(path) = html {
        std::fs::write(path, report::html(report)).map_err(|error| cannot(path, error))?;
    }
    if to_stdout {
        print(&report::text(report, &style()))?;
    } else if quiet && json != Some(Path::new("-")) {
        print(&format!("{}\n", report.verdict))?;
    }
    Ok(match &*report.verdict {
        "holds" => 0,
        "violated" => 1,
        _ => 3,
    })
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
    }
}
