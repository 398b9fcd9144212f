//! What many native methods share.

use machine::{Address, Answer, Args, Machine, Native, Outcome, Trap};
use program::world::{ClassId, LoaderId};

/// A method of the table: internal name of its class, name, descriptor, function.
pub(crate) type Entry = (&'static str, &'static str, &'static str, Native);

/// A class of the JDK.
pub(crate) fn jdk_class(m: &Machine<'_>, name: &str) -> Result<ClassId, Trap> {
    m.program.load(LoaderId::BOOT, name).map_err(machine::link::load_trap)
}

/// The array class of a class.
pub(crate) fn array_of(m: &Machine<'_>, element: ClassId) -> Result<ClassId, Trap> {
    m.program.array_of(element).map_err(machine::link::load_trap)
}

/// A reference that must not be null.
pub(crate) fn non_null(reference: Address) -> Result<Address, Trap> {
    if reference == 0 {
        Err(Trap::Raise("java/lang/NullPointerException", None))
    } else {
        Ok(reference)
    }
}

/// Ends the run: this is not done here.
pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T, Trap> {
    Err(Trap::Unsupported(what.into()))
}

/// Does nothing.
pub(crate) fn nothing(_: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(Outcome::Void)
}

/// Answers 0, false or null.
pub(crate) fn zero(_: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(Outcome::Word(0))
}

/// Answers true.
pub(crate) fn yes(_: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(Outcome::Word(1))
}

/// Answers a long 0.
pub(crate) fn zero_wide(_: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(Outcome::Wide(0))
}

/// The class that the receiver, a `java.lang.Class`, stands for.
pub(crate) fn this_class(m: &Machine<'_>, args: &Args) -> ClassId {
    m.mirrored(args.word(0))
}

/// Class objects in an array.
pub(crate) fn class_array(m: &mut Machine<'_>, classes: &[ClassId]) -> Result<Address, Trap> {
    let mut mirrors = Vec::with_capacity(classes.len());
    for &class in classes {
        mirrors.push(m.mirror(class)?);
    }
    m.new_references(m.known.class_array, &mirrors)
}

/// A byte array from a part of a class file; null for none.
pub(crate) fn bytes_or_null(m: &mut Machine<'_>, bytes: Option<&[u8]>) -> Result<Address, Trap> {
    match bytes {
        Some(bytes) => m.new_bytes(bytes),
        None => Ok(0),
    }
}
