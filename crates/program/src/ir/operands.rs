//! What an instruction reads, writes and where it goes.

use super::{Call, Code, Instr, Pc, Reg, Switch};

impl Instr {
    /// Calls `f` with each register operand that stands in the instruction itself; the flag tells a destination. The
    /// arguments and the destination of a call and the dimensions of an array stand in tables of [`Code`].
    #[inline(always)]
    pub(crate) fn visit(&mut self, mut f: impl FnMut(&mut Reg, bool)) {
        use Instr::*;
        match self {
            Move { d, s } | MoveWide { d, s } => {
                f(s, false);
                f(d, true);
            }
            Const { d, .. }
            | ConstWide { d, .. }
            | LoadConst { d, .. }
            | GetStatic { d, .. }
            | GetStaticWide { d, .. }
            | GetStaticNarrow { d, .. }
            | New { d, .. }
            | NewMultiArray { d, .. } => f(d, true),
            AddI { d, a, b }
            | SubI { d, a, b }
            | MulI { d, a, b }
            | DivI { d, a, b }
            | RemI { d, a, b }
            | AndI { d, a, b }
            | OrI { d, a, b }
            | XorI { d, a, b }
            | ShlI { d, a, b }
            | ShrI { d, a, b }
            | UshrI { d, a, b }
            | AddL { d, a, b }
            | SubL { d, a, b }
            | MulL { d, a, b }
            | DivL { d, a, b }
            | RemL { d, a, b }
            | AndL { d, a, b }
            | OrL { d, a, b }
            | XorL { d, a, b }
            | ShlL { d, a, b }
            | ShrL { d, a, b }
            | UshrL { d, a, b }
            | AddF { d, a, b }
            | SubF { d, a, b }
            | MulF { d, a, b }
            | DivF { d, a, b }
            | RemF { d, a, b }
            | AddD { d, a, b }
            | SubD { d, a, b }
            | MulD { d, a, b }
            | DivD { d, a, b }
            | RemD { d, a, b }
            | CmpL { d, a, b }
            | CmpF { d, a, b, .. }
            | CmpD { d, a, b, .. }
            | ArrayGet { d, o: a, i: b }
            | ArrayGetWide { d, o: a, i: b }
            | ArrayGetByte { d, o: a, i: b }
            | ArrayGetChar { d, o: a, i: b }
            | ArrayGetShort { d, o: a, i: b } => {
                f(a, false);
                f(b, false);
                f(d, true);
            }
            NegI { d, a }
            | AddImm { d, a, .. }
            | MulImm { d, a, .. }
            | DivImm { d, a, .. }
            | RemImm { d, a, .. }
            | AndImm { d, a, .. }
            | OrImm { d, a, .. }
            | XorImm { d, a, .. }
            | ShlImm { d, a, .. }
            | ShrImm { d, a, .. }
            | UshrImm { d, a, .. }
            | NegL { d, a }
            | AddLImm { d, a, .. }
            | AndLImm { d, a, .. }
            | MulLImm { d, a, .. }
            | ShlLImm { d, a, .. }
            | ShrLImm { d, a, .. }
            | UshrLImm { d, a, .. }
            | NegF { d, a }
            | NegD { d, a }
            | IntToLong { d, a }
            | IntToFloat { d, a }
            | IntToDouble { d, a }
            | LongToInt { d, a }
            | LongToFloat { d, a }
            | LongToDouble { d, a }
            | FloatToInt { d, a }
            | FloatToLong { d, a }
            | FloatToDouble { d, a }
            | DoubleToInt { d, a }
            | DoubleToLong { d, a }
            | DoubleToFloat { d, a }
            | IntToNarrow { d, a, .. }
            | GetField { d, o: a, .. }
            | GetFieldWide { d, o: a, .. }
            | GetFieldNarrow { d, o: a, .. }
            | ArrayLength { d, o: a }
            | NewArray { d, len: a, .. }
            | InstanceOf { d, o: a, .. } => {
                f(a, false);
                f(d, true);
            }
            IfEq { a, b, .. }
            | IfNe { a, b, .. }
            | IfLt { a, b, .. }
            | IfGe { a, b, .. }
            | IfGt { a, b, .. }
            | IfLe { a, b, .. }
            | IfEqL { a, b, .. }
            | IfNeL { a, b, .. }
            | IfLtL { a, b, .. }
            | IfGeL { a, b, .. }
            | IfGtL { a, b, .. }
            | IfLeL { a, b, .. }
            | PutField { o: a, s: b, .. }
            | PutFieldWide { o: a, s: b, .. }
            | PutFieldNarrow { o: a, s: b, .. } => {
                f(a, false);
                f(b, false);
            }
            IfEqImm { a, .. }
            | IfNeImm { a, .. }
            | IfLtImm { a, .. }
            | IfGeImm { a, .. }
            | IfGtImm { a, .. }
            | IfLeImm { a, .. }
            | Switch { a, .. }
            | PutStatic { s: a, .. }
            | PutStaticWide { s: a, .. }
            | PutStaticNarrow { s: a, .. }
            | CheckCast { o: a, .. }
            | MonitorEnter { o: a }
            | MonitorExit { o: a }
            | Return { s: a }
            | ReturnWide { s: a }
            | Throw { s: a } => f(a, false),
            ArrayPut { o, i, s }
            | ArrayPutRef { o, i, s }
            | ArrayPutWide { o, i, s }
            | ArrayPutByte { o, i, s }
            | ArrayPutShort { o, i, s } => {
                f(o, false);
                f(i, false);
                f(s, false);
            }
            Special { d, a, b, .. } => {
                for operand in [a, b] {
                    if *operand != Reg::MAX {
                        f(operand, false);
                    }
                }
                if *d != Reg::MAX {
                    f(d, true);
                }
            }
            Goto { .. } | Call { .. } | ReturnVoid => {}
        }
    }

    /// The registers that the instruction reads, each by its first word. An argument of a call that is wide is reported
    /// once; the same register may be reported more than once.
    #[inline]
    pub fn uses(&self, code: &Code, mut f: impl FnMut(Reg)) {
        let mut copy = *self;
        copy.visit(|reg, is_destination| {
            if !is_destination {
                f(*reg);
            }
        });
        if matches!(
            self,
            Instr::Special {
                op: super::NATIVE_BODY,
                ..
            }
        ) {
            code.registers.iter().for_each(|register| f(register.reg));
        }
        for &reg in self.words(code) {
            // The second word of a wide register is the first word of none.
            if code
                .registers
                .binary_search_by_key(&reg, |register| register.reg)
                .is_ok()
            {
                f(reg);
            }
        }
    }

    /// The operand words of a call or of an allocation of nested arrays.
    #[inline]
    pub(crate) fn words<'c>(&self, code: &'c Code) -> &'c [Reg] {
        let (first, count) = match *self {
            Instr::Call { site } => match code.calls.get(site as usize) {
                Some(call) => (call.first as usize, usize::from(call.count)),
                None => return &[],
            },
            Instr::NewMultiArray { count, first, .. } => (first as usize, usize::from(count)),
            _ => return &[],
        };
        code.operands.get(first..first + count).unwrap_or(&[])
    }

    /// The register that the instruction writes if it completes.
    #[inline]
    pub fn def(&self, code: &Code) -> Option<Reg> {
        if let Instr::Call { site } = *self {
            return code
                .calls
                .get(site as usize)
                .map(|call| call.dest)
                .filter(|&dest| dest != Call::NO_RESULT);
        }
        self.destination()
    }

    /// The destination that stands in the instruction itself.
    #[inline]
    pub(crate) fn destination(&self) -> Option<Reg> {
        let mut found = None;
        let mut copy = *self;
        copy.visit(|reg, is_destination| {
            if is_destination {
                found = Some(*reg);
            }
        });
        found
    }

    /// The jump target of a `Goto` or `If…`.
    #[inline]
    pub(crate) fn target_mut(&mut self) -> Option<&mut Pc> {
        use Instr::*;
        match self {
            Goto { target }
            | IfEq { target, .. }
            | IfNe { target, .. }
            | IfLt { target, .. }
            | IfGe { target, .. }
            | IfGt { target, .. }
            | IfLe { target, .. }
            | IfEqImm { target, .. }
            | IfNeImm { target, .. }
            | IfLtImm { target, .. }
            | IfGeImm { target, .. }
            | IfGtImm { target, .. }
            | IfLeImm { target, .. }
            | IfEqL { target, .. }
            | IfNeL { target, .. }
            | IfLtL { target, .. }
            | IfGeL { target, .. }
            | IfGtL { target, .. }
            | IfLeL { target, .. } => Some(target),
            _ => None,
        }
    }

    /// Where the instruction may jump to; falling through and exceptions not included.
    #[inline]
    pub fn targets(&self, code: &Code, mut f: impl FnMut(Pc)) {
        let mut copy = *self;
        if let Some(target) = copy.target_mut() {
            f(*target);
        } else if let Instr::Switch { table, .. } = *self
            && let Some(table) = code.switches.get(table as usize)
        {
            let (Switch::Table { targets, default, .. } | Switch::Lookup { targets, default, .. }) = table;
            targets.iter().copied().for_each(&mut f);
            f(*default);
        }
    }

    /// Whether control may go on to the next instruction.
    #[inline]
    pub fn falls_through(&self) -> bool {
        use Instr::*;
        !matches!(
            self,
            Goto { .. } | Switch { .. } | ReturnVoid | Return { .. } | ReturnWide { .. } | Throw { .. }
        )
    }

    /// Whether the instruction may end with an exception.
    #[inline]
    pub fn may_throw(&self) -> bool {
        use Instr::*;
        matches!(
            self,
            LoadConst { .. }
                | DivI { .. }
                | RemI { .. }
                | DivL { .. }
                | RemL { .. }
                | GetField { .. }
                | GetFieldWide { .. }
                | GetFieldNarrow { .. }
                | PutField { .. }
                | PutFieldWide { .. }
                | PutFieldNarrow { .. }
                | GetStatic { .. }
                | GetStaticWide { .. }
                | GetStaticNarrow { .. }
                | PutStatic { .. }
                | PutStaticWide { .. }
                | PutStaticNarrow { .. }
                | ArrayLength { .. }
                | ArrayGet { .. }
                | ArrayGetWide { .. }
                | ArrayGetByte { .. }
                | ArrayGetChar { .. }
                | ArrayGetShort { .. }
                | ArrayPut { .. }
                | ArrayPutRef { .. }
                | ArrayPutWide { .. }
                | ArrayPutByte { .. }
                | ArrayPutShort { .. }
                | New { .. }
                | NewArray { .. }
                | NewMultiArray { .. }
                | CheckCast { .. }
                | InstanceOf { .. }
                | MonitorEnter { .. }
                | MonitorExit { .. }
                | Call { .. }
                | Throw { .. }
                | Special { .. }
        )
    }
}
