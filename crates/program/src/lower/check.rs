//! What each instruction does to the types in a frame: locals, the stack, arithmetic, arrays and control.

use super::error::Result;
use super::infer::Infer;
use super::opcode::*;
use super::scan::Insn;
use super::types::Type;
use crate::descriptor::Kind;

impl Infer<'_> {
    pub fn push(&mut self, one: Type) -> Result<()> {
        let words = if one.is_wide() { 2 } else { 1 };
        if self.stack.len() + words > usize::from(self.info.max_stack) {
            return Err(self.verify("operand stack overflow"));
        }
        self.push_slot(one);
        if words == 2 {
            self.push_slot(one.second());
        }
        Ok(())
    }

    fn push_slot(&mut self, slot: Type) {
        self.stack.push(slot);
    }

    fn pop_slot(&mut self) -> Result<Type> {
        match self.stack.pop() {
            Some(slot) => Ok(slot),
            None => Err(self.verify("operand stack underflow")),
        }
    }

    #[cold]
    fn bad(&self, found: Type, wanted: &str) -> Box<super::LowerError> {
        self.verify(format!(
            "bad type on operand stack: {} is wanted and {} found",
            wanted,
            self.types.describe(found)
        ))
    }

    /// Takes a value of a primitive type from the stack.
    pub fn pop(&mut self, wanted: Type) -> Result<()> {
        let mut found = self.pop_slot()?;
        if wanted.is_wide() && found == wanted.second() {
            found = self.pop_slot()?;
        }
        if found != wanted {
            return Err(self.bad(found, &self.types.describe(wanted)));
        }
        Ok(())
    }

    /// Takes an initialised object or null.
    pub fn pop_reference(&mut self) -> Result<Type> {
        let found = self.pop_slot()?;
        if found.is_reference() {
            Ok(found)
        } else {
            Err(self.bad(found, "a reference"))
        }
    }

    /// Takes any object, also one whose constructor has not run.
    fn pop_object(&mut self) -> Result<Type> {
        let found = self.pop_slot()?;
        if found.is_reference() || found.is_uninitialised() {
            Ok(found)
        } else {
            Err(self.bad(found, "a reference"))
        }
    }

    /// Takes a reference that may be used as the class `wanted`.
    pub fn pop_class(&mut self, wanted: Type) -> Result<Type> {
        let found = self.pop_slot()?;
        if self.assignable(found, wanted)? {
            return Ok(found);
        }
        Err(self.bad(found, &self.types.describe(wanted)))
    }

    /// Takes a value of a type from a descriptor.
    pub fn pop_value(&mut self, wanted: Type) -> Result<()> {
        if wanted.is_reference() {
            self.pop_class(wanted).map(|_| ())
        } else {
            self.pop(wanted)
        }
    }

    fn pop_array(&mut self, wanted: &[&str]) -> Result<()> {
        let array = self.pop_reference()?;
        if self.types.trusted || self.types.all(array, |name| wanted.contains(&name)) {
            return Ok(());
        }
        Err(self.bad(array, wanted.first().unwrap_or(&"an array")))
    }

    /// Takes an array of references and gives the type of its elements.
    fn pop_reference_array(&mut self) -> Result<Type> {
        let array = self.pop_reference()?;
        match self.types.element(array) {
            Some(element) => Ok(element),
            None => Err(self.bad(array, "an array of references")),
        }
    }

    /// Takes a slot that is no half of a wide value.
    fn pop_single(&mut self) -> Result<Type> {
        let slot = self.pop_slot()?;
        if slot.is_second() {
            Err(self.bad(slot, "a value of one word"))
        } else {
            Ok(slot)
        }
    }

    /// Takes two slots: a wide value, or two values that are not wide.
    fn pop_pair(&mut self) -> Result<[Type; 2]> {
        let upper = self.pop_slot()?;
        let lower = self.pop_slot()?;
        // A second half always lies on its first one.
        if !upper.is_second() && lower.is_second() {
            return Err(self.bad(lower, "a value of one word"));
        }
        Ok([lower, upper])
    }

    fn push_slots(&mut self, slots: &[Type]) -> Result<()> {
        if self.stack.len() + slots.len() > usize::from(self.info.max_stack) {
            return Err(self.verify("operand stack overflow"));
        }
        self.stack.extend_from_slice(slots);
        Ok(())
    }

    fn load(&mut self, slot: u32, wanted: Type) -> Result<()> {
        let found = self.locals.get(slot as usize).copied().unwrap_or(Type::TOP);
        // A wide value's first slot is overwritten together with its second one.
        if found != wanted {
            return Err(self.bad_local(slot, found, &self.types.describe(wanted)));
        }
        self.push(found)
    }

    #[cold]
    fn bad_local(&self, slot: u32, found: Type, wanted: &str) -> Box<super::LowerError> {
        let found = self.types.describe(found);
        self.verify(format!(
            "bad type in local variable {slot}: {wanted} is wanted and {found} found"
        ))
    }

    fn load_object(&mut self, slot: u32) -> Result<()> {
        let found = self.locals.get(slot as usize).copied().unwrap_or(Type::TOP);
        if !found.is_reference() && !found.is_uninitialised() {
            return Err(self.bad_local(slot, found, "a reference"));
        }
        self.push(found)
    }

    fn store(&mut self, slot: u32, value: Type) {
        let slot = slot as usize;
        let words = if value.is_wide() { 2 } else { 1 };
        // What is left of a wide value that loses one half is unusable.
        if self.locals.get(slot).is_some_and(|old| old.is_second())
            && let Some(first) = slot.checked_sub(1).and_then(|before| self.locals.get_mut(before))
        {
            *first = Type::TOP;
        }
        if let Some(second) = self.locals.get_mut(slot + words)
            && second.is_second()
        {
            *second = Type::TOP;
        }
        if let Some(local) = self.locals.get_mut(slot) {
            *local = value;
        }
        if words == 2
            && let Some(local) = self.locals.get_mut(slot + 1)
        {
            *local = value.second();
        }
        self.changed = true;
    }

    fn store_popped(&mut self, slot: u32, value: Type) -> Result<()> {
        self.pop(value)?;
        self.store(slot, value);
        Ok(())
    }

    fn unary(&mut self, from: Type, to: Type) -> Result<()> {
        self.pop(from)?;
        self.push(to)
    }

    fn binary(&mut self, from: Type, to: Type) -> Result<()> {
        self.pop(from)?;
        self.pop(from)?;
        self.push(to)
    }

    fn shift(&mut self, of: Type) -> Result<()> {
        self.pop(Type::INT)?;
        self.unary(of, of)
    }

    fn array_load(&mut self, arrays: &[&str], element: Type) -> Result<()> {
        self.pop(Type::INT)?;
        self.pop_array(arrays)?;
        self.push(element)
    }

    fn array_store(&mut self, arrays: &[&str], element: Type) -> Result<()> {
        self.pop(element)?;
        self.pop(Type::INT)?;
        self.pop_array(arrays)
    }

    /// Checks one instruction of an instance and updates the frame.
    pub fn step(&mut self, insn: &Insn, number: u32) -> Result<()> {
        use Type as T;
        match insn.op {
            NOP => Ok(()),
            ACONST_NULL => self.push(T::NULL),
            SIPUSH => self.push(T::INT),
            LCONST_0 | LCONST_1 => self.push(T::LONG),
            FCONST_0..=FCONST_2 => self.push(T::FLOAT),
            DCONST_0 | DCONST_1 => self.push(T::DOUBLE),
            LDC_W | LDC2_W => self.constant(insn),
            ILOAD => self.load(insn.a, T::INT),
            LLOAD => self.load(insn.a, T::LONG),
            FLOAD => self.load(insn.a, T::FLOAT),
            DLOAD => self.load(insn.a, T::DOUBLE),
            ALOAD => self.load_object(insn.a),
            IALOAD => self.array_load(&["[I"], T::INT),
            LALOAD => self.array_load(&["[J"], T::LONG),
            FALOAD => self.array_load(&["[F"], T::FLOAT),
            DALOAD => self.array_load(&["[D"], T::DOUBLE),
            BALOAD => self.array_load(&["[B", "[Z"], T::INT),
            CALOAD => self.array_load(&["[C"], T::INT),
            SALOAD => self.array_load(&["[S"], T::INT),
            AALOAD => {
                self.pop(T::INT)?;
                let element = self.pop_reference_array()?;
                self.push(element)
            }
            ISTORE => self.store_popped(insn.a, T::INT),
            LSTORE => self.store_popped(insn.a, T::LONG),
            FSTORE => self.store_popped(insn.a, T::FLOAT),
            DSTORE => self.store_popped(insn.a, T::DOUBLE),
            ASTORE => {
                let found = self.pop_slot()?;
                if !found.is_reference() && !found.is_uninitialised() && found.as_address().is_none() {
                    return Err(self.bad(found, "a reference"));
                }
                self.store(insn.a, found);
                Ok(())
            }
            IASTORE => self.array_store(&["[I"], T::INT),
            LASTORE => self.array_store(&["[J"], T::LONG),
            FASTORE => self.array_store(&["[F"], T::FLOAT),
            DASTORE => self.array_store(&["[D"], T::DOUBLE),
            BASTORE => self.array_store(&["[B", "[Z"], T::INT),
            CASTORE => self.array_store(&["[C"], T::INT),
            SASTORE => self.array_store(&["[S"], T::INT),
            AASTORE => {
                // The element's class is checked when the store runs.
                self.pop_reference()?;
                self.pop(T::INT)?;
                self.pop_reference_array().map(|_| ())
            }
            POP..=SWAP => self.shuffle(insn.op),
            IADD | ISUB | IMUL | IDIV | IREM | IAND | IOR | IXOR => self.binary(T::INT, T::INT),
            LADD | LSUB | LMUL | LDIV | LREM | LAND | LOR | LXOR => self.binary(T::LONG, T::LONG),
            FADD | FSUB | FMUL | FDIV | FREM => self.binary(T::FLOAT, T::FLOAT),
            DADD | DSUB | DMUL | DDIV | DREM => self.binary(T::DOUBLE, T::DOUBLE),
            INEG | I2B | I2C | I2S => self.unary(T::INT, T::INT),
            LNEG => self.unary(T::LONG, T::LONG),
            FNEG => self.unary(T::FLOAT, T::FLOAT),
            DNEG => self.unary(T::DOUBLE, T::DOUBLE),
            ISHL | ISHR | IUSHR => self.shift(T::INT),
            LSHL | LSHR | LUSHR => self.shift(T::LONG),
            IINC => match self.locals.get(insn.a as usize) {
                Some(&T::INT) => Ok(()),
                found => Err(self.bad_local(insn.a, found.copied().unwrap_or(T::TOP), "int")),
            },
            I2L => self.unary(T::INT, T::LONG),
            I2F => self.unary(T::INT, T::FLOAT),
            I2D => self.unary(T::INT, T::DOUBLE),
            L2I => self.unary(T::LONG, T::INT),
            L2F => self.unary(T::LONG, T::FLOAT),
            L2D => self.unary(T::LONG, T::DOUBLE),
            F2I => self.unary(T::FLOAT, T::INT),
            F2L => self.unary(T::FLOAT, T::LONG),
            F2D => self.unary(T::FLOAT, T::DOUBLE),
            D2I => self.unary(T::DOUBLE, T::INT),
            D2L => self.unary(T::DOUBLE, T::LONG),
            D2F => self.unary(T::DOUBLE, T::FLOAT),
            LCMP => self.binary(T::LONG, T::INT),
            FCMPL | FCMPG => self.binary(T::FLOAT, T::INT),
            DCMPL | DCMPG => self.binary(T::DOUBLE, T::INT),
            IFEQ..=IFLE | TABLESWITCH | LOOKUPSWITCH => {
                self.pop(T::INT)?;
                self.branch(insn, number)
            }
            IF_ICMPEQ..=IF_ICMPLE => {
                self.pop(T::INT)?;
                self.pop(T::INT)?;
                self.branch(insn, number)
            }
            IF_ACMPEQ | IF_ACMPNE => {
                self.pop_object()?;
                self.pop_object()?;
                self.branch(insn, number)
            }
            IFNULL | IFNONNULL => {
                self.pop_object()?;
                self.branch(insn, number)
            }
            GOTO => self.branch(insn, number),
            JSR => self.call(insn, number),
            RET => self.come_back(insn, number),
            IRETURN..=RETURN => self.leave(insn.op),
            GETSTATIC..=PUTFIELD => self.field(insn),
            INVOKEVIRTUAL..=INVOKEDYNAMIC => self.invoke(insn, number),
            NEW..=ANEWARRAY | MULTIANEWARRAY => self.allocate(insn),
            ARRAYLENGTH => {
                let array = self.pop_reference()?;
                if !self.types.trusted && !self.types.all(array, |name| name.starts_with('[')) {
                    return Err(self.bad(array, "an array"));
                }
                self.push(T::INT)
            }
            ATHROW => {
                let throwable = self.types.class("java/lang/Throwable");
                self.pop_class(throwable).map(|_| ())
            }
            CHECKCAST | INSTANCEOF => self.cast(insn),
            MONITORENTER | MONITOREXIT => self.pop_object().map(|_| ()),
            _ => Err(self.verify(format!("{:#x} is no opcode", insn.op))),
        }
    }

    fn shuffle(&mut self, op: u8) -> Result<()> {
        match op {
            POP => self.pop_single().map(|_| ()),
            POP2 => self.pop_pair().map(|_| ()),
            DUP => {
                let a = self.pop_single()?;
                self.push_slots(&[a, a])
            }
            DUP_X1 => {
                let (a, b) = (self.pop_single()?, self.pop_single()?);
                self.push_slots(&[a, b, a])
            }
            DUP_X2 => {
                let a = self.pop_single()?;
                let [c, b] = self.pop_pair()?;
                self.push_slots(&[a, c, b, a])
            }
            DUP2 => {
                let [b, a] = self.pop_pair()?;
                self.push_slots(&[b, a, b, a])
            }
            DUP2_X1 => {
                let [b, a] = self.pop_pair()?;
                let c = self.pop_single()?;
                self.push_slots(&[b, a, c, b, a])
            }
            DUP2_X2 => {
                let [b, a] = self.pop_pair()?;
                let [d, c] = self.pop_pair()?;
                self.push_slots(&[b, a, d, c, b, a])
            }
            _ => {
                let (a, b) = (self.pop_single()?, self.pop_single()?);
                self.push_slots(&[a, b])
            }
        }
    }

    fn leave(&mut self, op: u8) -> Result<()> {
        if self.is_constructor && self.fresh {
            return Err(self.verify("constructor must call super() or this() before return"));
        }
        let wanted = match self.returns {
            None => RETURN,
            Some((_, Kind::Long)) => LRETURN,
            Some((_, Kind::Float)) => FRETURN,
            Some((_, Kind::Double)) => DRETURN,
            Some((_, Kind::Reference)) => ARETURN,
            Some(_) => IRETURN,
        };
        if op != wanted {
            return Err(self.verify("wrong return type in function"));
        }
        match self.returns {
            Some((field, kind)) => {
                let value = self.value_type(field, kind);
                self.pop_value(value)
            }
            None => Ok(()),
        }
    }
}
