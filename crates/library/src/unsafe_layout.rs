//! `jdk.internal.misc.Unsafe`: where fields and elements lie, and what it does with classes.

use machine::layout::{class, class_record, init};
use machine::{Address, Answer, Args, Machine, Native, Outcome, Trap, raise};
use program::world::{ARRAY_HEADER_WORDS, ClassId, ClassKind, Field};

const UNSAFE: &str = "jdk/internal/misc/Unsafe";
const FIELD: &str = "java/lang/reflect/Field";

/// The natives.
pub(crate) const METHODS: &[(&str, &str, &str, Native)] = &[
    (
        UNSAFE,
        "objectFieldOffset0",
        "(Ljava/lang/reflect/Field;)J",
        object_field_offset,
    ),
    (
        UNSAFE,
        "objectFieldOffset1",
        "(Ljava/lang/Class;Ljava/lang/String;)J",
        named_field_offset,
    ),
    (
        UNSAFE,
        "staticFieldOffset0",
        "(Ljava/lang/reflect/Field;)J",
        static_field_offset,
    ),
    (
        UNSAFE,
        "staticFieldBase0",
        "(Ljava/lang/reflect/Field;)Ljava/lang/Object;",
        static_field_base,
    ),
    (UNSAFE, "arrayBaseOffset0", "(Ljava/lang/Class;)I", array_base_offset),
    (UNSAFE, "arrayIndexScale0", "(Ljava/lang/Class;)I", array_index_scale),
    (
        UNSAFE,
        "allocateInstance",
        "(Ljava/lang/Class;)Ljava/lang/Object;",
        allocate_instance,
    ),
    (
        UNSAFE,
        "shouldBeInitialized0",
        "(Ljava/lang/Class;)Z",
        should_be_initialized,
    ),
    (
        UNSAFE,
        "ensureClassInitialized0",
        "(Ljava/lang/Class;)V",
        ensure_initialized,
    ),
    (
        UNSAFE,
        "defineClass0",
        "(Ljava/lang/String;[BIILjava/lang/ClassLoader;Ljava/security/ProtectionDomain;)Ljava/lang/Class;",
        define_class,
    ),
];

/// What runs in place of methods that have a body.
pub(crate) const REPLACED: &[(&str, &str, &str, Native)] =
    &[("jdk/internal/misc/UnsafeConstants", "<clinit>", "()V", constants)];

/// The field that a `java.lang.reflect.Field` stands for, and the class that declares it.
pub(crate) fn reflected_field(m: &mut Machine<'_>, object: Address) -> Result<(ClassId, Field), Trap> {
    if object == 0 {
        return Err(Trap::Raise("java/lang/NullPointerException", None));
    }
    let declaring = m.get(object, FIELD, "clazz");
    let name = m.get(object, FIELD, "name");
    let slot = m.get(object, FIELD, "slot") as usize;
    if declaring == 0 || name == 0 {
        return raise("java/lang/InternalError", "not a field");
    }
    let id = m.mirrored(declaring);
    let (name, declared) = (m.text(name), m.program.class(id));
    let is_named = |field: &&Field| **m.program.text(field.name) == *name;
    match declared
        .fields
        .get(slot)
        .filter(is_named)
        .or_else(|| declared.fields.iter().find(is_named))
    {
        Some(field) => Ok((id, *field)),
        None => raise("java/lang/InternalError", name),
    }
}

fn object_field_offset(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, field) = reflected_field(m, args.word(1))?;
    if field.is_static() {
        return raise("java/lang/IllegalArgumentException", "a static field");
    }
    Ok(i64::from(field.offset * 4).into())
}

fn static_field_offset(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (_, field) = reflected_field(m, args.word(1))?;
    if !field.is_static() {
        return raise("java/lang/IllegalArgumentException", "not a static field");
    }
    Ok(i64::from(field.offset * 4).into())
}

fn static_field_base(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (class, field) = reflected_field(m, args.word(1))?;
    if !field.is_static() {
        return raise("java/lang/IllegalArgumentException", "not a static field");
    }
    Ok(m.statics(class)?.into())
}

fn named_field_offset(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = class_argument(m, args, 1)?;
    if args.word(2) == 0 {
        return Err(Trap::Raise("java/lang/NullPointerException", None));
    }
    let name = m.text(args.word(2));
    let fields = &m.program.class(class).fields;
    match fields
        .iter()
        .find(|field| !field.is_static() && **m.program.text(field.name) == *name)
    {
        Some(field) => Ok(i64::from(field.offset * 4).into()),
        None => raise("java/lang/InternalError", name),
    }
}

/// The class that an argument stands for, which must not be null.
pub(crate) fn class_argument(m: &Machine<'_>, args: &Args, position: usize) -> Result<ClassId, Trap> {
    match args.word(position) {
        0 => Err(Trap::Raise("java/lang/NullPointerException", None)),
        mirror => Ok(m.mirrored(mirror)),
    }
}

fn array_base_offset(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = class_argument(m, args, 1)?;
    if !m.program.class(class).is_array() {
        return raise(
            "java/lang/IllegalArgumentException",
            m.program.class(class).external_name(),
        );
    }
    Ok((ARRAY_HEADER_WORDS as i32 * 4).into())
}

fn array_index_scale(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = class_argument(m, args, 1)?;
    let class = m.program.class(class);
    if !class.is_array() {
        return raise("java/lang/IllegalArgumentException", class.external_name());
    }
    Ok((1i32 << class.element_shift).into())
}

fn allocate_instance(m: &mut Machine<'_>, args: &Args) -> Answer {
    let id = class_argument(m, args, 1)?;
    let class = m.program.class(id);
    if class.kind != ClassKind::Instance || class.is_abstract() || id == m.known.class {
        return raise("java/lang/InstantiationException", class.external_name());
    }
    m.require_initialized(id)?;
    Ok(m.new_object(id)?.into())
}

fn should_be_initialized(m: &mut Machine<'_>, args: &Args) -> Answer {
    let id = class_argument(m, args, 1)?;
    let state = m.memory.load(class_record(id) + class::STATE);
    Ok((m.program.class(id).kind == ClassKind::Instance && state != init::DONE).into())
}

fn ensure_initialized(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = class_argument(m, args, 1)?;
    m.require_initialized(class)?;
    Ok(Outcome::Void)
}

/// Defines a class whose superclasses are loaded already; only the JDK's own code gets here.
fn define_class(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (array, offset, length) = (args.word(2), args.int(3), args.int(4));
    if array == 0 {
        return Err(Trap::Raise("java/lang/NullPointerException", None));
    }
    let (Ok(start), Ok(length)) = (usize::try_from(offset), usize::try_from(length)) else {
        return Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", None));
    };
    let Some(bytes) = m
        .byte_array(array)
        .get(start..)
        .and_then(|rest| rest.get(..length))
        .map(<[u8]>::to_vec)
    else {
        return Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", None));
    };
    let name = m.text_or_null(args.word(1)).map(|name| name.replace('.', "/"));
    let loader = m.loader_number(args.word(5))?;
    let class = m
        .program
        .define(loader, name.as_deref(), bytes.into())
        .map_err(machine::link::load_trap)?;
    Ok(m.mirror(class)?.into())
}

/// `UnsafeConstants.<clinit>`, which a JVM fills in behind the class's back.
fn constants(m: &mut Machine<'_>, _: &Args) -> Answer {
    const CONSTANTS: &str = "jdk/internal/misc/UnsafeConstants";
    let class = m
        .load_class(program::world::LoaderId::BOOT, CONSTANTS)
        .map_err(machine::link::load_trap)?;
    let statics = m.statics(class)?;
    for (name, value) in [
        ("ADDRESS_SIZE0", 8),
        ("PAGE_SIZE", 4096),
        ("BIG_ENDIAN", 0),
        ("UNALIGNED_ACCESS", 1),
    ] {
        let offset = m.offset(CONSTANTS, name);
        m.memory.store(statics + offset, value);
    }
    Ok(Outcome::Void)
}
