//! Lines of painted text.

use crate::clean::{width, wrap};

/// How a piece of text looks where there is colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// As the terminal has it.
    Plain,
    /// Less important.
    Dim,
    /// More important.
    Bold,
    /// The verdict holds.
    Good,
    /// The verdict is violated; something is thrown.
    Bad,
    /// The verdict is unknown.
    Doubt,
    /// A value changes.
    Change,
    /// A lock.
    Lock,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Plain => "",
            Paint::Dim => "2",
            Paint::Bold => "1",
            Paint::Good => "1;32",
            Paint::Bad => "1;31",
            Paint::Doubt => "1;33",
            Paint::Change => "36",
            Paint::Lock => "35",
        }
    }
}

/// A line of pieces.
#[derive(Clone, Debug, Default)]
pub struct Line(Vec<(Paint, String)>);

impl Line {
    /// A line of one piece.
    pub fn new(paint: Paint, text: impl Into<String>) -> Line {
        Line(vec![(paint, text.into())])
    }

    /// The line with a piece more.
    pub fn with(mut self, paint: Paint, text: impl Into<String>) -> Line {
        self.0.push((paint, text.into()));
        self
    }

    /// The line with another behind it.
    pub fn then(mut self, other: Line) -> Line {
        self.0.extend(other.0);
        self
    }

    /// Columns that it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| width(text)).sum()
    }

    /// The line filled with spaces up to a width.
    pub fn padded(self, to: usize) -> Line {
        let missing = to.saturating_sub(self.width());
        self.with(Paint::Plain, " ".repeat(missing))
    }

    /// The line moved to the right.
    pub fn indented(self, by: usize) -> Line {
        Line::new(Paint::Plain, " ".repeat(by)).then(self)
    }

    fn write(&self, colour: bool, out: &mut String) {
        let mut rest = self.0.as_slice();
        while let [before @ .., (_, text)] = rest
            && text.trim_end_matches(' ').is_empty()
        {
            rest = before;
        }
        for (index, (paint, text)) in rest.iter().enumerate() {
            let text = if index + 1 == rest.len() {
                text.trim_end_matches(' ')
            } else {
                text
            };
            let code = paint.code();
            if colour && !code.is_empty() && !text.trim().is_empty() {
                out.push_str("\x1b[");
                out.push_str(code);
                out.push('m');
                out.push_str(text);
                out.push_str("\x1b[0m");
            } else {
                out.push_str(text);
            }
        }
        out.push('\n');
    }
}

/// What is written line by line.
#[derive(Debug, Default)]
pub struct Page {
    lines: Vec<Line>,
}

impl Page {
    /// Adds a line.
    pub fn push(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Adds an empty line, unless there is one already.
    pub fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| line.width() > 0) {
            self.lines.push(Line::default());
        }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: &str) {
        self.gap();
        self.push(Line::new(Paint::Bold, text));
    }

    /// Adds text, wrapped, behind a lead that the lines after the first are indented by.
    pub fn prose(&mut self, paint: Paint, lead: &str, text: &str, most: usize) {
        self.entry((paint, lead), (paint, text), most);
    }

    /// As [`Page::prose`], with a lead of its own colour.
    pub fn entry(&mut self, lead: (Paint, &str), text: (Paint, &str), most: usize) {
        let indent = width(lead.1);
        for (index, part) in wrap(text.1, most.saturating_sub(indent).max(10), 0)
            .into_iter()
            .enumerate()
        {
            let line = Line::new(text.0, part);
            self.push(if index == 0 {
                Line::new(lead.0, lead.1).then(line)
            } else {
                line.indented(indent)
            });
        }
    }

    /// Everything, with or without colour.
    pub fn finish(self, colour: bool) -> String {
        let mut out = String::new();
        for line in &self.lines {
            line.write(colour, &mut out);
        }
        out
    }
}
