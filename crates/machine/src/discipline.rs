//! Rules by which fields are accessed, as a user gives them: who has exclusive access to what, and when.
//!
//! SOUNDNESS: a step that may change what some rule says is visible: otherwise two threads could have access at once and never be seen
//! to. It writes a field, or an element, that some rule looks at, or the owner of a lock of `java.util.concurrent`; or gives back a
//! monitor about which some rule says more than that the thread itself has it; or publishes an object, which until then was its
//! creator's; or it changes what the rules say about the thread itself, which is tried out. What a rule says about lines, variables and
//! monitors of the thread itself is changed by nobody else.

use crate::layout::{ESCAPED, HEAP, OWNER_MASK, class, class_record, frame, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::system::{Action, What};
use crate::transitions::Next;
use kernel::{Location, MemoryAccess, ThreadId, Transitions};
use program::descriptor::Kind;
use program::ir::Instr;
use program::world::{ClassId, ClassKind};

/// All rules.
#[derive(Clone, Debug, Default)]
pub struct Discipline {
    /// Who has exclusive access to which fields.
    pub rules: Vec<(Fields, When)>,
    /// Fields about which nothing is assumed.
    pub unprotected: Vec<Fields>,
    /// What the rules look at.
    pub looks: Looks,
}

/// What conditions look at: a step that writes none of it changes none of them.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    /// Names of fields, whatever object they belong to.
    pub fields: Vec<String>,
    /// Whether one of them looks at elements of arrays.
    pub elements: bool,
    /// Whether one of them says more about a lock than that the thread itself has it.
    pub owners: bool,
}

/// A field of a class and what is derived from it, or the elements of arrays of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The class.
    pub class: ClassId,
    /// Where the field is, and whether it is static; `None` for elements.
    pub cell: Option<(u32, bool)>,
}

/// A condition over a state, a thread and an object.
#[derive(Clone, Debug)]
pub enum When {
    /// A number.
    Number(i64),
    /// No object.
    Null,
    /// The object.
    This,
    /// The thread's own object.
    Thread,
    /// The main thread's own object.
    Main,
    /// An object that is there from the first state on.
    Object(Address),
    /// A static field of a class, by its name.
    Static(ClassId, String),
    /// A field of an object, by its name.
    Field(Box<When>, String),
    /// An element of an array.
    Element(Box<When>, Box<When>),
    /// The thread that has the lock of an object.
    Owner(Box<When>),
    /// The permits of a semaphore.
    Permits(Box<When>),
    /// Whether the thread of an object has ended.
    Done(Box<When>),
    /// Whether the thread has locked an object of this class.
    Locked(ClassId),
    /// Whether the thread has the object in a variable that it may still use.
    Has(Box<When>),
    /// Whether the thread's code of the program's own stands on one of these lines.
    At(Vec<u32>),
    /// Whether it does not hold.
    Not(Box<When>),
    /// The negative.
    Minus(Box<When>),
    /// Both put together.
    Binary(Operator, Box<When>, Box<When>),
}

impl When {
    /// Shows all parts of a condition, and itself.
    pub(crate) fn each(&self, visit: &mut impl FnMut(&When)) {
        visit(self);
        match self {
            When::Number(_) | When::Null | When::This | When::Thread | When::Main | When::Object(_) => {}
            When::Static(..) | When::Locked(_) | When::At(_) => {}
            When::Field(inner, _) | When::Owner(inner) | When::Permits(inner) | When::Done(inner) => inner.each(visit),
            When::Has(inner) | When::Not(inner) | When::Minus(inner) => inner.each(visit),
            When::Element(left, right) | When::Binary(_, left, right) => {
                left.each(visit);
                right.each(visit);
            }
        }
    }
}

/// How two are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Plus,
    Minus,
}

/// What a condition comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Number(i64),
    Object(Address),
}

impl Value {
    fn truth(is: bool) -> Option<Value> {
        Some(Value::Number(is.into()))
    }

    fn number(self) -> Option<i64> {
        match self {
            Value::Number(number) => Some(number),
            Value::Object(_) => None,
        }
    }

    fn object(self) -> Option<Address> {
        match self {
            Value::Object(object) => Some(object).filter(|&object| object != 0),
            Value::Number(_) => None,
        }
    }
}

impl Machine<'_> {
    /// The value of a condition for a thread and an object; `None` where it has none, as behind a null.
    fn value(&self, when: &When, number: u32, this: Address) -> Option<Value> {
        let value = |inner: &When| self.value(inner, number, this);
        let object = |inner: &When| value(inner)?.object();
        let holds = |inner: &When| value(inner).is_some_and(|value| value != Value::Number(0));
        Some(match when {
            When::Number(number) => Value::Number(*number),
            When::Null => Value::Object(0),
            When::This => Value::Object(this),
            When::Thread => Value::Object(self.thread_word(number, thread::OBJECT)),
            When::Main => Value::Object(self.thread_word(0, thread::OBJECT)),
            When::Object(object) => Value::Object(*object),
            When::Static(class, name) => self.named(self.statics_now(*class)?, name)?,
            When::Field(of, name) => self.named(object(of)?, name)?,
            When::Element(of, index) => {
                let (array, index) = (object(of)?, u32::try_from(value(index)?.number()?).ok()?);
                let ClassKind::Array(element) = self.program.class(self.class_of(array)).kind else {
                    return None;
                };
                if index >= self.array_length(array) {
                    return None;
                }
                match self.program.class(element).kind {
                    ClassKind::Primitive(Some(Kind::Int)) => {
                        Value::Number(i64::from(self.element(array, index) as i32))
                    }
                    ClassKind::Primitive(_) => return None,
                    _ => Value::Object(self.element(array, index)),
                }
            }
            When::Owner(of) => Value::Object(self.lock_owner(object(of)?)),
            When::Permits(of) => {
                let sync = self.named(object(of)?, "sync")?.object()?;
                self.named(sync, "state")?
            }
            When::Done(of) => {
                let object = object(of)?;
                let is_thread = self.program.is_subclass(self.class_of(object), self.known.thread);
                return Value::truth(is_thread && self.is_over(object));
            }
            When::Locked(class) => {
                let stands_for = |found: ClassId| {
                    let mut owned = self.known.owned_locks.iter();
                    owned.any(|lock| {
                        self.program.is_subclass(lock.class, *class)
                            && self.program.is_subclass(found, lock.synchronizer)
                    })
                };
                let is = |lock: Address| {
                    let found = self.class_of(lock);
                    self.program.is_subclass(found, *class) || stands_for(found)
                };
                return Value::truth(self.locked_objects(number).into_iter().any(is));
            }
            When::Has(of) => {
                let wanted = object(of)?;
                let mut found = false;
                self.each_variable(number, |held| found |= held == wanted);
                return Value::truth(found);
            }
            When::At(lines) => return Value::truth(self.user_line(number).is_some_and(|line| lines.contains(&line))),
            When::Not(inner) => return Value::truth(!holds(inner)),
            When::Minus(inner) => Value::Number(value(inner)?.number()?.checked_neg()?),
            When::Binary(operator, left, right) => match operator {
                Operator::And => return Value::truth(holds(left) && holds(right)),
                // A part without a value is as good as one that does not hold.
                Operator::Or => return Value::truth(holds(left) || holds(right)),
                Operator::Equal => return Value::truth(value(left)? == value(right)?),
                Operator::Unequal => return Value::truth(value(left)? != value(right)?),
                Operator::Less => return Value::truth(value(left)?.number()? < value(right)?.number()?),
                Operator::AtMost => return Value::truth(value(left)?.number()? <= value(right)?.number()?),
                Operator::Plus => Value::Number(value(left)?.number()?.checked_add(value(right)?.number()?)?),
                Operator::Minus => Value::Number(value(left)?.number()?.checked_sub(value(right)?.number()?)?),
            },
        })
    }

    /// The value of a field of an object by its name.
    fn named(&self, object: Address, name: &str) -> Option<Value> {
        let symbol = self.program.names.find(name)?;
        let mut fields = self.program.fields_of(self.class_of(object));
        let (_, field) = fields.find(|(_, field)| field.name == symbol)?;
        let at = object + field.offset;
        match field.kind {
            Kind::Reference => Some(Value::Object(self.memory.load(at))),
            kind => self.integer(kind, at).map(Value::Number),
        }
    }

    /// The value of a field of an integer type or `boolean`. In a narrow one, the upper bits of its word are clear.
    pub(crate) fn integer(&self, kind: Kind, at: Address) -> Option<i64> {
        let word = self.memory.load(at);
        match kind {
            Kind::Byte => Some((word as i8).into()),
            Kind::Short => Some((word as i16).into()),
            Kind::Boolean | Kind::Char | Kind::Int => Some((word as i32).into()),
            Kind::Long => Some(self.memory.load_wide(at) as i64),
            Kind::Float | Kind::Double | Kind::Reference => None,
        }
    }

    pub(crate) fn statics_now(&self, of: ClassId) -> Option<Address> {
        Some(self.memory.load(class_record(of) + class::STATICS)).filter(|&statics| statics != 0)
    }

    /// The synchronizer of a lock of `java.util.concurrent` that one thread has at a time; any other object is its own.
    fn synchronizer_of(&self, object: Address) -> Address {
        let class = self.class_of(object);
        let mut locks = self.known.owned_locks.iter();
        let found = locks.find(|lock| self.program.is_subclass(class, lock.class));
        found.map_or(object, |lock| self.memory.load(object + lock.cell))
    }

    /// The object of the thread that has a lock; 0 for none.
    fn lock_owner(&self, object: Address) -> Address {
        let lock = self.synchronizer_of(object);
        if lock != 0 && self.program.is_subclass(self.class_of(lock), self.known.synchronizer) {
            return self.owner_of(lock);
        }
        match (self.memory.load(self.lock_cell(object)) & OWNER_MASK).checked_sub(1) {
            Some(number) => self.thread_word(number, thread::OBJECT),
            None => 0,
        }
    }

    /// The line of the program's own code on which a thread stands.
    fn user_line(&self, number: u32) -> Option<u32> {
        let (method, pc) = self.user_position(number)?;
        let line = self.program.method(method).line(self.bci(method, pc))?;
        Some(line.into())
    }

    fn is_among(&self, fields: &Fields, object: Address, cell: u32) -> bool {
        let class = self.class_of(object);
        match (self.program.class(class).kind, fields.cell) {
            (ClassKind::Statics(owner), Some((at, true))) => owner == fields.class && at == cell,
            (ClassKind::Statics(_), _) | (_, Some((_, true))) => false,
            (ClassKind::Array(_), _) => class == fields.class,
            (_, Some((at, false))) => at == cell && self.program.is_subclass(class, fields.class),
            (_, None) => false,
        }
    }

    fn rule_of(&self, location: Location) -> Option<&When> {
        let discipline = self.discipline.as_ref()?;
        if location.object < HEAP || location.cell == Location::MONITOR {
            return None;
        }
        let mut rules = discipline.rules.iter();
        let found = rules.find(|(fields, _)| self.is_among(fields, location.object, location.cell));
        found.map(|(_, when)| when)
    }

    /// Whether a thread has access to a location by a rule; `None` if there is none.
    pub(crate) fn access(&self, number: u32, location: Location) -> Option<bool> {
        let when = self.rule_of(location)?;
        Some(self.grants(when, number, location.object))
    }

    pub(crate) fn grants(&self, when: &When, number: u32, object: Address) -> bool {
        let value = self.value(when, number, object);
        value.is_some_and(|value| value != Value::Number(0))
    }

    /// Whether nothing is assumed about a location by the user's word.
    pub(crate) fn is_unprotected(&self, location: Location) -> bool {
        let open = self.discipline.iter().flat_map(|discipline| &discipline.unprotected);
        location.object >= HEAP
            && open
                .into_iter()
                .any(|fields| self.is_among(fields, location.object, location.cell))
    }

    /// All that threads have access to by rules, of the objects that are shared.
    fn granted(&mut self) -> Vec<(Location, u32)> {
        let Some(discipline) = self.discipline.clone() else {
            return Vec::new();
        };
        let mut granted = Vec::new();
        let mut objects = self.shared_objects();
        let statics = discipline
            .rules
            .iter()
            .filter(|(fields, _)| matches!(fields.cell, Some((_, true))));
        objects.extend(statics.filter_map(|(fields, _)| self.statics_now(fields.class)));
        for object in objects {
            for (fields, when) in &discipline.rules {
                let cell = fields.cell.map_or(0, |(cell, _)| cell);
                if !self.is_among(fields, object, cell) {
                    continue;
                }
                let live = (0..=self.highest_thread())
                    .filter(|&number| self.thread_word(number, thread::STATUS) != status::FREE);
                let having = live.filter(|&number| self.grants(when, number, object));
                granted.extend(having.map(|number| (Location { object, cell }, number)));
            }
        }
        granted
    }

    /// Adds the locations to which two threads have access.
    pub(crate) fn add_disputed(&mut self, out: &mut Vec<(Location, ThreadId, ThreadId)>) {
        let granted = self.granted();
        let pairs = granted.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        out.extend(pairs.map(|pair| (pair[0].0, ThreadId(pair[0].1), ThreadId(pair[1].1))));
    }

    /// Adds the locations to which another thread loses its access by an action.
    pub(crate) fn add_expelled(&mut self, action: Action, out: &mut Vec<(Location, ThreadId)>) {
        if self.discipline.is_none() || !self.may_change_rules(action.thread) {
            return;
        }
        let before = self.granted();
        let Ok(undo) = self.apply(action) else { return };
        let lost = |(location, number): &(Location, u32)| {
            let goes_on = self.thread_word(*number, thread::STATUS) != status::FREE;
            *number != action.thread && goes_on && self.access(*number, *location) == Some(false)
        };
        out.extend(
            before
                .into_iter()
                .filter(lost)
                .map(|(location, number)| (location, ThreadId(number))),
        );
        self.undo(undo);
    }

    /// Whether the next step of a thread may make a rule of another one true.
    pub(crate) fn may_grant(&mut self, number: u32) -> bool {
        self.discipline.is_some()
            && (self.may_publish(number) || self.may_change_rules(number) || self.changes_own_access(number))
    }

    /// Whether the next step of a thread changes what the thread itself has access to.
    fn changes_own_access(&mut self, number: u32) -> bool {
        let own = |granted: Vec<(Location, u32)>| -> Vec<Location> {
            let own = granted.into_iter().filter(|&(_, thread)| thread == number);
            own.map(|(location, _)| location).collect()
        };
        let before = own(self.granted());
        let what = What::Go;
        let Ok(undo) = self.apply(Action { thread: number, what }) else {
            return true;
        };
        let after = own(self.granted());
        self.undo(undo);
        before != after
    }

    /// Whether the next step of a thread may give others an object that was its own so far.
    fn may_publish(&mut self, number: u32) -> bool {
        if self.is_in_operation(number) {
            return true;
        }
        let Some(Next { instr, fp, .. }) = self.next_instruction(number) else {
            return true;
        };
        match instr {
            Instr::Special { .. } => true,
            Instr::PutField { s, .. } | Instr::PutStatic { s, .. } | Instr::ArrayPutRef { s, .. } => {
                // A number that looks like such an object does no harm.
                let object = self.memory.load(fp + frame::REGISTERS + u32::from(s));
                (self.memory.image_end()..self.memory.top()).contains(&object) && !self.has_flag(object, ESCAPED)
            }
            _ => false,
        }
    }

    /// Whether the next step of a thread may change what some rule says about another one.
    fn may_change_rules(&mut self, number: u32) -> bool {
        let Some(discipline) = self.discipline.clone() else {
            return false;
        };
        if self.is_in_operation(number) {
            return true;
        }
        let mut transitions = Transitions::default();
        let what = What::Go;
        transitions.add(ThreadId(number), Action { thread: number, what }, true);
        let next = self.next_runnable(number, self.thread_word(number, thread::STATUS));
        self.footprint(number, next, &mut transitions);
        let touches = transitions
            .entries()
            .first()
            .map_or(&[][..], |entry| transitions.footprint(entry));
        self.may_write_looked_at(touches, &discipline.looks)
    }

    /// Whether one of these accesses may write what some condition looks at.
    pub(crate) fn may_write_looked_at(&self, touches: &[MemoryAccess], looks: &Looks) -> bool {
        touches.iter().filter(|touch| !touch.access.is_read()).any(|touch| {
            let Location { object, cell } = touch.location;
            match cell {
                _ if touch.location == Location::EVERYTHING => true,
                // An owner can be made by anybody.
                _ if self.names_owner(touch.location) => true,
                Location::MONITOR => looks.owners,
                _ if object < HEAP => false,
                _ if self.program.class(self.class_of(object)).is_array() => looks.elements,
                Location::WHOLE => touch.access.is_plain(),
                _ => {
                    let field = self.field_at(self.class_of(object), cell);
                    field.is_none_or(|(_, name)| looks.fields.iter().any(|one| one == name))
                }
            }
        })
    }
}
