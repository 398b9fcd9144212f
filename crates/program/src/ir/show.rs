//! A readable listing of code: `v3 = v1.next`, `if i >= n goto 12`.
//!
//! Each line has the instruction's position, its bytecode index, the source line where that changes, the instruction
//! itself, and the reference registers that are live before it. Registers go by their source names where these are known.

use super::text::instruction;
use super::{Code, Pc, Reg, RegisterKind};
use crate::classfile::{ClassFile, MethodInfo, flags};
use std::fmt::Write;

/// Where the column with live registers begins.
const LIVE_COLUMN: usize = 72;

/// A listing of a method's code. `name` is the title; if it ends with the name and descriptor of a method of `file`
/// (`Node.next(I)V`), source lines are shown as well. Without a file, what a site denotes is shown by number.
pub fn show(file: Option<&ClassFile>, name: &str, code: &Code) -> String {
    let method = file.and_then(|file| find(file, name));
    let view = View { file, method, code };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = view.write(name, &mut out);
    out
}

fn find<'a>(file: &'a ClassFile, name: &str) -> Option<&'a MethodInfo> {
    file.methods.iter().find(|method| {
        let rest = name.strip_suffix(file.pool.text(method.descriptor));
        let rest = rest.and_then(|rest| rest.strip_suffix(file.pool.text(method.name)));
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '/', ' ']))
    })
}

/// Code with all that is known about its names.
pub(super) struct View<'a> {
    pub file: Option<&'a ClassFile>,
    method: Option<&'a MethodInfo>,
    pub code: &'a Code,
}

impl View<'_> {
    fn write(&self, name: &str, out: &mut String) -> std::fmt::Result {
        writeln!(out, "{name}")?;
        write!(out, "  frame {} words:", self.code.frame_words)?;
        for (at, register) in self.code.registers.iter().enumerate() {
            let kind = match register.kind {
                RegisterKind::Ref => "ref",
                RegisterKind::Word => "word",
                RegisterKind::Wide => "wide",
            };
            let comma = if at == 0 { "" } else { "," };
            let role = if register.reg < self.code.parameter_words {
                " parameter"
            } else {
                ""
            };
            write!(out, "{comma} v{} {kind}{role}", register.reg)?;
            let mut names: Vec<&str> = self.names_of(register.reg).collect();
            names.sort_unstable();
            names.dedup();
            if !names.is_empty() {
                write!(out, " ({})", names.join(", "))?;
            }
        }
        writeln!(out)?;
        let mut last_line = None;
        for (pc, instr) in self.code.instrs.iter().enumerate() {
            let pc = pc as Pc;
            let bci = self.code.bcis.get(pc as usize).copied().unwrap_or(0);
            let line = self.line(bci).filter(|&line| last_line.replace(line) != Some(line));
            let line = line.map_or(String::new(), |line| format!("line {line}"));
            let text = instruction(self, pc, instr);
            let start = out.len();
            write!(out, "  {line:>9} {bci:>5} {pc:>5}: {text}")?;
            let live = self.live(pc);
            if !live.is_empty() {
                let width = out.get(start..).map_or(0, |line| line.chars().count());
                write!(out, "{:1$}; {live}", "", LIVE_COLUMN.saturating_sub(width).max(2))?;
            }
            writeln!(out)?;
        }
        for handler in &self.code.handlers {
            let caught = handler.class.map_or("anything".to_owned(), |site| self.class(site));
            let reg = self.name(handler.reg, handler.target, true);
            let last = handler.end.saturating_sub(1);
            writeln!(
                out,
                "  catch {caught} from {} to {last}: {reg} = it, goto {}",
                handler.start, handler.target
            )?;
        }
        Ok(())
    }

    /// The reference registers that are live before an instruction.
    fn live(&self, pc: Pc) -> String {
        let live = self.code.liveness();
        let mut names = Vec::new();
        for (position, register) in self.code.registers.iter().enumerate() {
            if register.kind == RegisterKind::Ref && live.is_live(pc, position) {
                names.push(self.name(register.reg, pc, false));
            }
        }
        names.join(" ")
    }

    fn line(&self, bci: u16) -> Option<u16> {
        let lines = &self.method?.code.as_ref()?.lines;
        let after = lines.partition_point(|row| row.0 <= bci);
        lines.get(after.checked_sub(1)?).map(|row| row.1)
    }

    fn names_of(&self, reg: Reg) -> impl Iterator<Item = &str> {
        let text = |name: u16| self.file.map_or("", |file| file.pool.text(name));
        self.code
            .names
            .iter()
            .filter(move |name| name.reg == reg)
            .map(move |name| text(name.name))
    }

    /// A register's source name at an instruction, or its number. What the instruction defines has its name from the
    /// next one on.
    pub fn name(&self, reg: Reg, pc: Pc, defined: bool) -> String {
        let covers = |start: Pc, end: Pc| (start..end).contains(&pc) || defined && (start..end).contains(&(pc + 1));
        let known = self
            .code
            .names
            .iter()
            .find(|name| name.reg == reg && covers(name.start, name.end));
        let only = self
            .names_of(reg)
            .next()
            .filter(|first| self.names_of(reg).all(|other| other == *first));
        match (known, self.file, only) {
            (Some(known), Some(file), _) => file.pool.text(known.name).to_owned(),
            // A local variable of one name only may be written a little before its range begins.
            (None, Some(_), Some(only)) => only.to_owned(),
            _ if reg == 0 && self.is_receiver() => "this".to_owned(),
            _ => format!("v{reg}"),
        }
    }

    /// Whether the first register is the receiver throughout.
    fn is_receiver(&self) -> bool {
        self.method.is_some_and(|method| method.flags & flags::STATIC == 0)
            && !self.code.instrs.iter().any(|instr| instr.def(self.code) == Some(0))
    }

    /// The class that a class site denotes.
    pub fn class(&self, site: u32) -> String {
        use super::SiteForm::*;
        let Some(known) = self.code.classes.get(site as usize) else {
            return format!("class #{site}");
        };
        match (known.form, self.file) {
            (Primitive(letter), _) => external(&format!("[{}", char::from(letter))),
            (Plain, Some(file)) if known.index != 0 => external(file.pool.class_name(known.index)),
            (ArrayOf, Some(file)) => format!("{}[]", external(file.pool.class_name(known.index))),
            _ => format!("class #{site}"),
        }
    }
}

/// A class or array as Java source names it, but for the slashes.
pub(super) fn external(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    if dimensions == 0 {
        return name.to_owned();
    }
    let element = match element {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "F" => "float",
        "J" => "long",
        "D" => "double",
        other => other
            .strip_prefix('L')
            .and_then(|other| other.strip_suffix(';'))
            .unwrap_or(other),
    };
    format!("{element}{}", "[]".repeat(dimensions))
}
