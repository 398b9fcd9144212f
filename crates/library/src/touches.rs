//! What each native method touches that other threads may see.
//!
//! Of what is not named here it is not known: that is always right and never fast. A method named as touching nothing reads only
//! what never changes (the program itself, strings), what only its own thread sees, or whether a class is initialised and asks for it.
//! One that is named as touching everything accesses no object of the program's either, but when it does what it does matters.

use kernel::AccessKind;
use machine::Touches;

/// The footprint of a native method, by class, name and descriptor.
pub(crate) fn touches(class: &str, name: &str, descriptor: &str) -> Touches {
    match class {
        "jdk/internal/misc/Unsafe" => unsafe_touches(name, descriptor),
        "java/lang/Object" => match name {
            "getClass" | "registerNatives" => Touches::Nothing,
            "clone" => object(0, AccessKind::Read),
            "hashCode" => Touches::Hash { object: 0 },
            "wait" | "wait0" => Touches::Wait { object: 0, limit: 1 },
            "notify" | "notifyAll" => Touches::Monitor {
                object: 0,
                access: AccessKind::Release,
            },
            _ => Touches::Unknown,
        },
        "java/lang/System" => match name {
            "arraycopy" => Touches::Copy,
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
                access: AccessKind::AtomicRead,
            },
            "start0" => object(0, AccessKind::AtomicWrite),
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
        "java/lang/Throwable" if name == "fillInStackTrace" => Touches::Several(
            const {
                &[
                    throwable(0, "backtrace", AccessKind::Write),
                    throwable(0, "depth", AccessKind::Write),
                    throwable(0, "stackTrace", AccessKind::Write),
                ]
            },
        ),
        "java/lang/NullPointerException" if name == "getExtendedNPEMessage" => {
            throwable(0, "backtrace", AccessKind::Read)
        }
        // What a backtrace holds never changes.
        "java/lang/StackTraceElement" => match descriptor {
            "([Ljava/lang/StackTraceElement;Ljava/lang/Throwable;)V" => Touches::Several(
                const {
                    &[
                        pointees(0),
                        throwable(1, "backtrace", AccessKind::Read),
                        throwable(1, "depth", AccessKind::Read),
                    ]
                },
            ),
            "([Ljava/lang/StackTraceElement;Ljava/lang/Object;I)V" => pointees(0),
            _ => Touches::Several(const { &[object(0, AccessKind::Write), object(1, AccessKind::Read)] }),
        },
        // Output is no place that others could look at. Strings never change; an array may.
        "java/io/PrintStream" => match descriptor {
            "([C)V" => object(1, AccessKind::Read),
            "([BII)V" => elements(1, 2, 3),
            "(Ljava/lang/String;[Ljava/lang/Object;)Ljava/io/PrintStream;" => object(2, AccessKind::Read),
            "(Ljava/util/Locale;Ljava/lang/String;[Ljava/lang/Object;)Ljava/io/PrintStream;" => {
                object(3, AccessKind::Read)
            }
            _ => Touches::Nothing,
        },
        "raddle/Verify" | "gov/nasa/jpf/vm/Verify" => match name {
            "assume" | "ignoreIf" | "beginAtomic" | "endAtomic" => Touches::Everything,
            "getIntFromList" | "getFloatFromList" | "getLongFromList" | "getDoubleFromList" => Touches::Object {
                object: 0,
                access: AccessKind::Read,
            },
            _ => Touches::Nothing,
        },
        "raddle/History" => match name {
            // No thread but its own writes what is noted of a call, and nobody reads it.
            "began" => Touches::Several(
                const {
                    &[
                        Touches::Elements {
                            array: 0,
                            first: 1,
                            count: 2,
                            access: AccessKind::AtomicRead,
                        },
                        Touches::Elements {
                            array: 0,
                            first: 3,
                            count: 4,
                            access: AccessKind::AtomicWrite,
                        },
                    ]
                },
            ),
            "ended" => Touches::Several(const { &[element(0, 2), element(0, 3), element(1, 4)] }),
            "hasPermit" => Touches::Thread {
                object: 0,
                interrupts: false,
            },
            _ => Touches::Unknown,
        },
        "java/io/FileOutputStream" if name == "writeBytes" => Touches::Several(
            const {
                &[
                    elements(1, 2, 3),
                    Touches::Behind {
                        object: 0,
                        class: "java/io/FileOutputStream",
                        field: "fd",
                        access: AccessKind::Read,
                    },
                ]
            },
        ),
        "java/lang/reflect/Array" => match name {
            "getLength" | "newArray" => Touches::Nothing,
            "multiNewArray" => object(1, AccessKind::Read),
            _ => Touches::Element {
                array: 0,
                index: 1,
                access: if name.starts_with("get") {
                    AccessKind::Read
                } else {
                    AccessKind::Write
                },
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
            "refersTo0" => referent(AccessKind::Read),
            "clear0" => referent(AccessKind::Write),
            "hasReferencePendingList" | "getAndClearReferencePendingList" => Touches::Nothing,
            _ => Touches::Unknown,
        },
        // The arguments are taken from an array; what is called then has its own footprint.
        "jdk/internal/reflect/NativeMethodAccessorImpl"
        | "jdk/internal/reflect/DirectMethodHandleAccessor$NativeAccessor" => object(2, AccessKind::Read),
        "jdk/internal/reflect/NativeConstructorAccessorImpl"
        | "jdk/internal/reflect/DirectConstructorHandleAccessor$NativeAccessor" => object(1, AccessKind::Read),
        "java/util/zip/CRC32" | "java/util/zip/Adler32" => match name {
            "update" => Touches::Nothing,
            "updateBytes" | "updateBytes0" => elements(1, 2, 3),
            _ => Touches::Unknown,
        },
        "jdk/internal/misc/VM" if name == "getNanoTimeAdjustment" => Touches::Clock,
        // Whose string it is that all others get depends on who comes first.
        "java/lang/String" if name == "intern" => Touches::Everything,
        "java/lang/invoke/MethodHandleNatives" => match name {
            // A member name is filled in where it lies.
            "init" | "expand" | "resolve" => object(0, AccessKind::Write),
            "getMembers" => pointees(6),
            "objectFieldOffset" | "staticFieldOffset" | "staticFieldBase" | "getMemberVMInfo" => {
                object(0, AccessKind::Read)
            }
            "setCallSiteTargetNormal" => target(AccessKind::Write),
            "setCallSiteTargetVolatile" => target(AccessKind::AtomicWrite),
            _ => Touches::Nothing,
        },
        "java/lang/Class"
        | "java/lang/Float"
        | "java/lang/Double"
        | "java/lang/Math"
        | "java/lang/StrictMath"
        | "java/lang/String"
        | "java/lang/StringCoding"
        | "java/lang/StringUTF16"
        | "jdk/internal/reflect/Reflection"
        | "jdk/internal/reflect/ConstantPool"
        | "jdk/internal/misc/VM"
        | "jdk/internal/vm/ThreadContainers"
        | "jdk/internal/misc/CDS" => Touches::Nothing,
        _ => Touches::Unknown,
    }
}

/// All of the object at a position.
const fn object(object: u32, access: AccessKind) -> Touches {
    Touches::Object { object, access }
}

/// Elements of an array that are read.
const fn elements(array: u32, first: u32, count: u32) -> Touches {
    Touches::Elements {
        array,
        first,
        count,
        access: AccessKind::Read,
    }
}

/// An element of an array that is written.
const fn element(array: u32, index: u32) -> Touches {
    Touches::Element {
        array,
        index,
        access: AccessKind::AtomicWrite,
    }
}

/// The objects in an array, which are filled in where they lie.
const fn pointees(array: u32) -> Touches {
    Touches::Pointees {
        array,
        access: AccessKind::Write,
    }
}

/// A field of a `Throwable`.
const fn throwable(object: u32, field: &'static str, access: AccessKind) -> Touches {
    Touches::Field {
        object,
        class: "java/lang/Throwable",
        field,
        access,
    }
}

/// What a `Reference` refers to.
const fn referent(access: AccessKind) -> Touches {
    Touches::Field {
        object: 0,
        class: "java/lang/ref/Reference",
        field: "referent",
        access,
    }
}

/// Where a `CallSite` leads.
const fn target(access: AccessKind) -> Touches {
    Touches::Field {
        object: 0,
        class: "java/lang/invoke/CallSite",
        field: "target",
        access,
    }
}

/// Bytes of an object, from an offset on.
const fn bytes(object: u32, offset: u32, length: u32, access: AccessKind) -> Touches {
    Touches::Bytes {
        object,
        offset,
        length,
        access,
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
    let width = width(name);
    let cell = |access| Touches::Cell {
        object: 1,
        offset: 2,
        bytes: width,
        access,
    };
    let swap = Touches::Swap {
        object: 1,
        offset: 2,
        bytes: width,
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
        "compareAndSetByte"
        | "compareAndExchangeByte"
        | "compareAndSetShort"
        | "compareAndExchangeShort"
        | "compareAndSetInt"
        | "compareAndSetReference"
        | "compareAndExchangeInt"
        | "compareAndExchangeReference"
        | "compareAndSetLong"
        | "compareAndExchangeLong" => swap,
        "setMemory0" => bytes(1, 2, 4, AccessKind::Write),
        "copyMemory0" | "copySwapMemory0" => {
            Touches::Several(const { &[bytes(1, 2, 7, AccessKind::Read), bytes(4, 5, 7, AccessKind::Write)] })
        }
        "shouldBeInitialized0" | "ensureClassInitialized0" => Touches::Class { object: 1 },
        _ if on_cell && name.starts_with("compareAnd") => cell(AccessKind::AtomicWrite),
        _ if on_cell && name.starts_with("get") && name.ends_with("Volatile") => cell(AccessKind::AtomicRead),
        _ if on_cell && name.starts_with("put") && name.ends_with("Volatile") => cell(AccessKind::AtomicWrite),
        _ if on_cell && name.starts_with("get") => cell(AccessKind::Read),
        _ if on_cell && name.starts_with("put") => cell(AccessKind::Write),
        "fullFence" | "loadFence" | "storeFence" | "objectFieldOffset0" | "objectFieldOffset1"
        | "staticFieldOffset0" | "staticFieldBase0" | "arrayBaseOffset0" | "arrayIndexScale0" | "addressSize0"
        | "pageSize" | "isBigEndian0" | "unalignedAccess0" | "registerNatives" | "allocateInstance" => Touches::Nothing,
        _ => Touches::Unknown,
    }
}
