//! Propositions about Java programs, in a first form: `Main.count <= 3`, `Main.ready == true`, `done(main)`, `done(Main.worker)`.
//!
//! A static field of an integer type or `boolean` is compared with a constant. A thread is done when its `run` is over: the main one, or
//! that of a `Thread` in a static field. Before there is such an object, and before the class is prepared, nothing holds.

use crate::layout::{class, class_record, init};
use crate::machine::Machine;
use crate::memory::Address;
use crate::system::{Action, Java};
use crate::{layout, special};
use kernel::{Location, Propositions, Transition, Transitions};
use program::descriptor::Kind;
use program::ir::Instr;
use program::world::{ClassId, LoaderId, Program};

/// A proposition with its names looked up.
#[derive(Clone, Debug)]
pub enum Proposition {
    /// A static field is compared with a number.
    Compares(Static, Comparison, i64),
    /// A thread has ended.
    Done(Whose),
}

/// A static field.
#[derive(Clone, Copy, Debug)]
pub struct Static {
    class: ClassId,
    offset: u32,
    kind: Kind,
}

/// How a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Comparison {
    Equal,
    Unequal,
    AtMost,
    AtLeast,
    Less,
    Greater,
}

/// Which thread is meant.
#[derive(Clone, Copy, Debug)]
pub enum Whose {
    /// That of this object, which was there before the first step.
    Object(Address),
    /// That of the object in a field.
    Field(Static),
}

/// A longer sign comes before the one that it begins with.
const SIGNS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

impl Comparison {
    fn of(self, left: i64, right: i64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::AtMost => left <= right,
            Comparison::AtLeast => left >= right,
            Comparison::Less => left < right,
            Comparison::Greater => left > right,
        }
    }
}

/// The class of a name as it is written in Java: the last dots may be those of nested classes.
fn class_named(program: &Program, name: &str) -> Option<ClassId> {
    let mut internal = name.replace('.', "/");
    loop {
        if let Ok(class) = program.load(LoaderId::APP, &internal) {
            return Some(class);
        }
        let at = internal.rfind('/')?;
        internal.replace_range(at..=at, "$");
    }
}

/// The static field `Class.field`.
fn static_field(program: &Program, text: &str) -> Result<Static, String> {
    let is_name = |name: &str| {
        name.chars()
            .all(|letter| letter.is_alphanumeric() || "_$.".contains(letter))
    };
    let Some((class_name, field)) = text.rsplit_once('.').filter(|_| is_name(text)) else {
        return Err(format!("expected `Class.field` instead of `{text}`"));
    };
    let class = class_named(program, class_name).ok_or_else(|| format!("there is no class `{class_name}`"))?;
    let mut fields = program.class(class).fields.iter();
    let found = fields.find(|one| one.is_static() && **program.text(one.name) == *field);
    let found = found.ok_or_else(|| format!("`{class_name}` has no static field `{field}`"))?;
    Ok(Static {
        class,
        offset: found.offset,
        kind: found.kind,
    })
}

impl Proposition {
    fn read(machine: &Machine<'_>, text: &str) -> Result<Proposition, String> {
        let text = text.trim();
        let thread = text.strip_prefix("done(").and_then(|rest| rest.strip_suffix(')'));
        if let Some(thread) = thread {
            return Proposition::done(machine, thread.trim());
        }
        let at = text.find(['=', '!', '<', '>']).unwrap_or(text.len());
        let (field, rest) = (text[..at].trim(), &text[at..]);
        let sign = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign));
        let Some(&(sign, comparison)) = sign else {
            return Err(format!(
                "expected `Class.field`, a comparison and a number, or `done(thread)`, instead of `{text}`"
            ));
        };
        let field = static_field(machine.program, field)?;
        if matches!(field.kind, Kind::Reference | Kind::Float | Kind::Double) {
            return Err("only fields of an integer type or `boolean` can be compared".to_owned());
        }
        let constant = match rest[sign.len()..].trim() {
            "true" => 1,
            "false" => 0,
            number => number.parse().map_err(|_| format!("`{number}` is no integer"))?,
        };
        Ok(Proposition::Compares(field, comparison, constant))
    }

    fn done(machine: &Machine<'_>, thread: &str) -> Result<Proposition, String> {
        if thread == "main" {
            let object = machine.thread_word(0, layout::thread::OBJECT);
            return match object != 0 && object < machine.memory.image_end() {
                true => Ok(Proposition::Done(Whose::Object(object))),
                false => Err("the main thread is over already".to_owned()),
            };
        }
        let field = static_field(machine.program, thread)?;
        match field.kind {
            Kind::Reference => Ok(Proposition::Done(Whose::Field(field))),
            _ => Err(format!("`{thread}` is no thread")),
        }
    }

    /// The field that it looks at.
    fn field(&self) -> Option<Static> {
        match self {
            Proposition::Compares(field, ..) | Proposition::Done(Whose::Field(field)) => Some(*field),
            Proposition::Done(Whose::Object(_)) => None,
        }
    }
}

impl Machine<'_> {
    /// Where a static field is; `None` before its class is prepared.
    fn static_address(&self, field: Static) -> Option<Address> {
        Some(self.statics_now(field.class)? + field.offset)
    }

    fn is_true(&mut self, proposition: &Proposition) -> Option<bool> {
        Some(match proposition {
            Proposition::Compares(field, comparison, constant) => {
                let value = self.integer(field.kind, self.static_address(*field)?)?;
                comparison.of(value, *constant)
            }
            Proposition::Done(whose) => {
                let object = match whose {
                    Whose::Object(object) => *object,
                    Whose::Field(field) => self.memory.load(self.static_address(*field)?),
                };
                object != 0
                    && self.program.is_subclass(self.class_of(object), self.known.thread)
                    && self.is_over(object)
            }
        })
    }

    /// Whether a step of a thread may write a static field. What a thread writes alone is in no footprint, and neither is, perhaps, what
    /// the initialiser of the class writes.
    fn may_write(&self, number: u32, touches: &[kernel::MemoryAccess], field: Static) -> bool {
        let is_ready = self.memory.load(class_record(field.class) + class::STATE) == init::DONE;
        let Some(object) = self
            .statics_now(field.class)
            .filter(|_| is_ready && !self.is_alone(number))
        else {
            return true;
        };
        let cell = field.offset;
        let mut writes = touches.iter().filter(|touch| !touch.access.is_read());
        writes.any(|touch| touch.location.overlaps(Location { object, cell }))
    }

    /// Whether the next step of a thread may end it.
    fn may_end(&self, number: u32) -> bool {
        self.is_alone(number)
            || self.next_instruction(number).is_none_or(|next| {
                matches!(next.instr, Instr::Special { op, .. } if op == special::THREAD_END || op == special::AWAIT_OTHERS)
            })
    }
}

impl<'p> Propositions for Java<'p> {
    type Proposition = Proposition;

    fn proposition(&self, state: &mut Machine<'p>, text: &str) -> Result<Proposition, String> {
        Proposition::read(state, text)
    }

    fn holds(&self, state: &mut Machine<'p>, proposition: &Proposition) -> bool {
        state.is_true(proposition).unwrap_or(false)
    }

    fn may_change(
        &self,
        state: &mut Machine<'p>,
        transitions: &Transitions<Action>,
        step: &Transition<Action>,
        proposition: &Proposition,
    ) -> bool {
        let (number, touches) = (step.thread.0, transitions.footprint(step));
        proposition
            .field()
            .is_some_and(|field| state.may_write(number, touches, field))
            || matches!(proposition, Proposition::Done(_)) && state.may_end(number)
    }
}
