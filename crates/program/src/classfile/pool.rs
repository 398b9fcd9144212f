//! The constant pool (JVMS §4.4).
//!
//! The text of all Utf8 constants is decoded once into one buffer, so that a pool is two allocations however many
//! constants it has.

use super::Index;

/// A Utf8 constant: where its text lies in the pool's own buffer. Read it with [`Pool::text`] or [`Pool::units`]; two of
/// them are equal only if they are the same constant of the same pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf8 {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// One constant. Indexes inside a constant have been checked to point at the right kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// Slot 0 and the second slot of longs and doubles.
    Unusable,
    /// Text.
    Utf8(Utf8),
    /// `int`.
    Integer(i32),
    /// `float`, as bits.
    Float(u32),
    /// `long`.
    Long(i64),
    /// `double`, as bits.
    Double(u64),
    /// Class, interface or array by its Utf8 name (`java/lang/Object`, `[I`).
    Class(Index),
    /// String by its Utf8 text.
    String(Index),
    /// Field: class, name and type.
    Field(Index, Index),
    /// Method of a class: class, name and type.
    Method(Index, Index),
    /// Method of an interface: class, name and type.
    InterfaceMethod(Index, Index),
    /// Name and descriptor, both Utf8.
    NameAndType(Index, Index),
    /// Method handle: reference kind 1 to 9 and its Field, Method or InterfaceMethod constant.
    MethodHandle(u8, Index),
    /// Method type by its Utf8 descriptor.
    MethodType(Index),
    /// Constant computed by a bootstrap method: index into `bootstrap_methods`, name and type.
    Dynamic(u16, Index),
    /// Call site linked by a bootstrap method: index into `bootstrap_methods`, name and type.
    InvokeDynamic(u16, Index),
    /// Module by its Utf8 name.
    Module(Index),
    /// Package by its Utf8 name.
    Package(Index),
}

impl Constant {
    /// What kind of constant this is, as the specification calls it.
    pub fn kind(&self) -> &'static str {
        match self {
            Constant::Unusable => "unusable",
            Constant::Utf8(_) => "Utf8",
            Constant::Integer(_) => "Integer",
            Constant::Float(_) => "Float",
            Constant::Long(_) => "Long",
            Constant::Double(_) => "Double",
            Constant::Class(_) => "Class",
            Constant::String(_) => "String",
            Constant::Field(..) => "Fieldref",
            Constant::Method(..) => "Methodref",
            Constant::InterfaceMethod(..) => "InterfaceMethodref",
            Constant::NameAndType(..) => "NameAndType",
            Constant::MethodHandle(..) => "MethodHandle",
            Constant::MethodType(_) => "MethodType",
            Constant::Dynamic(..) => "Dynamic",
            Constant::InvokeDynamic(..) => "InvokeDynamic",
            Constant::Module(_) => "Module",
            Constant::Package(_) => "Package",
        }
    }
}

/// All constants of a class.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    pub(super) constants: Vec<Constant>,
    /// The text of every Utf8 constant, one after the other.
    pub(super) text: String,
    /// The exact units of the Utf8 constants that have lone surrogates, by rising index. Almost always empty.
    pub(super) units: Vec<(Index, Box<[u16]>)>,
}

impl Pool {
    /// The constant at `index`; `Unusable` when there is none.
    pub fn get(&self, index: Index) -> &Constant {
        self.constants.get(usize::from(index)).unwrap_or(&Constant::Unusable)
    }

    /// How many slots there are, slot 0 included.
    pub fn len(&self) -> usize {
        self.constants.len()
    }

    /// Whether there is no constant at all.
    pub fn is_empty(&self) -> bool {
        self.constants.is_empty()
    }

    /// The text of a Utf8 constant, or "" for another kind (which the reader has ruled out for checked indexes). A lone
    /// surrogate, which Rust text cannot hold, is U+FFFD here; [`Pool::units`] is exact.
    pub fn text(&self, index: Index) -> &str {
        match *self.get(index) {
            Constant::Utf8(Utf8 { start, end }) => self.text.get(start as usize..end as usize).unwrap_or(""),
            _ => "",
        }
    }

    /// The exact UTF-16 units of a Utf8 constant; none for another kind.
    pub fn units(&self, index: Index) -> impl Iterator<Item = u16> + '_ {
        let exact = self.lone(index).unwrap_or(&[]);
        let text = if exact.is_empty() { self.text(index) } else { "" };
        exact.iter().copied().chain(text.encode_utf16())
    }

    /// The units of a Utf8 constant where its text does not say it all, that is if it has lone surrogates.
    pub fn lone(&self, index: Index) -> Option<&[u16]> {
        let place = self.units.binary_search_by_key(&index, |entry| entry.0).ok()?;
        self.units.get(place).map(|entry| &*entry.1)
    }

    /// The name of a Class (or Module, Package, String) constant.
    pub fn class_name(&self, index: Index) -> &str {
        match *self.get(index) {
            Constant::Class(name) | Constant::Module(name) | Constant::Package(name) | Constant::String(name) => {
                self.text(name)
            }
            _ => "",
        }
    }

    /// Name and descriptor of a NameAndType constant.
    pub fn name_and_type(&self, index: Index) -> (&str, &str) {
        match *self.get(index) {
            Constant::NameAndType(name, descriptor) => (self.text(name), self.text(descriptor)),
            _ => ("", ""),
        }
    }

    /// Class, name and descriptor of a Field, Method or InterfaceMethod constant.
    pub fn member(&self, index: Index) -> (&str, &str, &str) {
        match *self.get(index) {
            Constant::Field(class, member)
            | Constant::Method(class, member)
            | Constant::InterfaceMethod(class, member) => {
                let (name, descriptor) = self.name_and_type(member);
                (self.class_name(class), name, descriptor)
            }
            _ => ("", "", ""),
        }
    }
}
