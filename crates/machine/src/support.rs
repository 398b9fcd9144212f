//! What native methods of the JDK need of the machine beyond its plain interface: modules, loading through a loader of
//! the program's own, methods that call back.
//!
//! Everything kept here lies in memory: a few words of the globals are roots, each of an array of objects.

use crate::assemble::Assembler;
use crate::layout::{self, GLOBALS, class, class_record};
use crate::link::load_trap;
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use crate::special;
use program::classfile::flags;
use program::ir::{Instr, RegisterKind};
use program::world::{Class, ClassId, ClassKind, LoaderId, MethodId, MethodSpec};

/// Words of the globals that hold an object each.
pub mod root {
    /// Modules of the JDK's image: module, name, version, location of each.
    pub const MODULES: u32 = 8;
    /// Modules made while the program runs: module, name, version, array of package names of each.
    pub const DYNAMIC_MODULES: u32 = 9;
    /// The unnamed module of the bootstrap loader.
    pub const BOOT_UNNAMED: u32 = 10;
    /// Open files by number: path and position of each.
    pub const FILES: u32 = 11;
    /// Open folders by number: names, and how many were read.
    pub const FOLDERS: u32 = 12;
    /// Inflaters by number: state and window of each.
    pub const INFLATERS: u32 = 13;
    /// Deflaters by number: settings, input and output of each.
    pub const DEFLATERS: u32 = 14;
    /// Protection domains by class number, for JDKs that have no field for them.
    pub const DOMAINS: u32 = 15;
    /// One past the last.
    pub const END: u32 = 16;
}

/// Words of one module in the table of modules.
pub const MODULE_ENTRY: u32 = 4;

impl Machine<'_> {
    /// The object in a root word.
    pub fn root(&self, which: u32) -> Address {
        self.memory.load(GLOBALS + which)
    }

    /// Sets a root word.
    pub fn set_root(&mut self, which: u32, object: Address) {
        self.store_root(GLOBALS + which, object);
    }

    /// The array in a root word, with room for `length` elements at least.
    pub fn root_array(&mut self, which: u32, length: u32) -> Result<Address, Trap> {
        let old = self.root(which);
        let had = if old == 0 { 0 } else { self.array_length(old) };
        if old != 0 && had >= length {
            return Ok(old);
        }
        let wanted = length.max(had * 2).max(16);
        let array = self.new_array(self.known.object_array, wanted as i32)?;
        for index in 0..had {
            let element = self.element(old, index);
            self.set_element(array, index, element);
        }
        self.set_root(which, array);
        Ok(array)
    }

    /// Adds an entry to a table of entries of `entry.len()` words in a root word; its first word is not 0.
    pub fn root_push(&mut self, which: u32, entry: &[Address]) -> Result<u32, Trap> {
        let size = entry.len() as u32;
        let old = self.root(which);
        let had = if old == 0 { 0 } else { self.array_length(old) / size };
        let position = (0..had)
            .find(|position| self.element(old, position * size) == 0)
            .unwrap_or(had);
        let array = self.root_array(which, (position + 1) * size)?;
        for (word, &value) in entry.iter().enumerate() {
            self.set_element(array, position * size + word as u32, value);
        }
        Ok(position)
    }

    /// Completes a new `java.lang.Class`: its module, and what newer JDKs keep in fields of their own.
    pub(crate) fn fill_mirror(&mut self, of: ClassId, mirror: Address) -> Result<(), Trap> {
        let described = self.program.class(of);
        if let Some(offset) = self.find_offset("java/lang/Class", "modifiers") {
            let modifiers = self.class_modifiers(of);
            self.memory.store(mirror + offset, u32::from(modifiers));
        }
        if let Some(offset) = self.find_offset("java/lang/Class", "classFileAccessFlags") {
            self.memory.store(mirror + offset, u32::from(described.flags));
        }
        if let Some(offset) = self.find_offset("java/lang/Class", "primitive") {
            self.memory.store(mirror + offset, u32::from(described.is_primitive()));
        }
        if let Some(offset) = self.known.class_module
            // SOUNDNESS: as in `module_of`.
            && self.settled(|machine| machine.root(root::MODULES)) != 0
        {
            let module = self.module_of(of);
            self.memory.store(mirror + offset, module);
        }
        Ok(())
    }

    /// What `Class.getModifiers` says: an inner class has the flags of its declaration.
    pub fn class_modifiers(&self, of: ClassId) -> u16 {
        let described = self.program.class(of);
        let visible = flags::PUBLIC | flags::PRIVATE | flags::PROTECTED;
        match described.kind {
            ClassKind::Array(element) => self.class_modifiers(element) & visible | flags::FINAL | flags::ABSTRACT,
            ClassKind::Primitive(_) => flags::PUBLIC | flags::FINAL | flags::ABSTRACT,
            _ => {
                let declared = described.file.as_ref().and_then(|file| {
                    let own = file.pool.class_name(file.this_class);
                    let row = file
                        .inner_classes
                        .iter()
                        .find(|row| file.pool.class_name(row.inner) == own)?;
                    Some(row.flags)
                });
                declared.unwrap_or(described.flags) & !flags::SUPER & 0x7fff
            }
        }
    }

    /// The module object of a class; 0 while there is none.
    pub fn module_of(&mut self, of: ClassId) -> Address {
        // SOUNDNESS: modules are entered and stay. Class objects that are older than their module learn of it when it is entered.
        self.settled_mut(|machine| machine.find_module(of))
    }

    fn find_module(&mut self, of: ClassId) -> Address {
        let described = self.program.class(of);
        match described.kind {
            ClassKind::Array(element) => return self.find_module(element),
            ClassKind::Primitive(_) => return self.module_named("java.base"),
            _ => {}
        }
        if !described.module.is_empty() {
            let named = self.module_named(&described.module);
            if named != 0 {
                return named;
            }
        }
        let dynamic = self.dynamic_module(described);
        if dynamic != 0 {
            return dynamic;
        }
        match described.loader {
            LoaderId::BOOT => self.root(root::BOOT_UNNAMED),
            loader => match self.memory.load(layout::LOADERS + loader.0) {
                0 => 0,
                object => self.get(object, "java/lang/ClassLoader", "unnamedModule"),
            },
        }
    }

    /// The entry of a module of the JDK's image: module, name, version, location.
    pub fn module_entry(&self, name: &str) -> Option<[Address; MODULE_ENTRY as usize]> {
        let table = self.root(root::MODULES);
        self.find_entry(table, |machine, entry| machine.string_is(entry[1], name))
    }

    fn module_named(&self, name: &str) -> Address {
        self.module_entry(name).map_or(0, |entry| entry[0])
    }

    fn find_entry(
        &self,
        table: Address,
        mut fits: impl FnMut(&Self, &[Address; MODULE_ENTRY as usize]) -> bool,
    ) -> Option<[Address; MODULE_ENTRY as usize]> {
        let count = if table == 0 {
            0
        } else {
            self.array_length(table) / MODULE_ENTRY
        };
        (0..count)
            .map(|position| std::array::from_fn(|word| self.element(table, position * MODULE_ENTRY + word as u32)))
            .find(|entry| entry[0] != 0 && fits(self, entry))
    }

    /// The entry of a module object, wherever it is.
    pub fn entry_of_module(&self, module: Address) -> Option<[Address; MODULE_ENTRY as usize]> {
        // SOUNDNESS: a module is entered before any program has it, and its entry stays as it is.
        self.settled(|machine| {
            let mut tables = [root::MODULES, root::DYNAMIC_MODULES].into_iter();
            tables.find_map(|which| machine.find_entry(machine.root(which), |_, entry| entry[0] == module))
        })
    }

    /// Whether a string object, which is not null, has this text.
    pub fn string_is(&self, string: Address, text: &str) -> bool {
        // SOUNDNESS: as in `string_units`.
        self.settled(|machine| {
            let value = machine.memory.load(string + machine.known.string_value);
            if machine.memory.load(string + machine.known.string_coder) & 0xff == 0 && text.is_ascii() {
                return machine.byte_array(value) == text.as_bytes();
            }
            machine.text(string) == text
        })
    }

    /// The module made while running that holds the package of a class.
    fn dynamic_module(&mut self, of: &Class) -> Address {
        let table = self.root(root::DYNAMIC_MODULES);
        if table == 0 {
            return 0;
        }
        let package = of.package().replace('/', ".");
        let loader = match of.loader {
            LoaderId::BOOT => 0,
            loader => self.memory.load(layout::LOADERS + loader.0),
        };
        let field = self.offset("java/lang/Module", "loader");
        self.find_entry(table, |machine, entry| {
            machine.memory.load(entry[0] + field) == loader
                && entry[3] != 0
                && (0..machine.array_length(entry[3])).any(|index| {
                    let name = machine.element(entry[3], index);
                    name != 0 && machine.text(name).replace('/', ".") == package
                })
        })
        .map_or(0, |entry| entry[0])
    }

    /// Enters a module: all classes that belong to it learn of it.
    pub fn define_module(&mut self, entry: [Address; MODULE_ENTRY as usize], packages: Address) -> Result<(), Trap> {
        let [module, name, ..] = entry;
        let loader = self.get(module, "java/lang/Module", "loader");
        if loader != 0 {
            self.note_loader(loader)?;
        }
        let text = self.text(name);
        if self.program.image.modules().iter().any(|known| **known == *text) {
            self.root_push(root::MODULES, &entry)?;
            self.fix_mirrors(|of| *of.module == *text)
        } else {
            self.root_push(root::DYNAMIC_MODULES, &[module, name, entry[2], packages])?;
            Ok(())
        }
    }

    /// Sets the unnamed module of the bootstrap loader.
    pub fn set_boot_unnamed(&mut self, module: Address) {
        self.set_root(root::BOOT_UNNAMED, module);
    }

    /// Sets the module of class objects that were made before it was known.
    fn fix_mirrors(&mut self, which: impl Fn(&Class) -> bool) -> Result<(), Trap> {
        let Some(offset) = self.known.class_module else {
            return Ok(());
        };
        for of in self.program.class_ids() {
            let mirror = self.memory.load(class_record(of) + class::MIRROR);
            if mirror == 0 || self.memory.load(mirror + offset) != 0 {
                continue;
            }
            let described = self.program.class(of);
            if described.module.is_empty() || which(described) {
                let module = self.module_of(of);
                self.memory.store(mirror + offset, module);
            }
        }
        Ok(())
    }

    /// Notes the object of one of the JDK's own loaders when it is first seen.
    fn note_loader(&mut self, loader: Address) -> Result<(), Trap> {
        let number = self.loader_number(loader)?;
        if number == LoaderId::BOOT || self.memory.load(layout::LOADERS + number.0) != 0 {
            return Ok(());
        }
        self.store_root(layout::LOADERS + number.0, loader);
        self.set(loader, "java/lang/ClassLoader", "$loader", number.0);
        for of in self.program.class_ids() {
            let mirror = self.memory.load(class_record(of) + class::MIRROR);
            if mirror != 0 && self.program.class(of).loader == number {
                self.memory.store(mirror + self.known.class_loader_field, loader);
            }
        }
        Ok(())
    }

    /// Whether this state has the class: classes of the program's own loaders exist from their definition on.
    pub fn exists(&self, of: ClassId) -> bool {
        !self.program.class(of).given || self.memory.load(class_record(of) + class::MIRROR) != 0
    }

    /// The class of this name that a loader has answered with already, in this state.
    pub fn loaded(&self, loader: LoaderId, name: &str) -> Option<ClassId> {
        let latest = self.program.loaded(loader, name)?;
        if self.exists(latest) {
            return Some(latest);
        }
        self.program
            .versions(loader, name)
            .into_iter()
            .find(|&class| self.exists(class))
    }

    /// The class of this internal name, as seen by a loader. May ask for Java code of the loader to run first; what it
    /// throws goes on as it is, or, if `link` is set, as a `NoClassDefFoundError`.
    pub fn load_through(&mut self, loader: Address, name: &str, link: bool) -> Result<ClassId, Trap> {
        let number = self.loader_number(loader)?;
        if let Some(class) = self.loaded(number, name) {
            return Ok(class);
        }
        // An array is as missing as its elements are.
        let dimensions = name.bytes().take_while(|&byte| byte == b'[').count();
        if dimensions > 0 {
            if let Some(element) = name[dimensions..]
                .strip_prefix('L')
                .and_then(|rest| rest.strip_suffix(';'))
            {
                self.load_through(loader, element, link)?;
            }
            return self.program.load(number, name).map_err(load_trap);
        }
        if number.is_builtin() {
            return match self.program.load(number, name) {
                // Java code of the loader makes the exception, with its own frames.
                Err(program::world::LoadError::NotFound(missing)) if missing == name && number != LoaderId::BOOT => {
                    self.ask_for_class(loader, name, link)
                }
                other => other.map_err(load_trap),
            };
        }
        self.ask_for_class(loader, name, link)
    }

    fn ask_for_class(&mut self, loader: Address, name: &str, link: bool) -> Result<ClassId, Trap> {
        let external = self.intern(&name.replace('/', "."))?;
        let adaptor = self.asking_adaptor(link)?;
        Err(Trap::Before(adaptor, vec![loader, external]))
    }

    fn asking_adaptor(&mut self, link: bool) -> Result<MethodId, Trap> {
        let key = (u32::MAX - 2, u32::from(link));
        if let Some(known) = self.shared.adaptors.get(key) {
            return Ok(known);
        }
        let mut assembler = Assembler::new(&[RegisterKind::Ref, RegisterKind::Ref]);
        let class = assembler.register(RegisterKind::Ref);
        let caught = assembler.register(RegisterKind::Ref);
        assembler.call_virtual(self.known.loader_load, &[0, 1], Some(class));
        assembler.special(special::EXPECT_NAME, u16::MAX, 1, class);
        assembler.special(special::RECORD_CLASS, u16::MAX, 0, class);
        assembler.push(Instr::ReturnVoid);
        if link {
            let handler = assembler.here();
            assembler.special(special::CLASS_NOT_FOUND, u16::MAX, 1, caught);
            assembler.handler(0, 1, handler, caught, None);
        }
        let object = self.known.object;
        let method = assembler.finish(
            self.program,
            object,
            "loadClass",
            "(Ljava/lang/Object;Ljava/lang/String;)V",
        )?;
        Ok(self.shared.adaptors.enter(key, method))
    }

    /// A method that no class file contains, made when first asked for. `kind` tells whose it is, and with `of` names
    /// it; `make` writes its code. With `shown`, stack traces show it as a native method of that name.
    pub fn adaptor(
        &mut self,
        kind: u32,
        of: u32,
        shown: Option<(ClassId, &str)>,
        descriptor: &str,
        make: impl FnOnce(&mut Self) -> Result<Assembler, Trap>,
    ) -> Result<MethodId, Trap> {
        if let Some(known) = self.shared.adaptors.get((kind, of)) {
            return Ok(known);
        }
        let assembler = make(self)?;
        let method = match shown {
            None => assembler.finish(self.program, self.known.object, "adaptor", descriptor)?,
            Some((class, name)) => {
                let spec = MethodSpec {
                    name,
                    descriptor,
                    flags: flags::STATIC | flags::NATIVE,
                    hidden: false,
                    code: Some(assembler.code()),
                };
                self.program
                    .detached_method(class, spec)
                    .map_err(|error| Trap::Unsupported(error.to_string()))?
            }
        };
        Ok(self.shared.adaptors.enter((kind, of), method))
    }

    /// The frame of the running native method.
    pub fn current_frame(&self) -> Address {
        self.fp()
    }
}
