//! Attributes (JVMS §4.7): the walk over them, and those of fields, methods and record components.
//!
//! An attribute that is not known, or that came with a later version than the file's, is stepped over as §4.7.1 asks.

use super::cursor::Cursor;
use super::error::{FormatError, Result};
use super::pool::{Constant, Pool};
use super::{FieldInfo, Index, MethodInfo, RecordComponent, code, flags, names};
use std::ops::Range;

/// What every part of the reader needs to know of the file.
pub(super) struct Context<'a> {
    pub pool: &'a Pool,
    pub major: u16,
    pub class_flags: u16,
}

impl<'a> Context<'a> {
    /// Reads an attribute table and shows each attribute's name and contents to `each`, which must read all of it.
    pub fn attributes(
        &self,
        cursor: &mut Cursor<'a>,
        mut each: impl FnMut(&'a str, &mut Cursor<'a>) -> Result<()>,
    ) -> Result<()> {
        for _ in 0..cursor.u2()? {
            let at = cursor.position();
            let name = self.pool.text(self.utf8(cursor)?);
            let length = cursor.u4()?;
            let mut body = cursor
                .part(usize::try_from(length).unwrap_or(usize::MAX))
                .map_err(|_| {
                    FormatError::new(
                        at,
                        format!("attribute {name} is {length} bytes long, more than there are"),
                    )
                })?;
            each(name, &mut body)?;
            if body.left() != 0 {
                let what = format!("attribute {name} is {length} bytes long, {} too many", body.left());
                return Err(FormatError::new(at, what));
            }
        }
        Ok(())
    }

    /// Reads the index of a Utf8 constant.
    pub fn utf8(&self, cursor: &mut Cursor<'_>) -> Result<Index> {
        self.index(cursor, "Utf8", |constant| matches!(constant, Constant::Utf8(_)))
    }

    /// Reads the index of a Class constant.
    pub fn class(&self, cursor: &mut Cursor<'_>) -> Result<Index> {
        self.index(cursor, "Class", |constant| matches!(constant, Constant::Class(_)))
    }

    /// Reads the index of a constant for which `fits` holds.
    #[inline]
    pub fn index(&self, cursor: &mut Cursor<'_>, kind: &str, fits: impl Fn(&Constant) -> bool) -> Result<Index> {
        let at = cursor.position();
        let index = cursor.u2()?;
        if fits(self.pool.get(index)) {
            Ok(index)
        } else {
            Err(self.wrong_index(at, index, kind))
        }
    }

    #[cold]
    fn wrong_index(&self, at: usize, index: Index, kind: &str) -> FormatError {
        let found = self.pool.get(index).kind();
        FormatError::new(at, format!("constant {index} is {found} instead of {kind}"))
    }

    /// Reads the index of a constant of this kind, or 0.
    pub fn optional(&self, cursor: &mut Cursor<'_>, kind: &str, fits: impl Fn(&Constant) -> bool) -> Result<Index> {
        if matches!(cursor.clone().u2(), Ok(0)) {
            cursor.u2()
        } else {
            self.index(cursor, kind, fits)
        }
    }

    /// Reads the index of a Class constant that is a class or interface, not an array.
    pub fn plain_class(&self, cursor: &mut Cursor<'_>, role: &str) -> Result<Index> {
        let at = cursor.position();
        let index = self.class(cursor)?;
        let name = self.pool.class_name(index);
        if name.starts_with('[') {
            return Err(FormatError::new(at, format!("the array {name} cannot be {role}")));
        }
        Ok(index)
    }

    /// Whether two Utf8 constants hold the same text, exactly.
    fn same_text(&self, one: Index, other: Index) -> bool {
        one == other || (self.pool.text(one) == self.pool.text(other) && self.pool.lone(one) == self.pool.lone(other))
    }

    /// Refuses two members with the same name and descriptor.
    pub fn distinct(&self, what: &str, members: impl Iterator<Item = (Index, Index)>, at: usize) -> Result<()> {
        let mut keys: Vec<_> = members
            .map(|(name, descriptor)| (self.pool.text(name), self.pool.text(descriptor), name, descriptor))
            .collect();
        keys.sort_unstable_by_key(|key| (key.0, key.1));
        let mut pairs = keys.iter().zip(keys.iter().skip(1));
        let twice =
            pairs.find(|(a, b)| (a.0, a.1) == (b.0, b.1) && self.same_text(a.2, b.2) && self.same_text(a.3, b.3));
        match twice {
            Some((key, _)) => {
                let name = format!("{} {}", key.0, key.1);
                Err(FormatError::new(
                    at,
                    format!("{what} {} is declared twice", name.trim_end()),
                ))
            }
            None => Ok(()),
        }
    }
}

/// Fills a slot that may be filled once.
pub(super) fn once<T>(slot: &mut Option<T>, value: T, name: &str, at: usize) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(FormatError::new(at, format!("attribute {name} stands there twice"))),
    }
}

/// The attributes that classes, fields, methods and record components share. Says whether it was one of them.
#[derive(Default)]
pub(super) struct Common {
    pub signature: Option<Index>,
    pub annotations: Option<Range<usize>>,
    pub type_annotations: Option<Range<usize>>,
}

impl Common {
    pub fn read(&mut self, context: &Context<'_>, name: &str, body: &mut Cursor<'_>) -> Result<bool> {
        let at = body.position();
        match name {
            _ if context.major < 49 => return Ok(false),
            "Signature" => once(&mut self.signature, context.utf8(body)?, name, at)?,
            "RuntimeVisibleAnnotations" => once(&mut self.annotations, body.rest(), name, at)?,
            "RuntimeVisibleTypeAnnotations" => once(&mut self.type_annotations, body.rest(), name, at)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Reads one field.
pub(super) fn field<'a>(context: &Context<'a>, cursor: &mut Cursor<'a>) -> Result<FieldInfo> {
    let at = cursor.position();
    let pool = context.pool;
    let field_flags = cursor.u2()?;
    let (name, descriptor) = (context.utf8(cursor)?, context.utf8(cursor)?);
    let (name_text, descriptor_text) = (pool.text(name), pool.text(descriptor));
    let in_interface = context.class_flags & flags::INTERFACE != 0;
    if !names::is_field(name_text) {
        return Err(FormatError::new(at, format!("\"{name_text}\" is not a field name")));
    }
    if !crate::descriptor::is_field(descriptor_text) {
        let what = format!("field {name_text} has the descriptor \"{descriptor_text}\", which is not one of a field");
        return Err(FormatError::new(at, what));
    }
    if !names::field_flags(field_flags, context.major, in_interface) {
        return Err(FormatError::new(
            at,
            format!("field {name_text} cannot have the flags {field_flags:#06x}"),
        ));
    }
    let mut common = Common::default();
    let mut constant_value = None;
    context.attributes(cursor, |attribute, body| {
        let at = body.position();
        match attribute {
            "ConstantValue" if field_flags & flags::STATIC != 0 => {
                let fits = |constant: &Constant| match descriptor_text {
                    "J" => matches!(constant, Constant::Long(_)),
                    "F" => matches!(constant, Constant::Float(_)),
                    "D" => matches!(constant, Constant::Double(_)),
                    "I" | "S" | "C" | "B" | "Z" => matches!(constant, Constant::Integer(_)),
                    "Ljava/lang/String;" => matches!(constant, Constant::String(_)),
                    _ => false,
                };
                let kind = "a value of the field's type";
                once(&mut constant_value, context.index(body, kind, fits)?, attribute, at)?;
            }
            _ => {
                if !common.read(context, attribute, body)? && !is_marker(attribute) {
                    body.rest();
                }
            }
        }
        Ok(())
    })?;
    Ok(FieldInfo {
        flags: field_flags,
        name,
        descriptor,
        constant_value,
        signature: common.signature,
        annotations: common.annotations,
        type_annotations: common.type_annotations,
    })
}

/// Attributes that must be empty.
pub(super) fn is_marker(name: &str) -> bool {
    matches!(name, "Synthetic" | "Deprecated")
}

/// Reads one method.
pub(super) fn method<'a>(context: &Context<'a>, cursor: &mut Cursor<'a>) -> Result<MethodInfo> {
    let at = cursor.position();
    let pool = context.pool;
    let declared_flags = cursor.u2()?;
    let (name, descriptor) = (context.utf8(cursor)?, context.utf8(cursor)?);
    let (name_text, descriptor_text) = (pool.text(name), pool.text(descriptor));
    let refuse = |what: String| FormatError::new(at, format!("method {name_text}{descriptor_text}: {what}"));
    if !names::is_method(name_text) {
        return Err(refuse("this is not a method name".to_owned()));
    }
    if let Err(what) = super::constants::method_descriptor(name_text, descriptor_text, context.major) {
        return Err(refuse(what));
    }
    let method_flags = match checked_flags(context, name_text, declared_flags) {
        Some(flags) => flags,
        None => return Err(refuse(format!("the flags {declared_flags:#06x} are not allowed here"))),
    };
    let receiver = u32::from(method_flags & flags::STATIC == 0);
    let arguments = crate::descriptor::argument_words(descriptor_text) + receiver;
    if arguments > 255 {
        return Err(refuse(format!(
            "{arguments} words of arguments, at most 255 are allowed"
        )));
    }

    let mut common = Common::default();
    let (mut code, mut exceptions, mut parameters) = (None, None, None);
    let (mut parameter_annotations, mut annotation_default) = (None, None);
    let bodiless = method_flags & (flags::NATIVE | flags::ABSTRACT) != 0;
    context.attributes(cursor, |attribute, body| {
        let at = body.position();
        match attribute {
            "Code" if bodiless => return Err(refuse("a native or abstract method cannot have code".to_owned())),
            "Code" => once(&mut code, code::read(context, body, arguments)?, attribute, at)?,
            "Exceptions" => {
                let classes = body.table(2, |body| context.class(body))?;
                once(&mut exceptions, classes, attribute, at)?;
            }
            "MethodParameters" if context.major >= 52 => {
                once(&mut parameters, method_parameters(context, body)?, attribute, at)?
            }
            "RuntimeVisibleParameterAnnotations" if context.major >= 49 => {
                once(&mut parameter_annotations, body.rest(), attribute, at)?
            }
            "AnnotationDefault" if context.major >= 49 => once(&mut annotation_default, body.rest(), attribute, at)?,
            _ => {
                if !common.read(context, attribute, body)? && !is_marker(attribute) {
                    body.rest();
                }
            }
        }
        Ok(())
    })?;
    if code.is_none() && !bodiless {
        return Err(refuse("no code, though it is neither native nor abstract".to_owned()));
    }
    Ok(MethodInfo {
        flags: method_flags,
        name,
        descriptor,
        code,
        exceptions: exceptions.unwrap_or_default(),
        signature: common.signature,
        parameters,
        annotations: common.annotations,
        parameter_annotations,
        annotation_default,
        type_annotations: common.type_annotations,
    })
}

/// The flags of a method as a virtual machine takes them; `None` if it takes them not at all.
fn checked_flags(context: &Context<'_>, name: &str, declared: u16) -> Option<u16> {
    let in_interface = context.class_flags & flags::INTERFACE != 0;
    if name == "<clinit>" {
        // Of a class initialiser's flags only this one counts, and in old files not even that.
        let is_static = context.major < 51 || declared & flags::STATIC != 0;
        return is_static.then_some(flags::STATIC | declared & (flags::STRICT | flags::SYNTHETIC));
    }
    if name == "<init>" && in_interface {
        return None;
    }
    names::method_flags(declared, context.major, in_interface, name == "<init>").then_some(declared)
}

fn method_parameters(context: &Context<'_>, body: &mut Cursor<'_>) -> Result<Vec<(Index, u16)>> {
    let count = body.u1()?;
    let mut parameters = Vec::with_capacity(usize::from(count).min(body.left() / 4));
    for _ in 0..count {
        // A bad name does not make a bad class, since only reflection shows it: it counts as none.
        let name = body.u2()?;
        let is_text = matches!(context.pool.get(name), Constant::Utf8(_));
        parameters.push((if is_text { name } else { 0 }, body.u2()?));
    }
    Ok(parameters)
}

/// Reads one component of a record.
pub(super) fn component<'a>(context: &Context<'a>, cursor: &mut Cursor<'a>) -> Result<RecordComponent> {
    let at = cursor.position();
    let (name, descriptor) = (context.utf8(cursor)?, context.utf8(cursor)?);
    let (name_text, descriptor_text) = (context.pool.text(name), context.pool.text(descriptor));
    if !names::is_field(name_text) || !crate::descriptor::is_field(descriptor_text) {
        let what = format!("\"{name_text}\" with \"{descriptor_text}\" is not a record component");
        return Err(FormatError::new(at, what));
    }
    let mut common = Common::default();
    context.attributes(cursor, |attribute, body| {
        if !common.read(context, attribute, body)? {
            body.rest();
        }
        Ok(())
    })?;
    let Common {
        signature,
        annotations,
        type_annotations,
    } = common;
    Ok(RecordComponent {
        name,
        descriptor,
        signature,
        annotations,
        type_annotations,
    })
}
