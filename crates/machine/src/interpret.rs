//! The interpreter loop.
//!
//! Registers are read and written in place, without a log (see `memory.rs`). Whatever is rare leaves the loop through
//! a [`Trap`]: the instruction then either raises an exception or is tried again after something else has run.

mod aside;
mod exit;

pub use exit::Exit;
pub(crate) use exit::Next;

use crate::frames::RETRY;
use crate::heap::ARRAY_BASE;
use crate::layout::{INFLATED, LOCK, OWNER_BITS, OWNER_MASK, PROVED, class, class_record, frame, init};
use crate::link;
use crate::machine::{Machine, Trap};
use aside::{bounds, by_zero, narrow, stored};
use kernel::Instrumentation;
use program::ir::{Call, Code, Instr, Switch};
use program::world::{ARRAY_HEADER_WORDS, ARRAY_LENGTH, ClassId, Method, MethodId};

impl<'p> Machine<'p> {
    /// Runs the current thread until something in [`Exit`] happens. With `STEPPING`, the first instruction may touch
    /// anything, and the loop ends before the next one that does; if the thread is alone, before the next one of which the search is told.
    pub(crate) fn execute<const STEPPING: bool>(&mut self, fuel: &mut i64) -> Exit {
        loop {
            match self.execute_frames::<STEPPING>(fuel) {
                Ok(exit) => return exit,
                Err(trap) => {
                    if let Err(exit) = self.handle(trap) {
                        return exit;
                    }
                    *fuel -= 1;
                    if *fuel < 0 {
                        return Exit::Fuel;
                    }
                }
            }
        }
    }

    /// The loop itself. On a trap, the frame's `PC` is that of the instruction at fault.
    fn execute_frames<const STEPPING: bool>(&mut self, fuel: &mut i64) -> Result<Exit, Trap> {
        let base = self.memory.base();
        let mut fp = self.fp();
        let mut method: &'p Method = self.program.method(MethodId(self.memory.load(fp + frame::METHOD)));
        let mut code: &'p Code = match self.program.ready(method) {
            Some(code) => code,
            None => self.code(method)?,
        };
        let mut pc = self.memory.load(fp + frame::PC) as usize;
        // SAFETY: every register number in `code` is below its frame_words: the lowering allocates them so, and
        // a frame is pushed only after `check_stack` has found room for all of them.
        let mut regs = unsafe { base.add((fp + frame::REGISTERS) as usize) };

        macro_rules! get {
            ($r:expr) => {
                // SAFETY: see `regs`.
                unsafe { *regs.add($r as usize) }
            };
        }
        macro_rules! set {
            ($r:expr, $v:expr) => {{
                let value: u32 = $v;
                // SAFETY: see `regs`.
                unsafe { *regs.add($r as usize) = value }
            }};
        }
        macro_rules! wide {
            ($r:expr) => {
                // SAFETY: see `regs`; a wide register has two words.
                unsafe { regs.add($r as usize).cast::<u64>().read_unaligned() }
            };
        }
        macro_rules! set_wide {
            ($r:expr, $v:expr) => {{
                let value: u64 = $v;
                // SAFETY: see `wide`.
                unsafe { regs.add($r as usize).cast::<u64>().write_unaligned(value) }
            }};
        }
        macro_rules! save {
            () => {
                self.memory.poke(fp + frame::PC, pc as u32)
            };
        }
        // Loads the loop's variables from the topmost frame.
        macro_rules! reload {
            () => {{
                fp = self.fp();
                method = self
                    .program
                    .method(MethodId(self.memory.load(fp + frame::METHOD)));
                code = match self.program.ready(method) {
                    Some(code) => code,
                    None => self.code(method)?,
                };
                pc = self.memory.load(fp + frame::PC) as usize;
                // SAFETY: see above.
                regs = unsafe { base.add((fp + frame::REGISTERS) as usize) };
            }};
        }
        // Does what a call that was not one of a method asks for.
        macro_rules! go_on {
            ($next:expr) => {
                match $next {
                    Next::Advance => pc += 1,
                    Next::Reload => reload!(),
                    Next::Leave(exit) => return Ok(exit),
                }
            };
        }
        // Goes back to the caller; where its result goes.
        macro_rules! leave {
            () => {{
                let (caller, dest) = (
                    self.memory.load(fp + frame::CALLER),
                    self.memory.load(fp + frame::DEST),
                );
                self.uncover(caller);
                reload!();
                dest
            }};
        }
        macro_rules! jump {
            ($target:expr) => {{
                let target = $target as usize;
                if target <= pc {
                    *fuel -= 1;
                    if *fuel < 0 {
                        self.memory.poke(fp + frame::PC, target as u32);
                        return Ok(Exit::Fuel);
                    }
                }
                pc = target;
            }};
        }
        macro_rules! branch {
            ($condition:expr, $target:expr) => {
                if $condition { jump!($target) } else { pc += 1 }
            };
        }
        macro_rules! int {
            ($d:expr, $v:expr) => {{
                set!($d, ($v) as u32);
                pc += 1;
            }};
        }
        macro_rules! long {
            ($d:expr, $v:expr) => {{
                set_wide!($d, ($v) as u64);
                pc += 1;
            }};
        }
        macro_rules! float {
            ($r:expr) => {
                f32::from_bits(get!($r))
            };
        }
        macro_rules! double {
            ($r:expr) => {
                f64::from_bits(wide!($r))
            };
        }
        macro_rules! trap {
            ($trap:expr) => {{
                save!();
                return Err($trap);
            }};
        }
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(trap) => trap!(trap),
                }
            };
        }
        // A number that must not be zero.
        macro_rules! divisor {
            ($v:expr) => {{
                let divisor = $v;
                if divisor == 0 {
                    trap!(by_zero());
                }
                divisor
            }};
        }
        // An object that must not be null.
        macro_rules! object {
            ($r:expr) => {{
                let object = get!($r);
                if object == 0 {
                    trap!(Trap::Raise("java/lang/NullPointerException", None));
                }
                object
            }};
        }
        // An array and an index that must be within it.
        macro_rules! slot {
            ($o:expr, $i:expr) => {{
                let array = object!($o);
                let index = get!($i);
                let length = self.memory.load(array + ARRAY_LENGTH);
                if index >= length {
                    trap!(bounds(index, length));
                }
                (array, index)
            }};
        }
        // A step ends here, unless it began with this instruction.
        macro_rules! stop {
            () => {
                if !self.step.is_fresh() {
                    save!();
                    return Ok(Exit::Pending);
                }
                self.step.set_fresh(false);
            };
        }
        // Other threads may see what follows: a step ends before it, unless there are none.
        macro_rules! visible {
            () => {
                if STEPPING && !self.semantics.has(Instrumentation::EVERY_STEP) {
                    if !self.solo.is_on() {
                        if !self.step.is_fresh() {
                            save!();
                            if !self.operation.is_on() || !self.goes_on_at_once() {
                                return Ok(Exit::Pending);
                            }
                        }
                    } else if self.solo.is_attentive() {
                        save!();
                        if self.attend() {
                            return Ok(Exit::Pending);
                        }
                    }
                    self.step.set_fresh(false);
                }
            };
        }
        // The same, unless no other thread was ever able to reach the object.
        macro_rules! visible_at {
            ($object:expr) => {
                if !STEPPING || self.solo.is_on() || !self.is_own($object) {
                    visible!();
                }
            };
        }
        // The same as `slot`, to be accessed at once.
        macro_rules! element {
            ($o:expr, $i:expr) => {{
                let (array, index) = slot!($o, $i);
                visible_at!(array);
                (array, index)
            }};
        }
        // A new object may be one of those that were proved never to be shared.
        macro_rules! proved {
            ($object:expr) => {
                if STEPPING
                    && self.semantics.has(Instrumentation::PROOFS)
                    && self.proved.contains(&(method.id, pc as u32))
                {
                    let header = self.memory.load($object);
                    self.memory.poke($object, header | PROVED);
                }
            };
        }
        // What is stored into an object that others may reach has escaped.
        macro_rules! publish {
            ($object:expr) => {
                if STEPPING && !self.solo.is_on() && !self.is_own($object) {
                    self.mark_escaped();
                }
            };
        }
        macro_rules! field {
            ($site:expr, $instr:expr) => {{
                let link = code.fields[$site as usize].link.get();
                if link == 0 {
                    attempt!(self.link_field(method, code, $site, $instr));
                    continue;
                }
                link
            }};
        }
        // The class that a site names.
        macro_rules! linked_class {
            ($site:expr) => {{
                let link = code.classes[$site as usize].link.get();
                if link == 0 {
                    attempt!(self.link_class(method, code, $site))
                } else {
                    ClassId(link as u32)
                }
            }};
        }
        // The field of an object, as its object and where it is.
        macro_rules! object_field {
            ($o:expr, $site:expr, $instr:expr) => {{
                let link = field!($site, $instr);
                let object = object!($o);
                visible_at!(object);
                (object, object + link as u32)
            }};
        }
        // The same, to be read.
        macro_rules! read_field {
            ($o:expr, $site:expr, $instr:expr) => {{
                let (object, at) = object_field!($o, $site, $instr);
                if STEPPING && self.names_thread(at - object) {
                    attempt!(self.read_name(object));
                }
                at
            }};
        }
        // Address of a static field whose class is initialised.
        macro_rules! static_field {
            ($site:expr, $instr:expr) => {{
                let link = field!($site, $instr);
                let record = class_record(link::owner(link));
                if self.memory.load(record + class::STATE) != init::DONE {
                    attempt!(self.require_initialized(link::owner(link)));
                }
                let at = self.memory.load(record + class::STATICS) + link as u32;
                // What the JDK has set for good before the program began is nothing to be seen.
                if !(STEPPING && link::is_constant(link) && at < self.memory.image_end()) {
                    visible!();
                }
                at
            }};
        }
        macro_rules! collect {
            () => {
                if self.run.is_collection_due(self.memory.top()) {
                    save!();
                    return Ok(Exit::Collect);
                }
            };
        }

        loop {
            // SAFETY: pc is 0 at entry, a checked jump target, or follows an instruction that can fall through, and
            // the lowering ends every method with one that cannot.
            let instr = unsafe { *code.instrs.get_unchecked(pc) };
            // An instruction that was only linked is not over: it is tried again in the same step.
            if STEPPING && self.semantics.has(Instrumentation::EVERY_STEP) && !self.step.began_with(fp, pc as u32) {
                save!();
                return Ok(Exit::Pending);
            }
            match instr {
                Instr::Move { d, s } => int!(d, get!(s)),
                Instr::MoveWide { d, s } => long!(d, wide!(s)),
                Instr::Const { d, value } => int!(d, value),
                Instr::ConstWide { d, value } => long!(d, value),
                Instr::LoadConst { d, site } => {
                    save!();
                    let (value, is_wide) = self.load_constant(method, code, site)?;
                    if is_wide {
                        set_wide!(d, value)
                    } else {
                        set!(d, value as u32)
                    }
                    pc += 1;
                }

                Instr::AddI { d, a, b } => int!(d, get!(a).wrapping_add(get!(b))),
                Instr::SubI { d, a, b } => int!(d, get!(a).wrapping_sub(get!(b))),
                Instr::MulI { d, a, b } => int!(d, get!(a).wrapping_mul(get!(b))),
                Instr::DivI { d, a, b } => {
                    let divisor = divisor!(get!(b) as i32);
                    int!(d, (get!(a) as i32).wrapping_div(divisor))
                }
                Instr::RemI { d, a, b } => {
                    let divisor = divisor!(get!(b) as i32);
                    int!(d, (get!(a) as i32).wrapping_rem(divisor))
                }
                Instr::AndI { d, a, b } => int!(d, get!(a) & get!(b)),
                Instr::OrI { d, a, b } => int!(d, get!(a) | get!(b)),
                Instr::XorI { d, a, b } => int!(d, get!(a) ^ get!(b)),
                Instr::ShlI { d, a, b } => int!(d, get!(a).wrapping_shl(get!(b))),
                Instr::ShrI { d, a, b } => int!(d, (get!(a) as i32).wrapping_shr(get!(b))),
                Instr::UshrI { d, a, b } => int!(d, get!(a).wrapping_shr(get!(b))),
                Instr::NegI { d, a } => int!(d, get!(a).wrapping_neg()),
                Instr::AddImm { d, a, imm } => int!(d, get!(a).wrapping_add(imm as u32)),
                Instr::MulImm { d, a, imm } => int!(d, get!(a).wrapping_mul(imm as u32)),
                Instr::DivImm { d, a, imm } => int!(d, (get!(a) as i32).wrapping_div(imm)),
                Instr::RemImm { d, a, imm } => int!(d, (get!(a) as i32).wrapping_rem(imm)),
                Instr::AndImm { d, a, imm } => int!(d, get!(a) & imm as u32),
                Instr::OrImm { d, a, imm } => int!(d, get!(a) | imm as u32),
                Instr::XorImm { d, a, imm } => int!(d, get!(a) ^ imm as u32),
                Instr::ShlImm { d, a, imm } => int!(d, get!(a).wrapping_shl(imm.into())),
                Instr::ShrImm { d, a, imm } => int!(d, (get!(a) as i32).wrapping_shr(imm.into())),
                Instr::UshrImm { d, a, imm } => int!(d, get!(a).wrapping_shr(imm.into())),

                Instr::AddL { d, a, b } => long!(d, wide!(a).wrapping_add(wide!(b))),
                Instr::SubL { d, a, b } => long!(d, wide!(a).wrapping_sub(wide!(b))),
                Instr::MulL { d, a, b } => long!(d, wide!(a).wrapping_mul(wide!(b))),
                Instr::DivL { d, a, b } => {
                    let divisor = divisor!(wide!(b) as i64);
                    long!(d, (wide!(a) as i64).wrapping_div(divisor))
                }
                Instr::RemL { d, a, b } => {
                    let divisor = divisor!(wide!(b) as i64);
                    long!(d, (wide!(a) as i64).wrapping_rem(divisor))
                }
                Instr::AndL { d, a, b } => long!(d, wide!(a) & wide!(b)),
                Instr::OrL { d, a, b } => long!(d, wide!(a) | wide!(b)),
                Instr::XorL { d, a, b } => long!(d, wide!(a) ^ wide!(b)),
                Instr::ShlL { d, a, b } => long!(d, wide!(a).wrapping_shl(get!(b))),
                Instr::ShrL { d, a, b } => long!(d, (wide!(a) as i64).wrapping_shr(get!(b))),
                Instr::UshrL { d, a, b } => long!(d, wide!(a).wrapping_shr(get!(b))),
                Instr::NegL { d, a } => long!(d, wide!(a).wrapping_neg()),
                Instr::AddLImm { d, a, imm } => long!(d, wide!(a).wrapping_add(i64::from(imm) as u64)),
                Instr::AndLImm { d, a, imm } => long!(d, wide!(a) & i64::from(imm) as u64),
                Instr::MulLImm { d, a, imm } => long!(d, wide!(a).wrapping_mul(i64::from(imm) as u64)),
                Instr::ShlLImm { d, a, imm } => long!(d, wide!(a).wrapping_shl(imm.into())),
                Instr::ShrLImm { d, a, imm } => long!(d, (wide!(a) as i64).wrapping_shr(imm.into())),
                Instr::UshrLImm { d, a, imm } => long!(d, wide!(a).wrapping_shr(imm.into())),

                Instr::AddF { d, a, b } => int!(d, (float!(a) + float!(b)).to_bits()),
                Instr::SubF { d, a, b } => int!(d, (float!(a) - float!(b)).to_bits()),
                Instr::MulF { d, a, b } => int!(d, (float!(a) * float!(b)).to_bits()),
                Instr::DivF { d, a, b } => int!(d, (float!(a) / float!(b)).to_bits()),
                Instr::RemF { d, a, b } => int!(d, (float!(a) % float!(b)).to_bits()),
                Instr::NegF { d, a } => int!(d, get!(a) ^ 0x8000_0000),
                Instr::AddD { d, a, b } => long!(d, (double!(a) + double!(b)).to_bits()),
                Instr::SubD { d, a, b } => long!(d, (double!(a) - double!(b)).to_bits()),
                Instr::MulD { d, a, b } => long!(d, (double!(a) * double!(b)).to_bits()),
                Instr::DivD { d, a, b } => long!(d, (double!(a) / double!(b)).to_bits()),
                Instr::RemD { d, a, b } => long!(d, (double!(a) % double!(b)).to_bits()),
                Instr::NegD { d, a } => long!(d, wide!(a) ^ (1 << 63)),

                Instr::IntToLong { d, a } => long!(d, i64::from(get!(a) as i32)),
                Instr::IntToFloat { d, a } => int!(d, (get!(a) as i32 as f32).to_bits()),
                Instr::IntToDouble { d, a } => long!(d, f64::from(get!(a) as i32).to_bits()),
                Instr::LongToInt { d, a } => int!(d, wide!(a)),
                Instr::LongToFloat { d, a } => int!(d, (wide!(a) as i64 as f32).to_bits()),
                Instr::LongToDouble { d, a } => long!(d, (wide!(a) as i64 as f64).to_bits()),
                // Rust's float casts saturate and send NaN to zero, as Java's do.
                Instr::FloatToInt { d, a } => int!(d, float!(a) as i32),
                Instr::FloatToLong { d, a } => long!(d, float!(a) as i64),
                Instr::FloatToDouble { d, a } => long!(d, f64::from(float!(a)).to_bits()),
                Instr::DoubleToInt { d, a } => int!(d, double!(a) as i32),
                Instr::DoubleToLong { d, a } => long!(d, double!(a) as i64),
                Instr::DoubleToFloat { d, a } => int!(d, (double!(a) as f32).to_bits()),
                Instr::IntToNarrow { d, a, to } => int!(d, narrow(get!(a), to)),

                Instr::CmpL { d, a, b } => int!(d, (wide!(a) as i64).cmp(&(wide!(b) as i64)) as i32),
                Instr::CmpF { d, a, b, nan } => {
                    int!(
                        d,
                        float!(a)
                            .partial_cmp(&float!(b))
                            .map_or(i32::from(nan), |order| order as i32)
                    )
                }
                Instr::CmpD { d, a, b, nan } => {
                    int!(
                        d,
                        double!(a)
                            .partial_cmp(&double!(b))
                            .map_or(i32::from(nan), |order| order as i32)
                    )
                }

                Instr::Goto { target } => jump!(target),
                Instr::IfEq { a, b, target } => branch!(get!(a) == get!(b), target),
                Instr::IfNe { a, b, target } => branch!(get!(a) != get!(b), target),
                Instr::IfLt { a, b, target } => branch!((get!(a) as i32) < get!(b) as i32, target),
                Instr::IfGe { a, b, target } => branch!(get!(a) as i32 >= get!(b) as i32, target),
                Instr::IfGt { a, b, target } => branch!(get!(a) as i32 > get!(b) as i32, target),
                Instr::IfLe { a, b, target } => branch!(get!(a) as i32 <= get!(b) as i32, target),
                Instr::IfEqImm { a, imm, target } => branch!(get!(a) as i32 == imm, target),
                Instr::IfNeImm { a, imm, target } => branch!(get!(a) as i32 != imm, target),
                Instr::IfLtImm { a, imm, target } => branch!((get!(a) as i32) < imm, target),
                Instr::IfGeImm { a, imm, target } => branch!(get!(a) as i32 >= imm, target),
                Instr::IfGtImm { a, imm, target } => branch!(get!(a) as i32 > imm, target),
                Instr::IfLeImm { a, imm, target } => branch!(get!(a) as i32 <= imm, target),
                Instr::IfEqL { a, b, target } => branch!(wide!(a) == wide!(b), target),
                Instr::IfNeL { a, b, target } => branch!(wide!(a) != wide!(b), target),
                Instr::IfLtL { a, b, target } => branch!((wide!(a) as i64) < wide!(b) as i64, target),
                Instr::IfGeL { a, b, target } => branch!(wide!(a) as i64 >= wide!(b) as i64, target),
                Instr::IfGtL { a, b, target } => branch!(wide!(a) as i64 > wide!(b) as i64, target),
                Instr::IfLeL { a, b, target } => branch!(wide!(a) as i64 <= wide!(b) as i64, target),
                Instr::Switch { a, table } => {
                    let key = get!(a) as i32;
                    let target = match &code.switches[table as usize] {
                        Switch::Table { low, targets, default } => {
                            *targets.get(key.wrapping_sub(*low) as u32 as usize).unwrap_or(default)
                        }
                        Switch::Lookup { keys, targets, default } => {
                            keys.binary_search(&key).map_or(*default, |position| targets[position])
                        }
                    };
                    jump!(target)
                }

                Instr::GetField { d, o, site } => {
                    let at = read_field!(o, site, instr);
                    int!(d, self.memory.load(at))
                }
                Instr::GetFieldWide { d, o, site } => {
                    let at = read_field!(o, site, instr);
                    long!(d, self.memory.load_wide(at))
                }
                Instr::GetFieldNarrow { d, o, kind, site } => {
                    let (_, at) = object_field!(o, site, instr);
                    int!(d, narrow(self.memory.load(at), kind))
                }
                Instr::PutField { o, s, site } => {
                    let (object, at) = object_field!(o, site, instr);
                    self.memory.store(at, get!(s));
                    publish!(object);
                    pc += 1;
                }
                Instr::PutFieldWide { o, s, site } => {
                    let (_, at) = object_field!(o, site, instr);
                    self.memory.store_wide(at, wide!(s));
                    pc += 1;
                }
                Instr::PutFieldNarrow { o, s, kind, site } => {
                    let (_, at) = object_field!(o, site, instr);
                    self.memory.store(at, stored(get!(s), kind));
                    pc += 1;
                }
                Instr::GetStatic { d, site } => {
                    let at = static_field!(site, instr);
                    int!(d, self.memory.load(at))
                }
                Instr::GetStaticWide { d, site } => {
                    let at = static_field!(site, instr);
                    long!(d, self.memory.load_wide(at))
                }
                Instr::GetStaticNarrow { d, kind, site } => {
                    let at = static_field!(site, instr);
                    int!(d, narrow(self.memory.load(at), kind))
                }
                Instr::PutStatic { s, site } => {
                    let at = static_field!(site, instr);
                    self.memory.store(at, get!(s));
                    publish!(0);
                    pc += 1;
                }
                Instr::PutStaticWide { s, site } => {
                    let at = static_field!(site, instr);
                    self.memory.store_wide(at, wide!(s));
                    pc += 1;
                }
                Instr::PutStaticNarrow { s, kind, site } => {
                    let at = static_field!(site, instr);
                    self.memory.store(at, stored(get!(s), kind));
                    pc += 1;
                }

                Instr::ArrayLength { d, o } => {
                    let array = object!(o);
                    int!(d, self.memory.load(array + ARRAY_LENGTH))
                }
                Instr::ArrayGet { d, o, i } => {
                    let (array, index) = element!(o, i);
                    int!(d, self.memory.load(array + ARRAY_HEADER_WORDS + index))
                }
                Instr::ArrayGetWide { d, o, i } => {
                    let (array, index) = element!(o, i);
                    long!(d, self.memory.load_wide(array + ARRAY_HEADER_WORDS + index * 2))
                }
                Instr::ArrayGetByte { d, o, i } => {
                    let (array, index) = element!(o, i);
                    int!(
                        d,
                        self.memory.load_byte(array, ARRAY_BASE + index as usize) as i8 as i32
                    )
                }
                Instr::ArrayGetChar { d, o, i } => {
                    let (array, index) = element!(o, i);
                    int!(d, self.memory.load_short(array, ARRAY_BASE + index as usize * 2))
                }
                Instr::ArrayGetShort { d, o, i } => {
                    let (array, index) = element!(o, i);
                    int!(
                        d,
                        self.memory.load_short(array, ARRAY_BASE + index as usize * 2) as i16 as i32
                    )
                }
                Instr::ArrayPut { o, i, s } => {
                    let (array, index) = element!(o, i);
                    self.memory.store(array + ARRAY_HEADER_WORDS + index, get!(s));
                    pc += 1;
                }
                Instr::ArrayPutRef { o, i, s } => {
                    let (array, index) = slot!(o, i);
                    let value = get!(s);
                    if value != 0 {
                        attempt!(self.check_element(array, value));
                    }
                    visible_at!(array);
                    self.memory.store(array + ARRAY_HEADER_WORDS + index, value);
                    publish!(array);
                    pc += 1;
                }
                Instr::ArrayPutWide { o, i, s } => {
                    let (array, index) = element!(o, i);
                    self.memory.store_wide(array + ARRAY_HEADER_WORDS + index * 2, wide!(s));
                    pc += 1;
                }
                Instr::ArrayPutByte { o, i, s } => {
                    let (array, index) = element!(o, i);
                    let mut value = get!(s) as u8;
                    if self.class_of(array) == self.known.boolean_array {
                        value &= 1;
                    }
                    self.memory.store_byte(array, ARRAY_BASE + index as usize, value);
                    pc += 1;
                }
                Instr::ArrayPutShort { o, i, s } => {
                    let (array, index) = element!(o, i);
                    self.memory
                        .store_short(array, ARRAY_BASE + index as usize * 2, get!(s) as u16);
                    pc += 1;
                }

                Instr::New { d, site } => {
                    let link = code.classes[site as usize].link.get();
                    if link == 0 {
                        attempt!(self.link_class(method, code, site));
                        continue;
                    }
                    let class = ClassId(link as u32);
                    if self.memory.load(class_record(class) + class::STATE) != init::DONE {
                        attempt!(self.require_instantiable(class));
                    }
                    collect!();
                    let words = link::middle(link);
                    let words = if words == 0 {
                        self.program.class(class).words
                    } else {
                        words
                    };
                    let object = attempt!(self.allocate(class, words));
                    proved!(object);
                    set!(d, object);
                    pc += 1;
                }
                Instr::NewArray { d, len, site } => {
                    let class = attempt!(self.link_class(method, code, site));
                    collect!();
                    let array = attempt!(self.new_array(class, get!(len) as i32));
                    proved!(array);
                    set!(d, array);
                    pc += 1;
                }
                Instr::NewMultiArray { d, count, first, site } => {
                    let class = attempt!(self.link_class(method, code, site));
                    collect!();
                    let range = first as usize..first as usize + usize::from(count);
                    let dimensions: Vec<i32> = code.operands[range].iter().map(|&reg| get!(reg) as i32).collect();
                    if let Some(negative) = dimensions.iter().find(|&&length| length < 0) {
                        trap!(Trap::Raise(
                            "java/lang/NegativeArraySizeException",
                            Some(negative.to_string())
                        ));
                    }
                    set!(d, attempt!(self.new_multi_array(class, &dimensions)));
                    pc += 1;
                }
                Instr::CheckCast { o, site } => {
                    let object = get!(o);
                    if object != 0 {
                        let (target, class) = (linked_class!(site), self.class_of(object));
                        if class != target && !self.program.is_subclass(class, target) {
                            trap!(self.cast_error(class, target));
                        }
                    }
                    pc += 1;
                }
                Instr::InstanceOf { d, o, site } => {
                    let object = get!(o);
                    let mut answer = false;
                    if object != 0 {
                        let (target, class) = (linked_class!(site), self.class_of(object));
                        answer = class == target || self.program.is_subclass(class, target);
                    }
                    int!(d, answer)
                }
                Instr::MonitorEnter { o } => {
                    let object = object!(o);
                    visible_at!(object);
                    if STEPPING && self.solo.is_on() && object < self.memory.image_end() {
                        self.note_console_lock(self.current(), method, object);
                    }
                    let lock = self.memory.load(object + LOCK);
                    if lock == 0 {
                        self.memory
                            .store(object + LOCK, (1 << OWNER_BITS) | (self.current() + 1));
                    } else if lock & INFLATED == 0 && lock & OWNER_MASK == self.current() + 1 {
                        self.memory.store(object + LOCK, lock + (1 << OWNER_BITS));
                    } else if !self.try_enter(object) {
                        save!();
                        if STEPPING && self.solo.is_on() {
                            // Whoever has it is no more: the thread stands before this for ever.
                            return Ok(Exit::Pending);
                        }
                        self.block_on(object);
                        return Ok(Exit::Blocked);
                    }
                    pc += 1;
                }
                Instr::MonitorExit { o } => {
                    let object = object!(o);
                    visible_at!(object);
                    attempt!(self.exit_monitor(object));
                    pc += 1;
                }

                Instr::Call { site } => {
                    let call = &code.calls[site as usize];
                    let link = call.link.get();
                    let target: &'p Method = match link >> 56 {
                        link::STATIC => {
                            let target = self.program.method(MethodId(link as u32));
                            if self.memory.load(class_record(target.class) + class::STATE) != init::DONE {
                                attempt!(self.require_initialized(target.class));
                            }
                            target
                        }
                        link::DIRECT => {
                            if get!(code.operands[call.first as usize]) == 0 {
                                trap!(Trap::Raise("java/lang/NullPointerException", None));
                            }
                            self.program.method(MethodId(link as u32))
                        }
                        link::VIRTUAL => {
                            let receiver = get!(code.operands[call.first as usize]);
                            if receiver == 0 {
                                trap!(Trap::Raise("java/lang/NullPointerException", None));
                            }
                            let class = self.class_of(receiver);
                            let cached = call.cache.get();
                            if (cached >> 32) as u32 == class.0 {
                                self.program.method(MethodId(cached as u32))
                            } else {
                                let chosen = attempt!(self.select(class, MethodId(link as u32)));
                                call.cache.set(u64::from(class.0) << 32 | u64::from(chosen.0));
                                self.program.method(chosen)
                            }
                        }
                        link::POLYMORPHIC => {
                            save!();
                            go_on!(self.call_polymorphic(method, code, site)?);
                            continue;
                        }
                        link::DYNAMIC => {
                            save!();
                            go_on!(self.call_dynamic(method, code, site)?);
                            continue;
                        }
                        _ => {
                            attempt!(self.link_call(method, code, site));
                            continue;
                        }
                    };
                    *fuel -= 1;
                    if *fuel < 0 {
                        save!();
                        return Ok(Exit::Fuel);
                    }
                    let callee = match self.program.ready(target) {
                        Some(callee) => callee,
                        None => attempt!(self.code(target)),
                    };
                    let new_fp = fp + frame::REGISTERS + u32::from(code.frame_words);
                    attempt!(self.check_stack(new_fp, callee));
                    save!();
                    // SAFETY: `check_stack` has found room for the header and all registers of the callee; the
                    // operands of a call are registers of the caller, as many as the callee's parameters have words.
                    unsafe {
                        let header = base.add(new_fp as usize);
                        *header = target.id.0;
                        *header.add(1) = 0;
                        *header.add(2) = fp;
                        *header.add(3) = u32::from(call.dest);
                        let registers = header.add(frame::REGISTERS as usize);
                        let operands = code.operands.as_ptr().add(call.first as usize);
                        for position in 0..usize::from(call.count) {
                            *registers.add(position) = *regs.add(usize::from(*operands.add(position)));
                        }
                        regs = registers;
                    }
                    fp = new_fp;
                    self.running.set_frame(fp);
                    method = target;
                    code = callee;
                    pc = 0;
                }
                Instr::ReturnVoid => {
                    let dest = leave!();
                    pc += usize::from(dest & RETRY == 0);
                }
                Instr::Return { s } => {
                    let value = get!(s);
                    let dest = leave!();
                    if dest as u16 != Call::NO_RESULT {
                        set!(dest as u16, value);
                    }
                    pc += usize::from(dest & RETRY == 0);
                }
                Instr::ReturnWide { s } => {
                    let value = wide!(s);
                    let dest = leave!();
                    if dest as u16 != Call::NO_RESULT {
                        set_wide!(dest as u16, value);
                    }
                    pc += usize::from(dest & RETRY == 0);
                }
                Instr::Throw { s } => {
                    let exception = object!(s);
                    save!();
                    self.unwind(exception)?;
                    // A handler may cover itself.
                    *fuel -= 1;
                    if *fuel < 0 {
                        return Ok(Exit::Fuel);
                    }
                    reload!();
                }
                Instr::Special { op, d, a, b } => {
                    if STEPPING && self.is_visible(method, op) {
                        if self.solo.is_on() && self.is_told(method, op) {
                            stop!();
                        } else {
                            visible!();
                        }
                    }
                    save!();
                    match self.special(method, op, d, a, b)? {
                        Next::Advance => pc += 1,
                        Next::Reload => {
                            reload!();
                            if self.step.take_yielding() && !self.solo.is_on() && !self.spins_on_at_once() {
                                self.run.give_way();
                                *fuel = 0;
                            }
                        }
                        Next::Leave(exit) => return Ok(exit),
                    }
                }
            }
        }
    }
}
