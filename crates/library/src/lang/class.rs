//! `java.lang.Class`: what it says of a class as a whole. Its members are in `members.rs`.

use crate::common::{Entry, bytes_or_null, class_array, jdk_class, non_null, this_class, zero};
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};
use program::classfile::flags;
use program::descriptor::Kind;
use program::world::{ClassId, ClassKind, LoadError, LoaderId};

const CLASS: &str = "java/lang/Class";

pub(crate) const METHODS: &[Entry] = &[
    (
        CLASS,
        "getPrimitiveClass",
        "(Ljava/lang/String;)Ljava/lang/Class;",
        get_primitive_class,
    ),
    (
        CLASS,
        "forName0",
        "(Ljava/lang/String;ZLjava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/Class;",
        for_name,
    ),
    (
        CLASS,
        "desiredAssertionStatus0",
        "(Ljava/lang/Class;)Z",
        desired_assertion_status,
    ),
    (CLASS, "isInstance", "(Ljava/lang/Object;)Z", is_instance),
    (CLASS, "isAssignableFrom", "(Ljava/lang/Class;)Z", is_assignable_from),
    (CLASS, "isInterface", "()Z", |m, args| {
        Ok(m.program.class(this_class(m, args)).is_interface().into())
    }),
    (CLASS, "isArray", "()Z", |m, args| {
        Ok(m.program.class(this_class(m, args)).is_array().into())
    }),
    (CLASS, "isPrimitive", "()Z", |m, args| {
        Ok(m.program.class(this_class(m, args)).is_primitive().into())
    }),
    (CLASS, "isHidden", "()Z", is_hidden),
    (CLASS, "isRecord0", "()Z", is_record),
    (CLASS, "getSuperclass", "()Ljava/lang/Class;", get_superclass),
    (CLASS, "getInterfaces0", "()[Ljava/lang/Class;", get_interfaces),
    (CLASS, "getModifiers", "()I", get_modifiers),
    (CLASS, "initClassName", "()Ljava/lang/String;", |m, args| {
        Ok(name_of(m, args.word(0))?.into())
    }),
    (
        CLASS,
        "getSimpleBinaryName0",
        "()Ljava/lang/String;",
        get_simple_binary_name,
    ),
    (CLASS, "getDeclaringClass0", "()Ljava/lang/Class;", get_declaring_class),
    (
        CLASS,
        "getEnclosingMethod0",
        "()[Ljava/lang/Object;",
        get_enclosing_method,
    ),
    (CLASS, "getNestHost0", "()Ljava/lang/Class;", get_nest_host),
    (CLASS, "getNestMembers0", "()[Ljava/lang/Class;", get_nest_members),
    (
        CLASS,
        "getPermittedSubclasses0",
        "()[Ljava/lang/Class;",
        get_permitted_subclasses,
    ),
    (
        CLASS,
        "getDeclaredClasses0",
        "()[Ljava/lang/Class;",
        get_declared_classes,
    ),
    (
        CLASS,
        "getGenericSignature0",
        "()Ljava/lang/String;",
        get_generic_signature,
    ),
    (CLASS, "getRawAnnotations", "()[B", get_raw_annotations),
    (CLASS, "getRawTypeAnnotations", "()[B", get_raw_type_annotations),
    (
        CLASS,
        "getConstantPool",
        "()Ljdk/internal/reflect/ConstantPool;",
        get_constant_pool,
    ),
    (CLASS, "getSigners", "()[Ljava/lang/Object;", zero),
    (CLASS, "setSigners", "([Ljava/lang/Object;)V", crate::common::nothing),
    (CLASS, "getClassAccessFlagsRaw0", "()I", get_class_access_flags_raw),
    (CLASS, "getClassFileVersion0", "()I", get_class_file_version),
    (
        "jdk/internal/reflect/Reflection",
        "getClassAccessFlags",
        "(Ljava/lang/Class;)I",
        get_class_access_flags,
    ),
];

/// The name that Java prints. A hidden class has a slash before its suffix, which no class file can name.
pub(crate) fn external_name(m: &Machine<'_>, of: ClassId) -> String {
    let class = m.program.class(of);
    let name = class.external_name();
    // An array of a hidden class shares its odd name.
    if class.hidden || class.is_array() {
        name.replacen('+', "/", 1)
    } else {
        name
    }
}

/// The name as an interned string, kept in the class object as the JVM does.
pub(crate) fn name_of(m: &mut Machine<'_>, mirror: Address) -> Result<Address, Trap> {
    let known = m.get(mirror, CLASS, "name");
    if known != 0 {
        return Ok(known);
    }
    let name = external_name(m, m.mirrored(mirror));
    let string = m.intern(&name)?;
    m.set(mirror, CLASS, "name", string);
    Ok(string)
}

fn get_primitive_class(m: &mut Machine<'_>, args: &Args) -> Answer {
    let name = m.text(non_null(args.word(0))?);
    let kind = match &*name {
        "boolean" => Some(Kind::Boolean),
        "byte" => Some(Kind::Byte),
        "char" => Some(Kind::Char),
        "short" => Some(Kind::Short),
        "int" => Some(Kind::Int),
        "long" => Some(Kind::Long),
        "float" => Some(Kind::Float),
        "double" => Some(Kind::Double),
        "void" => None,
        _ => return raise("java/lang/ClassNotFoundException", name),
    };
    let class = m.program.primitive(kind);
    Ok(m.mirror(class)?.into())
}

fn for_name(m: &mut Machine<'_>, args: &Args) -> Answer {
    let name = m.text(non_null(args.word(0))?);
    let internal = name.replace('.', "/");
    let well_formed = match internal.strip_prefix('[') {
        Some(_) => program::descriptor::is_field(&internal),
        None => program::descriptor::is_class_name(&internal),
    };
    if name.contains('/') || !well_formed {
        return raise("java/lang/ClassNotFoundException", name);
    }
    let loader = args.word(2);
    let class = if loader == 0 {
        match m.program.load(LoaderId::BOOT, &internal) {
            Ok(class) => class,
            Err(LoadError::NotFound(missing)) if missing == internal || internal.starts_with('[') => {
                return raise("java/lang/ClassNotFoundException", name);
            }
            Err(error) => return Err(machine::link::load_trap(error)),
        }
    } else {
        m.load_through(loader, &internal, false)?
    };
    if args.word(1) & 1 != 0 {
        m.require_initialized(class)?;
    }
    Ok(m.mirror(class)?.into())
}

/// Assertions are on in the program's own classes and off in the JDK's, as with `java -ea`.
fn desired_assertion_status(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(m.mirrored(non_null(args.word(0))?));
    Ok((class.loader != LoaderId::BOOT && class.module.is_empty()).into())
}

fn is_instance(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (target, object) = (this_class(m, args), args.word(1));
    Ok((object != 0 && m.program.is_subclass(m.class_of(object), target)).into())
}

fn is_assignable_from(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (target, class) = (this_class(m, args), m.mirrored(non_null(args.word(1))?));
    Ok(m.program.is_subclass(class, target).into())
}

fn is_hidden(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    Ok((class.hidden && class.kind == ClassKind::Instance).into())
}

fn is_record(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    let is_record = class.flags & flags::FINAL != 0
        && class
            .super_class
            .is_some_and(|above| &*m.program.class(above).name == "java/lang/Record")
        && class.file.as_ref().is_some_and(|file| file.record.is_some());
    Ok(is_record.into())
}

fn get_superclass(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    Ok(match class.super_class.filter(|_| !class.is_interface()) {
        None => Outcome::Word(0),
        Some(above) => m.mirror(above)?.into(),
    })
}

fn get_interfaces(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    Ok(class_array(m, &class.interfaces)?.into())
}

fn get_modifiers(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok(i32::from(m.class_modifiers(this_class(m, args))).into())
}

/// `Reflection.getClassAccessFlags`: those of the class file, for an inner class too.
fn get_class_access_flags(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(m.mirrored(non_null(args.word(0))?));
    Ok(i32::from(class.flags & !flags::SUPER & 0x7fff).into())
}

fn get_class_access_flags_raw(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok(i32::from(m.program.class(this_class(m, args)).flags).into())
}

fn get_class_file_version(m: &mut Machine<'_>, args: &Args) -> Answer {
    let mut class = m.program.class(this_class(m, args));
    while let Some(element) = class.element() {
        class = m.program.class(element);
    }
    let version = class
        .file
        .as_ref()
        .map_or(0, |file| i32::from(file.minor) << 16 | i32::from(file.major));
    Ok(version.into())
}

/// The row of the class's own `InnerClasses` that describes it: outer class and simple name, both perhaps absent.
fn own_row<'m>(m: &Machine<'m>, of: ClassId) -> Option<(Option<&'m str>, Option<&'m str>)> {
    let program = m.program;
    let file = program.class(of).file.as_ref()?;
    let own = file.pool.class_name(file.this_class);
    let row = file
        .inner_classes
        .iter()
        .find(|row| file.pool.class_name(row.inner) == own)?;
    let outer = (row.outer != 0).then(|| file.pool.class_name(row.outer));
    let name = (row.name != 0).then(|| file.pool.text(row.name));
    Some((outer, name))
}

fn get_simple_binary_name(m: &mut Machine<'_>, args: &Args) -> Answer {
    let name = own_row(m, this_class(m, args)).and_then(|(_, name)| name);
    Ok(match name {
        Some(name) => m.intern(name)?.into(),
        None => Outcome::Word(0),
    })
}

fn get_declaring_class(m: &mut Machine<'_>, args: &Args) -> Answer {
    let of = this_class(m, args);
    let Some((Some(outer), Some(_))) = own_row(m, of) else {
        return Ok(Outcome::Word(0));
    };
    let outer = m.resolve_class(m.program.class(of), outer)?;
    // The outer class must say so too, and mean this very class.
    let program = m.program;
    let mut agrees = false;
    if let Some(file) = &program.class(outer).file {
        let own = &*program.class(of).name;
        let named = file
            .inner_classes
            .iter()
            .any(|row| file.pool.class_name(row.inner) == own && row.outer != 0);
        agrees = named && m.resolve_class(program.class(outer), own)? == of;
    }
    if !agrees {
        return raise(
            "java/lang/IncompatibleClassChangeError",
            format!(
                "{} and {} disagree on InnerClasses attribute",
                external_name(m, outer),
                external_name(m, of)
            ),
        );
    }
    Ok(m.mirror(outer)?.into())
}

fn get_enclosing_method(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    let Some((file, (outer, member))) = class
        .file
        .as_ref()
        .and_then(|file| Some((file, file.enclosing_method?)))
    else {
        return Ok(Outcome::Word(0));
    };
    let outer = m.resolve_class(class, file.pool.class_name(outer))?;
    let outer = m.mirror(outer)?;
    let (mut name, mut descriptor) = (0, 0);
    if member != 0 {
        let (text, kind) = file.pool.name_and_type(member);
        name = m.intern(text)?;
        descriptor = m.intern(kind)?;
    }
    Ok(m.new_references(m.known.object_array, &[outer, name, descriptor])?
        .into())
}

fn get_nest_host(m: &mut Machine<'_>, args: &Args) -> Answer {
    let host = m.program.nest_host(this_class(m, args));
    Ok(m.mirror(host)?.into())
}

fn get_nest_members(m: &mut Machine<'_>, args: &Args) -> Answer {
    let host = m.program.nest_host(this_class(m, args));
    let mut members = vec![host];
    let class = m.program.class(host);
    if let Some(file) = &class.file {
        for &member in &file.nest_members {
            let Ok(member) = m.resolve_class(class, file.pool.class_name(member)) else {
                continue;
            };
            if m.program.nest_host(member) == host && !members.contains(&member) {
                members.push(member);
            }
        }
    }
    Ok(class_array(m, &members)?.into())
}

fn get_permitted_subclasses(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    let Some((file, permitted)) = class
        .file
        .as_ref()
        .and_then(|file| Some((file, file.permitted.as_ref()?)))
    else {
        return Ok(Outcome::Word(0));
    };
    let mut classes = Vec::new();
    for &index in permitted {
        // What cannot be loaded is left out.
        match m.resolve_class(class, file.pool.class_name(index)) {
            Ok(found) => classes.push(found),
            Err(Trap::Raise(..)) => {}
            Err(trap) => return Err(trap),
        }
    }
    Ok(class_array(m, &classes)?.into())
}

fn get_declared_classes(m: &mut Machine<'_>, args: &Args) -> Answer {
    let of = this_class(m, args);
    let class = m.program.class(of);
    let mut classes = Vec::new();
    if let Some(file) = &class.file {
        let own = file.pool.class_name(file.this_class);
        for row in &file.inner_classes {
            if row.outer != 0 && row.name != 0 && file.pool.class_name(row.outer) == own {
                classes.push(m.resolve_class(class, file.pool.class_name(row.inner))?);
            }
        }
    }
    Ok(class_array(m, &classes)?.into())
}

fn get_generic_signature(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    let signature = class
        .file
        .as_ref()
        .and_then(|file| Some(file.pool.text(file.signature?)));
    Ok(match signature {
        Some(signature) => m.intern(signature)?.into(),
        None => Outcome::Word(0),
    })
}

fn get_raw_annotations(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    let bytes = class
        .file
        .as_ref()
        .and_then(|file| file.bytes.get(file.annotations.clone()?));
    Ok(bytes_or_null(m, bytes)?.into())
}

fn get_raw_type_annotations(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(this_class(m, args));
    let bytes = class
        .file
        .as_ref()
        .and_then(|file| file.bytes.get(file.type_annotations.clone()?));
    Ok(bytes_or_null(m, bytes)?.into())
}

/// An object that names the class; its native methods look into the class file.
fn get_constant_pool(m: &mut Machine<'_>, args: &Args) -> Answer {
    if m.program.class(this_class(m, args)).file.is_none() {
        return Ok(Outcome::Word(0));
    }
    let class = jdk_class(m, "jdk/internal/reflect/ConstantPool")?;
    let pool = m.new_object(class)?;
    m.set(
        pool,
        "jdk/internal/reflect/ConstantPool",
        "constantPoolOop",
        args.word(0),
    );
    Ok(pool.into())
}
