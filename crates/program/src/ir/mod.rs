//! The three-address form that the interpreter runs and every analysis reads.
//!
//! A method has *registers* instead of an operand stack. A register is named by the first of the frame words it
//! occupies and has one kind for the whole method: a reference, a word (`int`, `float` and the narrower types) or a
//! wide (`long`, `double`: two words). Parameters come first, in order.
//!
//! References to other classes are *sites*: an index into the constant pool of the class, and a link that is filled
//! when it is first needed and never changes afterwards. Linking is no part of a state: it is decided by names alone.

mod code;
mod operands;
mod show;
mod text;

pub use code::{
    Call, CallKind, Code, Handler, Link, Liveness, LocalName, Register, RegisterKind, Site, SiteForm, Switch,
};
pub use show::show;

use serde::{Deserialize, Serialize};

/// A register, by the first frame word it occupies.
pub type Reg = u16;

/// The `op` of the [`Instr::Special`] that is the whole body of a native method. It reads every parameter.
pub const NATIVE_BODY: u16 = 0;

/// A position in [`Code::instrs`].
pub type Pc = u32;

/// How a value narrower than a word lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Narrow {
    /// 8 bits, zero or one.
    Boolean,
    /// 8 bits, signed.
    Byte,
    /// 16 bits, unsigned.
    Char,
    /// 16 bits, signed.
    Short,
}

/// One instruction. `d` is the destination, `o` an object, `a` and `b` operands, `s` a source.
///
/// A site operand is an index into the table of [`Code`] that the variant's comment names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // the operand letters are explained above
#[rustfmt::skip] // one line an instruction
pub enum Instr {
    // Moves and constants.
    Move { d: Reg, s: Reg },
    MoveWide { d: Reg, s: Reg },
    /// `int`, `float` bits, or null for a reference register.
    Const { d: Reg, value: u32 },
    ConstWide { d: Reg, value: u64 },
    /// String, Class, MethodType, MethodHandle or dynamic constant: `Code::constants`. Two words if dynamic and wide.
    LoadConst { d: Reg, site: u32 },

    // int.
    AddI { d: Reg, a: Reg, b: Reg },
    SubI { d: Reg, a: Reg, b: Reg },
    MulI { d: Reg, a: Reg, b: Reg },
    DivI { d: Reg, a: Reg, b: Reg },
    RemI { d: Reg, a: Reg, b: Reg },
    AndI { d: Reg, a: Reg, b: Reg },
    OrI { d: Reg, a: Reg, b: Reg },
    XorI { d: Reg, a: Reg, b: Reg },
    ShlI { d: Reg, a: Reg, b: Reg },
    ShrI { d: Reg, a: Reg, b: Reg },
    UshrI { d: Reg, a: Reg, b: Reg },
    NegI { d: Reg, a: Reg },
    AddImm { d: Reg, a: Reg, imm: i32 },
    MulImm { d: Reg, a: Reg, imm: i32 },
    /// `imm` is not zero.
    DivImm { d: Reg, a: Reg, imm: i32 },
    /// `imm` is not zero.
    RemImm { d: Reg, a: Reg, imm: i32 },
    AndImm { d: Reg, a: Reg, imm: i32 },
    OrImm { d: Reg, a: Reg, imm: i32 },
    XorImm { d: Reg, a: Reg, imm: i32 },
    ShlImm { d: Reg, a: Reg, imm: u8 },
    ShrImm { d: Reg, a: Reg, imm: u8 },
    UshrImm { d: Reg, a: Reg, imm: u8 },

    // long; shift counts are ints.
    AddL { d: Reg, a: Reg, b: Reg },
    SubL { d: Reg, a: Reg, b: Reg },
    MulL { d: Reg, a: Reg, b: Reg },
    DivL { d: Reg, a: Reg, b: Reg },
    RemL { d: Reg, a: Reg, b: Reg },
    AndL { d: Reg, a: Reg, b: Reg },
    OrL { d: Reg, a: Reg, b: Reg },
    XorL { d: Reg, a: Reg, b: Reg },
    ShlL { d: Reg, a: Reg, b: Reg },
    ShrL { d: Reg, a: Reg, b: Reg },
    UshrL { d: Reg, a: Reg, b: Reg },
    NegL { d: Reg, a: Reg },
    /// `d = a + imm`, the immediate sign-extended.
    AddLImm { d: Reg, a: Reg, imm: i32 },
    AndLImm { d: Reg, a: Reg, imm: i32 },
    MulLImm { d: Reg, a: Reg, imm: i32 },
    ShlLImm { d: Reg, a: Reg, imm: u8 },
    ShrLImm { d: Reg, a: Reg, imm: u8 },
    UshrLImm { d: Reg, a: Reg, imm: u8 },

    // float and double.
    AddF { d: Reg, a: Reg, b: Reg },
    SubF { d: Reg, a: Reg, b: Reg },
    MulF { d: Reg, a: Reg, b: Reg },
    DivF { d: Reg, a: Reg, b: Reg },
    RemF { d: Reg, a: Reg, b: Reg },
    NegF { d: Reg, a: Reg },
    AddD { d: Reg, a: Reg, b: Reg },
    SubD { d: Reg, a: Reg, b: Reg },
    MulD { d: Reg, a: Reg, b: Reg },
    DivD { d: Reg, a: Reg, b: Reg },
    RemD { d: Reg, a: Reg, b: Reg },
    NegD { d: Reg, a: Reg },

    // Conversions.
    IntToLong { d: Reg, a: Reg },
    IntToFloat { d: Reg, a: Reg },
    IntToDouble { d: Reg, a: Reg },
    LongToInt { d: Reg, a: Reg },
    LongToFloat { d: Reg, a: Reg },
    LongToDouble { d: Reg, a: Reg },
    FloatToInt { d: Reg, a: Reg },
    FloatToLong { d: Reg, a: Reg },
    FloatToDouble { d: Reg, a: Reg },
    DoubleToInt { d: Reg, a: Reg },
    DoubleToLong { d: Reg, a: Reg },
    DoubleToFloat { d: Reg, a: Reg },
    /// `i2b`, `i2c`, `i2s`.
    IntToNarrow { d: Reg, a: Reg, to: Narrow },

    // Comparisons giving -1, 0 or 1; `nan` is what an unordered pair gives.
    CmpL { d: Reg, a: Reg, b: Reg },
    CmpF { d: Reg, a: Reg, b: Reg, nan: i8 },
    CmpD { d: Reg, a: Reg, b: Reg, nan: i8 },

    // Control. Words and references compare with the same instructions.
    Goto { target: Pc },
    IfEq { a: Reg, b: Reg, target: Pc },
    IfNe { a: Reg, b: Reg, target: Pc },
    IfLt { a: Reg, b: Reg, target: Pc },
    IfGe { a: Reg, b: Reg, target: Pc },
    IfGt { a: Reg, b: Reg, target: Pc },
    IfLe { a: Reg, b: Reg, target: Pc },
    /// `if a == imm`; with a reference register, `imm` is 0 and means null.
    IfEqImm { a: Reg, imm: i32, target: Pc },
    IfNeImm { a: Reg, imm: i32, target: Pc },
    IfLtImm { a: Reg, imm: i32, target: Pc },
    IfGeImm { a: Reg, imm: i32, target: Pc },
    IfGtImm { a: Reg, imm: i32, target: Pc },
    IfLeImm { a: Reg, imm: i32, target: Pc },
    /// Long comparison and branch in one.
    IfEqL { a: Reg, b: Reg, target: Pc },
    IfNeL { a: Reg, b: Reg, target: Pc },
    IfLtL { a: Reg, b: Reg, target: Pc },
    IfGeL { a: Reg, b: Reg, target: Pc },
    IfGtL { a: Reg, b: Reg, target: Pc },
    IfLeL { a: Reg, b: Reg, target: Pc },
    /// `Code::switches`.
    Switch { a: Reg, table: u32 },

    // Fields: `Code::fields`. The plain forms move one word (int, float, reference).
    GetField { d: Reg, o: Reg, site: u32 },
    GetFieldWide { d: Reg, o: Reg, site: u32 },
    GetFieldNarrow { d: Reg, o: Reg, kind: Narrow, site: u32 },
    PutField { o: Reg, s: Reg, site: u32 },
    PutFieldWide { o: Reg, s: Reg, site: u32 },
    PutFieldNarrow { o: Reg, s: Reg, kind: Narrow, site: u32 },
    GetStatic { d: Reg, site: u32 },
    GetStaticWide { d: Reg, site: u32 },
    GetStaticNarrow { d: Reg, kind: Narrow, site: u32 },
    PutStatic { s: Reg, site: u32 },
    PutStaticWide { s: Reg, site: u32 },
    PutStaticNarrow { s: Reg, kind: Narrow, site: u32 },

    // Arrays: `o` the array, `i` the index.
    ArrayLength { d: Reg, o: Reg },
    /// int, float and reference elements.
    ArrayGet { d: Reg, o: Reg, i: Reg },
    ArrayGetWide { d: Reg, o: Reg, i: Reg },
    /// byte and boolean elements: sign-extended, which is right for both.
    ArrayGetByte { d: Reg, o: Reg, i: Reg },
    ArrayGetChar { d: Reg, o: Reg, i: Reg },
    ArrayGetShort { d: Reg, o: Reg, i: Reg },
    /// int and float elements.
    ArrayPut { o: Reg, i: Reg, s: Reg },
    /// With the store check.
    ArrayPutRef { o: Reg, i: Reg, s: Reg },
    ArrayPutWide { o: Reg, i: Reg, s: Reg },
    /// byte and boolean elements: a boolean array keeps the lowest bit only.
    ArrayPutByte { o: Reg, i: Reg, s: Reg },
    /// char and short elements.
    ArrayPutShort { o: Reg, i: Reg, s: Reg },

    // Objects: `Code::classes`.
    New { d: Reg, site: u32 },
    /// The site names the array class.
    NewArray { d: Reg, len: Reg, site: u32 },
    /// Dimensions are `count` words of `Code::operands` from `first`; the site names the array class.
    NewMultiArray { d: Reg, count: u8, first: u32, site: u32 },
    CheckCast { o: Reg, site: u32 },
    InstanceOf { d: Reg, o: Reg, site: u32 },
    MonitorEnter { o: Reg },
    MonitorExit { o: Reg },

    // Calls: `Code::calls`.
    Call { site: u32 },
    ReturnVoid,
    Return { s: Reg },
    ReturnWide { s: Reg },
    Throw { s: Reg },

    /// What only the machine knows how to do, in methods that no class file contains: the bodies of native methods,
    /// class initialisation, the roots of threads. `op` is the machine's; `d`, `a`, `b` are registers or numbers.
    Special { op: u16, d: Reg, a: Reg, b: Reg },
}
