//! `java.lang.invoke.MethodHandleNatives`: what method handles ask of the machine.

use crate::common::{Entry, jdk_class, non_null, nothing, zero};
use crate::lang::members::executable;
use crate::member_name::{
    ALL_KINDS, INVOKE_INTERFACE, INVOKE_VIRTUAL, IS_CONSTRUCTOR, IS_FIELD, IS_METHOD, MEMBER, RESOLVED, fill_field,
    fill_method, find,
};
use crate::unsafe_layout::reflected_field;
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};
use program::classfile::flags;
use program::world::{ClassKind, MethodId, Symbol};

const NATIVES: &str = "java/lang/invoke/MethodHandleNatives";
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
        invoke_exact,
    ),
    ("java/lang/invoke/MethodHandle", "invoke", POLYMORPHIC, invoke),
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

/// Nobody calls these by their own descriptors, except reflection.
fn invoke(_: &mut Machine<'_>, _: &Args) -> Answer {
    let message = "MethodHandle.invoke cannot be invoked reflectively";
    raise("java/lang/UnsupportedOperationException", message)
}

fn invoke_exact(_: &mut Machine<'_>, _: &Args) -> Answer {
    let message = "MethodHandle.invokeExact cannot be invoked reflectively";
    raise("java/lang/UnsupportedOperationException", message)
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
        let method = m.program.method(MethodId(m.get(resolved, RESOLVED, "$method")));
        if class == 0 {
            let mirror = m.mirror(method.class)?;
            m.set(member, MEMBER, "clazz", mirror);
        }
        fill_texts(m, member, method.name, method.descriptor)?;
    }
    Ok(Outcome::Void)
}

fn fill_texts(m: &mut Machine<'_>, member: Address, name: Symbol, descriptor: Symbol) -> Result<(), Trap> {
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
    let fits = |m: &Machine<'_>, found: Symbol, of: Symbol| {
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
