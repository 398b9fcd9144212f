//! Verdicts held against Spin's, if it is installed, on models that are written in both languages.

use crate::find;
use crate::reference::graph;
use crate::support::Draw;
use ltl::{Binary, Formula, Unary};
use model::{Model, Proposition};
use search::temporal::Fairness;
use std::fs;
use std::path::Path;
use std::process::Command;

const MODELS: u64 = 12;
const FORMULAS: usize = 10;
const ATOMS: [&str; 4] = ["x == 0", "x == 1", "y == 2", "x == y"];

/// A statement in both languages.
fn statement(draw: &mut Draw) -> (String, String) {
    let name = ["x", "y"][draw.below(2)];
    let number = draw.below(3);
    let other = draw.below(3);
    match draw.below(6) {
        0 => (format!("{name} = {number};"), format!("{name} = {number};")),
        1 => (format!("await {name} == {number};"), format!("({name} == {number});")),
        3 => (
            format!("choose {{ {name} = {number}; }} or {{ x = {other}; }}"),
            format!("if :: {name} = {number} :: x = {other} fi;"),
        ),
        _ => {
            let text = format!("{name} = ({name} + {number}) % 3;");
            (text.clone(), text)
        }
    }
}

/// A model in both languages. Most threads never end.
fn programs(draw: &mut Draw) -> (String, String) {
    let mut rad = "volatile int x, y;\n".to_owned();
    let mut promela = "byte x = 0; byte y = 0;\n".to_owned();
    for thread in 0..2 + draw.below(2) {
        let body: Vec<_> = (0..2 + draw.below(3)).map(|_| statement(draw)).collect();
        let (ours, its): (Vec<String>, Vec<String>) = body.into_iter().unzip();
        let (ours, its) = (ours.join(" "), its.join(" "));
        let (ours, its) = match draw.below(8) {
            0 => (ours, format!("{its} skip")),
            _ => (format!("loop {{ {ours} }}"), format!("again: {its} goto again")),
        };
        rad += &format!("thread t{thread} {{ {ours} }}\n");
        promela += &format!("active proctype t{thread}() {{ {its} }}\n");
    }
    (rad, promela)
}

/// A formula as Spin writes it.
fn written(formula: &Formula, atoms: &[&str]) -> String {
    match formula {
        Formula::Constant(value) => value.to_string(),
        Formula::Atom(atom) => format!("({})", atoms[atom.0 as usize]),
        Formula::Unary(operator, inner) => {
            let sign = match operator {
                Unary::Not => "!",
                Unary::Next => unreachable!("no formula here has it"),
                Unary::Always => "[]",
                Unary::Eventually => "<>",
            };
            format!("{sign} ({})", written(inner, atoms))
        }
        Formula::Binary(operator, left, right) => {
            let (left, right) = (written(left, atoms), written(right, atoms));
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

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn verdicts_are_those_of_spin() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin");
    fs::create_dir_all(&folder).expect("target can be written");
    if run(&folder, "spin", &["-V"]).is_none() || run(&folder, "cc", &["--version"]).is_none() {
        eprintln!("NOT CHECKED: Spin or a C compiler is not installed, so no verdict was compared with Spin's");
        return;
    }
    let (mut held, mut violated, mut fair) = (0, 0, 0);
    for seed in 0..MODELS {
        let mut draw = Draw::new(seed + 500);
        let (rad, mut promela) = programs(&mut draw);
        let formulas: Vec<Formula> = (0..FORMULAS).map(|_| draw.formula(6, ATOMS.len(), false)).collect();
        for (number, formula) in formulas.iter().enumerate() {
            promela += &format!("ltl f{number} {{ {} }}\n", written(formula, &ATOMS));
        }
        fs::write(folder.join("model.pml"), &promela).expect("a file can be written");
        let said = run(&folder, "spin", &["-a", "model.pml"]).expect("spin runs");
        run(&folder, "cc", &["-w", "-O0", "-o", "pan", "pan.c"]).expect("the verifier compiles");
        let model = Model::new(&model::parse(&rad).expect("a model"), true).expect("a model");
        let proposition = |text: &&str| model.proposition(text).expect("a proposition");
        let atoms: Vec<Proposition> = ATOMS.iter().map(proposition).collect();
        let graph = graph(&model, &atoms).expect("a small model");
        let gets_stuck = graph.iter().any(|node| node.forced.is_empty());
        for (number, formula) in formulas.iter().enumerate() {
            let automaton = ltl::translate(&formula.negated()).expect("a small formula");
            for (fairness, flags) in [(Fairness::None, &["-a"][..]), (Fairness::Weak, &["-a", "-f"])] {
                // Where a model gets stuck, Spin 6.5.2 with -f says that `<> ([] true && <> p)` holds and `<> p` does not.
                if fairness == Fairness::Weak && gets_stuck {
                    continue;
                }
                let name = format!("f{number}");
                let its = run(&folder, "./pan", &[flags, &["-m100000", "-w16", "-N", &name]].concat());
                let its = its.unwrap_or_else(|| panic!("{said}"));
                let answer = find(&model, &automaton, &atoms, fairness);
                let expected = its.contains("errors: 0");
                assert!(expected || its.contains("errors: 1"), "{promela}\n{its}");
                let message = format!("{fairness:?} f{number}\n{rad}\n{promela}\n{its}");
                assert_eq!(answer.execution.is_none(), expected, "{message}");
                fair += usize::from(fairness == Fairness::Weak);
                *(if expected { &mut held } else { &mut violated }) += 1;
            }
        }
    }
    println!("{held} verdicts of Spin's that formulas hold, {violated} that they are violated; {fair} with fairness");
    assert!(held > 20 && violated > 20 && fair > 20, "{held} {violated} {fair}");
}
