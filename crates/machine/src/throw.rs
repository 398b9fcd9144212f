//! Exceptions that the machine itself raises: made by Java code, like any other.

use crate::assemble::Assembler;
use crate::frames::RETRY;
use crate::interpret::Exit;
use crate::layout::{frame, status, thread};
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use kernel::{Obstacle, Unsupported};
use program::ir::{Call, Instr, RegisterKind};
use program::world::{ClassId, LoaderId, MethodId};

impl Machine<'_> {
    /// Carries out what a trap asks for. `Err` ends the run.
    #[cold]
    #[inline(never)]
    pub(crate) fn handle(&mut self, trap: Trap) -> Result<(), Exit> {
        let mut trap = trap;
        // A trap may lead to another one: an exception class that must be loaded, a stack that is full.
        for _ in 0..64 {
            let result = match trap {
                Trap::Throw(exception) => self.unwind(exception),
                Trap::Raise(class, message) => self.raise(class, message, 0),
                Trap::RaiseCause(class, message, cause) => self.raise(class, message, cause),
                Trap::Initialize(class) => self.push_initializer(class),
                Trap::Before(method, arguments) => {
                    self.push_call(method, &arguments, u32::from(Call::NO_RESULT) | RETRY)
                }
                Trap::Collect => return Err(Exit::Collect),
                Trap::Unsupported(what) => return Err(Exit::Unsupported(self.unsupported(what))),
                Trap::Missing(what) => return Err(Exit::Unsupported(what)),
            };
            match result {
                Ok(()) => return Ok(()),
                Err(next) => trap = next,
            }
        }
        Err(Exit::Unsupported(
            self.unsupported("an endless chain of errors".to_owned()),
        ))
    }

    /// Names the place in the user's code, or the nearest one that has a line.
    pub(crate) fn unsupported(&self, what: String) -> Unsupported {
        // A limit is named by the option that raises it.
        let obstacle = match what.contains("--") {
            true => Obstacle::Limit,
            false => Obstacle::Feature,
        };
        let mut nearest = String::new();
        let mut at = self.fp();
        while at != 0 {
            let (id, pc, caller) = self.frame_at(at);
            let method = self.program.method(id);
            if let Some(place) = self.place(id, pc) {
                if self.program.class(method.class).loader.0 >= LoaderId::APP.0 {
                    return Unsupported { what, place, obstacle };
                }
                if nearest.is_empty() {
                    nearest = place;
                }
            }
            at = caller;
        }
        Unsupported {
            what,
            place: nearest,
            obstacle,
        }
    }

    /// `Foo.java:12` for an instruction of a method that has debug information.
    pub fn place(&self, id: MethodId, pc: u32) -> Option<String> {
        let method = self.program.method(id);
        let (file, _) = method.info()?;
        let source = file.pool.text(file.source_file?);
        match method.line(self.bci(id, pc)) {
            Some(line) => Some(format!("{source}:{line}")),
            None => Some(source.to_owned()),
        }
    }

    /// The bytecode index of an instruction.
    pub fn bci(&self, id: MethodId, pc: u32) -> u16 {
        let method = self.program.method(id);
        self.program
            .code(method)
            .ok()
            .and_then(|code| code.bcis.get(pc as usize).copied())
            .unwrap_or(0)
    }

    fn raise(&mut self, class: &'static str, message: Option<String>, cause: Address) -> Result<(), Trap> {
        let class = match self.program.load(LoaderId::BOOT, class) {
            Ok(class) => class,
            Err(error) => return Err(Trap::Unsupported(error.to_string())),
        };
        let message = match message {
            Some(text) => self.new_string(&text)?,
            None => 0,
        };
        let thrower = self.thrower(class)?;
        self.push_call(thrower, &[message, cause], u32::from(Call::NO_RESULT))
    }

    /// The method that makes and throws an exception of this class: `throw new X(message)`, then `initCause`.
    fn thrower(&mut self, class: ClassId) -> Result<MethodId, Trap> {
        let key = (u32::MAX - 4, class.0);
        if let Some(known) = self.shared.adaptors.get(key) {
            return Ok(known);
        }
        let mut assembler = Assembler::new(&[RegisterKind::Ref, RegisterKind::Ref]);
        let exception = assembler.register(RegisterKind::Ref);
        let with_message = self
            .program
            .find_method(class, "<init>", "(Ljava/lang/String;)V")
            .filter(|&found| self.program.method(found).class == class);
        let with_object = self
            .program
            .find_method(class, "<init>", "(Ljava/lang/Object;)V")
            .filter(|&found| self.program.method(found).class == class);
        let plain = self
            .program
            .find_method(class, "<init>", "()V")
            .filter(|&found| self.program.method(found).class == class);
        assembler.new_object(exception, class);
        if let Some(constructor) = with_message.or(with_object) {
            assembler.call_direct(constructor, &[exception, 0], None);
        } else if let Some(constructor) = plain {
            assembler.call_direct(constructor, &[exception], None);
        }
        let skip = assembler.here() + 2;
        assembler.push(Instr::IfEqImm {
            a: 1,
            imm: 0,
            target: skip,
        });
        match self
            .program
            .find_method(class, "initCause", "(Ljava/lang/Throwable;)Ljava/lang/Throwable;")
        {
            Some(init_cause) => assembler.call_direct(init_cause, &[exception, 1], None),
            None => assembler.push(Instr::Throw { s: exception }),
        }
        assembler.push(Instr::Throw { s: exception });
        let name = "throw";
        let method = assembler.finish(self.program, class, name, "(Ljava/lang/String;Ljava/lang/Throwable;)V")?;
        Ok(self.shared.adaptors.enter(key, method))
    }

    /// The error for a cast that fails, in the JVM's words.
    #[cold]
    pub(crate) fn cast_error(&mut self, from: ClassId, to: ClassId) -> Trap {
        let (one, two) = (self.program.class(from), self.program.class(to));
        let (place, other) = (self.provenance(from), self.provenance(to));
        let (from, to) = (one.external_name(), two.external_name());
        let tail = if place == other {
            format!("{from} and {to} are in {place}")
        } else {
            format!("{from} is in {place}; {to} is in {other}")
        };
        Trap::Raise(
            "java/lang/ClassCastException",
            Some(format!("class {from} cannot be cast to class {to} ({tail})")),
        )
    }

    /// `module java.base of loader 'bootstrap'`, as the JVM's messages say where a class is from.
    fn provenance(&mut self, class: ClassId) -> String {
        let mut described = self.program.class(class);
        while let Some(element) = described.element() {
            described = self.program.class(element);
        }
        let module = match &*described.module {
            "" if described.is_primitive() => "module java.base".to_owned(),
            "" => "unnamed module".to_owned(),
            module => format!("module {module}"),
        };
        let loader = match described.loader {
            LoaderId::BOOT => "'bootstrap'".to_owned(),
            LoaderId::PLATFORM => "'platform'".to_owned(),
            LoaderId::APP => "'app'".to_owned(),
            LoaderId(number) => {
                let object = self.memory.load(crate::layout::LOADERS + number);
                let text = if object == 0 {
                    0
                } else {
                    self.get(object, "java/lang/ClassLoader", "nameAndId")
                };
                self.text_or_null(text).unwrap_or_default()
            }
        };
        format!("{module} of loader {loader}")
    }

    /// The frames of a thread from the top, as method and bytecode index; those left out of stack traces excluded,
    /// and with them the construction of the exception itself.
    pub fn backtrace(&self, thread: u32, exception_class: Option<ClassId>) -> Vec<(MethodId, u16)> {
        let mut frames = Vec::new();
        let mut at = self.top_frame(thread);
        let mut constructing = exception_class;
        while at != 0 && frames.len() < 1024 {
            let (id, pc, caller) = self.frame_at(at);
            at = caller;
            let method = self.program.method(id);
            if let Some(exception) = constructing {
                let name = &**self.program.text(method.name);
                if name == "fillInStackTrace" {
                    continue;
                }
                if name == "<init>" && self.program.is_subclass(exception, method.class) {
                    continue;
                }
                constructing = None;
            }
            if method.hidden {
                continue;
            }
            // A thread that wants a monitor is shown behind the instruction, as the JVM does.
            let blocked = frames.is_empty()
                && self.thread_word(thread, thread::STATUS) == status::BLOCKED
                && self
                    .program
                    .code(method)
                    .is_ok_and(|code| matches!(code.instrs.get(pc as usize), Some(Instr::MonitorEnter { .. })));
            frames.push((id, self.bci(id, pc + u32::from(blocked))));
        }
        frames
    }

    /// Whether the code that the machine is raising an exception for is left out of stack traces.
    pub fn fails_out_of_sight(&self, exception_class: ClassId) -> bool {
        let mut at = self.fp();
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            let method = self.program.method(id);
            let constructs = self.program.is_subclass(exception_class, method.class);
            // The exception's own methods, and the one of the machine that throws it.
            if !constructs {
                return method.hidden;
            }
            at = caller;
        }
        false
    }

    /// The word offset of the registers of a frame.
    pub fn registers_of(&self, at: Address) -> Address {
        at + frame::REGISTERS
    }
}
