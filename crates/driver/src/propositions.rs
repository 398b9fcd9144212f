//! Propositions of formulas about Java programs, as a user writes them: `Bank.total == 100`, `locked(Bank.lock)`, `done(main)`.
//!
//! They are read as conditions of a discipline are. What can never have a value is refused, so that a formula does not hold by mistake:
//! a field that is no number and no reference, a comparison of a number with an object, a value where a condition is wanted.

use crate::discipline::condition;
use machine::discipline::{Operator, When};
use machine::{Machine, Proposition};
use program::descriptor::Kind;
use program::world::{ClassId, ClassKind, Field, LoaderId, Program};

/// What a part of a condition comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Truth,
    Number,
    /// An object; of this class or a subclass, if that is known.
    Object(Option<ClassId>),
}

/// The proposition that a text stands for, or what is wrong with the text. The machine is before the first step.
pub fn read(machine: &Machine<'_>, text: &str) -> Result<Proposition, String> {
    let program = machine.program;
    let when = condition(program, machine.main_thread(), text).map_err(|error| error.to_string())?;
    match sort(program, &when)? {
        Sort::Truth => Ok(Proposition::new(when)),
        Sort::Number | Sort::Object(_) => Err(format!("`{}` is no condition: compare it with something", text.trim())),
    }
}

fn sort(program: &Program, when: &When) -> Result<Sort, String> {
    let of = |inner: &When| sort(program, inner);
    let an_object = |inner: &When, what: &str| match of(inner)? {
        Sort::Object(class) => Ok(class),
        _ => Err(format!("{what} wants an object")),
    };
    Ok(match when {
        When::Number(_) => Sort::Number,
        When::Null | When::This | When::Thread | When::Main | When::Object(_) => Sort::Object(None),
        When::Static(class, name) => {
            let mut fields = program.class(*class).fields.iter();
            let field = fields.find(|field| field.is_static() && **program.text(field.name) == **name);
            sort_of(program, *class, field)?
        }
        When::Field(inner, name) => match an_object(inner, &format!("`.{name}`"))? {
            Some(class) => field_sort(program, class, name)?,
            None => return Err(format!("nothing is known of what has the field `{name}`")),
        },
        When::Element(array, index) => {
            if of(index)? != Sort::Number {
                return Err("an index is a number".to_owned());
            }
            element_sort(program, an_object(array, "`[…]`")?)?
        }
        When::Owner(inner) => {
            an_object(inner, "`owner`")?;
            Sort::Object(None)
        }
        When::Permits(inner) => {
            an_object(inner, "`permits`")?;
            Sort::Number
        }
        When::Done(inner) => {
            let class = an_object(inner, "`done`")?;
            let thread = program.load(LoaderId::BOOT, "java/lang/Thread").ok();
            let is_none = |(class, thread)| !program.is_subclass(class, thread) && !program.is_subclass(thread, class);
            if class.zip(thread).is_some_and(is_none) {
                return Err("`done` wants a thread".to_owned());
            }
            Sort::Truth
        }
        When::Has(_) | When::Locked(_) | When::At(_) => Sort::Truth,
        When::Not(inner) => match of(inner)? {
            Sort::Truth => Sort::Truth,
            _ => return Err("only a condition can be negated".to_owned()),
        },
        When::Minus(inner) => match of(inner)? {
            Sort::Number => Sort::Number,
            _ => return Err("only a number has a negative".to_owned()),
        },
        When::Binary(operator, left, right) => {
            let (left, right) = (of(left)?, of(right)?);
            match (operator, left, right) {
                (Operator::Or | Operator::And, Sort::Truth, Sort::Truth) => Sort::Truth,
                (Operator::Equal | Operator::Unequal, Sort::Object(_), Sort::Object(_)) => Sort::Truth,
                // `true` and `false` are numbers, too.
                (Operator::Equal | Operator::Unequal, Sort::Truth | Sort::Number, Sort::Truth | Sort::Number) => {
                    Sort::Truth
                }
                (Operator::Less | Operator::AtMost, Sort::Number, Sort::Number) => Sort::Truth,
                (Operator::Plus | Operator::Minus, Sort::Number, Sort::Number) => Sort::Number,
                _ => return Err("these two do not go together".to_owned()),
            }
        }
    })
}

/// What a field of an object of a class is: its own, or one of a superclass.
fn field_sort(program: &Program, class: ClassId, name: &str) -> Result<Sort, String> {
    for &class in program.class(class).supers.iter().rev() {
        let mut fields = program.class(class).fields.iter();
        let found = fields.find(|field| !field.is_static() && **program.text(field.name) == *name);
        if found.is_some() {
            return sort_of(program, class, found);
        }
    }
    Err(format!(
        "{} has no field `{name}`",
        program.class(class).external_name()
    ))
}

fn element_sort(program: &Program, array: Option<ClassId>) -> Result<Sort, String> {
    let Some(ClassKind::Array(element)) = array.map(|array| program.class(array).kind) else {
        return Err("only arrays have elements".to_owned());
    };
    match program.class(element).kind {
        ClassKind::Primitive(Some(Kind::Int)) => Ok(Sort::Number),
        ClassKind::Primitive(_) => Err("only elements of type `int` and references can be compared".to_owned()),
        _ => Ok(Sort::Object(Some(element))),
    }
}

fn sort_of(program: &Program, declaring: ClassId, field: Option<&Field>) -> Result<Sort, String> {
    let field = field.ok_or_else(|| format!("{} has no such field", program.class(declaring).external_name()))?;
    Ok(match field.kind {
        Kind::Boolean => Sort::Truth,
        Kind::Byte | Kind::Short | Kind::Char | Kind::Int | Kind::Long => Sort::Number,
        Kind::Float | Kind::Double => {
            return Err("only integers, `boolean` and references can be compared".to_owned());
        }
        Kind::Reference => {
            let descriptor = program.text(field.descriptor);
            let name = descriptor.strip_prefix('L').and_then(|rest| rest.strip_suffix(';'));
            let loader = program.class(declaring).loader;
            Sort::Object(program.load(loader, name.unwrap_or(&**descriptor)).ok())
        }
    })
}
