//! `java.lang.Class`: fields, methods, constructors and record components as objects.
//!
//! They come in the order of the class file. A JVM may give any order; HotSpot's own differs for methods.

use crate::common::{Entry, array_of, bytes_or_null, class_array, jdk_class, this_class};
use machine::{Address, Answer, Args, Machine, Outcome, Trap};
use program::classfile::flags;
use program::descriptor;
use program::world::{Class, ClassId, Field, Method, MethodId, field_info};

const CLASS: &str = "java/lang/Class";
const FIELD: &str = "java/lang/reflect/Field";
const METHOD: &str = "java/lang/reflect/Method";
const CONSTRUCTOR: &str = "java/lang/reflect/Constructor";
const COMPONENT: &str = "java/lang/reflect/RecordComponent";

pub(crate) const METHODS: &[Entry] = &[
    (
        CLASS,
        "getDeclaredFields0",
        "(Z)[Ljava/lang/reflect/Field;",
        get_declared_fields,
    ),
    (
        CLASS,
        "getDeclaredMethods0",
        "(Z)[Ljava/lang/reflect/Method;",
        get_declared_methods,
    ),
    (
        CLASS,
        "getDeclaredConstructors0",
        "(Z)[Ljava/lang/reflect/Constructor;",
        get_declared_constructors,
    ),
    (
        CLASS,
        "getRecordComponents0",
        "()[Ljava/lang/reflect/RecordComponent;",
        get_record_components,
    ),
];

/// The class that a field descriptor names in a class.
pub(crate) fn type_mirror(m: &mut Machine<'_>, from: &Class, descriptor: &str) -> Result<Address, Trap> {
    let class = type_class(m, from, descriptor)?;
    m.mirror(class)
}

/// As [`type_mirror`], by number.
pub(crate) fn type_class(m: &mut Machine<'_>, from: &Class, text: &str) -> Result<ClassId, Trap> {
    match descriptor::Kind::of(text) {
        Some(descriptor::Kind::Reference) => {
            let plain = text.strip_prefix('L').and_then(|rest| rest.strip_suffix(';'));
            let name = plain.unwrap_or(text);
            m.resolve_class(from, name)
        }
        kind => Ok(m.program.primitive(kind)),
    }
}

fn intern_or_null(m: &mut Machine<'_>, text: Option<&str>) -> Result<Address, Trap> {
    text.map_or(Ok(0), |text| m.intern(text))
}

fn get_declared_fields(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    let public_only = args.word(1) & 1 != 0;
    let mut objects = Vec::new();
    for (slot, field) in class.fields.iter().enumerate() {
        if field.index == u16::MAX || public_only && field.flags & flags::PUBLIC == 0 {
            continue;
        }
        objects.push(field_object(m, class, field, slot)?);
    }
    let element = jdk_class(m, FIELD)?;
    let array = array_of(m, element)?;
    Ok(m.new_references(array, &objects)?.into())
}

/// A `Field`. Its slot is the position among the class's fields, its injected ones included.
pub(crate) fn field_object(m: &mut Machine<'_>, class: &Class, field: &Field, slot: usize) -> Result<Address, Trap> {
    let declared = field_info(class, field);
    let file = class.file.as_ref();
    let kind = m.program.text(field.descriptor).clone();
    let type_object = type_mirror(m, class, &kind)?;
    let name = m.program.text(field.name).clone();
    let name = m.intern(&name)?;
    let signature = file
        .zip(declared)
        .and_then(|(file, info)| Some(file.pool.text(info.signature?)));
    let signature = intern_or_null(m, signature)?;
    let annotations = file
        .zip(declared)
        .and_then(|(file, info)| file.bytes.get(info.annotations.clone()?));
    let annotations = bytes_or_null(m, annotations)?;
    let declaring = m.mirror(class.id)?;
    let of = jdk_class(m, FIELD)?;
    let object = m.new_object(of)?;
    // Reflection must not change what the JDK trusts to be final.
    let is_record = file.is_some_and(|file| file.record.is_some());
    let trusted = field.flags & flags::FINAL != 0 && (field.is_static() || class.hidden || is_record);
    m.set(object, FIELD, "clazz", declaring);
    m.set(object, FIELD, "slot", slot as u32);
    m.set(object, FIELD, "name", name);
    m.set(object, FIELD, "type", type_object);
    m.set(object, FIELD, "modifiers", u32::from(field.flags));
    m.set(object, FIELD, "trustedFinal", u32::from(trusted));
    m.set(object, FIELD, "signature", signature);
    m.set(object, FIELD, "annotations", annotations);
    Ok(object)
}

fn get_declared_methods(m: &mut Machine<'_>, args: &Args) -> Answer {
    executables(m, args, METHOD, |name| !name.starts_with('<'))
}

fn get_declared_constructors(m: &mut Machine<'_>, args: &Args) -> Answer {
    executables(m, args, CONSTRUCTOR, |name| name == "<init>")
}

fn executables(m: &mut Machine<'_>, args: &Args, of: &'static str, wanted: impl Fn(&str) -> bool) -> Answer {
    let class = m.program.class(this_class(m, args));
    let public_only = args.word(1) & 1 != 0;
    let mut objects = Vec::new();
    for (slot, &id) in class.methods.iter().enumerate() {
        let method = m.program.method(id);
        if !wanted(m.program.text(method.name)) || public_only && method.flags & flags::PUBLIC == 0 {
            continue;
        }
        objects.push(executable_object(m, class, method, slot, of)?);
    }
    let element = jdk_class(m, of)?;
    let array = array_of(m, element)?;
    Ok(m.new_references(array, &objects)?.into())
}

/// The method that a `Method` or `Constructor` stands for.
pub(crate) fn executable(m: &mut Machine<'_>, object: Address) -> Option<MethodId> {
    let name = &*m.program.class(m.class_of(object)).name;
    let of = if name == METHOD { METHOD } else { CONSTRUCTOR };
    let (class, slot) = (m.get(object, of, "clazz"), m.get(object, of, "slot"));
    if class == 0 {
        return None;
    }
    let class = m.program.class(m.mirrored(class));
    class.methods.get(slot as usize).copied()
}

/// A `Method` or `Constructor`. Its slot is the position among the class's methods.
pub(crate) fn executable_object(
    m: &mut Machine<'_>,
    class: &Class,
    method: &Method,
    slot: usize,
    of: &'static str,
) -> Result<Address, Trap> {
    let text = m.program.text(method.descriptor).clone();
    let mut parameters = Vec::new();
    for (parameter, _) in descriptor::parameters(&text) {
        parameters.push(type_class(m, class, parameter)?);
    }
    let returned = descriptor::return_type(&text).map_or("V", |(returned, _)| returned);
    let returned = if returned == "V" {
        m.program.primitive(None)
    } else {
        type_class(m, class, returned)?
    };
    let mut thrown = Vec::new();
    if let Some((file, info)) = method.info() {
        for &index in &info.exceptions {
            thrown.push(m.resolve_class(class, file.pool.class_name(index))?);
        }
    }
    let parameters = class_array(m, &parameters)?;
    let thrown = class_array(m, &thrown)?;
    let returned = m.mirror(returned)?;
    let declaring = m.mirror(class.id)?;
    let info = method.info();
    let signature = info.and_then(|(file, info)| Some(file.pool.text(info.signature?)));
    let signature = intern_or_null(m, signature)?;
    let part = |range: Option<std::ops::Range<usize>>| info.and_then(|(file, _)| file.bytes.get(range?));
    let annotations = bytes_or_null(m, part(info.and_then(|(_, info)| info.annotations.clone())))?;
    let parameter_annotations = bytes_or_null(m, part(info.and_then(|(_, info)| info.parameter_annotations.clone())))?;
    let id = jdk_class(m, of)?;
    let object = m.new_object(id)?;
    m.set(object, of, "clazz", declaring);
    m.set(object, of, "slot", slot as u32);
    m.set(object, of, "parameterTypes", parameters);
    m.set(object, of, "exceptionTypes", thrown);
    m.set(object, of, "modifiers", u32::from(method.flags));
    m.set(object, of, "signature", signature);
    m.set(object, of, "annotations", annotations);
    m.set(object, of, "parameterAnnotations", parameter_annotations);
    if of == METHOD {
        let name = m.program.text(method.name).clone();
        let name = m.intern(&name)?;
        let default = bytes_or_null(m, part(info.and_then(|(_, info)| info.annotation_default.clone())))?;
        m.set(object, METHOD, "name", name);
        m.set(object, METHOD, "returnType", returned);
        m.set(object, METHOD, "annotationDefault", default);
    }
    Ok(object)
}

fn get_record_components(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    let Some((file, components)) = class.file.as_ref().and_then(|file| Some((file, file.record.as_ref()?))) else {
        return Ok(Outcome::Word(0));
    };
    let mut objects = Vec::new();
    let of = jdk_class(m, COMPONENT)?;
    for component in components {
        let (name, kind) = (file.pool.text(component.name), file.pool.text(component.descriptor));
        let accessor = class.methods.iter().enumerate().find(|&(_, &id)| {
            let method = m.program.method(id);
            **m.program.text(method.name) == *name
                && !method.is_static()
                && m.program.text(method.descriptor).strip_prefix("()") == Some(kind)
        });
        let accessor = match accessor {
            Some((slot, &id)) => executable_object(m, class, m.program.method(id), slot, METHOD)?,
            None => 0,
        };
        let type_object = type_mirror(m, class, kind)?;
        let name = m.intern(name)?;
        let signature = intern_or_null(m, component.signature.map(|index| file.pool.text(index)))?;
        let part = |range: &Option<std::ops::Range<usize>>| file.bytes.get(range.clone()?);
        let annotations = bytes_or_null(m, part(&component.annotations))?;
        let type_annotations = bytes_or_null(m, part(&component.type_annotations))?;
        let declaring = m.mirror(class.id)?;
        let object = m.new_object(of)?;
        m.set(object, COMPONENT, "clazz", declaring);
        m.set(object, COMPONENT, "name", name);
        m.set(object, COMPONENT, "type", type_object);
        m.set(object, COMPONENT, "accessor", accessor);
        m.set(object, COMPONENT, "signature", signature);
        m.set(object, COMPONENT, "annotations", annotations);
        m.set(object, COMPONENT, "typeAnnotations", type_annotations);
        objects.push(object);
    }
    let array = array_of(m, of)?;
    Ok(m.new_references(array, &objects)?.into())
}
