//! What instructions with constants do to the types in a frame: fields, calls, allocation, casts and `ldc`.

use super::error::{LowerError, LowerErrorKind, Result};
use super::infer::Infer;
use super::opcode::*;
use super::scan::Insn;
use super::signature::walk;
use super::types::Type;
use crate::classfile::{Constant, Index};
use crate::descriptor::{self, Kind};

impl<'a> Infer<'a> {
    #[cold]
    fn bad_constant(&self, index: u32) -> Box<LowerError> {
        self.verify(format!("illegal type at constant pool entry {index}"))
    }

    /// `ldc` and its wider forms: which constants are allowed grew with the versions (JVMS table 4.4-C).
    pub fn constant(&mut self, insn: &Insn) -> Result<()> {
        let wide = insn.op == LDC2_W;
        let major = self.file.major;
        let value = match *self.file.pool.get(insn.a as Index) {
            Constant::Integer(_) => Type::INT,
            Constant::Float(_) => Type::FLOAT,
            Constant::Long(_) => Type::LONG,
            Constant::Double(_) => Type::DOUBLE,
            Constant::String(_) => self.types.class("java/lang/String"),
            Constant::Class(_) if major >= 49 => self.types.class("java/lang/Class"),
            Constant::MethodHandle(..) if major >= 51 => self.types.class("java/lang/invoke/MethodHandle"),
            Constant::MethodType(_) if major >= 51 => self.types.class("java/lang/invoke/MethodType"),
            Constant::Dynamic(_, member) if major >= 55 => {
                let (_, field) = self.file.pool.name_and_type(member);
                match Kind::of(field) {
                    Some(kind) => self.value_type(field, kind),
                    None => return Err(self.bad_constant(insn.a)),
                }
            }
            _ => return Err(self.bad_constant(insn.a)),
        };
        if value.is_wide() != wide {
            return Err(self.bad_constant(insn.a));
        }
        self.push(value)
    }

    pub fn field(&mut self, insn: &Insn) -> Result<()> {
        let index = insn.a as Index;
        let pool = &self.file.pool;
        if !matches!(pool.get(index), Constant::Field(..)) {
            return Err(self.bad_constant(insn.a));
        }
        let (class, name, field) = pool.member(index);
        let Some(kind) = Kind::of(field) else {
            return Err(self.bad_constant(insn.a));
        };
        let value = self.value_type(field, kind);
        if matches!(insn.op, PUTSTATIC | PUTFIELD) {
            self.pop_value(value)?;
        }
        if matches!(insn.op, GETFIELD | PUTFIELD) {
            // A constructor may set its own class's fields before it calls another constructor.
            let early = insn.op == PUTFIELD
                && self.stack.last() == Some(&Type::FRESH_THIS)
                && class == self.this
                && self.declares(name, field);
            if early {
                self.stack.pop();
            } else {
                let owner = self.types.class(class);
                let receiver = self.pop_class(owner)?;
                self.protected(index, receiver)?;
            }
        }
        if matches!(insn.op, GETSTATIC | GETFIELD) {
            self.push(value)?;
        }
        Ok(())
    }

    fn declares(&self, name: &str, field: &str) -> bool {
        let pool = &self.file.pool;
        self.file
            .fields
            .iter()
            .any(|own| pool.text(own.name) == name && pool.text(own.descriptor) == field)
    }

    /// Protected members of another package may be used only on objects of this class.
    fn protected(&mut self, index: Index, receiver: Type) -> Result<()> {
        if self.types.trusted {
            return Ok(());
        }
        let (class, name, descriptor) = self.file.pool.member(index);
        // Members of this class itself and of arrays are never in question.
        if class == self.this || class.starts_with('[') {
            return Ok(());
        }
        let restricted = self
            .rules
            .protected_elsewhere(class, name, descriptor)
            .map_err(|what| LowerError::new(LowerErrorKind::Class, self.bci, what))?;
        if !restricted || name == "clone" && self.types.all(receiver, |name| name.starts_with('[')) {
            return Ok(());
        }
        let this = self.types.class(self.this);
        if self.assignable(receiver, this)? {
            return Ok(());
        }
        let receiver = self.types.describe(receiver);
        Err(self.verify(format!("bad access to protected data: {class}.{name} of {receiver}")))
    }

    pub fn invoke(&mut self, insn: &Insn, number: u32) -> Result<()> {
        let index = insn.a as Index;
        let pool = &self.file.pool;
        let allowed = match pool.get(index) {
            Constant::Method(..) => matches!(insn.op, INVOKEVIRTUAL | INVOKESPECIAL | INVOKESTATIC),
            Constant::InterfaceMethod(..) => match insn.op {
                INVOKEINTERFACE => true,
                INVOKESPECIAL | INVOKESTATIC => self.file.major >= 52,
                _ => false,
            },
            Constant::InvokeDynamic(..) => insn.op == INVOKEDYNAMIC,
            _ => false,
        };
        if !allowed {
            return Err(self.bad_constant(insn.a));
        }
        let (class, name, descriptor) = match *pool.get(index) {
            Constant::InvokeDynamic(_, member) => {
                let (name, descriptor) = pool.name_and_type(member);
                ("", name, descriptor)
            }
            _ => pool.member(index),
        };
        let is_constructor = name == "<init>";
        if name.starts_with('<') && !(is_constructor && insn.op == INVOKESPECIAL) {
            return Err(self.verify(format!("illegal call to internal method {name}")));
        }
        let result = self.arguments(insn, descriptor)?;
        match insn.op {
            INVOKESTATIC | INVOKEDYNAMIC => {}
            INVOKESPECIAL if is_constructor => {
                if !descriptor.ends_with(")V") {
                    return Err(self.verify("a constructor must return void"));
                }
                self.construct(class, index, number)?;
            }
            INVOKESPECIAL => {
                self.special_target(class, index)?;
                let this = self.types.class(self.this);
                self.pop_class(this)?;
            }
            _ => {
                let owner = self.types.class(class);
                let receiver = self.pop_class(owner)?;
                if insn.op == INVOKEVIRTUAL {
                    self.protected(index, receiver)?;
                }
            }
        }
        match result {
            None => Ok(()),
            Some(kind) => {
                // Only a reference needs a second look at the descriptor.
                let field = if kind == Kind::Reference && !self.types.trusted {
                    descriptor::return_type(descriptor).map_or("", |(field, _)| field)
                } else {
                    ""
                };
                let value = self.value_type(field, kind);
                self.push(value)
            }
        }
    }

    /// Takes the arguments from the stack; gives the kind of the result.
    fn arguments(&mut self, insn: &Insn, descriptor: &'a str) -> Result<Option<Kind>> {
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear();
        let result = walk(descriptor, |kind, field| {
            let one = self.value_type(field, kind);
            wanted.push(one);
            if one.is_wide() {
                wanted.push(one.second());
            }
        });
        let words = wanted.len();
        if words + usize::from(!matches!(insn.op, INVOKESTATIC | INVOKEDYNAMIC)) > 255 {
            return Err(self.verify("too many arguments"));
        }
        if insn.op == INVOKEINTERFACE && usize::from(insn.b as u16) != words + 1 {
            return Err(self.verify("inconsistent args count operand in invokeinterface"));
        }
        let Some(base) = self.stack.len().checked_sub(words) else {
            return Err(self.verify("operand stack underflow"));
        };
        for (slot, &wanted) in wanted.iter().enumerate() {
            let found = self.stack.get(base + slot).copied().unwrap_or(Type::TOP);
            if found != wanted && !(wanted.is_reference() && self.assignable(found, wanted)?) {
                let (found, wanted) = (self.types.describe(found), self.types.describe(wanted));
                return Err(self.verify(format!(
                    "bad type on operand stack: {wanted} is wanted and {found} found"
                )));
            }
        }
        self.stack.truncate(base);
        self.wanted = wanted;
        Ok(result)
    }

    /// A constructor call makes an object initialised wherever it is held.
    fn construct(&mut self, class: &'a str, index: Index, number: u32) -> Result<()> {
        let Some(object) = self.stack.pop() else {
            return Err(self.verify("operand stack underflow"));
        };
        let made = if object == Type::FRESH_THIS {
            let parent = self.file.pool.class_name(self.file.super_class);
            if class != self.this && class != parent {
                return Err(self.verify(format!(
                    "bad <init> method call: {class} is neither this class nor its superclass"
                )));
            }
            self.throw_broken(number)?;
            self.fresh = false;
            self.types.class(self.this)
        } else if let Some(bci) = object.as_fresh() {
            let created = self.scan.insns.binary_search_by_key(&bci, |insn| insn.bci).ok();
            let created = created
                .and_then(|at| self.scan.insns.get(at))
                .map_or(0, |insn| insn.a as Index);
            if self.file.pool.class_name(created) != class && !self.rules.trusted() {
                return Err(self.verify(format!("call to wrong <init> method: {class}")));
            }
            let made = self.types.class(class);
            self.protected(index, made)?;
            made
        } else {
            let found = self.types.describe(object);
            return Err(self.verify(format!("bad operand type when invoking <init>: {found}")));
        };
        for slot in self.locals.iter_mut().chain(&mut self.stack) {
            if *slot == object {
                *slot = made;
            }
        }
        self.changed = true;
        Ok(())
    }

    /// `invokespecial` other than of constructors names this class, a superclass or a direct superinterface.
    fn special_target(&mut self, class: &'a str, index: Index) -> Result<()> {
        if self.types.trusted || class == self.this {
            return Ok(());
        }
        if matches!(self.file.pool.get(index), Constant::InterfaceMethod(..)) {
            if self
                .file
                .interfaces
                .iter()
                .any(|&direct| self.file.pool.class_name(direct) == class)
            {
                return Ok(());
            }
            return Err(self.verify("bad invokespecial: interface method reference is not to a direct superinterface"));
        }
        let (this, target) = (self.types.class(self.this), self.types.class(class));
        if self.assignable(this, target)? {
            return Ok(());
        }
        Err(self.verify("bad invokespecial: current class isn't assignable to reference class"))
    }

    pub fn allocate(&mut self, insn: &Insn) -> Result<()> {
        let index = insn.a as Index;
        let class = self.file.pool.class_name(index);
        if insn.op != NEWARRAY && !matches!(self.file.pool.get(index), Constant::Class(_)) {
            return Err(self.bad_constant(insn.a));
        }
        match insn.op {
            NEW => {
                if class.starts_with('[') {
                    return Err(self.verify("illegal creation of array with new"));
                }
                let fresh = Type::fresh(insn.bci);
                if self.stack.contains(&fresh) {
                    return Err(self.verify("uninitialized object of the same new on the operand stack"));
                }
                for local in self.locals.iter_mut().filter(|local| **local == fresh) {
                    *local = Type::TOP;
                    self.changed = true;
                }
                self.push(fresh)
            }
            NEWARRAY => {
                let Some(name) = primitive_array(insn.a) else {
                    return Err(self.verify("illegal newarray instruction"));
                };
                self.pop(Type::INT)?;
                let array = self.types.class(name);
                self.push(array)
            }
            ANEWARRAY => {
                if class.starts_with("[[[[") && class.bytes().take_while(|&byte| byte == b'[').count() >= 255 {
                    return Err(self.verify("illegal anewarray instruction, array has more than 255 dimensions"));
                }
                self.pop(Type::INT)?;
                let array = self.types.array_of(class);
                self.push(array)
            }
            _ => {
                let dimensions = class.bytes().take_while(|&byte| byte == b'[').count();
                let wanted = usize::from(insn.b as u16);
                if wanted == 0 || wanted > dimensions {
                    return Err(self.verify("illegal dimension argument of multianewarray"));
                }
                for _ in 0..wanted {
                    self.pop(Type::INT)?;
                }
                let array = self.types.class(class);
                self.push(array)
            }
        }
    }

    pub fn cast(&mut self, insn: &Insn) -> Result<()> {
        let index = insn.a as Index;
        if !matches!(self.file.pool.get(index), Constant::Class(_)) {
            return Err(self.bad_constant(insn.a));
        }
        self.pop_reference()?;
        if insn.op == INSTANCEOF {
            return self.push(Type::INT);
        }
        let class = self.types.class(self.file.pool.class_name(index));
        self.push(class)
    }
}

/// The array class that `newarray` makes.
fn primitive_array(code: u32) -> Option<&'static str> {
    Some(match code {
        4 => "[Z",
        5 => "[C",
        6 => "[F",
        7 => "[D",
        8 => "[B",
        9 => "[S",
        10 => "[I",
        11 => "[J",
        _ => return None,
    })
}
