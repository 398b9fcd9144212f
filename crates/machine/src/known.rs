//! The classes and members of the JDK that the machine itself deals with, looked up once.

use crate::machine::StartError;
use program::world::{ClassId, LoaderId, MethodId, Program};

/// A kind of lock that one thread has at a time, by its synchronizer.
pub struct OwnedLock {
    /// The class of the lock.
    pub class: ClassId,
    /// Where it refers to its synchronizer.
    pub cell: u32,
    /// The class of that.
    pub synchronizer: ClassId,
}

/// A synchronizer with a queue, and the conditions that it makes.
pub struct Queued {
    /// Its class.
    pub class: ClassId,
    /// Where it keeps its state.
    pub state: u32,
    /// The class of its conditions.
    pub condition: ClassId,
    /// Where these refer to it.
    pub condition_lock: u32,
}

/// Classes, fields and methods by what the machine uses them for.
#[allow(missing_docs)] // the names are those of the JDK
pub struct Known {
    pub object: ClassId,
    pub class: ClassId,
    pub string: ClassId,
    pub thread: ClassId,
    pub throwable: ClassId,
    pub class_loader: ClassId,
    pub cloneable: ClassId,
    pub reference: ClassId,
    pub method_handle: ClassId,
    pub var_handle: ClassId,
    pub member_name: ClassId,
    pub byte_array: ClassId,
    pub boolean_array: ClassId,
    pub char_array: ClassId,
    pub int_array: ClassId,
    pub long_array: ClassId,
    pub object_array: ClassId,
    pub string_array: ClassId,
    pub class_array: ClassId,
    /// Holds the lock and the identity hash code of an object that needs more than its lock word.
    pub monitor: ClassId,
    pub string_value: u32,
    pub string_coder: u32,
    pub string_hash: u32,
    pub string_hash_is_zero: u32,
    pub class_number: u32,
    pub class_component: u32,
    pub class_loader_field: u32,
    pub class_module: Option<u32>,
    pub class_name: u32,
    pub class_package: Option<u32>,
    pub throwable_backtrace: u32,
    pub throwable_depth: u32,
    pub throwable_trace: u32,
    pub thread_eetop: u32,
    pub thread_name: u32,
    pub thread_tid: u32,
    /// Where a `Thread` keeps what JDK 17 has in fields of its own, if it does; and the class of that.
    pub thread_holder: Option<u32>,
    pub holder: Option<ClassId>,
    /// How many classes `Thread` extends.
    pub thread_depth: usize,
    pub thread_interrupted: u32,
    /// Locks that one thread has at a time.
    pub owned_locks: [OwnedLock; 2],
    pub synchronizer: ClassId,
    pub synchronizer_owner: u32,
    /// With a state of 32 bits, and of 64: a `ReentrantReadWriteLock` has the first, or the second from JDK 25 on.
    pub queued: [Queued; 2],
    pub thread_current: MethodId,
    pub thread_run: MethodId,
    pub thread_exit: MethodId,
    pub thread_dispatch: MethodId,
    pub initializer_error: MethodId,
    pub loader_load: MethodId,
}

/// Words of a monitor object.
pub mod monitor {
    /// The lock.
    pub const LOCK: u32 = 3;
    /// The identity hash code; 0 while none was asked for.
    pub const HASH: u32 = 4;
}

impl Known {
    /// Looks everything up.
    pub fn new(program: &Program) -> Result<Known, StartError> {
        let class = |name: &str| {
            program
                .load(LoaderId::BOOT, name)
                .map_err(|error| StartError::Jdk(error.to_string()))
        };
        let field = |of: ClassId, name: &str, descriptor: &str| {
            program
                .field(of, name, descriptor)
                .map(|found| found.field.offset)
                .ok_or_else(|| StartError::Jdk(format!("{} has no field {name}", program.class(of).external_name())))
        };
        let method = |of: ClassId, name: &str, descriptor: &str| {
            program
                .find_method(of, name, descriptor)
                .ok_or_else(|| StartError::Jdk(format!("{} has no method {name}", program.class(of).external_name())))
        };
        let object = class("java/lang/Object")?;
        let string = class("java/lang/String")?;
        let owned = |lock: &str, synchronizer: &str| -> Result<OwnedLock, StartError> {
            let of = class(lock)?;
            Ok(OwnedLock {
                class: of,
                cell: field(of, "sync", &format!("L{synchronizer};"))?,
                synchronizer: class(synchronizer)?,
            })
        };
        let synchronizer = class("java/util/concurrent/locks/AbstractOwnableSynchronizer")?;
        let queued = |name: &str, state: &str| -> Result<Queued, StartError> {
            let of = class(name)?;
            let condition = class(&format!("{name}$ConditionObject"))?;
            Ok(Queued {
                class: of,
                state: field(of, "state", state)?,
                condition,
                condition_lock: field(condition, "this$0", &format!("L{name};"))?,
            })
        };
        let class_class = class("java/lang/Class")?;
        let thread = class("java/lang/Thread")?;
        let throwable = class("java/lang/Throwable")?;
        let error = class("java/lang/ExceptionInInitializerError")?;
        let class_loader = class("java/lang/ClassLoader")?;
        let monitor = program
            .synthesize(program::world::SyntheticClass {
                name: "raddle/Monitor",
                flags: 0,
                super_class: object,
                interfaces: Vec::new(),
                host: None,
                fields: vec![("lock", "I", 0), ("hash", "I", 0)],
                methods: Vec::new(),
            })
            .map_err(|error| StartError::Jdk(error.to_string()))?;
        Ok(Known {
            object,
            class: class_class,
            string,
            thread,
            throwable,
            class_loader,
            cloneable: class("java/lang/Cloneable")?,
            reference: class("java/lang/ref/Reference")?,
            method_handle: class("java/lang/invoke/MethodHandle")?,
            var_handle: class("java/lang/invoke/VarHandle")?,
            member_name: class("java/lang/invoke/MemberName")?,
            byte_array: class("[B")?,
            boolean_array: class("[Z")?,
            char_array: class("[C")?,
            int_array: class("[I")?,
            long_array: class("[J")?,
            object_array: class("[Ljava/lang/Object;")?,
            string_array: class("[Ljava/lang/String;")?,
            class_array: class("[Ljava/lang/Class;")?,
            monitor,
            string_value: field(string, "value", "[B")?,
            string_coder: field(string, "coder", "B")?,
            string_hash: field(string, "hash", "I")?,
            string_hash_is_zero: field(string, "hashIsZero", "Z")?,
            class_name: field(class_class, "name", "Ljava/lang/String;")?,
            class_package: field(class_class, "packageName", "Ljava/lang/String;").ok(),
            class_number: field(class_class, "$class", "I")?,
            class_component: field(class_class, "componentType", "Ljava/lang/Class;")?,
            class_loader_field: field(class_class, "classLoader", "Ljava/lang/ClassLoader;")?,
            owned_locks: [
                owned(
                    "java/util/concurrent/locks/ReentrantLock",
                    "java/util/concurrent/locks/ReentrantLock$Sync",
                )?,
                owned(
                    "java/util/concurrent/locks/ReentrantReadWriteLock$WriteLock",
                    "java/util/concurrent/locks/ReentrantReadWriteLock$Sync",
                )?,
            ],
            synchronizer,
            synchronizer_owner: field(synchronizer, "exclusiveOwnerThread", "Ljava/lang/Thread;")?,
            queued: [
                queued("java/util/concurrent/locks/AbstractQueuedSynchronizer", "I")?,
                queued("java/util/concurrent/locks/AbstractQueuedLongSynchronizer", "J")?,
            ],
            thread_current: method(thread, "currentThread", "()Ljava/lang/Thread;")?,
            class_module: field(class_class, "module", "Ljava/lang/Module;").ok(),
            throwable_backtrace: field(throwable, "backtrace", "Ljava/lang/Object;")?,
            throwable_depth: field(throwable, "depth", "I")?,
            throwable_trace: field(throwable, "stackTrace", "[Ljava/lang/StackTraceElement;")?,
            thread_eetop: field(thread, "eetop", "J")?,
            thread_name: field(thread, "name", "Ljava/lang/String;")?,
            thread_tid: field(thread, "tid", "J")?,
            thread_holder: field(thread, "holder", "Ljava/lang/Thread$FieldHolder;").ok(),
            holder: class("java/lang/Thread$FieldHolder").ok(),
            thread_depth: program.class(thread).supers.len() - 1,
            thread_interrupted: field(thread, "interrupted", "Z")?,
            thread_run: method(thread, "run", "()V")?,
            thread_exit: method(thread, "exit", "()V")?,
            thread_dispatch: method(thread, "dispatchUncaughtException", "(Ljava/lang/Throwable;)V")?,
            initializer_error: method(error, "<init>", "(Ljava/lang/Throwable;)V")?,
            loader_load: method(class_loader, "loadClass", "(Ljava/lang/String;)Ljava/lang/Class;")?,
        })
    }
}
