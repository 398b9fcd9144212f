//! The text of a report.

mod samples;

use report::model::{Dropped, Report, Row};
use report::{Style, one_line, text};
use samples::*;
use unicode_width::UnicodeWidthStr;

fn plain(report: &Report, width: usize) -> String {
    let style = Style {
        width,
        verbose: true,
        ..Style::default()
    };
    text(report, &style)
}

fn check(report: &Report, width: usize, expected: &[&str]) {
    let text = plain(report, width);
    for part in expected {
        assert!(text.contains(part), "{part:?} is missing at width {width}:\n{text}");
    }
}

/// `BLESS=1 cargo test` writes the pinned files anew.
fn pinned(name: &str, text: &str) {
    let path = format!("{}/tests/pinned/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{path} says otherwise than:\n{text}");
}

#[test]
fn pinned_reports_are_as_they_were() {
    pinned("lost_update_100", &plain(&lost_update(), 100));
    pinned("deadlock_60", &plain(&deadlock(), 60));
    pinned("two_defects_140", &plain(&two_defects(), 140));
    pinned("unknown_80", &plain(&unknown(), 80));
}

#[test]
fn the_verdict_is_the_first_line() {
    for (report, first) in [
        (holds(), "✓ holds  Fine.java"),
        (deadlock(), "✗ violated  Transfer.java"),
        (two_defects(), "✗ violated  Account.java  2 defects"),
        (unknown(), "? unknown  Big.java"),
    ] {
        assert_eq!(plain(&report, 80).lines().next(), Some(first));
    }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for report in [lost_update(), deadlock(), two_defects(), unknown(), holds(), hostile()] {
        for width in [40, 60, 61, 80, 100, 140, 200] {
            for line in plain(&report, width).lines() {
                // Sums over characters never come out below what a terminal needs.
                assert!(
                    line.chars().map(|c| c.to_string().width()).sum::<usize>() <= width,
                    "{width}: {line}"
                );
            }
        }
    }
}

#[test]
fn nothing_of_the_program_reaches_the_terminal_raw() {
    for colour in [false, true] {
        for width in [0, 1, 40, 100, usize::MAX] {
            let text = text(
                &hostile(),
                &Style {
                    width,
                    colour,
                    verbose: colour,
                },
            );
            let text = text.replace('\n', "");
            let own = ["0", "1", "2", "35", "36", "1;31", "1;32", "1;33"].map(|code| format!("\x1b[{code}m"));
            let rest = own.iter().fold(text, |text, code| text.replace(code.as_str(), ""));
            let bad = rest
                .chars()
                .find(|c| c.is_control() || ['\u{202e}', '\u{2028}'].contains(c));
            assert_eq!(bad, None, "width {width}, colour {colour}");
        }
    }
}

#[test]
fn colour_is_used_only_where_it_is_wanted() {
    assert!(!plain(&deadlock(), 100).contains('\x1b'));
    for (report, start) in [
        (holds(), "\x1b[1;32m✓ holds"),
        (deadlock(), "\x1b[1;31m✗ violated"),
        (unknown(), "\x1b[1;33m? unknown"),
    ] {
        assert!(
            text(
                &report,
                &Style {
                    width: 100,
                    colour: true,
                    verbose: true,
                }
            )
            .starts_with(start)
        );
    }
}

#[test]
fn each_acting_thread_has_a_column_and_idle_ones_have_none() {
    let text = plain(&lost_update(), 100);
    let head = text.lines().find(|line| line.contains("│")).unwrap();
    let names: Vec<&str> = head.split('│').map(str::trim).collect();
    assert_eq!(names, ["main", "a", "b"]);
    let write = text
        .lines()
        .find(|line| line.contains("Account.balance: 0 → 1"))
        .unwrap();
    assert!(write.split('│').nth(2).unwrap().contains("0 → 1"));
}

#[test]
fn a_narrow_terminal_gets_a_list() {
    let text = plain(&lost_update(), 60);
    assert!(!text.contains('│'));
    let heads: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| ["main", "a", "b"].contains(line))
        .collect();
    assert_eq!(heads, ["main", "a", "b", "a", "main"]);
}

#[test]
fn many_threads_get_a_list() {
    let rows = (0..6).map(|thread| line(thread, 1, vec![other("moves")])).collect();
    assert!(!plain(&with_rows(rows), 400).contains('│'));
}

#[test]
fn quiet_lines_share_an_entry() {
    check(&lost_update(), 100, &["… Account.java:10, 11", "… Account.java:14, 15"]);
    let mut rows: Vec<Row> = (1..40).map(|number| line(0, number, vec![])).collect();
    rows.push(line(1, 1, vec![other("ends")]));
    check(&with_rows(rows), 100, &["… 39 lines in A.java:1–39"]);
}

#[test]
fn rounds_are_shown_once() {
    let mut rows = Vec::new();
    for _ in 0..42 {
        rows.push(line(0, 1, vec![read("A.flag", "false")]));
        rows.push(line(1, 2, vec![other("yields")]));
    }
    let report = with_rows(rows);
    check(&report, 100, &["… the last 2 rows repeated 41 more times"]);
    assert_eq!(plain(&report, 100).matches("reads A.flag").count(), 1);
}

#[test]
fn rounds_of_other_values_show_the_last_one_too() {
    let rows = (0..20)
        .map(|n| line(0, 1, vec![write("A.n", &n.to_string(), &(n + 1).to_string())]))
        .collect();
    check(
        &with_rows(rows),
        100,
        &[
            "A.n: 0 → 1",
            "… repeated 18 times with other values, and then:",
            "A.n: 19 → 20",
        ],
    );
}

#[test]
fn many_events_of_a_row_are_counted() {
    let events: Vec<_> = (0..17).map(|n| write(&format!("A.array[{n}]"), "0", "1")).collect();
    let report = with_rows(vec![line(0, 1, events)]);
    check(&report, 100, &["A.array[4]: 0 → 1", "… and 12 more"]);
    assert!(!plain(&report, 100).contains("array[5]"));
}

#[test]
fn library_calls_are_named() {
    let call = "AtomicInteger.incrementAndGet".to_string();
    let rows = vec![Row {
        call,
        ..line(0, 1, vec![write("AtomicInteger#1.value", "0", "1")])
    }];
    check(&with_rows(rows), 100, &["in AtomicInteger.incrementAndGet"]);
}

#[test]
fn a_loop_for_ever_is_marked_at_both_ends() {
    check(
        &two_defects(),
        100,
        &["↻ from here on it repeats for ever", "↻ and again from 4, for ever"],
    );
}

#[test]
fn a_thread_dump_looks_like_one() {
    check(
        &deadlock(),
        80,
        &[
            "  \"one\" BLOCKED, waiting to lock Object#2\n      at Transfer.lambda$main$0(Transfer.java:8)\n        \
         - waiting to lock Object#2\n",
        ],
    );
    let mut deep = deadlock();
    deep.violations[0].stacks[0].frames = (0..500).map(|n| format!("A.f(A.java:{n})")).collect();
    check(&deep, 80, &["A.java:23)", "… 472 more frames", "A.java:499)"]);
}

#[test]
fn an_unknown_verdict_says_why_and_what_helps() {
    check(
        &unknown(),
        100,
        &[
            "  reason: the limit of 1,000,000 states was reached\n",
            "  help: raise the limit",
        ],
    );
    check(&unknown(), 100, &["chance 2.7e-8", "note: class Foo was not found"]);
}

#[test]
fn figures_and_what_the_verdict_rests_on_come_last() {
    let text = plain(&deadlock(), 100);
    let order = [
        "deadlock: threads",
        "How it happens",
        "Threads at the end",
        "Figures",
        "rests on: sequential",
    ];
    let found: Vec<usize> = order.iter().map(|part| text.find(part).unwrap()).collect();
    assert!(found.is_sorted(), "{found:?}");
    check(&deadlock(), 100, &["states         12,345", "85 MiB"]);
}

#[test]
fn a_very_long_trace_is_cut_in_the_middle() {
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 16
    };
    let rows = (0..5000)
        .map(|_| line(next() as usize % 3, next() % 1000, vec![other("moves")]))
        .collect();
    let text = plain(&with_rows(rows), 100);
    assert!(
        text.contains("entries left out; the JSON and HTML reports have them"),
        "{}",
        text.len()
    );
    assert!(text.lines().count() < 2000);
}

#[test]
fn odd_reports_are_no_problem() {
    for seed in 0..400 {
        let report = odd(seed);
        for width in [0, 45, 90, 180] {
            let text = plain(&report, width);
            assert!(text.starts_with("✗ violated") && !text.contains('\u{7f}'));
        }
    }
}

#[test]
fn an_empty_report_is_no_problem() {
    let report = Report {
        violations: vec![Default::default()],
        ..Report::default()
    };
    assert!(plain(&report, 80).starts_with('?'));
}

#[test]
fn a_few_assumptions_are_shown_and_the_others_are_counted() {
    let mut report = holds();
    report.assumed = (0..9)
        .map(|number| format!("objects of C{number} are locked"))
        .collect();
    report.restarts = 1;
    report.dropped = vec![Dropped {
        what: "objects of Box are locked".into(),
        thread: "main".into(),
        class: "Box".into(),
        file: "Box.java".into(),
        line: 12,
    }];
    let parts = [
        "assumed, and checked: objects of C5 are locked",
        "assumed, and checked: and 3 more",
        "assumed, and dropped: objects of Box are locked; not so for \"main\" at Box.java:12",
        "restarts       1",
    ];
    check(&report, 100, &parts);
    assert!(!plain(&report, 100).contains("C6"));
    report.assumed.truncate(7);
    check(&report, 100, &["C6"]);
}

#[test]
fn a_program_that_holds_fits_on_one_screen() {
    let mut report = holds();
    report.assumed = (0..9)
        .map(|number| format!("objects of C{number} are locked"))
        .collect();
    let text = text(&report, &Style::default());
    assert!(text.lines().count() < 12 && !text.contains("assumed"), "{text}");
    for part in ["✓ holds", "explored: ", " states, ", "checked: ", "rests on: "] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn one_line_has_the_verdict_the_property_and_the_place() {
    assert_eq!(one_line(&holds()), "holds");
    let line = one_line(&deadlock());
    assert!(
        line.starts_with("violated: deadlock at ") && !line.contains('\n'),
        "{line}"
    );
    assert!(
        one_line(&unknown()).starts_with("unknown: the limit of "),
        "{}",
        one_line(&unknown())
    );
    assert!(one_line(&two_defects()).ends_with(", and 1 more defect"));
}
