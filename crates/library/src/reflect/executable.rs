//! `java.lang.reflect.Executable` and `Field`: what only the class file knows.

use crate::common::{Entry, array_of, bytes_or_null, jdk_class};
use crate::lang::members::executable;
use machine::{Answer, Args, Machine, Outcome, raise};
use program::world::field_info;

const EXECUTABLE: &str = "java/lang/reflect/Executable";
const FIELD: &str = "java/lang/reflect/Field";
const PARAMETER: &str = "java/lang/reflect/Parameter";

pub(crate) const METHODS: &[Entry] = &[
    (
        EXECUTABLE,
        "getParameters0",
        "()[Ljava/lang/reflect/Parameter;",
        get_parameters,
    ),
    (EXECUTABLE, "getTypeAnnotationBytes0", "()[B", get_type_annotations),
    (FIELD, "getTypeAnnotationBytes0", "()[B", get_field_type_annotations),
];

fn get_parameters(m: &mut Machine<'_>, args: &Args) -> Answer {
    let method = executable(m, args.word(0)).map(|id| m.program.method(id));
    let Some((file, parameters)) = method.and_then(|method| {
        let (file, info) = method.info()?;
        Some((file, info.parameters.as_ref()?))
    }) else {
        return Ok(Outcome::Word(0));
    };
    let of = jdk_class(m, PARAMETER)?;
    let mut objects = Vec::with_capacity(parameters.len());
    for (index, &(name, modifiers)) in parameters.iter().enumerate() {
        if modifiers & !0x9010 != 0 {
            // The JDK itself turns this into a MalformedParametersException.
            return raise("java/lang/IllegalArgumentException", "Invalid parameter modifiers");
        }
        let name = if name == 0 { 0 } else { m.intern(file.pool.text(name))? };
        let object = m.new_object(of)?;
        m.set(object, PARAMETER, "name", name);
        m.set(object, PARAMETER, "modifiers", u32::from(modifiers));
        m.set(object, PARAMETER, "executable", args.word(0));
        m.set(object, PARAMETER, "index", index as u32);
        objects.push(object);
    }
    let array = array_of(m, of)?;
    Ok(m.new_references(array, &objects)?.into())
}

fn get_type_annotations(m: &mut Machine<'_>, args: &Args) -> Answer {
    let method = executable(m, args.word(0)).map(|id| m.program.method(id));
    let bytes = method.and_then(|method| {
        let (file, info) = method.info()?;
        file.bytes.get(info.type_annotations.clone()?)
    });
    Ok(bytes_or_null(m, bytes)?.into())
}

fn get_field_type_annotations(m: &mut Machine<'_>, args: &Args) -> Answer {
    let field = args.word(0);
    let (class, slot) = (m.get(field, FIELD, "clazz"), m.get(field, FIELD, "slot"));
    let class = m.program.class(m.mirrored(class));
    let bytes = class.fields.get(slot as usize).and_then(|field| {
        let info = field_info(class, field)?;
        class.file.as_ref()?.bytes.get(info.type_annotations.clone()?)
    });
    Ok(bytes_or_null(m, bytes)?.into())
}
