//! What the sites of a method mean: classes, fields and methods, by the rules that the machine's linker follows.
//!
//! Nothing is linked: the links of the code stay as they are.

use program::classfile::{ClassFile, Constant, Index, flags};
use program::descriptor::Kind;
use program::ir::{CallKind, Site, SiteForm};
use program::world::{Class, ClassId, MethodId, Program, Reference};

/// The class that a name stands for in the code of a class.
pub(crate) fn class_named(program: &Program, from: &Class, name: &str) -> Option<ClassId> {
    program.load(from.loader, name).ok()
}

/// The class of a class site.
pub(crate) fn class_site(program: &Program, from: &Class, file: &ClassFile, site: &Site) -> Option<ClassId> {
    let name = file.pool.class_name(site.index);
    match site.form {
        SiteForm::Plain => class_named(program, from, name),
        SiteForm::ArrayOf => program.array_of(class_named(program, from, name)?).ok(),
        SiteForm::Primitive(letter) => {
            let kind = Kind::of(&char::from(letter).to_string())?;
            program.array_of(program.primitive(Some(kind))).ok()
        }
    }
}

/// The field of a field site.
pub(crate) fn field_site(program: &Program, from: &Class, file: &ClassFile, index: Index) -> Option<Reference> {
    let (class, name, descriptor) = file.pool.member(index);
    let class = class_named(program, from, class)?;
    let (name, descriptor) = (program.names.intern(name), program.names.intern(descriptor));
    program.resolve_field(class, name, descriptor, from.id).ok()
}

/// A method that code names, and the class it is named through.
pub(crate) fn method_named(
    program: &Program,
    from: &Class,
    file: &ClassFile,
    index: Index,
) -> Option<(ClassId, MethodId)> {
    let (class, name, descriptor) = file.pool.member(index);
    let interface = matches!(file.pool.get(index), Constant::InterfaceMethod(..));
    let class = class_named(program, from, class)?;
    let (name, descriptor) = (program.names.intern(name), program.names.intern(descriptor));
    let method = program
        .resolve_method(class, name, descriptor, interface, from.id)
        .ok()?;
    Some((class, method))
}

/// What a call runs.
pub(crate) enum Called {
    /// This method and no other.
    Exactly(MethodId),
    /// The receiver's version of this method.
    Virtually(MethodId),
    /// It cannot be said: a method handle, a method that is not there.
    Unknown,
}

/// What a call that is not dynamic runs.
pub(crate) fn call_site(program: &Program, from: &Class, file: &ClassFile, kind: CallKind, index: Index) -> Called {
    let Some((named, found)) = method_named(program, from, file, index) else {
        return Called::Unknown;
    };
    let target = program.method(found);
    if program.is_polymorphic(target) || target.is_static() != (kind == CallKind::Static) {
        return Called::Unknown;
    }
    match kind {
        CallKind::Static => Called::Exactly(found),
        CallKind::Special => Called::Exactly(special(program, from, named, found)),
        CallKind::Virtual | CallKind::Interface => {
            let last = flags::FINAL | flags::PRIVATE;
            let final_class = program.class(target.class).flags & flags::FINAL != 0 && !target.is_abstract();
            if target.flags & last != 0 || final_class {
                Called::Exactly(found)
            } else {
                Called::Virtually(found)
            }
        }
        CallKind::Dynamic => Called::Unknown,
    }
}

/// What `invokespecial` runs: a superclass's method is looked up from the direct superclass on.
fn special(program: &Program, from: &Class, named: ClassId, found: MethodId) -> MethodId {
    let target = program.method(found);
    if &**program.text(target.name) == "<init>" || target.is_private() {
        return found;
    }
    let above = !program.class(named).is_interface() && from.id != named && program.is_subclass(from.id, named);
    let start = from.super_class.filter(|_| above).unwrap_or(named);
    program.lookup(start, target.name, target.descriptor).unwrap_or(found)
}
