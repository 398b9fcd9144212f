//! `java.lang.System`. Time is the machine's virtual clock, counted from the first instant of 2024.

use crate::common::{Entry, jdk_class, non_null};
use machine::heap::ARRAY_BASE;
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};
use program::world::{ARRAY_HEADER_WORDS, ClassId, ClassKind};

const SYSTEM: &str = "java/lang/System";

/// When the virtual clock begins, in seconds since 1970: 2024-01-01T00:00:00Z.
pub(crate) const EPOCH_SECONDS: u64 = machine::clock::EPOCH_MILLIS / 1000;

pub(crate) const METHODS: &[Entry] = &[
    (
        SYSTEM,
        "arraycopy",
        "(Ljava/lang/Object;ILjava/lang/Object;II)V",
        arraycopy,
    ),
    (SYSTEM, "identityHashCode", "(Ljava/lang/Object;)I", identity_hash_code),
    (SYSTEM, "nanoTime", "()J", |m, _| Ok(m.nano_time().into())),
    (SYSTEM, "currentTimeMillis", "()J", |m, _| Ok(m.millis().into())),
    (
        SYSTEM,
        "mapLibraryName",
        "(Ljava/lang/String;)Ljava/lang/String;",
        map_library_name,
    ),
    (SYSTEM, "setIn0", "(Ljava/io/InputStream;)V", |m, args| {
        set_stream(m, "in", args.word(0))
    }),
    (SYSTEM, "setOut0", "(Ljava/io/PrintStream;)V", |m, args| {
        set_stream(m, "out", args.word(0))
    }),
    (SYSTEM, "setErr0", "(Ljava/io/PrintStream;)V", |m, args| {
        set_stream(m, "err", args.word(0))
    }),
    (
        "jdk/internal/misc/VM",
        "getNanoTimeAdjustment",
        "(J)J",
        get_nano_time_adjustment,
    ),
];

fn identity_hash_code(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok(match args.word(0) {
        0 => Outcome::Word(0),
        object => m.identity_hash(object)?.into(),
    })
}

/// Nanoseconds between the given second and now; -1 if that is too far for the JDK's arithmetic.
fn get_nano_time_adjustment(m: &mut Machine<'_>, args: &Args) -> Answer {
    m.note_look();
    let now = m.clock();
    let seconds = (EPOCH_SECONDS + now / 1_000_000_000) as i64;
    let distance = i128::from(seconds) - i128::from(args.wide(0) as i64);
    if distance.abs() >= 1 << 32 {
        return Ok((-1i64).into());
    }
    Ok((distance as i64 * 1_000_000_000 + (now % 1_000_000_000) as i64).into())
}

fn map_library_name(m: &mut Machine<'_>, args: &Args) -> Answer {
    let name = m.text(non_null(args.word(0))?);
    Ok(m.new_string(&format!("lib{name}.so"))?.into())
}

/// Sets one of the streams, final as they are.
fn set_stream(m: &mut Machine<'_>, name: &str, stream: Address) -> Answer {
    let system = jdk_class(m, SYSTEM)?;
    let field = m
        .program
        .class(system)
        .fields
        .iter()
        .find(|field| &**m.program.text(field.name) == name)
        .copied();
    if let Some(field) = field {
        let statics = m.statics(system)?;
        m.memory.store(statics + field.offset, stream);
    }
    Ok(Outcome::Void)
}

/// What an array is called in messages: `int`, or `object array`.
fn array_name(m: &Machine<'_>, class: ClassId) -> String {
    match m.program.class(class).element().map(|element| m.program.class(element)) {
        Some(element) if element.is_primitive() => element.name.to_string(),
        _ => "object array".to_owned(),
    }
}

fn mismatch<T>(message: String) -> Result<T, Trap> {
    raise("java/lang/ArrayStoreException", format!("arraycopy: {message}"))
}

fn arraycopy(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (source, target) = (non_null(args.word(0))?, non_null(args.word(2))?);
    let (from, to, length) = (args.int(1), args.int(3), args.int(4));
    let (source_class, target_class) = (m.class_of(source), m.class_of(target));
    let external = |class| super::class::external_name(m, class);
    let ClassKind::Array(source_element) = m.program.class(source_class).kind else {
        return mismatch(format!("source type {} is not an array", external(source_class)));
    };
    let ClassKind::Array(target_element) = m.program.class(target_class).kind else {
        return mismatch(format!("destination type {} is not an array", external(target_class)));
    };
    let primitive = m.program.class(source_element).is_primitive();
    if source_element != target_element && (primitive || m.program.class(target_element).is_primitive()) {
        let (from, to) = (array_name(m, source_class), array_name(m, target_class));
        return mismatch(format!("type mismatch: can not copy {from}[] into {to}[]"));
    }
    check_bounds(m, (source, from), (target, to), length)?;
    if length == 0 {
        return Ok(Outcome::Void);
    }
    let shift = m.program.class(source_class).element_shift;
    let at = |index: i32| ARRAY_BASE + ((index as usize) << shift);
    if primitive || source_element == target_element || m.program.is_subclass(source_element, target_element) {
        m.memory
            .copy_bytes((source, at(from)), (target, at(to)), (length as usize) << shift);
        return Ok(Outcome::Void);
    }
    // Different arrays, since their classes differ: element by element until one does not fit.
    for index in 0..length as u32 {
        let element = m.element(source, from as u32 + index);
        if element != 0 && !m.program.is_subclass(m.class_of(element), target_element) {
            let (stored, wanted) = (external_of(m, source_element), external_of(m, target_element));
            if !m.program.is_subclass(target_element, source_element) {
                return mismatch(format!("type mismatch: can not copy {stored}[] into {wanted}[]"));
            }
            return mismatch(format!(
                "element type mismatch: can not cast one of the elements of {stored}[] to the type of the destination \
                 array, {wanted}"
            ));
        }
        m.memory.store(target + ARRAY_HEADER_WORDS + to as u32 + index, element);
    }
    Ok(Outcome::Void)
}

fn external_of(m: &Machine<'_>, class: ClassId) -> String {
    // The JVM prints an array class in these messages as Java writes it.
    let mut dimensions = 0;
    let mut at = class;
    while let Some(element) = m.program.class(at).element() {
        at = element;
        dimensions += 1;
    }
    super::class::external_name(m, at) + &"[]".repeat(dimensions)
}

fn check_bounds(m: &Machine<'_>, source: (Address, i32), target: (Address, i32), length: i32) -> Result<(), Trap> {
    let fail = |what: String| raise("java/lang/ArrayIndexOutOfBoundsException", format!("arraycopy: {what}"));
    let place = |array: Address| format!("{}[{}]", array_name(m, m.class_of(array)), m.array_length(array));
    if source.1 < 0 {
        return fail(format!(
            "source index {} out of bounds for {}",
            source.1,
            place(source.0)
        ));
    }
    if target.1 < 0 {
        return fail(format!(
            "destination index {} out of bounds for {}",
            target.1,
            place(target.0)
        ));
    }
    if length < 0 {
        return fail(format!("length {length} is negative"));
    }
    for (name, (array, start)) in [("source", source), ("destination", target)] {
        let last = start as u32 + length as u32;
        if last > m.array_length(array) {
            return fail(format!("last {name} index {last} out of bounds for {}", place(array)));
        }
    }
    Ok(())
}
