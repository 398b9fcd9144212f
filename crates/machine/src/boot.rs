//! Starting up: the JDK's own boot sequence, then the program's `main`.

use crate::assemble::Assembler;
use crate::layout::{self, frame, thread};
use crate::machine::{Machine, StartError, Trap};
use crate::memory::Address;
use crate::schedule::End;
use crate::special;
use program::classfile::flags;
use program::descriptor::{self, Kind};
use program::ir::{Instr, RegisterKind};
use program::world::{ClassId, LoaderId, MethodId};

/// Why the program's `main` could not be started.
#[derive(Debug)]
pub enum LaunchError {
    /// The class could not be loaded: its name and why.
    Class(String, program::world::LoadError),
    /// The class has no `main` that can be run.
    NoMain(String),
    /// The class has no method of this name that can be run.
    NoEntry(String, String),
    /// The machine itself failed.
    Start(StartError),
}

/// How a program begins.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The main class.
    pub class: String,
    /// A method to run instead of `main`, as `test` or `Class.test`.
    pub entry: Option<String>,
    /// Arguments of `main`.
    pub arguments: Vec<String>,
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LaunchError::Class(_, why) => write!(f, "{why}"),
            LaunchError::NoMain(class) => write!(
                f,
                "class {class} has no main method; give one as `public static void main(String[] args)`"
            ),
            LaunchError::NoEntry(class, name) => write!(
                f,
                "class {class} has no method {name} without arguments; --entry names one, as `test` or `Class.test`"
            ),
            LaunchError::Start(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LaunchError {}

impl Machine<'_> {
    /// Whether the JDK still starts: there is no image yet that states are compared with.
    pub fn is_booting(&self) -> bool {
        self.memory.image_end() == 0
    }

    /// Runs the JDK's own start-up on a machine that is empty.
    pub fn boot(&mut self) -> Result<(), StartError> {
        let booted = self.boot_jdk();
        // An error that the JDK has caught may have left something out.
        match self.run.lack() {
            Some(option) => Err(StartError::TooSmall(option)),
            None => booted,
        }
    }

    fn boot_jdk(&mut self) -> Result<(), StartError> {
        self.first_thread()?;
        for name in [
            "java/lang/Module",
            "java/lang/reflect/Method",
            "java/lang/ref/Finalizer",
        ] {
            self.initialize_and_wait(name)?;
        }
        self.call_system("initPhase1", "()V", &[])?;
        // Core reflection may use method handles from here on.
        self.initialize_and_wait("java/lang/invoke/MethodHandleNatives")?;
        let result = self.call_system("initPhase2", "(ZZ)I", &[0, 0])?;
        if result != 0 {
            return Err(StartError::Jdk("its module system does not start".to_owned()));
        }
        self.call_system("initPhase3", "()V", &[])?;
        for (number, name, descriptor) in [
            (LoaderId::PLATFORM, "platformClassLoader", "()Ljava/lang/ClassLoader;"),
            (LoaderId::APP, "appClassLoader", "()Ljava/lang/ClassLoader;"),
        ] {
            let loaders = self.boot_class("jdk/internal/loader/ClassLoaders")?;
            let short = name.replace("Class", "");
            let method = [name, &short]
                .into_iter()
                .find_map(|name| {
                    let class = self.program.class(loaders);
                    let symbol = self.program.names.find(name)?;
                    let position = class.keys.iter().position(|key| key.0 == symbol)?;
                    Some(class.methods[position])
                })
                .ok_or_else(|| StartError::Jdk(format!("ClassLoaders has no {name}{descriptor}")))?;
            let loader = self.call_and_wait(method, &[])?;
            self.enter_loader(loader, number);
        }
        Ok(())
    }

    /// Notes which number a loader object has.
    fn enter_loader(&mut self, loader: Address, number: LoaderId) {
        self.memory.store(layout::LOADERS + number.0, loader);
        self.set(loader, "java/lang/ClassLoader", "$loader", number.0);
    }

    /// The number of a loader object; null is the bootstrap loader. A new loader gets the next free number.
    pub fn loader_number(&mut self, loader: Address) -> Result<LoaderId, Trap> {
        if loader == 0 {
            return Ok(LoaderId::BOOT);
        }
        let known = self.get(loader, "java/lang/ClassLoader", "$loader");
        if known != 0 {
            return Ok(LoaderId(known));
        }
        // The JDK's own loaders are asked for before they are entered.
        match &*self.program.class(self.class_of(loader)).name {
            "jdk/internal/loader/ClassLoaders$BootClassLoader" => return Ok(LoaderId::BOOT),
            "jdk/internal/loader/ClassLoaders$PlatformClassLoader" => return Ok(LoaderId::PLATFORM),
            "jdk/internal/loader/ClassLoaders$AppClassLoader" => return Ok(LoaderId::APP),
            _ => {}
        }
        for number in LoaderId::APP.0 + 1..layout::MAX_LOADERS {
            if self.memory.load(layout::LOADERS + number) == 0 {
                self.enter_loader(loader, LoaderId(number));
                return Ok(LoaderId(number));
            }
        }
        Err(Trap::Unsupported("more than a thousand class loaders".to_owned()))
    }

    fn boot_class(&self, name: &str) -> Result<ClassId, StartError> {
        self.program
            .load(LoaderId::BOOT, name)
            .map_err(|error| StartError::Jdk(error.to_string()))
    }

    /// Initialises a class that the JDK expects the JVM to have initialised.
    fn initialize_and_wait(&mut self, name: &str) -> Result<(), StartError> {
        let class = self.boot_class(name)?;
        let initializer = self
            .initializer_method()
            .map_err(|trap| StartError::Jdk(format!("{trap:?}")))?;
        self.call_and_wait(initializer, &[class.0]).map(|_| ())
    }

    fn boot_method(&self, class: ClassId, name: &str, descriptor: &str) -> Result<MethodId, StartError> {
        self.program.find_method(class, name, descriptor).ok_or_else(|| {
            StartError::Jdk(format!(
                "{} has no {name}{descriptor}",
                self.program.class(class).external_name()
            ))
        })
    }

    fn call_system(&mut self, name: &str, descriptor: &str, arguments: &[u32]) -> Result<u32, StartError> {
        let system = self.boot_class("java/lang/System")?;
        let method = self.boot_method(system, name, descriptor)?;
        self.call_and_wait(method, arguments)
    }

    /// The main thread: its object, its groups, its record.
    fn first_thread(&mut self) -> Result<(), StartError> {
        let trapped = |trap: Trap| match trap {
            Trap::Collect => StartError::TooSmall("--heap"),
            other => StartError::Jdk(format!("the first thread cannot be made: {other:?}")),
        };
        let thread_class = self.known.thread;
        let object = self.new_object(thread_class).map_err(trapped)?;
        self.memory.store_wide(layout::CLOCK, crate::clock::BEGIN);
        // JDK 17 counts the main thread first. Newer ones give it an id below 4 themselves, and ask for those after it.
        let counts_main = self.find_offset("java/lang/Thread", "threadSeqNumber").is_some();
        self.memory.store(layout::COUNTER, if counts_main { 0 } else { 3 });
        // The record must exist before any Java code runs; its root is replaced by each call.
        let stop = self.root_of(self.known.thread_exit).map_err(trapped)?;
        self.attach(object, stop, &[object]).map_err(trapped)?;
        if let Some(offset) = self.find_offset("java/lang/Thread", "priority") {
            self.memory.store(object + offset, 5);
        }
        for name in [
            "java/lang/String",
            "java/lang/System",
            "java/lang/Class",
            "java/lang/ThreadGroup",
        ] {
            self.initialize_and_wait(name)?;
        }
        let group_class = self.boot_class("java/lang/ThreadGroup")?;
        let system_group = self.new_object(group_class).map_err(trapped)?;
        let constructor = self.boot_method(group_class, "<init>", "()V")?;
        self.call_and_wait(constructor, &[system_group])?;
        let main_group = self.new_object(group_class).map_err(trapped)?;
        let constructor = self.boot_method(group_class, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V")?;
        let name = self.intern("main").map_err(trapped)?;
        // In JDK 17 the constructor asks the current thread for its group.
        if let Some(offset) = self.find_offset("java/lang/Thread", "group") {
            self.memory.store(object + offset, system_group);
        }
        self.call_and_wait(constructor, &[main_group, system_group, name])?;
        let constructor = self.boot_method(thread_class, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V")?;
        self.call_and_wait(constructor, &[object, main_group, name])?;
        self.resume_running();
        if let Some(add) = self.program.find_method(group_class, "add", "(Ljava/lang/Thread;)V") {
            self.call_and_wait(add, &[main_group, object])?;
        }
        Ok(())
    }

    /// A root method that calls `method`, then stops the machine with its result or exception.
    fn root_of(&mut self, method: MethodId) -> Result<MethodId, Trap> {
        let key = (u32::MAX - 1, method.0);
        if let Some(known) = self.shared.adaptors.get(key) {
            return Ok(known);
        }
        let called = self.program.method(method);
        let text = self.program.text(called.descriptor).clone();
        let mut kinds = Vec::new();
        if !called.is_static() {
            kinds.push(RegisterKind::Ref);
        }
        kinds.extend(descriptor::parameters(&text).map(|(_, kind)| register_kind(kind)));
        let mut assembler = Assembler::new(&kinds);
        let result = assembler.register(RegisterKind::Wide);
        let kept = match called.returns {
            Some(Kind::Reference) => assembler.register(RegisterKind::Ref),
            _ => result,
        };
        let caught = assembler.register(RegisterKind::Ref);
        let arguments: Vec<u16> = (0..called.argument_words).collect();
        assembler.push(Instr::ConstWide { d: result, value: 0 });
        let dest = called.returns.map(|_| kept);
        if called.is_static() {
            assembler.call_static(method, &arguments, dest);
        } else {
            assembler.call_direct(method, &arguments, dest);
        }
        assembler.special(special::STOP, u16::MAX, kept, u16::MAX);
        assembler.special(special::STOP_FAILED, u16::MAX, caught, u16::MAX);
        assembler.handler(0, 2, 3, caught, None);
        let root = assembler.finish(self.program, called.class, "root", &text)?;
        Ok(self.shared.adaptors.enter(key, root))
    }

    /// Calls a method on the main thread and runs the machine until it returns.
    pub fn call_and_wait(&mut self, method: MethodId, arguments: &[u32]) -> Result<u32, StartError> {
        let root = self
            .root_of(method)
            .map_err(|trap| StartError::Jdk(format!("{trap:?}")))?;
        let fp = self.push_root(0, root, arguments);
        self.set_thread_word(0, thread::FRAME, fp);
        self.set_current(0, fp);
        match self.run() {
            End::Done(word) => Ok(word),
            End::Failed(exception) => {
                let what = self.describe_exception(exception);
                Err(StartError::Jdk(format!(
                    "{} failed with {what}",
                    self.program.describe(method)
                )))
            }
            End::Unsupported(what) => Err(StartError::Unsupported(what)),
            End::OutOfTurns => Err(StartError::Jdk("it takes too long to start".to_owned())),
            End::Exit(status) => Err(StartError::Jdk(format!("it exits with status {status} while starting"))),
            End::Stuck(threads) => Err(StartError::Jdk(format!("it does not start: {}", threads.join("; ")))),
        }
    }

    /// Class, message and innermost frames of an exception.
    pub fn describe_exception(&mut self, exception: Address) -> String {
        let mut text = self.program.class(self.class_of(exception)).external_name();
        let message = self.get(exception, "java/lang/Throwable", "detailMessage");
        if let Some(message) = self.text_or_null(message) {
            text = format!("{text}: {message}");
        }
        let trace = self.memory.load(exception + self.known.throwable_backtrace);
        if trace != 0 && self.class_of(trace) == self.known.int_array {
            for position in (0..self.array_length(trace).min(60)).step_by(2) {
                let method = MethodId(self.element(trace, position));
                let bci = self.element(trace, position + 1);
                let line = self.program.method(method).line(bci as u16).unwrap_or(0);
                text = format!("{text}\n    at {}:{line}", self.program.describe(method));
            }
        }
        let cause = self.get(exception, "java/lang/Throwable", "cause");
        if cause != 0 && cause != exception {
            text = format!("{text}\n  caused by {}", self.describe_exception(cause));
        }
        text
    }

    /// Puts the program's `main` on the main thread's stack; [`Machine::run`] runs it.
    pub fn launch(&mut self, class: &str, arguments: &[String]) -> Result<(), LaunchError> {
        self.launch_start(&Start {
            class: class.to_owned(),
            entry: None,
            arguments: arguments.to_vec(),
        })
    }

    /// The same for any way to begin.
    pub fn launch_start(&mut self, start: &Start) -> Result<(), LaunchError> {
        let (name, entry) = match start.entry.as_deref() {
            None => (start.class.clone(), None),
            Some(entry) => match entry.rsplit_once(['.', '#']) {
                Some((class, method)) => (class.to_owned(), Some(method)),
                None => (start.class.clone(), Some(entry)),
            },
        };
        let class = self
            .program
            .load_named(LoaderId::APP, &name)
            .map_err(|error| LaunchError::Class(name.replace('.', "/"), error))?;
        let external = || self.program.class(class).external_name();
        let main = match entry {
            None => self.find_main(class).ok_or_else(|| LaunchError::NoMain(external()))?,
            Some(entry) => self
                .find_entry_method(class, entry)
                .ok_or_else(|| LaunchError::NoEntry(external(), entry.to_owned()))?,
        };
        self.launch_main(main, &start.arguments).map_err(|trap| {
            LaunchError::Start(match trap {
                Trap::Unsupported(what) => StartError::Unsupported(self.unsupported(what)),
                Trap::Collect => StartError::TooSmall("--heap"),
                other => StartError::Jdk(format!("{other:?}")),
            })
        })
    }

    /// The `main` that the JDK's launcher would choose.
    fn find_main(&self, class: ClassId) -> Option<MethodId> {
        let modern = self.shared.files.feature() >= 25;
        for descriptor in ["([Ljava/lang/String;)V", "()V"] {
            let Some(found) = self.program.find_method(class, "main", descriptor) else {
                continue;
            };
            let method = self.program.method(found);
            let classic = flags::PUBLIC | flags::STATIC;
            if method.flags & classic == classic && descriptor.len() > 3 {
                return Some(found);
            }
            if modern && method.flags & flags::PRIVATE == 0 {
                return Some(found);
            }
        }
        None
    }

    /// A method of this name, of the class or inherited, that can be called without arguments or with those of a `main`.
    fn find_entry_method(&self, class: ClassId, name: &str) -> Option<MethodId> {
        self.program.class(class).supers.iter().rev().find_map(|&at| {
            let mut methods = self.program.class(at).methods.iter().copied();
            methods.find(|&id| {
                let method = self.program.method(id);
                let descriptor = self.program.text(method.descriptor);
                &**self.program.text(method.name) == name
                    && !method.is_abstract()
                    && (descriptor.starts_with("()") || descriptor.starts_with("([Ljava/lang/String;)"))
            })
        })
    }

    fn launch_main(&mut self, main: MethodId, arguments: &[String]) -> Result<(), Trap> {
        let mut strings = Vec::with_capacity(arguments.len());
        for argument in arguments {
            strings.push(self.new_string(argument)?);
        }
        let array = self.new_references(self.known.string_array, &strings)?;
        let thread_object = self.thread_word(0, thread::OBJECT);
        let root = self.main_root(main)?;
        let fp = self.push_root(0, root, &[array, thread_object]);
        self.memory.poke(fp + frame::PC, 0);
        self.set_thread_word(0, thread::FRAME, fp);
        self.set_thread_word(0, thread::READY, 0);
        self.set_current(0, fp);
        Ok(())
    }

    /// What the main thread does: `main`, the uncaught exception handler, waiting for the others, shutdown, halt.
    fn main_root(&mut self, main: MethodId) -> Result<MethodId, Trap> {
        let key = (u32::MAX - 3, main.0);
        if let Some(known) = self.shared.adaptors.get(key) {
            return Ok(known);
        }
        let shutdown = self
            .program
            .load(LoaderId::BOOT, "java/lang/Shutdown")
            .ok()
            .and_then(|class| self.program.find_method(class, "shutdown", "()V"))
            .ok_or_else(|| Trap::Unsupported("java.lang.Shutdown.shutdown".to_owned()))?;
        let method = self.program.method(main);
        let mut assembler = Assembler::new(&[RegisterKind::Ref, RegisterKind::Ref]);
        let caught = assembler.register(RegisterKind::Ref);
        let status = assembler.register(RegisterKind::Word);
        let receiver = assembler.register(RegisterKind::Ref);
        assembler.push(Instr::Const { d: status, value: 0 });
        let takes_arguments = !self.program.text(method.descriptor).starts_with("()");
        let start = assembler.here();
        if method.is_static() {
            let words: &[u16] = if takes_arguments { &[0] } else { &[] };
            assembler.call_static(main, words, None);
        } else {
            let constructor = self.program.find_method(method.class, "<init>", "()V").ok_or_else(|| {
                Trap::Unsupported("an instance main method in a class without a constructor for it".to_owned())
            })?;
            assembler.new_object(receiver, method.class);
            assembler.call_direct(constructor, &[receiver], None);
            let words: &[u16] = if takes_arguments { &[receiver, 0] } else { &[receiver] };
            assembler.call_virtual(main, words, None);
        }
        let after = assembler.here();
        let exit = after + 4;
        assembler.push(Instr::Goto { target: exit });
        assembler.push(Instr::Const { d: status, value: 1 });
        assembler.special(special::UNCAUGHT, u16::MAX, 1, caught);
        assembler.call_virtual(self.known.thread_dispatch, &[1, caught], None);
        assembler.call_virtual(self.known.thread_exit, &[1], None);
        assembler.special(special::AWAIT_OTHERS, u16::MAX, 1, u16::MAX);
        assembler.call_static(shutdown, &[], None);
        assembler.special(special::HALT, u16::MAX, status, u16::MAX);
        assembler.handler(start, after, after + 1, caught, None);
        assembler.handler(after + 3, exit, exit, caught, None);
        assembler.handler(exit, exit + 1, exit + 1, caught, None);
        assembler.handler(exit + 2, exit + 3, exit + 3, caught, None);
        let root = assembler.finish(
            self.program,
            self.known.thread,
            "main",
            "([Ljava/lang/String;Ljava/lang/Thread;)V",
        )?;
        Ok(self.shared.adaptors.enter(key, root))
    }

    /// The exit status, if the program has ended.
    pub fn halted(&self) -> Option<i32> {
        (self.memory.load(layout::HALTED) != 0).then(|| self.memory.load(layout::STATUS) as i32)
    }

    /// Ends the program at once.
    pub fn halt(&mut self, status: i32) {
        self.memory.store(layout::HALTED, layout::OVER);
        self.memory.store(layout::STATUS, status as u32);
    }

    /// Ends the program as one whose execution is to be forgotten.
    pub fn ignore(&mut self) {
        self.memory.store(layout::HALTED, layout::IGNORED);
    }
}

/// The register that holds a value of a kind.
pub fn register_kind(kind: Kind) -> RegisterKind {
    match kind {
        Kind::Reference => RegisterKind::Ref,
        Kind::Long | Kind::Double => RegisterKind::Wide,
        _ => RegisterKind::Word,
    }
}
