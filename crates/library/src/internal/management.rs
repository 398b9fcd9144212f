//! `java.lang.management`: what programs ask about threads and memory. Pools, collectors, thread infos and what only
//! HotSpot has are not supported.

use crate::common::{Entry, array_of, jdk_class, nothing, unsupported, zero, zero_wide};
use machine::assemble::Assembler;
use machine::layout::{HEAP, OWNER_MASK, class, class_record, status, thread};
use machine::{Address, Answer, Args, Machine, Outcome, Trap};
use program::ir::{Instr, RegisterKind};

const VM: &str = "sun/management/VMManagementImpl";
const THREAD: &str = "sun/management/ThreadImpl";
const MEMORY: &str = "sun/management/MemoryImpl";
const SYSTEM: &str = "com/sun/management/internal/OperatingSystemImpl";

pub(crate) const METHODS: &[Entry] = &[
    (VM, "getVersion0", "()Ljava/lang/String;", |m, _| Ok(m.new_string("4.0")?.into())),
    (VM, "initOptionalSupportFields", "()V", nothing),
    (VM, "isThreadContentionMonitoringEnabled", "()Z", zero),
    (VM, "isThreadCpuTimeEnabled", "()Z", zero),
    (VM, "isThreadAllocatedMemoryEnabled", "()Z", zero),
    (VM, "getTotalClassCount", "()J", |m, _| Ok(u64::from(loaded_classes(m)).into())),
    (VM, "getUnloadedClassCount", "()J", zero_wide),
    (VM, "getVerboseClass", "()Z", zero),
    (VM, "getVerboseGC", "()Z", zero),
    (VM, "getProcessId", "()I", |_, _| Ok(1.into())),
    (VM, "getVmArguments0", "()[Ljava/lang/String;", |m, _| Ok(m.new_references(m.known.string_array, &[])?.into())),
    (VM, "getStartupTime", "()J", |_, _| Ok((crate::lang::system::EPOCH_SECONDS * 1000).into())),
    (VM, "getUptime0", "()J", |m, _| Ok((m.clock() / 1_000_000).into())),
    (VM, "getAvailableProcessors", "()I", |_, _| Ok(crate::lang::runtime::PROCESSORS.into())),
    (VM, "getTotalCompileTime", "()J", zero_wide),
    (VM, "getTotalThreadCount", "()J", |m, _| Ok((live(m).len() as u64).into())),
    (VM, "getLiveThreadCount", "()I", |m, _| Ok((live(m).len() as i32).into())),
    (VM, "getPeakThreadCount", "()I", |m, _| Ok((live(m).len() as i32).into())),
    (VM, "getDaemonThreadCount", "()I", |m, _| {
        let threads = live(m);
        Ok((threads.into_iter().filter(|&thread| m.is_daemon(thread)).count() as i32).into())
    }),
    (THREAD, "getThreads", "()[Ljava/lang/Thread;", |m, _| {
        let threads = live(m);
        thread_array(m, &threads)
    }),
    (THREAD, "findMonitorDeadlockedThreads0", "()[Ljava/lang/Thread;", |m, _| deadlocked(m, false)),
    (THREAD, "findDeadlockedThreads0", "()[Ljava/lang/Thread;", |m, _| deadlocked(m, true)),
    (THREAD, "getThreadTotalCpuTime0", "(J)J", |m, _| Ok(m.clock().into())),
    (THREAD, "getThreadUserCpuTime0", "(J)J", |m, _| Ok(m.clock().into())),
    (THREAD, "setThreadCpuTimeEnabled0", "(Z)V", nothing),
    (THREAD, "setThreadContentionMonitoringEnabled0", "(Z)V", nothing),
    (THREAD, "resetPeakThreadCount0", "()V", nothing),
    (MEMORY, "getMemoryUsage0", "(Z)Ljava/lang/management/MemoryUsage;", memory_usage),
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
    (1..m.program.class_end()).filter(|&id| m.memory.load(class_record(id) + class::MIRROR) != 0).count() as u32
}

/// The objects of all live threads.
fn live(m: &Machine<'_>) -> Vec<Address> {
    (0..=m.highest_thread())
        .filter(|&number| m.thread_word(number, thread::STATUS) != status::FREE)
        .map(|number| m.thread_word(number, thread::OBJECT))
        .filter(|&object| object != 0)
        .collect()
}

fn thread_array(m: &mut Machine<'_>, threads: &[Address]) -> Answer {
    let class = array_of(m, m.known.thread)?;
    Ok(m.new_references(class, threads)?.into())
}

/// Whom a thread waits for: the owner of the monitor that it wants or, if asked for, of the lock that it is parked on.
fn waits_for(m: &mut Machine<'_>, number: u32, locks: bool) -> Result<Option<u32>, Trap> {
    const OWNABLE: &str = "java/util/concurrent/locks/AbstractOwnableSynchronizer";
    match m.thread_word(number, thread::STATUS) {
        status::BLOCKED | status::REACQUIRING => {
            let monitor = m.thread_word(number, thread::BLOCKER);
            let owner = m.memory.load(m.lock_cell(monitor)) & OWNER_MASK;
            Ok(owner.checked_sub(1))
        }
        status::PARKED if locks => {
            let object = m.thread_word(number, thread::OBJECT);
            let blocker = m.get(object, "java/lang/Thread", "parkBlocker");
            let ownable = jdk_class(m, OWNABLE)?;
            if blocker == 0 || !m.program.is_subclass(m.class_of(blocker), ownable) {
                return Ok(None);
            }
            let owner = m.get(blocker, OWNABLE, "exclusiveOwnerThread");
            Ok(if owner == 0 { None } else { m.thread_of(owner) })
        }
        _ => Ok(None),
    }
}

/// The threads that wait for each other in a circle; null if there are none.
fn deadlocked(m: &mut Machine<'_>, locks: bool) -> Answer {
    let highest = m.highest_thread();
    let mut waiting = Vec::new();
    for number in 0..=highest {
        waiting.push(waits_for(m, number, locks)?);
    }
    let in_circle = |start: u32| {
        let mut at = start;
        for _ in 0..=highest {
            match waiting.get(at as usize).copied().flatten() {
                Some(next) if next == start => return true,
                Some(next) => at = next,
                None => return false,
            }
        }
        false
    };
    let threads: Vec<Address> = (0..=highest)
        .filter(|&number| in_circle(number))
        .map(|number| m.thread_word(number, thread::OBJECT))
        .collect();
    if threads.is_empty() {
        return Ok(Outcome::Word(0));
    }
    thread_array(m, &threads)
}

/// Kind of adaptor.
const USAGE: u32 = 0x4000_0040;

/// `new MemoryUsage(init, used, committed, max)`.
fn memory_usage(m: &mut Machine<'_>, args: &Args) -> Answer {
    let class = m.program.load(program::world::LoaderId::BOOT, "java/lang/management/MemoryUsage");
    let class = class.map_err(machine::link::load_trap)?;
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
    let size = u64::from(m.memory.limit() - HEAP) * 4;
    let used = if args.word(1) & 1 != 0 { u64::from(m.memory.top() - HEAP) * 4 } else { 0 };
    let words = [size, used, size, size].into_iter().flat_map(|value| [value as u32, (value >> 32) as u32]);
    Ok(Outcome::Call(adaptor, words.collect()))
}
