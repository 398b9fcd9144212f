//! Reads the constant pool and checks every constant against the others (JVMS §4.4), as a virtual machine does when it
//! loads a class.

use super::cursor::Cursor;
use super::error::{FormatError, Result};
use super::names;
use super::pool::{Constant, Pool, Utf8};
use super::{Index, utf8};
use crate::descriptor;

/// Reads the pool. What its constants refer to is not checked yet.
pub(super) fn read(cursor: &mut Cursor<'_>, major: u16) -> Result<Pool> {
    let at = cursor.position();
    let count = cursor.u2()?;
    if count == 0 {
        return Err(FormatError::new(at, "constant pool count is 0, at least 1 expected"));
    }
    let mut pool = Pool::default();
    pool.constants.reserve(usize::from(count).min(cursor.left() / 3 + 1));
    let mut text = Vec::with_capacity(cursor.left() / 2);
    pool.constants.push(Constant::Unusable);
    while pool.constants.len() < usize::from(count) {
        let at = cursor.position();
        let constant = read_one(cursor, major, &mut pool, &mut text)?;
        pool.constants.push(constant);
        if matches!(constant, Constant::Long(_) | Constant::Double(_)) {
            if pool.constants.len() >= usize::from(count) {
                let what = format!("{} constant has no room for its second slot", constant.kind());
                return Err(FormatError::new(at, what));
            }
            pool.constants.push(Constant::Unusable);
        }
    }
    text.shrink_to_fit();
    // One look at all the text is faster than one for each constant; the decoder writes nothing but UTF-8.
    pool.text = String::from_utf8(text).map_err(|_| FormatError::new(at, "constant pool is not in modified UTF-8"))?;
    Ok(pool)
}

fn read_one(cursor: &mut Cursor<'_>, major: u16, pool: &mut Pool, text: &mut Vec<u8>) -> Result<Constant> {
    let at = cursor.position();
    let tag = cursor.u1()?;
    let first_major = match tag {
        15 | 16 | 18 => 51,
        17 => 55,
        19 | 20 => 53,
        _ => 0,
    };
    if major < first_major {
        let what = format!("constant tag {tag} needs class file version {first_major}, this is {major}");
        return Err(FormatError::new(at, what));
    }
    Ok(match tag {
        1 => {
            let length = usize::from(cursor.u2()?);
            let bytes = cursor.bytes(length)?;
            let start = text.len();
            let Some(lone) = utf8::decode(bytes, major <= 47, text) else {
                return Err(FormatError::new(at, "Utf8 constant is not in modified UTF-8"));
            };
            if let (Some(units), Ok(index)) = (lone, Index::try_from(pool.constants.len())) {
                pool.units.push((index, units));
            }
            match (u32::try_from(start), u32::try_from(text.len())) {
                (Ok(start), Ok(end)) => Constant::Utf8(Utf8 { start, end }),
                _ => return Err(FormatError::new(at, "constant pool has over 4 GiB of text")),
            }
        }
        3 => Constant::Integer(cursor.u4()?.cast_signed()),
        4 => Constant::Float(cursor.u4()?),
        5 => Constant::Long(cursor.u8()?.cast_signed()),
        6 => Constant::Double(cursor.u8()?),
        7 => Constant::Class(cursor.u2()?),
        8 => Constant::String(cursor.u2()?),
        9 => Constant::Field(cursor.u2()?, cursor.u2()?),
        10 => Constant::Method(cursor.u2()?, cursor.u2()?),
        11 => Constant::InterfaceMethod(cursor.u2()?, cursor.u2()?),
        12 => Constant::NameAndType(cursor.u2()?, cursor.u2()?),
        15 => Constant::MethodHandle(cursor.u1()?, cursor.u2()?),
        16 => Constant::MethodType(cursor.u2()?),
        17 => Constant::Dynamic(cursor.u2()?, cursor.u2()?),
        18 => Constant::InvokeDynamic(cursor.u2()?, cursor.u2()?),
        19 => Constant::Module(cursor.u2()?),
        20 => Constant::Package(cursor.u2()?),
        _ => {
            let what = format!("unknown constant tag {tag} for constant {}", pool.constants.len());
            return Err(FormatError::new(at, what));
        }
    })
}

/// Checks every constant. `start` is a cursor at the start of the pool, to find where a bad one is. Gives how many
/// bootstrap methods the constants ask for.
pub(super) fn check(pool: &Pool, start: &Cursor<'_>, major: u16) -> Result<usize> {
    let mut bootstrap_methods = 0;
    for (index, constant) in pool.constants.iter().enumerate() {
        if let Err(what) = check_one(pool, constant, major) {
            let what = format!("constant {index} ({}): {what}", constant.kind());
            return Err(FormatError::new(offset_of(start.clone(), index), what));
        }
        if let Constant::Dynamic(bootstrap, _) | Constant::InvokeDynamic(bootstrap, _) = constant {
            bootstrap_methods = bootstrap_methods.max(usize::from(*bootstrap) + 1);
        }
    }
    Ok(bootstrap_methods)
}

type Check<T = ()> = std::result::Result<T, String>;

fn check_one(pool: &Pool, constant: &Constant, major: u16) -> Check {
    match *constant {
        Constant::Class(name) => {
            let name = utf8_at(pool, name)?;
            ensure(names::is_class(name), || format!("\"{name}\" is not a class name"))
        }
        Constant::String(text) => utf8_at(pool, text).map(drop),
        Constant::Module(name) | Constant::Package(name) => {
            let name = utf8_at(pool, name)?;
            ensure(!name.is_empty(), || "the name is empty".to_owned())
        }
        Constant::NameAndType(name, descriptor) => {
            let (name, descriptor) = (utf8_at(pool, name)?, utf8_at(pool, descriptor)?);
            if descriptor.starts_with('(') {
                ensure(names::is_method(name), || format!("\"{name}\" is not a method name"))?;
                method_descriptor(name, descriptor, major)
            } else {
                ensure(names::is_field(name), || format!("\"{name}\" is not a field name"))?;
                ensure(descriptor::is_field(descriptor), || {
                    format!("\"{descriptor}\" is not a field descriptor")
                })
            }
        }
        Constant::Field(class, member) => {
            class_at(pool, class)?;
            let (name, descriptor) = member_at(pool, member)?;
            ensure(!descriptor.starts_with('('), || {
                format!("field {name} has the method descriptor {descriptor}")
            })
        }
        Constant::Method(class, member) => {
            class_at(pool, class)?;
            let name = method_at(pool, member)?;
            ensure(!name.starts_with('<') || name == "<init>", || {
                format!("method {name} cannot be called")
            })
        }
        Constant::InterfaceMethod(class, member) => {
            class_at(pool, class)?;
            method_at(pool, member).map(drop)
        }
        Constant::MethodHandle(kind, member) => handle(pool, kind, member, major),
        Constant::MethodType(descriptor) => {
            let descriptor = utf8_at(pool, descriptor)?;
            ensure(descriptor::is_method(descriptor), || {
                format!("\"{descriptor}\" is not a method descriptor")
            })
        }
        Constant::Dynamic(_, member) => {
            let (name, descriptor) = member_at(pool, member)?;
            ensure(!descriptor.starts_with('('), || {
                format!("constant {name} has the method descriptor {descriptor}")
            })
        }
        Constant::InvokeDynamic(_, member) => method_at(pool, member).map(drop),
        Constant::Unusable
        | Constant::Utf8(_)
        | Constant::Integer(_)
        | Constant::Float(_)
        | Constant::Long(_)
        | Constant::Double(_) => Ok(()),
    }
}

fn handle(pool: &Pool, kind: u8, member: Index, major: u16) -> Check {
    let constant = pool.get(member);
    let fits = match kind {
        1..=4 => matches!(constant, Constant::Field(..)),
        5 | 8 => matches!(constant, Constant::Method(..)),
        // Static and private methods of interfaces came with Java 8.
        6 | 7 if major >= 52 => matches!(constant, Constant::Method(..) | Constant::InterfaceMethod(..)),
        6 | 7 => matches!(constant, Constant::Method(..)),
        9 => matches!(constant, Constant::InterfaceMethod(..)),
        _ => return Err(format!("reference kind {kind} is not one of 1 to 9")),
    };
    ensure(fits, || {
        format!(
            "kind {kind} cannot refer to constant {member}, which is {}",
            constant.kind()
        )
    })?;
    if let Constant::Method(_, name_and_type) | Constant::InterfaceMethod(_, name_and_type) = *constant {
        let (name, _) = member_at(pool, name_and_type)?;
        ensure((kind == 8) == (name == "<init>"), || {
            format!("kind {kind} cannot refer to a method named {name}")
        })?;
    }
    Ok(())
}

/// Checks the descriptor of a method with this name: initialisers return nothing, and that of a class takes nothing.
pub(super) fn method_descriptor(name: &str, descriptor: &str, major: u16) -> Check {
    ensure(descriptor::is_method(descriptor), || {
        format!("\"{descriptor}\" is not a method descriptor")
    })?;
    if name.starts_with('<') {
        let fits = descriptor.ends_with('V') && (name != "<clinit>" || major < 51 || descriptor == "()V");
        ensure(fits, || {
            format!("method {name} cannot have the descriptor {descriptor}")
        })?;
    }
    Ok(())
}

fn ensure(fine: bool, what: impl FnOnce() -> String) -> Check {
    if fine { Ok(()) } else { Err(what()) }
}

fn utf8_at(pool: &Pool, index: Index) -> Check<&str> {
    match pool.get(index) {
        Constant::Utf8(_) => Ok(pool.text(index)),
        other => Err(wrong_kind(index, other, "Utf8")),
    }
}

fn class_at(pool: &Pool, index: Index) -> Check {
    match pool.get(index) {
        Constant::Class(_) => Ok(()),
        other => Err(wrong_kind(index, other, "Class")),
    }
}

fn member_at(pool: &Pool, index: Index) -> Check<(&str, &str)> {
    match pool.get(index) {
        Constant::NameAndType(..) => Ok(pool.name_and_type(index)),
        other => Err(wrong_kind(index, other, "NameAndType")),
    }
}

fn method_at(pool: &Pool, index: Index) -> Check<&str> {
    let (name, descriptor) = member_at(pool, index)?;
    ensure(descriptor.starts_with('('), || {
        format!("method {name} has the field descriptor {descriptor}")
    })?;
    Ok(name)
}

#[cold]
fn wrong_kind(index: Index, found: &Constant, expected: &str) -> String {
    format!(
        "refers to constant {index}, which is {} instead of {expected}",
        found.kind()
    )
}

/// Where constant `index` begins: the pool is walked again, which only an error pays for.
#[cold]
fn offset_of(mut cursor: Cursor<'_>, index: usize) -> usize {
    let mut walk = || -> Result<usize> {
        cursor.u2()?;
        let mut current = 1;
        while current < index {
            let tag = cursor.u1()?;
            let length = match tag {
                1 => usize::from(cursor.u2()?),
                3 | 4 | 9..=12 | 17 | 18 => 4,
                5 | 6 => 8,
                15 => 3,
                _ => 2,
            };
            cursor.take(length)?;
            current += if matches!(tag, 5 | 6) { 2 } else { 1 };
        }
        Ok(cursor.position())
    };
    walk().unwrap_or(0)
}
