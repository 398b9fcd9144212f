//! What threads are called: their names and ids, and the hash codes that they draw.
//!
//! As long as no execution reads any of that, it is no part of a state ([`crate::symmetry`]). Names and ids are still there, for
//! reports; a state that was read back from a vector has none.

use crate::assumption::NAMES;
use crate::layout::{COUNTER, thread};
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use crate::native::{Args, Touches};
use crate::symmetry::ThreadPermutation;
use kernel::AccessKind;
use program::world::{Class, HEADER_WORDS};

impl Machine<'_> {
    /// The program is about to learn what a thread is called, or in which order threads were started. It fails to as long as that is
    /// no part of the state.
    pub fn tell_apart(&self) -> Result<(), Trap> {
        if !self.stepping {
            return Ok(());
        }
        self.violate(&NAMES);
        match self.semantics.names_threads {
            true => Ok(()),
            false => Err(Trap::Unsupported(
                "telling threads apart in a search that does not".to_owned(),
            )),
        }
    }

    /// Where the running thread comes from, as a number that no other has and that does not depend on the order in which threads start: 0 for
    /// the main thread.
    pub fn lineage(&self) -> u64 {
        match self.current() {
            0 => 0,
            number => {
                let object = self.thread_word(number, thread::OBJECT);
                let last_of_boot = u64::from(self.memory.load(COUNTER));
                self.memory
                    .load_wide(object + self.known.thread_tid)
                    .saturating_sub(last_of_boot)
            }
        }
    }

    /// The id of the next thread that is made in the order of creation, as the JDK itself counts: while it boots, and in a plain run.
    pub fn count_id(&mut self) -> u64 {
        let next = self.memory.load(COUNTER) + 1;
        self.memory.store(COUNTER, next);
        next.into()
    }

    /// The id of the next thread that the running one makes in the program, after so many. No thread of the boot sequence has it: ids go
    /// on where these end.
    pub fn next_id(&self, made: u32) -> Result<u64, Trap> {
        let lineage = if self.semantics.names_threads {
            self.lineage()
        } else {
            0
        };
        if lineage >> 46 != 0 {
            return Err(Trap::Unsupported(
                "threads that start threads, too many times over".to_owned(),
            ));
        }
        Ok(u64::from(self.memory.load(COUNTER)) + ((lineage << 16) | (u64::from(made) + 1)))
    }

    /// Whether a word at this offset in a thread object tells what the thread is called.
    #[inline(always)]
    pub(crate) fn names_thread(&self, offset: u32) -> bool {
        offset == self.known.thread_name || offset.wrapping_sub(self.known.thread_tid) < 2
    }

    /// A word of an object is about to be read that is part of a name if the object is a thread. What objects of the image are called
    /// never changes.
    #[cold]
    pub(crate) fn read_name(&self, object: Address) -> Result<(), Trap> {
        let is_named = object >= self.memory.image_end() && self.is_thread(self.program.class(self.class_of(object)));
        if is_named { self.tell_apart() } else { Ok(()) }
    }

    /// The same for what a native method is about to do.
    pub(crate) fn read_names(&self, touches: Touches, args: &Args) -> Result<(), Trap> {
        let (object, offset, bytes) = match touches {
            Touches::Several(all) => return all.iter().try_for_each(|&one| self.read_names(one, args)),
            Touches::Bytes { object, access, .. } if access.is_read() => (object, object, 0),
            Touches::Cell {
                object,
                offset,
                bytes,
                access,
            } if access != AccessKind::Write => (object, offset, bytes),
            Touches::Swap {
                object, offset, bytes, ..
            } => (object, offset, bytes),
            Touches::Object { object, access } if access.is_read() => (object, object, 0),
            _ => return Ok(()),
        };
        let object = args.word(object as usize);
        let first = args.word(offset as usize);
        let mut words = first / 4..=first.saturating_add(bytes.max(1) - 1) / 4;
        let reads = bytes == 0 || words.any(|offset| self.names_thread(offset));
        if reads && object != 0 {
            self.read_name(object)
        } else {
            Ok(())
        }
    }

    /// Whether a class is `Thread` or extends it.
    #[inline]
    pub(crate) fn is_thread(&self, described: &Class) -> bool {
        described.supers.get(self.known.thread_depth) == Some(&self.known.thread)
    }

    /// Whether a field is the name of a thread, and that is no part of the state.
    #[inline]
    pub(crate) fn is_hidden_name(&self, described: &Class, offset: u32) -> bool {
        offset == self.known.thread_name && !self.semantics.names_threads && self.is_thread(described)
    }

    /// Where a thread object tells what the thread is called: name, id, number in the machine.
    pub(crate) fn names_of_threads(&self) -> [u32; 5] {
        let known = &self.known;
        let (tid, number) = (known.thread_tid, known.thread_eetop);
        [known.thread_name, tid, tid + 1, number, number + 1]
    }

    /// Puts into the words of a thread object, from its first field on, what stands in the vector for what the thread is called.
    pub(crate) fn rename_thread(&self, fields: &mut [u32], permutation: &ThreadPermutation) {
        let at = |offset: u32| (offset - HEADER_WORDS) as usize;
        let number = &mut fields[at(self.known.thread_eetop)];
        *number = permutation.owner(*number);
        if !self.semantics.names_threads {
            let known = &self.known;
            for offset in [known.thread_name, known.thread_tid, known.thread_tid + 1] {
                fields[at(offset)] = 0;
            }
        }
    }
}
