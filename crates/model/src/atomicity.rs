//! Which steps others can see, and who has which lock: what transactions rest on.

use crate::code::{Act, Cell, Expr, Model, OWNER_MASK, Op};
use crate::syntax::Kind;
use crate::system::State;
use kernel::{AccessKind, Location, MemoryAccess};

/// Facts about the text of a model, for each of its variables by the first word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Those that some step may write, in order.
    written: Vec<u32>,
    /// Those that some step waits for, in order.
    awaited: Vec<u32>,
    /// The control point of each thread before its first step.
    firsts: Vec<u32>,
}

fn add_reads(expr: &Expr, out: &mut Vec<u32>) {
    match expr {
        Expr::Number(_) | Expr::Parameter => {}
        Expr::Cell(cell) => {
            if !cell.local {
                out.push(cell.first);
            }
            if let Some(index) = &cell.index {
                add_reads(index, out);
            }
        }
        Expr::Minus(inner) | Expr::Not(inner) => add_reads(inner, out),
        Expr::Binary(_, left, right) => {
            add_reads(left, out);
            add_reads(right, out);
        }
    }
}

/// The variables that a step may write.
pub(crate) fn written(op: &Op) -> Vec<u32> {
    let cells: Vec<&Cell> = match op {
        Op::Do(_, acts) => acts
            .iter()
            .flat_map(|act| match act {
                Act::Set(sets) => sets.iter().map(|(cell, _)| cell).collect(),
                Act::Assert(_) => Vec::new(),
            })
            .collect(),
        Op::Choose(cell, ..) => vec![cell],
        _ => Vec::new(),
    };
    cells
        .into_iter()
        .filter(|cell| !cell.local)
        .map(|cell| cell.first)
        .collect()
}

impl Facts {
    /// The facts about a model.
    pub fn new(model: &Model) -> Facts {
        let mut facts = Facts::default();
        for step in &model.steps {
            facts.written.extend(written(&step.op));
            if let Op::Do(Some(guard), _) = &step.op {
                add_reads(guard, &mut facts.awaited);
            }
        }
        for list in [&mut facts.written, &mut facts.awaited] {
            list.sort_unstable();
            list.dedup();
        }
        let start = model.start();
        facts.firsts = (0..model.threads()).map(|thread| model.point(&start, thread)).collect();
        facts
    }
}

impl Model {
    fn variable_of(&self, location: Location) -> Option<&crate::code::Variable> {
        self.variable_at(location.object.checked_sub(1)?)
    }

    /// Whether the next step of a thread is its first, or may have to wait, or begins to, or may give another access.
    pub(crate) fn begins_step(&self, state: &State, thread: usize) -> bool {
        let Some(step) = self.step(state, thread) else {
            return true;
        };
        let waits = match &step.op {
            Op::Do(guard, _) => guard.is_some(),
            Op::Acquire(_) | Op::Wait(_) | Op::Waiting | Op::Reacquire | Op::Down(_) => true,
            _ => false,
        };
        waits || self.may_grant(&step.op) || self.facts.firsts[thread] == self.point(state, thread)
    }

    /// Whether a touch raises a semaphore: whoever lowers it just before could do so just after.
    pub(crate) fn raises(&self, state: &State, thread: usize, touch: MemoryAccess) -> bool {
        let raises = self
            .step(state, thread)
            .is_some_and(|step| matches!(step.op, Op::Up(_)));
        raises && touch.access == AccessKind::AtomicWrite
    }

    /// Whether threads wait for the value of a variable, or it is made for access by several at once.
    pub(crate) fn is_awaited(&self, location: Location) -> bool {
        let variable = self.variable_of(location);
        self.is_unprotected(location)
            || variable.is_none_or(|one| one.kind != Kind::Int || self.facts.awaited.binary_search(&one.first).is_ok())
    }

    /// The line of a step that waits for a variable.
    pub(crate) fn awaited_at(&self, first: u32) -> Option<u32> {
        let waits = |op: &Op| {
            let mut reads = Vec::new();
            if let Op::Do(Some(guard), _) = op {
                add_reads(guard, &mut reads);
            }
            reads.contains(&first)
        };
        self.steps.iter().find(|step| waits(&step.op)).map(|step| step.at.line)
    }

    /// Whether no step writes a variable.
    pub(crate) fn is_never_written(&self, location: Location) -> bool {
        self.variable_of(location).is_some_and(|one| {
            matches!(one.kind, Kind::Int | Kind::Volatile) && self.facts.written.binary_search(&one.first).is_err()
        })
    }

    /// Appends the locks that a thread has.
    pub(crate) fn add_locks(&self, state: &State, thread: usize, out: &mut Vec<Location>) {
        for variable in self.variables.iter().filter(|one| one.kind == Kind::Lock) {
            for word in variable.first..variable.first + variable.size {
                if state.words[word as usize] & OWNER_MASK == thread as u32 + 1 {
                    out.push(Location {
                        object: word + 1,
                        cell: Location::MONITOR,
                    });
                }
            }
        }
    }
}
