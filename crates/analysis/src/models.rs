//! Stand-ins for methods whose code is not looked into.
//!
//! Most are *outside*: their arguments are shared from then on, their results come from anywhere. The few exceptions are
//! here, each with what the real method does to references.

use crate::body::{Body, Call, Stmt, Target, Type, Unit};
use crate::scope::{Scope, is_own, scope, value};
use crate::sets::Edge;
use crate::verdict::Reason;
use program::descriptor::{self, Kind};
use program::world::{Class, Field, LoaderId, Method, Program};

/// An empty body with the parameters of a method.
fn blank(program: &Program, method: &Method) -> Body {
    let text = program.text(method.descriptor);
    let references = descriptor::parameters(text).filter(|&(_, kind)| kind == Kind::Reference);
    let count = references.count() as u32 + u32::from(!method.is_static());
    Body {
        parameters: (0..count).collect(),
        returned: count,
        thrown: count + 1,
        variables: count + 2,
        ..Body::default()
    }
}

/// A method that may do anything with what it is given.
pub(crate) fn outside(program: &Program, method: &Method) -> Body {
    let mut body = blank(program, method);
    let why = Reason::Outside(method.id, None);
    let text = program.text(method.descriptor);
    if !method.is_static() {
        body.stmts.push(Stmt::Escape { value: 0, why });
    }
    let given = descriptor::parameters(text).filter(|&(_, kind)| kind == Kind::Reference);
    for (parameter, (text, _)) in (u32::from(!method.is_static())..).zip(given) {
        if value(text).is_none() {
            body.stmts.push(Stmt::Escape { value: parameter, why });
        }
    }
    give(program, &mut body, text, why);
    body
}

/// Returns something from outside.
fn give(program: &Program, body: &mut Body, text: &str, why: Reason) {
    let returned = descriptor::return_type(text).and_then(|(text, _)| value(text));
    let to = body.returned;
    body.stmts
        .push(match returned.map(|name| program.load(LoaderId::BOOT, name)) {
            Some(Ok(of)) => Stmt::New {
                to,
                of: Type::Class(of),
            },
            _ => Stmt::Outside { to, why },
        });
}

/// What no class of the program's own does, so that methods of the JDK which call it are known to be harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Habits {
    /// None is a `PrintStream` or fills in stack traces itself.
    pub plain: bool,
    /// None makes texts of its objects itself, nor is asked for anything when the JDK's code makes one of it.
    pub mute: bool,
}

/// What the JDK's versions of `toString` call on objects of any class.
const TEXT_METHODS: [&str; 4] = ["toString", "hashCode", "getMessage", "getLocalizedMessage"];

/// Whose objects they ask for more.
const TEXT_CLASSES: [&str; 7] = [
    "java/lang/Iterable",
    "java/util/Iterator",
    "java/util/ListIterator",
    "java/util/Enumeration",
    "java/util/Map",
    "java/util/Map$Entry",
    "java/lang/CharSequence",
];

impl Habits {
    /// Those of the program's own classes that are loaded.
    pub fn of(program: &Program) -> Habits {
        let stream = program.loaded(LoaderId::BOOT, "java/io/PrintStream");
        let declares = |class: &Class, name: &str| {
            let name = program.names.find(name);
            class.keys.iter().any(|key| Some(key.0) == name)
        };
        let own = || program.class_ids().filter(|&id| is_own(program, id));
        let is_stream = |id| stream.is_some_and(|stream| program.is_subclass(id, stream));
        Habits {
            plain: !own().any(|id| is_stream(id) || declares(program.class(id), "fillInStackTrace")),
            mute: !own().any(|id| {
                let class = program.class(id);
                let is_a = |name: &&str| {
                    let above = program.loaded(LoaderId::BOOT, name);
                    above.is_some_and(|above| program.is_subclass(id, above))
                };
                TEXT_METHODS.iter().any(|name| declares(class, name)) || TEXT_CLASSES.iter().any(is_a)
            }),
        }
    }
}

/// The stand-in for a method that is neither looked into nor outside.
pub(crate) fn model(program: &Program, method: &Method, habits: Habits) -> Option<Body> {
    let class = program.class(method.class);
    if class.loader >= LoaderId::APP {
        return None;
    }
    let (name, text) = (&**program.text(method.name), &**program.text(method.descriptor));
    let mut body = blank(program, method);
    let (returned, why) = (body.returned, Reason::Outside(method.id, None));
    match (&*class.name, name) {
        // They keep nothing of what they are given. What they return is from outside.
        ("java/lang/Object", "hashCode" | "getClass" | "notify" | "notifyAll" | "wait" | "wait0")
        | ("java/lang/System", "identityHashCode")
        | ("java/lang/Class", "isInstance")
        | (
            "java/lang/Thread",
            "join" | "isAlive" | "interrupt" | "isInterrupted" | "setDaemon" | "isDaemon" | "setPriority"
            | "getPriority" | "getName" | "setName" | "getId" | "threadId" | "getState" | "holdsLock",
        ) => give(program, &mut body, text, why),
        // SOUNDNESS: the JDK's versions make a text and keep nothing; those that ask their elements for a text ask objects of
        // the JDK's classes alone.
        (_, "toString") if habits.mute && text == "()Ljava/lang/String;" && scope(class) == Scope::Library => {
            give(program, &mut body, text, why);
        }
        // A copy has the same contents: it is put in one set with the original.
        ("java/lang/Object", "clone") | ("java/lang/Throwable", "fillInStackTrace") => {
            body.stmts.push(Stmt::Move { to: returned, from: 0 });
        }
        ("java/lang/System", "arraycopy") => {
            let through = body.variables;
            body.variables += 1;
            let edge = Edge::Element;
            body.stmts.push(Stmt::Load {
                to: through,
                from: 0,
                edge,
            });
            body.stmts.push(Stmt::Store {
                into: 1,
                edge,
                value: through,
            });
        }
        ("java/lang/reflect/Array", "newInstance" | "newArray") if text.starts_with("(Ljava/lang/Class;I)") => {
            let of = program.load(LoaderId::BOOT, "[Ljava/lang/Object;").ok()?;
            body.stmts.push(Stmt::New {
                to: returned,
                of: Type::Class(of),
            });
        }
        // A thread keeps its task and its group. It is nobody else's until it is started.
        ("java/lang/Thread", "<init>") => {
            for &value in body.parameters.iter().skip(1) {
                body.stmts.push(Stmt::Store {
                    into: 0,
                    edge: Edge::Kept,
                    value,
                });
            }
        }
        // SOUNDNESS: it also calls `fillInStackTrace`; none of the JDK's versions keeps anything.
        ("java/lang/Throwable", "<init>") if habits.plain => throwable(program, class, text, &mut body)?,
        ("java/lang/Thread", "start" | "start0") => {
            body.stmts.push(Stmt::Escape {
                value: 0,
                why: Reason::Started(None),
            });
        }
        _ => return None,
    }
    Some(body)
}

/// A constructor of `Throwable`: an exception knows its message and its cause, which is itself to begin with.
fn throwable(program: &Program, class: &Class, text: &str, body: &mut Body) -> Option<()> {
    let field = |name: &str| {
        let found = class.fields.iter().find(|field| &**program.text(field.name) == name);
        found.map(|field| Edge::Field(class.id, field.offset))
    };
    let (message, cause, suppressed) = (field("detailMessage")?, field("cause")?, field("suppressedExceptions")?);
    let mut parameter = 0;
    body.stmts.push(Stmt::Store {
        into: 0,
        edge: cause,
        value: 0,
    });
    for (text, kind) in descriptor::parameters(text) {
        if kind == Kind::Reference {
            parameter += 1;
            let edge = if text == "Ljava/lang/String;" { message } else { cause };
            body.stmts.push(Stmt::Store {
                into: 0,
                edge,
                value: parameter,
            });
            if edge == cause {
                body.stmts.push(Stmt::Call(body.calls.len() as u32));
                body.calls.push(Call {
                    pc: 0,
                    target: Target::Exactly(Unit::Shown),
                    arguments: vec![parameter],
                    result: None,
                    thrown: body.thrown,
                });
            }
        }
    }
    // Without a message, a text of the cause is made; the list of suppressed exceptions is empty and never changes.
    let made = [
        (message, "java/lang/String"),
        (suppressed, "java/util/ImmutableCollections$ListN"),
    ];
    for (edge, name) in made {
        let of = program.load(LoaderId::BOOT, name).ok()?;
        let value = body.variables;
        body.variables += 1;
        body.stmts.push(Stmt::New {
            to: value,
            of: Type::Class(of),
        });
        body.stmts.push(Stmt::Store { into: 0, edge, value });
    }
    Some(())
}

/// Whether a static field of the JDK holds an array without elements, for ever.
pub(crate) fn is_empty_array(program: &Program, class: &Class, field: &Field) -> bool {
    matches!(
        (&*class.name, &**program.text(field.name)),
        (
            "java/util/ArrayList",
            "EMPTY_ELEMENTDATA" | "DEFAULTCAPACITY_EMPTY_ELEMENTDATA"
        ) | ("java/lang/Throwable", "UNASSIGNED_STACK" | "EMPTY_THROWABLE_ARRAY")
    )
}

/// Whether a method only prints what it is given.
pub(crate) fn prints(program: &Program, method: &Method) -> bool {
    let class = program.class(method.class);
    scope(class) == Scope::Outside
        && &*class.name == "java/io/PrintStream"
        && matches!(&**program.text(method.name), "print" | "println")
        && &**program.text(method.descriptor) != "([C)V"
}

/// Makes a text of its one parameter.
pub(crate) fn shown(program: &Program) -> Body {
    let mut body = Body {
        parameters: vec![0],
        returned: 1,
        thrown: 2,
        variables: 3,
        ..Body::default()
    };
    let object = program.load(LoaderId::BOOT, "java/lang/Object").ok();
    match object.and_then(|object| program.find_method(object, "toString", "()Ljava/lang/String;")) {
        Some(method) => {
            body.stmts.push(Stmt::Call(0));
            body.calls.push(Call {
                pc: 0,
                target: Target::Virtually(method),
                arguments: vec![0],
                result: Some(1),
                thrown: 2,
            });
        }
        None => body.stmts.push(Stmt::Escape {
            value: 0,
            why: Reason::Unlinked,
        }),
    }
    body
}

/// The name of what a unit stands for, to tell who was called.
pub(crate) fn method_of(unit: Unit) -> Option<program::world::MethodId> {
    match unit {
        Unit::Method(id) => Some(id),
        Unit::Lambda(_) | Unit::Shown => None,
    }
}
