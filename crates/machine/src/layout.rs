//! Where things lie in memory: the tables, the threads' records, the frames, the header of an object.

use crate::memory::Address;
use program::world::ClassId;

/// Records of threads, `THREAD_WORDS` each.
pub const THREADS: Address = 64;
/// How many threads may live at once.
pub const MAX_THREADS: u32 = 4094;
/// Words of a thread's record.
pub const THREAD_WORDS: u32 = 16;

/// Records of classes, `CLASS_WORDS` each, by class number.
pub const CLASSES: Address = THREADS + (MAX_THREADS + 1) * THREAD_WORDS;
/// How many classes may be loaded.
pub const MAX_CLASSES: u32 = 1 << 16;
/// Words of a class's record.
pub const CLASS_WORDS: u32 = 5;

/// The interned string objects, by their number.
pub const STRINGS: Address = CLASSES + (MAX_CLASSES + 1) * CLASS_WORDS;
/// How many interned strings there may be.
pub const MAX_STRINGS: u32 = 1 << 18;

/// Linked dynamic call sites and constants, `SITE_WORDS` each, by their number.
pub const SITES: Address = STRINGS + MAX_STRINGS;
/// How many dynamic sites there may be.
pub const MAX_SITES: u32 = 1 << 16;
/// Words of a site's record: method or state, appendix or value, second value word.
pub const SITE_WORDS: u32 = 4;

/// Single words of the machine's own: the clock and the like.
pub const GLOBALS: Address = SITES + MAX_SITES * SITE_WORDS;
/// The virtual clock in nanoseconds, two words.
pub const CLOCK: Address = GLOBALS;
/// Exit status with which the program has ended.
pub const STATUS: Address = GLOBALS + 2;
/// Whether the program has ended: [`OVER`] or [`IGNORED`].
pub const HALTED: Address = GLOBALS + 4;
/// A counter for fresh numbers that the program can see only as unequal.
pub const COUNTER: Address = GLOBALS + 3;
/// One more than the highest thread number ever in use: a bound, no part of a state.
pub const THREAD_END: Address = GLOBALS + 5;
/// Who runs alone because the program asked for it: thread number plus one, and above it how often it asked.
pub const ALONE: Address = GLOBALS + 6;
/// Whether the program itself has read the clock.
pub const OBSERVED: Address = GLOBALS + 7;
/// Words of the globals from here on are references.
pub const FIRST_ROOT: u32 = 8;
/// Loader objects by loader number, starting with the platform loader.
pub const LOADERS: Address = GLOBALS + 64;
/// How many loaders there may be.
pub const MAX_LOADERS: u32 = 1024;

/// The program has ended by itself.
pub const OVER: u32 = 1;
/// The program wants its present execution to be forgotten.
pub const IGNORED: u32 = 2;

/// Where the heap begins.
pub const HEAP: Address = LOADERS + MAX_LOADERS;

/// Words of a thread's record.
pub mod thread {
    /// What the thread is doing: one of the constants of [`super::status`].
    pub const STATUS: u32 = 0;
    /// Its topmost frame.
    pub const FRAME: u32 = 1;
    /// Its `java.lang.Thread`.
    pub const OBJECT: u32 = 2;
    /// What it waits for: an object or, for `INITIALIZING`, a class number.
    pub const BLOCKER: u32 = 3;
    /// How often it held the monitor that it gave up to wait.
    pub const COUNT: u32 = 4;
    /// When it stops waiting, two words; 0 for never.
    pub const DEADLINE: u32 = 5;
    /// Its `LockSupport` permit.
    pub const PERMIT: u32 = 7;
    /// How far a native method that blocks has come.
    pub const PHASE: u32 = 8;
    /// How many identity hash codes it has given out.
    pub const HASHES: u32 = 9;
    /// How it was woken: one of [`super::wake`], and above it the thread's turn at the object that it waits at.
    pub const WAKE: u32 = 10;
    /// Whether it stands before an instruction that others may see, and not somewhere before that.
    pub const READY: u32 = 11;
    /// Added to it if the thread stands in an operation, and has looked there whether it is interrupted.
    pub const BEGUN: u32 = 2;
    /// How many thread names it has made up.
    pub const NAMES: u32 = 12;
    /// How many threads it has given a number.
    pub const NUMBERS: u32 = 13;
    /// The synchronizers that it has taken, if that is noted: null, one, or an array of them with the flag [`super::LOCKSET`].
    pub const OWNED: u32 = 14;
    /// By what it is told from other threads before all else, if it can be taken for another.
    pub const SORT: u32 = 15;
}

/// What a thread is doing.
pub mod status {
    /// The record is free.
    pub const FREE: u32 = 0;
    /// It runs or could.
    pub const RUNNABLE: u32 = 1;
    /// It wants a monitor and will try again.
    pub const BLOCKED: u32 = 2;
    /// It is in the wait set of an object.
    pub const WAITING: u32 = 3;
    /// It left the wait set and wants the monitor back.
    pub const REACQUIRING: u32 = 4;
    /// It is parked.
    pub const PARKED: u32 = 5;
    /// It sleeps.
    pub const SLEEPING: u32 = 6;
    /// Another thread initialises the class that it needs.
    pub const INITIALIZING: u32 = 7;
    /// It waits until only daemon threads are left.
    pub const ENDING: u32 = 8;
}

/// How a waiting thread was woken.
pub mod wake {
    /// Bits of these constants in the word [`super::thread::WAKE`].
    pub const KIND_BITS: u32 = 8;
    /// Mask of these bits.
    pub const KIND_MASK: u32 = (1 << KIND_BITS) - 1;
    /// Not yet.
    pub const NONE: u32 = 0;
    /// By `notify`, or because what it waited for came true.
    pub const NOTIFIED: u32 = 1;
    /// By an interrupt.
    pub const INTERRUPTED: u32 = 2;
    /// By its deadline.
    pub const TIMEOUT: u32 = 3;
    /// By nobody.
    pub const SPURIOUS: u32 = 4;
}

/// Words of a class's record.
pub mod class {
    /// Its `java.lang.Class`, or 0.
    pub const MIRROR: u32 = 0;
    /// The object that holds its static fields, or 0.
    pub const STATICS: u32 = 1;
    /// One of the constants of [`super::init`].
    pub const STATE: u32 = 2;
    /// Thread number plus one of who initialises it.
    pub const OWNER: u32 = 3;
    /// The error that tells why its initialisation failed, or 0.
    pub const CAUSE: u32 = 4;
}

/// Initialisation state of a class.
pub mod init {
    /// Not begun.
    pub const NONE: u32 = 0;
    /// Prepared and verified; static fields have their default values.
    pub const LINKED: u32 = 1;
    /// Being initialised.
    pub const RUNNING: u32 = 2;
    /// Done.
    pub const DONE: u32 = 3;
    /// Failed for ever.
    pub const FAILED: u32 = 4;
}

/// Words before the registers of a frame.
pub mod frame {
    /// The method.
    pub const METHOD: u32 = 0;
    /// The instruction being executed.
    pub const PC: u32 = 1;
    /// The caller's frame, or 0.
    pub const CALLER: u32 = 2;
    /// The caller's register for the result.
    pub const DEST: u32 = 3;
    /// First register.
    pub const REGISTERS: u32 = 4;
}

/// Mask of the class number in the first word of an object.
pub const CLASS_MASK: u32 = 0x00ff_ffff;
/// Flag in the first word of a string that is interned.
pub const INTERNED: u32 = 0x0100_0000;
/// Flag in the first word of an object that other threads were able to reach at some time.
pub const ESCAPED: u32 = 0x0200_0000;
/// Flag in the first word of an object that was proved beforehand never to be shared.
pub const PROVED: u32 = 0x0400_0000;
/// Flag in the first word of an object that was accessed since it is shared, if that is noted.
pub const SEEN: u32 = 0x0800_0000;
/// The same, for an object that was written.
pub const WRITTEN: u32 = 0x1000_0000;
/// Flag in the first word of an array that is a set of locks.
pub const LOCKSET: u32 = 0x2000_0000;
/// Which word of an object holds its lock.
pub const LOCK: u32 = 1;
/// Flag in the lock word: the rest is the address of a monitor object with lock and identity hash code.
pub const INFLATED: u32 = 0x8000_0000;
/// Bits of the owner (thread number plus one) in a lock; the count is above.
pub const OWNER_BITS: u32 = 12;
/// Mask of the owner in a lock.
pub const OWNER_MASK: u32 = (1 << OWNER_BITS) - 1;

/// The record of a thread.
#[inline(always)]
pub fn thread_record(thread: u32) -> Address {
    THREADS + thread * THREAD_WORDS
}

/// The record of a class.
#[inline(always)]
pub fn class_record(class: ClassId) -> Address {
    CLASSES + class.0 * CLASS_WORDS
}
