//! Rules by which variables are accessed, as a user writes them: who has exclusive access to what, and when.
//!
//! ```text
//! protected x[j]: owner(m[j]) == i or (y == 2 and i == j);
//! unprotected z;
//! unshared k;
//! ```
//!
//! In a rule, `i` is the number of the thread that has access, counted over all threads from 0, and the name in brackets is the number of
//! the element. There are numbers, variables and semaphores of the model, variables of thread `i` of its own (a thread without such a
//! variable has no access by that part), threads by their names (`t[1]`), `owner(m)`, which is -1 for a lock that is free, and `at(12,
//! 13)`, which is whether thread `i` stands on one of these lines. A variable without a rule is assumed to be protected by a lock.
//!
//! SOUNDNESS: a step that may change what some rule says is visible: otherwise two threads could have access at once and never be seen
//! to. It writes a variable of some rule, or raises or lowers a semaphore of one, or gives back a lock about which some rule says more
//! than who has it; or it changes what the rules say about the thread itself (`at`, own variables), which is tried out. Giving back the
//! only lock of a rule is the exception: whoever else has access then has it by something else, which he keeps until a step that can be
//! seen, and before that step the lock can be taken once more.

use crate::Error;
use crate::atomicity::written;
use crate::code::{Cell, Model, OWNER_MASK, Op, calculate};
use crate::lexer::{Cursor, Expressions, Token};
use crate::syntax::{At, Kind, Operator};
use crate::system::{Action, State, What};
use kernel::{Location, System, ThreadId};

/// All rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Discipline {
    rules: Vec<Rule>,
    /// Variables about which nothing is assumed, by their first words.
    unprotected: Vec<u32>,
    /// The first words of variables, semaphores and locks that some rule looks at.
    looked_at: Vec<u32>,
    /// The same of locks about which some rule says more than who has it.
    locks: Vec<u32>,
}

/// Who has exclusive access to the elements of a variable.
#[derive(Clone, Debug)]
struct Rule {
    first: u32,
    size: u32,
    when: When,
}

/// A condition over a state, a thread and an element.
#[derive(Clone, Debug)]
enum When {
    Number(i32),
    Thread,
    Element,
    Owner(u32, u32, Option<Box<When>>),
    Word(u32, u32, Option<Box<When>>),
    /// A variable of the thread's own, which some threads have.
    Own(String),
    At(Vec<u32>),
    Minus(Box<When>),
    Not(Box<When>),
    Binary(Operator, Box<When>, Box<When>),
}

/// For whom a condition is asked.
#[derive(Clone, Copy)]
struct Case<'s> {
    model: &'s Model,
    state: &'s State,
    thread: usize,
    element: u32,
}

impl When {
    /// Its value; `None` where it has none, as beyond the end of an array.
    fn value(&self, case: Case<'_>) -> Option<i32> {
        let word = |first: u32, size: u32, index: &Option<Box<When>>| {
            let index = match index {
                Some(index) => u32::try_from(index.value(case)?).ok()?,
                None => 0,
            };
            (index < size).then(|| case.state.words[(first + index) as usize])
        };
        Some(match self {
            When::Number(number) => *number,
            When::Thread => case.thread as i32,
            When::Element => case.element as i32,
            When::Owner(first, size, index) => (word(*first, *size, index)? & OWNER_MASK) as i32 - 1,
            When::Word(first, size, index) => word(*first, *size, index)? as i32,
            When::Own(name) => {
                let instance = &case.model.instances[case.thread];
                let locals = &case.model.templates[instance.template].locals;
                let local = locals.iter().find(|local| local.name == *name)?;
                case.state.words[(instance.first + local.first) as usize] as i32
            }
            When::At(lines) => {
                let step = case.model.step(case.state, case.thread);
                i32::from(step.is_some_and(|step| lines.contains(&step.at.line)))
            }
            When::Minus(inner) => inner.value(case)?.wrapping_neg(),
            When::Not(inner) => i32::from(inner.value(case)? == 0),
            When::Binary(Operator::And, left, right) => i32::from(left.value(case)? != 0 && right.value(case)? != 0),
            // A part without a value is as good as one that does not hold.
            When::Binary(Operator::Or, left, right) => {
                let holds = |part: &When| part.value(case).is_some_and(|value| value != 0);
                i32::from(holds(left) || holds(right))
            }
            When::Binary(operator, left, right) => calculate(*operator, left.value(case)?, right.value(case)?).ok()?,
        })
    }

    /// How many times it asks for a lock.
    fn locks(&self) -> usize {
        match self {
            When::Number(_) | When::Thread | When::Element | When::Own(_) | When::At(_) => 0,
            When::Owner(_, _, index) => 1 + index.as_ref().map_or(0, |index| index.locks()),
            When::Word(_, _, index) => index.as_ref().map_or(0, |index| index.locks()),
            When::Minus(inner) | When::Not(inner) => inner.locks(),
            When::Binary(_, left, right) => left.locks() + right.locks(),
        }
    }

    /// Adds what it looks at, and locks about which it says more than who has them. `plain`: it is neither compared nor turned round.
    fn look(&self, plain: bool, out: &mut Discipline) {
        match self {
            When::Number(_) | When::Thread | When::Element | When::Own(_) | When::At(_) => {}
            When::Owner(first, _, index) => {
                out.looked_at.push(*first);
                out.locks.push(*first);
                index.iter().for_each(|index| index.look(false, out));
            }
            When::Word(first, _, index) => {
                out.looked_at.push(*first);
                index.iter().for_each(|index| index.look(false, out));
            }
            When::Minus(inner) | When::Not(inner) => inner.look(false, out),
            When::Binary(Operator::Equal, left, right)
                if plain && matches!(**left, When::Owner(..)) && matches!(**right, When::Thread) =>
            {
                if let When::Owner(first, _, index) = &**left {
                    out.looked_at.push(*first);
                    index.iter().for_each(|index| index.look(false, out));
                }
            }
            When::Binary(operator, left, right) => {
                let plain = plain && matches!(operator, Operator::And | Operator::Or);
                left.look(plain, out);
                right.look(plain, out);
            }
        }
    }
}

impl Model {
    /// Has variables accessed by the rules of a text, which are checked when the model is explored with transactions.
    pub fn set_discipline(&mut self, text: &str) -> Result<(), Error> {
        let mut reader = Reader {
            model: self,
            cursor: Cursor::new(text)?,
            element: None,
        };
        let mut made = Discipline::default();
        while *reader.cursor.peek() != Token::End {
            reader.rule(&mut made)?;
        }
        for rule in made.rules.clone() {
            rule.when.look(true, &mut made);
        }
        self.discipline = Some(made);
        Ok(())
    }

    fn rule_of(&self, location: Location) -> Option<&Rule> {
        let rules = &self.discipline.as_ref()?.rules;
        rules.iter().find(|rule| rule.first + 1 == location.object)
    }

    fn grants(&self, state: &State, rule: &Rule, thread: usize, element: u32) -> bool {
        let case = Case {
            model: self,
            state,
            thread,
            element,
        };
        rule.when.value(case).is_some_and(|value| value != 0)
    }

    /// Whether a thread has access to a location; `None` without a rule.
    pub(crate) fn access(&self, state: &State, thread: usize, location: Location) -> Option<bool> {
        let rule = self.rule_of(location)?;
        Some(self.grants(state, rule, thread, location.cell))
    }

    /// Whether nothing is assumed about a location by the user's word.
    pub(crate) fn is_unprotected(&self, location: Location) -> bool {
        let open = self.discipline.as_ref().map(|discipline| &discipline.unprotected);
        open.is_some_and(|open| open.iter().any(|first| first + 1 == location.object))
    }

    /// All that threads have access to by rules.
    fn granted(&self, state: &State) -> Vec<(Location, usize)> {
        let mut granted = Vec::new();
        for rule in self.discipline.iter().flat_map(|discipline| &discipline.rules) {
            for element in 0..rule.size {
                let location = Location {
                    object: rule.first + 1,
                    cell: element,
                };
                let has = |thread: &usize| self.grants(state, rule, *thread, element);
                granted.extend((0..self.threads()).filter(has).map(|thread| (location, thread)));
            }
        }
        granted
    }

    /// Adds the locations to which two threads have access.
    pub(crate) fn add_disputed(&self, state: &State, out: &mut Vec<(Location, ThreadId, ThreadId)>) {
        let granted = self.granted(state);
        let pairs = granted.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        out.extend(pairs.map(|pair| (pair[0].0, ThreadId(pair[0].1 as u32), ThreadId(pair[1].1 as u32))));
    }

    /// Adds the locations to which another thread loses its access by an action.
    pub(crate) fn add_expelled(&self, state: &mut State, action: Action, out: &mut Vec<(Location, ThreadId)>) {
        if self.discipline.is_none() {
            return;
        }
        let before = self.granted(state);
        let Ok(undo) = self.apply(state, action) else { return };
        let after = self.granted(state);
        self.undo(state, undo);
        let lost = |one: &&(Location, usize)| one.1 != action.thread as usize && !after.contains(one);
        let lost = before.iter().filter(lost);
        out.extend(lost.map(|one| (one.0, ThreadId(one.1 as u32))));
    }

    /// Whether the next step of a thread changes what the thread itself has access to.
    pub(crate) fn changes_own_access(&self, state: &mut State, thread: usize) -> bool {
        let (Some(discipline), Some(step)) = (&self.discipline, self.step(state, thread)) else {
            return false;
        };
        if matches!(step.op, Op::Release(_)) && discipline.rules.iter().all(|rule| rule.when.locks() <= 1) {
            return false;
        }
        if matches!(step.op, Op::Choose(..)) {
            return true;
        }
        let own = |state: &State| -> Vec<Location> {
            let own = self.granted(state).into_iter().filter(|&(_, who)| who == thread);
            own.map(|(location, _)| location).collect()
        };
        let before = own(state);
        let action = Action {
            thread: thread as u32,
            what: What::Go,
        };
        let Ok(undo) = self.apply(state, action) else {
            return true;
        };
        let after = own(state);
        self.undo(state, undo);
        before != after
    }

    /// Whether a step may make a rule of another thread true.
    pub(crate) fn may_grant(&self, op: &Op) -> bool {
        let Some(discipline) = &self.discipline else {
            return false;
        };
        let in_rules = |cell: &Cell| discipline.looked_at.contains(&cell.first);
        match op {
            Op::Up(cell) | Op::Down(cell) => in_rules(cell),
            Op::Release(lock) => discipline.locks.contains(&lock.first),
            _ => written(op).iter().any(|first| discipline.looked_at.contains(first)),
        }
    }
}

/// Reads rules.
struct Reader<'t> {
    model: &'t Model,
    cursor: Cursor,
    /// What the element is called in the rule at hand.
    element: Option<String>,
}

impl Reader<'_> {
    fn name(&mut self) -> Result<String, Error> {
        match self.cursor.peek() {
            Token::Name(name) => {
                let name = name.clone();
                self.cursor.advance();
                Ok(name)
            }
            other => self.cursor.wrong(format!("expected a name instead of {other}")),
        }
    }

    /// The variable of a name that stands next, of one of these kinds.
    fn variable(&mut self, kinds: &[Kind]) -> Result<(u32, u32, bool), Error> {
        let at = self.cursor.place();
        let name = self.name()?;
        let fits = |kind: Kind| kinds.contains(&kind);
        let known = self.model.variables.iter().filter(|one| fits(one.kind));
        match known.clone().find(|one| one.name == name) {
            Some(one) => Ok((one.first, one.size, one.array)),
            None => {
                let what = if kinds == [Kind::Lock] { "lock" } else { "variable" };
                let known: Vec<&str> = known.map(|one| &*one.name).collect();
                let known = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                Err(Error::new(
                    at,
                    format!("the model has no {what} `{name}`; it has {known}"),
                ))
            }
        }
    }

    fn rule(&mut self, out: &mut Discipline) -> Result<(), Error> {
        const DATA: &[Kind] = &[Kind::Int, Kind::Volatile];
        let at = self.cursor.place();
        if self.cursor.take("unprotected") {
            let (first, ..) = self.variable(DATA)?;
            out.unprotected.push(first);
        } else if self.cursor.take("unshared") {
            let (first, size, _) = self.variable(DATA)?;
            let when = self.only_user(first, at)?;
            out.rules.push(Rule { first, size, when });
        } else if self.cursor.take("protected") {
            let (first, size, array) = self.variable(DATA)?;
            if array {
                self.cursor.expect("[")?;
                self.element = Some(self.name()?);
                self.cursor.expect("]")?;
            }
            if self.cursor.take(":") || self.cursor.take("by") {
                self.refuse_guards(first, at)?;
                let when = self.expression()?;
                out.rules.push(Rule { first, size, when });
            }
            self.element = None;
        } else {
            return self.cursor.wrong(format!(
                "expected `protected`, `unprotected` or `unshared` instead of {}",
                self.cursor.peek()
            ));
        }
        self.cursor.expect(";")
    }

    /// The rule of a variable that only one thread uses.
    fn only_user(&self, first: u32, at: At) -> Result<When, Error> {
        let users: Vec<usize> = (0..self.model.threads())
            .filter(|&thread| self.model.uses(thread, first))
            .collect();
        match users[..] {
            [] => Ok(When::Number(0)),
            [only] => {
                let number = When::Number(only as i32);
                Ok(When::Binary(Operator::Equal, Box::new(When::Thread), Box::new(number)))
            }
            [one, two, ..] => Err(Error::new(
                at,
                format!(
                    "an unshared variable is used by one thread, and this one by {} and {}",
                    self.model.thread_name(one),
                    self.model.thread_name(two)
                ),
            )),
        }
    }

    /// Protected variables do not appear in guards.
    fn refuse_guards(&self, first: u32, at: At) -> Result<(), Error> {
        match self.model.awaited_at(first) {
            Some(line) => Err(Error::new(
                at,
                format!("threads wait for this variable at line {line} of the model, so it cannot be protected"),
            )),
            None => Ok(()),
        }
    }

    fn index(&mut self, array: bool) -> Result<Option<Box<When>>, Error> {
        if !array {
            return Ok(None);
        }
        self.cursor.expect("[")?;
        let index = self.sum()?;
        self.cursor.expect("]")?;
        Ok(Some(Box::new(index)))
    }

    /// A variable of the thread's own, unless it is an array.
    fn own(&mut self) -> Option<When> {
        let Token::Name(name) = self.cursor.peek() else {
            return None;
        };
        let mut locals = self.model.templates.iter().flat_map(|template| &template.locals);
        let found = locals.any(|local| local.name == *name && !local.array);
        let own = found.then(|| When::Own(name.clone()))?;
        self.cursor.advance();
        Some(own)
    }

    /// A thread by its name.
    fn thread(&mut self) -> Option<When> {
        let Token::Name(name) = self.cursor.peek() else {
            return None;
        };
        let find = |name: &str| (0..self.model.threads()).find(|&thread| self.model.thread_name(thread) == name);
        let (length, number) = match [1, 2, 3].map(|by| self.cursor.ahead(by)) {
            [Token::Sign("["), Token::Number(number), Token::Sign("]")] => (4, find(&format!("{name}[{number}]"))?),
            _ => (1, find(name)?),
        };
        (0..length).for_each(|_| self.cursor.advance());
        Some(When::Number(number as i32))
    }
}

impl Expressions for Reader<'_> {
    type Term = When;

    const NOT: fn(Box<When>) -> When = When::Not;
    const MINUS: fn(Box<When>) -> When = When::Minus;

    fn cursor(&mut self) -> &mut Cursor {
        &mut self.cursor
    }

    fn joined(&self, operator: Operator, left: When, right: When) -> When {
        When::Binary(operator, Box::new(left), Box::new(right))
    }

    fn single(&mut self) -> Result<When, Error> {
        if let Token::Number(number) = *self.cursor.peek() {
            self.cursor.advance();
            return Ok(When::Number(number as i32));
        }
        if self.cursor.take("owner") {
            self.cursor.expect("(")?;
            let (first, size, array) = self.variable(&[Kind::Lock])?;
            let index = self.index(array)?;
            self.cursor.expect(")")?;
            return Ok(When::Owner(first, size, index));
        }
        if self.cursor.take("at") {
            let steps = &self.model.steps;
            let lines = self
                .cursor
                .lines(|line| steps.iter().any(|step| step.at.line == line))?;
            return Ok(When::At(lines));
        }
        if self.cursor.take("i") {
            return Ok(When::Thread);
        }
        if matches!((self.cursor.peek(), &self.element), (Token::Name(name), Some(element)) if name == element) {
            self.cursor.advance();
            return Ok(When::Element);
        }
        if let Some(thread) = self.thread() {
            return Ok(thread);
        }
        if let Some(own) = self.own() {
            return Ok(own);
        }
        let (first, size, array) = self.variable(&[Kind::Int, Kind::Volatile, Kind::Semaphore])?;
        Ok(When::Word(first, size, self.index(array)?))
    }
}
