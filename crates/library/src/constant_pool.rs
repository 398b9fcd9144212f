//! `jdk.internal.reflect.ConstantPool`: the constants of a class, as annotations need them.
//!
//! The object that stands for a constant pool is the class itself.

use crate::common::{Entry, non_null};
use crate::lang::members::{executable_object, field_object};
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};
use program::classfile::{ClassFile, Constant};
use program::world::{Class, Symbol};
use std::sync::Arc;

const POOL: &str = "jdk/internal/reflect/ConstantPool";

pub(crate) const METHODS: &[Entry] = &[
    (
        POOL,
        "getMethodAt0",
        "(Ljava/lang/Object;I)Ljava/lang/reflect/Member;",
        method_at,
    ),
    (
        POOL,
        "getMethodAtIfLoaded0",
        "(Ljava/lang/Object;I)Ljava/lang/reflect/Member;",
        loaded_method_at,
    ),
    (
        POOL,
        "getFieldAt0",
        "(Ljava/lang/Object;I)Ljava/lang/reflect/Field;",
        field_at,
    ),
    (
        POOL,
        "getFieldAtIfLoaded0",
        "(Ljava/lang/Object;I)Ljava/lang/reflect/Field;",
        loaded_field_at,
    ),
    (POOL, "getSize0", "(Ljava/lang/Object;)I", size),
    (POOL, "getClassAt0", "(Ljava/lang/Object;I)Ljava/lang/Class;", class_at),
    (
        POOL,
        "getClassAtIfLoaded0",
        "(Ljava/lang/Object;I)Ljava/lang/Class;",
        loaded_class_at,
    ),
    (POOL, "getClassRefIndexAt0", "(Ljava/lang/Object;I)I", class_index_at),
    (
        POOL,
        "getMemberRefInfoAt0",
        "(Ljava/lang/Object;I)[Ljava/lang/String;",
        member_texts_at,
    ),
    (
        POOL,
        "getNameAndTypeRefIndexAt0",
        "(Ljava/lang/Object;I)I",
        name_and_type_index_at,
    ),
    (
        POOL,
        "getNameAndTypeRefInfoAt0",
        "(Ljava/lang/Object;I)[Ljava/lang/String;",
        name_and_type_texts_at,
    ),
    (POOL, "getIntAt0", "(Ljava/lang/Object;I)I", int_at),
    (POOL, "getLongAt0", "(Ljava/lang/Object;I)J", long_at),
    (POOL, "getFloatAt0", "(Ljava/lang/Object;I)F", float_at),
    (POOL, "getDoubleAt0", "(Ljava/lang/Object;I)D", double_at),
    (
        POOL,
        "getStringAt0",
        "(Ljava/lang/Object;I)Ljava/lang/String;",
        string_at,
    ),
    (POOL, "getUTF8At0", "(Ljava/lang/Object;I)Ljava/lang/String;", utf8_at),
    (POOL, "getTagAt0", "(Ljava/lang/Object;I)B", tag_at),
];

/// The class whose constants are asked for, and its file.
fn pool<'p>(m: &Machine<'p>, args: &Args) -> Result<(&'p Class, &'p Arc<ClassFile>), Trap> {
    let class = m.program.class(m.mirrored(non_null(args.word(1))?));
    match &class.file {
        Some(file) => Ok((class, file)),
        None => raise("java/lang/IllegalArgumentException", "a class without constants"),
    }
}

/// The constant that is asked for.
fn constant<'p>(m: &Machine<'p>, args: &Args) -> Result<(&'p Class, &'p Arc<ClassFile>, u16), Trap> {
    let (class, file) = pool(m, args)?;
    match u16::try_from(args.int(2)) {
        Ok(index) if usize::from(index) < file.pool.len() => Ok((class, file, index)),
        _ => raise(
            "java/lang/IllegalArgumentException",
            "Constant pool index out of bounds",
        ),
    }
}

fn wrong<T>() -> Result<T, Trap> {
    raise(
        "java/lang/IllegalArgumentException",
        "Wrong type at constant pool index",
    )
}

fn size(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok((pool(m, args)?.1.pool.len() as i32).into())
}

fn class_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (class, file, index) = constant(m, args)?;
    let Constant::Class(_) = file.pool.get(index) else {
        return wrong();
    };
    let found = m.resolve_class(class, file.pool.class_name(index))?;
    Ok(m.mirror(found)?.into())
}

fn loaded_class_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (class, file, index) = constant(m, args)?;
    let Constant::Class(_) = file.pool.get(index) else {
        return wrong();
    };
    match m.program.loaded(class.loader, file.pool.class_name(index)) {
        Some(found) => Ok(m.mirror(found)?.into()),
        None => Ok(Outcome::Word(0)),
    }
}

fn class_index_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    match *file.pool.get(index) {
        Constant::Field(class, _) | Constant::Method(class, _) | Constant::InterfaceMethod(class, _) => {
            Ok(i32::from(class).into())
        }
        _ => wrong(),
    }
}

fn name_and_type_index_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    match *file.pool.get(index) {
        Constant::Field(_, member)
        | Constant::Method(_, member)
        | Constant::InterfaceMethod(_, member)
        | Constant::Dynamic(_, member)
        | Constant::InvokeDynamic(_, member) => Ok(i32::from(member).into()),
        _ => wrong(),
    }
}

/// The class that a member constant names, and the member's name and descriptor. `None` if it is not loaded and shall
/// not be.
fn member<'p>(m: &mut Machine<'p>, args: &Args, load: bool) -> Result<Option<(&'p Class, Symbol, Symbol)>, Trap> {
    let (class, file, index) = constant(m, args)?;
    let (named, name, descriptor) = file.pool.member(index);
    let id = match m.program.loaded(class.loader, named) {
        Some(id) => id,
        None if load => m.resolve_class(class, named)?,
        None => return Ok(None),
    };
    let (name, descriptor) = (m.program.names.intern(name), m.program.names.intern(descriptor));
    Ok(Some((m.program.class(id), name, descriptor)))
}

fn method_object(m: &mut Machine<'_>, args: &Args, load: bool) -> Answer {
    let (_, file, index) = constant(m, args)?;
    let (Constant::Method(..) | Constant::InterfaceMethod(..)) = file.pool.get(index) else {
        return wrong();
    };
    let Some((class, name, descriptor)) = member(m, args, load)? else {
        return Ok(Outcome::Word(0));
    };
    let Some(id) = m.program.lookup(class.id, name, descriptor) else {
        let text = m.program.signature(class.id, name, descriptor);
        return raise("java/lang/NoSuchMethodError", format!("'{text}'"));
    };
    let method = m.program.method(id);
    let declaring = m.program.class(method.class);
    let slot = declaring.methods.iter().position(|&method| method == id).unwrap_or(0);
    let constructor = &**m.program.text(name) == "<init>";
    let of = if constructor {
        "java/lang/reflect/Constructor"
    } else {
        "java/lang/reflect/Method"
    };
    Ok(executable_object(m, declaring, method, slot, of)?.into())
}

fn field_at_index(m: &mut Machine<'_>, args: &Args, load: bool) -> Answer {
    let (_, file, index) = constant(m, args)?;
    let Constant::Field(..) = file.pool.get(index) else {
        return wrong();
    };
    let Some((class, name, descriptor)) = member(m, args, load)? else {
        return Ok(Outcome::Word(0));
    };
    let Some(found) = m.program.find_field(class.id, name, descriptor) else {
        return raise("java/lang/NoSuchFieldError", m.program.text(name).to_string());
    };
    let declaring = m.program.class(found.class);
    let slot = declaring
        .fields
        .iter()
        .position(|field| field.offset == found.field.offset && field.name == name);
    Ok(field_object(m, declaring, &found.field, slot.unwrap_or(0))?.into())
}

fn method_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    method_object(m, args, true)
}

fn loaded_method_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    method_object(m, args, false)
}

fn field_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    field_at_index(m, args, true)
}

fn loaded_field_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    field_at_index(m, args, false)
}

fn texts(m: &mut Machine<'_>, texts: &[&str]) -> Answer {
    let mut strings: Vec<Address> = Vec::with_capacity(texts.len());
    for text in texts {
        strings.push(m.new_string(text)?);
    }
    Ok(m.new_references(m.known.string_array, &strings)?.into())
}

fn member_texts_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    match file.pool.get(index) {
        Constant::Field(..) | Constant::Method(..) | Constant::InterfaceMethod(..) => {
            let (class, name, descriptor) = file.pool.member(index);
            texts(m, &[&class.replace('/', "."), name, descriptor])
        }
        _ => wrong(),
    }
}

fn name_and_type_texts_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    let Constant::NameAndType(..) = file.pool.get(index) else {
        return wrong();
    };
    let (name, descriptor) = file.pool.name_and_type(index);
    texts(m, &[name, descriptor])
}

fn int_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    match *file.pool.get(index) {
        Constant::Integer(value) => Ok(value.into()),
        _ => wrong(),
    }
}

fn long_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    match *file.pool.get(index) {
        Constant::Long(value) => Ok(value.into()),
        _ => wrong(),
    }
}

fn float_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    match *file.pool.get(index) {
        Constant::Float(bits) => Ok(Outcome::Word(bits)),
        _ => wrong(),
    }
}

fn double_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    match *file.pool.get(index) {
        Constant::Double(bits) => Ok(Outcome::Wide(bits)),
        _ => wrong(),
    }
}

fn string_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    let Constant::String(text) = *file.pool.get(index) else {
        return wrong();
    };
    let units: Vec<u16> = file.pool.units(text).collect();
    Ok(m.intern_units(&units)?.into())
}

fn utf8_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    let Constant::Utf8(_) = file.pool.get(index) else {
        return wrong();
    };
    let units: Vec<u16> = file.pool.units(index).collect();
    Ok(m.intern_units(&units)?.into())
}

/// The tag of JVMS table 4.4-A.
fn tag_at(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, file, index) = constant(m, args)?;
    let tag = match file.pool.get(index) {
        Constant::Unusable => 0,
        Constant::Utf8(_) => 1,
        Constant::Integer(_) => 3,
        Constant::Float(_) => 4,
        Constant::Long(_) => 5,
        Constant::Double(_) => 6,
        Constant::Class(_) => 7,
        Constant::String(_) => 8,
        Constant::Field(..) => 9,
        Constant::Method(..) => 10,
        Constant::InterfaceMethod(..) => 11,
        Constant::NameAndType(..) => 12,
        Constant::MethodHandle(..) => 15,
        Constant::MethodType(_) => 16,
        Constant::Dynamic(..) => 17,
        Constant::InvokeDynamic(..) => 18,
        Constant::Module(_) => 19,
        Constant::Package(_) => 20,
    };
    Ok(tag.into())
}
