//! Rules for Java programs, as a user writes them in a file: who has exclusive access to which fields, and when.
//!
//! ```text
//! protected Blocks.Block.*: this.file == null and locked(Blocks.FreeList) or owner(this.file) == thread;
//! unprotected Counter.hits;
//! ```
//!
//! `docs/reductions.md` has the language. SOUNDNESS: what a rule looks at is collected here for
//! [`machine::discipline::Discipline`], by the names of fields, whatever object they belong to.

use crate::Failure;
use crate::assumptions::class_named;
use machine::discipline::{Discipline, Fields, Looks, Operator, When};
use model::{Cursor, Error, Expressions, Token};
use program::classfile::flags;
use program::input::{self, TEXT_LIMIT, quoted_path};
use program::world::{ClassId, LoaderId, Program};
use std::path::Path;

/// Reads the rules of a file.
pub fn read(program: &Program, file: &Path) -> Result<Discipline, Failure> {
    let name = quoted_path(file).to_string();
    let text =
        input::read_text(file, TEXT_LIMIT).map_err(|error| Failure::input(format!("cannot read {name}: {error}")))?;
    parse(program, &text).map_err(|error| Failure::input(error.show(&name, &text)))
}

/// Reads rules.
pub fn parse(program: &Program, text: &str) -> Result<Discipline, Error> {
    let mut reader = Reader {
        program,
        cursor: Cursor::new(text)?,
        main: None,
    };
    let mut made = Discipline::default();
    while *reader.cursor.peek() != Token::End {
        reader.rule(&mut made)?;
    }
    let rules = std::mem::take(&mut made.rules);
    rules.iter().for_each(|(_, when)| look(when, true, &mut made.looks));
    made.rules = rules;
    Ok(made)
}

/// Reads a condition over states, which is about no thread and no object of its own. `main` is the main thread.
pub fn condition(program: &Program, main: When, text: &str) -> Result<When, Error> {
    let mut reader = Reader {
        program,
        cursor: Cursor::new(text)?,
        main: Some(main),
    };
    let when = reader.expression()?;
    match reader.cursor.peek() {
        Token::End => Ok(when),
        other => reader.cursor.wrong(format!("expected an operator instead of {other}")),
    }
}

/// Adds what a condition looks at. `plain`: it is neither compared nor turned round.
fn look(when: &When, plain: bool, out: &mut Looks) {
    match when {
        When::Number(_) | When::Null | When::This | When::Thread | When::Main | When::Locked(_) | When::At(_) => {}
        // No rule speaks of these.
        When::Object(_) | When::Done(_) => {}
        When::Static(_, name) => out.fields.push(name.clone()),
        When::Field(of, name) => {
            out.fields.push(name.clone());
            look(of, false, out);
        }
        When::Element(of, index) => {
            out.elements = true;
            look(of, false, out);
            look(index, false, out);
        }
        When::Owner(of) => {
            out.owners = true;
            look(of, false, out);
        }
        // These are volatile, and written by steps that all can see.
        When::Permits(of) => look(of, false, out),
        When::Has(inner) | When::Not(inner) | When::Minus(inner) => look(inner, false, out),
        When::Binary(Operator::Equal, left, right)
            if plain && matches!((&**left, &**right), (When::Owner(_), When::Thread)) =>
        {
            if let When::Owner(of) = &**left {
                look(of, false, out);
            }
        }
        When::Binary(operator, left, right) => {
            let plain = plain && matches!(operator, Operator::And | Operator::Or);
            look(left, plain, out);
            look(right, plain, out);
        }
    }
}

/// Whether a statement of the program's own begins at a line of some file.
fn has_line(program: &Program, line: u32) -> bool {
    let files = program
        .classes()
        .filter(|class| class.loader >= LoaderId::APP)
        .filter_map(|class| class.file.clone());
    files.into_iter().any(|file| {
        let codes = file.methods.iter().filter_map(|method| method.code.as_ref());
        codes.flat_map(|code| &code.lines).any(|&(_, at)| u32::from(at) == line)
    })
}

struct Reader<'p> {
    program: &'p Program,
    cursor: Cursor,
    /// The main thread where a formula is read; a rule is about a thread and an object of its own.
    main: Option<When>,
}

impl Reader<'_> {
    fn rule(&mut self, out: &mut Discipline) -> Result<(), Error> {
        if self.cursor.take("unprotected") {
            let fields = self.fields()?;
            out.unprotected.extend(fields);
        } else if self.cursor.take("unshared") {
            // Whether it has one user is found out by itself.
            self.fields()?;
        } else if self.cursor.take("protected") {
            let fields = self.fields()?;
            if self.cursor.take(":") || self.cursor.take("by") {
                let when = self.expression()?;
                out.rules.extend(fields.into_iter().map(|one| (one, when.clone())));
            }
        } else {
            return self.cursor.wrong(format!(
                "expected `protected`, `unprotected` or `unshared` instead of {}",
                self.cursor.peek()
            ));
        }
        self.cursor.expect(";")
    }

    /// A name; words of the language may be names in a program.
    fn name(&mut self) -> Result<String, Error> {
        let name = match self.cursor.peek() {
            Token::Name(name) => name.clone(),
            Token::Sign(word) if word.starts_with(|letter: char| letter.is_ascii_alphabetic()) => (*word).to_owned(),
            other => return self.cursor.wrong(format!("expected a name instead of {other}")),
        };
        self.cursor.advance();
        Ok(name)
    }

    /// Names with dots between them.
    fn dotted(&mut self) -> Result<Vec<String>, Error> {
        let mut names = vec![self.name()?];
        while matches!(self.cursor.peek(), Token::Sign(".")) && !matches!(self.cursor.ahead(1), Token::Sign("*")) {
            self.cursor.advance();
            names.push(self.name()?);
        }
        Ok(names)
    }

    /// `Class.field`, `Class.*` or `Class[]`.
    fn fields(&mut self) -> Result<Vec<Fields>, Error> {
        let at = self.cursor.place();
        let mut names = self.dotted()?;
        let wrong = |message: String| Error::new(at, message);
        if self.cursor.take("[") {
            self.cursor.expect("]")?;
            let class = self.array(&names.join(".")).map_err(wrong)?;
            return Ok(vec![Fields { class, cell: None }]);
        }
        let all = self.cursor.take(".");
        if all {
            self.cursor.expect("*")?;
        }
        let field = if all { None } else { names.pop() };
        if names.is_empty() {
            return Err(wrong("expected `Class.field`, `Class.*` or `Class[]`".to_owned()));
        }
        let class = class_named(self.program, &names.join(".")).map_err(wrong)?;
        let class = self.program.class(class);
        let is_wanted = |name: &str, is_static: bool| match &field {
            Some(field) => field == name,
            None => !is_static,
        };
        let found: Vec<Fields> = class
            .fields
            .iter()
            .filter(|one| is_wanted(self.program.text(one.name), one.is_static()))
            .map(|one| Fields {
                class: class.id,
                cell: Some((one.offset, one.is_static())),
            })
            .collect();
        if found.is_empty() {
            let known: Vec<String> = class
                .fields
                .iter()
                .map(|one| self.program.text(one.name).to_string())
                .collect();
            return Err(wrong(format!(
                "{} has no field{}; it has {}",
                class.external_name(),
                field.map(|field| format!(" `{field}`")).unwrap_or_default(),
                if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                }
            )));
        }
        Ok(found)
    }

    fn array(&self, element: &str) -> Result<ClassId, String> {
        let code = match element {
            "boolean" => "Z",
            "byte" => "B",
            "char" => "C",
            "short" => "S",
            "int" => "I",
            "long" => "J",
            "float" => "F",
            "double" => "D",
            _ => {
                let class = self.program.class(class_named(self.program, element)?);
                let name = format!("[L{};", class.name);
                return self
                    .program
                    .load(class.loader, &name)
                    .map_err(|error| error.to_string());
            }
        };
        let name = format!("[{code}");
        self.program
            .load(LoaderId::BOOT, &name)
            .map_err(|error| error.to_string())
    }

    /// What a path of fields begins with: a static field of a class of the program, or of the class that the rule is about.
    fn static_field(&mut self) -> Result<When, Error> {
        let at = self.cursor.place();
        let names = self.dotted()?;
        // The shortest beginning that is a class, then a field of it, then fields of what is there.
        for length in (1..names.len()).rev() {
            let Ok(class) = class_named(self.program, &names[..length].join(".")) else {
                continue;
            };
            let is = |field: &program::world::Field| {
                field.flags & flags::STATIC != 0 && **self.program.text(field.name) == *names[length]
            };
            if !self.program.class(class).fields.iter().any(is) {
                let message = format!(
                    "{} has no static field `{}`",
                    self.program.class(class).external_name(),
                    names[length]
                );
                return Err(Error::new(at, message));
            }
            let mut when = When::Static(class, names[length].clone());
            for name in &names[length + 1..] {
                when = self.field_of(when, name.clone(), at)?;
            }
            return Ok(when);
        }
        let (who, there) = match self.main {
            None => (
                "a rule",
                "this, thread, main, null, Class.field, owner(…), locked(…), permits(…), has(…) and at(…)",
            ),
            Some(_) => (
                "a formula",
                "main, null, Class.field, owner(…), locked(…), permits(…) and done(…)",
            ),
        };
        let message = format!(
            "`{}` is nothing that {who} can look at: there are {there}",
            names.join(".")
        );
        Err(Error::new(at, message))
    }

    fn field_of(&self, of: When, name: String, at: model::syntax::At) -> Result<When, Error> {
        let is = |field: &program::world::Field| **self.program.text(field.name) == *name;
        let known = self.program.classes().any(|class| class.fields.iter().any(is));
        match known {
            true => Ok(When::Field(Box::new(of), name)),
            false => Err(Error::new(at, format!("no class of the program has a field `{name}`"))),
        }
    }

    /// The fields and elements that come after something.
    fn rest(&mut self, mut when: When) -> Result<When, Error> {
        loop {
            let at = self.cursor.place();
            if self.cursor.take(".") {
                let name = self.name()?;
                when = self.field_of(when, name, at)?;
            } else if self.cursor.take("[") {
                let index = self.deeper(Self::sum)?;
                self.cursor.expect("]")?;
                when = When::Element(Box::new(when), Box::new(index));
            } else {
                return Ok(when);
            }
        }
    }

    /// Something in parentheses.
    fn inner(&mut self) -> Result<Box<When>, Error> {
        self.cursor.expect("(")?;
        let inner = self.deeper(Self::sum)?;
        self.cursor.expect(")")?;
        Ok(Box::new(inner))
    }
}

impl Expressions for Reader<'_> {
    type Term = When;

    const NOT: fn(Box<When>) -> When = When::Not;
    const MINUS: fn(Box<When>) -> When = When::Minus;

    fn cursor(&mut self) -> &mut Cursor {
        &mut self.cursor
    }

    fn joined(&self, operator: model::syntax::Operator, left: When, right: When) -> When {
        use model::syntax::Operator as Sign;
        let (operator, left, right) = match operator {
            Sign::Or => (Operator::Or, left, right),
            Sign::And => (Operator::And, left, right),
            Sign::Equal => (Operator::Equal, left, right),
            Sign::Unequal => (Operator::Unequal, left, right),
            Sign::Less => (Operator::Less, left, right),
            Sign::AtMost => (Operator::AtMost, left, right),
            Sign::Greater => (Operator::Less, right, left),
            Sign::AtLeast => (Operator::AtMost, right, left),
            Sign::Minus => (Operator::Minus, left, right),
            // Expressions are made with no other sign.
            Sign::Plus | Sign::Times | Sign::Divide | Sign::Remainder => (Operator::Plus, left, right),
        };
        When::Binary(operator, Box::new(left), Box::new(right))
    }

    fn single(&mut self) -> Result<When, Error> {
        if let Token::Number(number) = *self.cursor.peek() {
            self.cursor.advance();
            return Ok(When::Number(number.into()));
        }
        let called = matches!(self.cursor.ahead(1), Token::Sign("("));
        let is_rule = self.main.is_none();
        let found = match () {
            () if called && self.cursor.take("owner") => When::Owner(self.inner()?),
            () if called && self.cursor.take("permits") => When::Permits(self.inner()?),
            () if called && !is_rule && self.cursor.take("done") => When::Done(self.inner()?),
            () if called && !is_rule && self.cursor.take("locked") => When::Binary(
                Operator::Unequal,
                Box::new(When::Owner(self.inner()?)),
                Box::new(When::Null),
            ),
            () if called && is_rule && self.cursor.take("has") => When::Has(self.inner()?),
            () if called && is_rule && self.cursor.take("at") => {
                let program = self.program;
                When::At(self.cursor.lines(|line| has_line(program, line))?)
            }
            () if called && is_rule && self.cursor.take("locked") => {
                self.cursor.expect("(")?;
                let at = self.cursor.place();
                let name = self.dotted()?.join(".");
                let class = class_named(self.program, &name).map_err(|message| Error::new(at, message))?;
                self.cursor.expect(")")?;
                When::Locked(class)
            }
            () if self.cursor.take("true") => When::Number(1),
            () if self.cursor.take("false") => When::Number(0),
            () if self.cursor.take("null") => When::Null,
            () if is_rule && self.cursor.take("this") => When::This,
            () if is_rule && self.cursor.take("thread") => When::Thread,
            () if self.cursor.take("main") => self.main.clone().unwrap_or(When::Main),
            () => self.static_field()?,
        };
        self.rest(found)
    }
}
