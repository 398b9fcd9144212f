//! Linked classes, fields and methods: made once, never changed, shared by all states.

use super::names::Symbol;
use crate::classfile::{ClassFile, FieldInfo, MethodInfo, flags};
use crate::descriptor::Kind;
use crate::ir::Code;
use crate::lower::LowerError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// A class, numbered from 1 in the order of loading.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
#[repr(transparent)]
pub struct ClassId(pub u32);

impl ClassId {
    /// The number as an index.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ClassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// As the number, which is all that messages show.
impl fmt::Debug for ClassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A method, numbered from 1 in the order of loading.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MethodId(pub u32);

impl fmt::Display for MethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// As the number, which is all that messages show.
impl fmt::Debug for MethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Words before the fields of an object: class and flags, the lock word, and what is known of how it is accessed.
pub const HEADER_WORDS: u32 = 3;
/// Words before the elements of an array: class and flags, lock, length, and what is known of how it is accessed. So elements
/// begin at a multiple of eight bytes from the object's start, as the JDK's own code expects.
pub const ARRAY_HEADER_WORDS: u32 = 4;
/// Which word of an array holds its length.
pub const ARRAY_LENGTH: u32 = 2;

/// Who defined a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoaderId(pub u32);

impl LoaderId {
    /// The bootstrap loader.
    pub const BOOT: LoaderId = LoaderId(0);
    /// The platform loader: the JDK's less trusted modules.
    pub const PLATFORM: LoaderId = LoaderId(1);
    /// The application loader: the class path.
    pub const APP: LoaderId = LoaderId(2);

    /// Whether classes are found without running any Java code.
    pub fn is_builtin(self) -> bool {
        self.0 <= 2
    }
}

/// What sort of class it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// A class or interface.
    Instance,
    /// An array of this element class.
    Array(ClassId),
    /// A primitive type; `None` is void.
    Primitive(Option<Kind>),
    /// The layout of the static fields of a class: one object of this class exists for each loaded class.
    Statics(ClassId),
}

/// A field with its place.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Name.
    pub name: Symbol,
    /// Descriptor.
    pub descriptor: Symbol,
    /// Access flags.
    pub flags: u16,
    /// Word offset from the start of the object, or of the object that holds the static fields.
    pub offset: u32,
    /// Kind of value.
    pub kind: Kind,
    /// Position in the class file; `u16::MAX` for fields that only the machine knows.
    pub index: u16,
}

impl Field {
    /// Whether it belongs to the class and not to its objects.
    pub fn is_static(&self) -> bool {
        self.flags & flags::STATIC != 0
    }

    /// Whether it is volatile.
    pub fn is_volatile(&self) -> bool {
        self.flags & flags::VOLATILE != 0
    }
}

/// A loaded and linked class.
pub struct Class {
    /// Its number.
    pub id: ClassId,
    /// Internal name: `java/lang/String`, `[I`, `int`.
    pub name: Arc<str>,
    /// Who defined it.
    pub loader: LoaderId,
    /// Access flags of the class file.
    pub flags: u16,
    /// Sort.
    pub kind: ClassKind,
    /// Direct superclass.
    pub super_class: Option<ClassId>,
    /// Direct interfaces.
    pub interfaces: Box<[ClassId]>,
    /// The chain of superclasses from `java.lang.Object` down to this class.
    pub supers: Box<[ClassId]>,
    /// All interfaces that it is assignable to, itself included if it is one, ascending.
    pub all_interfaces: Box<[ClassId]>,
    /// The class file; absent for arrays, primitives and what the machine made.
    pub file: Option<Arc<ClassFile>>,
    /// The module that it came from; empty for the class path.
    pub module: Arc<str>,
    /// Declared fields.
    pub fields: Box<[Field]>,
    /// Declared methods.
    pub methods: Box<[MethodId]>,
    /// Name and descriptor of each declared method.
    pub keys: Box<[(Symbol, Symbol)]>,
    /// Words of an instance, header included; for arrays, of the header.
    pub words: u32,
    /// Offsets of the words of an instance that hold references, inherited ones included, ascending.
    pub references: Box<[u32]>,
    /// Offsets of its longs and doubles, inherited ones included, ascending.
    pub wides: Box<[u32]>,
    /// The class that lays out the static fields, if there are any.
    pub statics: Option<ClassId>,
    /// `<clinit>`, if there is one.
    pub initializer: Option<MethodId>,
    /// For arrays, log2 of the bytes of an element.
    pub element_shift: u8,
    /// Whether the program itself defined it from bytes while it ran.
    pub given: bool,
    /// Whether another class was ever linked to it by its name: then no other version of it can take its place.
    pub named: AtomicBool,
    /// Whether it was defined as a hidden class.
    pub hidden: bool,
    /// The class in whose nest this hidden class was put.
    pub host: Option<ClassId>,
    /// The class of arrays of this class, once it was asked for.
    pub array: OnceLock<ClassId>,
}

impl Class {
    /// Whether it is an interface.
    pub fn is_interface(&self) -> bool {
        self.flags & flags::INTERFACE != 0 && self.kind == ClassKind::Instance
    }

    /// Whether it is abstract (interfaces are).
    pub fn is_abstract(&self) -> bool {
        self.flags & flags::ABSTRACT != 0
    }

    /// Whether it is an array class.
    pub fn is_array(&self) -> bool {
        matches!(self.kind, ClassKind::Array(_))
    }

    /// Whether it is a primitive type.
    pub fn is_primitive(&self) -> bool {
        matches!(self.kind, ClassKind::Primitive(_))
    }

    /// The element class of an array.
    pub fn element(&self) -> Option<ClassId> {
        match self.kind {
            ClassKind::Array(element) => Some(element),
            _ => None,
        }
    }

    /// The package part of the internal name.
    pub fn package(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(package, _)| package)
    }

    /// The name as Java prints it: `java.lang.String`.
    pub fn external_name(&self) -> String {
        self.name.replace('/', ".")
    }

    /// The type descriptor: `Ljava/lang/String;`, `[I`, `I`.
    pub fn descriptor(&self) -> String {
        match self.kind {
            ClassKind::Array(_) => self.name.to_string(),
            ClassKind::Primitive(None) => "V".to_owned(),
            ClassKind::Primitive(Some(kind)) => kind.letter().to_string(),
            ClassKind::Instance | ClassKind::Statics(_) => format!("L{};", self.name),
        }
    }
}

/// A method.
pub struct Method {
    /// Its number.
    pub id: MethodId,
    /// The class that declares it.
    pub class: ClassId,
    /// Position in the class file; `u16::MAX` for methods that the machine made.
    pub index: u16,
    /// Name.
    pub name: Symbol,
    /// Descriptor.
    pub descriptor: Symbol,
    /// Access flags.
    pub flags: u16,
    /// Words of the arguments, the receiver included.
    pub argument_words: u16,
    /// What it returns; `None` is void.
    pub returns: Option<Kind>,
    /// Left out of stack traces: marked so by the JDK, or made by the machine.
    pub hidden: bool,
    /// Marked `@CallerSensitive` by the JDK.
    pub caller_sensitive: bool,
    /// Stands for the body of a method that is taken over otherwise.
    pub is_body: bool,
    pub(super) file: Option<Arc<ClassFile>>,
    pub(super) code: OnceLock<Result<Code, LowerError>>,
}

impl Method {
    /// Whether it has no receiver.
    pub fn is_static(&self) -> bool {
        self.flags & flags::STATIC != 0
    }

    /// Whether the body is native.
    pub fn is_native(&self) -> bool {
        self.flags & flags::NATIVE != 0
    }

    /// Whether there is no body.
    pub fn is_abstract(&self) -> bool {
        self.flags & flags::ABSTRACT != 0
    }

    /// Whether it is private.
    pub fn is_private(&self) -> bool {
        self.flags & flags::PRIVATE != 0
    }

    /// The declaration in the class file, if it has one.
    pub fn info(&self) -> Option<(&Arc<ClassFile>, &MethodInfo)> {
        let file = self.file.as_ref()?;
        file.methods.get(usize::from(self.index)).map(|info| (file, info))
    }

    /// The source line of a bytecode index.
    pub fn line(&self, bci: u16) -> Option<u16> {
        let lines = &self.info()?.1.code.as_ref()?.lines;
        let after = lines.partition_point(|&(start, _)| start <= bci);
        lines.get(after.checked_sub(1)?).map(|&(_, line)| line)
    }
}

/// The declaration of a field, if the class file has one.
pub fn field_info<'c>(class: &'c Class, field: &Field) -> Option<&'c FieldInfo> {
    class.file.as_ref()?.fields.get(usize::from(field.index))
}
