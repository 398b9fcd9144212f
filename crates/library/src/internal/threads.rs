//! `sun.management.ThreadImpl`: which threads there are, what they wait for, and who waits for each other.
//!
//! How often and how long a thread was blocked is not counted; the monitors that it holds are not listed.

use crate::common::{Entry, array_of, jdk_class, non_null, nothing, unsupported};
use crate::lang::thread::{note_watched, trace_of};
use machine::assemble::Assembler;
use machine::assumption::COUNTS;
use machine::layout::{OWNER_MASK, status, thread};
use machine::{Address, Answer, Args, Machine, Outcome, Trap};
use program::ir::{Instr, RegisterKind};
use program::world::{ARRAY_HEADER_WORDS, MethodId};

const THREADS: &str = "sun/management/ThreadImpl";
const INFO: &str = "java/lang/management/ThreadInfo";

pub(crate) const METHODS: &[Entry] = &[
    (THREADS, "getThreads", "()[Ljava/lang/Thread;", |m, _| {
        let threads = live(m)?;
        thread_array(m, &threads)
    }),
    (
        THREADS,
        "findMonitorDeadlockedThreads0",
        "()[Ljava/lang/Thread;",
        |m, _| deadlocked(m, false),
    ),
    (THREADS, "findDeadlockedThreads0", "()[Ljava/lang/Thread;", |m, _| {
        deadlocked(m, true)
    }),
    (
        THREADS,
        "getThreadInfo1",
        "([JI[Ljava/lang/management/ThreadInfo;)V",
        thread_infos,
    ),
    (
        THREADS,
        "dumpThreads0",
        "([JZZI)[Ljava/lang/management/ThreadInfo;",
        dump,
    ),
    (THREADS, "getThreadTotalCpuTime0", "(J)J", |m, _| Ok(m.clock().into())),
    (THREADS, "getThreadUserCpuTime0", "(J)J", |m, _| Ok(m.clock().into())),
    (THREADS, "setThreadCpuTimeEnabled0", "(Z)V", nothing),
    (THREADS, "setThreadContentionMonitoringEnabled0", "(Z)V", nothing),
    (THREADS, "resetPeakThreadCount0", "()V", nothing),
];

/// The objects of all live threads.
pub(super) fn live(m: &mut Machine<'_>) -> Result<Vec<Address>, Trap> {
    m.note_watch();
    m.violate(&COUNTS);
    m.tell_apart()?;
    let live = (0..=m.highest_thread())
        .filter(|&number| m.thread_word(number, thread::STATUS) != status::FREE)
        .map(|number| m.thread_word(number, thread::OBJECT))
        .filter(|&object| object != 0)
        .collect();
    Ok(live)
}

fn thread_array(m: &mut Machine<'_>, threads: &[Address]) -> Answer {
    let class = array_of(m, m.known.thread)?;
    Ok(m.new_references(class, threads)?.into())
}

/// What a thread waits for, or 0, and who has it.
fn waits_for(m: &mut Machine<'_>, number: u32) -> Result<(Address, Option<u32>), Trap> {
    const OWNABLE: &str = "java/util/concurrent/locks/AbstractOwnableSynchronizer";
    note_watched(m, number);
    let blocker = m.thread_word(number, thread::BLOCKER);
    match m.thread_word(number, thread::STATUS) {
        status::BLOCKED | status::REACQUIRING => {
            let owner = m.memory.load(m.lock_cell(blocker)) & OWNER_MASK;
            Ok((blocker, owner.checked_sub(1)))
        }
        status::WAITING => Ok((blocker, None)),
        status::PARKED => {
            let object = m.thread_word(number, thread::OBJECT);
            let blocker = m.get(object, "java/lang/Thread", "parkBlocker");
            let ownable = jdk_class(m, OWNABLE)?;
            if blocker == 0 || !m.program.is_subclass(m.class_of(blocker), ownable) {
                return Ok((blocker, None));
            }
            let owner = m.get(blocker, OWNABLE, "exclusiveOwnerThread");
            Ok((blocker, if owner == 0 { None } else { m.thread_of(owner) }))
        }
        _ => Ok((0, None)),
    }
}

/// The threads that wait for each other in a circle, by monitors or, if asked for, locks too; null if there are none.
fn deadlocked(m: &mut Machine<'_>, locks: bool) -> Answer {
    m.tell_apart()?;
    let highest = m.highest_thread();
    let mut waiting = Vec::new();
    for number in 0..=highest {
        let counts = locks || m.thread_word(number, thread::STATUS) != status::PARKED;
        waiting.push(if counts { waits_for(m, number)?.1 } else { None });
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
    let circle: Vec<u32> = (0..=highest).filter(|&number| in_circle(number)).collect();
    if circle.is_empty() {
        return Ok(Outcome::Word(0));
    }
    let threads: Vec<Address> = circle
        .iter()
        .map(|&number| m.thread_word(number, thread::OBJECT))
        .collect();
    thread_array(m, &threads)
}

/// Kinds of adaptors.
const MAKING: u32 = 0x4000_0060;
const DUMPING: u32 = 0x4000_0061;

/// Makes an info for each thread with one of the given numbers. The constructor is Java code: this method is entered
/// again after each one, until none is missing.
fn thread_infos(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (ids, depth, infos) = (non_null(args.word(0))?, args.int(1), non_null(args.word(2))?);
    let offset = m.offset("java/lang/Thread", "tid");
    for index in 0..m.array_length(ids).min(m.array_length(infos)) {
        if m.element(infos, index) != 0 {
            continue;
        }
        let id = m.memory.load_wide(ids + ARRAY_HEADER_WORDS + index * 2);
        let Some(object) = live(m)?
            .into_iter()
            .find(|&object| m.memory.load_wide(object + offset) == id)
        else {
            continue;
        };
        let Some(number) = m.thread_of(object) else { continue };
        let (blocker, owner) = waits_for(m, number)?;
        let owner = owner.map_or(0, |owner| m.thread_word(owner, thread::OBJECT));
        let state = thread_state(m, object);
        let trace = shortened(m, object, depth)?;
        let adaptor = making(m)?;
        return Err(Trap::Before(
            adaptor,
            vec![infos, index, object, state, blocker, owner, trace],
        ));
    }
    Ok(Outcome::Void)
}

/// The JDK's own note of a thread's state.
fn thread_state(m: &mut Machine<'_>, object: Address) -> u32 {
    if let Some(offset) = m.find_offset("java/lang/Thread", "threadStatus") {
        return m.memory.load(object + offset);
    }
    match m.get(object, "java/lang/Thread", "holder") {
        0 => 0,
        holder => m.get(holder, "java/lang/Thread$FieldHolder", "threadStatus"),
    }
}

/// The innermost frames of a thread; all of them if `depth` is -1.
fn shortened(m: &mut Machine<'_>, object: Address, depth: i32) -> Result<Address, Trap> {
    let all = trace_of(m, object)?;
    let count = m.array_length(all);
    if depth < 0 || depth as u32 >= count {
        return Ok(all);
    }
    let elements: Vec<Address> = (0..depth as u32).map(|index| m.element(all, index)).collect();
    let class = m.class_of(all);
    m.new_references(class, &elements)
}

/// `infos[index] = new ThreadInfo(thread, state, lock, owner, 0, -1, 0, -1, trace)`.
fn making(m: &mut Machine<'_>) -> Result<MethodId, Trap> {
    let class = jdk_class(m, INFO)?;
    let constructor = "(Ljava/lang/Thread;ILjava/lang/Object;Ljava/lang/Thread;JJJJ[Ljava/lang/StackTraceElement;)V";
    let Some(constructor) = m.program.find_method(class, "<init>", constructor) else {
        return unsupported("java.lang.management.ThreadInfo");
    };
    let descriptor =
        "([Ljava/lang/Object;ILjava/lang/Object;ILjava/lang/Object;Ljava/lang/Object;[Ljava/lang/Object;)V";
    m.adaptor(MAKING, 0, None, descriptor, |_| {
        use RegisterKind::{Ref, Wide, Word};
        let mut assembler = Assembler::new(&[Ref, Word, Ref, Word, Ref, Ref, Ref]);
        let info = assembler.register(Ref);
        let (count, time) = (assembler.register(Wide), assembler.register(Wide));
        assembler.push(Instr::ConstWide { d: count, value: 0 });
        assembler.push(Instr::ConstWide {
            d: time,
            value: u64::MAX,
        });
        assembler.new_object(info, class);
        let words = [
            info,
            2,
            3,
            4,
            5,
            count,
            count + 1,
            time,
            time + 1,
            count,
            count + 1,
            time,
            time + 1,
            6,
        ];
        assembler.call_direct(constructor, &words, None);
        assembler.push(Instr::ArrayPutRef { o: 0, i: 1, s: info });
        assembler.push(Instr::ReturnVoid);
        Ok(assembler)
    })
}

/// Infos of all threads, or of those with the given numbers.
fn dump(m: &mut Machine<'_>, args: &Args) -> Answer {
    let mut ids = args.word(0);
    if ids == 0 {
        let offset = m.offset("java/lang/Thread", "tid");
        let threads = live(m)?;
        ids = m.new_array(m.known.long_array, threads.len() as i32)?;
        for (index, object) in threads.into_iter().enumerate() {
            let id = m.memory.load_wide(object + offset);
            m.memory.store_wide(ids + ARRAY_HEADER_WORDS + index as u32 * 2, id);
        }
    }
    let class = jdk_class(m, INFO)?;
    let array = array_of(m, class)?;
    let infos = m.new_array(array, m.array_length(ids) as i32)?;
    let of = jdk_class(m, THREADS)?;
    let fill = "([JI[Ljava/lang/management/ThreadInfo;)V";
    let Some(fill) = m.program.find_method(of, "getThreadInfo1", fill) else {
        return unsupported("sun.management.ThreadImpl.getThreadInfo1");
    };
    let descriptor = "([JI[Ljava/lang/management/ThreadInfo;)[Ljava/lang/management/ThreadInfo;";
    let adaptor = m.adaptor(DUMPING, 0, None, descriptor, |_| {
        let mut assembler = Assembler::new(&[RegisterKind::Ref, RegisterKind::Word, RegisterKind::Ref]);
        assembler.call_static(fill, &[0, 1, 2], None);
        assembler.push(Instr::Return { s: 2 });
        Ok(assembler)
    })?;
    Ok(Outcome::Call(adaptor, vec![ids, args.word(3), infos]))
}
