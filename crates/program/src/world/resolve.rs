//! Resolution (JVMS §5.4.3) and selection (§5.4.6) of members, and the subtype relation.

use super::class::*;
use super::names::Symbol;
use super::program::Program;
use crate::classfile::flags;

/// Why a member could not be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberError {
    /// `NoSuchFieldError`.
    NoField(String),
    /// `NoSuchMethodError`.
    NoMethod(String),
    /// `IncompatibleClassChangeError`.
    Incompatible(String),
    /// `IllegalAccessError`.
    Access(String),
    /// `AbstractMethodError`.
    Abstract(String),
}

/// A field that was found: where it is declared and which it is.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// Declaring class.
    pub class: ClassId,
    /// The field.
    pub field: Field,
}

impl Program {
    /// Whether `class` is `target` or below it. Covers interfaces and arrays.
    pub fn is_subclass(&self, class: ClassId, target: ClassId) -> bool {
        if class == target {
            return true;
        }
        let (sub, top) = (self.class(class), self.class(target));
        if top.is_interface() {
            return sub.all_interfaces.binary_search(&target).is_ok();
        }
        if let (ClassKind::Array(from), ClassKind::Array(to)) = (sub.kind, top.kind) {
            return !self.class(from).is_primitive() && !self.class(to).is_primitive() && self.is_subclass(from, to);
        }
        sub.supers.get(top.supers.len() - 1) == Some(&target)
    }

    /// Finds a field by name and descriptor in a class, its interfaces and its superclasses.
    pub fn find_field(&self, class: ClassId, name: Symbol, descriptor: Symbol) -> Option<Reference> {
        self.find_field_once(class, name, descriptor, &mut Vec::new())
    }

    /// As [`Program::find_field`], passing over what was looked at: an interface can be reached in very many ways.
    fn find_field_once(
        &self,
        class: ClassId,
        name: Symbol,
        descriptor: Symbol,
        seen: &mut Vec<ClassId>,
    ) -> Option<Reference> {
        for &at in self.class(class).supers.iter().rev() {
            if seen.contains(&at) {
                break;
            }
            seen.push(at);
            let here = self.class(at);
            let own = here
                .fields
                .iter()
                .find(|field| field.name == name && field.descriptor == descriptor);
            if let Some(field) = own {
                return Some(Reference {
                    class: at,
                    field: *field,
                });
            }
            for &interface in &here.interfaces {
                if let Some(found) = self.find_field_once(interface, name, descriptor, seen) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// A field by its texts, for the machine's own needs.
    pub fn field(&self, class: ClassId, name: &str, descriptor: &str) -> Option<Reference> {
        self.find_field(class, self.names.find(name)?, self.names.find(descriptor)?)
    }

    /// A method that a class itself declares.
    pub fn declared(&self, class: ClassId, name: Symbol, descriptor: Symbol) -> Option<MethodId> {
        let class = self.class(class);
        class
            .keys
            .iter()
            .position(|key| *key == (name, descriptor))
            .map(|position| class.methods[position])
    }

    /// A method by its texts, in a class or above, for the machine's own needs.
    pub fn find_method(&self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        self.lookup(class, self.names.find(name)?, self.names.find(descriptor)?)
    }

    /// The method that a name and descriptor stand for in a class or interface, without access checks.
    pub fn lookup(&self, class: ClassId, name: Symbol, descriptor: Symbol) -> Option<MethodId> {
        for &at in self.class(class).supers.iter().rev() {
            let here = self.class(at);
            if let Some(method) = self.declared(at, name, descriptor) {
                return Some(method);
            }
            if here.loader == LoaderId::BOOT
                && matches!(
                    &*here.name,
                    "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle"
                )
                && let Some(method) = self.polymorphic(at, name)
            {
                return Some(method);
            }
        }
        self.interface_method(class, name, descriptor)
    }

    /// The signature-polymorphic method of this name (JVMS §2.9.3): native, variable arity, one `Object[]` parameter.
    fn polymorphic(&self, class: ClassId, name: Symbol) -> Option<MethodId> {
        let class = self.class(class);
        let position = class.keys.iter().position(|key| key.0 == name)?;
        let method = self.method(class.methods[position]);
        self.is_polymorphic(method).then_some(method.id)
    }

    /// Whether a method is signature-polymorphic.
    pub fn is_polymorphic(&self, method: &Method) -> bool {
        let both = flags::NATIVE | flags::VARARGS;
        method.flags & both == both
            && matches!(
                &*self.class(method.class).name,
                "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle"
            )
            && self.text(method.descriptor).starts_with("([Ljava/lang/Object;)")
    }

    /// The maximally specific superinterface method (JVMS §5.4.3.3), or any one if that is not unique.
    fn interface_method(&self, class: ClassId, name: Symbol, descriptor: Symbol) -> Option<MethodId> {
        let mut best: Option<MethodId> = None;
        let mut any = None;
        for &interface in &self.class(class).all_interfaces {
            if interface == class {
                continue;
            }
            let Some(found) = self.declared(interface, name, descriptor) else {
                continue;
            };
            let method = self.method(found);
            if method.is_static() || method.is_private() {
                continue;
            }
            any = any.or(Some(found));
            if method.is_abstract() {
                continue;
            }
            match best {
                Some(other) if self.is_subclass(self.method(other).class, interface) => {}
                _ => best = Some(found),
            }
        }
        // An abstract redeclaration below a default method hides it.
        if let Some(found) = best {
            let hidden = self.class(class).all_interfaces.iter().any(|&interface| {
                interface != self.method(found).class
                    && interface != class
                    && self.is_subclass(interface, self.method(found).class)
                    && self
                        .declared(interface, name, descriptor)
                        .is_some_and(|other| self.method(other).is_abstract())
            });
            if hidden {
                return any.filter(|&other| self.method(other).is_abstract()).or(Some(found));
            }
        }
        best.or(any)
    }

    /// Resolves a method named by code in `from`; `interface` tells which kind of constant named it.
    pub fn resolve_method(
        &self,
        class: ClassId,
        name: Symbol,
        descriptor: Symbol,
        interface: bool,
        from: ClassId,
    ) -> Result<MethodId, MemberError> {
        let target = self.class(class);
        if target.is_interface() != interface {
            return Err(MemberError::Incompatible(format!(
                "Found {} {}, but {} was expected",
                if interface { "class" } else { "interface" },
                target.external_name(),
                if interface { "interface" } else { "class" }
            )));
        }
        let object = self.class(class).supers[0];
        let found = self
            .lookup(class, name, descriptor)
            .or_else(|| {
                // An interface has the public methods of Object.
                interface
                    .then(|| self.declared(object, name, descriptor))
                    .flatten()
                    .filter(|&method| {
                        let flags = self.method(method).flags;
                        flags & flags::PUBLIC != 0 && flags & flags::STATIC == 0
                    })
            })
            .ok_or_else(|| MemberError::NoMethod(self.signature(class, name, descriptor)))?;
        let method = self.method(found);
        if !self.accessible(from, class, method.class, method.flags) {
            return Err(MemberError::Access(format!(
                "class {} tried to access {}method '{}'",
                self.class(from).external_name(),
                visibility(method.flags),
                self.signature(method.class, name, descriptor)
            )));
        }
        Ok(found)
    }

    /// Resolves a field named by code in `from`.
    pub fn resolve_field(
        &self,
        class: ClassId,
        name: Symbol,
        descriptor: Symbol,
        from: ClassId,
    ) -> Result<Reference, MemberError> {
        let found = self
            .find_field(class, name, descriptor)
            .ok_or_else(|| MemberError::NoField(self.text(name).to_string()))?;
        if !self.accessible(from, class, found.class, found.field.flags) {
            return Err(MemberError::Access(format!(
                "class {} tried to access {}field {}.{}",
                self.class(from).external_name(),
                visibility(found.field.flags),
                self.class(found.class).external_name(),
                self.text(name)
            )));
        }
        Ok(found)
    }

    /// Whether code in `from` may use a class.
    pub fn class_accessible(&self, from: ClassId, target: ClassId) -> bool {
        let target_class = self.class(target);
        if target_class.flags & flags::PUBLIC != 0 || from == target || self.is_magic(from) {
            return true;
        }
        match target_class.kind {
            ClassKind::Array(element) => self.class_accessible(from, element),
            ClassKind::Primitive(_) => true,
            _ => self.same_package(from, target),
        }
    }

    /// Whether a class is one of those that the JDK generates for reflection: they break the rules of access and of
    /// verification on purpose, and every JVM lets them.
    pub fn is_magic(&self, class: ClassId) -> bool {
        let supers = &self.class(class).supers;
        supers
            .get(1)
            .is_some_and(|&id| &*self.class(id).name == "jdk/internal/reflect/MagicAccessorImpl")
    }

    /// Whether two classes are in one run-time package.
    pub fn same_package(&self, one: ClassId, two: ClassId) -> bool {
        let (one, two) = (self.class(one), self.class(two));
        one.loader == two.loader && one.package() == two.package()
    }

    /// Whether code in `from` may use a member that `declaring` declares and that was named through `named`.
    pub fn accessible(&self, from: ClassId, named: ClassId, declaring: ClassId, member: u16) -> bool {
        if member & flags::PUBLIC != 0 || from == declaring || self.is_magic(from) {
            return true;
        }
        if member & flags::PRIVATE != 0 {
            return self.nest_host(from) == self.nest_host(declaring);
        }
        if self.same_package(from, declaring) {
            return true;
        }
        member & flags::PROTECTED != 0 && (self.is_subclass(from, declaring) || self.class(named).is_array())
    }

    /// The class that stands for the nest of a class.
    pub fn nest_host(&self, class: ClassId) -> ClassId {
        let here = self.class(class);
        if let Some(host) = here.host {
            return self.nest_host(host);
        }
        let Some(file) = &here.file else { return class };
        let Some(host) = file.nest_host else { return class };
        let host_name = file.pool.class_name(host);
        let Ok(host) = self.load(here.loader, host_name) else {
            return class;
        };
        let agrees = self.class(host).file.as_ref().is_some_and(|file| {
            file.nest_members
                .iter()
                .any(|&member| *file.pool.class_name(member) == *here.name)
        });
        if agrees && self.same_package(host, class) {
            host
        } else {
            class
        }
    }

    /// The method that a virtual or interface call of `method` runs on a receiver of class `receiver`.
    pub fn select(&self, receiver: ClassId, method: MethodId) -> Result<MethodId, MemberError> {
        let called = self.method(method);
        if called.is_private() {
            return Ok(method);
        }
        let declared_in_class = !self.class(called.class).is_interface();
        for &at in self.class(receiver).supers.iter().rev() {
            if let Some(found) = self.declared(at, called.name, called.descriptor) {
                let candidate = self.method(found);
                if found == method
                    || !candidate.is_static()
                        && !candidate.is_private()
                        && self.overrides(candidate, called, declared_in_class)
                {
                    return self.concrete(found, receiver, called);
                }
            }
        }
        let mut found = self.interface_method(receiver, called.name, called.descriptor);
        if self.class(receiver).is_interface() {
            found = Some(method);
        }
        match found {
            Some(found) => self.concrete(found, receiver, called),
            None => Err(self.abstract_error(receiver, called)),
        }
    }

    fn concrete(&self, found: MethodId, receiver: ClassId, called: &Method) -> Result<MethodId, MemberError> {
        if self.method(found).is_abstract() {
            return Err(self.abstract_error(receiver, called));
        }
        Ok(found)
    }

    fn abstract_error(&self, receiver: ClassId, called: &Method) -> MemberError {
        MemberError::Abstract(format!(
            "Receiver class {} does not define or inherit an implementation of the resolved method '{}{}' of {} {}.",
            self.class(receiver).external_name(),
            if called.is_abstract() { "abstract " } else { "" },
            self.short_signature(called.name, called.descriptor),
            if self.class(called.class).is_interface() {
                "interface"
            } else {
                "abstract class"
            },
            self.class(called.class).external_name(),
        ))
    }

    /// Whether `candidate`, of a subclass, overrides `called` (JVMS §5.4.5).
    fn overrides(&self, candidate: &Method, called: &Method, declared_in_class: bool) -> bool {
        if !declared_in_class || called.flags & (flags::PUBLIC | flags::PROTECTED) != 0 {
            return true;
        }
        if self.same_package(candidate.class, called.class) {
            return true;
        }
        // A package-private method is also overridden through a method in between that did so and widened access.
        let above = self.class(candidate.class).supers.iter().rev().skip(1);
        for &at in above.take_while(|&&at| at != called.class) {
            if let Some(between) = self.declared(at, called.name, called.descriptor) {
                let between = self.method(between);
                if between.flags & (flags::PUBLIC | flags::PROTECTED) != 0
                    && self.same_package(between.class, called.class)
                {
                    return true;
                }
            }
        }
        false
    }

    /// `'void Foo.bar(int)'` without the quotes, as the JVM's own messages print it.
    pub fn signature(&self, class: ClassId, name: Symbol, descriptor: Symbol) -> String {
        let descriptor = self.text(descriptor);
        format!(
            "{} {}.{}({})",
            crate::descriptor::return_type(descriptor).map_or("void".to_owned(), |(text, _)| external(text)),
            self.class(class).external_name(),
            self.text(name),
            parameters(descriptor)
        )
    }

    fn short_signature(&self, name: Symbol, descriptor: Symbol) -> String {
        let descriptor = self.text(descriptor);
        format!(
            "{} {}({})",
            crate::descriptor::return_type(descriptor).map_or("void".to_owned(), |(text, _)| external(text)),
            self.text(name),
            parameters(descriptor)
        )
    }
}

fn parameters(descriptor: &str) -> String {
    crate::descriptor::parameters(descriptor)
        .map(|(text, _)| external(text))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A field descriptor as Java writes the type.
fn external(descriptor: &str) -> String {
    let dimensions = descriptor.bytes().take_while(|&byte| byte == b'[').count();
    let base = match &descriptor[dimensions..] {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "F" => "float".to_owned(),
        "J" => "long".to_owned(),
        "D" => "double".to_owned(),
        class => {
            let name = class.strip_prefix('L').and_then(|rest| rest.strip_suffix(';'));
            name.unwrap_or(class).replace('/', ".")
        }
    };
    base + &"[]".repeat(dimensions)
}

fn visibility(member: u16) -> &'static str {
    match member & (flags::PRIVATE | flags::PROTECTED) {
        flags::PRIVATE => "private ",
        flags::PROTECTED => "protected ",
        _ => "",
    }
}
