//! Defining: from bytes, or from a plan of the machine's own, to a linked class.

use super::class::*;
use super::layout::Layout;
use super::load::LoadError;
use super::program::Program;
use crate::bytes::Bytes;
use crate::classfile::{ClassFile, FormatErrorKind, MethodInfo, flags};
use crate::descriptor::{self, Kind};
use crate::ir::Code;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// Fields that the machine adds to JDK classes, to keep what a JVM keeps beside them.
const INJECTED: &[(&str, &str, &str)] = &[
    ("java/lang/Class", "$class", "I"),
    ("java/lang/ClassLoader", "$loader", "I"),
    ("java/lang/invoke/MemberName", "$index", "I"),
    ("java/lang/invoke/ResolvedMethodName", "$method", "I"),
];

/// A method of a class that the machine makes.
pub struct MethodSpec<'n> {
    /// Name.
    pub name: &'n str,
    /// Descriptor.
    pub descriptor: &'n str,
    /// Access flags.
    pub flags: u16,
    /// Left out of stack traces.
    pub hidden: bool,
    /// Its body; `None` for an abstract method.
    pub code: Option<Code>,
}

/// A class that the machine makes without a class file.
pub struct SyntheticClass<'n> {
    /// Internal name; need not be unique.
    pub name: &'n str,
    /// Access flags.
    pub flags: u16,
    /// Superclass.
    pub super_class: ClassId,
    /// Direct interfaces.
    pub interfaces: Vec<ClassId>,
    /// In whose nest and package it lives.
    pub host: Option<ClassId>,
    /// Name, descriptor and flags of each field.
    pub fields: Vec<(&'n str, &'n str, u16)>,
    /// Methods.
    pub methods: Vec<MethodSpec<'n>>,
}

impl Program {
    /// Defines a class from bytes, as `ClassLoader.defineClass` does. `name` is what the caller expects it to be.
    pub fn define(&self, loader: LoaderId, name: Option<&str>, bytes: Bytes) -> Result<ClassId, LoadError> {
        let _guard = self.loading.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.define_locked(loader, name, bytes, "".into(), Origin::Given, &mut Vec::new())
    }

    /// Defines a hidden class in the package and loader of `host`.
    pub fn define_hidden(&self, host: ClassId, nest: bool, bytes: Bytes) -> Result<ClassId, LoadError> {
        let _guard = self.loading.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let host_class = self.class(host);
        let (loader, module) = (host_class.loader, host_class.module.clone());
        self.define_locked(
            loader,
            None,
            bytes,
            module,
            Origin::Hidden {
                host: nest.then_some(host),
            },
            &mut Vec::new(),
        )
    }

    /// Defines a class that another world was given.
    pub(super) fn define_as(
        &self,
        loader: LoaderId,
        bytes: Bytes,
        module: Arc<str>,
        origin: Origin,
    ) -> Result<ClassId, LoadError> {
        let _guard = self.loading.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.define_locked(loader, None, bytes, module, origin, &mut Vec::new())
    }

    /// What loaders of the program's own have answered: loader, name, class.
    pub(super) fn answers(&self) -> Vec<(u32, String, ClassId)> {
        let by_name = self.by_name.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        let own = by_name.iter().filter(|((loader, _), _)| !loader.is_builtin());
        let mut answers: Vec<_> = own
            .map(|((loader, name), &class)| (loader.0, name.to_string(), class))
            .collect();
        answers.sort();
        answers
    }

    pub(super) fn define_locked(
        &self,
        loader: LoaderId,
        name: Option<&str>,
        bytes: Bytes,
        module: Arc<str>,
        origin: Origin,
        path: &mut Vec<Arc<str>>,
    ) -> Result<ClassId, LoadError> {
        let hidden = matches!(origin, Origin::Hidden { .. });
        let shown = name.unwrap_or("the given bytes").replace('/', ".");
        let file = Arc::new(ClassFile::parse(bytes).map_err(|error| {
            let message = format!("{shown}: {error}");
            if error.kind == FormatErrorKind::Version {
                LoadError::Version(message)
            } else {
                LoadError::Format(message)
            }
        })?);
        // Class files of version 45 came with Java 1.1; from then on, each feature release has its own.
        let newest = self.class_path.feature() + 44;
        if file.major > newest {
            return Err(LoadError::Version(format!(
                "{} has been compiled by a more recent version of the Java Runtime (class file version {}.{}), this version of \
                 the Java Runtime only recognizes class file versions up to {newest}.0",
                file.pool.class_name(file.this_class),
                file.major,
                file.minor
            )));
        }
        let own_name = file.pool.class_name(file.this_class);
        if name.is_some_and(|name| name != own_name) {
            return Err(LoadError::NotFound(format!(
                "{} (wrong name: {own_name})",
                name.unwrap_or_default()
            )));
        }
        let own_name: Arc<str> = own_name.into();
        let mut super_class = None;
        if file.super_class != 0 {
            super_class = Some(self.load_locked(loader, file.pool.class_name(file.super_class), path)?);
        } else if &*own_name != "java/lang/Object" {
            return Err(LoadError::Format(format!("{shown} has no superclass")));
        }
        let mut interfaces = Vec::with_capacity(file.interfaces.len());
        for &interface in &file.interfaces {
            interfaces.push(self.load_locked(loader, file.pool.class_name(interface), path)?);
        }
        self.check_hierarchy(&own_name, hidden, &file, super_class, &interfaces)?;
        let declared_fields: Vec<_> = file
            .fields
            .iter()
            .map(|field| {
                (
                    file.pool.text(field.name),
                    file.pool.text(field.descriptor),
                    field.flags,
                )
            })
            .collect();
        let shape = Shape {
            flags: file.flags,
            super_class,
            interfaces,
            fields: &declared_fields,
            host: match origin {
                Origin::Hidden { host } => host,
                Origin::Found | Origin::Given => None,
            },
            hidden,
            given: origin != Origin::Found,
            module,
            file: Some(file.clone()),
        };
        let class_name = match hidden {
            // Hidden classes are told apart by a suffix that no class file can name.
            true => format!("{own_name}+0x{:08x}", self.class_end().0).into(),
            false => own_name.clone(),
        };
        let class = self.assemble(class_name, loader, shape, |class| {
            let mut ids = Vec::with_capacity(file.methods.len());
            for (index, info) in file.methods.iter().enumerate() {
                ids.push(self.add_method(class, index as u16, &file, info)?);
            }
            Ok(ids)
        })?;
        if !hidden {
            self.record(loader, &own_name, class);
        }
        Ok(class)
    }

    /// Makes a class without a class file. It is not found by name.
    pub fn synthesize(&self, spec: SyntheticClass<'_>) -> Result<ClassId, LoadError> {
        let _guard = self.loading.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (loader, module) = match spec.host {
            None => (LoaderId::BOOT, "java.base".into()),
            Some(host) => (self.class(host).loader, self.class(host).module.clone()),
        };
        let shape = Shape {
            flags: spec.flags,
            super_class: Some(spec.super_class),
            interfaces: spec.interfaces,
            fields: &spec.fields,
            host: spec.host,
            hidden: true,
            given: false,
            module,
            file: None,
        };
        self.assemble(spec.name.into(), loader, shape, |class| {
            let mut ids = Vec::with_capacity(spec.methods.len());
            for method in spec.methods {
                ids.push(self.synthetic_method(class, method)?);
            }
            Ok(ids)
        })
    }

    fn synthetic_method(&self, class: ClassId, spec: MethodSpec<'_>) -> Result<MethodId, LoadError> {
        let receiver = u16::from(spec.flags & flags::STATIC == 0);
        let code = OnceLock::new();
        if let Some(body) = spec.code {
            let _ = code.set(Ok(body));
        }
        self.methods
            .push_with(|id| Method {
                id: MethodId(id),
                class,
                index: u16::MAX,
                name: self.names.intern(spec.name),
                descriptor: self.names.intern(spec.descriptor),
                flags: spec.flags,
                argument_words: descriptor::argument_words(spec.descriptor) as u16 + receiver,
                returns: descriptor::return_type(spec.descriptor).map(|(_, kind)| kind),
                hidden: spec.hidden,
                caller_sensitive: false,
                is_body: false,
                file: None,
                code,
            })
            .map(MethodId)
            .ok_or_else(|| LoadError::Linkage("too many methods".to_owned()))
    }

    /// The body of a method as a method of its own, for one that is taken over where it does not apply.
    pub fn body_of(&self, of: MethodId) -> Result<MethodId, LoadError> {
        let mut bodies = self.bodies.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&known) = bodies.get(&of) {
            return Ok(known);
        }
        let method = self.method(of);
        let body = self
            .methods
            .push_with(|id| Method {
                id: MethodId(id),
                class: method.class,
                index: method.index,
                name: method.name,
                descriptor: method.descriptor,
                flags: method.flags,
                argument_words: method.argument_words,
                returns: method.returns,
                hidden: method.hidden,
                caller_sensitive: method.caller_sensitive,
                is_body: true,
                file: method.file.clone(),
                code: OnceLock::new(),
            })
            .map(MethodId)
            .ok_or_else(|| LoadError::Linkage("too many methods".to_owned()))?;
        bodies.insert(of, body);
        Ok(body)
    }

    /// Adds a method to the world that belongs to `class` but is not among the members that lookups find.
    pub fn detached_method(&self, class: ClassId, spec: MethodSpec<'_>) -> Result<MethodId, LoadError> {
        self.synthetic_method(class, spec)
    }

    fn check_hierarchy(
        &self,
        name: &str,
        hidden: bool,
        file: &ClassFile,
        super_class: Option<ClassId>,
        interfaces: &[ClassId],
    ) -> Result<(), LoadError> {
        let fail = |what: String| Err(LoadError::Incompatible(what));
        let shown = name.replace('/', ".");
        if let Some(parent) = super_class {
            let parent = self.class(parent);
            if parent.is_interface() {
                return fail(format!(
                    "class {shown} has interface {} as super class",
                    parent.external_name()
                ));
            }
            if parent.flags & flags::FINAL != 0 {
                return fail(format!(
                    "class {shown} cannot inherit from final class {}",
                    parent.external_name()
                ));
            }
            if file.flags & flags::INTERFACE != 0 && &*parent.name != "java/lang/Object" {
                return Err(LoadError::Format(format!(
                    "interface {shown} must have java.lang.Object as superclass"
                )));
            }
        }
        for &interface in interfaces {
            let interface = self.class(interface);
            if !interface.is_interface() {
                return fail(format!(
                    "class {shown} can not implement {}, because it is not an interface",
                    interface.external_name()
                ));
            }
        }
        for &above in super_class.iter().chain(interfaces) {
            let above = self.class(above);
            let Some(permitted) = above
                .file
                .as_ref()
                .and_then(|file| file.permitted.as_ref().map(|list| (file, list)))
            else {
                continue;
            };
            // A hidden class has a name that no list can hold.
            if hidden
                || !permitted
                    .1
                    .iter()
                    .any(|&index| permitted.0.pool.class_name(index) == name)
            {
                return fail(format!(
                    "class {shown} cannot inherit from sealed class {}",
                    above.external_name()
                ));
            }
        }
        Ok(())
    }

    /// Lays a class out and enters it.
    fn assemble(
        &self,
        name: Arc<str>,
        loader: LoaderId,
        shape: Shape<'_>,
        methods: impl FnOnce(ClassId) -> Result<Vec<MethodId>, LoadError>,
    ) -> Result<ClassId, LoadError> {
        let mut layout = Layout::default();
        let mut supers = Vec::new();
        let mut all_interfaces = Vec::new();
        if let Some(parent) = shape.super_class {
            let parent = self.class(parent);
            layout = Layout::after(parent);
            supers.extend_from_slice(&parent.supers);
            all_interfaces.extend_from_slice(&parent.all_interfaces);
        }
        for &interface in &shape.interfaces {
            all_interfaces.extend_from_slice(&self.class(interface).all_interfaces);
        }
        let mut static_layout = Layout::default();
        let mut fields = Vec::with_capacity(shape.fields.len());
        let injected = INJECTED
            .iter()
            .filter(|(class, ..)| **class == *name)
            .map(|&(_, field, descriptor)| (field, descriptor, 0));
        for (index, (field, descriptor, field_flags)) in shape.fields.iter().copied().chain(injected).enumerate() {
            let kind = Kind::of(descriptor).unwrap_or(Kind::Reference);
            let of = match field_flags & flags::STATIC {
                0 => &mut layout,
                _ => &mut static_layout,
            };
            let index = if index < shape.fields.len() {
                index as u16
            } else {
                u16::MAX
            };
            let (name, descriptor) = (self.names.intern(field), self.names.intern(descriptor));
            fields.push(Field {
                name,
                descriptor,
                flags: field_flags,
                offset: of.place(kind),
                kind,
                index,
            });
        }
        let statics_name: Arc<str> = format!("{name}$statics").into();
        // The class and its statics refer to each other: the number of the second is known in advance because
        // loading is serialised.
        let statics = if static_layout.words > HEADER_WORDS {
            let owner = ClassId(self.class_end().0 + 1);
            Some(self.add(|id| Class {
                kind: ClassKind::Statics(owner),
                flags: flags::FINAL,
                words: static_layout.words,
                references: static_layout.references.into(),
                wides: static_layout.wides.into(),
                supers: [id].into(),
                ..blank(id, statics_name, loader)
            })?)
        } else {
            None
        };
        let id = self.class_end();
        let methods = methods(id)?;
        let keys: Box<[_]> = methods
            .iter()
            .map(|&method| (self.method(method).name, self.method(method).descriptor))
            .collect();
        let clinit = (self.names.intern("<clinit>"), self.names.intern("()V"));
        let initializer = keys.iter().position(|key| *key == clinit);
        let initializer = initializer
            .map(|position| methods[position])
            .filter(|&method| self.method(method).is_static());
        supers.push(id);
        if shape.flags & flags::INTERFACE != 0 {
            all_interfaces.push(id);
        }
        all_interfaces.sort_unstable();
        all_interfaces.dedup();
        self.add(|given| {
            debug_assert_eq!(given, id);
            Class {
                flags: shape.flags,
                super_class: shape.super_class,
                interfaces: shape.interfaces.into(),
                supers: supers.into(),
                all_interfaces: all_interfaces.into(),
                file: shape.file,
                module: shape.module,
                fields: fields.into(),
                methods: methods.into(),
                keys,
                words: layout.words,
                references: layout.references.into(),
                wides: layout.wides.into(),
                statics,
                initializer,
                given: shape.given,
                hidden: shape.hidden,
                host: shape.host,
                ..blank(given, name, loader)
            }
        })
    }

    fn add_method(
        &self,
        class: ClassId,
        index: u16,
        file: &Arc<ClassFile>,
        info: &MethodInfo,
    ) -> Result<MethodId, LoadError> {
        let descriptor = file.pool.text(info.descriptor);
        let receiver = u16::from(info.flags & flags::STATIC == 0);
        let marks = marks(file, info);
        self.methods
            .push_with(|id| Method {
                id: MethodId(id),
                class,
                index,
                name: self.names.intern(file.pool.text(info.name)),
                descriptor: self.names.intern(descriptor),
                flags: info.flags,
                argument_words: descriptor::argument_words(descriptor) as u16 + receiver,
                returns: descriptor::return_type(descriptor).map(|(_, kind)| kind),
                hidden: marks.hidden,
                caller_sensitive: marks.caller_sensitive,
                is_body: false,
                file: Some(file.clone()),
                code: OnceLock::new(),
            })
            .map(MethodId)
            .ok_or_else(|| LoadError::Linkage("too many methods".to_owned()))
    }
}

/// How a class file came to be defined.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Origin {
    /// It was found by name.
    Found,
    /// The program gave its bytes.
    Given,
    /// The program gave its bytes for a hidden class, in the nest of `host` if there is one.
    Hidden { host: Option<ClassId> },
}

/// What a class consists of before it is laid out.
struct Shape<'f> {
    flags: u16,
    super_class: Option<ClassId>,
    interfaces: Vec<ClassId>,
    fields: &'f [(&'f str, &'f str, u16)],
    host: Option<ClassId>,
    hidden: bool,
    given: bool,
    module: Arc<str>,
    file: Option<Arc<ClassFile>>,
}

pub(super) fn blank(id: ClassId, name: Arc<str>, loader: LoaderId) -> Class {
    Class {
        id,
        name,
        loader,
        flags: 0,
        kind: ClassKind::Instance,
        super_class: None,
        interfaces: Box::default(),
        supers: [id].into(),
        all_interfaces: Box::default(),
        file: None,
        module: "".into(),
        fields: Box::default(),
        methods: Box::default(),
        keys: Box::default(),
        words: HEADER_WORDS,
        references: Box::default(),
        wides: Box::default(),
        statics: None,
        initializer: None,
        element_shift: 0,
        given: false,
        named: AtomicBool::new(false),
        hidden: false,
        host: None,
        array: OnceLock::new(),
    }
}

/// The annotations of the JDK that change how the machine treats a method.
#[derive(Default)]
struct Marks {
    hidden: bool,
    caller_sensitive: bool,
}

fn marks(file: &ClassFile, info: &MethodInfo) -> Marks {
    let mut marks = Marks::default();
    let Some(bytes) = info.annotations.clone().and_then(|range| file.bytes.get(range)) else {
        return marks;
    };
    // The marks have no elements; the scan ends at the first annotation that has.
    let pair = |at: usize| bytes.get(at..at + 2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let count = usize::from(pair(0).unwrap_or(0));
    for position in 0..count {
        let (Some(name), Some(0)) = (pair(2 + 4 * position), pair(4 + 4 * position)) else {
            break;
        };
        match file.pool.text(name) {
            "Ljdk/internal/vm/annotation/Hidden;" | "Ljava/lang/invoke/LambdaForm$Hidden;" => marks.hidden = true,
            "Ljdk/internal/reflect/CallerSensitive;" => marks.caller_sensitive = true,
            _ => {}
        }
    }
    marks
}
