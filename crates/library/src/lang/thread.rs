//! `java.lang.Thread`, the waiting of `java.lang.Object`, and the parking of `Unsafe`.
//!
//! A method that blocks is entered again when what it waits for has come; `PHASE` in the thread's record tells how
//! far it got. The JDK's service threads (reference handler, finalizer, cleaner) are never started: nothing is ever
//! handed to them, because references are never cleared.

use super::trace;
use crate::common::{array_of, jdk_class, non_null};
use machine::assumption::{COUNTS, INTERRUPTS, WATCHES};
use machine::clock::EPOCH_MILLIS;
use machine::inspect::Wait;
use machine::layout::{status, thread, wake};
use machine::{Address, Answer, Args, Machine, Native, Outcome, Trap, raise};

const THREAD: &str = "java/lang/Thread";
const GROUP: &str = "java/lang/ThreadGroup";
const OBJECT: &str = "java/lang/Object";
const UNSAFE: &str = "jdk/internal/misc/Unsafe";

pub(crate) const METHODS: &[(&str, &str, &str, Native)] = &[
    (THREAD, "currentThread", "()Ljava/lang/Thread;", current_thread),
    (THREAD, "currentCarrierThread", "()Ljava/lang/Thread;", current_thread),
    (THREAD, "setCurrentThread", "(Ljava/lang/Thread;)V", nothing),
    (THREAD, "start0", "()V", start),
    (THREAD, "yield", "()V", give_way),
    (THREAD, "yield0", "()V", give_way),
    (THREAD, "onSpinWait", "()V", give_way),
    (THREAD, "sleep", "(J)V", sleep_millis),
    (THREAD, "sleep0", "(J)V", sleep_nanos),
    (THREAD, "sleepNanos0", "(J)V", sleep_nanos),
    (THREAD, "holdsLock", "(Ljava/lang/Object;)Z", holds_lock),
    (THREAD, "getThreads", "()[Ljava/lang/Thread;", all_threads),
    (
        THREAD,
        "dumpThreads",
        "([Ljava/lang/Thread;)[[Ljava/lang/StackTraceElement;",
        dump_threads,
    ),
    (THREAD, "getStackTrace0", "()Ljava/lang/Object;", stack_trace),
    (THREAD, "setPriority0", "(I)V", nothing),
    (THREAD, "interrupt0", "()V", interrupt),
    (THREAD, "clearInterruptEvent", "()V", nothing),
    (THREAD, "setNativeName", "(Ljava/lang/String;)V", nothing),
    (
        THREAD,
        "ensureMaterializedForStackWalk",
        "(Ljava/lang/Object;)V",
        nothing,
    ),
    (THREAD, "getNextThreadIdOffset", "()J", |_, _| Ok(Outcome::Wide(0))),
    (THREAD, "findScopedValueBindings", "()Ljava/lang/Object;", null),
    (THREAD, "scopedValueCache", "()[Ljava/lang/Object;", null),
    (THREAD, "setScopedValueCache", "([Ljava/lang/Object;)V", nothing),
    (OBJECT, "wait", "(J)V", wait),
    (OBJECT, "wait0", "(J)V", wait),
    (OBJECT, "notify", "()V", notify),
    (OBJECT, "notifyAll", "()V", notify_all),
    (UNSAFE, "park", "(ZJ)V", park),
    (UNSAFE, "unpark", "(Ljava/lang/Object;)V", unpark),
];

/// Methods with a body that are taken over while a program is explored.
///
/// What the JDK keeps about threads for its own use would tell the order in which threads that have nothing to do with each other
/// start and end. So numbers and names are counted by each thread for those that it makes, and the list of a thread group is
/// made when somebody looks at it.
pub(crate) const EXPLORED: &[(&str, &str, &str, Native)] = &[
    (THREAD, "getState", "()Ljava/lang/Thread$State;", get_state),
    (THREAD, "nextThreadNum", "()I", own_name),
    (THREAD, "nextThreadID", "()J", own_number),
    ("java/lang/Thread$ThreadNumbering", "next", "()I", own_name),
    ("java/lang/Thread$ThreadIdentifiers", "next", "()J", own_number),
    (GROUP, "addUnstarted", "()V", nothing),
    (GROUP, "add", "(Ljava/lang/Thread;)V", nothing),
    (GROUP, "threadStartFailed", "(Ljava/lang/Thread;)V", nothing),
    (GROUP, "threadTerminated", "(Ljava/lang/Thread;)V", nothing),
    (GROUP, "activeCount", "()I", with_members),
    (GROUP, "enumerate", "([Ljava/lang/Thread;IZ)I", with_members),
    (GROUP, "interrupt", "()V", with_members),
    (GROUP, "destroy", "()V", with_members),
    (GROUP, "list", "(Ljava/io/PrintStream;I)V", with_members),
    (
        "java/lang/System",
        "getSecurityManager",
        "()Ljava/lang/SecurityManager;",
        null,
    ),
    (
        "java/lang/System",
        "setSecurityManager",
        "(Ljava/lang/SecurityManager;)V",
        no_manager,
    ),
];

/// How many threads one thread may make.
const MOST_MADE: u32 = 0xffff;
/// How many names one thread makes up before it uses the last one again and again, where nobody reads them: a program that starts
/// threads for ever has states without end otherwise.
const MOST_NAMES: u32 = 10;

fn counted(m: &mut Machine<'_>, word: u32) -> Result<u32, Trap> {
    let made = m.thread_word(m.current(), word);
    if made == MOST_MADE {
        return Err(Trap::Unsupported(format!("more than {MOST_MADE} threads made by one")));
    }
    m.set_thread_word(m.current(), word, made + 1);
    Ok(made)
}

/// The number in the name of the next thread: 0, 1, 2 for those that the main thread makes.
fn own_name(m: &mut Machine<'_>, _: &Args) -> Answer {
    let lineage = match m.semantics.names_threads {
        true => m.lineage() as u32,
        false => u32::from(m.current() != 0),
    };
    let is_last = m.thread_word(m.current(), thread::NAMES) == MOST_NAMES - 1;
    let made = match m.semantics.names_threads || !is_last {
        true => counted(m, thread::NAMES)?,
        false => MOST_NAMES - 1,
    };
    Ok(Outcome::Word((lineage.wrapping_mul(1000) & 0x3fff_ffff) + made))
}

/// The id of the next thread, which no other has; the same for all of the program's where nobody reads them.
fn own_number(m: &mut Machine<'_>, args: &Args) -> Answer {
    if m.is_booting() {
        return next_id(m, args);
    }
    if !m.semantics.names_threads {
        return Ok(Outcome::Wide(m.next_id(0)?));
    }
    let made = counted(m, thread::NUMBERS)?;
    Ok(Outcome::Wide(m.next_id(made)?))
}

/// Fills the list of a thread group before its body looks at it.
fn with_members(m: &mut Machine<'_>, args: &Args) -> Answer {
    if m.find_offset(GROUP, "threads").is_none() {
        // It has none: its body asks which threads there are.
        return Ok(Outcome::Body);
    }
    let group = args.word(0);
    let mut members = Vec::new();
    for object in live_threads(m)? {
        if m.find_offset(THREAD, "group")
            .is_some_and(|offset| m.memory.load(object + offset) == group)
        {
            members.push(object);
        }
    }
    let class = m.program.array_of(m.known.thread).map_err(machine::link::load_trap)?;
    let list = m.new_references(class, &members)?;
    m.set(group, GROUP, "threads", list);
    m.set(group, GROUP, "nthreads", members.len() as u32);
    Ok(Outcome::Body)
}

fn no_manager(_: &mut Machine<'_>, _: &Args) -> Answer {
    Err(Trap::Unsupported("a security manager".to_owned()))
}

/// A thread that stands before a monitor which another has is blocked, although it has not tried. The body reads what is noted
/// here.
fn get_state(m: &mut Machine<'_>, args: &Args) -> Answer {
    if let Some(number) = m.thread_of(args.word(0)) {
        note_watched(m, number);
        // SOUNDNESS: what a parked thread waits for is looked at, and nothing made of it.
        match m.settled_mut(|m| m.wait_of(number)) {
            // It may have tried already, or not yet.
            Wait::Monitor { .. } => m.note_blocked(number, m.choice() == 1),
            Wait::Nothing => m.note_blocked(number, false),
            _ => {}
        }
    }
    Ok(Outcome::Body)
}

/// Methods with a body that are taken over.
pub(crate) const REPLACED: &[(&str, &str, &str, Native)] = &[
    // A hint that does nothing on a JVM without a processor instruction for it; here it ends the turn.
    (THREAD, "onSpinWait", "()V", give_way),
    // One counter for a run and for the boot sequence of a search. The body of the newer one counts outside of the heap.
    (THREAD, "nextThreadID", "()J", next_id),
    ("java/lang/Thread$ThreadIdentifiers", "next", "()J", next_id),
];

fn nothing(_: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(Outcome::Void)
}

fn null(_: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(Outcome::Word(0))
}

fn current_thread(m: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(Outcome::Word(m.thread_word(m.current(), thread::OBJECT)))
}

fn next_id(m: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(Outcome::Wide(m.count_id()))
}

fn start(m: &mut Machine<'_>, args: &Args) -> Answer {
    let object = args.word(0);
    if !is_service(m, object)? {
        m.start_thread(object)?;
    }
    Ok(Outcome::Void)
}

fn is_service(m: &mut Machine<'_>, object: Address) -> Result<bool, Trap> {
    Ok(match &*m.program.class(m.class_of(object)).name {
        "java/lang/ref/Reference$ReferenceHandler" | "java/lang/ref/Finalizer$FinalizerThread" => true,
        "jdk/internal/misc/InnocuousThread" => {
            m.tell_apart()?;
            let name = m.get(object, THREAD, "name");
            m.text_or_null(name).is_some_and(|name| name == "Common-Cleaner")
        }
        _ => false,
    })
}

fn give_way(m: &mut Machine<'_>, _: &Args) -> Answer {
    m.give_way();
    Ok(Outcome::Void)
}

fn sleep_millis(m: &mut Machine<'_>, args: &Args) -> Answer {
    let millis = args.wide(0) as i64;
    if millis < 0 {
        return raise("java/lang/IllegalArgumentException", "timeout value is negative");
    }
    sleep(m, (millis as u64).saturating_mul(1_000_000))
}

fn sleep_nanos(m: &mut Machine<'_>, args: &Args) -> Answer {
    sleep(m, args.wide(0))
}

fn sleep(m: &mut Machine<'_>, nanos: u64) -> Answer {
    let me = m.current();
    if m.thread_word(me, thread::PHASE) == 0 {
        if m.is_interrupted(me) {
            return sleep_interrupted(m);
        }
        if nanos == 0 {
            m.give_way();
            return Ok(Outcome::Void);
        }
        m.set_thread_word(me, thread::PHASE, 1);
        let deadline = deadline(m, nanos);
        m.wait_for(status::SLEEPING, 0, deadline);
        return Ok(Outcome::Block);
    }
    m.set_thread_word(me, thread::PHASE, 0);
    m.resume_running();
    if m.wake_kind(me) == wake::INTERRUPTED {
        return sleep_interrupted(m);
    }
    Ok(Outcome::Void)
}

/// A platform thread is told what was interrupted; a virtual one is not.
fn sleep_interrupted(m: &mut Machine<'_>) -> Answer {
    let me = m.current();
    m.clear_interrupt(me);
    let object = m.thread_word(me, thread::OBJECT);
    let is_virtual = m
        .program
        .class(m.class_of(object))
        .name
        .ends_with("$BoundVirtualThread");
    let message = (!is_virtual).then(|| "sleep interrupted".to_owned());
    Err(Trap::Raise("java/lang/InterruptedException", message))
}

/// A moment that is never 0, which would mean "for ever".
fn deadline(m: &Machine<'_>, nanos: u64) -> u64 {
    m.clock().saturating_add(nanos).clamp(1, u64::MAX - 1)
}

fn holds_lock(m: &mut Machine<'_>, args: &Args) -> Answer {
    if args.word(0) == 0 {
        return Err(Trap::Raise("java/lang/NullPointerException", None));
    }
    Ok(m.holds(args.word(0)).into())
}

fn live_threads(m: &mut Machine<'_>) -> Result<Vec<Address>, Trap> {
    m.note_watch();
    m.violate(&COUNTS);
    m.tell_apart()?;
    let live = |&number: &u32| m.thread_word(number, thread::STATUS) != status::FREE;
    let objects = (0..=m.highest_thread())
        .filter(live)
        .map(|number| m.thread_word(number, thread::OBJECT));
    Ok(objects
        .filter(|&object| object != 0 && m.thread_of(object).is_some())
        .collect())
}

fn all_threads(m: &mut Machine<'_>, _: &Args) -> Answer {
    let threads = live_threads(m)?;
    let class = m.program.array_of(m.known.thread).map_err(machine::link::load_trap)?;
    Ok(Outcome::Word(m.new_references(class, &threads)?))
}

/// The frames of a thread as an array of `StackTraceElement`; empty if it is not alive.
pub(crate) fn trace_of(m: &mut Machine<'_>, object: Address) -> Result<Address, Trap> {
    let number = m.thread_of(object);
    if let Some(number) = number {
        note_watched(m, number);
    }
    let frames = number.map(|number| m.backtrace(number, None)).unwrap_or_default();
    let element = jdk_class(m, "java/lang/StackTraceElement")?;
    let mut elements = Vec::with_capacity(frames.len());
    for (method, bci) in frames {
        let made = m.new_object(element)?;
        trace::fill(m, made, method, bci.into())?;
        elements.push(made);
    }
    let class = array_of(m, element)?;
    m.new_references(class, &elements)
}

fn stack_trace(m: &mut Machine<'_>, args: &Args) -> Answer {
    Ok(trace_of(m, args.word(0))?.into())
}

fn dump_threads(m: &mut Machine<'_>, args: &Args) -> Answer {
    let threads = non_null(args.word(0))?;
    let mut traces = Vec::new();
    for index in 0..m.array_length(threads) {
        let object = m.element(threads, index);
        let alive = object != 0 && m.thread_of(object).is_some();
        traces.push(if alive { trace_of(m, object)? } else { 0 });
    }
    let element = jdk_class(m, "java/lang/StackTraceElement")?;
    let row = array_of(m, element)?;
    let class = array_of(m, row)?;
    Ok(m.new_references(class, &traces)?.into())
}

/// Notes that what another thread is doing has been looked at.
pub(crate) fn note_watched(m: &mut Machine<'_>, number: u32) {
    if number != m.current() {
        m.note_watch();
        m.note_looked();
        m.violate(&WATCHES);
    }
}

fn interrupt(m: &mut Machine<'_>, args: &Args) -> Answer {
    m.violate(&INTERRUPTS);
    m.interrupt(args.word(0));
    Ok(Outcome::Void)
}

fn wait(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (object, millis) = (args.word(0), args.wide(1) as i64);
    let me = m.current();
    if m.thread_word(me, thread::PHASE) == 0 {
        if millis < 0 {
            return raise("java/lang/IllegalArgumentException", "timeout value is negative");
        }
        check_owner(m, object)?;
        if m.is_interrupted(me) {
            m.clear_interrupt(me);
            return Err(Trap::Raise("java/lang/InterruptedException", None));
        }
        let count = m.release_all(object);
        m.set_thread_word(me, thread::COUNT, count);
        m.set_thread_word(me, thread::PHASE, 1);
        let until = if millis == 0 {
            0
        } else {
            deadline(m, (millis as u64).saturating_mul(1_000_000))
        };
        m.wait_for(status::WAITING, object, until);
        return Ok(Outcome::Block);
    }
    let count = m.thread_word(me, thread::COUNT);
    if !m.take_back(object, count) {
        m.set_thread_word(me, thread::STATUS, status::REACQUIRING);
        return Ok(Outcome::Block);
    }
    m.set_thread_word(me, thread::PHASE, 0);
    m.resume_running();
    if m.leave_wait_set(object) {
        m.clear_interrupt(me);
        return Err(Trap::Raise("java/lang/InterruptedException", None));
    }
    Ok(Outcome::Void)
}

fn notify(m: &mut Machine<'_>, args: &Args) -> Answer {
    check_owner(m, args.word(0))?;
    m.wake_one(args.word(0));
    Ok(Outcome::Void)
}

fn notify_all(m: &mut Machine<'_>, args: &Args) -> Answer {
    check_owner(m, args.word(0))?;
    m.wake_all(args.word(0));
    Ok(Outcome::Void)
}

fn check_owner(m: &Machine<'_>, object: Address) -> Result<(), Trap> {
    if m.holds(object) {
        Ok(())
    } else {
        raise("java/lang/IllegalMonitorStateException", "current thread is not owner")
    }
}

fn park(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (absolute, time) = (args.word(1) != 0, args.wide(2) as i64);
    let me = m.current();
    m.note_parked();
    if m.thread_word(me, thread::PHASE) != 0 {
        m.set_thread_word(me, thread::PHASE, 0);
        m.set_thread_word(me, thread::PERMIT, 0);
        m.resume_running();
        return Ok(Outcome::Void);
    }
    if m.thread_word(me, thread::PERMIT) != 0 {
        m.set_thread_word(me, thread::PERMIT, 0);
        return Ok(Outcome::Void);
    }
    if m.is_interrupted(me) || time < 0 || absolute && time == 0 {
        return Ok(Outcome::Void);
    }
    let until = if absolute {
        let nanos = (time as u64).saturating_sub(EPOCH_MILLIS).saturating_mul(1_000_000);
        if nanos <= m.clock() {
            return Ok(Outcome::Void);
        }
        nanos
    } else if time == 0 {
        0
    } else {
        deadline(m, time as u64)
    };
    m.set_thread_word(me, thread::PHASE, 1);
    m.wait_for(status::PARKED, 0, until);
    Ok(Outcome::Block)
}

fn unpark(m: &mut Machine<'_>, args: &Args) -> Answer {
    if args.word(1) != 0 {
        m.unpark(args.word(1));
    }
    Ok(Outcome::Void)
}
