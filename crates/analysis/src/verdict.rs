//! What was found out about the places where objects are made, and why.

use program::ir::Pc;
use program::world::{ClassId, MethodId, Program};

/// A place in the code.
pub(crate) type Place = (MethodId, Pc);

/// Why an object is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    /// It is, or comes from, a string or class constant.
    Constant,
    /// Something could not be linked.
    Unlinked,
    /// It is in a static field, which is written at the place, or in something that such a field leads to.
    Static(ClassId, u32, Option<Place>),
    /// It goes to or comes from a method that is not looked into, called at the place.
    Outside(MethodId, Option<Place>),
    /// It goes to a method handle or a dynamic call.
    Handle(MethodId, Pc),
    /// A thread that was started at the place leads to it.
    Started(Option<Place>),
    /// It is passed to, returned or thrown by a method that code outside may call.
    Called(MethodId),
    /// The same for a lambda, by the interface that it implements.
    CalledLambda(ClassId),
    /// It is thrown out of the method in which a thread begins.
    Thrown(MethodId),
    /// It is caught where exceptions from outside are caught too.
    Caught,
    /// All that does not capture anything is one object for all threads.
    Single,
    /// It is a string or a box, which are not followed.
    Value,
    /// It is made by code of the JDK, which others may run too.
    Library,
}

impl Reason {
    /// The same reason, told by the program's own code that calls the JDK's.
    pub fn called_at(self, callee: Option<MethodId>, place: Place) -> Reason {
        match self {
            Reason::Outside(deep, None) => Reason::Outside(callee.unwrap_or(deep), Some(place)),
            Reason::Static(class, offset, None) => Reason::Static(class, offset, Some(place)),
            Reason::Started(None) => Reason::Started(Some(place)),
            other => other,
        }
    }

    /// In words.
    pub fn words(self, program: &Program) -> String {
        let at = |place: Option<Place>| place.map_or(String::new(), |place| format!(" at {}", line_of(program, place)));
        match self {
            Reason::Constant => "merged with a constant, which all threads share".to_owned(),
            Reason::Unlinked => "stored where nothing can be linked".to_owned(),
            Reason::Static(class, offset, place) => {
                let of = program.class(class);
                let field = of
                    .fields
                    .iter()
                    .find(|field| field.is_static() && field.offset == offset);
                let name = field.map_or("?", |field| program.text(field.name));
                format!("reachable from static field {}.{name}{}", of.external_name(), at(place))
            }
            Reason::Outside(method, place) => format!(
                "passed to {}, which is not analysed,{}",
                program.describe(method),
                at(place)
            )
            .trim_end_matches(',')
            .to_owned(),
            Reason::Handle(method, pc) => {
                format!("passed to a method handle or dynamic call{}", at(Some((method, pc))))
            }
            Reason::Started(place) => format!("reachable from a thread object started{}", at(place)),
            Reason::Called(method) => format!(
                "goes in or out of {}, which any code may call",
                program.describe(method)
            ),
            Reason::CalledLambda(interface) => format!(
                "goes in or out of a lambda for {}, which any code may call",
                program.class(interface).external_name()
            ),
            Reason::Thrown(method) => format!("thrown out of {}", program.describe(method)),
            Reason::Caught => "caught where exceptions of code that is not analysed are caught too".to_owned(),
            Reason::Single => "one object for all threads".to_owned(),
            Reason::Value => "a string or a box, which are not followed".to_owned(),
            Reason::Library => "made by code of the JDK that code which is not analysed may run too".to_owned(),
        }
    }
}

/// `Foo.java:12`.
pub(crate) fn line_of(program: &Program, (method, pc): Place) -> String {
    let (file, line) = position(program, method, pc);
    if line == 0 { file } else { format!("{file}:{line}") }
}

/// The source file and line of an instruction; line 0 if it is not known.
pub(crate) fn position(program: &Program, method: MethodId, pc: Pc) -> (String, u16) {
    let method = program.method(method);
    let class = program.class(method.class);
    let named = class.file.as_ref().and_then(|file| {
        let index = file.source_file?;
        Some(file.pool.text(index).to_owned())
    });
    let line = program.code(method).ok().and_then(|code| {
        let &bci = code.bcis.get(pc as usize)?;
        method.line(bci)
    });
    (named.unwrap_or_else(|| class.external_name()), line.unwrap_or(0))
}

/// What is made at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// An object or array of this class.
    Class(ClassId),
    /// The object of a lambda or method reference that implements this interface.
    Lambda(ClassId),
}

/// Whether the objects of a place stay with the thread that made them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No other thread can ever reach them.
    Local,
    /// Another thread may, and how.
    Shared(String),
}

/// A place where objects are made.
#[derive(Clone, Debug)]
pub struct SiteFact {
    /// The method that makes them.
    pub method: MethodId,
    /// The instruction that does.
    pub at: Pc,
    /// Source file.
    pub file: String,
    /// Source line; 0 if it is not known.
    pub line: u16,
    /// What it makes.
    pub made: Made,
    /// Whether the code is the program's own, not the JDK's.
    pub own: bool,
    /// The answer.
    pub verdict: Verdict,
}

impl SiteFact {
    /// The type as Java writes it: `int[]`, `java.util.ArrayList`, `lambda Runnable`.
    pub fn type_name(&self, program: &Program) -> String {
        match self.made {
            Made::Lambda(interface) => {
                let name = program.class(interface).external_name();
                format!("lambda {}", name.rsplit('.').next().unwrap_or(&name))
            }
            Made::Class(mut class) => {
                let mut brackets = String::new();
                while let Some(element) = program.class(class).element() {
                    brackets.push_str("[]");
                    class = element;
                }
                program.class(class).external_name() + &brackets
            }
        }
    }
}
