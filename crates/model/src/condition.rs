//! Conditions over a state, in the rules of a [`crate::discipline`] and in propositions.

use crate::Error;
use crate::code::{Model, OWNER_MASK, calculate};
use crate::lexer::{Cursor, Expressions, Token};
use crate::syntax::{Kind, Operator};
use crate::system::State;

/// A condition over a state, a thread and an element.
#[derive(Clone, Debug)]
pub(crate) enum When {
    Number(i32),
    Thread,
    Element,
    Owner(u32, u32, Option<Box<When>>),
    Word(u32, u32, Option<Box<When>>),
    /// A variable of the thread's own, which some threads have.
    Own(String),
    At(Vec<u32>),
    /// Whether the thread has ended or failed.
    Done,
    /// The same for this thread.
    Of(usize, Box<When>),
    Minus(Box<When>),
    Not(Box<When>),
    Binary(Operator, Box<When>, Box<When>),
}

/// For whom a condition is asked.
#[derive(Clone, Copy)]
pub(crate) struct Case<'s> {
    pub model: &'s Model,
    pub state: &'s State,
    pub thread: usize,
    pub element: u32,
}

impl When {
    /// Its value; `None` where it has none, as beyond the end of an array.
    pub fn value(&self, case: Case<'_>) -> Option<i32> {
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
            When::Done => i32::from(case.model.step(case.state, case.thread).is_none()),
            When::Of(thread, inner) => inner.value(Case {
                thread: *thread,
                ..case
            })?,
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
}

/// Reads conditions.
pub(crate) struct Reader<'t> {
    pub model: &'t Model,
    pub cursor: Cursor,
    /// What the element is called in the rule at hand.
    pub element: Option<String>,
    /// Whether the condition is about no thread in particular, so that it says whose variables and lines it means.
    pub names_threads: bool,
}

impl<'t> Reader<'t> {
    /// Before the first word of a text.
    pub fn new(model: &'t Model, text: &str) -> Result<Reader<'t>, Error> {
        Ok(Reader {
            model,
            cursor: Cursor::new(text)?,
            element: None,
            names_threads: false,
        })
    }

    pub fn name(&mut self) -> Result<String, Error> {
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
    pub fn variable(&mut self, kinds: &[Kind]) -> Result<(u32, u32, bool), Error> {
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
    fn thread(&mut self) -> Option<usize> {
        let Token::Name(name) = self.cursor.peek() else {
            return None;
        };
        let find = |name: &str| (0..self.model.threads()).find(|&thread| self.model.thread_name(thread) == name);
        let (length, number) = match [1, 2, 3].map(|by| self.cursor.ahead(by)) {
            [Token::Sign("["), Token::Number(number), Token::Sign("]")] => (4, find(&format!("{name}[{number}]"))?),
            _ => (1, find(name)?),
        };
        (0..length).for_each(|_| self.cursor.advance());
        Some(number)
    }

    /// Whether the name that stands next is that of a variable; a thread may have the same.
    fn is_variable(&self) -> bool {
        matches!(self.cursor.peek(), Token::Name(name) if self.model.variables.iter().any(|one| one.name == *name))
    }

    /// Whether a thread stands on one of these lines.
    fn lines(&mut self) -> Result<When, Error> {
        let steps = &self.model.steps;
        let known = |line: u32| steps.iter().any(|step| step.at.line == line);
        Ok(When::At(self.cursor.lines(known)?))
    }

    /// What comes after the name of a thread: `.at(12)` or `.x`, a variable of its own; otherwise its number is meant.
    fn of(&mut self, thread: usize) -> Result<When, Error> {
        if !self.names_threads || !self.cursor.take(".") {
            return Ok(When::Number(thread as i32));
        }
        if self.cursor.take("at") {
            return Ok(When::Of(thread, Box::new(self.lines()?)));
        }
        let at = self.cursor.place();
        let name = self.name()?;
        let mut locals = self.model.templates[self.model.instances[thread].template]
            .locals
            .iter();
        if locals.any(|local| local.name == name && !local.array) {
            return Ok(When::Of(thread, Box::new(When::Own(name))));
        }
        let thread = self.model.thread_name(thread);
        Err(Error::new(
            at,
            format!("`{thread}` has no variable `{name}` that is no array"),
        ))
    }

    /// `done(t[1])`.
    fn done(&mut self) -> Result<When, Error> {
        self.cursor.expect("(")?;
        let Some(thread) = self.thread() else {
            return self.cursor.wrong(format!(
                "expected the name of a thread instead of {}",
                self.cursor.peek()
            ));
        };
        self.cursor.expect(")")?;
        Ok(When::Of(thread, Box::new(When::Done)))
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
        if self.names_threads && self.cursor.take("done") {
            return self.done();
        }
        if !self.names_threads && self.cursor.take("at") {
            return self.lines();
        }
        if !self.names_threads && self.cursor.take("i") {
            return Ok(When::Thread);
        }
        if matches!((self.cursor.peek(), &self.element), (Token::Name(name), Some(element)) if name == element) {
            self.cursor.advance();
            return Ok(When::Element);
        }
        if !(self.names_threads && self.is_variable())
            && let Some(thread) = self.thread()
        {
            return self.of(thread);
        }
        if !self.names_threads
            && let Some(own) = self.own()
        {
            return Ok(own);
        }
        let (first, size, array) = self.variable(&[Kind::Int, Kind::Volatile, Kind::Semaphore])?;
        Ok(When::Word(first, size, self.index(array)?))
    }
}
