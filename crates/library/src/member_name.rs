//! `java.lang.invoke.MemberName`: finding the members that method handles stand for.
//!
//! A resolved `MemberName` has the declaring class in `clazz`, modifiers, sort and reference kind in `flags`; for a
//! method, its number in `method`; for a field, its word offset in the injected `$index`.

use crate::common::jdk_class;
use machine::{Address, Machine, Trap, raise};
use program::classfile::flags;
use program::world::{Class, ClassId, ClassKind, Field, MemberError, Method, MethodId, Symbol};

pub(crate) const MEMBER: &str = "java/lang/invoke/MemberName";
pub(crate) const RESOLVED: &str = "java/lang/invoke/ResolvedMethodName";

pub(crate) const IS_METHOD: u32 = 0x0001_0000;
pub(crate) const IS_CONSTRUCTOR: u32 = 0x0002_0000;
pub(crate) const IS_FIELD: u32 = 0x0004_0000;
pub(crate) const ALL_KINDS: u32 = 0x000f_0000;
const CALLER_SENSITIVE: u32 = 0x0010_0000;
const TRUSTED_FINAL: u32 = 0x0020_0000;
const HIDDEN_MEMBER: u32 = 0x0040_0000;
const KIND_SHIFT: u32 = 24;

const GET_FIELD: u32 = 1;
const GET_STATIC: u32 = 2;
const PUT_FIELD: u32 = 3;
const PUT_STATIC: u32 = 4;
pub(crate) const INVOKE_VIRTUAL: u32 = 5;
const INVOKE_STATIC: u32 = 6;
const INVOKE_SPECIAL: u32 = 7;
pub(crate) const INVOKE_INTERFACE: u32 = 9;

/// Modifiers that a `MemberName` keeps of a method and of a field.
const METHOD_MODIFIERS: u16 = 0x1dff;
const FIELD_MODIFIERS: u16 = 0x50df;

/// `$index` of a method that no receiver chooses; the JDK wants it to be negative.
const NOT_CHOSEN: u32 = -2i32 as u32;

/// Makes a `MemberName` stand for a field.
pub(crate) fn fill_field(
    m: &mut Machine<'_>,
    member: Address,
    class: ClassId,
    field: &Field,
    setter: bool,
) -> Result<(), Trap> {
    let declaring = m.program.class(class);
    let is_record = declaring.file.as_ref().is_some_and(|file| file.record.is_some());
    let trusted = field.flags & flags::FINAL != 0 && (field.is_static() || declaring.hidden || is_record);
    let kind = match (field.is_static(), setter) {
        (false, false) => GET_FIELD,
        (true, false) => GET_STATIC,
        (false, true) => PUT_FIELD,
        (true, true) => PUT_STATIC,
    };
    let sort = IS_FIELD | kind << KIND_SHIFT | if trusted { TRUSTED_FINAL } else { 0 };
    let mirror = m.mirror(class)?;
    m.set(member, MEMBER, "flags", u32::from(field.flags & FIELD_MODIFIERS) | sort);
    m.set(member, MEMBER, "method", 0);
    m.set(member, MEMBER, "$index", field.offset);
    m.set(member, MEMBER, "clazz", mirror);
    Ok(())
}

/// Whether no receiver can make another method of it.
fn is_fixed(m: &Machine<'_>, method: &Method) -> bool {
    let declaring = m.program.class(method.class);
    method.is_static()
        || method.is_private()
        || &**m.program.text(method.name) == "<init>"
        || !declaring.is_interface() && (method.flags | declaring.flags) & flags::FINAL != 0
}

/// Makes a `MemberName` stand for a method that was looked up in class `named` for an invocation of this kind.
pub(crate) fn fill_method(
    m: &mut Machine<'_>,
    member: Address,
    id: MethodId,
    named: ClassId,
    how: u32,
) -> Result<(), Trap> {
    let method = m.program.method(id);
    let declaring = m.program.class(method.class);
    let constructor = &**m.program.text(method.name) == "<init>";
    let mut class = method.class;
    let (kind, index) = if method.is_static() {
        (INVOKE_STATIC, NOT_CHOSEN)
    } else if how == INVOKE_SPECIAL || is_fixed(m, method) {
        (INVOKE_SPECIAL, NOT_CHOSEN)
    } else if how == INVOKE_INTERFACE && declaring.is_interface() {
        (INVOKE_INTERFACE, 0)
    } else {
        // A default or inherited interface method of a class is called through that class.
        if declaring.is_interface() {
            class = if m.program.class(named).is_interface() {
                m.known.object
            } else {
                named
            };
        }
        (INVOKE_VIRTUAL, 0)
    };
    let mut sort = kind << KIND_SHIFT | if constructor { IS_CONSTRUCTOR } else { IS_METHOD };
    if method.caller_sensitive {
        sort |= CALLER_SENSITIVE;
    }
    if (method.hidden || declaring.hidden) && m.shared.files.feature() >= 24 {
        sort |= HIDDEN_MEMBER;
    }
    let holder = m.mirror(method.class)?;
    let resolved = jdk_class(m, RESOLVED)?;
    let resolved = m.new_object(resolved)?;
    m.set(resolved, RESOLVED, "$method", id.0);
    if let Some(offset) = m.find_offset(RESOLVED, "vmholder") {
        m.memory.store(resolved + offset, holder);
    }
    let mirror = m.mirror(class)?;
    m.set(
        member,
        MEMBER,
        "flags",
        u32::from(method.flags & METHOD_MODIFIERS) | sort,
    );
    m.set(member, MEMBER, "method", resolved);
    m.set(member, MEMBER, "$index", index);
    m.set(member, MEMBER, "clazz", mirror);
    Ok(())
}

/// Fills a `MemberName`; `false` if there is no such member.
pub(crate) fn find(m: &mut Machine<'_>, member: Address, caller: Address) -> Result<bool, Trap> {
    let sort = m.get(member, MEMBER, "flags");
    let kind = sort >> KIND_SHIFT & 0xf;
    let (class, name, of) = (
        m.get(member, MEMBER, "clazz"),
        m.get(member, MEMBER, "name"),
        m.get(member, MEMBER, "type"),
    );
    if class == 0 || name == 0 || of == 0 {
        return raise("java/lang/IllegalArgumentException", "nothing to resolve");
    }
    let named = match m.program.class(m.mirrored(class)).kind {
        ClassKind::Instance => m.mirrored(class),
        ClassKind::Array(_) => m.known.object,
        _ => return Ok(false),
    };
    let name = m.text(name);
    // SOUNDNESS: the types that a method type or a member name is made of do not change.
    let Some(descriptor) = m.settled_mut(|m| descriptor_of(m, of)) else {
        return Ok(false);
    };
    let from = (caller != 0).then(|| m.mirrored(caller));
    if sort & ALL_KINDS == IS_METHOD
        && named == m.known.method_handle
        && let Some(id) = m.polymorphic_instance(&name, &descriptor)?
    {
        fill_method(m, member, id, named, INVOKE_SPECIAL)?;
        return Ok(true);
    }
    let (name_symbol, symbol) = (m.program.names.intern(&name), m.program.names.intern(&descriptor));
    match sort & ALL_KINDS {
        IS_FIELD => {
            let found = match from {
                Some(from) => m
                    .program
                    .resolve_field(named, name_symbol, symbol, from)
                    .map_err(machine::link::member_trap)?,
                None => match m.program.find_field(named, name_symbol, symbol) {
                    Some(found) => found,
                    None => return raise("java/lang/NoSuchFieldError", name),
                },
            };
            if let Some(from) = from {
                m.constrain_field(from, found.class, &descriptor)?;
            }
            fill_field(
                m,
                member,
                found.class,
                &found.field,
                matches!(kind, PUT_FIELD | PUT_STATIC),
            )?;
        }
        IS_METHOD | IS_CONSTRUCTOR => {
            if name == "<clinit>" || (name == "<init>") != (sort & ALL_KINDS == IS_CONSTRUCTOR) {
                return Ok(false);
            }
            let target = m.program.class(named);
            // Of the kinds, only invokevirtual and invokeinterface say what the class has to be.
            let interface = match kind {
                INVOKE_VIRTUAL => false,
                INVOKE_INTERFACE => true,
                _ => target.is_interface(),
            };
            let found = match from {
                Some(from) => m
                    .program
                    .resolve_method(named, name_symbol, symbol, interface, from)
                    .map_err(machine::link::member_trap)?,
                None => match find_method(m, target, name_symbol, symbol) {
                    Some(found) => found,
                    None => {
                        let text = m.program.signature(named, name_symbol, symbol);
                        return Err(machine::link::member_trap(MemberError::NoMethod(text)));
                    }
                },
            };
            let method = m.program.method(found);
            if let Some(from) = from {
                m.constrain_method(from, method)?;
            }
            if m.program.is_polymorphic(method) || name == "<init>" && method.class != named {
                return Ok(false);
            }
            if method.is_static() != (kind == INVOKE_STATIC) {
                let wanted = if method.is_static() { "non-static" } else { "static" };
                let text = m.program.signature(method.class, method.name, method.descriptor);
                return raise(
                    "java/lang/IncompatibleClassChangeError",
                    format!("Expected {wanted} method '{text}'"),
                );
            }
            if kind == INVOKE_SPECIAL && method.is_abstract() {
                let text = m.program.signature(method.class, method.name, method.descriptor);
                return Err(machine::link::member_trap(MemberError::Abstract(text)));
            }
            let how = if sort & ALL_KINDS == IS_CONSTRUCTOR {
                INVOKE_SPECIAL
            } else {
                kind
            };
            fill_method(m, member, found, named, how)?;
        }
        _ => return raise("java/lang/LinkageError", "resolution failed"),
    }
    Ok(true)
}

/// A method by name and descriptor, whoever asks.
fn find_method(m: &Machine<'_>, class: &Class, name: Symbol, descriptor: Symbol) -> Option<MethodId> {
    m.program.lookup(class.id, name, descriptor).or_else(|| {
        // An interface has the public methods of Object.
        let inherited = m
            .program
            .declared(m.known.object, name, descriptor)
            .filter(|_| class.is_interface())?;
        let flags = m.program.method(inherited).flags;
        (flags & flags::PUBLIC != 0 && flags & flags::STATIC == 0).then_some(inherited)
    })
}

/// The descriptor for the type of a `MemberName`: a `MethodType`, a `Class`, an array of return type and parameter
/// types, or the descriptor itself.
fn descriptor_of(m: &mut Machine<'_>, object: Address) -> Option<String> {
    const METHOD_TYPE: &str = "java/lang/invoke/MethodType";
    let class = m.program.class(m.class_of(object));
    let (returned, parameters) = match &*class.name {
        "java/lang/String" => return Some(m.text(object)),
        "java/lang/Class" => return Some(m.program.class(m.mirrored(object)).descriptor()),
        METHOD_TYPE => (
            m.get(object, METHOD_TYPE, "rtype"),
            m.get(object, METHOD_TYPE, "ptypes"),
        ),
        "[Ljava/lang/Object;" if m.array_length(object) == 2 => (m.element(object, 0), m.element(object, 1)),
        _ => return None,
    };
    if returned == 0 || m.class_of(returned) != m.known.class {
        return None;
    }
    let mut text = String::from("(");
    let count = if parameters == 0 || m.class_of(parameters) != m.known.class_array {
        0
    } else {
        m.array_length(parameters)
    };
    for index in 0..count {
        let parameter = m.element(parameters, index);
        if parameter == 0 {
            return None;
        }
        text.push_str(&m.program.class(m.mirrored(parameter)).descriptor());
    }
    text.push(')');
    text.push_str(&m.program.class(m.mirrored(returned)).descriptor());
    Some(text)
}
