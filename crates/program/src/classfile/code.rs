//! The `Code` attribute (JVMS §4.7.3). The instructions themselves are not looked at: whoever lowers them decodes them.

use super::attributes::{Context, once};
use super::cursor::Cursor;
use super::error::{FormatError, Result};
use super::pool::Constant;
use super::{CodeInfo, HandlerInfo, LocalInfo, names};
use crate::descriptor;

/// Reads the attribute of a method with this many words of arguments.
pub(super) fn read<'a>(context: &Context<'a>, body: &mut Cursor<'a>, arguments: u32) -> Result<CodeInfo> {
    let at = body.position();
    let (max_stack, max_locals) = (body.u2()?, body.u2()?);
    if arguments > u32::from(max_locals) {
        let what = format!("{arguments} words of arguments do not fit into {max_locals} local variables");
        return Err(FormatError::new(at, what));
    }
    let at = body.position();
    let length = body.u4()?;
    let code_length = match u16::try_from(length) {
        Ok(length) if length > 0 => length,
        _ => {
            return Err(FormatError::new(
                at,
                format!("code is {length} bytes long, 1 to 65535 are allowed"),
            ));
        }
    };
    let code = body.take(usize::from(code_length))?;
    let handlers = body.table(8, |body| handler(context, body, code_length))?;

    let (mut lines, mut locals, mut generic, mut stack_map) = (Vec::new(), Vec::new(), Vec::new(), None);
    context.attributes(body, |attribute, body| {
        let at = body.position();
        match attribute {
            "LineNumberTable" => {
                let rows = body.table(4, |body| line(body, code_length))?;
                join(&mut lines, rows);
            }
            "LocalVariableTable" => {
                let rows = body.table(10, |body| local(context, body, code_length, max_locals, true))?;
                join(&mut locals, rows);
            }
            "LocalVariableTypeTable" if context.major >= 49 => {
                let rows = body.table(10, |body| local(context, body, code_length, max_locals, false))?;
                join(&mut generic, rows);
            }
            "StackMapTable" if context.major >= 50 => once(&mut stack_map, body.rest(), attribute, at)?,
            _ => {
                body.rest();
            }
        }
        Ok(())
    })?;
    if !lines.is_sorted_by_key(|row: &(u16, u16)| row.0) {
        // Stable: rows for the same instruction stay in the order of the file.
        lines.sort_by_key(|row| row.0);
    }
    check_locals(&locals, &generic, at)?;
    Ok(CodeInfo {
        max_stack,
        max_locals,
        code,
        handlers,
        lines,
        locals,
        stack_map,
    })
}

fn join<T>(all: &mut Vec<T>, rows: Vec<T>) {
    if all.is_empty() {
        *all = rows;
    } else {
        all.extend(rows);
    }
}

fn handler(context: &Context<'_>, body: &mut Cursor<'_>, code_length: u16) -> Result<HandlerInfo> {
    let at = body.position();
    let (start, end, target) = (body.u2()?, body.u2()?, body.u2()?);
    let class = context.optional(body, "Class", |constant| matches!(constant, Constant::Class(_)))?;
    if start >= end || end > code_length || target >= code_length {
        let what =
            format!("exception handler from {start} to {end} at {target} is not inside {code_length} bytes of code");
        return Err(FormatError::new(at, what));
    }
    Ok(HandlerInfo {
        start,
        end,
        target,
        class,
    })
}

fn line(body: &mut Cursor<'_>, code_length: u16) -> Result<(u16, u16)> {
    let at = body.position();
    let (start, line) = (body.u2()?, body.u2()?);
    if start >= code_length {
        let what = format!("line {line} begins at {start}, outside {code_length} bytes of code");
        return Err(FormatError::new(at, what));
    }
    Ok((start, line))
}

/// Reads a row of the table of local variables, or of their generic types: these have signatures, which nobody checks.
fn local(
    context: &Context<'_>,
    body: &mut Cursor<'_>,
    code_length: u16,
    max_locals: u16,
    has_descriptor: bool,
) -> Result<LocalInfo> {
    let at = body.position();
    let (start, length) = (body.u2()?, body.u2()?);
    let (name, descriptor) = (context.utf8(body)?, context.utf8(body)?);
    let slot = body.u2()?;
    let (name_text, descriptor_text) = (context.pool.text(name), context.pool.text(descriptor));
    let refuse = |what: String| Err(FormatError::new(at, format!("local variable {name_text}: {what}")));
    if start >= code_length || u32::from(start) + u32::from(length) > u32::from(code_length) {
        return refuse(format!(
            "{length} bytes from {start} are not inside {code_length} bytes of code"
        ));
    }
    if !names::is_field(name_text) {
        return refuse("this is not a name".to_owned());
    }
    if has_descriptor && !descriptor::is_field(descriptor_text) {
        return refuse(format!("\"{descriptor_text}\" is not a field descriptor"));
    }
    if slot >= max_locals {
        return refuse(format!("slot {slot} is not one of {max_locals}"));
    }
    Ok(LocalInfo {
        start,
        length,
        name,
        descriptor,
        slot,
    })
}

/// Refuses two rows for the same variable, and a generic type for a variable that is not there. Without a table of variables
/// nobody looks at the one of generic types.
fn check_locals(locals: &[LocalInfo], generic: &[LocalInfo], at: usize) -> Result<()> {
    if locals.is_empty() || (locals.len() < 2 && generic.is_empty()) {
        return Ok(());
    }
    let sorted = |rows: &[LocalInfo]| {
        let mut keys: Vec<_> = rows
            .iter()
            .map(|row| (row.slot, row.start, row.length, row.name))
            .collect();
        keys.sort_unstable();
        keys
    };
    let (locals, generic) = (sorted(locals), sorted(generic));
    for keys in [&locals, &generic] {
        if let Some((row, _)) = keys.iter().zip(keys.iter().skip(1)).find(|(one, other)| one == other) {
            let what = format!("local variable in slot {} from {} is listed twice", row.0, row.1);
            return Err(FormatError::new(at, what));
        }
    }
    match generic.iter().find(|row| locals.binary_search(row).is_err()) {
        Some(row) => {
            let what = format!(
                "a generic type for slot {} from {}, where no local variable is",
                row.0, row.1
            );
            Err(FormatError::new(at, what))
        }
        None => Ok(()),
    }
}
