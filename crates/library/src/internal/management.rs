//! `java.lang.management`: what programs ask about the machine and its memory. Pools, collectors and what only HotSpot
//! has are not supported.

use super::threads::live;
use crate::common::{Entry, jdk_class, nothing, unsupported, zero, zero_wide};
use crate::lang::runtime::{heap_bytes, used_bytes};
use machine::assemble::Assembler;
use machine::layout::{class, class_record};
use machine::{Answer, Args, Machine, Outcome};
use program::ir::{Instr, RegisterKind};

const VM: &str = "sun/management/VMManagementImpl";
const MEMORY: &str = "sun/management/MemoryImpl";
const SYSTEM: &str = "com/sun/management/internal/OperatingSystemImpl";

pub(crate) const METHODS: &[Entry] = &[
    (VM, "getVersion0", "()Ljava/lang/String;", |m, _| {
        Ok(m.new_string("4.0")?.into())
    }),
    (VM, "initOptionalSupportFields", "()V", set_supported),
    (VM, "isThreadContentionMonitoringEnabled", "()Z", zero),
    (VM, "isThreadCpuTimeEnabled", "()Z", zero),
    (VM, "isThreadAllocatedMemoryEnabled", "()Z", zero),
    (VM, "getTotalClassCount", "()J", |m, _| {
        Ok(u64::from(loaded_classes(m)).into())
    }),
    (VM, "getUnloadedClassCount", "()J", zero_wide),
    (VM, "getVerboseClass", "()Z", zero),
    (VM, "getVerboseGC", "()Z", zero),
    (VM, "getProcessId", "()I", |_, _| Ok(1.into())),
    (VM, "getVmArguments0", "()[Ljava/lang/String;", |m, _| {
        Ok(m.new_references(m.known.string_array, &[])?.into())
    }),
    (VM, "getStartupTime", "()J", |_, _| {
        Ok((crate::lang::system::EPOCH_SECONDS * 1000).into())
    }),
    (VM, "getUptime0", "()J", |m, _| Ok((m.clock() / 1_000_000).into())),
    (VM, "getAvailableProcessors", "()I", |_, _| {
        Ok(crate::lang::runtime::PROCESSORS.into())
    }),
    (VM, "getTotalCompileTime", "()J", zero_wide),
    (VM, "getTotalThreadCount", "()J", |m, _| {
        Ok((live(m)?.len() as u64).into())
    }),
    (VM, "getLiveThreadCount", "()I", |m, _| {
        Ok((live(m)?.len() as i32).into())
    }),
    (VM, "getPeakThreadCount", "()I", |m, _| {
        Ok((live(m)?.len() as i32).into())
    }),
    (VM, "getDaemonThreadCount", "()I", |m, _| {
        let threads = live(m)?;
        Ok((threads.into_iter().filter(|&thread| m.is_daemon(thread)).count() as i32).into())
    }),
    (
        MEMORY,
        "getMemoryUsage0",
        "(Z)Ljava/lang/management/MemoryUsage;",
        memory_usage,
    ),
    (MEMORY, "setVerboseGC", "(Z)V", nothing),
    ("sun/management/ClassLoadingImpl", "setVerboseClass", "(Z)V", nothing),
    (SYSTEM, "initialize0", "()V", nothing),
    (SYSTEM, "getProcessCpuTime0", "()J", |m, _| Ok(m.clock().into())),
    (SYSTEM, "getProcessCpuLoad0", "()D", |_, _| Ok(0f64.into())),
    (SYSTEM, "getCpuLoad0", "()D", |_, _| Ok(0f64.into())),
    (SYSTEM, "getTotalMemorySize0", "()J", |_, _| Ok((1u64 << 32).into())),
    (SYSTEM, "getFreeMemorySize0", "()J", |_, _| Ok((1u64 << 31).into())),
];

fn loaded_classes(m: &Machine<'_>) -> u32 {
    m.program
        .class_ids()
        .filter(|&id| m.memory.load(class_record(id) + class::MIRROR) != 0)
        .count() as u32
}

/// What can be asked of this JVM.
fn set_supported(m: &mut Machine<'_>, _: &Args) -> Answer {
    let of = jdk_class(m, VM)?;
    let statics = m.statics(of)?;
    let supported = [
        "currentThreadCpuTime",
        "otherThreadCpuTime",
        "objectMonitorUsage",
        "synchronizerUsage",
    ];
    for name in supported {
        if let Some(found) = m.program.field(of, &format!("{name}Support"), "Z") {
            m.memory.store(statics + found.field.offset, 1);
        }
    }
    Ok(Outcome::Void)
}

/// Kind of adaptor.
const USAGE: u32 = 0x4000_0040;

/// `new MemoryUsage(init, used, committed, max)`.
fn memory_usage(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = jdk_class(m, "java/lang/management/MemoryUsage")?;
    let Some(constructor) = m.program.find_method(class, "<init>", "(JJJJ)V") else {
        return unsupported("java.lang.management.MemoryUsage");
    };
    let adaptor = m.adaptor(USAGE, 0, None, "(JJJJ)Ljava/lang/management/MemoryUsage;", |_| {
        let mut assembler = Assembler::new(&[RegisterKind::Wide; 4]);
        let object = assembler.register(RegisterKind::Ref);
        assembler.new_object(object, class);
        let words: Vec<u16> = std::iter::once(object).chain(0..8).collect();
        assembler.call_direct(constructor, &words, None);
        assembler.push(Instr::Return { s: object });
        Ok(assembler)
    })?;
    let size = heap_bytes(m);
    let used = if args.word(1) & 1 != 0 { used_bytes(m) } else { 0 };
    let words = [size, used, size, size]
        .into_iter()
        .flat_map(|value| [value as u32, (value >> 32) as u32]);
    Ok(Outcome::Call(adaptor, words.collect()))
}
