//! Threads: starting, ending, waiting, waking.

use crate::assemble::Assembler;
use crate::layout::{ALONE, OWNER_MASK, THREAD_END, class, class_record, init, status, thread, thread_record, wake};
use crate::machine::{Machine, Trap, raise};
use crate::memory::Address;
use crate::special;
use program::ir::{Instr, RegisterKind};
use program::world::{ClassId, MethodId};

/// `java.lang.Thread.State`, as bits of the JVM's tool interface that the JDK turns into the enum.
mod state {
    pub const NEW: u32 = 0;
    pub const TERMINATED: u32 = 0x0002;
    pub const RUNNABLE: u32 = 0x0005;
    pub const BLOCKED: u32 = 0x0401;
    pub const WAITING: u32 = 0x0091;
    pub const TIMED_WAITING: u32 = 0x00a1;
}

impl Machine<'_> {
    /// The thread number of a `java.lang.Thread` that is alive.
    pub fn thread_of(&self, object: Address) -> Option<u32> {
        let number = self.memory.load(object + self.known.thread_eetop);
        (number != 0).then(|| number - 1)
    }

    /// Whether a thread's `interrupted` flag is set.
    pub fn is_interrupted(&self, of: u32) -> bool {
        let object = self.thread_word(of, thread::OBJECT);
        object != 0 && self.memory.load(object + self.known.thread_interrupted) & 1 != 0
    }

    /// Clears a thread's `interrupted` flag.
    pub fn clear_interrupt(&mut self, of: u32) {
        let object = self.thread_word(of, thread::OBJECT);
        self.memory.store(object + self.known.thread_interrupted, 0);
    }

    /// Gives a thread object a record and a stack whose first frame runs `root` with the object as its argument.
    pub(crate) fn attach(&mut self, object: Address, root: MethodId, arguments: &[u32]) -> Result<u32, Trap> {
        let Some(number) = self.free_record(object) else {
            if self.stepping {
                return Err(Trap::Unsupported(
                    "more threads at once than there is room for".to_owned(),
                ));
            }
            return raise(
                "java/lang/OutOfMemoryError",
                "unable to create native thread: possibly out of memory or process/resource limits reached",
            );
        };
        for word in 0..crate::layout::THREAD_WORDS {
            self.memory.store(thread_record(number) + word, 0);
        }
        let fp = self.push_root(number, root, arguments);
        self.set_thread_word(number, thread::STATUS, status::RUNNABLE);
        self.set_thread_word(number, thread::OBJECT, object);
        self.set_thread_word(number, thread::FRAME, fp);
        self.operation.forget_where(number);
        let end = self.memory.load(THREAD_END).max(number + 1);
        self.memory.store(THREAD_END, end);
        self.memory
            .store_wide(object + self.known.thread_eetop, u64::from(number) + 1);
        Ok(number)
    }

    /// `Thread.start`: the new thread is ready to run.
    pub fn start_thread(&mut self, object: Address) -> Result<(), Trap> {
        if self.stepping && self.is_only(self.current()) {
            self.solo.end();
            // SOUNDNESS: these are the machine's own notes of what the thread did while nobody could see it.
            self.settled_mut(|machine| {
                machine.escape_shared();
                machine.note_all_owned(machine.current())
            })?;
        }
        self.escape(object);
        let root = self.thread_root()?;
        let number = self.attach(object, root, &[object])?;
        if self.stepping {
            // SOUNDNESS: no program can tell how threads are told apart in a vector.
            let sort = self.settled_mut(|machine| machine.sort_of(object));
            self.set_thread_word(number, thread::SORT, sort);
        }
        self.set_state(object, state::RUNNABLE);
        Ok(())
    }

    /// Where every thread but the main one begins: `run`, the uncaught exception handler, `exit`.
    fn thread_root(&mut self) -> Result<MethodId, Trap> {
        let key = (u32::MAX, 3);
        if let Some(known) = self.shared.adaptors.get(key) {
            return Ok(known);
        }
        let mut assembler = Assembler::new(&[RegisterKind::Ref]);
        let caught = assembler.register(RegisterKind::Ref);
        let (run, dispatch, exit) = (
            self.known.thread_run,
            self.known.thread_dispatch,
            self.known.thread_exit,
        );
        assembler.call_virtual(run, &[0], None);
        assembler.push(Instr::Goto { target: 4 });
        assembler.special(special::UNCAUGHT, u16::MAX, 0, caught);
        assembler.call_virtual(dispatch, &[0, caught], None);
        assembler.call_virtual(exit, &[0], None);
        assembler.special(special::THREAD_END, u16::MAX, 0, u16::MAX);
        assembler.handler(0, 1, 2, caught, None);
        assembler.handler(3, 4, 4, caught, None);
        assembler.handler(4, 5, 5, caught, None);
        let method = assembler.finish(self.program, self.known.thread, "start", "(Ljava/lang/Thread;)V")?;
        Ok(self.shared.adaptors.enter(key, method))
    }

    /// The thread's Java side is over: whoever joins it is told.
    pub(crate) fn thread_is_over(&mut self, object: Address) -> Result<(), Trap> {
        self.set_state(object, state::TERMINATED);
        self.memory.store_wide(object + self.known.thread_eetop, 0);
        self.wake_all(object);
        Ok(())
    }

    pub(crate) fn end_thread(&mut self, object: Address) -> Result<(), Trap> {
        self.thread_is_over(object)?;
        // Whoever ran alone does so no more.
        if self.memory.load(ALONE) & OWNER_MASK == self.current() + 1 {
            self.memory.store(ALONE, 0);
        }
        self.set_thread_word(self.current(), thread::STATUS, status::FREE);
        self.set_thread_word(self.current(), thread::OBJECT, 0);
        self.set_thread_word(self.current(), thread::FRAME, 0);
        Ok(())
    }

    /// Sets the JDK's own note of a thread's state. In 17 it is a field of the thread, later of its holder.
    pub fn set_state(&mut self, object: Address, value: u32) {
        if let Some(offset) = self.find_offset("java/lang/Thread", "threadStatus") {
            self.memory.store(object + offset, value);
        } else if let Some(holder) = self.holder(object) {
            self.set(holder, "java/lang/Thread$FieldHolder", "threadStatus", value);
        }
    }

    /// Whether a thread object is that of a thread that has been started and has ended.
    pub(crate) fn is_over(&self, object: Address) -> bool {
        let (of, class) = match self.holder(object) {
            Some(holder) => (holder, self.class_of(holder)),
            None => (object, self.known.thread),
        };
        let mut fields = self.program.class(class).fields.iter();
        let status = fields.find(|field| **self.program.text(field.name) == *"threadStatus");
        let state = status.map_or(state::NEW, |field| self.memory.load(of + field.offset));
        state == state::TERMINATED
    }

    /// The object in which newer JDKs keep a part of a thread's fields. It belongs to this thread for ever.
    pub(crate) fn holder(&self, object: Address) -> Option<Address> {
        let offset = self.known.thread_holder.filter(|_| object != 0)?;
        Some(self.memory.load(object + offset)).filter(|&holder| holder != 0)
    }

    /// Whether a thread object is a daemon.
    pub fn is_daemon(&mut self, object: Address) -> bool {
        if let Some(offset) = self.find_offset("java/lang/Thread", "daemon") {
            return self.memory.load(object + offset) & 1 != 0;
        }
        match self.holder(object) {
            Some(holder) => self.get(holder, "java/lang/Thread$FieldHolder", "daemon") & 1 != 0,
            // A virtual thread has no holder and is always a daemon.
            None => true,
        }
    }

    /// Whether a thread other than the running one keeps the program alive.
    pub(crate) fn others_alive(&mut self) -> bool {
        self.is_kept_alive_without(self.current())
    }

    /// Whether a thread other than this one keeps the program alive.
    pub(crate) fn is_kept_alive_without(&mut self, this: u32) -> bool {
        for number in 0..=self.highest_thread() {
            if number == this || self.thread_word(number, thread::STATUS) == status::FREE {
                continue;
            }
            let object = self.thread_word(number, thread::OBJECT);
            if object != 0 && !self.is_daemon(object) {
                return true;
            }
        }
        false
    }

    /// A number that no live thread's is above.
    pub fn highest_thread(&self) -> u32 {
        self.memory.load(THREAD_END).saturating_sub(1)
    }

    /// Puts the running thread to sleep in some way, until `deadline` if it is not 0.
    pub fn wait_for(&mut self, how: u32, blocker: Address, deadline: u64) {
        let record = thread_record(self.current());
        self.memory.store(record + thread::STATUS, how);
        self.memory.store(record + thread::BLOCKER, blocker);
        self.memory.store(record + thread::WAKE, wake::NONE);
        self.memory.store_wide(record + thread::DEADLINE, deadline);
        let object = self.memory.load(record + thread::OBJECT);
        let state = if deadline == 0 {
            state::WAITING
        } else {
            state::TIMED_WAITING
        };
        self.set_state(object, state);
        if how == status::WAITING {
            self.enter_wait_set(blocker);
        }
        if !self.stepping {
            self.run.note_arrival(self.current());
        }
    }

    /// The running thread goes on after a wait.
    pub fn resume_running(&mut self) {
        let object = self.thread_word(self.current(), thread::OBJECT);
        self.set_state(object, state::RUNNABLE);
    }

    /// Wakes a thread that waits, sleeps or is parked.
    pub fn wake(&mut self, number: u32, why: u32) {
        let next = match self.thread_word(number, thread::STATUS) {
            status::WAITING => status::REACQUIRING,
            status::PARKED | status::SLEEPING => status::RUNNABLE,
            status::REACQUIRING if why == wake::NOTIFIED => {
                return self.set_wake_kind(number, why);
            }
            _ => return,
        };
        self.set_thread_word(number, thread::STATUS, next);
        self.set_wake_kind(number, why);
        if next == status::REACQUIRING {
            let object = self.thread_word(number, thread::OBJECT);
            self.set_state(object, state::BLOCKED);
        }
    }

    /// `LockSupport.unpark`.
    pub fn unpark(&mut self, object: Address) {
        if let Some(number) = self.thread_of(object) {
            self.set_thread_word(number, thread::PERMIT, 1);
            if self.thread_word(number, thread::STATUS) == status::PARKED {
                self.wake(number, wake::NOTIFIED);
            }
        }
    }

    /// `Thread.interrupt`, after the flag was set: whatever the thread waits for is over. If it has seen and cleared the flag since, it is
    /// woken all the same, as on HotSpot, but not told that it was interrupted; who sleeps goes on sleeping.
    pub fn interrupt(&mut self, object: Address) {
        let Some(number) = self.thread_of(object) else {
            return;
        };
        match (self.thread_word(number, thread::STATUS), self.is_interrupted(number)) {
            (status::WAITING | status::SLEEPING, true) | (status::PARKED, _) => self.wake(number, wake::INTERRUPTED),
            (status::WAITING, false) => self.wake(number, wake::SPURIOUS),
            _ => {}
        }
    }

    /// Whether a thread could take a step now.
    pub fn can_run(&self, number: u32) -> bool {
        let blocker = self.thread_word(number, thread::BLOCKER);
        match self.thread_word(number, thread::STATUS) {
            status::RUNNABLE => true,
            status::BLOCKED | status::REACQUIRING => self.can_enter(blocker, number),
            status::INITIALIZING => self.memory.load(class_record(ClassId(blocker)) + class::STATE) != init::RUNNING,
            _ => false,
        }
    }

    /// What `Thread.getState` says of a thread that wants a monitor is set when it blocks.
    pub fn note_blocked(&mut self, number: u32, blocked: bool) {
        let object = self.thread_word(number, thread::OBJECT);
        if object != 0 {
            self.set_state(object, if blocked { state::BLOCKED } else { state::RUNNABLE });
        }
    }

    /// The state of a thread that was made but not started.
    pub fn new_state() -> u32 {
        state::NEW
    }
}
