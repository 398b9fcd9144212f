//! Vectors that are used again for the next method: most methods are short, and allocation would be half their cost.

use super::infer::{Active, Instance};
use super::members::Sites;
use super::registers::Registers;
use super::scan::{Block, Insn};
use super::stack::{Entry, Value};
use super::subroutines::Context;
use super::translate::{Name, Operand, Piece};
use super::types::Type;
use crate::ir::{Call, Instr, Reg};
use std::cell::Cell;

/// Longer ones are given back to the allocator.
const LONGEST: usize = 1 << 16;

/// Vectors whose contents mean nothing between two methods.
#[derive(Default)]
pub(super) struct Scratch {
    pub insns: Vec<Insn>,
    pub blocks: Vec<Block>,
    pub branches: Vec<u32>,
    pub locals: Vec<Type>,
    pub stack: Vec<Type>,
    pub wanted: Vec<Type>,
    pub instances: Vec<Instance>,
    pub arena: Vec<Type>,
    pub contexts: Vec<Context>,
    pub active: Vec<Active>,
    pub catches: Vec<Type>,
    pub registers: Registers,
    pub entries: Vec<Entry>,
    pub instrs: Vec<Instr>,
    pub bcis: Vec<u16>,
    pub starts: Vec<u32>,
    pub states: Vec<(u32, u32)>,
    pub agreed: Vec<Entry>,
    pub meeting: Vec<Value>,
    pub constants_held: Vec<(Reg, Value)>,
    pub operands: Vec<Operand>,
    pub calls: Vec<Call>,
    /// Fields, classes and constants.
    pub sites: [Sites; 3],
    pub pieces: Vec<Piece>,
    pub names: Vec<Name>,
    pub local_ranges: Vec<u8>,
    pub used: Vec<bool>,
    pub words: Vec<Reg>,
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Runs `f` with this thread's scratch vectors.
pub(super) fn with_scratch<T>(f: impl FnOnce(&mut Scratch) -> T) -> T {
    let mut scratch = SCRATCH.take().unwrap_or_default();
    let result = f(&mut scratch);
    if scratch
        .insns
        .capacity()
        .max(scratch.arena.capacity())
        .max(scratch.instrs.capacity())
        <= LONGEST
    {
        SCRATCH.set(Some(scratch));
    }
    result
}

/// Takes a vector out, without its contents.
pub(super) fn emptied<T>(vector: &mut Vec<T>) -> Vec<T> {
    let mut taken = std::mem::take(vector);
    taken.clear();
    taken
}
