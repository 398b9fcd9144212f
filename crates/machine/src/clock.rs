//! The virtual clock. It moves only when a timeout fires, or when the program itself looks at it again.
//!
//! A timeout may fire at any time, so the clock would only ever grow, and no loop with a timed wait would ever come
//! back to a state. But nothing in a program depends on what time it is, only on how much has passed since it looked:
//! while no moment is remembered anywhere, the clock is set back to where it began. Where operations of the library take effect at once, most
//! moments that are remembered are known to be ends of time limits, and go back with it.

use crate::assumption::SIGNALS;
use crate::encode::each_live;
use crate::frames::RETRY;
use crate::layout::{CLOCK, OBSERVED, frame, thread, thread_record};
use crate::machine::Machine;
use crate::memory::Address;
use program::ir::RegisterKind;
use program::world::LoaderId;

/// Where the clock begins, in nanoseconds: not at 0, because a deadline of 0 means none.
pub(crate) const BEGIN: u64 = 1_000_000_000;

/// What the clock counts from: the start of 2024, in milliseconds since 1970.
pub const EPOCH_MILLIS: u64 = 1_704_067_200_000;

/// What `System.nanoTime` counts from: a number that a program has from nowhere else.
const NANOS: u64 = 0x0123_4567 << 32;

/// How far the upper word of a remembered moment may be from that of the present one: more than a hundred days in
/// nanoseconds, more than forty in milliseconds.
const NEAR_NANOS: u32 = 1 << 21;
const NEAR_MILLIS: u32 = 1;

/// Nanoseconds in a millisecond.
const MILLI: u64 = 1_000_000;

/// Where code of the JDK's waits with a time limit, and keeps the moment of its end in a variable.
const WAITS: [&str; 3] = ["java/util/concurrent/", "java/lang/Thread", "java/lang/Object"];

/// Classes below it that have longs of the program's.
const HOLDS: &str = "java/util/concurrent/atomic/";

/// Those among them that count in milliseconds.
const IN_MILLIS_TOO: [&str; 2] = [
    "java/util/concurrent/ForkJoinPool",
    "java/util/concurrent/locks/LockSupport",
];

/// Has the native method below them.
const UNSAFE: &str = "jdk/internal/misc/Unsafe";

/// Methods for which such a moment is the end of a time limit, and which only ask whether it is over.
const LIMITS: [(&str, &str); 7] = [
    ("java/util/concurrent/ForkJoinPool", "awaitWork"),
    ("java/util/concurrent/locks/LockSupport", "parkUntil"),
    (UNSAFE, "park"),
    ("java/util/concurrent/locks/AbstractQueuedSynchronizer", "acquire"),
    (
        "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject",
        "await",
    ),
    ("java/util/concurrent/locks/AbstractQueuedLongSynchronizer", "acquire"),
    (
        "java/util/concurrent/locks/AbstractQueuedLongSynchronizer$ConditionObject",
        "await",
    ),
];

/// A remembered moment.
struct Moment {
    at: Address,
    in_millis: bool,
    /// Whether it does not matter how long ago it is.
    is_limit: bool,
}

/// Bits of the word that tells who has looked at the clock: the program itself; the JDK, in milliseconds.
const BY_PROGRAM: u32 = 1;
const IN_MILLIS: u32 = 2;

impl Machine<'_> {
    /// The virtual clock, in nanoseconds.
    pub fn clock(&self) -> u64 {
        self.memory.load_wide(CLOCK)
    }

    /// What `System.nanoTime` says.
    pub fn nano_time(&mut self) -> u64 {
        self.note_look();
        NANOS + self.clock()
    }

    /// What `System.currentTimeMillis` says.
    pub fn millis(&mut self) -> u64 {
        self.note_look();
        if self.stepping {
            let looks = self.memory.load(OBSERVED) | IN_MILLIS;
            self.memory.store(OBSERVED, looks);
        }
        EPOCH_MILLIS + self.clock() / 1_000_000
    }

    /// Remembers that the program itself has looked at the clock: from then on it may keep moments in any form.
    pub fn note_look(&mut self) {
        if self.stepping && self.observes_time(self.fp()) {
            self.violate(&SIGNALS);
            let looks = self.memory.load(OBSERVED) | BY_PROGRAM;
            self.memory.store(OBSERVED, looks);
        }
    }

    /// Whether the clock is to be set back once no moment is remembered.
    pub(crate) fn awaits_clock(&self) -> bool {
        self.clock() != BEGIN && self.memory.load(OBSERVED) & BY_PROGRAM == 0
    }

    /// Sets the clock back to its beginning, by whole milliseconds, and all moments with it; or leaves it if not all are known.
    ///
    /// SOUNDNESS: only classes of the JDK have looked at the clock so far, and those of `observes_time` keep moments as
    /// longs, in nanoseconds or milliseconds. Any two neighbouring words of the state that could be one keep the clock as it
    /// is, unless they are a variable of code that waits with a time limit, whose longs are moments or durations; no duration is
    /// as long as such a moment, that is two years. With all moments set back, the state behaves as it would have at that time.
    pub(crate) fn settle_clock(&mut self) {
        if !self.awaits_clock() {
            return;
        }
        let looks = self.memory.load(OBSERVED);
        let mut vector = self.encoding.take_vector();
        self.encode(&mut vector);
        let near = |word: u32, centre: u64, distance: u32| word.abs_diff((centre >> 32) as u32) <= distance;
        // The first two words are the clock itself.
        let words = vector.sections().iter().flat_map(|section| section.words());
        let is_near = |upper: u32| {
            near(upper, NANOS, NEAR_NANOS) || looks & IN_MILLIS != 0 && near(upper, EPOCH_MILLIS, NEAR_MILLIS)
        };
        let remembered = words.skip(2).skip(1).filter(|&&upper| is_near(upper)).count();
        self.encoding.put_vector(vector);
        // Inside of the library there are moments on their way from one variable to another at every turn, so this would be of no use.
        let are_known = self.semantics.at_once && !self.semantics.looks_inside;
        let moments = match remembered {
            0 => Vec::new(),
            _ if !are_known => return,
            _ => self.moments(is_near),
        };
        // How long ago others are may matter, and then nothing is gained.
        if moments.len() != remembered || !moments.iter().all(|moment| moment.is_limit) {
            return;
        }
        let now = self.clock();
        // Milliseconds are counted whole.
        let back = match moments.is_empty() {
            true => now - BEGIN,
            false => (now - BEGIN) / MILLI * MILLI,
        };
        for Moment { at, in_millis, .. } in moments {
            let moment = self.memory.load_wide(at);
            let (present, by) = match in_millis {
                true => (EPOCH_MILLIS + now / MILLI, back / MILLI),
                false => (NANOS + now, back),
            };
            self.memory.store_wide(at, moment.max(present) - by);
        }
        for number in 0..=self.highest_thread() {
            let at = thread_record(number) + thread::DEADLINE;
            let deadline = self.memory.load_wide(at);
            if deadline != 0 {
                self.memory.store_wide(at, deadline.max(now) - back);
            }
        }
        self.memory.store_wide(CLOCK, now - back);
        // These words may have been logged before they were encoded above.
        self.memory.lose_changes();
    }

    /// The variables of code that waits with a time limit whose upper words could be those of moments.
    fn moments(&self, is_near: impl Fn(u32) -> bool) -> Vec<Moment> {
        let mut moments = Vec::new();
        for number in 0..=self.highest_thread() {
            let (mut at, mut before) = (self.top_frame(number), true);
            while at != 0 {
                let (id, pc, caller) = self.frame_at(at);
                let method = self.program.method(id);
                let class = self.program.class(method.class);
                let place = (&*class.name, &**self.program.text(method.name));
                let parks = place == (UNSAFE, "park");
                let waits = class.loader == LoaderId::BOOT
                    && (parks || WAITS.iter().any(|prefix| class.name.starts_with(prefix)))
                    && !class.name.starts_with(HOLDS);
                let in_millis_too = parks || IN_MILLIS_TOO.contains(&&*class.name);
                if let Some(code) = self.program.ready(method).filter(|_| waits) {
                    each_live(code, pc, before, |register, kind| {
                        let at = at + frame::REGISTERS + u32::from(register);
                        let upper = self.memory.load(at + 1);
                        if kind == RegisterKind::Wide && is_near(upper) {
                            let in_nanos = upper.abs_diff((NANOS >> 32) as u32) <= NEAR_NANOS;
                            if in_nanos || in_millis_too {
                                moments.push(Moment {
                                    at,
                                    in_millis: !in_nanos,
                                    is_limit: LIMITS.contains(&place),
                                });
                            }
                        }
                    });
                }
                before = self.memory.load(at + frame::DEST) & RETRY != 0;
                at = caller;
            }
        }
        moments
    }
}
