//! Automata held against those of `spin -f`, if Spin is installed: the languages are equal, by products with the complement.

mod support;

use ltl::{Automaton, Binary, Edge, Formula, Label, Unary, translate};
use std::collections::HashMap;
use std::process::Command;
use support::{Draw, intersection, show};

const ATOMS: usize = 3;
const FORMULAS: u64 = 1000;

/// A formula as Spin writes it.
fn written(formula: &Formula) -> String {
    match formula {
        Formula::Constant(value) => value.to_string(),
        Formula::Atom(atom) => format!("p{}", atom.0),
        Formula::Unary(operator, inner) => {
            let sign = match operator {
                Unary::Not => "!",
                Unary::Next => "X",
                Unary::Always => "[]",
                Unary::Eventually => "<>",
            };
            format!("{sign}({})", written(inner))
        }
        Formula::Binary(operator, left, right) => {
            let (left, right) = (written(left), written(right));
            let sign = match operator {
                Binary::And => "&&",
                Binary::Or => "||",
                Binary::Implies => "->",
                Binary::Iff => "<->",
                Binary::Until => "U",
                Binary::Release => "V",
                Binary::WeakUntil => return format!("(({right}) V (({left}) || ({right})))"),
                Binary::StrongRelease => return format!("(({right}) U (({left}) && ({right})))"),
            };
            format!("(({left}) {sign} ({right}))")
        }
    }
}

/// Spin's automaton; `None` if it takes too long.
fn spin(formula: &Formula) -> Option<Automaton> {
    let output = Command::new("timeout")
        .args(["2", "spin", "-f", &written(formula)])
        .output()
        .expect("spin runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code() != Some(124)).then(|| never_claim(&text))
}

/// The automaton of a never claim: a state has labels, and is accepting if one of them says so; guards lead on.
fn never_claim(text: &str) -> Automaton {
    let label = |line: &str| {
        let name = line.strip_suffix(':')?;
        (!name.contains(char::is_whitespace)).then(|| name.to_owned())
    };
    let (mut numbers, mut is_accepting, mut follows_label) = (HashMap::new(), Vec::new(), false);
    for line in text.lines() {
        let found = label(line);
        if let Some(name) = &found {
            if !follows_label {
                is_accepting.push(false);
            }
            let state = is_accepting.len() - 1;
            is_accepting[state] |= name.starts_with("accept");
            numbers.insert(name.clone(), state);
        }
        follows_label = found.is_some();
    }
    assert!(!is_accepting.is_empty(), "{text}");
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); is_accepting.len()];
    let mut state = 0;
    for line in text.lines() {
        let (guard, target) = match line.trim().strip_prefix(":: ") {
            _ if label(line).is_some() => {
                state = numbers[&label(line).expect("a label")];
                continue;
            }
            _ if line.trim() == "skip" => ("(1)", state),
            Some("false") | None => continue,
            Some(option) => match option.strip_prefix("atomic {") {
                Some(atomic) => (
                    atomic.split("-> assert").next().expect("a guard"),
                    numbers["accept_all"],
                ),
                None => match option.split_once("-> goto ") {
                    Some((guard, target)) => (guard, numbers[target.trim()]),
                    None => panic!("{text}"),
                },
            },
        };
        edges[state].extend(labels(guard).into_iter().map(|label| Edge {
            label,
            pending: u64::from(!is_accepting[state]),
            target: target as u32,
        }));
    }
    Automaton {
        initial: 0,
        conditions: 1,
        edges,
    }
}

/// The letters that a guard admits, one label each.
fn labels(guard: &str) -> Vec<Label> {
    let all = (1 << ATOMS) - 1;
    let admits = |&letter: &u64| {
        let mut rest = guard.trim();
        let holds = disjunction(&mut rest, letter);
        assert!(rest.is_empty(), "{guard}");
        holds
    };
    let label = |letter| Label {
        positive: letter,
        negative: all & !letter,
    };
    (0..=all).filter(admits).map(label).collect()
}

fn take(rest: &mut &str, sign: &str) -> bool {
    let after = rest.strip_prefix(sign);
    *rest = after.unwrap_or(rest).trim_start();
    after.is_some()
}

/// Whether a guard holds, which may be longer than what Raddle reads.
fn disjunction(rest: &mut &str, letter: u64) -> bool {
    let mut holds = conjunction(rest, letter);
    while take(rest, "||") {
        holds |= conjunction(rest, letter);
    }
    holds
}

fn conjunction(rest: &mut &str, letter: u64) -> bool {
    let mut holds = literal(rest, letter);
    while take(rest, "&&") {
        holds &= literal(rest, letter);
    }
    holds
}

fn literal(rest: &mut &str, letter: u64) -> bool {
    if take(rest, "!") {
        return !literal(rest, letter);
    }
    if take(rest, "(") {
        let holds = disjunction(rest, letter);
        assert!(take(rest, ")"), "{rest}");
        return holds;
    }
    let mut atoms = (0..ATOMS).filter(|atom| take(rest, &format!("p{atom}")));
    match atoms.next() {
        Some(atom) => letter >> atom & 1 == 1,
        None if take(rest, "false") => false,
        None => {
            assert!(take(rest, "1") || take(rest, "true"), "{rest}");
            true
        }
    }
}

#[test]
fn languages_are_those_of_spin() {
    if Command::new("spin").arg("-V").output().is_err() {
        eprintln!("NOT CHECKED: Spin is not installed (apt-get install spin), so nothing was compared with it");
        return;
    }
    let (mut compared, mut late) = (0, 0);
    let (mut ours, mut theirs) = (0, 0);
    for seed in 0..FORMULAS {
        let mut draw = Draw::new(seed + 4_000_000);
        let size = 3 + draw.below(6);
        let formula = draw.formula(size, ATOMS, false);
        let negation = formula.negated();
        let (Some(its), Some(its_negation)) = (spin(&formula), spin(&negation)) else {
            late += 1;
            continue;
        };
        compared += 1;
        let mine = translate(&formula).expect("a small formula");
        let my_negation = translate(&negation).expect("a small formula");
        let plain = mine.degeneralised();
        for (one, other) in [(&mine, &its_negation), (&my_negation, &its), (&plain, &its_negation)] {
            assert!(intersection(one, other).is_empty(), "{}", show(&formula));
        }
        ours += plain.states();
        theirs += its.states();
    }
    println!("{compared} formulas compared with Spin, {late} left out that took Spin more than two seconds");
    println!("{ours} states of Büchi automata, Spin's: {theirs}");
    assert!(compared >= FORMULAS / 2, "{compared} compared, {late} late");
    assert!(ours <= theirs, "{ours} {theirs}");
}
