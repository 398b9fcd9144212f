//! The world as data: what another process needs so that numbers of classes and methods mean the same there.
//!
//! Numbers are given in the order of creation. So the world is written down as the list of what was created, in that
//! order; reading it creates the same again. What comes from class files is there by its name and a hash of its bytes,
//! what the program or the machine has made is there in full.
//!
//! SOUNDNESS: every entry is compared, number and content. So a number that both worlds have means the same in both, or
//! the other world is refused.

use super::class::*;
use super::define::{MethodSpec, Origin, SyntheticClass};
use super::load::LoadError;
use super::program::Program;
use crate::bytes::Bytes;
use crate::classfile::flags;
use crate::input::quoted;
use crate::ir::Code;
use serde::{Deserialize, Serialize};
use std::fmt;
use xxhash_rust::xxh3::xxh3_128;

/// Everything that was created in a world, in order.
#[derive(Serialize, Deserialize)]
pub struct World<'c> {
    #[serde(borrow)]
    entries: Vec<Entry<'c>>,
    /// Loader, name, class: what loaders of the program's own have answered.
    answers: Vec<(u32, String, ClassId)>,
}

/// Something that was created, with the number that it got.
#[derive(PartialEq, Serialize, Deserialize)]
struct Entry<'c> {
    number: u32,
    /// For a class, the number of its first method.
    first_method: Option<MethodId>,
    #[serde(borrow)]
    event: Event<'c>,
}

#[derive(PartialEq, Serialize, Deserialize)]
enum Event<'c> {
    /// A class was found by its name.
    Found {
        loader: u32,
        name: &'c str,
        /// A hash of its class file.
        content: u128,
    },
    /// An array class was made.
    Array { element: ClassId },
    /// The program defined a class from these bytes.
    Given {
        loader: u32,
        name: &'c str,
        module: &'c str,
        origin: Origin,
        bytes: &'c [u8],
    },
    /// The machine made a class.
    Made {
        name: &'c str,
        flags: u16,
        super_class: ClassId,
        interfaces: Vec<ClassId>,
        host: Option<ClassId>,
        fields: Vec<(String, String, u16)>,
        #[serde(borrow)]
        methods: Vec<MadeMethod<'c>>,
    },
    /// The machine made a method outside of any class's members.
    Method { class: ClassId, method: MadeMethod<'c> },
    /// The body of a method became a method of its own.
    Body { of: MethodId },
}

#[derive(PartialEq, Serialize, Deserialize)]
struct MadeMethod<'c> {
    name: &'c str,
    descriptor: &'c str,
    flags: u16,
    hidden: bool,
    code: Option<CodeText>,
}

/// Code is written as bytes of its own, so that reading the list does not build what is there already.
type CodeText = Vec<u8>;

/// How code is turned into bytes and back; the format is the caller's choice.
pub struct Format {
    /// Writes code.
    pub write: fn(&Code) -> Vec<u8>,
    /// Reads code.
    pub read: fn(&[u8]) -> Option<Code>,
}

/// Two worlds have grown in different ways: what differs.
#[derive(Debug)]
pub struct Divergence(String);

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Divergence {}

impl Program {
    /// Writes the world down.
    pub fn export(&self, format: &Format) -> World<'_> {
        let mut entries = Vec::new();
        let mut next_method = 1;
        for id in self.class_ids() {
            let class = self.class(id);
            let methods_before = class.methods.first().map_or(next_method, |first| first.0);
            entries.extend((next_method..methods_before).map(|id| self.method_entry(MethodId(id), format)));
            next_method = class.methods.last().map_or(methods_before, |last| last.0 + 1);
            entries.extend(self.class_entry(id, format));
        }
        let rest = next_method..self.method_end().0;
        entries.extend(rest.map(|id| self.method_entry(MethodId(id), format)));
        World {
            entries,
            answers: self.answers(),
        }
    }

    /// The entry of a method that is among no class's members.
    fn method_entry(&self, id: MethodId, format: &Format) -> Entry<'_> {
        let method = self.method(id);
        let members = &self.class(method.class).methods;
        let event = match members.get(usize::from(method.index)) {
            Some(&of) if method.is_body => Event::Body { of },
            _ => Event::Method {
                class: method.class,
                method: self.export_method(method, format),
            },
        };
        Entry {
            number: id.0,
            first_method: None,
            event,
        }
    }

    /// The entry of a class, unless another one brings it about.
    fn class_entry(&self, id: ClassId, format: &Format) -> Option<Entry<'_>> {
        let class = self.class(id);
        Some(Entry {
            number: id.0,
            first_method: class.methods.first().copied(),
            event: self.export_class(class, format)?,
        })
    }

    fn export_method<'c>(&'c self, method: &'c Method, format: &Format) -> MadeMethod<'c> {
        MadeMethod {
            name: self.text(method.name),
            descriptor: self.text(method.descriptor),
            flags: method.flags,
            hidden: method.hidden,
            code: self.ready(method).map(format.write),
        }
    }

    fn export_class<'c>(&'c self, class: &'c Class, format: &Format) -> Option<Event<'c>> {
        match class.kind {
            ClassKind::Primitive(_) | ClassKind::Statics(_) => return None,
            ClassKind::Array(element) => return Some(Event::Array { element }),
            ClassKind::Instance => {}
        }
        let Some(file) = &class.file else {
            let field = |field: &Field| {
                (
                    self.text(field.name).to_string(),
                    self.text(field.descriptor).to_string(),
                    field.flags,
                )
            };
            return Some(Event::Made {
                name: &class.name,
                flags: class.flags,
                super_class: class.super_class.expect("what the machine makes has a superclass"),
                interfaces: class.interfaces.to_vec(),
                host: class.host,
                fields: class.fields.iter().map(field).collect(),
                methods: class
                    .methods
                    .iter()
                    .map(|&id| self.export_method(self.method(id), format))
                    .collect(),
            });
        };
        if !class.given {
            return Some(Event::Found {
                loader: class.loader.0,
                name: &class.name,
                content: xxh3_128(&file.bytes),
            });
        }
        let origin = match class.hidden {
            true => Origin::Hidden { host: class.host },
            false => Origin::Given,
        };
        Some(Event::Given {
            loader: class.loader.0,
            name: &class.name,
            module: &class.module,
            origin,
            bytes: &file.bytes,
        })
    }

    /// Creates what another world has and this one has not. One of the two must be a beginning of the other: the same JDK
    /// and class path, the same boot, and after it the same in the same order. Where they differ, nothing or only a part
    /// of it was created, and numbers of that world must not be used here.
    pub fn import(&self, world: &World<'_>, format: &Format) -> Result<(), Divergence> {
        let known = self.export(format).entries;
        for (here, there) in known.iter().zip(&world.entries) {
            agree(here, there)?;
        }
        for there in world.entries.iter().skip(known.len()) {
            let made = self.create(&there.event, format);
            let made = made.map_err(|error| Divergence(format!("{there} cannot be had here: {error}")))?;
            let here = match made {
                Made::Class(id) => self.class_entry(id, format),
                Made::Method(id) => Some(self.method_entry(id, format)),
            };
            match here {
                Some(here) => agree(&here, there)?,
                None => return Err(Divergence(format!("{there} is something else here"))),
            }
        }
        for (loader, name, class) in &world.answers {
            self.record(LoaderId(*loader), name, *class);
        }
        Ok(())
    }

    fn create(&self, event: &Event<'_>, format: &Format) -> Result<Made, LoadError> {
        match event {
            Event::Found { loader, name, .. } => self.load(LoaderId(*loader), name).map(Made::Class),
            Event::Array { element } => self.array_of(*element).map(Made::Class),
            Event::Given {
                loader,
                name: _,
                module,
                origin,
                bytes,
            } => self
                .define_as(LoaderId(*loader), Bytes::from(*bytes), (*module).into(), *origin)
                .map(Made::Class),
            Event::Made {
                name,
                flags,
                super_class,
                interfaces,
                host,
                fields,
                methods,
            } => self
                .synthesize(SyntheticClass {
                    name,
                    flags: *flags,
                    super_class: *super_class,
                    interfaces: interfaces.clone(),
                    host: *host,
                    fields: fields
                        .iter()
                        .map(|(name, kind, flags)| (name.as_str(), kind.as_str(), *flags))
                        .collect(),
                    methods: methods.iter().map(|method| read_method(method, format)).collect(),
                })
                .map(Made::Class),
            Event::Method { class, method } => self
                .detached_method(*class, read_method(method, format))
                .map(Made::Method),
            Event::Body { of } => self.body_of(*of).map(Made::Method),
        }
    }
}

/// What an entry has led to.
enum Made {
    Class(ClassId),
    Method(MethodId),
}

fn agree(here: &Entry<'_>, there: &Entry<'_>) -> Result<(), Divergence> {
    if here == there {
        return Ok(());
    }
    let (one, two) = (here.to_string(), there.to_string());
    Err(Divergence(if one == two {
        format!("{one} has other content here than there")
    } else {
        format!("{one} here is {two} there")
    }))
}

/// What was created, in words and with its number.
impl fmt::Display for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number;
        let class = |name: &str| quoted(name.replace('/', ".")).to_string();
        match &self.event {
            Event::Found { loader, name, .. } => write!(f, "class {number} ({}, by loader {loader})", class(name)),
            Event::Array { element } => write!(f, "class {number} (the array of class {element})"),
            Event::Given { loader, name, .. } => {
                write!(
                    f,
                    "class {number} ({}, defined by the program for loader {loader})",
                    class(name)
                )
            }
            Event::Made { name, .. } => write!(f, "class {number} ({}, made by the machine)", class(name)),
            Event::Method { class: of, method } => {
                write!(
                    f,
                    "method {number} ({} for class {of}, made by the machine)",
                    quoted(method.name)
                )
            }
            Event::Body { of } => write!(f, "method {number} (the body of method {of})"),
        }
    }
}

fn read_method<'c>(method: &'c MadeMethod<'_>, format: &Format) -> MethodSpec<'c> {
    MethodSpec {
        name: method.name,
        descriptor: method.descriptor,
        flags: method.flags,
        hidden: method.hidden,
        code: method
            .code
            .as_deref()
            .filter(|_| method.flags & flags::ABSTRACT == 0)
            .and_then(format.read),
    }
}
