//! Dynamic calls: lambdas, method references and string concatenation, by the constants of their sites.
//!
//! A lambda's object is a type of its own, with a field for each captured value and one method that calls what is behind
//! it. Whatever a bootstrap method is not known to make is outside, and the methods that it is given may be called by anyone.

use crate::body::{Body, Call, Lambda, Stmt, Target, Type, Unit, Var};
use crate::builder::Builder;
use crate::resolve::{class_named, method_named};
use crate::sets::Edge;
use crate::verdict::Reason;
use program::classfile::{ClassFile, Constant, Index};
use program::descriptor::{self, Kind};
use program::ir::Pc;
use program::world::{ClassId, LoaderId};

/// The descriptor of a dynamic call.
pub(crate) fn descriptor(file: &ClassFile, index: Index) -> &str {
    match *file.pool.get(index) {
        Constant::InvokeDynamic(_, member) => file.pool.name_and_type(member).1,
        _ => "()V",
    }
}

/// The method behind a lambda.
struct Behind {
    target: Target,
    /// The class whose object it makes, for a constructor.
    makes: Option<ClassId>,
    /// Kinds of its parameters, the receiver's first.
    parameters: Vec<Kind>,
    returns: Option<Kind>,
}

impl Builder<'_, '_> {
    /// A dynamic call.
    pub(crate) fn dynamic(&mut self, pc: Pc, index: Index, arguments: Vec<Var>, result: Option<Var>, thrown: Var) {
        let program = self.bodies.program;
        let file = self.file;
        let pool = &file.pool;
        let Constant::InvokeDynamic(number, member) = *pool.get(index) else {
            return self.escape_all(&arguments, result, Reason::Unlinked);
        };
        let Some(bootstrap) = file.bootstrap_methods.get(usize::from(number)) else {
            return self.escape_all(&arguments, result, Reason::Unlinked);
        };
        let factory = match *pool.get(bootstrap.method) {
            Constant::MethodHandle(6, target) => (pool.member(target).0, pool.member(target).1),
            _ => ("", ""),
        };
        let known = match factory {
            ("java/lang/invoke/StringConcatFactory", _) => {
                for &shown in &arguments {
                    self.enter_call(pc, Target::Exactly(Unit::Shown), vec![shown], None, thrown);
                }
                if let (Some(to), Ok(of)) = (result, program.load(LoaderId::BOOT, "java/lang/String")) {
                    self.push(Stmt::New {
                        to,
                        of: Type::Class(of),
                    });
                }
                true
            }
            // It looks at the class of a value and compares it with constants.
            ("java/lang/runtime/SwitchBootstraps", _) => true,
            ("java/lang/invoke/LambdaMetafactory", "metafactory") => {
                let (name, text) = pool.name_and_type(member);
                self.lambda(pc, name, text, &bootstrap.arguments, &arguments, result)
                    .is_some()
            }
            _ => false,
        };
        if !known {
            for &argument in &bootstrap.arguments {
                if let Constant::MethodHandle(_, behind) = *pool.get(argument)
                    && let Some((_, method)) = method_named(program, self.class, file, behind)
                {
                    self.bodies.exposed.push(method);
                }
            }
            let why = Reason::Handle(self.method.id, pc);
            self.escape_all(&arguments, result, why);
        }
    }

    fn lambda(
        &mut self,
        pc: Pc,
        name: &str,
        text: &str,
        constants: &[Index],
        captured: &[Var],
        result: Option<Var>,
    ) -> Option<()> {
        let program = self.bodies.program;
        let pool = &self.file.pool;
        let (Constant::MethodType(erased), Constant::MethodHandle(kind, member)) =
            (*pool.get(*constants.first()?), *pool.get(*constants.get(1)?))
        else {
            return None;
        };
        let (interface, _) = descriptor::return_type(text)?;
        let interface = class_named(program, self.class, interface.strip_prefix('L')?.strip_suffix(';')?)?;
        let behind = self.behind(kind, member)?;
        let (class, method, _) = pool.member(member);
        if self.is_reflection(class, method) {
            self.reflects(pc);
        }
        let kept: Vec<Kind> = descriptor::parameters(text).map(|(_, kind)| kind).collect();
        let body = forward(&behind, &kept, pool.text(erased))?;
        let number = self.bodies.lambdas.len() as u32;
        let number = *self.bodies.numbers.entry((self.method.id, pc)).or_insert(number);
        let lambda = Lambda {
            interface,
            name: program.names.intern(name),
            body: body.into(),
        };
        match self.bodies.lambdas.get_mut(number as usize) {
            Some(slot) => *slot = lambda,
            None => self.bodies.lambdas.push(lambda),
        }
        let to = match result {
            Some(to) => to,
            None => self.fresh(),
        };
        self.new_object(pc, to, Type::Lambda(number), if kept.is_empty() { 0 } else { 1 });
        for (position, &value) in (0..).zip(captured) {
            self.push(Stmt::Store {
                into: to,
                edge: Edge::Captured(position),
                value,
            });
        }
        Some(())
    }

    fn behind(&mut self, kind: u8, member: Index) -> Option<Behind> {
        let program = self.bodies.program;
        let (class, method) = method_named(program, self.class, self.file, member)?;
        let called = program.method(method);
        if program.is_polymorphic(called) {
            return None;
        }
        let text = program.text(called.descriptor);
        let mut parameters: Vec<Kind> = descriptor::parameters(text).map(|(_, kind)| kind).collect();
        let mut returns = descriptor::return_type(text).map(|(_, kind)| kind);
        let exactly = Target::Exactly(Unit::Method(method));
        let (target, makes) = match kind {
            5 | 9 if called.is_private() => (exactly, None),
            5 | 9 if !called.is_static() => (Target::Virtually(method), None),
            6 if called.is_static() => (exactly, None),
            7 if called.is_private() && !called.is_static() => (exactly, None),
            8 => {
                returns = Some(Kind::Reference);
                (exactly, Some(class))
            }
            _ => return None,
        };
        if !called.is_static() && makes.is_none() {
            parameters.insert(0, Kind::Reference);
        }
        if called.is_static() || makes.is_some() {
            self.push(Stmt::Initialize(class));
        }
        Some(Behind {
            target,
            makes,
            parameters,
            returns,
        })
    }
}

/// The body of a lambda's method: captured values, then what it is given, to the method behind it.
fn forward(behind: &Behind, kept: &[Kind], erased: &str) -> Option<Body> {
    let given: Vec<Kind> = descriptor::parameters(erased).map(|(_, kind)| kind).collect();
    if kept.len() + given.len() != behind.parameters.len() {
        return None;
    }
    let parameters = 1 + given.iter().filter(|&&kind| kind == Kind::Reference).count() as u32;
    let mut body = Body {
        parameters: (0..parameters).collect(),
        returned: parameters,
        thrown: parameters + 1,
        variables: parameters + 2,
        ..Body::default()
    };
    let fresh = |body: &mut Body| {
        body.variables += 1;
        body.variables - 1
    };
    let mut arguments = Vec::new();
    if let Some(of) = behind.makes {
        let to = fresh(&mut body);
        body.stmts.push(Stmt::New {
            to,
            of: Type::Class(of),
        });
        body.stmts.push(Stmt::Move {
            to: body.returned,
            from: to,
        });
        arguments.push(to);
    }
    let mut captured = 0;
    let mut next = 1;
    for (position, &wanted) in behind.parameters.iter().enumerate() {
        let from_kept = position < kept.len();
        let have = if from_kept {
            kept[position]
        } else {
            given[position - kept.len()]
        };
        let var = match (have, from_kept) {
            (Kind::Reference, true) => {
                let to = fresh(&mut body);
                let edge = Edge::Captured(captured);
                body.stmts.push(Stmt::Load { to, from: 0, edge });
                captured += 1;
                to
            }
            (Kind::Reference, false) => {
                next += 1;
                next - 1
            }
            // A number in a box, if it is wanted as an object.
            _ => {
                let to = fresh(&mut body);
                body.stmts.push(Stmt::Outside {
                    to,
                    why: Reason::Constant,
                });
                to
            }
        };
        if wanted == Kind::Reference {
            arguments.push(var);
        }
    }
    let result = match (behind.makes, behind.returns) {
        (None, Some(Kind::Reference)) => Some(body.returned),
        (None, Some(_)) => {
            body.stmts.push(Stmt::Outside {
                to: body.returned,
                why: Reason::Constant,
            });
            None
        }
        _ => None,
    };
    body.stmts.push(Stmt::Call(0));
    body.calls.push(Call {
        pc: 0,
        target: behind.target,
        arguments,
        result,
        thrown: body.thrown,
    });
    Some(body)
}
