//! Algorithms of which it is known who starves.

use crate::{find, follow};
use model::{Model, Proposition};
use search::temporal::Fairness;

/// Whether a formula holds of a model, without fairness, with weak and with strong fairness.
fn check(text: &str, formula: &str, expected: [bool; 3]) {
    let model = Model::new(&model::parse(text).expect("a model"), true).expect("a model");
    let parsed = ltl::parse(formula).expect("a formula");
    let proposition = |text: &String| model.proposition(text).expect("a proposition");
    let atoms: Vec<Proposition> = parsed.atoms.texts().iter().map(proposition).collect();
    let broken = parsed.formula.negated();
    let automaton = ltl::translate(&broken).expect("a small formula");
    for (fairness, expected) in [Fairness::None, Fairness::Weak, Fairness::Strong]
        .into_iter()
        .zip(expected)
    {
        let answer = find(&model, &automaton, &atoms, fairness);
        assert_eq!(answer.execution.is_none(), expected, "{formula}: {fairness:?}");
        if let Some(execution) = &answer.execution {
            follow(&model, execution, &atoms, &broken, fairness);
        }
    }
}

#[test]
fn petersons_algorithm_starves_nobody_who_is_let_run() {
    let text = "volatile int want[2]; volatile int turn;\n\
        thread p(i) [2] { loop {\n\
            want[i] = 1;\n\
            turn = 1 - i;\n\
            await want[1 - i] == 0 || turn == i;\n\
            want[i] = 0;\n\
        } }";
    check(text, "G !(p[0].at(6) && p[1].at(6))", [true; 3]);
    // The other one cannot pass twice, so there is nobody else to run.
    check(text, "G (want[0] == 1 -> F p[0].at(6))", [true; 3]);
    check(text, "G F p[1].at(6)", [false, true, true]);
    check(text, "response(p[0].at(3), p[0].at(6))", [false, true, true]);
    check(text, "precedence(want[1] == 1, p[1].at(6))", [true; 3]);
    check(text, "F G p[0].at(6)", [false; 3]);
}

#[test]
fn a_lock_lets_a_contender_starve() {
    let text = "lock m; thread p [2] { loop {\n acquire m;\n skip;\n release m;\n } }";
    check(text, "G !(p[0].at(3) && p[1].at(3))", [true; 3]);
    check(text, "G F p[0].at(3)", [false, false, true]);
    check(text, "G F (p[0].at(3) || p[1].at(3))", [true; 3]);
}

#[test]
fn what_is_over_or_stuck_stays_as_it_is() {
    let text = "int x; lock a; lock b;\n\
        thread t { acquire a; acquire b; x = 1; release b; release a; }\n\
        thread u { acquire b; acquire a; x = 2; release a; release b; }";
    check(text, "F (x > 0)", [false; 3]);
    check(
        text,
        "F (done(t) && done(u) || owner(a) == t && owner(b) == u)",
        [true; 3],
    );
    check(text, "F G (x == 0) || F G (x > 0)", [true; 3]);
    check(text, "G F (owner(a) == t)", [false; 3]);
    check("int x; thread t { x = 1; }", "F G (x == 1)", [true; 3]);
    check("int x; thread t { x = 1; }", "G F (x == 0)", [false; 3]);
    check("int x; thread t { x = 1; }", "X (x == 1) && !X (x == 0)", [true; 3]);
}

#[test]
fn a_philosopher_may_starve_unless_fairness_is_strong() {
    // The last one takes the forks the other way round, so that nobody waits for ever for a circle.
    let text = "lock fork[3];\n\
        thread p(i) [2] { loop {\n\
            acquire fork[i];\n\
            acquire fork[i + 1];\n\
            skip;\n\
            release fork[i + 1];\n\
            release fork[i];\n\
        } }\n\
        thread last { loop {\n\
            acquire fork[0];\n\
            acquire fork[2];\n\
            skip;\n\
            release fork[2];\n\
            release fork[0];\n\
        } }";
    check(text, "G F p[0].at(5)", [false, false, true]);
    check(text, "G F last.at(12)", [false, false, true]);
    check(text, "G F (p[0].at(5) || p[1].at(5) || last.at(12))", [true; 3]);
    check(text, "G !(p[0].at(5) && p[1].at(5))", [true; 3]);
}
