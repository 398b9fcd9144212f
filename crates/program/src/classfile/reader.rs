//! Reads a class file in one pass, with the format checks of JVMS §4.8 that HotSpot makes when it loads a class.
//!
//! Left out on purpose: what only the linker or the verifier can tell (bytecode, stack maps, the hierarchy), the contents
//! of annotations and signatures, and whether preview features (minor version 65535) are switched on.

use super::attributes::{self, Common, Context, once};
use super::cursor::Cursor;
use super::error::{FormatError, FormatErrorKind, Result};
use super::pool::Constant;
use super::{BootstrapMethod, ClassFile, Index, InnerClass, NEWEST_MAJOR, constants, flags, names};
use crate::bytes::Bytes;

impl ClassFile {
    /// Reads a class file. Whatever the bytes are, the answer is a class or an error, and memory stays within a small
    /// multiple of their number.
    pub fn parse(bytes: Bytes) -> std::result::Result<ClassFile, FormatError> {
        let mut file = read(&bytes)?;
        file.bytes = bytes;
        Ok(file)
    }
}

fn read(bytes: &[u8]) -> Result<ClassFile> {
    let mut cursor = Cursor::new(bytes);
    let magic = cursor.u4()?;
    if magic != 0xCAFE_BABE {
        return Err(FormatError::new(
            0,
            format!("magic number is {magic:#010x} instead of 0xcafebabe: not a class file"),
        ));
    }
    let (minor, major) = (cursor.u2()?, cursor.u2()?);
    check_version(major, minor)?;
    let pool_start = cursor.clone();
    let pool = constants::read(&mut cursor, major)?;
    let needed_bootstrap_methods = constants::check(&pool, &pool_start, major)?;

    let at = cursor.position();
    let class_flags = cursor.u2()?;
    let context = Context {
        pool: &pool,
        major,
        class_flags,
    };
    let this_class = context.plain_class(&mut cursor, "the name of this class")?;
    let super_class = context.optional(&mut cursor, "Class", |constant| matches!(constant, Constant::Class(_)))?;
    let is_module = class_flags & flags::MODULE != 0 && major >= 53;
    check_class(&context, this_class, super_class, is_module, at)?;
    let at = cursor.position();
    let interfaces = cursor.table(2, |cursor| context.plain_class(cursor, "an interface"))?;
    context.distinct(
        "interface",
        interfaces.iter().map(|class| (name_of(&context, *class), 0)),
        at,
    )?;
    let at = cursor.position();
    let fields = cursor.table(8, |cursor| attributes::field(&context, cursor))?;
    context.distinct("field", fields.iter().map(|field| (field.name, field.descriptor)), at)?;
    let at = cursor.position();
    let methods = cursor.table(8, |cursor| attributes::method(&context, cursor))?;
    context.distinct(
        "method",
        methods.iter().map(|method| (method.name, method.descriptor)),
        at,
    )?;

    let at = cursor.position();
    let read = class_attributes(&context, &mut cursor)?;
    let bootstrap_methods = read.bootstrap_methods.unwrap_or_default();
    if needed_bootstrap_methods > bootstrap_methods.len() {
        let what = format!(
            "a constant asks for bootstrap method {}, but there are {}",
            needed_bootstrap_methods - 1,
            bootstrap_methods.len()
        );
        return Err(FormatError::new(at, what));
    }
    if cursor.left() != 0 {
        let what = format!("{} bytes too many at the end of the class file", cursor.left());
        return Err(FormatError::new(cursor.position(), what));
    }
    Ok(ClassFile {
        bytes: Bytes::default(),
        major,
        minor,
        flags: class_flags,
        this_class,
        super_class,
        interfaces,
        fields,
        methods,
        source_file: read.source_file,
        signature: read.common.signature,
        inner_classes: read.inner_classes.unwrap_or_default(),
        enclosing_method: read.enclosing_method,
        nest_host: read.nest_host,
        nest_members: read.nest_members.unwrap_or_default(),
        permitted: read.permitted,
        record: read.record,
        bootstrap_methods,
        annotations: read.common.annotations,
        type_annotations: read.common.type_annotations,
        pool,
    })
}

fn check_version(major: u16, minor: u16) -> Result<()> {
    let newest_java = NEWEST_MAJOR - 44;
    let what = match major {
        0..45 => format!("class file version {major} is older than any Java's, the oldest is 45"),
        45..=55 => return Ok(()),
        56..=NEWEST_MAJOR if matches!(minor, 0 | u16::MAX) => return Ok(()),
        56..=NEWEST_MAJOR => format!("class file version {major}.{minor} does not exist, only .0 and .65535 do"),
        _ => format!(
            "class file version {major} (Java {}) is newer than this Raddle understands ({NEWEST_MAJOR}, Java \
             {newest_java}); compile with --release {newest_java} or less",
            major - 44
        ),
    };
    Err(FormatError {
        offset: 4,
        what,
        kind: FormatErrorKind::Version,
    })
}

/// The Utf8 constant behind a Class constant.
fn name_of(context: &Context<'_>, class: Index) -> Index {
    match *context.pool.get(class) {
        Constant::Class(name) => name,
        _ => 0,
    }
}

fn check_class(context: &Context<'_>, this: Index, parent: Index, is_module: bool, at: usize) -> Result<()> {
    let (name, parent_name) = (context.pool.class_name(this), context.pool.class_name(parent));
    let refuse = |what: String| Err(FormatError::new(at, format!("class {name}: {what}")));
    if is_module {
        // Not a class at all: whoever loads it says so.
        return Ok(());
    }
    if !names::class_flags(context.class_flags, context.major) {
        return refuse(format!("the flags {:#06x} are not allowed", context.class_flags));
    }
    if (parent == 0) != (name == "java/lang/Object") {
        return refuse("java.lang.Object and only it has no superclass".to_owned());
    }
    if parent_name.starts_with('[') {
        return refuse(format!("the array {parent_name} cannot be a superclass"));
    }
    if context.class_flags & flags::INTERFACE != 0 && parent_name != "java/lang/Object" {
        return refuse(format!(
            "an interface must have java.lang.Object as superclass, not {parent_name}"
        ));
    }
    Ok(())
}

#[derive(Default)]
struct ClassAttributes {
    common: Common,
    source_file: Option<Index>,
    inner_classes: Option<Vec<InnerClass>>,
    enclosing_method: Option<(Index, Index)>,
    nest_host: Option<Index>,
    nest_members: Option<Vec<Index>>,
    permitted: Option<Vec<Index>>,
    record: Option<Vec<super::RecordComponent>>,
    bootstrap_methods: Option<Vec<BootstrapMethod>>,
}

fn class_attributes<'a>(context: &Context<'a>, cursor: &mut Cursor<'a>) -> Result<ClassAttributes> {
    let mut read = ClassAttributes::default();
    let major = context.major;
    context.attributes(cursor, |name, body| {
        let at = body.position();
        match name {
            "SourceFile" => once(&mut read.source_file, context.utf8(body)?, name, at)?,
            "InnerClasses" => once(&mut read.inner_classes, inner_classes(context, body)?, name, at)?,
            "EnclosingMethod" if major >= 49 => {
                let class = context.class(body)?;
                let method = context.optional(body, "NameAndType", |constant| {
                    matches!(constant, Constant::NameAndType(..))
                })?;
                once(&mut read.enclosing_method, (class, method), name, at)?;
            }
            "BootstrapMethods" if major >= 51 => {
                let rows = body.table(4, |body| bootstrap_method(context, body))?;
                once(&mut read.bootstrap_methods, rows, name, at)?;
            }
            "NestHost" if major >= 55 => once(&mut read.nest_host, context.class(body)?, name, at)?,
            "NestMembers" if major >= 55 => {
                let classes = body.table(2, |body| context.class(body))?;
                once(&mut read.nest_members, classes, name, at)?;
            }
            "Record" if major >= 60 => {
                let components = body.table(6, |body| attributes::component(context, body))?;
                once(&mut read.record, components, name, at)?;
            }
            "PermittedSubclasses" if major >= 61 => {
                if context.class_flags & flags::FINAL != 0 {
                    return Err(FormatError::new(at, "a final class cannot have permitted subclasses"));
                }
                let classes = body.table(2, |body| context.class(body))?;
                once(&mut read.permitted, classes, name, at)?;
            }
            _ => {
                if !read.common.read(context, name, body)? && !attributes::is_marker(name) {
                    body.rest();
                }
            }
        }
        if read.nest_host.is_some() && read.nest_members.is_some() {
            return Err(FormatError::new(
                at,
                "a class cannot have both NestHost and NestMembers",
            ));
        }
        Ok(())
    })?;
    Ok(read)
}

fn bootstrap_method(context: &Context<'_>, body: &mut Cursor<'_>) -> Result<BootstrapMethod> {
    let method = context.index(body, "MethodHandle", |constant| {
        matches!(constant, Constant::MethodHandle(..))
    })?;
    let loadable = |constant: &Constant| {
        use Constant::*;
        matches!(
            constant,
            Integer(_)
                | Float(_)
                | Long(_)
                | Double(_)
                | Class(_)
                | String(_)
                | MethodHandle(..)
                | MethodType(_)
                | Dynamic(..)
        )
    };
    let arguments = body.table(2, |body| context.index(body, "a loadable constant", loadable))?;
    Ok(BootstrapMethod { method, arguments })
}

fn inner_classes(context: &Context<'_>, body: &mut Cursor<'_>) -> Result<Vec<InnerClass>> {
    let at = body.position();
    let rows = body.table(8, |body| {
        let at = body.position();
        let inner = context.class(body)?;
        let outer = context.optional(body, "Class", |constant| matches!(constant, Constant::Class(_)))?;
        let name = context.optional(body, "Utf8", |constant| matches!(constant, Constant::Utf8(_)))?;
        let row = InnerClass {
            inner,
            outer,
            name,
            flags: body.u2()?,
        };
        if inner == outer {
            let what = format!("{} cannot be an inner class of itself", context.pool.class_name(inner));
            return Err(FormatError::new(at, what));
        }
        if !names::class_flags(row.flags, context.major) {
            let what = format!(
                "{} cannot have the flags {:#06x}",
                context.pool.class_name(inner),
                row.flags
            );
            return Err(FormatError::new(at, what));
        }
        Ok(row)
    })?;
    let mut keys: Vec<_> = rows
        .iter()
        .map(|row| (row.inner, row.outer, row.name, row.flags))
        .collect();
    keys.sort_unstable();
    if context.major >= 49 && keys.iter().zip(keys.iter().skip(1)).any(|(one, other)| one == other) {
        return Err(FormatError::new(at, "InnerClasses has the same entry twice"));
    }
    Ok(rows)
}
