//! Loadable constants (JVMS §5.1): strings, classes, method types, method handles, dynamic constants.
//!
//! The link of a constant's site says where its value is found: its highest byte is one of the tags below, the low
//! bits are a number. Method types, method handles and dynamic constants have one record for each constant of a
//! class, wherever it is loaded.

use super::adaptors::Linker;
use crate::layout::{SITE_WORDS, SITES, STRINGS};
use crate::machine::{Machine, Trap, raise};
use crate::memory::Address;
use program::classfile::{BootstrapMethod, ClassFile, Constant, Index};
use program::descriptor::{self, Kind};
use program::world::{Class, ClassId, Method};
use std::sync::Arc;

/// An interned string, by its number.
const STRING: u64 = 1;
/// The `java.lang.Class` of a class.
const CLASS: u64 = 2;
/// The reference in a record.
const REFERENCE: u64 = 3;
/// The first word of the primitive value in a record.
const WORD: u64 = 4;
/// Both words of the primitive value in a record.
const WIDE: u64 = 5;

/// The kind of a method handle that calls a static method.
pub(super) const INVOKE_STATIC: u8 = 6;

/// How deep dynamic constants may depend on each other; one that depends on itself has no end.
const DEEPEST: u32 = 256;

/// Marks the class number in the key of a site that belongs to a constant of a class.
const OF_CLASS: u32 = 1 << 31;
/// Added to the index of a descriptor in the key of a method type.
const TYPE: u32 = 1 << 16;

impl<'p> Machine<'p> {
    /// The link of a constant's site.
    #[cold]
    pub(super) fn link_constant(&mut self, from: &'p Class, index: Index) -> Result<u64, Trap> {
        let file = class_file(from)?;
        let (tag, number) = match *file.pool.get(index) {
            Constant::String(text) => {
                let units: Vec<u16> = file.pool.units(text).collect();
                let Some(number) = self.shared.string_number(&units) else {
                    return Err(Trap::Unsupported("more than a million interned strings".to_owned()));
                };
                (STRING, number)
            }
            Constant::Class(_) => (CLASS, self.accessible_class(from, file.pool.class_name(index))?.0),
            Constant::MethodType(text) => (REFERENCE, self.type_site(from, text)?),
            Constant::MethodHandle(..) => (REFERENCE, self.constant_site(from, index)?),
            Constant::Dynamic(_, member) => {
                let tag = match Kind::of(file.pool.name_and_type(member).1) {
                    Some(Kind::Long | Kind::Double) => WIDE,
                    Some(Kind::Reference) | None => REFERENCE,
                    Some(_) => WORD,
                };
                (tag, self.constant_site(from, index)?)
            }
            ref other => return Err(Trap::Unsupported(format!("a constant of kind {}", other.kind()))),
        };
        Ok(tag << 56 | u64::from(number))
    }

    /// The value of a constant whose link is filled.
    #[inline]
    pub(super) fn linked_constant(&mut self, link: u64, method: &'p Method, index: Index) -> Result<(u64, bool), Trap> {
        let number = link as u32;
        match link >> 56 {
            STRING => {
                let string = self.memory.load(STRINGS + number);
                if string != 0 {
                    return Ok((string.into(), false));
                }
                let content = self.shared.string_content(number).unwrap_or_default();
                Ok((self.intern_units(&content)?.into(), false))
            }
            CLASS => Ok((self.mirror(ClassId(number))?.into(), false)),
            tag => {
                let Some(value) = self.record_value(number)? else {
                    return Err(self.resolve_constant(self.program.class(method.class), index, 0)?);
                };
                let primitive = self.memory.load_wide(SITES + number * SITE_WORDS + 2);
                Ok(match tag {
                    REFERENCE => (value.into(), false),
                    WORD => (primitive & 0xffff_ffff, false),
                    _ => (primitive, true),
                })
            }
        }
    }

    /// What must run to resolve a method type, method handle or dynamic constant.
    fn resolve_constant(&mut self, from: &'p Class, index: Index, depth: u32) -> Result<Trap, Trap> {
        if depth > DEEPEST {
            return Err(Trap::Raise("java/lang/StackOverflowError", None));
        }
        let file = class_file(from)?;
        match *file.pool.get(index) {
            Constant::MethodType(text) => self.resolve_method_type(from, text),
            Constant::MethodHandle(kind, member) => {
                let (class_name, name, descriptor) = file.pool.member(member);
                let named = self.accessible_class(from, class_name)?;
                self.check_member(from, named, kind, member)?;
                let kind_object = if descriptor.starts_with('(') {
                    self.method_type(from, member_descriptor(file, member))?
                } else {
                    self.descriptor_mirror(from, descriptor)?
                };
                let number = self.constant_site(from, index)?;
                let (caller, named, name) = (self.mirror(from.id)?, self.mirror(named)?, self.intern(name)?);
                self.linker_trap(
                    Linker::Handle,
                    number,
                    &[caller, u32::from(kind), named, name, kind_object],
                )
            }
            Constant::Dynamic(bootstrap, member) => {
                let (name, descriptor) = file.pool.name_and_type(member);
                let method = bootstrap_method(file, bootstrap)?;
                let handle = self.constant_object(from, method.method, depth + 1)?;
                let of = self.descriptor_mirror(from, descriptor)?;
                let arguments = self.bootstrap_arguments(from, method, depth + 1)?;
                let number = self.constant_site(from, index)?;
                let (caller, name) = (self.mirror(from.id)?, self.intern(name)?);
                let primitive = Kind::of(descriptor) != Some(Kind::Reference);
                let linker = if primitive { Linker::Primitive } else { Linker::Constant };
                self.linker_trap(linker, number, &[caller, handle, name, of, arguments])
            }
            ref other => Err(Trap::Unsupported(format!("a constant of kind {}", other.kind()))),
        }
    }

    /// Resolves the member of a method handle constant, so that its absence is an error of the class that names it.
    fn check_member(&mut self, from: &'p Class, named: ClassId, kind: u8, member: Index) -> Result<(), Trap> {
        let file = class_file(from)?;
        let (_, name, descriptor) = file.pool.member(member);
        let symbols = (self.program.names.intern(name), self.program.names.intern(descriptor));
        if !descriptor.starts_with('(') {
            let found = self
                .program
                .resolve_field(named, symbols.0, symbols.1, from.id)
                .map_err(crate::link::member_trap)?;
            return self.constrain_field(from.id, found.class, descriptor);
        }
        let interface = matches!(file.pool.get(member), Constant::InterfaceMethod(..));
        let found = self
            .program
            .resolve_method(named, symbols.0, symbols.1, interface, from.id);
        let method = self.program.method(found.map_err(crate::link::member_trap)?);
        self.constrain_method(from.id, method)?;
        if method.is_static() != (kind == INVOKE_STATIC) {
            let expected = if method.is_static() { "non-static" } else { "static" };
            let text = self.program.signature(method.class, method.name, method.descriptor);
            return raise(
                "java/lang/IncompatibleClassChangeError",
                format!("Expected {expected} method '{text}'"),
            );
        }
        Ok(())
    }

    /// A constant as an object, for a bootstrap method: numbers are boxed.
    fn constant_object(&mut self, from: &'p Class, index: Index, depth: u32) -> Result<Address, Trap> {
        let file = class_file(from)?;
        match *file.pool.get(index) {
            Constant::Integer(value) => self.new_box(Kind::Int, u64::from(value as u32)),
            Constant::Float(bits) => self.new_box(Kind::Float, u64::from(bits)),
            Constant::Long(value) => self.new_box(Kind::Long, value as u64),
            Constant::Double(bits) => self.new_box(Kind::Double, bits),
            Constant::String(text) => {
                let units: Vec<u16> = file.pool.units(text).collect();
                self.intern_units(&units)
            }
            Constant::Class(_) => {
                let class = self.accessible_class(from, file.pool.class_name(index))?;
                self.mirror(class)
            }
            Constant::MethodType(text) => self.method_type(from, text),
            _ => {
                let number = self.constant_site(from, index)?;
                let Some(value) = self.record_value(number)? else {
                    return Err(self.resolve_constant(from, index, depth)?);
                };
                match *file.pool.get(index) {
                    Constant::Dynamic(_, member) => match Kind::of(file.pool.name_and_type(member).1) {
                        Some(Kind::Reference) | None => Ok(value),
                        Some(kind) => self.new_box(kind, self.memory.load_wide(SITES + number * SITE_WORDS + 2)),
                    },
                    _ => Ok(value),
                }
            }
        }
    }

    /// The static arguments of a bootstrap method in an array; null for none.
    fn bootstrap_arguments(&mut self, from: &'p Class, method: &BootstrapMethod, depth: u32) -> Result<Address, Trap> {
        if method.arguments.is_empty() {
            return Ok(0);
        }
        let mut objects = Vec::with_capacity(method.arguments.len());
        for &index in &method.arguments {
            objects.push(self.constant_object(from, index, depth)?);
        }
        self.new_references(self.known.object_array, &objects)
    }

    /// What must run to link the site of an `invokedynamic` instruction.
    #[cold]
    pub(super) fn bootstrap(
        &mut self,
        method: &'p Method,
        call: &program::ir::Call,
        number: u32,
    ) -> Result<Trap, Trap> {
        let from = self.program.class(method.class);
        let file = class_file(from)?;
        let Constant::InvokeDynamic(bootstrap, member) = *file.pool.get(call.index) else {
            return Err(Trap::Unsupported(
                "a dynamic call without a bootstrap method".to_owned(),
            ));
        };
        let name = file.pool.name_and_type(member).0;
        let bootstrap = bootstrap_method(file, bootstrap)?;
        let handle = self.constant_object(from, bootstrap.method, 0)?;
        let Constant::NameAndType(_, text) = *file.pool.get(member) else {
            return Err(Trap::Unsupported("a dynamic call without a type".to_owned()));
        };
        let method_type = self.method_type(from, text)?;
        let arguments = self.bootstrap_arguments(from, bootstrap, 0)?;
        let holder = self.new_array(self.known.object_array, 2)?;
        let (caller, name) = (self.mirror(from.id)?, self.intern(name)?);
        self.linker_trap(
            Linker::Site,
            number,
            &[caller, handle, name, method_type, arguments, holder],
        )
    }

    /// The descriptor of an `invokedynamic` instruction.
    pub(super) fn site_descriptor(&self, method: &'p Method, call: &program::ir::Call) -> &'p str {
        let Some(file) = &self.program.class(method.class).file else {
            return "";
        };
        match *file.pool.get(call.index) {
            Constant::InvokeDynamic(_, member) => file.pool.name_and_type(member).1,
            _ => "",
        }
    }

    /// The `MethodType` of the descriptor at an index.
    pub(super) fn method_type(&mut self, from: &'p Class, text: Index) -> Result<Address, Trap> {
        let number = self.type_site(from, text)?;
        match self.record_value(number)? {
            Some(value) => Ok(value),
            None => Err(self.resolve_method_type(from, text)?),
        }
    }

    fn resolve_method_type(&mut self, from: &'p Class, text: Index) -> Result<Trap, Trap> {
        let descriptor = class_file(from)?.pool.text(text);
        let mut parameters = Vec::new();
        for (parameter, _) in descriptor::parameters(descriptor) {
            parameters.push(self.descriptor_mirror(from, parameter)?);
        }
        let returned = descriptor::return_type(descriptor).map_or("V", |(returned, _)| returned);
        let returned = self.descriptor_mirror(from, returned)?;
        let parameters = self.new_references(self.known.class_array, &parameters)?;
        let number = self.type_site(from, text)?;
        self.linker_trap(Linker::Type, number, &[returned, parameters])
    }

    /// The `java.lang.Class` that a field descriptor, or `V`, names.
    fn descriptor_mirror(&mut self, from: &'p Class, text: &str) -> Result<Address, Trap> {
        let class = self.descriptor_class(from, text)?;
        self.mirror(class)
    }

    /// The class that a field descriptor, or `V`, names.
    pub(super) fn descriptor_class(&mut self, from: &'p Class, text: &str) -> Result<ClassId, Trap> {
        match Kind::of(text) {
            Some(Kind::Reference) => {
                let name = text
                    .strip_prefix('L')
                    .and_then(|rest| rest.strip_suffix(';'))
                    .unwrap_or(text);
                self.resolve_class(from, name)
            }
            kind => Ok(self.program.primitive(kind)),
        }
    }

    /// The class of a Class constant, which the class that names it must be allowed to use.
    fn accessible_class(&mut self, from: &'p Class, name: &str) -> Result<ClassId, Trap> {
        let class = self.resolve_class(from, name)?;
        let allowed = self.program.class_accessible(from.id, class)
            || self.program.nest_host(from.id) == self.program.nest_host(class);
        if !allowed {
            let (named, naming) = (self.program.class(class).external_name(), from.external_name());
            let message = format!("failed to access class {named} from class {naming}");
            return raise("java/lang/IllegalAccessError", message);
        }
        Ok(class)
    }

    /// The record of a constant of a class.
    fn constant_site(&self, from: &Class, index: Index) -> Result<u32, Trap> {
        self.site(OF_CLASS | from.id.0, u32::from(index))
    }

    /// The record of the method type of a descriptor of a class.
    pub(super) fn type_site(&self, from: &Class, text: Index) -> Result<u32, Trap> {
        self.site(OF_CLASS | from.id.0, TYPE + u32::from(text))
    }

    /// The record of a `VarHandle` call, by its constant.
    pub(super) fn member_site(&self, from: &Class, index: Index) -> Result<u32, Trap> {
        self.constant_site(from, index)
    }

    /// A new `Integer`, `Long` and so on.
    fn new_box(&mut self, kind: Kind, bits: u64) -> Result<Address, Trap> {
        let Some(name) = kind.wrapper() else {
            return Err(Trap::Unsupported("a reference that should be boxed".to_owned()));
        };
        let class = self.jdk_class(name)?;
        let object = self.new_object(class)?;
        let offset = self.offset(name, "value");
        match kind {
            Kind::Long | Kind::Double => self.memory.store_wide(object + offset, bits),
            _ => self.memory.store(object + offset, stored(kind, bits as u32)),
        }
        Ok(object)
    }

    /// The primitive value in a box.
    pub(super) fn unbox(&mut self, object: Address) -> Option<u64> {
        let name = &*self.program.class(self.class_of(object)).name;
        let kind = Kind::wrapped_by(name)?;
        let offset = self.offset(kind.wrapper()?, "value");
        Some(match kind {
            Kind::Long | Kind::Double => self.memory.load_wide(object + offset),
            kind => {
                let word = self.memory.load(object + offset);
                u64::from(match kind {
                    Kind::Byte => word as u8 as i8 as u32,
                    Kind::Short => word as u16 as i16 as u32,
                    _ => word,
                })
            }
        })
    }

    /// A class of the JDK.
    pub(super) fn jdk_class(&self, name: &str) -> Result<ClassId, Trap> {
        self.program
            .load(program::world::LoaderId::BOOT, name)
            .map_err(crate::link::load_trap)
    }
}

/// What a field of a kind holds for a value.
fn stored(kind: Kind, value: u32) -> u32 {
    match kind {
        Kind::Boolean => value & 1,
        Kind::Byte => value & 0xff,
        Kind::Char | Kind::Short => value & 0xffff,
        _ => value,
    }
}

/// The class file of a class whose code is being linked.
pub(super) fn class_file(from: &Class) -> Result<&Arc<ClassFile>, Trap> {
    from.file
        .as_ref()
        .ok_or_else(|| Trap::Unsupported("a constant without a class file".to_owned()))
}

/// An entry of `BootstrapMethods`.
fn bootstrap_method(file: &ClassFile, index: u16) -> Result<&BootstrapMethod, Trap> {
    let found = file.bootstrap_methods.get(usize::from(index));
    found.ok_or_else(|| {
        Trap::Raise(
            "java/lang/ClassFormatError",
            Some("no such bootstrap method".to_owned()),
        )
    })
}

/// The index of the descriptor of a Field, Method or InterfaceMethod constant.
pub(super) fn member_descriptor(file: &ClassFile, index: Index) -> Index {
    let member = match *file.pool.get(index) {
        Constant::Field(_, member) | Constant::Method(_, member) | Constant::InterfaceMethod(_, member) => member,
        _ => 0,
    };
    match *file.pool.get(member) {
        Constant::NameAndType(_, descriptor) => descriptor,
        _ => 0,
    }
}
