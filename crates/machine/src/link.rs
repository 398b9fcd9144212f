//! Linking the sites of a method when they are first executed.
//!
//! A filled link is one number. Its highest byte says what it is, so that 0 can mean "not linked":
//!
//! | site | bits 56.. | bits 32..56 | bits 0..32 |
//! | --- | --- | --- | --- |
//! | class | 1 | words of an instance, 0 if not to be used | class |
//! | field | 1, or 3 if volatile | class of a static field | word offset |
//! | call | how to call | | method |

use crate::machine::{Machine, Trap, raise};
use program::classfile::{Constant, flags};
use program::descriptor::Kind;
use program::ir::{CallKind, Code, Instr, SiteForm};
use program::world::{Class, ClassId, LoadError, LoaderId, MemberError, Method, MethodId, Program};
use std::sync::atomic::Ordering;

const FILLED: u64 = 1 << 56;
const VOLATILE: u64 = 2 << 56;
const CONSTANT: u64 = 4 << 56;

/// Call exactly this method of a receiver.
pub(crate) const DIRECT: u64 = 1;
/// Call a static method, whose class must be initialised.
pub(crate) const STATIC: u64 = 2;
/// Call the receiver's version of the method.
pub(crate) const VIRTUAL: u64 = 3;
/// A signature-polymorphic call: `MethodHandle.invokeExact` and the like.
pub(crate) const POLYMORPHIC: u64 = 4;
/// A dynamic call; the low bits are the number of its site plus one.
pub(crate) const DYNAMIC: u64 = 5;

/// A filled class link.
pub(crate) fn class(class: ClassId, words: u32) -> u64 {
    FILLED | u64::from(words.min(0x00ff_ffff)) << 32 | u64::from(class.0)
}

/// A filled field link; a static field has its class in it.
pub(crate) fn field(class: Option<ClassId>, offset: u32, volatile: bool, constant: bool) -> u64 {
    let flags = if volatile { VOLATILE } else { 0 } | if constant { CONSTANT } else { 0 };
    FILLED | flags | u64::from(class.map_or(0, |class| class.0)) << 32 | u64::from(offset)
}

/// A filled call link.
pub(crate) fn call(how: u64, method: MethodId) -> u64 {
    how << 56 | u64::from(method.0)
}

/// A filled link of a dynamic call.
pub(crate) fn dynamic(number: u32) -> u64 {
    DYNAMIC << 56 | u64::from(number)
}

/// The class of a static field link.
#[inline(always)]
pub(crate) fn owner(link: u64) -> ClassId {
    ClassId(middle(link))
}

/// The words of a class link, or the form of a dynamic one.
#[inline(always)]
pub(crate) fn middle(link: u64) -> u32 {
    (link >> 32) as u32 & 0x00ff_ffff
}

/// Whether a field link is of a volatile field.
pub(crate) fn is_volatile(link: u64) -> bool {
    link & VOLATILE != 0
}

/// Whether a field is static and final in a class of the JDK: it never changes once its class is initialised. The standard
/// streams are final, and are set all the same.
#[inline(always)]
pub(crate) fn is_constant(link: u64) -> bool {
    link & CONSTANT != 0
}

impl<'p> Machine<'p> {
    /// The class that a name stands for in the code of `from`. May ask for Java code to run first.
    pub fn resolve_class(&mut self, from: &Class, name: &str) -> Result<ClassId, Trap> {
        if let Some(class) = self.loaded(from.loader, name) {
            if class != from.id {
                self.program.class(class).named.store(true, Ordering::Relaxed);
            }
            return Ok(class);
        }
        // A hidden class names itself by the name in its own class file.
        if from.hidden
            && let Some(file) = &from.file
            && file.pool.class_name(file.this_class) == name
        {
            return Ok(from.id);
        }
        let loader = self.memory.load(crate::layout::LOADERS + from.loader.0);
        if loader != 0 {
            return self.load_through(loader, name, true);
        }
        self.program.load(from.loader, name).map_err(load_trap)
    }

    /// The class of a class site.
    #[inline]
    pub(crate) fn link_class(&mut self, method: &Method, code: &Code, site: u32) -> Result<ClassId, Trap> {
        let site = &code.classes[site as usize];
        let link = site.link.get();
        if link != 0 {
            return Ok(ClassId(link as u32));
        }
        let from = self.program.class(method.class);
        let Some(file) = &from.file else {
            return Err(Trap::Unsupported("a class site without a class file".to_owned()));
        };
        let named = file.pool.class_name(site.index);
        let class = match site.form {
            SiteForm::Plain => self.resolve_class(from, named)?,
            SiteForm::ArrayOf => {
                let element = self.resolve_class(from, named)?;
                self.program.array_of(element).map_err(load_trap)?
            }
            SiteForm::Primitive(letter) => {
                let element = Kind::of(&char::from(letter).to_string());
                self.program
                    .array_of(self.program.primitive(element))
                    .map_err(load_trap)?
            }
        };
        if !self.program.class_accessible(from.id, class) && !self.same_nest_or_hidden(from.id, class) {
            return raise(
                "java/lang/IllegalAccessError",
                format!(
                    "failed to access class {} from class {}",
                    self.program.class(class).external_name(),
                    from.external_name()
                ),
            );
        }
        let resolved = self.program.class(class);
        let words = if resolved.is_array() { 0 } else { resolved.words };
        site.link.set(self::class(class, words));
        Ok(class)
    }

    fn same_nest_or_hidden(&self, from: ClassId, to: ClassId) -> bool {
        self.program.nest_host(from) == self.program.nest_host(to)
    }

    /// Links a field site.
    #[cold]
    pub(crate) fn link_field(&mut self, method: &Method, code: &Code, site: u32, instr: Instr) -> Result<(), Trap> {
        let site = &code.fields[site as usize];
        let from = self.program.class(method.class);
        let Some(file) = &from.file else {
            return Err(Trap::Unsupported("a field site without a class file".to_owned()));
        };
        let (class_name, name, descriptor) = file.pool.member(site.index);
        let class = self.resolve_class(from, class_name)?;
        let (name, descriptor) = (self.program.names.intern(name), self.program.names.intern(descriptor));
        let found = self
            .program
            .resolve_field(class, name, descriptor, from.id)
            .map_err(member_trap)?;
        self.constrain_field(from.id, found.class, self.program.text(descriptor))?;
        let wants_static = matches!(
            instr,
            Instr::GetStatic { .. }
                | Instr::GetStaticWide { .. }
                | Instr::GetStaticNarrow { .. }
                | Instr::PutStatic { .. }
                | Instr::PutStaticWide { .. }
                | Instr::PutStaticNarrow { .. }
        );
        if found.field.is_static() != wants_static {
            return raise(
                "java/lang/IncompatibleClassChangeError",
                format!(
                    "Expected {}static field {}.{}",
                    if wants_static { "" } else { "non-" },
                    self.program.class(found.class).external_name(),
                    self.program.text(name)
                ),
            );
        }
        let writes = matches!(
            instr,
            Instr::PutField { .. }
                | Instr::PutFieldWide { .. }
                | Instr::PutFieldNarrow { .. }
                | Instr::PutStatic { .. }
                | Instr::PutStaticWide { .. }
                | Instr::PutStaticNarrow { .. }
        );
        if writes && found.field.flags & flags::FINAL != 0 && found.class != from.id {
            return raise(
                "java/lang/IllegalAccessError",
                format!(
                    "Update to {}final field {}.{} attempted from a different class ({}) than the field's declaring class",
                    if wants_static { "static " } else { "non-static " },
                    self.program.class(found.class).external_name(),
                    self.program.text(name),
                    from.external_name()
                ),
            );
        }
        let owner = wants_static.then_some(found.class);
        let declaring = self.program.class(found.class);
        let constant = wants_static
            && found.field.flags & flags::FINAL != 0
            && declaring.loader == LoaderId::BOOT
            && &*declaring.name != "java/lang/System";
        site.link
            .set(field(owner, found.field.offset, found.field.is_volatile(), constant));
        Ok(())
    }

    /// Links a call site.
    #[cold]
    pub(crate) fn link_call(&mut self, method: &'p Method, code: &Code, number: u32) -> Result<(), Trap> {
        let site = &code.calls[number as usize];
        if site.kind == CallKind::Dynamic {
            return self.link_dynamic(method, code, number);
        }
        let from = self.program.class(method.class);
        let Some(file) = &from.file else {
            return Err(Trap::Unsupported("a call site without a class file".to_owned()));
        };
        let (class_name, name, descriptor) = file.pool.member(site.index);
        let interface = matches!(file.pool.get(site.index), Constant::InterfaceMethod(..));
        let class = self.resolve_class(from, class_name)?;
        let (name, descriptor) = (self.program.names.intern(name), self.program.names.intern(descriptor));
        let mut found = self
            .program
            .resolve_method(class, name, descriptor, interface, from.id)
            .map_err(member_trap)?;
        let target = self.program.method(found);
        self.constrain_method(from.id, target)?;
        if target.is_static() != (site.kind == CallKind::Static) {
            return raise(
                "java/lang/IncompatibleClassChangeError",
                format!(
                    "Expected {}static method '{}'",
                    if target.is_static() { "non-" } else { "" },
                    self.program.signature(target.class, name, descriptor)
                ),
            );
        }
        let how = match site.kind {
            _ if self.program.is_polymorphic(target) => POLYMORPHIC,
            CallKind::Static if self.program.is_polymorphic(target) => POLYMORPHIC,
            CallKind::Static => STATIC,
            CallKind::Special => {
                found = self.special_target(from, class, found)?;
                DIRECT
            }
            CallKind::Virtual | CallKind::Interface => {
                let fixed = target.is_private()
                    || target.flags & flags::FINAL != 0
                    || self.program.class(target.class).flags & flags::FINAL != 0 && !target.is_abstract();
                if fixed { DIRECT } else { VIRTUAL }
            }
            CallKind::Dynamic => DYNAMIC,
        };
        site.link.set(call(how, found));
        Ok(())
    }

    /// What `invokespecial` runs (JVMS §6.5): a superclass's method is looked up from the direct superclass on.
    fn special_target(&mut self, from: &Class, named: ClassId, found: MethodId) -> Result<MethodId, Trap> {
        let target = self.program.method(found);
        let is_init = &**self.program.text(target.name) == "<init>";
        if is_init && target.class != named {
            return raise(
                "java/lang/NoSuchMethodError",
                self.program.signature(named, target.name, target.descriptor),
            );
        }
        if is_init || target.is_private() {
            return Ok(found);
        }
        let named_class = self.program.class(named);
        let is_above = !named_class.is_interface() && from.id != named && self.program.is_subclass(from.id, named);
        let start = from.super_class.filter(|_| is_above).unwrap_or(named);
        let chosen = self
            .program
            .lookup(start, target.name, target.descriptor)
            .unwrap_or(found);
        if self.program.method(chosen).is_abstract() {
            return raise(
                "java/lang/AbstractMethodError",
                self.program.signature(named, target.name, target.descriptor),
            );
        }
        Ok(chosen)
    }

    /// The version of a method that a receiver of this class has.
    #[inline]
    pub(crate) fn select(&mut self, receiver: ClassId, method: MethodId) -> Result<MethodId, Trap> {
        let program = self.program;
        self.facts
            .select(receiver, method, || select_version(program, receiver, method))
    }
}

#[cold]
fn select_version(program: &Program, receiver: ClassId, method: MethodId) -> Result<MethodId, Trap> {
    let called = program.method(method);
    if program.class(called.class).is_interface() && !program.is_subclass(receiver, called.class) {
        return raise(
            "java/lang/IncompatibleClassChangeError",
            format!(
                "Class {} does not implement the requested interface {}",
                program.class(receiver).external_name(),
                program.class(called.class).external_name()
            ),
        );
    }
    program.select(receiver, method).map_err(member_trap)
}

/// The Java error for a class that could not be loaded.
pub fn load_trap(error: LoadError) -> Trap {
    match error {
        LoadError::NotFound(name) => Trap::Raise("java/lang/NoClassDefFoundError", Some(name)),
        LoadError::Format(what) => Trap::Raise("java/lang/ClassFormatError", Some(what)),
        LoadError::Version(what) => Trap::Raise("java/lang/UnsupportedClassVersionError", Some(what)),
        LoadError::Circular(what) => Trap::Raise("java/lang/ClassCircularityError", Some(what)),
        LoadError::Incompatible(what) => Trap::Raise("java/lang/IncompatibleClassChangeError", Some(what)),
        LoadError::Linkage(what) => Trap::Raise("java/lang/LinkageError", Some(what)),
        LoadError::Unreadable(what) => Trap::Unsupported(what),
    }
}

/// The Java error for a member that could not be found.
pub fn member_trap(error: MemberError) -> Trap {
    match error {
        MemberError::NoField(what) => Trap::Raise("java/lang/NoSuchFieldError", Some(what)),
        MemberError::NoMethod(what) => Trap::Raise("java/lang/NoSuchMethodError", Some(format!("'{what}'"))),
        MemberError::Incompatible(what) => Trap::Raise("java/lang/IncompatibleClassChangeError", Some(what)),
        MemberError::Access(what) => Trap::Raise("java/lang/IllegalAccessError", Some(what)),
        MemberError::Abstract(what) => Trap::Raise("java/lang/AbstractMethodError", Some(what)),
    }
}
