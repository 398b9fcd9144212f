//! Reports made by hand.
#![allow(dead_code, reason = "every test file uses some of them")]

use report::model::{Dropped, Event, Held, Report, Row, SCHEMA, Stack, Trace, Verdict, Violation};
use std::collections::BTreeMap;

const ACCOUNT: &str = "public class Account {
    static int balance;

    static void deposit() {
        int seen = balance;
        balance = seen + 1;
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(Account::deposit, \"a\");
        Thread b = new Thread(Account::deposit, \"b\");
        a.start();
        b.start();
        a.join();
        b.join();
        assert balance == 2 : \"balance is \" + balance;
    }
}";

const TRANSFER: &str = "public class Transfer {
    static final Object left = new Object();
    static final Object right = new Object();

    public static void main(String[] args) {
        new Thread(() -> {
            synchronized (left) {
                synchronized (right) {
                    System.out.println(\"one\");
                }
            }
        }, \"one\").start();
        new Thread(() -> {
            synchronized (right) {
                synchronized (left) {
                    System.out.println(\"two\");
                }
            }
        }, \"two\").start();
    }
}";

pub fn read(place: &str, value: &str) -> Event {
    Event::Read {
        place: place.into(),
        value: value.into(),
    }
}

pub fn write(place: &str, old: &str, new: &str) -> Event {
    Event::Write {
        place: place.into(),
        old: old.into(),
        new: new.into(),
    }
}

pub fn lock(object: &str) -> Event {
    Event::Lock { object: object.into() }
}

pub fn unlock(object: &str) -> Event {
    Event::Unlock { object: object.into() }
}

pub fn other(text: &str) -> Event {
    Event::Other { text: text.into() }
}

pub fn print(text: &str) -> Event {
    Event::Print { text: text.into() }
}

/// A row of one of the programs; the class is the file's name.
pub fn row(source: &str, file: &str, thread: usize, line: u32, events: Vec<Event>) -> Row {
    let text = source
        .lines()
        .nth((line as usize).saturating_sub(1))
        .unwrap_or_default();
    Row {
        thread,
        class: file.trim_end_matches(".java").to_string(),
        method: "main".into(),
        file: file.into(),
        line,
        source: text.trim().to_string(),
        events,
        steps: 1,
        ..Row::default()
    }
}

fn sources(file: &str, source: &str) -> BTreeMap<String, Vec<String>> {
    BTreeMap::from([(file.to_string(), source.lines().map(String::from).collect())])
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

/// The report without what a verdict adds.
pub fn base(program: &str, verdict: Verdict) -> Report {
    Report {
        schema: SCHEMA,
        version: "0.1.0".into(),
        program: program.into(),
        verdict,
        rests_on: strings(&["sequential consistency: a race can do more than any interleaving shows"]),
        reductions: strings(&["persistent sets", "symmetry"]),
        properties: strings(&["deadlock", "exception", "race"]),
        search: "dfs".into(),
        store: "exact".into(),
        states: 12_345,
        transitions: 45_678,
        max_depth: 87,
        threads: 3,
        seconds: 0.421,
        peak_bytes: 85 << 20,
        bytes_per_state: 38.25,
        ..Report::default()
    }
}

/// Two threads add one to a balance, and one addition is lost.
pub fn lost_update() -> Report {
    let row = |thread, line, events| row(ACCOUNT, "Account.java", thread, line, events);
    let rows = vec![
        row(0, 10, vec![]),
        row(0, 11, vec![]),
        row(0, 12, vec![other("starts thread \"a\"")]),
        row(0, 13, vec![other("starts thread \"b\"")]),
        row(1, 5, vec![read("Account.balance", "0")]),
        row(2, 5, vec![read("Account.balance", "0")]),
        row(2, 6, vec![write("Account.balance", "0", "1")]),
        row(2, 7, vec![other("ends")]),
        row(1, 6, vec![write("Account.balance", "1", "1")]),
        row(1, 7, vec![other("ends")]),
        row(0, 14, vec![]),
        row(0, 15, vec![]),
        row(
            0,
            16,
            vec![
                read("Account.balance", "1"),
                other("throws java.lang.AssertionError: balance is 1"),
            ],
        ),
    ];
    let violation = Violation {
        property: "exception".into(),
        message: "uncaught java.lang.AssertionError: balance is 1 in thread \"main\"".into(),
        class: "Account".into(),
        file: "Account.java".into(),
        line: 16,
        why: vec![],
        stacks: vec![Stack {
            thread: "main".into(),
            state: "RUNNABLE".into(),
            frames: strings(&["Account.main(Account.java:16)"]),
        }],
        trace: Trace {
            threads: strings(&["main", "a", "b", "Reference Handler"]),
            rows,
            sources: sources("Account.java", ACCOUNT),
            schedule: strings(&["0", "0", "1", "2", "2", "1", "0"]),
            loop_start: None,
        },
        ..Violation::default()
    };
    Report {
        violations: vec![violation],
        ..base("Account.java", Verdict::Violated)
    }
}

/// Two threads take two locks in opposite order.
pub fn deadlock() -> Report {
    let row = |thread, line, events, locks: &[(&str, usize, &[usize])]| Row {
        locks: locks
            .iter()
            .map(|(object, owner, wanted)| Held {
                object: object.to_string(),
                owner: *owner,
                wanted_by: wanted.to_vec(),
            })
            .collect(),
        ..row(TRANSFER, "Transfer.java", thread, line, events)
    };
    let rows = vec![
        row(0, 12, vec![other("starts thread \"one\"")], &[]),
        row(0, 19, vec![other("starts thread \"two\"")], &[]),
        row(0, 20, vec![other("ends")], &[]),
        row(
            1,
            7,
            vec![read("Transfer.left", "Object#1"), lock("Object#1")],
            &[("Object#1", 1, &[])],
        ),
        row(
            2,
            14,
            vec![read("Transfer.right", "Object#2"), lock("Object#2")],
            &[("Object#1", 1, &[]), ("Object#2", 2, &[])],
        ),
        row(
            2,
            15,
            vec![read("Transfer.left", "Object#1"), other("waits to lock Object#1")],
            &[("Object#1", 1, &[2]), ("Object#2", 2, &[])],
        ),
        row(
            1,
            8,
            vec![read("Transfer.right", "Object#2"), other("waits to lock Object#2")],
            &[("Object#1", 1, &[2]), ("Object#2", 2, &[1])],
        ),
    ];
    let stack = |name: &str, at: [u32; 2], wants: &str, has: &str| Stack {
        thread: name.into(),
        state: format!("BLOCKED, waiting to lock {wants}"),
        frames: vec![
            format!(
                "Transfer.lambda$main${}(Transfer.java:{})",
                u32::from(name == "two"),
                at[0]
            ),
            format!("- waiting to lock {wants}"),
            format!("- locked {has} at line {}", at[1]),
            "java.lang.Thread.run(Thread.java:1583)".into(),
        ],
    };
    let violation = Violation {
        property: "deadlock".into(),
        message: "deadlock: threads \"one\" and \"two\" wait for each other".into(),
        class: "Transfer".into(),
        file: "Transfer.java".into(),
        line: 8,
        why: strings(&[
            "\"one\" waits for Object#2 at Transfer.java:8, held by \"two\" since Transfer.java:14",
            "\"two\" waits for Object#1 at Transfer.java:15, held by \"one\" since Transfer.java:7",
        ]),
        stacks: vec![
            stack("one", [8, 7], "Object#2", "Object#1"),
            stack("two", [15, 14], "Object#1", "Object#2"),
        ],
        trace: Trace {
            threads: strings(&["main", "one", "two"]),
            rows,
            sources: sources("Transfer.java", TRANSFER),
            schedule: strings(&["0", "0", "0", "1", "2", "2", "1"]),
            loop_start: None,
        },
        ..Violation::default()
    };
    Report {
        violations: vec![violation],
        ..base("Transfer.java", Verdict::Violated)
    }
}

/// The lost update as a race, with a livelock as a second defect.
pub fn two_defects() -> Report {
    let mut report = lost_update();
    let race = &mut report.violations[0];
    race.property = "race".into();
    race.message = "data race on Account.balance between threads \"a\" and \"b\"".into();
    race.line = 6;
    race.why = strings(&[
        "thread \"a\" reads Account.balance at Account.java:5",
        "thread \"b\" writes Account.balance at Account.java:6, and nothing orders the two",
    ]);
    race.trace.rows.truncate(7);
    let mut second = deadlock().violations.remove(0);
    second.property = "livelock".into();
    second.message = "livelock: threads \"one\" and \"two\" run for ever without progress".into();
    second.trace.loop_start = Some(3);
    report.violations.push(second);
    report
}

/// A search that ran out of memory.
pub fn unknown() -> Report {
    Report {
        reason: Some("the limit of 1,000,000 states was reached".into()),
        help: Some("raise the limit with --max-states, or use --store fingerprint".into()),
        notes: strings(&["class Foo was not found; code that needs it was not reached"]),
        store: "fingerprint".into(),
        collision_probability: 2.7e-8,
        ..base("Big.java", Verdict::Unknown)
    }
}

/// Nothing was found.
pub fn holds() -> Report {
    base("Fine.java", Verdict::Holds)
}

/// Every string in it is hostile.
pub fn hostile() -> Report {
    let evil = format!(
        "\x1b[31m</script><img src=x onerror=alert(1)>\u{2028}\u{202e}\0\r\n\"'&{}{}",
        "漢".repeat(50),
        "x".repeat(5000)
    );
    let mut report = lost_update();
    let text = || evil.clone();
    report.program = text();
    (report.reason, report.help) = (Some(text()), Some(text()));
    (report.search, report.store) = (text(), text());
    (report.rests_on, report.notes) = (vec![text()], vec![text()]);
    (report.reductions, report.properties) = (vec![text()], vec![text()]);
    report.assumed = vec![text(); 9];
    report.dropped = vec![Dropped {
        what: text(),
        thread: text(),
        class: text(),
        file: text(),
        line: 1,
    }];
    (report.seconds, report.bytes_per_state, report.collision_probability) = (f64::NAN, f64::INFINITY, -1.0);
    (report.states, report.peak_bytes) = (u64::MAX, u64::MAX);
    let violation = &mut report.violations[0];
    (violation.message, violation.class, violation.file) = (text(), text(), text());
    (violation.property, violation.why, violation.line) = (text(), vec![text()], u32::MAX);
    violation.stacks = vec![Stack {
        thread: text(),
        state: text(),
        frames: vec![text(), format!("- {evil}"), String::new()],
    }];
    let trace = &mut violation.trace;
    (trace.threads, trace.schedule) = (vec![text(), text()], vec![text()]);
    trace.sources = BTreeMap::from([(text(), vec![text()]), ("Account.java".into(), vec![])]);
    trace.loop_start = Some(usize::MAX);
    let held = || Held {
        object: text(),
        owner: usize::MAX,
        wanted_by: vec![0, 1, 99],
    };
    for (index, row) in trace.rows.iter_mut().enumerate() {
        (row.source, row.call, row.method, row.class) = (text(), text(), text(), text());
        row.locks = vec![held()];
        if index % 2 == 0 {
            row.file = text();
            row.line = 1;
        }
        row.events = vec![
            read(&evil, &evil),
            write(&evil, &evil, &evil),
            lock(&evil),
            unlock(&evil),
            other(&evil),
        ];
        row.events.extend([print(&evil), print("")]);
    }
    trace.rows[1].thread = usize::MAX;
    report
}

/// A reader that looks at a flag again and again before anyone sets it: rounds to fold.
pub fn spinning() -> Report {
    let mut rows = vec![line(0, 1, vec![write("A.flag", "true", "false")])];
    for _ in 0..20 {
        rows.push(line(1, 4, vec![read("A.flag", "false")]));
        rows.push(line(1, 5, vec![other("yields")]));
    }
    rows.push(line(0, 2, vec![write("A.flag", "false", "true")]));
    with_rows(rows)
}

/// A row without source text.
pub fn line(thread: usize, line: u32, events: Vec<Event>) -> Row {
    row("", "A.java", thread, line, events)
}

/// The lost update with other rows.
pub fn with_rows(rows: Vec<Row>) -> Report {
    let mut report = lost_update();
    report.violations[0].trace.rows = rows;
    report
}

/// Reports without rhyme or reason, the same every time.
pub fn odd(seed: u64) -> Report {
    let mut state = seed;
    let mut next = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let words = [
        "",
        "x",
        "constructor",
        "__proto__",
        "A.java",
        "a b c",
        "漢字",
        "e\u{301}",
        "👨\u{200d}👩",
        "\u{7f}",
    ];
    let mut report = deadlock();
    let trace = &mut report.violations[0].trace;
    trace.threads.truncate(next(4));
    trace.loop_start = Some(next(40));
    let many = 1 + next(60);
    trace.rows = (0..many)
        .map(|_| {
            let mut row = line(next(8), next(3) as u32, vec![]);
            (row.file, row.source, row.class) =
                (words[next(10)].into(), words[next(10)].into(), words[next(10)].into());
            (row.method, row.call) = (words[next(10)].into(), words[next(10)].into());
            for _ in 0..next(10) {
                let (a, b) = (words[next(10)], words[next(10)]);
                row.events
                    .push([read(a, b), write(a, b, a), lock(a), print(b), other(a)][next(5)].clone());
            }
            row.locks = vec![Held {
                object: words[next(10)].into(),
                owner: next(9),
                wanted_by: vec![next(9)],
            }];
            row
        })
        .collect();
    report
}
