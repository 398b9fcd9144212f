//! From statements to steps between control points.
//!
//! Every statement makes one step, or several where it says so (`wait` has three, a `lock` block two); blocks make none of
//! their own. A step knows where it leads, so there are no jumps.

use crate::Error;
use crate::atomicity::Facts;
use crate::check::{MOST_WORDS, Scope};
use crate::code::{Act, Cell, Expr, Instance, Model, Op, STEP_BITS, Step, THREAD_WORDS, Template};
use crate::syntax::{Assignment, At, Command, Kind, Place, Program, Statement, Thread};

/// How many threads there may be: an owner has its bits in a lock's word.
const MOST_THREADS: usize = 1000;

/// Makes a program ready to run.
pub(crate) fn compile(program: &Program, every: bool) -> Result<Model, Error> {
    let scope = Scope::new(program)?;
    let mut model = Model {
        every,
        spurious: false,
        allowed: Vec::new(),
        variables: scope.globals.clone(),
        templates: Vec::new(),
        instances: Vec::new(),
        steps: Vec::new(),
        initial: scope.words.clone(),
        observations: Vec::new(),
        facts: Facts::default(),
        discipline: None,
    };
    for (position, thread) in program.threads.iter().enumerate() {
        if program.threads[..position].iter().any(|one| one.name == thread.name) {
            return Err(Error::new(thread.at, format!("`{}` is declared already", thread.name)));
        }
        let inner = scope.within(thread)?;
        template(&mut model, &inner, thread)?;
        instances(&mut model, &inner, thread)?;
    }
    if model.instances.is_empty() {
        return Err(Error::new(At { line: 1, column: 1 }, "a model has at least one thread"));
    }
    model.facts = Facts::new(&model);
    Ok(model)
}

/// Adds the threads of a declaration, with their words.
fn instances(model: &mut Model, scope: &Scope, thread: &Thread) -> Result<(), Error> {
    let count = match &thread.count {
        Some(count) => scope.constant(count, None, thread.at)?,
        None => 1,
    };
    let left = MOST_THREADS - model.instances.len();
    if count < 1 || count as usize > left {
        let message = format!("there are 1 to {MOST_THREADS} threads, not {count}");
        return Err(Error::new(thread.at, message));
    }
    let template = model.templates.len() - 1;
    for number in 0..count {
        let first = model.initial.len() as u32;
        model.initial.push(model.templates[template].entry);
        model.initial.extend([0; THREAD_WORDS as usize - 1]);
        for (local, declared) in thread.locals.iter().zip(&scope.locals) {
            model.initial.extend(scope.values(local, declared.size, Some(number))?);
        }
        if model.initial.len() > 2 * MOST_WORDS as usize {
            return Err(Error::new(
                thread.at,
                "the variables of these threads take too much room",
            ));
        }
        model.instances.push(Instance {
            name: match &thread.count {
                Some(_) => format!("{}[{number}]", thread.name),
                None => thread.name.clone(),
            },
            template,
            parameter: number,
            first,
        });
    }
    Ok(())
}

/// Adds the steps of a thread.
fn template(model: &mut Model, scope: &Scope, thread: &Thread) -> Result<(), Error> {
    let first = model.steps.len();
    let mut compiler = Compiler {
        model,
        scope,
        labels: Vec::new(),
    };
    let (entry, end) = (compiler.label(), compiler.label());
    compiler.block(&thread.body, entry, end)?;
    compiler.place(end, thread.at, Op::End, end)?;
    let labels = std::mem::take(&mut compiler.labels);
    for step in &mut model.steps[first..] {
        step.next = resolve(&labels, step.next);
        match &mut step.op {
            Op::Branch(_, otherwise) => *otherwise = resolve(&labels, *otherwise),
            Op::Either(targets) => targets.iter_mut().for_each(|to| *to = resolve(&labels, *to)),
            _ => {}
        }
        step.silent = match &step.op {
            Op::Do(None, acts) => acts.iter().all(is_local),
            Op::Branch(condition, _) => condition.is_local(),
            _ => false,
        };
    }
    model.templates.push(Template {
        entry: resolve(&labels, entry),
        end: resolve(&labels, end),
        locals: scope.locals.clone(),
    });
    Ok(())
}

fn is_local(act: &Act) -> bool {
    match act {
        Act::Set(sets) => sets.iter().all(|(cell, value)| cell.is_local() && value.is_local()),
        Act::Assert(condition) => condition.is_local(),
    }
}

/// What a label stands for.
#[derive(Clone, Copy)]
enum Target {
    Nothing,
    Step(u32),
    /// The same as another label: an empty block begins where it ends.
    Label(u32),
}

fn resolve(labels: &[Target], mut label: u32) -> u32 {
    // Every loop has a step, so a chain of labels has an end.
    for _ in 0..=labels.len() {
        match labels[label as usize] {
            Target::Step(step) => return step,
            Target::Label(other) => label = other,
            Target::Nothing => break,
        }
    }
    unreachable!("a label without a step")
}

struct Compiler<'a> {
    model: &'a mut Model,
    scope: &'a Scope,
    labels: Vec<Target>,
}

impl Compiler<'_> {
    fn label(&mut self) -> u32 {
        self.labels.push(Target::Nothing);
        self.labels.len() as u32 - 1
    }

    /// Adds a step at a label.
    fn place(&mut self, label: u32, at: At, op: Op, next: u32) -> Result<(), Error> {
        let number = self.model.steps.len() as u32;
        if number >> STEP_BITS != 0 {
            return Err(Error::new(at, "the model has too many statements"));
        }
        self.labels[label as usize] = Target::Step(number);
        self.model.steps.push(Step {
            at,
            silent: false,
            next,
            op,
        });
        Ok(())
    }

    /// Statements that begin at a label and lead to another.
    fn block(&mut self, statements: &[Statement], here: u32, next: u32) -> Result<(), Error> {
        let Some((last, before)) = statements.split_last() else {
            self.labels[here as usize] = Target::Label(next);
            return Ok(());
        };
        let mut at = here;
        for statement in before {
            let then = self.label();
            self.statement(statement, at, then)?;
            at = then;
        }
        self.statement(last, at, next)
    }

    fn statement(&mut self, statement: &Statement, here: u32, next: u32) -> Result<(), Error> {
        let at = statement.at;
        let op = match &statement.command {
            Command::Assign(sets) => Op::Do(None, vec![self.set(sets)?]),
            Command::When(guard, sets) => Op::Do(Some(self.scope.expression(guard)?), vec![self.set(sets)?]),
            Command::Await(guard) => Op::Do(Some(self.scope.expression(guard)?), Vec::new()),
            Command::Assert(condition) => Op::Do(None, vec![Act::Assert(self.scope.expression(condition)?)]),
            Command::Atomic(body) => self.atomic(body)?,
            Command::Skip => Op::Do(None, Vec::new()),
            Command::Stop => {
                // The second label of a thread is its end.
                return self.place(here, at, Op::Do(None, Vec::new()), 1);
            }
            Command::Observe(values) => self.observe(values, at)?,
            Command::Acquire(lock) => Op::Acquire(self.lock(lock)?),
            Command::Release(lock) => Op::Release(self.lock(lock)?),
            Command::Notify(lock) => Op::Notify(self.lock(lock)?),
            Command::NotifyAll(lock) => Op::NotifyAll(self.lock(lock)?),
            Command::Up(semaphore) => Op::Up(self.scope.cell(semaphore, &[Kind::Semaphore])?),
            Command::Down(semaphore) => Op::Down(self.scope.cell(semaphore, &[Kind::Semaphore])?),
            Command::Choose(place, low, high) => Op::Choose(
                self.scope.cell(place, &[Kind::Int, Kind::Volatile])?,
                self.scope.expression(low)?,
                self.scope.expression(high)?,
            ),
            Command::Wait(lock) => {
                let (waiting, back) = (self.label(), self.label());
                let lock = self.lock(lock)?;
                // These three follow each other: being notified adds one to the control point.
                self.place(here, at, Op::Wait(lock), waiting)?;
                self.place(waiting, at, Op::Waiting, back)?;
                return self.place(back, at, Op::Reacquire, next);
            }
            Command::Locked(lock, body, closes) => {
                let (inside, end) = (self.label(), self.label());
                let cell = self.lock(lock)?;
                self.place(here, at, Op::Acquire(cell.clone()), inside)?;
                self.block(body, inside, end)?;
                return self.place(end, *closes, Op::Release(cell), next);
            }
            Command::If(condition, yes, no) => {
                let (then, otherwise) = (self.label(), self.label());
                let condition = self.scope.expression(condition)?;
                self.place(here, at, Op::Branch(condition, otherwise), then)?;
                self.block(yes, then, next)?;
                return self.block(no, otherwise, next);
            }
            Command::While(condition, body) => {
                let inside = self.label();
                let condition = self.scope.expression(condition)?;
                self.place(here, at, Op::Branch(condition, next), inside)?;
                return self.block(body, inside, here);
            }
            Command::Loop(body) if body.is_empty() => {
                return self.place(here, at, Op::Do(None, Vec::new()), here);
            }
            Command::Loop(body) => return self.block(body, here, here),
            Command::Either(blocks) => {
                let targets: Vec<u32> = blocks.iter().map(|_| self.label()).collect();
                self.place(here, at, Op::Either(targets.clone()), next)?;
                for (body, target) in blocks.iter().zip(targets) {
                    self.block(body, target, next)?;
                }
                return Ok(());
            }
        };
        self.place(here, at, op, next)
    }

    fn lock(&self, place: &Place) -> Result<Cell, Error> {
        self.scope.cell(place, &[Kind::Lock])
    }

    fn set(&self, sets: &[Assignment]) -> Result<Act, Error> {
        let set = |one: &Assignment| {
            let cell = self.scope.cell(&one.place, &[Kind::Int, Kind::Volatile])?;
            Ok((cell, self.scope.expression(&one.value)?))
        };
        Ok(Act::Set(sets.iter().map(set).collect::<Result<_, Error>>()?))
    }

    fn observe(&mut self, values: &[crate::syntax::Expr], at: At) -> Result<Op, Error> {
        let mut observed: Vec<(u32, Expr)> = Vec::new();
        for value in values {
            observed.push((self.model.observations.len() as u32, self.scope.expression(value)?));
            self.model.observations.push((value.to_string(), at));
        }
        Ok(Op::Observe(observed))
    }

    fn atomic(&self, body: &[Statement]) -> Result<Op, Error> {
        let (mut guard, mut acts) = (None, Vec::new());
        for (position, statement) in body.iter().enumerate() {
            match &statement.command {
                Command::Await(condition) if position == 0 => guard = Some(self.scope.expression(condition)?),
                Command::Assign(sets) => acts.push(self.set(sets)?),
                Command::Assert(condition) => acts.push(Act::Assert(self.scope.expression(condition)?)),
                Command::Skip => {}
                _ => {
                    let message = "an atomic block has assignments, assertions and `skip`, after at most one `await`";
                    return Err(Error::new(statement.at, message));
                }
            }
        }
        Ok(Op::Do(guard, acts))
    }
}
