//! The report as data: what `--json` writes and what text and HTML are made from.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The version of the JSON form. It changes when a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// What is said about a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No execution breaks a property.
    Holds,
    /// Some execution does.
    Violated,
    /// Neither is known.
    #[default]
    Unknown,
}

impl Verdict {
    /// Its word in all that is written.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Everything that is said about one run of `raddle check`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of Raddle.
    pub version: String,
    /// What was checked, as the user named it.
    pub program: String,
    /// What is said about the program.
    pub verdict: Verdict,
    /// What is known all the same where the verdict is unknown, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known: Option<String>,
    /// Where the verdict is unknown: no schedule with at most so many preemptions has a violation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub preemptions: Option<u32>,
    /// Why the verdict is unknown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// What would help against an unknown verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub help: Option<String>,
    /// What the verdict rests on, a sentence each (sequential consistency, options that narrow the search).
    #[serde(default)]
    pub rests_on: Vec<String>,
    /// The operations of the JDK's library that took effect at once, because they were proved to: class and method.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<String>,
    /// What the reductions took for granted and was found to be so in all that was explored, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// What they took for granted first and was wrong; the search started over without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Dropped>,
    /// How often the search started over.
    #[serde(default)]
    pub restarts: u32,
    /// Remarks that change no verdict, a sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Names of the reductions in use.
    pub reductions: Vec<String>,
    /// Names of the properties that were checked.
    pub properties: Vec<String>,
    /// `dfs`, `bfs` or `random`.
    pub search: String,
    /// `exact`, `fingerprint` or `bits`.
    pub store: String,
    /// Distinct states stored.
    pub states: u64,
    /// Steps taken.
    pub transitions: u64,
    /// Distinct states in which the program was over.
    #[serde(default)]
    pub end_states: u64,
    /// How many random walks were made before the search.
    #[serde(default)]
    pub walks: u64,
    /// Their steps.
    #[serde(default)]
    pub walk_steps: u64,
    /// Longest path.
    pub max_depth: u64,
    /// Most threads alive at once.
    pub threads: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// Most memory that the process held.
    pub peak_bytes: u64,
    /// Memory of the visited store for each state.
    pub bytes_per_state: f64,
    /// How likely a hash collision hid a state; 0 for an exact store.
    #[serde(default)]
    pub collision_probability: f64,
    /// What the program was seen to have, by the places where it said so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observations: Vec<Observation>,
    /// What was found, the first one first.
    pub violations: Vec<Violation>,
}

/// Something taken for granted that is wrong, and the first access that showed it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// What was taken for granted, in one sentence.
    pub what: String,
    /// Name of the thread that made the access.
    pub thread: String,
    /// Class in whose code it happened; empty if unknown.
    pub class: String,
    /// Its source file; empty if unknown.
    pub file: String,
    /// The line; 0 if unknown.
    pub line: u32,
}

/// A value that some execution gave to `Verify.observe`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Class in whose code it happened; empty if unknown.
    pub class: String,
    /// Its source file; empty if unknown.
    pub file: String,
    /// The line; 0 if unknown.
    pub line: u32,
    /// The value.
    pub value: i32,
}

/// One defect.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Violation {
    /// Name of the property that is broken.
    pub property: String,
    /// What happened, in one sentence, as a heading: `uncaught java.lang.AssertionError: expected 2 in thread "main"`.
    pub message: String,
    /// Class in whose code it happened; empty if unknown.
    pub class: String,
    /// Its source file; empty if unknown.
    pub file: String,
    /// The line; 0 if unknown.
    pub line: u32,
    /// Why it happened, a line each: who waits for what, held by whom, where; the two accesses of a race.
    pub why: Vec<String>,
    /// Every thread's stack at the end, as a thread dump shows it.
    pub stacks: Vec<Stack>,
    /// How to get there.
    pub trace: Trace,
    /// What the steps of the schedule depend on besides the reductions, by name.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub learned: Vec<String>,
}

/// A thread in a thread dump.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stack {
    /// Name of the thread.
    pub thread: String,
    /// `RUNNABLE`, `BLOCKED`, `WAITING`, `TIMED_WAITING` or `TERMINATED`, with what it waits for in words.
    pub state: String,
    /// Frames from the top: `Main.run(Main.java:12)`; lines about locks are indented by the renderer and begin with
    /// `- `, as in `- waiting to lock Object#3`.
    pub frames: Vec<String>,
}

/// A schedule and what it does.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Names of the threads, by the numbers that steps use.
    pub threads: Vec<String>,
    /// What happens, in order; neighbouring steps of a thread on one line are one row.
    pub rows: Vec<Row>,
    /// Source texts by file name, as far as they were found: lines from 1 on.
    #[serde(default)]
    pub sources: BTreeMap<String, Vec<String>>,
    /// The schedule that `raddle replay` follows, a word for each step.
    pub schedule: Vec<String>,
    /// Row at which the loop begins that the execution runs for ever, for a livelock.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub loop_start: Option<usize>,
}

/// What one thread does on one source line, before another one moves or the line changes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// Index into [`Trace::threads`].
    pub thread: usize,
    /// Class of the user's code.
    pub class: String,
    /// Method of the user's code.
    pub method: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Line; 0 if unknown.
    pub line: u32,
    /// The source line, trimmed; empty if it was not found.
    pub source: String,
    /// The library call on that line within which it happens: `AtomicInteger.incrementAndGet`; empty for none.
    #[serde(default)]
    pub call: String,
    /// What happens, in order.
    pub events: Vec<Event>,
    /// How many steps of the schedule the row stands for.
    pub steps: usize,
    /// Locks held after the row.
    pub locks: Vec<Held>,
}

/// A lock and who has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The object: `Object#3`, `ReentrantLock#1`.
    pub object: String,
    /// Index of the thread that holds it.
    pub owner: usize,
    /// Indexes of the threads that want it.
    #[serde(default)]
    pub wanted_by: Vec<usize>,
}

/// One thing that happens in a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A field or element is read.
    Read {
        /// `Account.balance`, `Node#2.next`, `int[3]#1[0]`.
        place: String,
        /// The value: `5`, `null`, `"text"`, `Node#2`.
        value: String,
    },
    /// A field or element is written.
    Write {
        /// As for a read.
        place: String,
        /// The value before.
        old: String,
        /// The value after.
        new: String,
    },
    /// A monitor or lock is taken.
    Lock {
        /// The object.
        object: String,
    },
    /// A monitor or lock is given back.
    Unlock {
        /// The object.
        object: String,
    },
    /// A line of output.
    Print {
        /// What is printed, without the line end.
        text: String,
    },
    /// Anything else, in a few words: `waits on Object#1`, `starts thread "b"`, `is notified`, `time is up`,
    /// `chooses 2 of 3`, `ends`, `throws java.lang.AssertionError: expected 2`.
    Other {
        /// The words.
        text: String,
    },
}
