//! Scenarios of one's own, without the command.

use driver::linearize::{Call, Engine, Examined, History, Judgement, Scenario, Subject};
use driver::{Combination, Silent};
use machine::Operations;
use program::jdk::Jdk;
use std::collections::BTreeSet;

/// A class of the JDK and a scenario of it: initial calls, and the calls of each thread, with `;` between calls. What calls return is
/// compared.
const SCENARIOS: &[(&str, &str, &[&str])] = &[
    ("ConcurrentLinkedQueue()", "add(1)", &["poll();offer(2)", "peek()"]),
    (
        "ConcurrentLinkedDeque()",
        "add(1)",
        &["pollFirst()", "addFirst(2);peekLast()"],
    ),
    ("ArrayBlockingQueue(1)", "", &["take()", "offer(1)"]),
    ("Semaphore(0)", "", &["tryAcquire()", "release();drainPermits()"]),
];

fn calls(text: &str) -> Vec<Call> {
    let calls = text.split(';').filter(|call| !call.is_empty());
    calls
        .map(|call| match call {
            "release()" | "addFirst(2)" => Call::written(call),
            _ => Call::asking(call),
        })
        .collect()
}

fn engine<'a>(jdk: &'a Jdk, subject: &'a Subject, reductions: &str) -> Engine<'a> {
    Engine {
        jdk,
        class_path: "",
        subject,
        reference: None,
        below: Operations::default(),
        inside: None,
        flags: false,
        permits: true,
        reductions: Combination::named(reductions.split(',')).expect("they go together"),
        states: 1_000_000,
        walk: 0,
        sources: Vec::new(),
    }
}

fn examine(engine: &Engine<'_>, scenario: &Scenario) -> Examined {
    let mut examined = None;
    engine
        .examine(std::slice::from_ref(scenario), &mut Silent, &mut |_, one| {
            examined = Some(one);
            true
        })
        .expect("it can be explored");
    examined.expect("each scenario has a result")
}

/// A queue whose size is asked for while something is taken and something put.
fn sizing() -> Scenario {
    Scenario {
        init: vec![Call::written("add(1)")],
        threads: vec![calls("poll();offer(2)"), calls("size()")],
    }
}

#[test]
fn what_takes_effect_at_once_on_both_sides_makes_no_difference() {
    let jdk = Jdk::find(None).expect("a JDK is needed for these tests");
    let subject = Subject {
        package: String::new(),
        class: "java.util.concurrent.ConcurrentLinkedQueue".to_owned(),
        new: "new java.util.concurrent.ConcurrentLinkedQueue()".to_owned(),
    };
    let all = Operations::new(["ConcurrentLinkedQueue.*"]).expect("a pattern");
    let examined = |below: &Operations, inside: Option<&Operations>| {
        let engine = Engine {
            below: below.clone(),
            inside: inside.cloned(),
            ..engine(&jdk, &subject, "auto")
        };
        examine(&engine, &sizing()).judgement
    };
    assert!(matches!(
        examined(&Operations::default(), Some(&all)),
        Judgement::Beyond(_)
    ));
    assert!(matches!(examined(&all, None), Judgement::Within));
    assert!(matches!(examined(&all, Some(&all)), Judgement::Within));
}

#[test]
fn histories_are_the_same_whatever_searches_leave_out() {
    let jdk = Jdk::find(None).expect("a JDK is needed for these tests");
    for &(new, init, threads) in SCENARIOS {
        let class = format!("java.util.concurrent.{}", new.split('(').next().unwrap_or(new));
        let subject = Subject {
            package: String::new(),
            class,
            new: format!("new java.util.concurrent.{new}"),
        };
        let scenario = Scenario {
            init: init
                .split(';')
                .filter(|call| !call.is_empty())
                .map(Call::written)
                .collect(),
            threads: threads.iter().map(|text| calls(text)).collect(),
        };
        let with = |names: &str| examine(&engine(&jdk, &subject, names), &scenario);
        let full = with("base");
        assert!(
            !matches!(full.judgement, Judgement::Unknown(_)),
            "{new}: {:?}",
            full.judgement
        );
        let histories: BTreeSet<History> = full.histories.into_iter().collect();
        assert!(histories.len() > 1, "{new}: {histories:?}");
        for names in ["auto", "persistent,sleep"] {
            let reduced = with(names);
            let found: BTreeSet<History> = reduced.histories.into_iter().collect();
            assert_eq!(found, histories, "{new} with {names}");
            assert!(reduced.states <= full.states, "{new} with {names}");
            let kind = |judgement: &Judgement| std::mem::discriminant(judgement);
            assert_eq!(kind(&reduced.judgement), kind(&full.judgement), "{new} with {names}");
        }
    }
}
