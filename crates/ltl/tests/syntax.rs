//! Formulas are read as they are meant, and refused with the place.

mod support;

use ltl::{Formula, parse};
use support::{Draw, all_lassos, show};

fn reads(text: &str) -> String {
    let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    parsed.formula.show(&parsed.atoms).to_string()
}

#[test]
fn operators_bind_as_one_expects() {
    for (text, expected) in [
        ("G p -> F q", "G p -> F q"),
        ("a U b U c", "a U (b U c)"),
        ("a && b || c && d", "(a && b) || (c && d)"),
        ("a -> b -> c <-> d", "(a -> (b -> c)) <-> d"),
        ("a U b && c", "(a U b) && c"),
        ("!a U X b", "!a U X b"),
        ("[]<> p", "G F p"),
        ("GF p || FG(q) && XGF !p", "G F p || (F G q && X G F !p)"),
        ("[](p -> <>q)", "G (p -> F q)"),
        ("always (p implies eventually q)", "G (p -> F q)"),
        ("not p until q or r unless s", "(!p U q) || (r W s)"),
        ("a releases b iff c M d", "(a R b) <-> (c M d)"),
        ("a and b and c", "a && b && c"),
        ("a V b", "a R b"),
        ("true U false", "true U false"),
        ("G(p)", "G p"),
        ("((a))", "a"),
    ] {
        assert_eq!(reads(text), expected, "{text}");
    }
}

#[test]
fn atoms_are_whatever_stands_between_operators() {
    for (text, atoms) in [
        ("x == 1 && y <= a[x && z] + 1", &["x == 1", "y <= a[x && z] + 1"][..]),
        ("(x + 1) * 2 == y -> z", &["(x + 1) * 2 == y", "z"]),
        ("G thread(\"a) b\").at(12)", &["thread(\"a) b\").at(12)"]),
        (
            "at(Bank.java:12) U in(Account.pay)",
            &["at(Bank.java:12)", "in(Account.pay)"],
        ),
        (
            "F done(t[1]) && t[1].y > 0 || done(t[1])",
            &["done(t[1])", "t[1].y > 0"],
        ),
        ("x->y", &["x", "y"]),
        ("x<->y", &["x", "y"]),
        ("x<-1", &["x<-1"]),
        ("{ G U  or }", &["G U or"]),
        ("G.x == F.y || U[1] == -X", &["G.x == F.y", "U[1] == -X"]),
        ("G == 1 U next != 2", &["G == 1", "next != 2"]),
        (
            "GF == 1 || FG.x > 0 || FX[0] < 1",
            &["GF == 1", "FG.x > 0", "FX[0] < 1"],
        ),
        ("G !(x == 1)", &["x == 1"]),
        ("x   ==\n 1 || x == 1", &["x == 1"]),
        ("G [] p", &["p"]),
    ] {
        let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(parsed.atoms.texts(), atoms, "{text}");
    }
}

#[test]
fn what_is_no_formula_is_told_with_its_place() {
    for (text, expected) in [
        ("", "1:1: expected a proposition instead of the end of the formula"),
        ("G", "1:2: expected a proposition instead of the end of the formula"),
        ("p U", "1:4: expected a proposition instead of the end of the formula"),
        ("p &&\n  || q", "2:3: expected a proposition instead of `|`"),
        ("p q", "1:3: expected an operator instead of `q`"),
        ("(p", "1:1: `(` is never closed"),
        ("(p q)", "1:4: expected `)` or an operator instead of `q`"),
        ("p)", "1:2: expected an operator instead of `)`"),
        ("x = 1", "1:3: `=` compares nothing: write `==`"),
        ("x ==", "1:5: expected a proposition instead of the end of the formula"),
        (
            "!x == 1",
            "1:2: what is negated here? write `!(x == 1)` if that is meant",
        ),
        ("f(a", "1:2: `(` is never closed"),
        ("f(a]", "1:4: `]` closes nothing here"),
        ("f(\"a)", "1:3: this `\"` has no end"),
        ("{ }", "1:1: there is nothing between these braces"),
        ("response(p)", "1:11: expected `,` or an operator instead of `)`"),
        (
            "absence(p, p)",
            "1:12: expected `before(r)`, `after(q)`, `between(q, r)` or `after_until(q, r)` here",
        ),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

#[test]
fn large_formulas_are_refused_before_they_hurt() {
    for text in [
        "(".repeat(100_000),
        "!".repeat(100_000),
        format!("p{}", " && p".repeat(100_000)),
        format!("p{}", " U p".repeat(100_000)),
        format!("p{}", "[".repeat(100_000)),
        format!("p {}", "- 1 ".repeat(100_000)),
        (0..100).map(|number| format!("p{number} || ")).collect::<String>() + "q",
    ] {
        match parse(&text) {
            Ok(parsed) => assert!(parsed.formula.size() == 1),
            Err(error) => assert!(error.to_string().len() < 100, "{error}"),
        }
    }
}

#[test]
fn what_is_printed_is_read_again() {
    for seed in 1..2000 {
        let mut draw = Draw::new(seed);
        let size = 1 + draw.below(14);
        let text = show(&draw.formula(size, 4, true));
        let parsed = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(parsed.formula.show(&parsed.atoms).to_string(), text);
    }
    for text in ["!(x == 1)", "G {a and b}", "{x = 1} U {not a}", "{G p}"] {
        assert_eq!(reads(text), text);
    }
}

#[test]
fn the_next_operator_is_noticed() {
    for (text, expected) in [("X p", true), ("G (p -> next q)", true), ("G (p -> F q)", false)] {
        assert_eq!(parse(text).expect(text).formula.has_next(), expected, "{text}");
    }
}

#[test]
fn patterns_say_what_is_known_of_them() {
    for (pattern, formula) in [
        ("absence(p)", "G !p"),
        ("absence(p, before(r))", "F r -> (!p U r)"),
        ("absence(p, after(q))", "G (q -> G !p)"),
        ("absence(p, between(q, r))", "G ((q && !r && F r) -> (!p U r))"),
        ("absence(p, after_until(q, r))", "G (q && !r -> (!p W r))"),
        ("existence(p)", "F p"),
        ("existence(p, before(r))", "!r W (p && !r)"),
        ("existence(p, after(q))", "G !q || F (q && F p)"),
        ("existence(p, between(q, r))", "G (q && !r -> (!r W (p && !r)))"),
        ("existence(p, after_until(q, r))", "G (q && !r -> (!r U (p && !r)))"),
        ("universality(p)", "G p"),
        ("universality(p, before(r))", "F r -> (p U r)"),
        ("universality(p, after(q))", "G (q -> G p)"),
        ("universality(p, between(q, r))", "G ((q && !r && F r) -> (p U r))"),
        ("universality(p, after_until(q, r))", "G (q && !r -> (p W r))"),
        ("precedence(s, p)", "!p W s"),
        ("precedence(s, p, before(r))", "F r -> (!p U (s || r))"),
        ("precedence(s, p, after(q))", "!q W (q && (!p W s))"),
        (
            "precedence(s, p, between(q, r))",
            "G ((q && !r && F r) -> (!p U (s || r)))",
        ),
        ("precedence(s, p, after_until(q, r))", "G (q && !r -> (!p W (s || r)))"),
        ("response(p, s)", "G (p -> F s)"),
        ("response(p, s, before(r))", "F r -> (p -> (!r U (s && !r))) U r"),
        ("response(p, s, after(q))", "G (q -> G (p -> F s))"),
        (
            "response(p, s, between(q, r))",
            "G ((q && !r && F r) -> (p -> (!r U (s && !r))) U r)",
        ),
        (
            "response(p, s, after_until(q, r))",
            "G (q && !r -> ((p -> (!r U (s && !r))) W r))",
        ),
    ] {
        // The atoms get the same numbers: `p`, `q`, `r`, `s`.
        let numbered = |text: &str| -> Formula {
            let parsed = parse(&format!("(p && q && r && s) -> true && ({text})")).expect(text);
            let Formula::Binary(_, _, right) = parsed.formula else {
                panic!("an implication");
            };
            *right
        };
        let (pattern, formula) = (numbered(pattern), numbered(formula));
        for word in all_lassos(4, 2) {
            assert_eq!(word.satisfies(&pattern), word.satisfies(&formula), "{word:?}");
        }
        let mut draw = Draw::new(9);
        for word in (0..3000).map(|_| draw.lasso(4)) {
            assert_eq!(word.satisfies(&pattern), word.satisfies(&formula), "{word:?}");
        }
    }
}
