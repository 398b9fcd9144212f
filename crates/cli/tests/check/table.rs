//! The table of the numbers of states: reading it, writing it, and telling what has changed.

use crate::common::counts::{COLUMNS, Table};
use std::collections::BTreeSet;
use std::fs;

/// Two programs and a model.
fn sample() -> Table {
    let mut table = Table::default();
    for (path, column, count) in [
        ("models/m.rad", "none", 9),
        ("check/violated/B.java", "base", 3_000_000),
        ("check/holds/A.java", "base", 100),
        ("check/holds/A.java", "LD+WSLdom", 7),
    ] {
        table.set(path, column, Some(count));
    }
    table
}

/// The sample with its last line replaced.
fn with_last(line: &str) -> String {
    let text = sample().to_string();
    let start = text.trim_end().rfind('\n').expect("there are several lines");
    format!("{}\n{line}\n", &text[..start])
}

/// A line with the same number in each column.
fn line(path: &str, cell: &str) -> String {
    format!("{path}{}", format!(" {cell}").repeat(COLUMNS.len()))
}

#[test]
fn what_is_written_is_read() {
    let table = sample();
    assert_eq!(Table::parse(&table.to_string()), Ok(table));
}

#[test]
fn the_table_of_the_repository_is_as_it_would_be_written() {
    let text = fs::read_to_string(Table::path()).expect("fixtures/states.txt is there");
    assert!(text == Table::read().to_string(), "run `make bless-check`");
}

#[test]
fn lines_are_sorted_by_path_and_aligned() {
    let text = sample().to_string();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let firsts: Vec<&str> = lines.iter().filter_map(|line| line.split(' ').next()).collect();
    let expected = ["fixture", "check/holds/A.java", "check/violated/B.java", "models/m.rad"];
    assert_eq!(firsts, expected);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{text}");
    assert!(lines[1].ends_with(" 7") && lines[2].ends_with(" -"), "{text}");
}

#[test]
fn another_number_changes_one_line() {
    let old = sample();
    let mut new = old.clone();
    new.set("check/holds/A.java", "base", Some(123_456_789));
    let (old, new) = (old.to_string(), new.to_string());
    let differ = old.lines().zip(new.lines()).filter(|(one, two)| one != two);
    assert_eq!(differ.count(), 1);
}

#[test]
fn what_is_no_table_is_explained() {
    let cases = [
        (with_last(&line("models/m.rad", "1")), None),
        (with_last("models/m.rad 1 2"), Some("6: 2 numbers, not 11")),
        (with_last(&line("models/m.rad", "?")), Some("6: ? is no number")),
        (
            with_last(&line("check/violated/B.java", "1")),
            Some("6: check/violated/B.java is there twice"),
        ),
        (
            with_last(&line("check/A.java", "1")),
            Some("6: check/A.java is there twice or not in its order"),
        ),
        (
            "check/A.java 1\n".to_owned(),
            Some("1: the columns are not fixture none base"),
        ),
    ];
    for (text, expected) in cases {
        let error = Table::parse(&text).err();
        match (&error, expected) {
            (None, None) => {}
            (Some(error), Some(expected)) if error.starts_with(expected) => {}
            _ => panic!("{error:?}, not {expected:?}\n{text}"),
        }
    }
}

#[test]
fn fixtures_without_a_line_and_lines_without_a_fixture_are_told() {
    let table = sample();
    let fixtures = BTreeSet::from(["check/holds/A.java", "check/holds/New.java"]);
    let expected = [
        "fixtures/check/holds/New.java has no line in fixtures/states.txt",
        "fixtures/states.txt has a line for check/violated/B.java, and there is no such fixture",
    ];
    assert_eq!(table.mismatches("check/", &fixtures), expected);
    let mut kept = table;
    kept.keep_only("check/", &fixtures);
    assert_eq!(kept.mismatches("check/", &fixtures), expected[..1]);
    assert_eq!(
        kept.count("models/m.rad", "none"),
        Some(9),
        "other folders keep their lines"
    );
}

#[test]
fn changes_are_told_with_their_ratio() {
    let old = sample();
    let mut new = old.clone();
    new.set("check/holds/A.java", "base", Some(150));
    new.set("check/holds/A.java", "auto", Some(5));
    new.set("check/holds/A.java", "LD+WSLdom", None);
    let expected = [
        "check/holds/A.java: base 100 -> 150 (x1.50)",
        "check/holds/A.java: auto - -> 5",
        "check/holds/A.java: LD+WSLdom 7 -> -",
    ];
    assert_eq!(new.changes(&old), expected);
    assert!(old.changes(&old).is_empty());
}
