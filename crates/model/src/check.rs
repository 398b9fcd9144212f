//! Names: what each stands for, and whether it may stand where it does.

use crate::Error;
use crate::code::{self, Cell, THREAD_WORDS, calculate};
use crate::syntax::{At, Expr, Initial, Kind, Operator, Place, Program, Thread, Variable};
use std::collections::HashMap;

/// How many words all variables may have together.
pub(crate) const MOST_WORDS: u32 = 1 << 20;

/// What a name stands for.
#[derive(Clone, Copy)]
enum Meaning {
    Constant(i32),
    Parameter,
    /// An index into the variables.
    Global(usize),
    /// An index into the thread's own.
    Local(usize),
}

/// All names that can be used at some place, and what was declared so far.
#[derive(Default)]
pub(crate) struct Scope {
    names: HashMap<String, Meaning>,
    pub globals: Vec<code::Variable>,
    pub locals: Vec<code::Variable>,
    /// The first values of the global variables.
    pub words: Vec<u32>,
}

impl Scope {
    /// Declares the global names of a program.
    pub fn new(program: &Program) -> Result<Scope, Error> {
        let mut scope = Scope::default();
        for variable in &program.globals {
            if variable.kind == Kind::Constant {
                let Initial::All(value) = &variable.initial else {
                    return Err(Error::new(variable.at, "a constant is one number"));
                };
                if variable.size.is_some() {
                    return Err(Error::new(variable.at, "a constant is one number, no array"));
                }
                let value = scope.constant(value, None, variable.at)?;
                scope.declare(variable, Meaning::Constant(value))?;
                continue;
            }
            let first = scope.words.len() as u32;
            let declared = scope.variable(variable, first)?;
            let values = scope.values(variable, declared.size, None)?;
            scope.words.extend(values);
            scope.declare(variable, Meaning::Global(scope.globals.len()))?;
            scope.globals.push(declared);
        }
        Ok(scope)
    }

    /// The names within a thread.
    pub fn within(&self, thread: &Thread) -> Result<Scope, Error> {
        let mut scope = Scope {
            names: self.names.clone(),
            globals: self.globals.clone(),
            ..Scope::default()
        };
        if let Some(parameter) = &thread.parameter {
            scope.insert(parameter, thread.at, Meaning::Parameter)?;
        }
        let mut next = THREAD_WORDS;
        for local in &thread.locals {
            let declared = scope.variable(local, next)?;
            next += declared.size;
            scope.declare(local, Meaning::Local(scope.locals.len()))?;
            scope.locals.push(declared);
        }
        Ok(scope)
    }

    /// A declared variable that begins at a word.
    fn variable(&self, variable: &Variable, first: u32) -> Result<code::Variable, Error> {
        let size = match &variable.size {
            Some(size) => self.constant(size, None, variable.at)?,
            None => 1,
        };
        let room = MOST_WORDS.saturating_sub(first);
        let size = u32::try_from(size).ok().filter(|&size| size > 0 && size <= room);
        let Some(size) = size else {
            let message = format!("an array has at least 1 element, and all variables at most {MOST_WORDS} together");
            return Err(Error::new(variable.at, message));
        };
        Ok(code::Variable {
            name: variable.name.clone(),
            kind: variable.kind,
            first,
            size,
            array: variable.size.is_some(),
        })
    }

    /// The first values of a variable.
    pub fn values(&self, variable: &Variable, size: u32, parameter: Option<i32>) -> Result<Vec<u32>, Error> {
        let values = match &variable.initial {
            Initial::Zero => vec![0; size as usize],
            Initial::All(value) => {
                let value = self.constant(value, parameter, variable.at)?;
                vec![value as u32; size as usize]
            }
            Initial::Each(values) if values.len() != size as usize => {
                let message = format!("`{}` has {size} elements, not {}", variable.name, values.len());
                return Err(Error::new(variable.at, message));
            }
            Initial::Each(values) => {
                let value = |value| {
                    self.constant(value, parameter, variable.at)
                        .map(|value: i32| value as u32)
                };
                values.iter().map(value).collect::<Result<_, _>>()?
            }
        };
        let wrong = match variable.kind {
            Kind::Semaphore => values.iter().any(|&value| (value as i32) < 0),
            Kind::Lock => values.iter().any(|&value| value != 0),
            _ => false,
        };
        if wrong {
            let message = format!("`{}` must not begin with that value", variable.name);
            return Err(Error::new(variable.at, message));
        }
        Ok(values)
    }

    fn declare(&mut self, variable: &Variable, meaning: Meaning) -> Result<(), Error> {
        self.insert(&variable.name, variable.at, meaning)
    }

    fn insert(&mut self, name: &str, at: At, meaning: Meaning) -> Result<(), Error> {
        match self.names.insert(name.to_owned(), meaning) {
            None => Ok(()),
            Some(_) => Err(Error::new(at, format!("`{name}` is declared already"))),
        }
    }

    fn meaning(&self, place: &Place) -> Result<Meaning, Error> {
        let found = self.names.get(&place.name).copied();
        found.ok_or_else(|| Error::new(place.at, format!("there is no `{}` here", place.name)))
    }

    /// The value of a constant expression; `at` is where to point at if it has none.
    pub fn constant(&self, expr: &Expr, parameter: Option<i32>, at: At) -> Result<i32, Error> {
        Ok(match expr {
            Expr::Number(number) => *number,
            Expr::Place(place) => match (self.meaning(place)?, parameter) {
                (Meaning::Constant(value), _) if place.index.is_none() => value,
                (Meaning::Parameter, Some(value)) if place.index.is_none() => value,
                _ => {
                    let message = format!("`{}` is no constant, and a constant is needed here", place.name);
                    return Err(Error::new(place.at, message));
                }
            },
            Expr::Minus(inner) => self.constant(inner, parameter, at)?.wrapping_neg(),
            Expr::Not(inner) => i32::from(self.constant(inner, parameter, at)? == 0),
            Expr::Binary(operator, left, right) => {
                let (left, right) = (
                    self.constant(left, parameter, at)?,
                    self.constant(right, parameter, at)?,
                );
                calculate(*operator, left, right).map_err(|fault| Error::new(at, fault.text()))?
            }
        })
    }

    /// An expression with its names looked up. Constants become numbers.
    pub fn expression(&self, expr: &Expr) -> Result<code::Expr, Error> {
        Ok(match expr {
            Expr::Number(number) => code::Expr::Number(*number),
            Expr::Place(place) => match self.meaning(place)? {
                Meaning::Constant(_) | Meaning::Parameter if place.index.is_some() => {
                    return Err(Error::new(place.at, format!("`{}` is no array", place.name)));
                }
                Meaning::Constant(value) => code::Expr::Number(value),
                Meaning::Parameter => code::Expr::Parameter,
                _ => code::Expr::Cell(self.cell(place, &[Kind::Int, Kind::Volatile])?),
            },
            Expr::Minus(inner) => code::Expr::Minus(Box::new(self.expression(inner)?)),
            Expr::Not(inner) => code::Expr::Not(Box::new(self.expression(inner)?)),
            Expr::Binary(operator, left, right) => self.binary(*operator, left, right)?,
        })
    }

    fn binary(&self, operator: Operator, left: &Expr, right: &Expr) -> Result<code::Expr, Error> {
        let (left, right) = (self.expression(left)?, self.expression(right)?);
        Ok(code::Expr::Binary(operator, Box::new(left), Box::new(right)))
    }

    /// A variable or element of one of these kinds.
    pub fn cell(&self, place: &Place, kinds: &[Kind]) -> Result<Cell, Error> {
        let wrong = |message: String| Err(Error::new(place.at, message));
        let name = &place.name;
        let (local, variable) = match self.meaning(place)? {
            Meaning::Constant(_) => return wrong(format!("`{name}` is a constant, not {}", listed(kinds))),
            Meaning::Parameter => return wrong(format!("`{name}` is the thread's number, not {}", listed(kinds))),
            Meaning::Global(index) => (false, &self.globals[index]),
            Meaning::Local(index) => (true, &self.locals[index]),
        };
        if !kinds.contains(&variable.kind) {
            let (is, should) = (listed(&[variable.kind]), listed(kinds));
            return wrong(format!("`{name}` is {is}, not {should}"));
        }
        match (variable.array, &place.index) {
            (true, None) => return wrong(format!("`{name}` is an array: say which element, as in `{name}[0]`")),
            (false, Some(_)) => return wrong(format!("`{name}` is no array")),
            _ => {}
        }
        let index = match &place.index {
            Some(index) => Some(Box::new(self.expression(index)?)),
            None => None,
        };
        Ok(Cell {
            local,
            volatile: variable.kind == Kind::Volatile,
            first: variable.first,
            size: variable.size,
            index,
        })
    }
}

/// What something of these kinds is called.
fn listed(kinds: &[Kind]) -> &'static str {
    match kinds.first() {
        Some(Kind::Lock) => "a lock",
        Some(Kind::Semaphore) => "a semaphore",
        Some(Kind::Constant) => "a constant",
        _ => "a variable",
    }
}

#[cfg(test)]
mod tests {
    use crate::{Model, parse};

    fn fails(text: &str, expected: &str) {
        let program = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let error = Model::new(&program, true).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }

    #[test]
    fn names_must_fit() {
        fails("thread t { x = 1; }", "1:12: there is no `x` here");
        fails("int x; lock x; thread t { }", "1:13: `x` is declared already");
        fails("int x; thread t { int x; }", "1:23: `x` is declared already");
        fails("int x; thread t(x) { }", "1:15: `x` is declared already");
        fails("lock m; thread t { m = 1; }", "1:20: `m` is a lock, not a variable");
        fails("int m; thread t { up m; }", "1:22: `m` is a variable, not a semaphore");
        fails(
            "final int n = 1; thread t { n = 2; }",
            "1:29: `n` is a constant, not a variable",
        );
        fails(
            "thread t(i) { i = 2; }",
            "1:15: `i` is the thread's number, not a variable",
        );
        fails(
            "int a[2]; thread t { a = 1; }",
            "1:22: `a` is an array: say which element, as in `a[0]`",
        );
        fails("int x; thread t { x[0] = 1; }", "1:19: `x` is no array");
        fails("thread t { skip; } thread t { }", "1:27: `t` is declared already");
        fails("int x;", "1:1: a model has at least one thread");
    }

    #[test]
    fn constants_must_be_constant() {
        fails(
            "int x; int a[x]; thread t { }",
            "1:14: `x` is no constant, and a constant is needed here",
        );
        fails("int x = 1 / 0; thread t { }", "1:5: division by zero");
        fails("int a[2] = {1}; thread t { }", "1:5: `a` has 2 elements, not 1");
        fails(
            "int a[0]; thread t { }",
            "1:5: an array has at least 1 element, and all variables at most 1048576 together",
        );
        fails(
            "semaphore s = -1; thread t { }",
            "1:11: `s` must not begin with that value",
        );
        fails("thread t [1001] { }", "1:8: there are 1 to 1000 threads, not 1001");
    }

    #[test]
    fn an_atomic_block_is_one_step() {
        fails(
            "lock m; thread t { atomic { acquire m; } }",
            "1:29: an atomic block has assignments, assertions and `skip`, after at most one `await`",
        );
    }
}
