//! What each native method touches that other threads may see.
//!
//! Of what is not named here it is not known: that is always right and never fast. A method named as touching nothing reads only
//! what never changes (the program itself, strings), what only its own thread sees, or whether a class is initialised and asks for it.
//! One that is named as touching everything accesses no object of the program's either, but when it does what it does matters.

use kernel::Access;
use machine::Touches;

/// The footprint of a native method, by class, name and descriptor.
pub(crate) fn touches(class: &str, name: &str, descriptor: &str) -> Touches {
    match class {
        "jdk/internal/misc/Unsafe" => unsafe_touches(name, descriptor),
        "java/lang/Object" => match name {
            "getClass" | "registerNatives" => Touches::Nothing,
            "clone" => Touches::Object {
                object: 0,
                access: Access::Read,
            },
            "hashCode" => Touches::Hash { object: 0 },
            "wait" | "wait0" => Touches::Wait { object: 0, limit: 1 },
            "notify" | "notifyAll" => Touches::Monitor {
                object: 0,
                access: Access::Release,
            },
            _ => Touches::Unknown,
        },
        "java/lang/System" => match name {
            "arraycopy" => Touches::Objects { read: 0, written: 2 },
            "nanoTime" | "currentTimeMillis" => Touches::Clock,
            "identityHashCode" => Touches::Hash { object: 0 },
            "mapLibraryName" | "registerNatives" | "getSecurityManager" => Touches::Nothing,
            _ => Touches::Unknown,
        },
        "java/lang/Thread" => match name {
            "currentThread"
            | "nextThreadNum"
            | "nextThreadID"
            | "currentCarrierThread"
            | "yield"
            | "yield0"
            | "onSpinWait"
            | "registerNatives"
            | "setPriority0"
            | "setNativeName"
            | "clearInterruptEvent"
            | "scopedValueCache"
            | "setScopedValueCache"
            | "findScopedValueBindings"
            | "ensureMaterializedForStackWalk" => Touches::Nothing,
            // Of a thread that has not started, the body reads it; of others, all that they do matters then.
            "getState" => Touches::Everything,
            "sleep" | "sleep0" | "sleepNanos0" => Touches::Self_ { limit: 0 },
            "holdsLock" => Touches::Monitor {
                object: 0,
                access: Access::AtomicRead,
            },
            "start0" => Touches::Object {
                object: 0,
                access: Access::AtomicWrite,
            },
            "interrupt0" => Touches::Thread {
                object: 0,
                interrupts: true,
            },
            _ => Touches::Unknown,
        },
        "java/lang/Thread$ThreadNumbering" | "java/lang/Thread$ThreadIdentifiers" => Touches::Nothing,
        "java/lang/ThreadGroup" => match name {
            "addUnstarted" | "add" | "threadStartFailed" | "threadTerminated" => Touches::Nothing,
            _ => Touches::Unknown,
        },
        "java/lang/Throwable" if name == "fillInStackTrace" => Touches::Object {
            object: 0,
            access: Access::Write,
        },
        // Output is no place that others could look at.
        "java/io/PrintStream" => Touches::Nothing,
        "raddle/Verify" | "gov/nasa/jpf/vm/Verify" => match name {
            "assume" | "ignoreIf" | "beginAtomic" | "endAtomic" => Touches::Everything,
            "getIntFromList" | "getFloatFromList" | "getLongFromList" | "getDoubleFromList" => Touches::Object {
                object: 0,
                access: Access::Read,
            },
            _ => Touches::Nothing,
        },
        "java/io/FileOutputStream" if name == "writeBytes" => Touches::Object {
            object: 1,
            access: Access::Read,
        },
        "java/lang/reflect/Array" => match name {
            "getLength" | "newArray" | "multiNewArray" => Touches::Nothing,
            _ if name.starts_with("get") => Touches::Object {
                object: 0,
                access: Access::Read,
            },
            _ => Touches::Object {
                object: 0,
                access: Access::Write,
            },
        },
        "java/lang/Runtime" => Touches::Nothing,
        "java/lang/Shutdown" => Touches::Everything,
        "java/security/AccessController" => match name {
            "getStackAccessControlContext" | "ensureMaterializedForStackWalk" => Touches::Nothing,
            _ => Touches::Unknown,
        },
        "java/util/concurrent/atomic/AtomicLong" if name == "VMSupportsCS8" => Touches::Nothing,
        "java/lang/ref/Reference" | "java/lang/ref/PhantomReference" => match name {
            "refersTo0" => Touches::Object {
                object: 0,
                access: Access::Read,
            },
            "clear0" => Touches::Object {
                object: 0,
                access: Access::Write,
            },
            "hasReferencePendingList" | "getAndClearReferencePendingList" => Touches::Nothing,
            _ => Touches::Unknown,
        },
        // The arguments are taken from an array; what is called then has its own footprint.
        "jdk/internal/reflect/NativeMethodAccessorImpl"
        | "jdk/internal/reflect/DirectMethodHandleAccessor$NativeAccessor" => Touches::Object {
            object: 2,
            access: Access::Read,
        },
        "jdk/internal/reflect/NativeConstructorAccessorImpl"
        | "jdk/internal/reflect/DirectConstructorHandleAccessor$NativeAccessor" => Touches::Object {
            object: 1,
            access: Access::Read,
        },
        "java/util/zip/CRC32" | "java/util/zip/Adler32" => match name {
            "update" => Touches::Nothing,
            "updateBytes" | "updateBytes0" => Touches::Object {
                object: 1,
                access: Access::Read,
            },
            _ => Touches::Unknown,
        },
        "jdk/internal/misc/VM" if name == "getNanoTimeAdjustment" => Touches::Clock,
        // Whose string it is that all others get depends on who comes first.
        "java/lang/String" if name == "intern" => Touches::Everything,
        "java/lang/Class"
        | "java/lang/Float"
        | "java/lang/Double"
        | "java/lang/Math"
        | "java/lang/StrictMath"
        | "java/lang/String"
        | "java/lang/StringCoding"
        | "java/lang/StringUTF16"
        | "java/lang/StackTraceElement"
        | "java/lang/NullPointerException"
        | "java/lang/invoke/MethodHandleNatives"
        | "jdk/internal/reflect/Reflection"
        | "jdk/internal/reflect/ConstantPool"
        | "jdk/internal/misc/VM"
        | "jdk/internal/misc/CDS" => Touches::Nothing,
        _ => Touches::Unknown,
    }
}

/// How many bytes a method of `Unsafe` accesses, by the type in its name.
fn width(name: &str) -> u32 {
    let has = |kinds: [&str; 2]| kinds.iter().any(|kind| name.contains(kind));
    match () {
        () if has(["Long", "Double"]) => 8,
        () if has(["Short", "Char"]) => 2,
        () if has(["Byte", "Boolean"]) => 1,
        () => 4,
    }
}

/// Cells by object and byte offset: `(this, object, offset, …)`.
fn unsafe_touches(name: &str, descriptor: &str) -> Touches {
    let bytes = width(name);
    let cell = |access| Touches::Cell {
        object: 1,
        offset: 2,
        bytes,
        access,
    };
    let swap = Touches::Swap {
        object: 1,
        offset: 2,
        bytes,
        expected: 4,
    };
    let on_cell = descriptor.starts_with("(Ljava/lang/Object;J");
    match name {
        // What it does is done by the strong one.
        _ if name.starts_with("weakCompareAndSet") => Touches::Nothing,
        "park" => Touches::Self_ { limit: 2 },
        "unpark" => Touches::Thread {
            object: 1,
            interrupts: false,
        },
        "compareAndSetInt"
        | "compareAndSetReference"
        | "compareAndExchangeInt"
        | "compareAndExchangeReference"
        | "compareAndSetLong"
        | "compareAndExchangeLong" => swap,
        "shouldBeInitialized0" | "ensureClassInitialized0" => Touches::Class { object: 1 },
        _ if on_cell && name.starts_with("compareAnd") => cell(Access::AtomicWrite),
        _ if on_cell && name.starts_with("get") && name.ends_with("Volatile") => cell(Access::AtomicRead),
        _ if on_cell && name.starts_with("put") && name.ends_with("Volatile") => cell(Access::AtomicWrite),
        _ if on_cell && name.starts_with("get") => cell(Access::Read),
        _ if on_cell && name.starts_with("put") => cell(Access::Write),
        "fullFence" | "loadFence" | "storeFence" | "objectFieldOffset0" | "objectFieldOffset1"
        | "staticFieldOffset0" | "staticFieldBase0" | "arrayBaseOffset0" | "arrayIndexScale0" | "addressSize0"
        | "pageSize" | "isBigEndian0" | "unalignedAccess0" | "registerNatives" | "allocateInstance" => Touches::Nothing,
        _ => Touches::Unknown,
    }
}
