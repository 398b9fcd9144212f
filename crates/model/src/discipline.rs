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
use crate::code::{Cell, Model, Op};
use crate::condition::{Case, Reader, When};
use crate::lexer::{Expressions, Token};
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

impl When {
    /// How many times it asks for a lock.
    fn locks(&self) -> usize {
        match self {
            When::Number(_) | When::Thread | When::Element | When::Own(_) | When::At(_) | When::Done => 0,
            When::Owner(_, _, index) => 1 + index.as_ref().map_or(0, |index| index.locks()),
            When::Word(_, _, index) => index.as_ref().map_or(0, |index| index.locks()),
            When::Of(_, inner) | When::Minus(inner) | When::Not(inner) => inner.locks(),
            When::Binary(_, left, right) => left.locks() + right.locks(),
        }
    }

    /// Adds what it looks at, and locks about which it says more than who has them. `plain`: it is neither compared nor turned round.
    fn look(&self, plain: bool, out: &mut Discipline) {
        match self {
            When::Number(_) | When::Thread | When::Element | When::Own(_) | When::At(_) | When::Done => {}
            When::Owner(first, _, index) => {
                out.looked_at.push(*first);
                out.locks.push(*first);
                index.iter().for_each(|index| index.look(false, out));
            }
            When::Word(first, _, index) => {
                out.looked_at.push(*first);
                index.iter().for_each(|index| index.look(false, out));
            }
            When::Of(_, inner) | When::Minus(inner) | When::Not(inner) => inner.look(false, out),
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
        let mut reader = Reader::new(self, text)?;
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

impl Reader<'_> {
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
}
