//! Processes and the environment: one process without a number worth knowing, in an empty environment. Starting
//! another is not supported.

use crate::common::{Entry, array_of, non_null, nothing, unsupported, zero_wide};
use machine::{Answer, Args, Machine, Outcome};

const HANDLE: &str = "java/lang/ProcessHandleImpl";

/// The number of the only process.
const PROCESS: i64 = 1;

pub(crate) const METHODS: &[Entry] = &[
    ("java/lang/ProcessEnvironment", "environ", "()[[B", environ),
    (HANDLE, "initNative", "()V", nothing),
    (HANDLE, "getCurrentPid0", "()J", |_, _| Ok(PROCESS.into())),
    (HANDLE, "isAlive0", "(J)J", |_, args| {
        Ok(if args.wide(0) as i64 == PROCESS { 0i64 } else { -1 }.into())
    }),
    (HANDLE, "parent0", "(JJ)J", |_, _| Ok((-1i64).into())),
    (HANDLE, "getProcessPids0", "(J[J[J[J)I", get_process_pids),
    (HANDLE, "destroy0", "(JJZ)Z", |_, _| {
        unsupported("java.lang.ProcessHandle.destroy")
    }),
    (HANDLE, "waitForProcessExit0", "(JZ)I", |_, _| {
        unsupported("java.lang.ProcessHandle.onExit")
    }),
    ("java/lang/ProcessHandleImpl$Info", "info0", "(J)V", nothing),
    ("java/lang/ProcessImpl", "init", "()V", nothing),
    ("java/lang/ProcessImpl", "forkAndExec", "(I[B[B[BI[BI[B[IZ)I", |_, _| {
        unsupported("java.lang.ProcessBuilder.start")
    }),
    ("jdk/internal/misc/VM", "getuid", "()J", zero_wide),
    ("jdk/internal/misc/VM", "geteuid", "()J", zero_wide),
    ("jdk/internal/misc/VM", "getgid", "()J", zero_wide),
    ("jdk/internal/misc/VM", "getegid", "()J", zero_wide),
];

fn environ(m: &mut Machine<'_>, _: &Args) -> Answer {
    let class = array_of(m, m.known.byte_array)?;
    Ok(m.new_references(class, &[])?.into())
}

/// The only process, among all or among the children of no one.
fn get_process_pids(m: &mut Machine<'_>, args: &Args) -> Answer {
    let pids = non_null(args.word(2))?;
    if args.wide(0) != 0 || m.array_length(pids) == 0 {
        return Ok(Outcome::Word(0));
    }
    for (position, value) in [(2, PROCESS as u64), (3, 0), (4, 0)] {
        let array = args.word(position);
        if array != 0 && m.array_length(array) > 0 {
            m.memory.store_wide(array + program::world::ARRAY_HEADER_WORDS, value);
        }
    }
    Ok(Outcome::Word(1))
}
