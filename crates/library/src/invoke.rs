//! `java.lang.invoke.MethodHandleNatives`: finding the members that method handles stand for.
//!
//! A resolved `MemberName` has the declaring class in `clazz`, modifiers, sort and reference kind in `flags`; for a
//! method, its number in `method`; for a field, its word offset in the injected `$index`.

use crate::common::{Entry, jdk_class, non_null, nothing, zero};
use crate::lang::members::executable;
use crate::unsafe_::reflected_field;
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};
use program::classfile::flags;
use program::world::{Class, ClassId, ClassKind, Field, MemberError, Method, MethodId};

const NATIVES: &str = "java/lang/invoke/MethodHandleNatives";
const MEMBER: &str = "java/lang/invoke/MemberName";
const RESOLVED: &str = "java/lang/invoke/ResolvedMethodName";

const IS_METHOD: u32 = 0x0001_0000;
const IS_CONSTRUCTOR: u32 = 0x0002_0000;
const IS_FIELD: u32 = 0x0004_0000;
const ALL_KINDS: u32 = 0x000f_0000;
const CALLER_SENSITIVE: u32 = 0x0010_0000;
const TRUSTED_FINAL: u32 = 0x0020_0000;
const HIDDEN_MEMBER: u32 = 0x0040_0000;
const KIND_SHIFT: u32 = 24;

const GET_FIELD: u32 = 1;
const GET_STATIC: u32 = 2;
const PUT_FIELD: u32 = 3;
const PUT_STATIC: u32 = 4;
const INVOKE_VIRTUAL: u32 = 5;
const INVOKE_STATIC: u32 = 6;
const INVOKE_SPECIAL: u32 = 7;
const INVOKE_INTERFACE: u32 = 9;

/// Modifiers that a `MemberName` keeps of a method and of a field.
const METHOD_MODIFIERS: u16 = 0x1dff;
const FIELD_MODIFIERS: u16 = 0x50df;

/// `$index` of a method that no receiver chooses; the JDK wants it to be negative.
const NOT_CHOSEN: u32 = -2i32 as u32;

pub(crate) const METHODS: &[Entry] = &[
    (
        NATIVES,
        "init",
        "(Ljava/lang/invoke/MemberName;Ljava/lang/Object;)V",
        init,
    ),
    (NATIVES, "expand", "(Ljava/lang/invoke/MemberName;)V", expand),
    (
        NATIVES,
        "resolve",
        "(Ljava/lang/invoke/MemberName;Ljava/lang/Class;IZ)Ljava/lang/invoke/MemberName;",
        resolve,
    ),
    (
        NATIVES,
        "getMembers",
        "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/String;ILjava/lang/Class;I[Ljava/lang/invoke/MemberName;)I",
        get_members,
    ),
    (
        NATIVES,
        "objectFieldOffset",
        "(Ljava/lang/invoke/MemberName;)J",
        field_offset,
    ),
    (
        NATIVES,
        "staticFieldOffset",
        "(Ljava/lang/invoke/MemberName;)J",
        field_offset,
    ),
    (
        NATIVES,
        "staticFieldBase",
        "(Ljava/lang/invoke/MemberName;)Ljava/lang/Object;",
        static_field_base,
    ),
    (
        NATIVES,
        "getMemberVMInfo",
        "(Ljava/lang/invoke/MemberName;)Ljava/lang/Object;",
        machine_view,
    ),
    (
        NATIVES,
        "setCallSiteTargetNormal",
        "(Ljava/lang/invoke/CallSite;Ljava/lang/invoke/MethodHandle;)V",
        set_target,
    ),
    (
        NATIVES,
        "setCallSiteTargetVolatile",
        "(Ljava/lang/invoke/CallSite;Ljava/lang/invoke/MethodHandle;)V",
        set_target,
    ),
    (
        NATIVES,
        "copyOutBootstrapArguments",
        "(Ljava/lang/Class;[III[Ljava/lang/Object;IZLjava/lang/Object;)V",
        copy_arguments,
    ),
    (
        NATIVES,
        "clearCallSiteContext",
        "(Ljava/lang/invoke/MethodHandleNatives$CallSiteContext;)V",
        nothing,
    ),
    (NATIVES, "getNamedCon", "(I[Ljava/lang/Object;)I", zero),
    (
        "java/lang/invoke/MethodHandle",
        "invokeExact",
        POLYMORPHIC,
        by_reflection,
    ),
    ("java/lang/invoke/MethodHandle", "invoke", POLYMORPHIC, by_reflection),
];

const POLYMORPHIC: &str = "([Ljava/lang/Object;)Ljava/lang/Object;";

/// Call sites are linked to their targets by the machine itself, without the JDK's linker methods.
pub(crate) const REPLACED: &[Entry] = &[
    (
        "java/lang/invoke/Invokers",
        "linkToTargetMethod",
        "(Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MemberName;",
        zero,
    ),
    (
        "java/lang/invoke/Invokers",
        "linkToCallSiteMethod",
        "(Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MemberName;",
        zero,
    ),
];

fn by_reflection(_: &mut Machine<'_>, _: &Args) -> Answer {
    raise(
        "java/lang/UnsupportedOperationException",
        "MethodHandle.invoke cannot be invoked reflectively",
    )
}

/// Fills a `MemberName` from a `Field`, `Method` or `Constructor`.
fn init(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (member, object) = (non_null(args.word(0))?, non_null(args.word(1))?);
    match &*m.program.class(m.class_of(object)).name {
        "java/lang/reflect/Field" => {
            let (class, field) = reflected_field(m, object)?;
            fill_field(m, member, class, &field, false)?;
            let (name, of) = (
                m.get(object, "java/lang/reflect/Field", "name"),
                m.get(object, "java/lang/reflect/Field", "type"),
            );
            m.set(member, MEMBER, "name", name);
            m.set(member, MEMBER, "type", of);
        }
        "java/lang/reflect/Method" | "java/lang/reflect/Constructor" => {
            if let Some(id) = executable(m, object) {
                let method = m.program.method(id);
                // There is no handle on a polymorphic method without a type; the JDK sees to it.
                if !m.program.is_polymorphic(method) {
                    let how = if m.program.class(method.class).is_interface() {
                        INVOKE_INTERFACE
                    } else {
                        INVOKE_VIRTUAL
                    };
                    fill_method(m, member, id, method.class, how)?;
                }
            }
        }
        _ => return raise("java/lang/InternalError", "unrecognized type"),
    }
    Ok(Outcome::Void)
}

fn fill_field(m: &mut Machine<'_>, member: Address, class: ClassId, field: &Field, setter: bool) -> Result<(), Trap> {
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
fn fill_method(m: &mut Machine<'_>, member: Address, id: MethodId, named: ClassId, how: u32) -> Result<(), Trap> {
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
    m.set(resolved, RESOLVED, "$method", id);
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

/// Fills in class, name and type of a resolved `MemberName` that has none.
fn expand(m: &mut Machine<'_>, args: &Args) -> Answer {
    let member = non_null(args.word(0))?;
    let sort = m.get(member, MEMBER, "flags") & ALL_KINDS;
    let class = m.get(member, MEMBER, "clazz");
    if sort == IS_FIELD {
        let offset = m.get(member, MEMBER, "$index");
        let is_static = m.get(member, MEMBER, "flags") & u32::from(flags::STATIC) != 0;
        let declaring = m.program.class(m.mirrored(non_null(class)?));
        let field = declaring
            .fields
            .iter()
            .find(|field| field.offset == offset && field.is_static() == is_static);
        let Some(field) = field else {
            return raise("java/lang/InternalError", "unrecognized type");
        };
        fill_texts(m, member, field.name, field.descriptor)?;
    } else {
        let resolved = m.get(member, MEMBER, "method");
        if resolved == 0 {
            return raise("java/lang/IllegalArgumentException", "nothing to expand");
        }
        let method = m.program.method(m.get(resolved, RESOLVED, "$method"));
        if class == 0 {
            let mirror = m.mirror(method.class)?;
            m.set(member, MEMBER, "clazz", mirror);
        }
        fill_texts(m, member, method.name, method.descriptor)?;
    }
    Ok(Outcome::Void)
}

fn fill_texts(
    m: &mut Machine<'_>,
    member: Address,
    name: program::world::Symbol,
    descriptor: program::world::Symbol,
) -> Result<(), Trap> {
    for (field, symbol) in [("name", name), ("type", descriptor)] {
        if m.get(member, MEMBER, field) == 0 {
            let text = m.program.text(symbol).clone();
            let string = m.intern(&text)?;
            m.set(member, MEMBER, field, string);
        }
    }
    Ok(())
}

/// Looks up the member that a `MemberName` describes.
fn resolve(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (member, speculative) = (args.word(0), args.word(3) & 1 != 0);
    if member == 0 {
        return raise("java/lang/InternalError", "nothing to resolve");
    }
    match find(m, member, args.word(1)) {
        Ok(true) => Ok(member.into()),
        Ok(false) | Err(Trap::Raise(..)) if speculative => Ok(Outcome::Word(0)),
        Ok(false) if m.get(member, MEMBER, "flags") & ALL_KINDS == IS_FIELD => {
            raise("java/lang/NoSuchFieldError", "field resolution failed")
        }
        Ok(false) => raise("java/lang/NoSuchMethodError", "method resolution failed"),
        Err(trap) => Err(trap),
    }
}

/// Fills a `MemberName`; `false` if there is no such member.
fn find(m: &mut Machine<'_>, member: Address, caller: Address) -> Result<bool, Trap> {
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
    let Some(descriptor) = descriptor_of(m, of) else {
        return Ok(false);
    };
    let from = (caller != 0).then(|| m.mirrored(caller));
    if sort & ALL_KINDS == IS_METHOD && named == m.known.method_handle {
        if let Some(id) = m.polymorphic_instance(&name, &descriptor)? {
            fill_method(m, member, id, named, INVOKE_SPECIAL)?;
            return Ok(true);
        }
    }
    let (Some(name_symbol), Some(symbol)) = (m.program.names.find(&name), m.program.names.find(&descriptor)) else {
        return Ok(false);
    };
    match sort & ALL_KINDS {
        IS_FIELD => {
            let found = match from {
                Some(from) => m
                    .program
                    .resolve_field(named, name_symbol, symbol, from)
                    .map_err(machine::link::member_trap)?,
                None => match m.program.find_field(named, name_symbol, symbol) {
                    Some(found) => found,
                    None => return Ok(false),
                },
            };
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
                    None => return Ok(false),
                },
            };
            let method = m.program.method(found);
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
fn find_method(
    m: &Machine<'_>,
    class: &Class,
    name: program::world::Symbol,
    descriptor: program::world::Symbol,
) -> Option<MethodId> {
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

/// The members of a class, those of its superclasses and interfaces included if wanted. JDK 17 only.
fn get_members(m: &mut Machine<'_>, args: &Args) -> Answer {
    const SUPERCLASSES: u32 = 0x0010_0000;
    const INTERFACES: u32 = 0x0020_0000;
    let (wanted, mut skip, results) = (args.word(3), args.int(5), args.word(6));
    let class = m.mirrored(non_null(args.word(0))?);
    let (name, text) = (m.text_or_null(args.word(1)), m.text_or_null(args.word(2)));
    let described = m.program.class(class);
    if described.kind != ClassKind::Instance {
        return Ok((-1).into());
    }
    let mut classes = vec![class];
    if wanted & SUPERCLASSES != 0 {
        classes.extend(described.supers.iter().rev().copied().filter(|&above| above != class));
    }
    if wanted & INTERFACES != 0 {
        classes.extend(described.all_interfaces.iter().copied().filter(|&above| above != class));
    }
    let room = if results == 0 { 0 } else { m.array_length(results) };
    let mut count = 0;
    let fits = |m: &Machine<'_>, found: program::world::Symbol, of: program::world::Symbol| {
        name.as_ref().is_none_or(|name| **m.program.text(found) == **name)
            && text.as_ref().is_none_or(|text| **m.program.text(of) == **text)
    };
    for class in classes {
        let declaring = m.program.class(class);
        for field in declaring
            .fields
            .iter()
            .filter(|field| wanted & IS_FIELD != 0 && field.index != u16::MAX)
        {
            if fits(m, field.name, field.descriptor) {
                skip -= 1;
                if skip < 0 {
                    if count < room && m.element(results, count) != 0 {
                        fill_field(m, m.element(results, count), class, field, false)?;
                    }
                    count += 1;
                }
            }
        }
        for &id in &declaring.methods {
            let method = m.program.method(id);
            let sort = match &**m.program.text(method.name) {
                "<clinit>" => continue,
                "<init>" => IS_CONSTRUCTOR,
                _ => IS_METHOD,
            };
            if wanted & sort != 0 && fits(m, method.name, method.descriptor) {
                skip -= 1;
                if skip < 0 {
                    if count < room && m.element(results, count) != 0 {
                        let how = if declaring.is_interface() {
                            INVOKE_INTERFACE
                        } else {
                            INVOKE_VIRTUAL
                        };
                        fill_method(m, m.element(results, count), id, class, how)?;
                    }
                    count += 1;
                }
            }
        }
    }
    Ok((count as i32).into())
}

fn field_offset(m: &mut Machine<'_>, args: &Args) -> Answer {
    let member = field_member(m, args)?;
    Ok(i64::from(m.get(member, MEMBER, "$index") * 4).into())
}

fn static_field_base(m: &mut Machine<'_>, args: &Args) -> Answer {
    let member = field_member(m, args)?;
    let mirror = non_null(m.get(member, MEMBER, "clazz"))?;
    let class = m.mirrored(mirror);
    Ok(m.statics(class)?.into())
}

/// The argument, which must be a resolved field.
fn field_member(m: &mut Machine<'_>, args: &Args) -> Result<Address, Trap> {
    let member = args.word(0);
    if member == 0 || m.get(member, MEMBER, "flags") & ALL_KINDS != IS_FIELD {
        return raise("java/lang/InternalError", "field required");
    }
    Ok(member)
}

/// What the JDK checks its own bookkeeping with: an index, and the member or its class.
fn machine_view(m: &mut Machine<'_>, args: &Args) -> Answer {
    let member = non_null(args.word(0))?;
    let is_field = m.get(member, MEMBER, "flags") & ALL_KINDS == IS_FIELD;
    let index = m.get(member, MEMBER, "$index") as i32;
    let class = jdk_class(m, "java/lang/Long")?;
    let number = m.new_object(class)?;
    let offset = m.offset("java/lang/Long", "value");
    m.memory.store_wide(number + offset, i64::from(index) as u64);
    let target = if is_field {
        m.get(member, MEMBER, "clazz")
    } else {
        member
    };
    Ok(m.new_references(m.known.object_array, &[number, target])?.into())
}

fn set_target(m: &mut Machine<'_>, args: &Args) -> Answer {
    let site = non_null(args.word(0))?;
    m.set(site, "java/lang/invoke/CallSite", "target", args.word(1));
    Ok(Outcome::Void)
}

/// The machine hands all static arguments over at once, so nobody has reason to ask for them.
fn copy_arguments(_: &mut Machine<'_>, _: &Args) -> Answer {
    raise("java/lang/InternalError", "bootstrap arguments are not pulled")
}
