//! Automata accept just the words of which their formulas hold.

mod support;

use ltl::{Automaton, Formula, Lasso, Reading, parse, simplify, translate};
use support::{Draw, all_lassos, intersection, show};

fn automaton(formula: &Formula) -> Automaton {
    translate(formula).unwrap_or_else(|error| panic!("{}: {error}", show(formula)))
}

fn check(formula: &Formula, words: &[Lasso]) {
    let simple = simplify(formula);
    let automaton = automaton(formula);
    let degeneralised = automaton.degeneralised();
    assert!(degeneralised.conditions <= 1);
    for word in words {
        let expected = word.satisfies(formula);
        assert_eq!(word.satisfies(&simple), expected, "{}: {word:?}", show(formula));
        assert_eq!(automaton.accepts(word), expected, "{}: {word:?}", show(formula));
        assert_eq!(degeneralised.accepts(word), expected, "{}: {word:?}", show(formula));
    }
}

/// What a finite automaton says of a word. One that never accepts rejects.
fn reads(mut automaton: ltl::Finite, word: &Lasso) -> bool {
    let mut reading = automaton.start();
    let mut letters = word
        .letters
        .iter()
        .chain(word.letters[word.loop_start..].iter().cycle());
    for _ in 0..1000 {
        let Reading::Open(state) = reading else {
            break;
        };
        reading = automaton.read(state, *letters.next().expect("a letter"));
    }
    reading == Reading::Accepted
}

#[test]
fn automata_agree_with_direct_evaluation() {
    let small = all_lassos(2, 3);
    for seed in 1..1500 {
        let mut draw = Draw::new(seed);
        let size = 1 + draw.below(10);
        check(&draw.formula(size, 2, seed % 4 == 0), &small);
    }
    for seed in 1..1500 {
        let mut draw = Draw::new(seed);
        let size = 6 + draw.below(9);
        let formula = draw.formula(size, 3, seed % 4 == 0);
        let words: Vec<Lasso> = (0..60).map(|_| draw.lasso(3)).collect();
        check(&formula, &words);
    }
}

#[test]
fn a_formula_and_its_negation_share_no_word_and_leave_none_out() {
    for seed in 1..1500 {
        let mut draw = Draw::new(seed + 77_000);
        let size = 2 + draw.below(11);
        let formula = draw.formula(size, 3, seed % 5 == 0);
        let (one, other) = (automaton(&formula), automaton(&formula.negated()));
        assert!(intersection(&one, &other).is_empty(), "{}", show(&formula));
        for word in (0..40).map(|_| draw.lasso(3)) {
            assert!(
                one.accepts(&word) != other.accepts(&word),
                "{}: {word:?}",
                show(&formula)
            );
        }
    }
}

#[test]
fn finite_automata_agree_where_there_are_any() {
    let mut found = 0;
    for seed in 1..3000 {
        let mut draw = Draw::new(seed + 990_000);
        let size = 2 + draw.below(9);
        let formula = draw.formula(size, 2, seed % 5 == 0);
        let Some(finite) = automaton(&formula).finite() else {
            continue;
        };
        found += 1;
        for word in (0..40).map(|_| draw.lasso(2)) {
            assert_eq!(
                reads(finite.clone(), &word),
                word.satisfies(&formula),
                "{}: {word:?}",
                show(&formula)
            );
        }
    }
    assert!(found > 500, "{found}");
}

#[test]
fn safety_formulas_are_recognised() {
    for (text, expected) in [
        ("G p", true),
        ("p W q", true),
        ("q R p", true),
        ("G (p -> q W r)", true),
        ("absence(p, after_until(q, r))", true),
        ("precedence(s, p)", true),
        ("F p", false),
        ("p U q", false),
        ("G (p -> F q)", false),
        ("G F p", false),
        ("G p || G q", true),
    ] {
        let negation = parse(text).expect(text).formula.negated();
        assert_eq!(automaton(&negation).finite().is_some(), expected, "{text}");
    }
}

#[test]
fn rewriting_finds_the_smaller_formula() {
    for (text, expected) in [
        ("F F p", "F p"),
        ("G G p", "G p"),
        ("F G F p", "G F p"),
        ("G F G p", "F G p"),
        ("p U p", "p"),
        ("!p U p", "F p"),
        ("p U (p U q)", "p U q"),
        ("F (p U q)", "F q"),
        ("G p && G q", "G (p && q)"),
        ("F p || F q", "F (p || q)"),
        ("G F p || G F q", "G F (p || q)"),
        ("F G p && F G q", "F G (p && q)"),
        ("p && (p || q)", "p"),
        ("p U G F q", "G F q"),
        ("F (p && G F q)", "F p && G F q"),
        ("X G F p", "G F p"),
        ("p && !p", "false"),
        ("G p -> F p", "true"),
        ("(p U q) && (r U q)", "(p && r) U q"),
        ("!(p <-> p)", "false"),
    ] {
        let (parsed, expected) = (parse(text).expect(text), parse(expected).expect(text));
        let simple = simplify(&parsed.formula);
        let shown = simple.show(&parsed.atoms).to_string();
        let words = all_lassos(3, 3);
        assert_eq!(simple.size(), expected.formula.size(), "{text}: {shown}");
        assert!(
            words
                .iter()
                .all(|word| word.satisfies(&simple) == word.satisfies(&parsed.formula)),
            "{text}: {shown}"
        );
    }
}

/// States, edges and conditions of well-known formulas: a larger automaton is a loss.
#[test]
fn automata_of_well_known_formulas_are_small() {
    for (text, expected) in [
        ("true", (1, 1, 0)),
        ("false", (1, 0, 0)),
        ("G p", (1, 1, 0)),
        ("F p", (2, 3, 1)),
        ("G F p", (1, 2, 1)),
        ("F G p", (2, 3, 1)),
        ("p U q", (2, 3, 1)),
        ("G (p -> F q)", (2, 5, 1)),
        ("!G (p -> F q)", (2, 3, 1)),
        ("G F p && G F q && G F r", (1, 8, 3)),
        ("G F p -> G F q", (4, 7, 1)),
        ("!(G F p -> G F q)", (2, 4, 1)),
    ] {
        let automaton = automaton(&parse(text).expect(text).formula);
        let sizes = (automaton.states(), automaton.transitions(), automaton.conditions);
        assert_eq!(sizes, expected, "{text}: {automaton}");
    }
}

#[test]
fn what_would_be_too_large_is_refused() {
    let parts: Vec<String> = (0..30).map(|number| format!("(F p{number} || G q{number})")).collect();
    let parsed = parse(&parts.join(" && ")).expect("a formula");
    assert!(translate(&parsed.formula).is_err());
}
