//! `java.lang.ClassLoader` and the JDK's `BootLoader`.
//!
//! The JDK's own loaders answer for every class that the program's world has, so that they never open the files it
//! came from.

use super::domain::set_domain;
use crate::common::{Entry, jdk_class, non_null, unsupported, zero};
use machine::assemble::Assembler;
use machine::layout::{class, class_record};
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise};
use program::bytes::Bytes;
use program::classfile::{ClassFile, flags};
use program::ir::{Instr, RegisterKind};
use program::world::{ClassId, LoadError, LoaderId};
use std::sync::atomic::Ordering;

const LOADER: &str = "java/lang/ClassLoader";
const BOOT: &str = "jdk/internal/loader/BootLoader";

/// Flags of `defineClass0`, as in `MethodHandleNatives.Constants`.
const NESTMATE: u32 = 1;
const HIDDEN: u32 = 2;

pub(crate) const METHODS: &[Entry] = &[
    (
        LOADER,
        "findBootstrapClass",
        "(Ljava/lang/String;)Ljava/lang/Class;",
        find_bootstrap_class,
    ),
    (
        LOADER,
        "findLoadedClass0",
        "(Ljava/lang/String;)Ljava/lang/Class;",
        find_loaded_class,
    ),
    (
        LOADER,
        "findInitiatedClass0",
        "(Ljava/lang/String;)Ljava/lang/Class;",
        find_loaded_class,
    ),
    (
        LOADER,
        "defineClass0",
        "(Ljava/lang/ClassLoader;Ljava/lang/Class;Ljava/lang/String;[BIILjava/security/ProtectionDomain;ZILjava/lang/Object;)\
         Ljava/lang/Class;",
        define_class_0,
    ),
    (
        LOADER,
        "defineClass1",
        "(Ljava/lang/ClassLoader;Ljava/lang/String;[BIILjava/security/ProtectionDomain;Ljava/lang/String;)\
         Ljava/lang/Class;",
        define_class_1,
    ),
    (
        LOADER,
        "defineClass2",
        "(Ljava/lang/ClassLoader;Ljava/lang/String;Ljava/nio/ByteBuffer;IILjava/security/ProtectionDomain;\
         Ljava/lang/String;)Ljava/lang/Class;",
        |_, _| unsupported("java.lang.ClassLoader.defineClass from a direct buffer"),
    ),
    (
        LOADER,
        "retrieveDirectives",
        "()Ljava/lang/AssertionStatusDirectives;",
        retrieve_directives,
    ),
    (
        BOOT,
        "getSystemPackageLocation",
        "(Ljava/lang/String;)Ljava/lang/String;",
        get_system_package_location,
    ),
    (
        BOOT,
        "getSystemPackageNames",
        "()[Ljava/lang/String;",
        get_system_package_names,
    ),
    (
        BOOT,
        "setBootLoaderUnnamedModule0",
        "(Ljava/lang/Module;)V",
        set_boot_loader_unnamed_module,
    ),
    (
        "jdk/internal/misc/VM",
        "latestUserDefinedLoader0",
        "()Ljava/lang/ClassLoader;",
        latest_user_defined_loader,
    ),
    (
        "java/io/ObjectStreamClass",
        "hasStaticInitializer",
        "(Ljava/lang/Class;)Z",
        has_static_initializer,
    ),
    ("java/io/ObjectStreamClass", "initNative", "()V", crate::common::nothing),
    (
        "java/lang/SecurityManager",
        "getClassContext",
        "()[Ljava/lang/Class;",
        zero,
    ),
];

fn internal_name(m: &Machine<'_>, name: Address) -> Option<String> {
    let name = m.text_or_null(name)?;
    (!name.contains('/') && !name.starts_with('[')).then(|| name.replace('.', "/"))
}

/// A class object, or null where there is no such class.
fn found(m: &mut Machine<'_>, name: &str, result: Result<ClassId, LoadError>) -> Answer {
    match result {
        Ok(class) => Ok(m.mirror(class)?.into()),
        Err(LoadError::NotFound(missing)) if missing == name => Ok(Outcome::Word(0)),
        Err(error) => Err(machine::link::load_trap(error)),
    }
}

fn find_bootstrap_class(m: &mut Machine<'_>, args: &Args) -> Answer {
    let Some(name) = internal_name(m, args.word(0)) else {
        return Ok(Outcome::Word(0));
    };
    let result = m.program.load(LoaderId::BOOT, &name);
    found(m, &name, result)
}

fn find_loaded_class(m: &mut Machine<'_>, args: &Args) -> Answer {
    let Some(name) = internal_name(m, args.word(1)) else {
        return Ok(Outcome::Word(0));
    };
    let loader = m.loader_number(args.word(0))?;
    if loader.is_builtin() {
        let result = m.program.load(loader, &name);
        return found(m, &name, result);
    }
    match m.loaded(loader, &name) {
        Some(class) => Ok(m.mirror(class)?.into()),
        None => Ok(Outcome::Word(0)),
    }
}

/// The bytes of a class that is to be defined.
fn class_bytes(m: &Machine<'_>, array: Address, offset: i32, length: i32) -> Result<Bytes, Trap> {
    let bytes = m.byte_array(non_null(array)?);
    let range = usize::try_from(offset).ok().zip(usize::try_from(length).ok());
    match range.and_then(|(offset, length)| bytes.get(offset..offset.checked_add(length)?)) {
        Some(bytes) => Ok(Bytes::from(bytes)),
        None => raise(
            "java/lang/ArrayIndexOutOfBoundsException",
            "the class does not lie in the array",
        ),
    }
}

/// Has everything that a class file names as its superclass or interface loaded, by Java code if need be.
fn load_supers(m: &mut Machine<'_>, loader: Address, bytes: &Bytes) -> Result<(), Trap> {
    // A broken file is reported by whoever defines it.
    let Ok(file) = ClassFile::parse(bytes.clone()) else {
        return Ok(());
    };
    for index in std::iter::once(file.super_class)
        .chain(file.interfaces.iter().copied())
        .filter(|&index| index != 0)
    {
        let name = file.pool.class_name(index);
        if name == file.pool.class_name(file.this_class) {
            return raise("java/lang/ClassCircularityError", name);
        }
        m.load_through(loader, name, true)?;
    }
    Ok(())
}

/// Defines a class that can be found by name.
///
/// The world of classes does not go back when the machine does. A class that was defined on a path that was undone is
/// taken up again if it is the same.
fn define(m: &mut Machine<'_>, loader: Address, name: Option<&str>, bytes: Bytes) -> Result<ClassId, Trap> {
    let number = m.loader_number(loader)?;
    if !number.is_builtin() {
        load_supers(m, loader, &bytes)?;
    }
    let own = match name {
        Some(name) => Some(name.to_owned()),
        None => ClassFile::parse(bytes.clone())
            .ok()
            .map(|file| file.pool.class_name(file.this_class).to_owned()),
    };
    if let Some(own) = &own {
        let versions = m.program.versions(number, own);
        if versions.iter().any(|&class| m.exists(class)) {
            let loader_text = loader_description(m, loader)?;
            return raise(
                "java/lang/LinkageError",
                format!(
                    "loader {loader_text} attempted duplicate class definition for {}.",
                    own.replace('/', ".")
                ),
            );
        }
        for class in versions {
            let described = m.program.class(class);
            if described.file.as_ref().is_some_and(|file| *file.bytes == *bytes) {
                m.check_answer(number, own, Some(class))?;
                return Ok(class);
            }
            // Links are shared by all states, so a name that is linked means one class for good.
            if described.named.load(Ordering::Relaxed) {
                return unsupported(format!("two versions of the class {own} in one loader"));
            }
        }
    }
    if let Some(own) = &own {
        m.check_answer(number, own, None)?;
    }
    m.program.define(number, name, bytes).map_err(machine::link::load_trap)
}

/// How the JVM names a loader in its messages.
fn loader_description(m: &mut Machine<'_>, loader: Address) -> Result<String, Trap> {
    if loader == 0 {
        return Ok("'bootstrap'".to_owned());
    }
    let text = m.get(loader, LOADER, "nameAndId");
    Ok(m.text_or_null(text).unwrap_or_default())
}

fn define_class_1(m: &mut Machine<'_>, args: &Args) -> Answer {
    let bytes = class_bytes(m, args.word(2), args.int(3), args.int(4))?;
    let name = m.text_or_null(args.word(1)).map(|name| name.replace('.', "/"));
    let class = define(m, args.word(0), name.as_deref(), bytes)?;
    let mirror = m.mirror(class)?;
    set_domain(m, mirror, args.word(5))?;
    Ok(mirror.into())
}

/// Defines a hidden class, or a plain one beside `lookup`.
fn define_class_0(m: &mut Machine<'_>, args: &Args) -> Answer {
    let bytes = class_bytes(m, args.word(3), args.int(4), args.int(5))?;
    let (initialize, kind, data) = (args.word(7) & 1 != 0, args.word(8), args.word(9));
    let lookup = m.mirrored(non_null(args.word(1))?);
    let class = if kind & HIDDEN == 0 {
        let name = m.text_or_null(args.word(2)).map(|name| name.replace('.', "/"));
        define(m, args.word(0), name.as_deref(), bytes)?
    } else {
        if !m.program.class(lookup).loader.is_builtin() {
            load_supers(m, args.word(0), &bytes)?;
        }
        hidden_class(m, lookup, kind & NESTMATE != 0, bytes)?
    };
    let mirror = m.mirror(class)?;
    m.set(mirror, "java/lang/Class", "classData", data);
    set_domain(m, mirror, args.word(6))?;
    if initialize {
        return initialized(m, mirror);
    }
    Ok(mirror.into())
}

/// A hidden class that this state does not have yet. Those of equal content in an undone past are taken up again, so
/// that which class it is depends on content alone.
fn hidden_class(m: &mut Machine<'_>, host: ClassId, nest: bool, bytes: Bytes) -> Result<ClassId, Trap> {
    let expected = nest.then_some(host);
    let again = m.program.class_ids().find(|&id| {
        let described = m.program.class(id);
        described.hidden
            && described.host == expected
            && described.loader == m.program.class(host).loader
            && m.memory.load(class_record(id) + class::MIRROR) == 0
            && described.file.as_ref().is_some_and(|file| *file.bytes == *bytes)
    });
    match again {
        Some(class) => Ok(class),
        None => m
            .program
            .define_hidden(host, nest, bytes)
            .map_err(machine::link::load_trap),
    }
}

/// Gives a class object after the class was initialised.
fn initialized(m: &mut Machine<'_>, mirror: Address) -> Answer {
    let unsafe_class = jdk_class(m, "jdk/internal/misc/Unsafe")?;
    let Some(ensure) = m
        .program
        .find_method(unsafe_class, "ensureClassInitialized0", "(Ljava/lang/Class;)V")
    else {
        return unsupported("jdk.internal.misc.Unsafe.ensureClassInitialized0");
    };
    let adaptor = m.adaptor(
        crate::lang::loader::INITIALIZED,
        0,
        None,
        "(Ljava/lang/Class;)Ljava/lang/Class;",
        |_| {
            let mut assembler = Assembler::new(&[RegisterKind::Ref]);
            // The native method does not look at its receiver.
            assembler.call_direct(ensure, &[0, 0], None);
            assembler.push(Instr::Return { s: 0 });
            Ok(assembler)
        },
    )?;
    Ok(Outcome::Call(adaptor, vec![mirror]))
}

/// Kind of adaptor.
pub(crate) const INITIALIZED: u32 = 0x4000_0001;

/// `java -ea` on the program's classes: an object that says so by default and lists nothing.
fn retrieve_directives(m: &mut Machine<'_>, _: &Args) -> Answer {
    const DIRECTIVES: &str = "java/lang/AssertionStatusDirectives";
    let of = jdk_class(m, DIRECTIVES)?;
    let object = m.new_object(of)?;
    let strings = m.new_references(m.known.string_array, &[])?;
    let booleans = jdk_class(m, "[Z")?;
    let booleans = m.new_array(booleans, 0)?;
    m.set(object, DIRECTIVES, "classes", strings);
    m.set(object, DIRECTIVES, "packages", strings);
    m.set(object, DIRECTIVES, "classEnabled", booleans);
    m.set(object, DIRECTIVES, "packageEnabled", booleans);
    m.set(object, DIRECTIVES, "deflt", 1);
    Ok(object.into())
}

fn get_system_package_location(m: &mut Machine<'_>, args: &Args) -> Answer {
    let package = m.text(non_null(args.word(0))?);
    let module = m.program.image.module_of(&package).cloned();
    // Only what the bootstrap loader has defined counts.
    let Some(module) = module.filter(|module| is_boot_module(m, module)) else {
        return Ok(Outcome::Word(0));
    };
    Ok(m.new_string(&format!("jrt:/{module}"))?.into())
}

/// Whether the bootstrap loader defines a module of the image.
fn is_boot_module(m: &mut Machine<'_>, module: &str) -> bool {
    match m.module_entry(module) {
        Some(entry) => m.get(entry[0], "java/lang/Module", "loader") == 0,
        None => module == "java.base",
    }
}

fn get_system_package_names(m: &mut Machine<'_>, _: &Args) -> Answer {
    let mut packages: Vec<&str> = m
        .program
        .class_ids()
        .filter(|&id| m.memory.load(class_record(id) + class::MIRROR) != 0)
        .map(|id| m.program.class(id))
        .filter(|class| class.loader == LoaderId::BOOT && class.file.is_some())
        .map(|class| class.package())
        .collect();
    packages.sort_unstable();
    packages.dedup();
    let mut strings = Vec::with_capacity(packages.len());
    for package in packages {
        strings.push(m.new_string(package)?);
    }
    Ok(m.new_references(m.known.string_array, &strings)?.into())
}

fn set_boot_loader_unnamed_module(m: &mut Machine<'_>, args: &Args) -> Answer {
    m.set_boot_unnamed(non_null(args.word(0))?);
    Ok(Outcome::Void)
}

/// The loader of the innermost frame whose class neither the bootstrap nor the platform loader defined.
fn latest_user_defined_loader(m: &mut Machine<'_>, _: &Args) -> Answer {
    let mut at = m.current_frame();
    while at != 0 {
        let (method, _, caller) = m.frame_at(at);
        let class = m.program.method(method).class;
        if m.program.class(class).loader >= LoaderId::APP {
            let mirror = m.mirror(class)?;
            return Ok(m.get(mirror, "java/lang/Class", "classLoader").into());
        }
        at = caller;
    }
    Ok(Outcome::Word(0))
}

fn has_static_initializer(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.class(m.mirrored(non_null(args.word(0))?));
    let has = class.methods.iter().any(|&id| {
        let method = m.program.method(id);
        &**m.program.text(method.name) == "<clinit>" && method.flags & flags::STATIC != 0
    });
    Ok(has.into())
}
