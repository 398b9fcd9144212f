//! Scenarios of one's own, without the command.

use driver::linearize::{Call, Engine, Examined, History, Judgement, Scenario, Subject};
use driver::{Combination, Silent};
use program::jdk::Jdk;
use std::collections::BTreeSet;

/// A class of the JDK and a scenario of it: initial calls, and the calls of each thread, with `;` between calls. What calls return is
/// compared.
const SCENARIOS: &[(&str, &str, &[&str])] = &[
    ("ConcurrentLinkedQueue()", "add(1)", &["poll();offer(2)", "size()"]),
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
        let with = |names: &str| {
            let engine = Engine {
                jdk: &jdk,
                class_path: "",
                subject: &subject,
                reference: None,
                below: Vec::new(),
                inside: Vec::new(),
                flags: true,
                reductions: Combination::named(names.split(',')).expect("they go together"),
                states: 1_000_000,
                sources: Vec::new(),
            };
            examine(&engine, &scenario)
        };
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
