//! Random programs that use `java.util.concurrent` and the like. They are about one or two topics of their own, and one of the others.

use super::super::random::{Maker, Topic as Common};
use super::super::{Cond, Int, Lock, Program, Ref, Stmt};
use super::{Ask, Gate, Op, Patience, Take, Whom};
use crate::draw::Draw;

/// What such a program may be about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Topic {
    /// Locks, nested, tried, and asked about.
    Gates,
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

const TOPICS: [(Topic, usize); 7] = [
    (Topic::Gates, 32),
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
    place: u8,
    /// Whether the main thread is one of the two.
    main_works: bool,
    /// How many more operations there may be that take hundreds of steps when two threads come to them at once.
    heavy: usize,
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
        if most > 1 && self.draw.percent(55) {
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
            Some(Topic::Conditions) => self.conditions(),
            Some(Topic::Permits) => self.permits(),
            Some(Topic::Parks) => self.parks(),
            Some(Topic::Interrupts) => self.interrupts(),
            Some(Topic::Hashes) => self.hashes(),
            Some(Topic::Clocks) => self.clocks(),
        }
    }

    /// How a lock is taken: cheaply once there was enough else.
    fn take(&mut self) -> Take {
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

    fn gate(&mut self) -> Gate {
        match (self.concurrent.gate, self.draw.below(20)) {
            (Gate::Read, 0..8) => Gate::Write,
            (Gate::Write, 0..8) => Gate::Read,
            (gate, 0..16) => gate,
            _ => self.any_gate(self.topics.contains(&Common::Handed)),
        }
    }

    /// One or two statements, under a lock or for want of one.
    fn little(&mut self) -> Vec<Stmt> {
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

    fn hold(&mut self, gate: Gate, body: Vec<Stmt>) -> Stmt {
        Stmt::Library(Op::Hold(gate, self.take(), body))
    }

    fn truth(&mut self, ask: Ask) -> Stmt {
        let truth = Int::Truth(Box::new(Cond::Ask(ask)));
        match self.draw.percent(60) {
            true => Stmt::Observe(truth),
            false => Stmt::Local(self.bit(), truth),
        }
    }

    fn about(&mut self, gate: Gate) -> Ask {
        match self.draw.below(8) {
            0..3 => Ask::Held(gate),
            3..7 => Ask::Locked(gate),
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

    fn conditions(&mut self) -> Vec<Stmt> {
        let place = self.bit();
        let gate = Gate::Static(0);
        match self.draw.below(10) {
            0..4 if self.concurrent.heavy > 0 => {
                self.concurrent.heavy -= 1;
                let patience = match self.draw.below(10) {
                    0 => Patience::Timed,
                    1 => Patience::Deaf,
                    _ => Patience::Woken,
                };
                let wait = vec![Stmt::Library(Op::Await(0, patience))];
                let cond = Cond::Equals(Int::Volatile(place), self.small(), self.draw.percent(50));
                let body = match self.draw.below(10) {
                    0..3 => vec![Stmt::While(cond, wait)],
                    3..6 => vec![Stmt::If(cond, wait, Vec::new())],
                    _ => wait,
                };
                vec![self.hold(gate, body)]
            }
            0..8 => {
                let mut body = vec![Stmt::Library(Op::Signal(0, self.draw.percent(50)))];
                if self.draw.percent(60) {
                    body.insert(0, Stmt::Volatile(place, Int::Const(self.small())));
                }
                let take = if self.draw.percent(50) { Take::Spin } else { Take::Try };
                vec![Stmt::Library(Op::Hold(gate, take, body))]
            }
            8 => vec![Stmt::Try(vec![Stmt::Library(Op::Signal(0, true))])],
            _ => {
                let body = self.little();
                vec![self.hold(gate, body)]
            }
        }
    }

    fn permits(&mut self) -> Vec<Stmt> {
        let mut body = self.little();
        let release = || Stmt::Library(Op::Release);
        match self.draw.below(10) {
            0..5 => {
                if self.draw.percent(80) {
                    body.push(release());
                }
                vec![Stmt::If(Cond::Ask(Ask::Acquired), body, Vec::new())]
            }
            5..7 if self.concurrent.heavy > 0 => {
                self.concurrent.heavy -= 1;
                body.insert(0, Stmt::Library(Op::Acquire));
                body.push(release());
                body
            }
            7 => vec![self.truth(Ask::Acquired)],
            _ => {
                body.push(release());
                body
            }
        }
    }

    /// Another thread, or main.
    fn whom(&mut self) -> Whom {
        match (self.concurrent.main_works, self.draw.below(10)) {
            (_, 0) => Whom::Oneself,
            (true, 1..6) | (false, 1) => Whom::Main,
            (true, _) => Whom::Thread(0),
            (false, _) => Whom::Thread(self.bit()),
        }
    }

    fn parks(&mut self) -> Vec<Stmt> {
        let place = self.bit();
        match self.draw.below(10) {
            0..2 => vec![Stmt::Library(Op::Park(self.draw.percent(20)))],
            2..4 => {
                let cond = Cond::Equals(Int::Volatile(place), self.small(), self.draw.percent(50));
                let park = vec![Stmt::Library(Op::Park(self.draw.percent(10)))];
                vec![match self.draw.percent(70) {
                    true => Stmt::While(cond, park),
                    false => Stmt::If(cond, park, Vec::new()),
                }]
            }
            4..9 => {
                let mut body = vec![Stmt::Library(Op::Unpark(self.whom()))];
                if self.draw.percent(70) {
                    body.insert(0, Stmt::Volatile(place, Int::Const(self.small())));
                }
                body
            }
            _ => {
                let mut body = self.little();
                body.push(Stmt::Library(Op::Park(false)));
                body
            }
        }
    }

    fn interrupts(&mut self) -> Vec<Stmt> {
        match self.draw.below(12) {
            0..4 => vec![Stmt::Library(Op::Interrupt(self.whom()))],
            4..6 => vec![self.truth(Ask::Interrupted)],
            6 => {
                let whom = self.whom();
                vec![self.truth(Ask::IsInterrupted(whom))]
            }
            7 => vec![Stmt::Library(Op::Park(self.draw.percent(20)))],
            8..10 => {
                let lock = if self.draw.percent(60) {
                    Lock::Object(0)
                } else {
                    Lock::Local(0)
                };
                let wait = Stmt::Wait(lock, self.draw.percent(20));
                vec![Stmt::Sync(lock, vec![wait])]
            }
            10 => vec![Stmt::Library(Op::Sleep)],
            _ => {
                let (gate, body) = (self.gate(), self.little());
                vec![Stmt::Library(Op::Hold(gate, Take::Interruptibly, body))]
            }
        }
    }

    fn hashes(&mut self) -> Vec<Stmt> {
        let local = self.bit();
        let hash = Int::Hash(Ref::Local(local));
        let told = match self.draw.below(6) {
            0..2 => Stmt::Observe(hash),
            2 => Stmt::Local(self.bit(), hash),
            3 => Stmt::Static(self.concurrent.place, hash),
            4 => self.truth(Ask::SameHash(Ref::Local(local), Ref::Final)),
            _ => self.truth(Ask::SameHash(Ref::Local(0), Ref::Local(1))),
        };
        let told = match self.draw.percent(25) {
            true => Stmt::Sync(Lock::Local(local), vec![told]),
            false => told,
        };
        if self.topics.contains(&Common::Handed) && self.draw.percent(60) {
            return vec![told];
        }
        match self.draw.below(4) {
            0 => vec![Stmt::LocalRef(local, Ref::Final), told],
            1 => {
                let taken = Ref::Static(self.bit());
                vec![
                    Stmt::LocalRef(local, taken),
                    Stmt::If(Cond::IsNull(Ref::Local(local), false), vec![told], Vec::new()),
                ]
            }
            2 => {
                let published = Stmt::StaticRef(self.bit(), Ref::Local(local));
                let mut body = vec![Stmt::LocalRef(local, Ref::New(1)), published];
                body.insert(if self.draw.percent(50) { 1 } else { 2 }, told);
                body
            }
            _ => vec![Stmt::Observe(Int::Hash(Ref::Final))],
        }
    }

    fn clocks(&mut self) -> Vec<Stmt> {
        match self.draw.below(10) {
            0..2 => vec![Stmt::Library(Op::Look)],
            2..4 => {
                let strictly = self.draw.percent(50);
                vec![self.truth(Ask::Passed(strictly))]
            }
            4 => {
                let strictly = self.draw.percent(50);
                vec![Stmt::Library(Op::Look), self.truth(Ask::Passed(strictly))]
            }
            5 => vec![Stmt::Library(Op::Sleep)],
            6 => vec![Stmt::Library(Op::Park(true))],
            7..9 => {
                let lock = if self.draw.percent(60) {
                    Lock::Object(0)
                } else {
                    Lock::Local(0)
                };
                let mut body = vec![Stmt::Wait(lock, true)];
                body.extend(self.little());
                vec![Stmt::Sync(lock, body)]
            }
            _ => {
                let (gate, body) = (self.gate(), self.little());
                vec![Stmt::Library(Op::Hold(gate, Take::Timed, body))]
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
