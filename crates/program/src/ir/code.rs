//! The code of one method, and the tables that its instructions point into.

use super::{Instr, Pc, Reg};
use crate::classfile::Index;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a register holds, for the whole method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RegisterKind {
    /// A reference.
    Ref,
    /// `int`, `float` or narrower.
    Word,
    /// `long` or `double`: this frame word and the next.
    Wide,
}

/// A register of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Register {
    /// First frame word.
    pub reg: Reg,
    /// Kind.
    pub kind: RegisterKind,
}

/// A link that is filled at most once; 0 means not yet. What the number means is the linker's business, and it
/// depends on names alone, so that racing writers write the same.
#[derive(Debug, Default)]
pub struct Link(AtomicU64);

impl Serialize for Link {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Link {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Link, D::Error> {
        u64::deserialize(deserializer).map(Link::filled)
    }
}

impl Link {
    /// A link that is already filled.
    pub fn filled(value: u64) -> Link {
        Link(AtomicU64::new(value))
    }

    /// The number, or 0.
    #[inline(always)]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Fills the link.
    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

/// How a site's name comes from its constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SiteForm {
    /// The constant itself.
    Plain,
    /// The array class whose elements are of the class that the constant names (`anewarray`).
    ArrayOf,
    /// An array of primitives, by the letter of its element in descriptors (`newarray`); there is no constant.
    Primitive(u8),
}

/// A reference to a class, field or constant.
#[derive(Debug, Serialize, Deserialize)]
pub struct Site {
    /// Constant pool index; 0 in synthetic code, whose links are filled from the start, and for primitive arrays.
    pub index: Index,
    /// What the site denotes; anything but [`SiteForm::Plain`] only in [`Code::classes`].
    pub form: SiteForm,
    /// The link.
    pub link: Link,
}

impl Site {
    /// A site that is yet to be linked.
    pub fn new(index: Index) -> Site {
        Site {
            index,
            form: SiteForm::Plain,
            link: Link::default(),
        }
    }

    /// A site of synthetic code.
    pub fn linked(value: u64) -> Site {
        Site {
            index: 0,
            form: SiteForm::Plain,
            link: Link::filled(value),
        }
    }
}

/// The five kinds of invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallKind {
    /// `invokestatic`.
    Static,
    /// `invokespecial`.
    Special,
    /// `invokevirtual`, signature-polymorphic ones included.
    Virtual,
    /// `invokeinterface`.
    Interface,
    /// `invokedynamic`.
    Dynamic,
}

/// An invocation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Call {
    /// Kind.
    pub kind: CallKind,
    /// Constant pool index of the method or dynamic call site; 0 in synthetic code.
    pub index: Index,
    /// First of the argument words in [`Code::operands`], the receiver included; a wide argument is two words.
    pub first: u32,
    /// How many argument words.
    pub count: u16,
    /// Where the result goes; [`Call::NO_RESULT`] if there is none or nobody uses it.
    pub dest: Reg,
    /// What is called.
    pub link: Link,
    /// The receiver class seen last and what it led to: a hint, no part of any state.
    #[serde(skip)]
    pub cache: Link,
}

impl Call {
    /// No destination.
    pub const NO_RESULT: Reg = Reg::MAX;
}

/// A jump table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Switch {
    /// Targets for `low`, `low + 1`, …
    Table {
        /// Key of the first target.
        low: i32,
        /// Targets.
        targets: Box<[Pc]>,
        /// Target for every other key.
        default: Pc,
    },
    /// Sorted keys and their targets.
    Lookup {
        /// Keys in ascending order.
        keys: Box<[i32]>,
        /// One target a key.
        targets: Box<[Pc]>,
        /// Target for every other key.
        default: Pc,
    },
}

/// An exception edge: control goes to `target` with the exception in `reg`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Handler {
    /// First covered instruction.
    pub start: Pc,
    /// First instruction no longer covered.
    pub end: Pc,
    /// Where the handler begins.
    pub target: Pc,
    /// Reference register that receives the exception.
    pub reg: Reg,
    /// Index into [`Code::classes`] of what is caught; `None` catches all.
    pub class: Option<u32>,
}

/// A source variable.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct LocalName {
    /// First instruction at which it has a value.
    pub start: Pc,
    /// First instruction at which it no longer has.
    pub end: Pc,
    /// Its register.
    pub reg: Reg,
    /// Its name, a Utf8 constant.
    pub name: Index,
}

/// The code of one method.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Code {
    /// Instructions.
    pub instrs: Box<[Instr]>,
    /// Bytecode index of each instruction.
    pub bcis: Box<[u16]>,
    /// Words of a frame.
    pub frame_words: u16,
    /// Words of the parameters, which are the first registers.
    pub parameter_words: u16,
    /// All registers, parameters first, in ascending order.
    pub registers: Box<[Register]>,
    /// Exception edges, in the order in which they are tried.
    pub handlers: Box<[Handler]>,
    /// Field sites.
    pub fields: Box<[Site]>,
    /// Class sites.
    pub classes: Box<[Site]>,
    /// Loadable constants.
    pub constants: Box<[Site]>,
    /// Calls.
    pub calls: Box<[Call]>,
    /// Argument words of calls and dimensions of arrays.
    pub operands: Box<[Reg]>,
    /// Jump tables.
    pub switches: Box<[Switch]>,
    /// Source variables.
    pub names: Box<[LocalName]>,
    /// Live registers, once they were asked for.
    #[serde(skip)]
    pub live: OnceLock<Liveness>,
}

impl Code {
    /// Which registers are live before each instruction; worked out when first asked for.
    pub fn liveness(&self) -> &Liveness {
        self.live.get_or_init(|| crate::lower::liveness(self))
    }
}

/// The live registers at every instruction: a bit for each entry of [`Code::registers`].
#[derive(Debug, Default)]
pub struct Liveness {
    /// Words of a row.
    pub(crate) stride: usize,
    /// Where the second half begins: a row for each instruction of what is live while it runs.
    pub(crate) across: usize,
    pub(crate) bits: Box<[u64]>,
}

impl Liveness {
    /// Whether the register at `position` of [`Code::registers`] may be read, before it is written, from `pc` on.
    /// A call's destination is dead before the call, also while the callee runs.
    #[inline]
    pub fn is_live(&self, pc: Pc, position: usize) -> bool {
        self.bits
            .get(pc as usize * self.stride + position / 64)
            .is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    /// A bit for each entry of [`Code::registers`] that is live before an instruction, as [`Liveness::is_live`] says.
    #[inline]
    pub fn before(&self, pc: Pc) -> &[u64] {
        let start = pc as usize * self.stride;
        self.bits.get(start..start + self.stride).unwrap_or(&[])
    }

    /// The same while it runs, as [`Liveness::is_live_across`] says.
    #[inline]
    pub fn across(&self, pc: Pc) -> &[u64] {
        let start = self.across + pc as usize * self.stride;
        self.bits.get(start..start + self.stride).unwrap_or(&[])
    }

    /// Whether the register at `position` of [`Code::registers`] may be read after the instruction at `pc`, by what
    /// follows or by a handler: what a suspended caller keeps alive. Neither the destination nor arguments that are not
    /// used again are.
    #[inline]
    pub fn is_live_across(&self, pc: Pc, position: usize) -> bool {
        let at = self.across + pc as usize * self.stride + position / 64;
        self.bits.get(at).is_some_and(|word| word >> (position % 64) & 1 == 1)
    }
}
