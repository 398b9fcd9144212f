//! The class file format (JVMS §4), read in one pass into our own form.
//!
//! Code and annotations stay where they are in the file's bytes and are only pointed at; whatever uses them decodes
//! them. Every index into the constant pool is checked for its kind here, so later readers may rely on it.

mod attributes;
mod code;
mod constants;
mod cursor;
mod error;
mod names;
mod pool;
mod reader;
mod utf8;

pub use error::{FormatError, FormatErrorKind};
pub use pool::{Constant, Pool, Utf8};

use crate::bytes::Bytes;
use std::ops::Range;

/// The newest class file version that is understood: JDK 25.
pub const NEWEST_MAJOR: u16 = 69;

/// Access and property flags (JVMS tables 4.1-B, 4.5-A, 4.6-A), as they stand in the file.
pub mod flags {
    #![allow(missing_docs)] // the names are those of the specification
    pub const PUBLIC: u16 = 0x0001;
    pub const PRIVATE: u16 = 0x0002;
    pub const PROTECTED: u16 = 0x0004;
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    pub const SUPER: u16 = 0x0020;
    pub const SYNCHRONIZED: u16 = 0x0020;
    pub const VOLATILE: u16 = 0x0040;
    pub const BRIDGE: u16 = 0x0040;
    pub const VARARGS: u16 = 0x0080;
    pub const TRANSIENT: u16 = 0x0080;
    pub const NATIVE: u16 = 0x0100;
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    pub const STRICT: u16 = 0x0800;
    pub const SYNTHETIC: u16 = 0x1000;
    pub const ANNOTATION: u16 = 0x2000;
    pub const ENUM: u16 = 0x4000;
    pub const MODULE: u16 = 0x8000;
}

/// An index into the constant pool, already known to be of the right kind.
pub type Index = u16;

/// One class file.
#[derive(Debug)]
pub struct ClassFile {
    /// The file itself; every range below points into it.
    pub bytes: Bytes,
    /// Major version, 45 to [`NEWEST_MAJOR`].
    pub major: u16,
    /// Minor version.
    pub minor: u16,
    /// Access flags.
    pub flags: u16,
    /// Constants.
    pub pool: Pool,
    /// Class constant that names this class.
    pub this_class: Index,
    /// Class constant of the superclass; 0 for `java.lang.Object` and modules.
    pub super_class: Index,
    /// Class constants of the direct interfaces.
    pub interfaces: Vec<Index>,
    /// Fields in file order.
    pub fields: Vec<FieldInfo>,
    /// Methods in file order.
    pub methods: Vec<MethodInfo>,
    /// `SourceFile`, a Utf8 constant.
    pub source_file: Option<Index>,
    /// `Signature`, a Utf8 constant.
    pub signature: Option<Index>,
    /// `InnerClasses`.
    pub inner_classes: Vec<InnerClass>,
    /// `EnclosingMethod`: class constant, and NameAndType constant or 0.
    pub enclosing_method: Option<(Index, Index)>,
    /// `NestHost`: class constant.
    pub nest_host: Option<Index>,
    /// `NestMembers`: class constants.
    pub nest_members: Vec<Index>,
    /// `PermittedSubclasses`: class constants; `None` if the class is not sealed.
    pub permitted: Option<Vec<Index>>,
    /// `Record` components; `None` if not a record.
    pub record: Option<Vec<RecordComponent>>,
    /// `BootstrapMethods`.
    pub bootstrap_methods: Vec<BootstrapMethod>,
    /// Bytes of `RuntimeVisibleAnnotations` (after name and length).
    pub annotations: Option<Range<usize>>,
    /// Bytes of `RuntimeVisibleTypeAnnotations`.
    pub type_annotations: Option<Range<usize>>,
}

/// A field as declared.
#[derive(Debug)]
pub struct FieldInfo {
    /// Access flags.
    pub flags: u16,
    /// Name, a Utf8 constant.
    pub name: Index,
    /// Descriptor, a Utf8 constant that is a well-formed field descriptor.
    pub descriptor: Index,
    /// `ConstantValue`: an Integer, Float, Long, Double or String constant.
    pub constant_value: Option<Index>,
    /// `Signature`, a Utf8 constant.
    pub signature: Option<Index>,
    /// Bytes of `RuntimeVisibleAnnotations`.
    pub annotations: Option<Range<usize>>,
    /// Bytes of `RuntimeVisibleTypeAnnotations`.
    pub type_annotations: Option<Range<usize>>,
}

/// A method as declared.
#[derive(Debug)]
pub struct MethodInfo {
    /// Access flags.
    pub flags: u16,
    /// Name, a Utf8 constant.
    pub name: Index,
    /// Descriptor, a Utf8 constant that is a well-formed method descriptor.
    pub descriptor: Index,
    /// `Code`; absent for native and abstract methods.
    pub code: Option<CodeInfo>,
    /// `Exceptions`: class constants.
    pub exceptions: Vec<Index>,
    /// `Signature`, a Utf8 constant.
    pub signature: Option<Index>,
    /// `MethodParameters`: name (Utf8 constant or 0) and flags.
    pub parameters: Option<Vec<(Index, u16)>>,
    /// Bytes of `RuntimeVisibleAnnotations`.
    pub annotations: Option<Range<usize>>,
    /// Bytes of `RuntimeVisibleParameterAnnotations`.
    pub parameter_annotations: Option<Range<usize>>,
    /// Bytes of `AnnotationDefault`.
    pub annotation_default: Option<Range<usize>>,
    /// Bytes of `RuntimeVisibleTypeAnnotations`.
    pub type_annotations: Option<Range<usize>>,
}

/// The `Code` attribute.
#[derive(Debug)]
pub struct CodeInfo {
    /// Operand stack slots.
    pub max_stack: u16,
    /// Local variable slots.
    pub max_locals: u16,
    /// The bytecode, 1 to 65535 bytes of the file.
    pub code: Range<usize>,
    /// Exception table, in order.
    pub handlers: Vec<HandlerInfo>,
    /// `LineNumberTable`s, joined and sorted: first bytecode index, line. Ask [`CodeInfo::line`].
    pub lines: Vec<(u16, u16)>,
    /// `LocalVariableTable`s, joined.
    pub locals: Vec<LocalInfo>,
    /// Bytes of `StackMapTable` (after name and length).
    pub stack_map: Option<Range<usize>>,
}

impl CodeInfo {
    /// The source line of the instruction at `bci`, as `java` prints it in a stack trace; `None` if it prints none. Where
    /// several rows begin at the same index, the first counts for that index and the last for those after it.
    pub fn line(&self, bci: usize) -> Option<u16> {
        let bci = u16::try_from(bci).ok()?;
        let first = self.lines.partition_point(|row| row.0 < bci);
        let row = match self.lines.get(first) {
            Some(row) if row.0 == bci => Some(row),
            _ => self.lines.get(..first).and_then(<[_]>::last),
        };
        row.map(|row| row.1)
    }
}

/// A row of the exception table; all positions are bytecode indexes.
#[derive(Debug, Clone, Copy)]
pub struct HandlerInfo {
    /// First covered instruction.
    pub start: u16,
    /// First instruction no longer covered.
    pub end: u16,
    /// Where the handler begins.
    pub target: u16,
    /// Class constant of what is caught; 0 catches all.
    pub class: Index,
}

/// A row of the local variable table.
#[derive(Debug, Clone, Copy)]
pub struct LocalInfo {
    /// First bytecode index at which the variable has a value.
    pub start: u16,
    /// Length of the range in bytes.
    pub length: u16,
    /// Name, a Utf8 constant.
    pub name: Index,
    /// Descriptor, a Utf8 constant.
    pub descriptor: Index,
    /// Local variable slot.
    pub slot: u16,
}

/// A row of `InnerClasses`.
#[derive(Debug, Clone, Copy)]
pub struct InnerClass {
    /// Class constant of the inner class.
    pub inner: Index,
    /// Class constant of the outer class, or 0.
    pub outer: Index,
    /// Simple name, a Utf8 constant, or 0 for an anonymous class.
    pub name: Index,
    /// Access flags as in the source.
    pub flags: u16,
}

/// A component of a record.
#[derive(Debug)]
pub struct RecordComponent {
    /// Name, a Utf8 constant.
    pub name: Index,
    /// Descriptor, a Utf8 constant.
    pub descriptor: Index,
    /// `Signature`, a Utf8 constant.
    pub signature: Option<Index>,
    /// Bytes of `RuntimeVisibleAnnotations`.
    pub annotations: Option<Range<usize>>,
    /// Bytes of `RuntimeVisibleTypeAnnotations`.
    pub type_annotations: Option<Range<usize>>,
}

/// An entry of `BootstrapMethods`.
#[derive(Debug, Clone)]
pub struct BootstrapMethod {
    /// A MethodHandle constant.
    pub method: Index,
    /// Loadable constants.
    pub arguments: Vec<Index>,
}
