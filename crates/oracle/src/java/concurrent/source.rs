//! The same as Java source, and the names in it.

use super::super::names::{INTERRUPTS, names_of_ref, names_of_stmt};
use super::super::source::Writer;
use super::super::{Program, Ref, Stmt};
use super::{Ask, Deed, Gate, Op, Owned, Patience, Take, Whom};
use std::collections::BTreeSet;

/// Static fields, in the order in which they are declared.
pub(in super::super) const STATICS: [(&str, &str); 8] = [
    ("k0", "static final K k0 = new K();"),
    ("k1", "static final K k1 = new K();"),
    ("y", "static final Y y = new Y();"),
    ("c0", "static final Condition c0 = k0.newCondition();"),
    ("c1", "static final Condition c1 = k1.newCondition();"),
    (
        "rw",
        "static final ReentrantReadWriteLock rw = new ReentrantReadWriteLock();",
    ),
    ("s", "static final Semaphore s = new Semaphore(1);"),
    ("m", "static volatile long m;"),
];

/// A lock that tells whether it names an owner.
const LOCK: &str = "static class K extends ReentrantLock { boolean owned() { return getOwner() != null; } }";

/// Members of `Y`, which does what it is told.
const SYNCHRONIZER: [(&str, &str); 8] = [
    (
        "Y.take",
        "void take() { setExclusiveOwnerThread(Thread.currentThread()); }",
    ),
    ("Y.drop", "void drop() { setExclusiveOwnerThread(null); }"),
    ("Y.give", "void give(Thread to) { setExclusiveOwnerThread(to); }"),
    (
        "Y.mine",
        "boolean mine() { return getExclusiveOwnerThread() == Thread.currentThread(); }",
    ),
    ("Y.free", "boolean free() { return getExclusiveOwnerThread() == null; }"),
    ("Y.get", "int get() { return getState(); }"),
    ("Y.set", "void set(int state) { setState(state); }"),
    (
        "Y.swap",
        "boolean swap(int old, int state) { return compareAndSetState(old, state); }",
    ),
];

/// Classes of `java.util.concurrent`, and the names that stand for their use.
pub(in super::super) const IMPORTS: [(&str, &[&str]); 7] = [
    ("Semaphore", &["s"]),
    ("TimeUnit", &["TimeUnit"]),
    ("locks.AbstractQueuedSynchronizer", &["y", "N.y"]),
    ("locks.Condition", &["c0", "c1"]),
    ("locks.LockSupport", &["LockSupport"]),
    ("locks.ReentrantLock", &["k0", "k1", "N.g"]),
    ("locks.ReentrantReadWriteLock", &["rw"]),
];

/// What a loop that parks for good does besides: whoever was interrupted would come back at once, for ever.
const FORGETS: &str = "Thread.interrupted();";

impl Writer<'_> {
    /// Parks as long as this is so.
    pub(in super::super) fn parked(&self, cond: &str) -> String {
        match self.summoned.contains(INTERRUPTS) {
            true => format!("while ({cond}) {{ LockSupport.park(); {FORGETS} }}"),
            false => format!("while ({cond}) LockSupport.park();"),
        }
    }

    /// Makes threads known to others that wake or interrupt them; declares what they are kept in.
    pub(in super::super) fn summon(&mut self, program: &Program) {
        if self.summoned.contains("pm") {
            self.line("pm = Thread.currentThread();");
        }
        for (number, thread) in program.threads.iter().enumerate() {
            let name = format!("p{number}");
            if thread.started && self.summoned.contains(&name) {
                self.line(&format!("{name} = t{number};"));
            }
        }
    }

    /// Declares classes of locks and synchronizers, as far as they are used.
    pub(in super::super) fn locks(&mut self) {
        if self.has("k0") || self.has("k1") {
            self.line(LOCK);
        }
        if self.has("y") || self.has("N.y") {
            self.open("static class Y extends AbstractQueuedSynchronizer {");
            for (name, member) in SYNCHRONIZER {
                if self.has(name) {
                    self.line(member);
                }
            }
            self.close("}");
        }
    }

    pub(in super::super) fn summoned_fields(&mut self) {
        let names: Vec<String> = self
            .summoned
            .iter()
            .filter(|name| *name != INTERRUPTS)
            .cloned()
            .collect();
        for name in names {
            self.line(&format!("static Thread {name};"));
        }
    }

    pub(in super::super) fn operation(&mut self, op: &Op) {
        let text = match op {
            Op::Hold(gate, take, body) => return self.hold(*gate, *take, body),
            Op::Unlock(gate) => format!("{}.unlock();", self.gate(*gate)),
            Op::Await(number, patience) => {
                self.uses(&format!("k{number}"));
                let condition = self.uses(&format!("c{number}"));
                let call = match patience {
                    Patience::Woken => "await()",
                    Patience::Deaf => "awaitUninterruptibly()",
                    Patience::Timed => "awaitNanos(1)",
                };
                format!("{condition}.{call};")
            }
            Op::Signal(number, all) => {
                self.uses(&format!("k{number}"));
                let call = if *all { "signalAll" } else { "signal" };
                format!("{}.{call}();", self.uses(&format!("c{number}")))
            }
            Op::Acquire => format!("{}.acquire();", self.uses("s")),
            Op::Release => format!("{}.release();", self.uses("s")),
            Op::Park(timed) => {
                self.uses("LockSupport");
                format!("LockSupport.park{};", if *timed { "Nanos(1)" } else { "()" })
            }
            Op::Unpark(whom) => {
                self.uses("LockSupport");
                format!("LockSupport.unpark({});", whom.name())
            }
            Op::Interrupt(whom) => format!("{}.interrupt();", whom.name()),
            Op::Own(owned, deed) => {
                let (name, argument) = match deed {
                    Deed::Take => ("take", String::new()),
                    Deed::Drop => ("drop", String::new()),
                    Deed::Give(whom) => ("give", whom.name()),
                    Deed::Set(state) => ("set", state.to_string()),
                };
                format!("{}({argument});", self.owned(*owned, name))
            }
            Op::Sleep => "Thread.sleep(1);".to_owned(),
            Op::Look => format!("{} = System.nanoTime();", self.uses("m")),
        };
        self.line(&text);
    }

    fn hold(&mut self, gate: Gate, take: Take, body: &[Stmt]) {
        let lock = self.gate(gate);
        match take {
            Take::Lock => self.open(&format!("{lock}.lock(); try {{")),
            Take::Interruptibly => self.open(&format!("{lock}.lockInterruptibly(); try {{")),
            Take::Try => self.open(&format!("if ({lock}.tryLock()) try {{")),
            Take::Timed => {
                self.uses("TimeUnit");
                self.open(&format!("if ({lock}.tryLock(1, TimeUnit.NANOSECONDS)) try {{"));
            }
            Take::Spin => self.open(&format!("while (!{lock}.tryLock()) {{ }} try {{")),
        }
        self.body(body);
        self.close(&format!("}} finally {{ {lock}.unlock(); }}"));
    }

    fn gate(&mut self, gate: Gate) -> String {
        match gate {
            Gate::Static(number) => self.uses(&format!("k{number}")),
            Gate::Local(number) => {
                self.uses("N.g");
                format!("n{number}.g")
            }
            Gate::Final => {
                self.uses("N.g");
                format!("{}.g", self.uses("f"))
            }
            Gate::Read => format!("{}.readLock()", self.uses("rw")),
            Gate::Write => format!("{}.writeLock()", self.uses("rw")),
        }
    }

    /// A method of a synchronizer.
    fn owned(&mut self, owned: Owned, method: &str) -> String {
        self.uses(&format!("Y.{method}"));
        let of = match owned {
            Owned::Static => self.uses("y"),
            Owned::Local(number) => {
                self.uses("N.y");
                format!("n{number}.y")
            }
        };
        format!("{of}.{method}")
    }

    pub(in super::super) fn asked(&mut self, ask: &Ask) -> String {
        match ask {
            Ask::Held(Gate::Read) => format!("{}.getReadHoldCount() > 0", self.uses("rw")),
            Ask::Held(gate) => format!("{}.isHeldByCurrentThread()", self.gate(*gate)),
            Ask::Locked(Gate::Read) => format!("{}.getReadLockCount() > 0", self.uses("rw")),
            Ask::Locked(Gate::Write) => format!("{}.isWriteLocked()", self.uses("rw")),
            Ask::Locked(gate) => format!("{}.isLocked()", self.gate(*gate)),
            Ask::Queued(Gate::Read | Gate::Write) => format!("{}.hasQueuedThreads()", self.uses("rw")),
            Ask::Queued(gate) => format!("{}.hasQueuedThreads()", self.gate(*gate)),
            Ask::Owner(number) => format!("{}.owned()", self.uses(&format!("k{number}"))),
            Ask::Mine(owned) => format!("{}()", self.owned(*owned, "mine")),
            Ask::Free(owned) => format!("{}()", self.owned(*owned, "free")),
            Ask::State(owned, state) => format!("{}() == {state}", self.owned(*owned, "get")),
            Ask::Swapped(owned, old, new) => format!("{}({old}, {new})", self.owned(*owned, "swap")),
            Ask::Acquired => format!("{}.tryAcquire()", self.uses("s")),
            Ask::Interrupted => "Thread.interrupted()".to_owned(),
            Ask::IsInterrupted(whom) => format!("{}.isInterrupted()", whom.name()),
            Ask::SameHash(one, other) => {
                let hash = |text: String| format!("System.identityHashCode({text})");
                format!("{} == {}", hash(self.reference(one)), hash(self.reference(other)))
            }
            Ask::Passed(strictly) => {
                let than = if *strictly { ">" } else { ">=" };
                format!("System.nanoTime() {than} {}", self.uses("m"))
            }
        }
    }

    /// A part of a hash code. Which one an object has depends on who was the first to ask for it, and on how many that one had asked for
    /// before, and on nothing else.
    pub(in super::super) fn hash(&mut self, of: &Ref) -> String {
        format!("(System.identityHashCode({}) & 255)", self.reference(of))
    }
}

impl Whom {
    fn name(self) -> String {
        match self {
            Whom::Main => "pm".to_owned(),
            Whom::Thread(number) => format!("p{number}"),
            Whom::Oneself => "Thread.currentThread()".to_owned(),
        }
    }
}

/// The names of local variables in a statement, and of the static fields in which threads are kept.
pub(in super::super) fn names_of_operation(op: &Op, names: &mut BTreeSet<String>) {
    match op {
        Op::Hold(gate, _, _) | Op::Unlock(gate) => names_of_gate(*gate, names),
        Op::Interrupt(whom) => {
            names.insert(INTERRUPTS.to_owned());
            names_of_whom(*whom, names);
        }
        Op::Unpark(whom) => names_of_whom(*whom, names),
        Op::Own(owned, deed) => {
            names_of_owned(*owned, names);
            if let Deed::Give(whom) = deed {
                names_of_whom(*whom, names);
            }
        }
        Op::Await(..) | Op::Signal(..) | Op::Acquire | Op::Release | Op::Park(_) | Op::Sleep | Op::Look => {}
    }
    op.inner().iter().for_each(|stmt| names_of_stmt(stmt, names));
}

/// The same for a question.
pub(in super::super) fn names_of_asked(ask: &Ask, names: &mut BTreeSet<String>) {
    match ask {
        Ask::Held(gate) | Ask::Locked(gate) | Ask::Queued(gate) => names_of_gate(*gate, names),
        Ask::IsInterrupted(whom) => names_of_whom(*whom, names),
        Ask::SameHash(one, other) => [one, other].into_iter().for_each(|one| names_of_ref(one, names)),
        Ask::Mine(owned) | Ask::Free(owned) | Ask::State(owned, _) | Ask::Swapped(owned, _, _) => {
            names_of_owned(*owned, names);
        }
        Ask::Owner(_) | Ask::Acquired | Ask::Interrupted | Ask::Passed(_) => {}
    }
}

fn names_of_gate(gate: Gate, names: &mut BTreeSet<String>) {
    if let Gate::Local(number) = gate {
        names.insert(format!("n{number}"));
    }
}

fn names_of_owned(owned: Owned, names: &mut BTreeSet<String>) {
    if let Owned::Local(number) = owned {
        names.insert(format!("n{number}"));
    }
}

fn names_of_whom(whom: Whom, names: &mut BTreeSet<String>) {
    if whom != Whom::Oneself {
        names.insert(whom.name());
    }
}
