//! The world as data: what another process needs so that numbers of classes and methods mean the same there.
//!
//! Numbers are given in the order of creation. So the world is written down as the list of what was created, in that
//! order; reading it creates the same again. What comes from class files is only named, what the program or the
//! machine has made is there in full.

use super::class::*;
use super::define::{MethodSpec, Origin, SyntheticClass};
use super::load::LoadError;
use super::program::Program;
use crate::bytes::Bytes;
use crate::classfile::flags;
use crate::ir::Code;
use serde::{Deserialize, Serialize};

/// Everything that was created in a world, in order.
#[derive(Serialize, Deserialize)]
pub struct World<'c> {
    #[serde(borrow)]
    events: Vec<Event<'c>>,
    /// Loader, name, class: what loaders of the program's own have answered.
    answers: Vec<(u32, String, ClassId)>,
}

#[derive(Serialize, Deserialize)]
enum Event<'c> {
    /// A class was found by its name.
    Found { loader: u32, name: &'c str },
    /// An array class was made.
    Array { element: ClassId },
    /// The program defined a class from these bytes.
    Given {
        loader: u32,
        module: &'c str,
        hidden: Option<ClassId>,
        bytes: &'c [u8],
    },
    /// The machine made a class.
    Made {
        name: &'c str,
        flags: u16,
        super_class: ClassId,
        interfaces: Vec<ClassId>,
        host: ClassId,
        fields: Vec<(String, String, u16)>,
        #[serde(borrow)]
        methods: Vec<MadeMethod<'c>>,
    },
    /// The machine made a method outside of any class's members.
    Method { class: ClassId, method: MadeMethod<'c> },
}

#[derive(Serialize, Deserialize)]
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

impl Program {
    /// Writes the world down.
    pub fn export(&self, format: &Format) -> World<'_> {
        let mut events = Vec::new();
        let mut next_method = 1;
        for id in 1..self.class_end() {
            let class = self.class(id);
            let methods_before = class.methods.first().copied().unwrap_or(next_method);
            self.export_methods(next_method, methods_before, format, &mut events);
            next_method = class.methods.last().map_or(methods_before, |last| last + 1);
            events.extend(self.export_class(class, format));
        }
        self.export_methods(next_method, self.method_end(), format, &mut events);
        World {
            events,
            answers: self.answers(),
        }
    }

    fn export_methods<'c>(&'c self, from: MethodId, to: MethodId, format: &Format, events: &mut Vec<Event<'c>>) {
        for id in from..to {
            let method = self.method(id);
            events.push(Event::Method {
                class: method.class,
                method: self.export_method(method, format),
            });
        }
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
                super_class: class.super_class,
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
            });
        }
        let hidden = class.hidden.then_some(class.host);
        Some(Event::Given {
            loader: class.loader.0,
            module: &class.module,
            hidden,
            bytes: &file.bytes,
        })
    }

    /// Creates what another world has and this one has not. This world must be a beginning of the other: the same JDK
    /// and class path, the same boot, and nothing after it that the other has not done.
    pub fn import(&self, world: &World<'_>, format: &Format) -> Result<(), LoadError> {
        let known = self.export(format).events.len();
        if known > world.events.len() {
            return Err(LoadError::Linkage("this world has grown in another way".to_owned()));
        }
        for (position, event) in world.events.iter().enumerate() {
            if position < known {
                continue;
            }
            let (classes, methods) = (self.class_end(), self.method_end());
            self.create(event, format)?;
            if (classes, methods) == (self.class_end(), self.method_end()) {
                return Err(LoadError::Linkage("this world has grown in another way".to_owned()));
            }
        }
        for (loader, name, class) in &world.answers {
            self.record(LoaderId(*loader), name, *class);
        }
        Ok(())
    }

    fn create(&self, event: &Event<'_>, format: &Format) -> Result<(), LoadError> {
        match event {
            Event::Found { loader, name } => self.load(LoaderId(*loader), name).map(|_| ()),
            Event::Array { element } => self.array_of(*element).map(|_| ()),
            Event::Given {
                loader,
                module,
                hidden,
                bytes,
            } => {
                let origin = hidden.map_or(Origin::Given, |host| Origin::Hidden { host });
                self.define_as(LoaderId(*loader), Bytes::from(*bytes), (*module).into(), origin)
                    .map(|_| ())
            }
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
                .map(|_| ()),
            Event::Method { class, method } => self.detached_method(*class, read_method(method, format)).map(|_| ()),
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
