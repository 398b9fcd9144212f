//! A method boiled down to what happens to references (`builder` does that).
//!
//! Numbers, branches and casts are left out. Every variable is a live range of the method's registers; order does not count.
//! An exception is a value that is moved to the handlers around the place and, unless one of them catches everything, out
//! of the method.

use crate::builder::Builder;
use crate::models::{self, Habits};
use crate::scope::{Scope, scope};
use crate::sets::Edge;
use crate::verdict::Reason;
use program::ir::{Instr, Pc};
use program::world::{ClassId, Method, MethodId, Program};
use std::collections::HashMap;
use std::rc::Rc;

/// A variable of a body.
pub(crate) type Var = u32;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Type {
    /// One of this class.
    Class(ClassId),
    /// The object of the lambda with this number.
    Lambda(u32),
}

/// Something with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Unit {
    /// A method.
    Method(MethodId),
    /// The method of a lambda's object.
    Lambda(u32),
    /// Making a text of an object, to be printed or put into a string.
    Shown,
}

/// One thing that happens to references.
#[derive(Debug)]
pub(crate) enum Stmt {
    Move {
        to: Var,
        from: Var,
    },
    /// A new object.
    New {
        to: Var,
        of: Type,
    },
    Load {
        to: Var,
        from: Var,
        edge: Edge,
    },
    Store {
        into: Var,
        edge: Edge,
        value: Var,
    },
    /// A static field of the program's own, by class and offset.
    LoadStatic {
        to: Var,
        class: ClassId,
        offset: u32,
    },
    StoreStatic {
        value: Var,
        class: ClassId,
        offset: u32,
        pc: Pc,
    },
    /// A value from outside.
    Outside {
        to: Var,
        why: Reason,
    },
    /// An exception that may come from outside, and is looked at; what is caught, if not everything.
    Caught {
        to: Var,
        by: Option<ClassId>,
    },
    /// A value that goes outside.
    Escape {
        value: Var,
        why: Reason,
    },
    /// One of [`Body::calls`].
    Call(u32),
    /// The class may be initialised here.
    Initialize(ClassId),
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Exactly(Unit),
    Virtually(MethodId),
}

/// A call: the variables of its reference arguments, the receiver's first.
#[derive(Debug)]
pub(crate) struct Call {
    pub pc: Pc,
    pub target: Target,
    pub arguments: Vec<Var>,
    pub result: Option<Var>,
    pub thrown: Var,
}

/// Where objects are made.
#[derive(Debug)]
pub(crate) struct Alloc {
    pub pc: Pc,
    pub of: Type,
    pub var: Var,
    /// Dimensions that are made at once; 1 for all that is no array of arrays.
    pub dimensions: u8,
}

/// The body of a unit.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// The reference parameters, the receiver first.
    pub parameters: Vec<Var>,
    pub returned: Var,
    pub thrown: Var,
    pub variables: u32,
    pub stmts: Vec<Stmt>,
    pub calls: Vec<Call>,
    pub sites: Vec<Alloc>,
    /// The first call by which the program may find its own members by name.
    pub reflection: Option<Pc>,
}

/// A lambda or method reference.
pub(crate) struct Lambda {
    pub interface: ClassId,
    /// The name of the interface's method.
    pub name: program::world::Symbol,
    pub body: Rc<Body>,
}

/// What bodies are made from, and those that were made.
pub(crate) struct Bodies<'p> {
    pub program: &'p Program,
    /// Whether something else runs in place of a method.
    pub is_foreign: &'p dyn Fn(&Method) -> bool,
    pub made: HashMap<Unit, Rc<Body>>,
    pub lambdas: Vec<Lambda>,
    pub numbers: HashMap<(MethodId, Pc), u32>,
    /// What the program's own classes do not do.
    pub habits: Habits,
    /// Methods behind dynamic calls that are not looked into: anybody may run them.
    pub exposed: Vec<MethodId>,
}

impl Bodies<'_> {
    /// The body of a unit.
    pub fn get(&mut self, unit: Unit) -> Rc<Body> {
        if let Some(body) = self.made.get(&unit) {
            return body.clone();
        }
        let body = match unit {
            Unit::Method(id) => Rc::new(self.method(id)),
            Unit::Lambda(number) => self.lambdas[number as usize].body.clone(),
            Unit::Shown => Rc::new(models::shown(self.program)),
        };
        self.made.insert(unit, body.clone());
        body
    }

    fn method(&mut self, id: MethodId) -> Body {
        let program = self.program;
        let method = program.method(id);
        let class = program.class(method.class);
        if let Some(body) = models::model(program, method, self.habits) {
            return body;
        }
        let known = scope(class) != Scope::Outside && !method.is_native() && !method.is_abstract();
        let (Some(file), true) = (&class.file, known && !(self.is_foreign)(method)) else {
            return models::outside(program, method);
        };
        match program.code(method) {
            // The machine may have made the method.
            Ok(code) if !code.instrs.iter().any(|instr| matches!(instr, Instr::Special { .. })) => {
                Builder::new(self, method, class, file, code).build()
            }
            _ => models::outside(program, method),
        }
    }
}
