//! What keeps an execution from being all that Java guarantees, noted where it happens.
//!
//! A program without data races behaves as if its accesses were interleaved (JLS §17.4.3). That says nothing about accesses whose
//! order Raddle takes for granted and Java does not: ones that are weaker than volatile, ones outside of the heap, ones that
//! only `park` or a look at another thread puts in order. Notes are made for every step that some state offers; they are no
//! part of a state, and stay when a search starts over.

use crate::layout::{frame, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::trust::Repute;
use kernel::{MemoryAccess, Transitions};
use program::world::{ClassId, Method, MethodId};

/// How an access is weaker than a volatile one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// A compare-and-set that orders nothing.
    Plain,
    /// It orders nothing but the accesses to its own variable.
    Opaque,
    /// It is ordered before what follows only.
    Acquire,
    /// It is ordered after what precedes only.
    Release,
}

/// Something that was taken for granted, or passed over, in some execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caveat {
    /// A data race, or an access weaker than volatile, in a class of the JDK that is trusted with it.
    Trusted(ClassId),
    /// A data race that the user has allowed.
    Allowed,
    /// An access weaker than volatile was taken as volatile, for this class.
    Weak(Mode, ClassId),
    /// Memory was accessed by its address, outside of the heap or many bytes at once; races there are not looked for.
    Outside,
    /// This class parked a thread, which went on only when it had a permit.
    Parked(ClassId),
    /// This class looked whether another thread is alive, or at what it is doing.
    Watched(ClassId),
    /// A plain access happened in an atomic block.
    Alone,
    /// The program itself waited or parked, and did not wake up for no reason.
    Woken,
    /// The program itself called a weak compare-and-set, which did not fail for no reason.
    Failed,
}

/// How a method of `Unsafe` is weaker than volatile, by its name.
fn mode_of(name: &str) -> Option<Mode> {
    let modes = [
        ("Opaque", Mode::Opaque),
        ("Acquire", Mode::Acquire),
        ("Release", Mode::Release),
    ];
    let found = modes.into_iter().find(|(suffix, _)| name.ends_with(suffix));
    let is_plain = name.starts_with("weakCompareAndSet") && name.ends_with("Plain");
    found.map(|(_, mode)| mode).or(is_plain.then_some(Mode::Plain))
}

impl Machine<'_> {
    /// Notes something that the verdict does not cover.
    pub(crate) fn note(&mut self, caveat: Caveat) {
        if self.noted.insert(caveat) {
            let mut all = self
                .shared
                .caveats
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            all.insert(caveat);
        }
    }

    /// The method of `Unsafe` that was called from outside of it, and its frame, given the frame of one that is running.
    fn entry_of(&self, method: &Method, fp: Address) -> (MethodId, Address) {
        let (mut entry, mut at) = (method.id, fp);
        loop {
            let caller = self.memory.load(at + frame::CALLER);
            if caller == 0 {
                return (entry, at);
            }
            let (id, _, _) = self.frame_at(caller);
            if self.program.method(id).class != method.class {
                return (entry, at);
            }
            (entry, at) = (id, caller);
        }
    }

    /// Whether a plain read by `Unsafe` is only the first half of an atomic update: `getAndAddIntRelease` and its kin read
    /// plainly, and then try a compare-and-set.
    pub(crate) fn begins_update(&self, method: &Method, fp: Address) -> bool {
        let (entry, _) = self.entry_of(method, fp);
        entry != method.id && self.program.text(self.program.method(entry).name).starts_with("getAnd")
    }

    /// Notes how an access by a method of `Unsafe`, which is not plain, is weaker than volatile, if it is.
    pub(crate) fn note_mode(&mut self, number: u32, method: &Method, fp: Address) {
        let (entry, _) = self.entry_of(method, fp);
        if entry == method.id {
            return;
        }
        let mode = mode_of(self.program.text(self.program.method(entry).name));
        if let Some(mode) = mode.filter(|_| self.has_several_threads()) {
            let (accessor, _) = self.accessor(number);
            let class = self.program.method(accessor).class;
            match self.repute(class) {
                Repute::User => self.note(Caveat::Weak(mode, class)),
                _ => self.note(Caveat::Trusted(class)),
            }
        }
    }

    /// Notes that the weak compare-and-set which the running thread calls does not fail for no reason, if the program itself calls it.
    pub fn note_attempt(&mut self) {
        if self.semantics.spurious {
            return;
        }
        let (id, _, _) = self.frame_at(self.fp());
        let (entry, _) = self.entry_of(self.program.method(id), self.fp());
        if self
            .program
            .text(self.program.method(entry).name)
            .starts_with("weakCompareAndSet")
        {
            let (accessor, _) = self.accessor(self.current());
            self.note_users(accessor, |_| Caveat::Failed);
        }
    }

    /// Notes that nothing but a notification or a time limit ends a wait of the program's own.
    pub(crate) fn note_wait(&mut self, number: u32) {
        if !self.semantics.spurious {
            let (accessor, _) = self.accessor(number);
            self.note_users(accessor, |_| Caveat::Woken);
        }
    }

    /// Notes that a thread is parked by the program itself. What is done before `unpark` is not ordered before what follows `park`.
    pub(crate) fn note_park(&mut self, number: u32) {
        if self.semantics.spurious {
            return;
        }
        let is_support = |machine: &Self, method: MethodId| {
            let class = machine.program.method(method).class;
            &*machine.program.class(class).name == "java/util/concurrent/locks/LockSupport"
        };
        let mut at = self.top_frame(number);
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            let method = self.program.method(id);
            if !method.is_native() && method.index != u16::MAX && !is_support(self, id) {
                let class = method.class;
                if self.repute(class) != Repute::Errand {
                    self.note_users(id, Caveat::Parked);
                    return self.note_users(id, |_| Caveat::Woken);
                }
            }
            at = caller;
        }
    }

    /// Notes that the running thread looks at other threads, if it is the program that does so.
    pub fn note_watch(&mut self) {
        self.note_watch_of(self.current());
    }

    /// Notes that a thread is about to look whether another one is alive: where that is so, what was done before the other one
    /// was started is not ordered before what follows.
    pub(crate) fn note_alive(&mut self, number: u32, object: Address) {
        let is_other = object != self.thread_word(number, thread::OBJECT);
        if is_other && self.memory.load(object + self.known.thread_eetop) != 0 {
            self.note_watch_of(number);
        }
    }

    fn note_watch_of(&mut self, number: u32) {
        let mut at = self.top_frame(number);
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            let method = self.program.method(id);
            let is_passed = method.is_native() || method.index == u16::MAX || self.is_look(method);
            if !is_passed && !matches!(self.repute(method.class), Repute::Errand | Repute::Internal) {
                return self.note_users(id, Caveat::Watched);
            }
            at = caller;
        }
    }

    /// Whether a method only looks at threads for its caller.
    fn is_look(&self, method: &Method) -> bool {
        match &*self.program.class(method.class).name {
            "java/lang/Thread" => !matches!(&**self.program.text(method.name), "join" | "exit" | "start" | "run"),
            name => name == "java/lang/ThreadGroup",
        }
    }

    fn note_users(&mut self, method: MethodId, caveat: impl Fn(ClassId) -> Caveat) {
        let class = self.program.method(method).class;
        if self.repute(class) == Repute::User {
            self.note(caveat(class));
        }
    }

    /// Notes that memory is accessed by its address, outside of the heap or many bytes at once, while there are several threads.
    pub fn note_outside(&mut self) {
        if self.has_several_threads() {
            self.note(Caveat::Outside);
        }
    }

    /// Whether several threads are alive. What one thread does alone is ordered by the start of the others; and what it could have done
    /// before others ended, it does so in another execution.
    fn has_several_threads(&self) -> bool {
        let is_alive = |&number: &u32| self.thread_word(number, thread::STATUS) != status::FREE;
        (0..=self.highest_thread()).filter(is_alive).nth(1).is_some()
    }

    /// Notes that a thread which runs alone is about to access something plainly, while there are others.
    pub(crate) fn note_alone<A: Copy>(&mut self, transitions: &Transitions<A>, number: u32) {
        let is_plain = |touch: &MemoryAccess| touch.access.is_plain();
        let mut own = transitions.entries().iter().filter(|entry| entry.thread.0 == number);
        let others = transitions.entries().iter().any(|entry| entry.thread.0 != number);
        if others && own.any(|entry| transitions.footprint(entry).iter().any(is_plain)) {
            self.note(Caveat::Alone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_off_the_names_of_unsafe() {
        let cases = [
            ("getIntOpaque", Some(Mode::Opaque)),
            ("getReferenceAcquire", Some(Mode::Acquire)),
            ("putLongRelease", Some(Mode::Release)),
            ("getAndAddIntRelease", Some(Mode::Release)),
            ("compareAndExchangeByteAcquire", Some(Mode::Acquire)),
            ("weakCompareAndSetIntPlain", Some(Mode::Plain)),
            ("weakCompareAndSetInt", None),
            ("getAndAddInt", None),
            ("putIntVolatile", None),
        ];
        for (name, mode) in cases {
            assert_eq!(mode_of(name), mode, "{name}");
        }
    }
}
