//! Class initialisation (JVMS §5.5), as a small method of the machine's own for each class that needs it.
//!
//! ```text
//! begin        wait while another thread is at it; leave if it is done or ours already
//! supers       superclass and, for a class, superinterfaces with default methods come first
//! clinit       the class's own initialiser
//! done         everybody may use the class
//! failed       nobody may; the exception goes on, wrapped if it is no Error
//! ```
//!
//! SOUNDNESS: whether a class is initialised is looked at wherever it is used, in the midst of steps, and is in no footprint. "Yes" stays
//! so. After "no", `begin` asks again, in a step of its own; if another thread was done in between, that step touches nothing and
//! leads to where "yes" would have led. So the two orders of a step and of `done` come to the same state, the one a harmless step later
//! than the other.

use crate::assemble::Assembler;
use crate::frames::RETRY;
use crate::layout::{class, class_record, init, status, thread};
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use crate::special;
use program::classfile::Constant;
use program::descriptor::Kind;
use program::ir::{Call, Instr, RegisterKind};
use program::world::{ClassId, ClassKind, LoaderId, MethodId, field_info};

/// What `begin` found.
pub(crate) enum Begin {
    /// Nothing is left to do.
    Done,
    /// It is this thread's turn.
    Go,
    /// Another thread is at it.
    Wait,
}

impl Machine<'_> {
    /// Whether the running thread may use a class now.
    #[inline(always)]
    pub(crate) fn is_initialized(&self, of: ClassId) -> bool {
        let record = class_record(of);
        let state = self.memory.load(record + class::STATE);
        state == init::DONE || state == init::RUNNING && self.memory.load(record + class::OWNER) == self.current() + 1
    }

    /// Asks for initialisation if the class needs it.
    #[inline]
    pub fn require_initialized(&mut self, of: ClassId) -> Result<(), Trap> {
        if self.is_initialized(of) {
            Ok(())
        } else {
            self.initialize_now(of)
        }
    }

    /// Initialises on the spot where that runs no code, else asks for it.
    #[cold]
    #[inline(never)]
    fn initialize_now(&mut self, of: ClassId) -> Result<(), Trap> {
        let described = self.program.class(of);
        let record = class_record(of);
        if described.kind != ClassKind::Instance {
            self.memory.store(record + class::STATE, init::DONE);
            return Ok(());
        }
        let quiet = described.initializer.is_none()
            && described
                .super_class
                .is_none_or(|above| self.memory.load(class_record(above) + class::STATE) == init::DONE)
            && described.all_interfaces.iter().all(|&interface| {
                interface == of
                    || self.program.class(interface).initializer.is_none()
                    || self.memory.load(class_record(interface) + class::STATE) == init::DONE
            });
        if quiet && self.memory.load(record + class::STATE) <= init::LINKED {
            self.prepare(of)?;
            self.memory.store(record + class::STATE, init::DONE);
            return Ok(());
        }
        Err(Trap::Initialize(of))
    }

    /// Links a class: verifies the user's, makes the object that holds its static fields, and sets the constant ones.
    pub(crate) fn prepare(&mut self, of: ClassId) -> Result<(), Trap> {
        let record = class_record(of);
        if self.memory.load(record + class::STATE) != init::NONE {
            return Ok(());
        }
        let described = self.program.class(of);
        if described.loader >= LoaderId::APP && described.module.is_empty() {
            for &method in &described.methods {
                let method = self.program.method(method);
                if !method.is_abstract() && !method.is_native() {
                    self.code(method)?;
                }
            }
        }
        self.check_assumed(described)?;
        self.constrain_overrides(described)?;
        if described.statics.is_some() {
            let statics = self.statics(of)?;
            let Some(file) = &described.file else {
                self.memory.store(record + class::STATE, init::LINKED);
                return Ok(());
            };
            for field in described.fields.iter().filter(|field| field.is_static()) {
                let Some(value) = field_info(described, field).and_then(|info| info.constant_value) else {
                    continue;
                };
                let at = statics + field.offset;
                match *file.pool.get(value) {
                    Constant::Integer(value) => {
                        let value = match field.kind {
                            Kind::Boolean => value as u32 & 1,
                            Kind::Byte => u32::from(value as u8),
                            Kind::Char | Kind::Short => u32::from(value as u16),
                            _ => value as u32,
                        };
                        self.memory.store(at, value);
                    }
                    Constant::Float(bits) => self.memory.store(at, bits),
                    Constant::Long(value) => self.memory.store_wide(at, value as u64),
                    Constant::Double(bits) => self.memory.store_wide(at, bits),
                    Constant::String(text) => {
                        let string = self.intern_constant(&file.pool, text)?;
                        self.memory.store(at, string);
                    }
                    _ => {}
                }
            }
        }
        self.memory.store(record + class::STATE, init::LINKED);
        Ok(())
    }

    /// The interned string of a Utf8 constant.
    pub(crate) fn intern_constant(&mut self, pool: &program::classfile::Pool, utf8: u16) -> Result<Address, Trap> {
        let units: Vec<u16> = pool.units(utf8).collect();
        self.intern_units(&units)
    }

    /// Puts the initialising method on the stack; what asked for it is tried again afterwards.
    pub(crate) fn push_initializer(&mut self, of: ClassId) -> Result<(), Trap> {
        let method = self.initializer_method()?;
        self.push_call(method, &[of.0], u32::from(Call::NO_RESULT) | RETRY)
    }

    pub(crate) fn initializer_method(&mut self) -> Result<MethodId, Trap> {
        let key = (u32::MAX, 1);
        if let Some(known) = self.shared.adaptors.get(key) {
            return Ok(known);
        }
        let mut assembler = Assembler::new(&[RegisterKind::Word]);
        let go = assembler.register(RegisterKind::Word);
        let caught = assembler.register(RegisterKind::Ref);
        let none = u16::MAX;
        assembler.special(special::INIT_BEGIN, go, 0, none);
        assembler.push(Instr::IfEqImm {
            a: go,
            imm: 0,
            target: 5,
        });
        assembler.special(special::INIT_SUPERS, none, 0, none);
        assembler.special(special::INIT_CLINIT, none, 0, none);
        assembler.special(special::INIT_DONE, none, 0, none);
        assembler.push(Instr::ReturnVoid);
        assembler.special(special::INIT_FAILED, none, 0, caught);
        assembler.handler(2, 4, 6, caught, None);
        let method = assembler.finish(self.program, self.known.object, "initialize", "(I)V")?;
        Ok(self.shared.adaptors.enter(key, method))
    }

    pub(crate) fn init_begin(&mut self, of: ClassId) -> Result<Begin, Trap> {
        let record = class_record(of);
        self.prepare(of)?;
        match self.memory.load(record + class::STATE) {
            init::DONE => Ok(Begin::Done),
            init::FAILED => {
                let message = format!("Could not initialize class {}", self.program.class(of).external_name());
                let cause = self.memory.load(record + class::CAUSE);
                Err(Trap::RaiseCause("java/lang/NoClassDefFoundError", Some(message), cause))
            }
            init::RUNNING if self.memory.load(record + class::OWNER) == self.current() + 1 => Ok(Begin::Done),
            init::RUNNING => {
                self.set_thread_word(self.current(), thread::STATUS, status::INITIALIZING);
                self.set_thread_word(self.current(), thread::BLOCKER, of.0);
                Ok(Begin::Wait)
            }
            _ => {
                self.memory.store(record + class::STATE, init::RUNNING);
                self.memory.store(record + class::OWNER, self.current() + 1);
                Ok(Begin::Go)
            }
        }
    }

    /// Asks for the next class above that needs to be initialised first.
    pub(crate) fn init_supers(&mut self, of: ClassId) -> Result<(), Trap> {
        let described = self.program.class(of);
        if described.is_interface() {
            return Ok(());
        }
        if let Some(above) = described.super_class {
            self.require_initialized(above)?;
        }
        self.init_interfaces(&described.interfaces, &mut Vec::new())
    }

    /// Superinterfaces that declare a non-abstract, non-static method, their own superinterfaces first.
    fn init_interfaces(&mut self, interfaces: &[ClassId], seen: &mut Vec<ClassId>) -> Result<(), Trap> {
        for &interface in interfaces {
            if seen.contains(&interface) {
                continue;
            }
            seen.push(interface);
            let described = self.program.class(interface);
            self.init_interfaces(&described.interfaces, seen)?;
            let declares = described.methods.iter().any(|&method| {
                let method = self.program.method(method);
                !method.is_abstract() && !method.is_static()
            });
            if declares {
                self.require_initialized(interface)?;
            }
        }
        Ok(())
    }

    pub(crate) fn init_done(&mut self, of: ClassId, state: u32) {
        let record = class_record(of);
        self.memory.store(record + class::STATE, state);
        self.memory.store(record + class::OWNER, 0);
    }

    /// What runs when an initialiser ends with this exception: it makes the error that later uses of the class name as
    /// their cause, and throws the exception on, wrapped if it is no `Error`.
    pub(crate) fn init_failed(&mut self, of: ClassId, exception: Address) -> Result<Trap, Trap> {
        let class = self.program.class(self.class_of(exception)).external_name();
        let text = self.get(exception, "java/lang/Throwable", "detailMessage");
        let text = self
            .text_or_null(text)
            .map(|text| format!(": {text}"))
            .unwrap_or_default();
        let thread = self.thread_word(self.current(), thread::OBJECT);
        self.read_name(thread)?;
        let name = self.get(thread, "java/lang/Thread", "name");
        let name = self.text_or_null(name).unwrap_or_default();
        let message = self.new_string(&format!("Exception {class}{text} [in thread \"{name}\"]"))?;
        Ok(Trap::Before(self.failed_method()?, vec![of.0, exception, message]))
    }

    fn failed_method(&mut self) -> Result<MethodId, Trap> {
        let key = (u32::MAX, 2);
        if let Some(known) = self.shared.adaptors.get(key) {
            return Ok(known);
        }
        let class = |name: &str| self.program.load(LoaderId::BOOT, name).map_err(crate::link::load_trap);
        let wrapper = self.known.initializer_error;
        let error = self.program.method(wrapper).class;
        let plain = self.program.find_method(error, "<init>", "(Ljava/lang/String;)V");
        let plain = plain.ok_or_else(|| Trap::Unsupported("ExceptionInInitializerError(String)".to_owned()))?;
        let mut assembler = Assembler::new(&[RegisterKind::Word, RegisterKind::Ref, RegisterKind::Ref]);
        let made = assembler.register(RegisterKind::Ref);
        let is_error = assembler.register(RegisterKind::Word);
        assembler.new_object(made, error);
        assembler.call_direct(plain, &[made, 2], None);
        assembler.special(special::COPY_TRACE, u16::MAX, 1, made);
        assembler.special(special::INIT_CAUSE, u16::MAX, 0, made);
        let site = assembler.class_site(class("java/lang/Error")?, 0);
        assembler.push(Instr::InstanceOf {
            d: is_error,
            o: 1,
            site,
        });
        let throw = assembler.here() + 4;
        assembler.push(Instr::IfNeImm {
            a: is_error,
            imm: 0,
            target: throw,
        });
        assembler.new_object(made, error);
        assembler.call_direct(wrapper, &[made, 1], None);
        assembler.push(Instr::Throw { s: made });
        assembler.push(Instr::Throw { s: 1 });
        let method = assembler.finish(
            self.program,
            error,
            "throw",
            "(ILjava/lang/Throwable;Ljava/lang/String;)V",
        )?;
        Ok(self.shared.adaptors.enter(key, method))
    }

    /// Gives an error the stack trace of another exception.
    pub(crate) fn copy_trace(&mut self, exception: Address, error: Address) {
        let known = &self.known;
        for offset in [known.throwable_backtrace, known.throwable_depth, known.throwable_trace] {
            let value = self.memory.load(exception + offset);
            self.memory.store(error + offset, value);
        }
    }

    /// Keeps why a class failed.
    pub(crate) fn init_cause(&mut self, of: ClassId, cause: Address) {
        self.store_root(class_record(of) + class::CAUSE, cause);
        self.init_done(of, init::FAILED);
    }
}
