//! Random programs that use `java.util.concurrent` and the like. They are about one or two topics of their own, and one of the others.

use super::super::random::{Maker, Topic as Common};
use super::super::{Cond, Int, Program, Ref, Stmt};
use super::{Ask, Gate, Op, Take};
use crate::draw::Draw;

/// What such a program may be about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Topic {
    /// Locks, nested, tried, and asked about.
    Gates,
    /// Synchronizers that name their owners.
    Owners,
    /// Conditions.
    Conditions,
    /// A semaphore.
    Permits,
    /// Parking and unparking.
    Parks,
    /// Interrupts.
    Interrupts,
    /// Hash codes.
    Hashes,
    /// Time limits, and what time it is.
    Clocks,
}

const TOPICS: [(Topic, usize); 8] = [
    (Topic::Gates, 30),
    (Topic::Owners, 14),
    (Topic::Conditions, 12),
    (Topic::Permits, 14),
    (Topic::Parks, 12),
    (Topic::Interrupts, 12),
    (Topic::Hashes, 10),
    (Topic::Clocks, 8),
];

/// The other topics that go with them: nothing large.
const COMMON: [(Common, usize); 8] = [
    (Common::Statics, 20),
    (Common::Locks, 20),
    (Common::Handed, 25),
    (Common::Publish, 10),
    (Common::OwnLock, 8),
    (Common::Monitors, 8),
    (Common::Atomics, 5),
    (Common::Exceptions, 4),
];

/// What the parts of such a program have in common.
pub(in super::super) struct Scope {
    topics: Vec<Topic>,
    /// The lock that most of them are about.
    gate: Gate,
    /// The static int that most of them are about.
    pub(super) place: u8,
    /// Whether the main thread is one of the two.
    pub(super) main_works: bool,
    /// How many more operations there may be that take hundreds of steps when two threads come to them at once.
    pub(super) heavy: usize,
}

impl Scope {
    /// That of a program that has no such parts.
    pub fn none() -> Scope {
        Scope {
            topics: Vec::new(),
            gate: Gate::Static(0),
            place: 0,
            main_works: false,
            heavy: 0,
        }
    }

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.topics.is_empty()
    }
}

/// Whether the program of a seed is such a one: every fourth, of whatever remainder.
pub(in super::super) fn is_concurrent(seed: u64) -> bool {
    Draw::new(!seed).percent(25)
}

impl Maker {
    /// Two threads that do little, or main and another one.
    pub(in super::super) fn concurrent_program(&mut self, size: usize) -> Program {
        let (topics, common) = (TOPICS.map(|(_, weight)| weight), COMMON.map(|(_, weight)| weight));
        let count = 1 + usize::from(self.draw.percent(30));
        let topics = (0..count).map(|_| TOPICS[self.draw.weighted(&topics)].0).collect();
        self.topics = vec![COMMON[self.draw.weighted(&common)].0];
        let hands = self.topics.contains(&Common::Handed);
        self.concurrent = Scope {
            topics,
            gate: self.any_gate(hands),
            place: self.bit(),
            main_works: self.draw.percent(20),
            heavy: if size > 2 { 2 } else { 1 },
        };
        let most = if size > 2 { 2 } else { 1 };
        let mut before = Vec::new();
        if hands || self.draw.percent(10) {
            before.push(Stmt::LocalRef(0, Ref::New(1)));
            before.push(Stmt::LocalRef(1, Ref::Local(0)));
        }
        let (threads, during) = match self.concurrent.main_works {
            true => (vec![self.thread(most)], self.body(most)),
            false => (vec![self.thread(most), self.thread(most)], Vec::new()),
        };
        let mut after = self.ending();
        after.truncate(1);
        if self.draw.percent(60) {
            after.push(Stmt::Observe(self.answer()));
        }
        Program {
            quiet: true,
            escapes: self.draw.percent(3),
            before,
            during,
            after,
            threads,
        }
    }

    /// One operation, and sometimes something else before or after it.
    pub(in super::super) fn short_body(&mut self, most: usize) -> Vec<Stmt> {
        let mut body = self.operation(0);
        if most > 1 && self.draw.percent(70) {
            let mut more = if self.draw.percent(40) {
                self.operation(1)
            } else {
                self.part(1)
            };
            more.truncate(2);
            let at = if self.draw.percent(50) { 0 } else { body.len() };
            body.splice(at..at, more);
        }
        body
    }

    fn operation(&mut self, depth: usize) -> Vec<Stmt> {
        let at = self.draw.below(self.concurrent.topics.len());
        match self.concurrent.topics.get(at) {
            None | Some(Topic::Gates) => self.gates(depth),
            Some(Topic::Owners) => self.owners(),
            Some(Topic::Conditions) => self.conditions(),
            Some(Topic::Permits) => self.permits(),
            Some(Topic::Parks) => self.parks(),
            Some(Topic::Interrupts) => self.interrupts(),
            Some(Topic::Hashes) => self.hashes(),
            Some(Topic::Clocks) => self.clocks(),
        }
    }

    /// How a lock is taken: cheaply once there was enough else.
    pub(super) fn take(&mut self) -> Take {
        if self.concurrent.heavy > 0 && self.draw.percent(75) {
            self.concurrent.heavy -= 1;
            return match self.draw.below(10) {
                0 => Take::Interruptibly,
                1 => Take::Timed,
                _ => Take::Lock,
            };
        }
        if self.draw.percent(65) { Take::Try } else { Take::Spin }
    }

    fn any_gate(&mut self, hands: bool) -> Gate {
        match self.draw.below(20) {
            0..10 if hands => Gate::Local(0),
            0..12 => Gate::Static(0),
            12..14 => Gate::Static(1),
            14..16 => Gate::Final,
            16 => Gate::Read,
            17..19 => Gate::Write,
            _ => Gate::Local(self.bit()),
        }
    }

    pub(super) fn gate(&mut self) -> Gate {
        match (self.concurrent.gate, self.draw.below(20)) {
            (Gate::Read, 0..8) => Gate::Write,
            (Gate::Write, 0..8) => Gate::Read,
            (gate, 0..16) => gate,
            _ => self.any_gate(self.topics.contains(&Common::Handed)),
        }
    }

    /// One or two statements, under a lock or for want of one.
    pub(super) fn little(&mut self) -> Vec<Stmt> {
        let place = self.concurrent.place;
        if self.topics.contains(&Common::Handed) && self.draw.percent(40) {
            return vec![self.use_of(0)];
        }
        let mut body = match self.draw.below(10) {
            0..3 => vec![Stmt::Static(place, Int::Next(Box::new(Int::Static(place))))],
            3..5 => vec![Stmt::Static(place, Int::Const(1 + self.bit()))],
            5..7 => vec![Stmt::Observe(Int::Static(place))],
            _ => self.guarded(),
        };
        body.truncate(2);
        body
    }

    pub(super) fn hold(&mut self, gate: Gate, body: Vec<Stmt>) -> Stmt {
        Stmt::Library(Op::Hold(gate, self.take(), body))
    }

    pub(super) fn truth(&mut self, ask: Ask) -> Stmt {
        let truth = Int::Truth(Box::new(Cond::Ask(ask)));
        match self.draw.percent(60) {
            true => Stmt::Observe(truth),
            false => Stmt::Local(self.bit(), truth),
        }
    }

    fn about(&mut self, gate: Gate) -> Ask {
        match (self.draw.below(10), gate) {
            (0..3, _) => Ask::Held(gate),
            (3..5, Gate::Static(number)) => Ask::Owner(number),
            (3..9, _) => Ask::Locked(gate),
            _ => Ask::Queued(gate),
        }
    }

    fn gates(&mut self, depth: usize) -> Vec<Stmt> {
        let gate = self.gate();
        match self.draw.below(12) {
            0..6 => {
                let body = self.little();
                vec![self.hold(gate, body)]
            }
            6 => {
                let ask = self.about(gate);
                vec![self.hold(gate, vec![Stmt::Static(0, Int::Truth(Box::new(Cond::Ask(ask))))])]
            }
            7..9 => {
                let ask = self.about(gate);
                vec![self.truth(ask)]
            }
            // Twice, or two of them, or one and a monitor.
            9 if depth == 0 => {
                let inner = if self.draw.percent(40) { gate } else { self.gate() };
                let body = self.little();
                let body = vec![self.hold(inner, body)];
                vec![self.hold(gate, body)]
            }
            10 if depth == 0 => {
                let (lock, body) = (self.lock(), self.little());
                let (outer, inner) = (|body| vec![Stmt::Sync(lock, body)], self.draw.percent(50));
                match inner {
                    true => outer(vec![self.hold(gate, body)]),
                    false => vec![self.hold(gate, outer(body))],
                }
            }
            // Given back without having it, or twice.
            11 if self.draw.percent(40) => {
                let back = Stmt::Library(Op::Unlock(gate));
                match self.draw.percent(50) {
                    true => vec![Stmt::Try(vec![back])],
                    false => vec![self.hold(gate, vec![back])],
                }
            }
            _ => {
                let ask = self.about(gate);
                let body = self.little();
                vec![Stmt::If(Cond::Ask(ask), body, Vec::new())]
            }
        }
    }

    /// What the main thread asks in the end.
    fn answer(&mut self) -> Int {
        match self.concurrent.topics.first() {
            Some(Topic::Hashes) => Int::Hash(Ref::Static(self.bit())),
            Some(Topic::Permits) => Int::Truth(Box::new(Cond::Ask(Ask::Acquired))),
            Some(Topic::Interrupts | Topic::Parks) => Int::Truth(Box::new(Cond::Ask(Ask::Interrupted))),
            Some(Topic::Gates) if self.draw.percent(50) => Int::Truth(Box::new(Cond::Ask(Ask::Locked(self.gate())))),
            _ => Int::Static(self.concurrent.place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_every_fourth_program_is_such_a_one_whatever_its_seed_is_divided_by() {
        for remainder in 0..8 {
            let seeds = (0..4000).filter(|seed| seed % 8 == remainder);
            let count = seeds.filter(|&seed| is_concurrent(seed)).count();
            assert!((100..150).contains(&count), "{count} of 500");
        }
    }

    #[test]
    fn such_programs_are_short_and_come_to_all_topics() {
        let sources = (0..3000).filter(|&seed| is_concurrent(seed)).map(|seed| {
            let program = super::super::super::random(seed, 4);
            assert!(program.threads.len() <= 2, "seed {seed}");
            program.source("P")
        });
        let all: String = sources.collect();
        let parts = [
            ".owned()",
            ".take()",
            ".drop()",
            ".give(",
            ".mine()",
            ".free()",
            ".swap(",
            ".lock()",
            ".tryLock()",
            ".unlock()",
            ".isLocked()",
            ".isHeldByCurrentThread()",
            ".await()",
            ".signal()",
            ".signalAll()",
            ".awaitNanos(",
            ".readLock()",
            ".writeLock()",
            ".tryAcquire()",
            ".release()",
            ".unpark(",
            ".interrupt()",
            "Thread.interrupted()",
            "identityHashCode(",
            "nanoTime()",
        ];
        for part in parts {
            assert!(all.contains(part), "{part}");
        }
    }
}
