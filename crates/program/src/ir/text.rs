//! One instruction as text.

use super::show::{View, external};
use super::{Call, CallKind, Instr, Narrow, Pc, Reg, RegisterKind, Switch};
use crate::classfile::{Constant, Pool};

/// How much of a string constant is shown.
const LONGEST_TEXT: usize = 40;

/// The text of the instruction at `pc`.
pub(super) fn instruction(view: &View<'_>, pc: Pc, instr: &Instr) -> String {
    use Instr::*;
    let r = |reg: Reg| view.name(reg, pc, false);
    let d = |reg: Reg| view.name(reg, pc, true);
    if let Some((d_, a, symbol, b)) = binary(instr) {
        let b = match b {
            Right::Reg(b) => r(b),
            Right::Imm(imm) => imm.to_string(),
        };
        return format!("{} = {} {symbol} {b}", d(d_), r(a));
    }
    if let Some((a, symbol, b, target)) = conditional(instr) {
        let b = match b {
            Right::Reg(b) => r(b),
            Right::Imm(0) if kind(view, a) == RegisterKind::Ref => "null".to_owned(),
            Right::Imm(imm) => imm.to_string(),
        };
        return format!("if {} {symbol} {b} goto {target}", r(a));
    }
    if let Some((d_, to, a)) = conversion(instr) {
        return format!("{} = ({to}) {}", d(d_), r(a));
    }
    match *instr {
        Move { d: to, s } | MoveWide { d: to, s } => format!("{} = {}", d(to), r(s)),
        Const { d: to, value: 0 } if kind(view, to) == RegisterKind::Ref => format!("{} = null", d(to)),
        Const { d: to, value } => format!("{} = {}", d(to), value as i32),
        ConstWide { d: to, value } => match i32::try_from(value as i64) {
            Ok(small) => format!("{} = {small}L", d(to)),
            // Few longs look like a sensible double, and few doubles do not.
            Err(_) => format!("{} = {value:#x}L   // or {:?}", d(to), f64::from_bits(value)),
        },
        LoadConst { d: to, site } => format!("{} = {}", d(to), constant(view, site)),
        NegI { d: to, a } | NegL { d: to, a } | NegF { d: to, a } | NegD { d: to, a } => {
            format!("{} = -{}", d(to), r(a))
        }
        CmpL { d: to, a, b } => format!("{} = compare({}, {})", d(to), r(a), r(b)),
        CmpF { d: to, a, b, nan } | CmpD { d: to, a, b, nan } => {
            format!("{} = compare({}, {}, {nan})", d(to), r(a), r(b))
        }
        Goto { target } => format!("goto {target}"),
        Switch { a, table } => format!("switch {} {{ {} }}", r(a), cases(view, table)),
        GetField { d: to, o, site } | GetFieldWide { d: to, o, site } | GetFieldNarrow { d: to, o, site, .. } => {
            let (class, name) = field(view, site);
            format!("{} = {}.{name}   // {class}.{name}", d(to), r(o))
        }
        PutField { o, s, site } | PutFieldWide { o, s, site } | PutFieldNarrow { o, s, site, .. } => {
            let (class, name) = field(view, site);
            format!("{}.{name} = {}   // {class}.{name}", r(o), r(s))
        }
        GetStatic { d: to, site } | GetStaticWide { d: to, site } | GetStaticNarrow { d: to, site, .. } => {
            let (class, name) = field(view, site);
            format!("{} = {class}.{name}", d(to))
        }
        PutStatic { s, site } | PutStaticWide { s, site } | PutStaticNarrow { s, site, .. } => {
            let (class, name) = field(view, site);
            format!("{class}.{name} = {}", r(s))
        }
        ArrayLength { d: to, o } => format!("{} = {}.length", d(to), r(o)),
        ArrayGet { d: to, o, i }
        | ArrayGetWide { d: to, o, i }
        | ArrayGetByte { d: to, o, i }
        | ArrayGetChar { d: to, o, i }
        | ArrayGetShort { d: to, o, i } => format!("{} = {}[{}]", d(to), r(o), r(i)),
        ArrayPut { o, i, s }
        | ArrayPutRef { o, i, s }
        | ArrayPutWide { o, i, s }
        | ArrayPutByte { o, i, s }
        | ArrayPutShort { o, i, s } => format!("{}[{}] = {}", r(o), r(i), r(s)),
        New { d: to, site } => format!("{} = new {}", d(to), view.class(site)),
        NewArray { d: to, len, site } => {
            let array = view.class(site);
            // The length goes into the first pair of brackets.
            match array.split_once("[]") {
                Some((element, more)) => format!("{} = new {element}[{}]{more}", d(to), r(len)),
                None => format!("{} = new {array}, {} long", d(to), r(len)),
            }
        }
        NewMultiArray {
            d: to,
            count,
            first,
            site,
        } => {
            let sizes = registers(view, pc, first, u16::from(count));
            format!("{} = new {} by {sizes}", d(to), view.class(site))
        }
        CheckCast { o, site } => format!("{0} = ({1}) {0}", r(o), view.class(site)),
        InstanceOf { d: to, o, site } => format!("{} = {} instanceof {}", d(to), r(o), view.class(site)),
        MonitorEnter { o } => format!("lock {}", r(o)),
        MonitorExit { o } => format!("unlock {}", r(o)),
        Call { site } => call(view, pc, site),
        ReturnVoid => "return".to_owned(),
        Return { s } | ReturnWide { s } => format!("return {}", r(s)),
        Throw { s } => format!("throw {}", r(s)),
        Special { op, d: to, a, b } => {
            let number = |reg: Reg| if reg == Reg::MAX { "-".to_owned() } else { r(reg) };
            format!("{} = special {op} ({}, {})", number(to), number(a), number(b))
        }
        // Arithmetic, conditional jumps and conversions have been dealt with.
        other => format!("{other:?}"),
    }
}

enum Right {
    Reg(Reg),
    Imm(i32),
}

fn kind(view: &View<'_>, reg: Reg) -> RegisterKind {
    let at = view
        .code
        .registers
        .binary_search_by_key(&reg, |register| register.reg)
        .ok();
    at.and_then(|at| view.code.registers.get(at))
        .map_or(RegisterKind::Word, |register| register.kind)
}

/// Destination, left operand, operator and right operand of arithmetic. Operators of other types than int are marked.
fn binary(instr: &Instr) -> Option<(Reg, Reg, &'static str, Right)> {
    use Instr::*;
    use Right::{Imm, Reg};
    Some(match *instr {
        AddI { d, a, b } => (d, a, "+", Reg(b)),
        SubI { d, a, b } => (d, a, "-", Reg(b)),
        MulI { d, a, b } => (d, a, "*", Reg(b)),
        DivI { d, a, b } => (d, a, "/", Reg(b)),
        RemI { d, a, b } => (d, a, "%", Reg(b)),
        AndI { d, a, b } => (d, a, "&", Reg(b)),
        OrI { d, a, b } => (d, a, "|", Reg(b)),
        XorI { d, a, b } => (d, a, "^", Reg(b)),
        ShlI { d, a, b } => (d, a, "<<", Reg(b)),
        ShrI { d, a, b } => (d, a, ">>", Reg(b)),
        UshrI { d, a, b } => (d, a, ">>>", Reg(b)),
        AddImm { d, a, imm } if imm < 0 && imm != i32::MIN => (d, a, "-", Imm(-imm)),
        AddImm { d, a, imm } => (d, a, "+", Imm(imm)),
        MulImm { d, a, imm } => (d, a, "*", Imm(imm)),
        DivImm { d, a, imm } => (d, a, "/", Imm(imm)),
        RemImm { d, a, imm } => (d, a, "%", Imm(imm)),
        AndImm { d, a, imm } => (d, a, "&", Imm(imm)),
        OrImm { d, a, imm } => (d, a, "|", Imm(imm)),
        XorImm { d, a, imm } => (d, a, "^", Imm(imm)),
        ShlImm { d, a, imm } => (d, a, "<<", Imm(imm.into())),
        ShrImm { d, a, imm } => (d, a, ">>", Imm(imm.into())),
        UshrImm { d, a, imm } => (d, a, ">>>", Imm(imm.into())),
        AddL { d, a, b } => (d, a, "+L", Reg(b)),
        SubL { d, a, b } => (d, a, "-L", Reg(b)),
        MulL { d, a, b } => (d, a, "*L", Reg(b)),
        DivL { d, a, b } => (d, a, "/L", Reg(b)),
        RemL { d, a, b } => (d, a, "%L", Reg(b)),
        AndL { d, a, b } => (d, a, "&L", Reg(b)),
        OrL { d, a, b } => (d, a, "|L", Reg(b)),
        XorL { d, a, b } => (d, a, "^L", Reg(b)),
        ShlL { d, a, b } => (d, a, "<<L", Reg(b)),
        ShrL { d, a, b } => (d, a, ">>L", Reg(b)),
        UshrL { d, a, b } => (d, a, ">>>L", Reg(b)),
        AddLImm { d, a, imm } if imm < 0 && imm != i32::MIN => (d, a, "-L", Imm(-imm)),
        AddLImm { d, a, imm } => (d, a, "+L", Imm(imm)),
        AndLImm { d, a, imm } => (d, a, "&L", Imm(imm)),
        MulLImm { d, a, imm } => (d, a, "*L", Imm(imm)),
        ShlLImm { d, a, imm } => (d, a, "<<L", Imm(imm.into())),
        ShrLImm { d, a, imm } => (d, a, ">>L", Imm(imm.into())),
        UshrLImm { d, a, imm } => (d, a, ">>>L", Imm(imm.into())),
        AddF { d, a, b } => (d, a, "+F", Reg(b)),
        SubF { d, a, b } => (d, a, "-F", Reg(b)),
        MulF { d, a, b } => (d, a, "*F", Reg(b)),
        DivF { d, a, b } => (d, a, "/F", Reg(b)),
        RemF { d, a, b } => (d, a, "%F", Reg(b)),
        AddD { d, a, b } => (d, a, "+D", Reg(b)),
        SubD { d, a, b } => (d, a, "-D", Reg(b)),
        MulD { d, a, b } => (d, a, "*D", Reg(b)),
        DivD { d, a, b } => (d, a, "/D", Reg(b)),
        RemD { d, a, b } => (d, a, "%D", Reg(b)),
        _ => return None,
    })
}

/// Left operand, operator, right operand and target of a conditional jump.
fn conditional(instr: &Instr) -> Option<(Reg, &'static str, Right, Pc)> {
    use Instr::*;
    use Right::{Imm, Reg};
    Some(match *instr {
        IfEq { a, b, target } => (a, "==", Reg(b), target),
        IfNe { a, b, target } => (a, "!=", Reg(b), target),
        IfLt { a, b, target } => (a, "<", Reg(b), target),
        IfGe { a, b, target } => (a, ">=", Reg(b), target),
        IfGt { a, b, target } => (a, ">", Reg(b), target),
        IfLe { a, b, target } => (a, "<=", Reg(b), target),
        IfEqImm { a, imm, target } => (a, "==", Imm(imm), target),
        IfNeImm { a, imm, target } => (a, "!=", Imm(imm), target),
        IfLtImm { a, imm, target } => (a, "<", Imm(imm), target),
        IfGeImm { a, imm, target } => (a, ">=", Imm(imm), target),
        IfGtImm { a, imm, target } => (a, ">", Imm(imm), target),
        IfLeImm { a, imm, target } => (a, "<=", Imm(imm), target),
        IfEqL { a, b, target } => (a, "==L", Reg(b), target),
        IfNeL { a, b, target } => (a, "!=L", Reg(b), target),
        IfLtL { a, b, target } => (a, "<L", Reg(b), target),
        IfGeL { a, b, target } => (a, ">=L", Reg(b), target),
        IfGtL { a, b, target } => (a, ">L", Reg(b), target),
        IfLeL { a, b, target } => (a, "<=L", Reg(b), target),
        _ => return None,
    })
}

/// Destination, target type and operand of a conversion.
fn conversion(instr: &Instr) -> Option<(Reg, &'static str, Reg)> {
    use Instr::*;
    Some(match *instr {
        IntToLong { d, a } | FloatToLong { d, a } | DoubleToLong { d, a } => (d, "long", a),
        IntToFloat { d, a } | LongToFloat { d, a } | DoubleToFloat { d, a } => (d, "float", a),
        IntToDouble { d, a } | LongToDouble { d, a } | FloatToDouble { d, a } => (d, "double", a),
        LongToInt { d, a } | FloatToInt { d, a } | DoubleToInt { d, a } => (d, "int", a),
        IntToNarrow { d, a, to } => {
            let to = match to {
                Narrow::Boolean => "boolean",
                Narrow::Byte => "byte",
                Narrow::Char => "char",
                Narrow::Short => "short",
            };
            (d, to, a)
        }
        _ => return None,
    })
}

fn field(view: &View<'_>, site: u32) -> (String, String) {
    match (view.code.fields.get(site as usize), view.file) {
        (Some(known), Some(file)) if known.index != 0 => {
            let (class, name, _) = file.pool.member(known.index);
            (class.to_owned(), name.to_owned())
        }
        _ => ("?".to_owned(), format!("#{site}")),
    }
}

fn member(pool: &Pool, index: u16) -> String {
    let (class, name, _) = pool.member(index);
    format!("{}.{name}", external(class))
}

fn constant(view: &View<'_>, site: u32) -> String {
    let (Some(known), Some(file)) = (view.code.constants.get(site as usize), view.file) else {
        return format!("constant #{site}");
    };
    let pool = &file.pool;
    match *pool.get(known.index) {
        Constant::String(text) => {
            let text = pool.text(text);
            match text.char_indices().nth(LONGEST_TEXT) {
                Some((end, _)) => format!("{:?}…", text.get(..end).unwrap_or("")),
                None => format!("{text:?}"),
            }
        }
        Constant::Class(_) => format!("{}.class", external(pool.class_name(known.index))),
        Constant::MethodType(descriptor) => format!("methodtype {}", pool.text(descriptor)),
        Constant::MethodHandle(_, target) => format!("methodhandle {}", member(pool, target)),
        Constant::Dynamic(_, name_and_type) => format!("dynamic {}", pool.name_and_type(name_and_type).0),
        _ => format!("constant #{site}"),
    }
}

fn cases(view: &View<'_>, table: u32) -> String {
    let Some(table) = view.code.switches.get(table as usize) else {
        return String::new();
    };
    let (keys, targets, default): (Vec<i32>, _, _) = match table {
        Switch::Table { low, targets, default } => (
            (0..targets.len()).map(|key| low.wrapping_add(key as i32)).collect(),
            targets,
            default,
        ),
        Switch::Lookup { keys, targets, default } => (keys.to_vec(), targets, default),
    };
    let mut text: Vec<String> = keys
        .iter()
        .zip(targets)
        .map(|(key, target)| format!("{key}: {target}"))
        .collect();
    text.push(format!("default: {default}"));
    text.join(", ")
}

/// A run of operand words; the second words of wide registers are left out.
fn registers(view: &View<'_>, pc: Pc, first: u32, count: u16) -> String {
    let operands = view
        .code
        .operands
        .get(first as usize..first as usize + usize::from(count))
        .unwrap_or(&[]);
    let is_first = |reg: &&Reg| {
        view.code
            .registers
            .binary_search_by_key(*reg, |register| register.reg)
            .is_ok()
    };
    let names: Vec<String> = operands
        .iter()
        .filter(is_first)
        .map(|&reg| view.name(reg, pc, false))
        .collect();
    names.join(", ")
}

fn call(view: &View<'_>, pc: Pc, site: u32) -> String {
    let Some(call) = view.code.calls.get(site as usize) else {
        return format!("call #{site}");
    };
    let arguments = registers(view, pc, call.first, call.count);
    let kind = match call.kind {
        CallKind::Static => "static",
        CallKind::Special => "special",
        CallKind::Virtual => "virtual",
        CallKind::Interface => "interface",
        CallKind::Dynamic => "dynamic",
    };
    let target = match view.file {
        Some(file) if call.index != 0 => match *file.pool.get(call.index) {
            Constant::InvokeDynamic(_, name_and_type) => file.pool.name_and_type(name_and_type).0.to_owned(),
            _ => member(&file.pool, call.index),
        },
        _ => format!("#{site}"),
    };
    let call_text = format!("call {kind} {target}({arguments})");
    if call.dest == Call::NO_RESULT {
        call_text
    } else {
        format!("{} = {call_text}", view.name(call.dest, pc, true))
    }
}
