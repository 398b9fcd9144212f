//! Strings of the checked program made harmless, and measured, cut and wrapped for a terminal.

use std::fmt::Write;
use unicode_width::UnicodeWidthChar;

/// No string is shown beyond so many characters.
const LONGEST: usize = 2000;
/// Accents that may pile up on one character.
const MOST_MARKS: usize = 4;

/// The text with everything that would steer a terminal or hide what is written shown as a Java escape; a tab is a space.
pub fn clean(text: &str) -> String {
    neutralise(text, " ", LONGEST)
}

/// As [`clean`], for a line of a source file: tabs stay, for the renderer to place.
pub fn clean_source(text: &str) -> String {
    neutralise(text, "\t", LONGEST)
}

/// A message of several lines, each made harmless by itself.
pub fn clean_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(clean_source).collect();
    lines.join("\n")
}

fn neutralise(text: &str, tab: &str, longest: usize) -> String {
    let mut out = String::with_capacity(text.len().min(longest));
    let mut marks = 0;
    for (count, c) in text.chars().enumerate() {
        if count == longest {
            out.push('…');
            break;
        }
        marks = if c.width() == Some(0) { marks + 1 } else { 0 };
        match c {
            '\t' => out.push_str(tab),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || steers(c) => escape(c, &mut out),
            _ if marks > MOST_MARKS => {}
            c => out.push(c),
        }
    }
    out
}

fn escape(c: char, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = if u32::from(c) > 0xffff {
        write!(out, "\\u{{{:x}}}", u32::from(c))
    } else {
        write!(out, "\\u{:04x}", u32::from(c))
    };
}

/// Invisible characters that reorder or hide text. Joiners (200c, 200d) are left: scripts and emoji need them.
fn steers(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Columns that the text takes in a terminal.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The text cut to `most` columns, with an ellipsis at its end where something is missing.
pub fn clip(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_string();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += char_width(c);
        if used > most {
            break;
        }
        out.push(c);
    }
    if most > 0 {
        out.push('…');
    }
    out
}

/// As [`clip`], but the end stays: for file names, whose line number comes last.
pub fn clip_start(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_string();
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for c in text.chars().rev() {
        used += char_width(c);
        if used > most {
            break;
        }
        kept.push(c);
    }
    if most > 0 {
        kept.push('…');
    }
    kept.iter().rev().collect()
}

/// The text in lines of at most `most` columns, broken at spaces, or inside words that are too long. Lines after the
/// first are `hang` columns narrower, for the caller to indent. Never empty.
pub fn wrap(text: &str, most: usize, hang: usize) -> Vec<String> {
    let most = most.max(2);
    let rest = most.saturating_sub(hang).max(2);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let room = if lines.is_empty() { most } else { rest };
        let long = width(word);
        let gap = usize::from(!line.is_empty());
        if used + gap + long <= room {
            if gap == 1 {
                line.push(' ');
            }
            line.push_str(word);
            used += gap + long;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        used = 0;
        for c in word.chars() {
            let room = if lines.is_empty() { most } else { rest };
            if used + char_width(c) > room {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += char_width(c);
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown_as_an_escape() {
        assert_eq!(clean("\x1b[31mred\x07\u{9b}2J"), "\\u001b[31mred\\u0007\\u009b2J");
        assert_eq!(clean("a\tb\r\nc"), "a b\\r\\nc");
        assert_eq!(clean_lines("a\tb\r\n\x1bc\n"), "a\tb\\r\n\\u001bc\n");
        assert_eq!(clean("safe\u{202e}evil\u{e0041}"), "safe\\u202eevil\\u{e0041}");
        assert_eq!(clean("Größe 漢字 →"), "Größe 漢字 →");
    }

    #[test]
    fn long_texts_and_piles_of_accents_are_cut() {
        assert_eq!(clean(&"x".repeat(1_000_000)).chars().count(), LONGEST + 1);
        assert_eq!(
            clean(&format!("a{}b", "\u{301}".repeat(50))).chars().count(),
            2 + MOST_MARKS
        );
    }

    #[test]
    fn cutting_counts_columns_rather_than_characters() {
        assert_eq!(clip("漢字漢字", 5), "漢字…");
        assert_eq!(clip("漢字漢字", 8), "漢字漢字");
        assert_eq!(clip_start("a/very/Long.java:12", 10), "…g.java:12");
        assert_eq!(clip("abc", 0), "");
    }

    #[test]
    fn wrapped_lines_never_exceed_the_width() {
        for most in 0..30 {
            for hang in 0..4 {
                let lines = wrap(
                    "int total = counters.get(漢字漢字漢字) + 100000000000000000000;",
                    most,
                    hang,
                );
                assert!(
                    lines.iter().all(|line| width(line) <= most.max(2)),
                    "{most} {hang} {lines:?}"
                );
            }
        }
        assert_eq!(wrap("one two three", 8, 0), ["one two", "three"]);
        assert_eq!(wrap("", 8, 0), [""]);
    }
}
