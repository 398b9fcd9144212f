//! Random guarded-command models, searched in microseconds, and smaller ones made of those that disagree.

use crate::compare::{Finding, Strategy, Subject, Summary, search};
use model::Model;
use model::syntax::{Command, Expr, Program, Statement};

/// Rules of exclusive access that anybody might write about a random model, most of them wrong for most models.
pub const RULES: &[&str] = &[
    "protected x: owner(l) == i;",
    "protected x: i == 0;",
    "protected x: i == 0 and v == 0 or i == 1 and v == 1;",
    "protected x: owner(m[0]) == i or s == 0 and i == 1;",
    "protected x: owner(m[v]) == i; protected a[j]: owner(m[j]) == i;",
    "protected x: owner(l) != -1 and owner(l) == i; protected a[j]: y == j;",
    "protected a[j]: i == j;",
    "protected a[j]: owner(l) == i or w == 1 and i == j or s == 1 and i == 1 - j;",
    "protected a[j]: not owner(m[j]) == 1 - i; unprotected x;",
    "protected x: a[0] == i; protected a[j]: x == i;",
    "protected x: i == 0 or v == 1; protected a[j]: i == j or v == 0;",
    "protected v: owner(l) == i; unprotected x; unprotected a;",
    "protected x: owner(l) == i or owner(m[0]) == i;",
    "protected x: owner(m[i]) == i; protected a[j]: owner(m[0]) == i or owner(l) == i;",
];

/// A model as something that can be searched again and again.
pub struct Guarded {
    /// With every statement a step.
    fine: Model,
    /// With steps as a search takes them.
    coarse: Model,
}

impl Guarded {
    /// A model, whose threads may wake up for no reason if `spurious`. If `every`, each statement is a step under all strategies: there
    /// is more that commutes.
    pub fn new(program: &Program, spurious: bool, every: bool) -> Result<Guarded, String> {
        let made = |every| {
            let mut model = Model::new(program, every).map_err(|error| error.show("model", ""))?;
            model.spurious = spurious;
            Ok::<_, String>(model)
        };
        Ok(Guarded {
            fine: made(true)?,
            coarse: made(every)?,
        })
    }

    /// Gives the reductions a rule, if it can be one of this model.
    pub fn set_rule(&mut self, rule: &str) {
        for model in [&mut self.fine, &mut self.coarse] {
            let _ = model.set_discipline(rule);
        }
    }

    fn of(&self, strategy: &Strategy) -> &Model {
        match strategy.combination.is_finest() {
            true => &self.fine,
            false => &self.coarse,
        }
    }
}

impl Subject for Guarded {
    fn run(&mut self, strategy: &Strategy) -> Result<Summary, String> {
        let model = self.of(strategy);
        search(model, &mut model.start(), strategy).map(|ran| Summary::new(&ran))
    }

    fn describe(&mut self, strategy: &Strategy, finding: Finding) -> String {
        match finding {
            Finding::Flaw(flaw) => format!("{} {}", flaw.property.name(), flaw.key),
            Finding::Mark(mark) => match self.of(strategy).observation(mark) {
                Some((_, line, value)) => format!("observation of {value}, line {line}"),
                None => format!("mark {mark}"),
            },
            Finding::Deadlock => "a state in which nobody can move".to_owned(),
            Finding::End => "the end of the program".to_owned(),
            Finding::Ignored => "a state that the program asks to be forgotten".to_owned(),
        }
    }
}

/// Every model that is smaller by one step, those that lose most first. All of them are legal.
pub fn shrinks(program: &Program) -> Vec<Program> {
    let mut smaller = Vec::new();
    for at in 0..program.threads.len() {
        if program.threads.len() > 1 {
            let mut less = program.clone();
            less.threads.remove(at);
            smaller.push(less);
        }
    }
    for (at, thread) in program.threads.iter().enumerate() {
        for body in bodies(&thread.body) {
            let mut less = program.clone();
            less.threads[at].body = body;
            smaller.push(less);
        }
    }
    for at in 0..program.globals.len() {
        let mut less = program.clone();
        less.globals.remove(at);
        smaller.push(less);
    }
    smaller.retain(|less| Model::new(less, false).is_ok());
    smaller
}

/// Every block that is smaller by one step.
fn bodies(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut smaller = Vec::new();
    for (at, statement) in body.iter().enumerate() {
        let mut with = |instead: &[Statement]| {
            let mut body = body.to_vec();
            body.splice(at..=at, instead.iter().cloned());
            smaller.push(body);
        };
        with(&[]);
        let inner: Vec<&Vec<Statement>> = match &statement.command {
            Command::Locked(_, block, _) | Command::While(_, block) | Command::Loop(block) | Command::Atomic(block) => {
                vec![block]
            }
            Command::If(_, one, two) => vec![one, two],
            Command::Either(blocks) => blocks.iter().collect(),
            _ => Vec::new(),
        };
        inner.into_iter().for_each(|block| with(block));
    }
    for (at, statement) in body.iter().enumerate() {
        for command in commands(&statement.command) {
            let mut body = body.to_vec();
            body[at].command = command;
            smaller.push(body);
        }
    }
    smaller
}

/// Every command that is smaller by one step and does the same kind of thing.
fn commands(command: &Command) -> Vec<Command> {
    let inner = |block: &[Statement], made: &dyn Fn(Vec<Statement>) -> Command| {
        bodies(block).into_iter().map(made).collect::<Vec<_>>()
    };
    let plain = |values: &[Expr], made: &dyn Fn(Vec<Expr>) -> Command| {
        let mut smaller = Vec::new();
        for at in 0..values.len() {
            for value in expressions(&values[at]) {
                let mut values = values.to_vec();
                values[at] = value;
                smaller.push(made(values));
            }
        }
        smaller
    };
    match command {
        Command::Assign(all) | Command::When(_, all) if all.len() > 1 => {
            let some = |at: usize| {
                let mut all = all.clone();
                all.remove(at);
                Command::Assign(all)
            };
            (0..all.len()).map(some).collect()
        }
        Command::When(_, all) => vec![Command::Assign(all.clone())],
        Command::Assign(all) => {
            let values: Vec<Expr> = all.iter().map(|one| one.value.clone()).collect();
            plain(&values, &|values| {
                let mut all = all.clone();
                all.iter_mut().zip(values).for_each(|(one, value)| one.value = value);
                Command::Assign(all)
            })
        }
        Command::Await(condition) => plain(std::slice::from_ref(condition), &|mut values| {
            Command::Await(values.remove(0))
        }),
        Command::Assert(condition) => plain(std::slice::from_ref(condition), &|mut values| {
            Command::Assert(values.remove(0))
        }),
        Command::Observe(values) if values.len() > 1 => values
            .iter()
            .map(|value| Command::Observe(vec![value.clone()]))
            .collect(),
        Command::Observe(values) => plain(values, &Command::Observe),
        Command::Locked(lock, block, end) => inner(block, &|block| Command::Locked(lock.clone(), block, *end)),
        Command::While(condition, block) => {
            let mut smaller = inner(block, &|block| Command::While(condition.clone(), block));
            smaller.extend(plain(std::slice::from_ref(condition), &|mut values| {
                Command::While(values.remove(0), block.clone())
            }));
            smaller
        }
        Command::Loop(block) => inner(block, &Command::Loop),
        Command::If(condition, one, two) => {
            let mut smaller = inner(one, &|one| Command::If(condition.clone(), one, two.clone()));
            smaller.extend(inner(two, &|two| Command::If(condition.clone(), one.clone(), two)));
            smaller
        }
        _ => Vec::new(),
    }
}

/// Every expression that is a part of this one, and a number instead of it.
fn expressions(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Number(_) => Vec::new(),
        Expr::Place(_) => vec![Expr::Number(0), Expr::Number(1)],
        Expr::Minus(of) | Expr::Not(of) => vec![(**of).clone()],
        Expr::Binary(operator, left, right) => {
            let mut smaller = vec![(**left).clone(), (**right).clone()];
            for less in expressions(left) {
                smaller.push(Expr::Binary(*operator, Box::new(less), right.clone()));
            }
            for less in expressions(right) {
                smaller.push(Expr::Binary(*operator, left.clone(), Box::new(less)));
            }
            smaller
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_comes_to_an_end_and_stays_legal() {
        for seed in 0..40 {
            let mut program = model::random(seed);
            let mut steps = 0;
            // Always the candidate that loses least.
            while let Some(smaller) = shrinks(&program).pop() {
                program = smaller;
                steps += 1;
                assert!(steps < 500, "seed {seed}\n{program}");
            }
            assert!(
                program.threads.len() == 1 && program.threads[0].body.is_empty(),
                "{program}"
            );
        }
    }
}
