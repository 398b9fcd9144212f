//! Tables, CSV and charts of strategies side by side.

use report::comparison::{Comparison, Factor, Strategy, csv, svg, table};
use report::{Style, Verdict};

fn strategy(name: &str, reductions: &str, states: u64, verdict: Verdict) -> Strategy {
    Strategy {
        name: name.into(),
        reductions: reductions.into(),
        states,
        transitions: states.saturating_mul(2),
        seconds: 1.234,
        bytes: 3 << 20,
        verdict,
        reason: (verdict == Verdict::Unknown).then(|| "the time is used up".into()),
        complete: verdict != Verdict::Unknown,
        ..Strategy::default()
    }
}

fn comparison(strategies: &[(&str, &str, u64, Verdict)]) -> Comparison {
    Comparison {
        program: "Buffer.java".into(),
        strategies: strategies
            .iter()
            .map(|&(name, reductions, states, verdict)| strategy(name, reductions, states, verdict))
            .collect(),
    }
}

fn sample() -> Comparison {
    comparison(&[
        ("B", "base", 1_234_567, Verdict::Holds),
        ("DA", "escape,atomic", 12_345, Verdict::Holds),
        ("WSL", "escape,atomic,selflock", 400, Verdict::Holds),
    ])
}

fn plain(comparison: &Comparison, width: usize) -> String {
    table(
        comparison,
        &Style {
            width,
            ..Style::default()
        },
    )
}

#[test]
fn a_wide_table_has_all_columns_in_line() {
    let text = plain(&sample(), 200);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Buffer.java");
    let headings: Vec<&str> = lines[1].split_whitespace().collect();
    let expected = "strategy reductions states transitions seconds memory factor verdict restarts dropped";
    assert_eq!(headings.join(" "), expected);
    assert_eq!(lines.len(), 5, "{text}");
    for (heading, values) in [
        ("states", ["1,234,567", "12,345", "400"]),
        ("factor", ["1.0", "100", "3,086"]),
    ] {
        let end = lines[1].find(heading).expect("the heading is there") + heading.len();
        for (line, value) in lines[2..].iter().zip(values) {
            assert!(line[..end].ends_with(value), "{heading} {value}: {line}");
        }
    }
}

#[test]
fn a_narrow_table_fits_and_says_what_is_missing() {
    for width in 42..160 {
        let text = plain(&sample(), width);
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        assert!(text.contains("1,234,567") && text.contains("holds"), "{text}");
    }
    let text = plain(&sample(), 60);
    assert!(text.contains("WSL = escape,atomic,selflock"), "{text}");
    assert!(text.contains("no room for transitions"), "{text}");
}

#[test]
fn what_was_cut_short_bounds_a_factor() {
    let cases = [
        (Verdict::Holds, Verdict::Holds, Factor::Exactly(4.0)),
        (Verdict::Unknown, Verdict::Holds, Factor::MoreThan(4.0)),
        (Verdict::Holds, Verdict::Unknown, Factor::LessThan(4.0)),
        (Verdict::Unknown, Verdict::Unknown, Factor::Unknown),
    ];
    for (first, second, expected) in cases {
        let both = comparison(&[("B", "base", 400, first), ("D", "escape", 100, second)]);
        assert_eq!((both.factor(0), both.factor(1)), (Factor::Exactly(1.0), expected));
    }
    let cut = comparison(&[
        ("B", "base", 400, Verdict::Unknown),
        ("D", "escape", 100, Verdict::Holds),
    ]);
    let text = plain(&cut, 200);
    assert!(
        text.contains(">4.0") && text.contains("B: the time is used up"),
        "{text}"
    );
    assert!(!cut.disagrees());
    assert!(
        csv(&cut).contains("\r\nD,escape,100,200,1.234,3145728,4.0000,more,holds,0,0\r\n"),
        "{}",
        csv(&cut)
    );
}

#[test]
fn a_disagreement_is_called_a_defect() {
    let text = comparison(&[
        ("B", "base", 400, Verdict::Violated),
        ("D", "escape", 100, Verdict::Holds),
    ]);
    assert!(text.disagrees() && plain(&text, 80).contains("a defect of Raddle"));
}

#[test]
fn names_with_commas_are_quoted_in_csv() {
    let text = csv(&sample());
    assert_eq!(text.lines().count(), 4);
    assert!(text.contains("\r\nDA,\"escape,atomic\",12345,"), "{text}");
}

/// Whether every element is closed, in order.
fn is_well_formed(text: &str) -> bool {
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let Some((tag, content)) = tag.split_once('>') else {
            return false;
        };
        if content.contains('&') && !content.contains(';') {
            return false;
        }
        match tag.strip_prefix('/') {
            Some(name) if open.pop() != Some(name) => return false,
            Some(_) => {}
            None if tag.ends_with('/') => {}
            None => open.push(tag.split_whitespace().next().unwrap_or_default()),
        }
    }
    open.is_empty()
}

#[test]
fn a_chart_is_well_formed_whatever_names_are() {
    let evil = "\x1b[31m</svg><script>alert(1)</script>\"'&\0漢";
    let mut hostile = comparison(&[(evil, evil, u64::MAX, Verdict::Unknown), ("", "", 0, Verdict::Unknown)]);
    hostile.program = evil.repeat(100);
    for one in [sample(), hostile, Comparison::default()] {
        let text = svg(&one);
        assert!(is_well_formed(&text), "{text}");
        assert!(
            !text.contains("<script") && !text.contains("NaN") && !text.contains("inf"),
            "{text}"
        );
        assert_eq!(text.matches("class=\"bar").count(), one.strategies.len());
    }
}

#[test]
fn a_chart_is_logarithmic_where_bars_would_vanish() {
    let near = comparison(&[
        ("B", "base", 1000, Verdict::Holds),
        ("D", "escape", 100, Verdict::Holds),
    ]);
    assert!(!svg(&near).contains("logarithmic"));
    assert!(svg(&sample()).contains("logarithmic"));
}
