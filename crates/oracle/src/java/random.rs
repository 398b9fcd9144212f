//! Random programs. Each is about a few topics (`topics`), so that its threads meet.

use super::concurrent::{Scope, is_concurrent};
use super::{Cond, Field, Int, Lock, Program, Ref, Shape, Stmt, Thread};
use crate::draw::Draw;

/// What a program may be about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    /// Plain and volatile static ints.
    Statics,
    /// Nodes that are built, published, taken out and dropped.
    Publish,
    /// Nodes used under their own lock.
    OwnLock,
    /// Static things used under static locks, nested, in any order.
    Locks,
    /// Objects that lock themselves.
    Selfish,
    /// A container that owns what it works on.
    Container,
    /// Arrays, shared and not.
    Arrays,
    /// Compare-and-set.
    Atomics,
    /// Waiting and notifying.
    Monitors,
    /// Spinning on volatile fields.
    Spins,
    /// Objects that stay with their thread.
    Private,
    /// Objects that are only read once they are shared.
    Constant,
    /// Constructors that let go of their object too early.
    Leaks,
    /// Classes that are initialised late.
    Late,
    /// Choices.
    Choices,
    /// Exceptions, caught and not.
    Exceptions,
    /// Nodes that several threads are given when they are made, and that no static field leads to. Not drawn: every fifth program is
    /// about them, among others.
    Handed,
}

const TOPICS: [(Topic, usize); 16] = [
    (Topic::Statics, 8),
    (Topic::Publish, 16),
    (Topic::OwnLock, 12),
    (Topic::Locks, 14),
    (Topic::Selfish, 12),
    (Topic::Container, 8),
    (Topic::Arrays, 8),
    (Topic::Atomics, 9),
    (Topic::Monitors, 12),
    (Topic::Spins, 7),
    (Topic::Private, 8),
    (Topic::Constant, 6),
    (Topic::Leaks, 5),
    (Topic::Late, 4),
    (Topic::Choices, 6),
    (Topic::Exceptions, 7),
];

/// The program of a seed. Its threads have up to about `size` statements each. Every fourth uses `java.util.concurrent`, and has fewer.
pub fn random(seed: u64, size: usize) -> Program {
    match is_concurrent(seed) {
        true => random_concurrent(seed, size),
        false => maker(seed).program(size.max(1)),
    }
}

/// A program of a seed that uses `java.util.concurrent`.
pub fn random_concurrent(seed: u64, size: usize) -> Program {
    maker(seed).concurrent_program(size.max(1))
}

fn maker(seed: u64) -> Maker {
    let mut draw = Draw::new(seed);
    let weights = TOPICS.map(|(_, weight)| weight);
    let count = 1 + draw.below(3);
    let mut topics: Vec<Topic> = (0..count).map(|_| TOPICS[draw.weighted(&weights)].0).collect();
    if seed % 5 == 4 {
        topics.truncate(1);
        topics.extend([Topic::Handed; 2]);
    }
    Maker {
        draw,
        topics,
        concurrent: Scope::none(),
    }
}

pub(super) struct Maker {
    pub(super) draw: Draw,
    pub(super) topics: Vec<Topic>,
    /// What a program with `java.util.concurrent` is about besides.
    pub(super) concurrent: Scope,
}

impl Maker {
    fn program(&mut self, size: usize) -> Program {
        let quiet = self.draw.percent(98);
        let escapes = !quiet || self.draw.percent(6);
        let hands = self.topics.contains(&Topic::Handed);
        let three = quiet && self.draw.percent(if hands { 60 } else { 20 });
        let count = if three { 3 } else { 2 };
        // Three threads have less to do, or there are too many states; and so have those that begin and end in full.
        let most = match (quiet, three) {
            (false, _) => 1,
            (true, true) => size.div_ceil(2),
            (true, false) => size,
        };
        let mut before = self.some(1);
        if hands {
            let other = if self.draw.percent(50) {
                Ref::New(2)
            } else {
                Ref::Local(0)
            };
            let made = [Stmt::LocalRef(0, Ref::New(1)), Stmt::LocalRef(1, other)];
            before.splice(0..0, made);
        }
        let late = three && self.draw.percent(40);
        let mut threads: Vec<Thread> = (0..count).map(|_| self.thread(most)).collect();
        if late && let [first, .., last] = &mut threads[..] {
            // The last one is started by the first.
            *last = Thread {
                shape: Shape::Lambda,
                started: false,
                joined: false,
                twin: false,
                ..last.clone()
            };
            let at = self.draw.below(first.body.len() + 1);
            first.body.insert(at, Stmt::Start(count as u8 - 1));
        }
        let twins = !late && self.draw.percent(20);
        if twins {
            // Two that are alike take the place of two that are not.
            threads.pop();
            threads[0].twin = true;
        } else if !quiet || self.draw.percent(15) {
            // Main is one of those at work.
            threads.remove(0);
            if late {
                threads.truncate(1);
            }
        }
        let working = !twins && threads.len() < count;
        let during = if working {
            self.body(most)
        } else if self.draw.percent(20) {
            self.some(1)
        } else {
            Vec::new()
        };
        let after = self.ending();
        Program {
            quiet,
            escapes,
            before,
            during,
            after,
            threads,
        }
    }

    pub(super) fn thread(&mut self, most: usize) -> Thread {
        let hands = self.topics.contains(&Topic::Handed) && self.draw.percent(85);
        let shape = match self.draw.below(10) {
            0..7 if hands => Shape::Handed(0),
            _ if hands => Shape::Handed(1),
            0..4 => Shape::Class,
            4..7 => Shape::Given,
            _ => Shape::Lambda,
        };
        let mut body = self.body(most);
        if self.draw.percent(35) {
            let value = self.local_value();
            body.push(Stmt::Observe(value));
        }
        Thread {
            shape,
            started: true,
            joined: self.draw.percent(90),
            twin: false,
            body,
        }
    }

    pub(super) fn body(&mut self, most: usize) -> Vec<Stmt> {
        if !self.concurrent.is_none() {
            return self.short_body(most);
        }
        let least = most.div_ceil(2);
        let wanted = least + self.draw.below(most - least + 1);
        let mut body = Vec::new();
        while body.len() < wanted {
            let part = self.part(0);
            body.extend(part);
        }
        body.truncate(wanted);
        body
    }

    /// A few statements, or none.
    pub(super) fn some(&mut self, most: usize) -> Vec<Stmt> {
        let wanted = self.draw.below(most + 1);
        let mut body = Vec::new();
        while body.len() < wanted {
            body.extend(self.part(1));
        }
        body.truncate(wanted);
        body
    }

    /// What the main thread reads out in the end.
    pub(super) fn ending(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..1 + self.draw.below(2) {
            let value = self.shared_value();
            let stmt = if self.draw.percent(20) {
                Stmt::Assert(Cond::Equals(value, self.small(), self.draw.percent(50)))
            } else {
                Stmt::Observe(value)
            };
            body.push(stmt);
        }
        body
    }

    fn topic(&mut self) -> Topic {
        let at = self.draw.below(self.topics.len());
        self.topics.get(at).copied().unwrap_or(Topic::Statics)
    }

    pub(super) fn small(&mut self) -> u8 {
        self.draw.below(3) as u8
    }

    pub(super) fn bit(&mut self) -> u8 {
        self.draw.below(2) as u8
    }

    /// Something of the topics that other threads may have changed, to be read.
    pub(super) fn shared_value(&mut self) -> Int {
        match self.topic() {
            Topic::Statics | Topic::Locks | Topic::Choices | Topic::Exceptions => Int::Static(self.bit()),
            Topic::Monitors | Topic::Spins => Int::Volatile(self.bit()),
            Topic::Publish | Topic::OwnLock => Int::Field(Ref::Static(self.bit()), Field::A),
            Topic::Selfish => Int::Selfish(self.bit()),
            Topic::Container => Int::Container,
            Topic::Arrays => Int::Element(self.bit()),
            Topic::Atomics => Int::Atomic,
            Topic::Private => Int::Static(0),
            Topic::Constant => Int::Field(Ref::Final, Field::A),
            Topic::Leaks => Int::Final(Ref::Static(0)),
            Topic::Late => Int::Late,
            Topic::Handed => Int::Field(Ref::Local(0), self.field()),
        }
    }

    fn local_value(&mut self) -> Int {
        match self.draw.below(4) {
            0 => Int::Field(Ref::Local(self.bit()), Field::A),
            _ => Int::Local(self.bit()),
        }
    }

    pub(super) fn int(&mut self) -> Int {
        match self.draw.below(10) {
            0..4 => Int::Const(self.small()),
            4..6 => Int::Local(self.bit()),
            6..8 => self.shared_value(),
            8 => {
                let of = self.shared_value();
                Int::Next(Box::new(of))
            }
            _ if self.topics.contains(&Topic::Choices) => Int::Choose(2 + self.bit()),
            _ => Int::Const(1),
        }
    }

    pub(super) fn field(&mut self) -> Field {
        if self.draw.percent(80) { Field::A } else { Field::B }
    }

    /// A reference that may come from another thread.
    pub(super) fn taken(&mut self) -> Ref {
        match self.draw.below(10) {
            0..5 => Ref::Static(self.bit()),
            5..7 => Ref::Volatile,
            7 => Ref::Element(self.bit()),
            8 => Ref::Take(self.bit()),
            _ => Ref::Next(self.bit()),
        }
    }

    /// Statements that make a reference known to others.
    pub(super) fn publish(&mut self, what: Ref) -> Stmt {
        match self.draw.below(10) {
            0..5 => Stmt::StaticRef(self.bit(), what),
            5..7 => Stmt::VolatileRef(what),
            7 => Stmt::RefElement(self.bit(), what),
            8 => Stmt::Give(self.bit(), what),
            _ => Stmt::Link(self.bit(), what),
        }
    }

    pub(super) fn lock(&mut self) -> Lock {
        match self.draw.below(12) {
            0..7 => Lock::Object(self.bit()),
            7..9 => Lock::Selfish(self.bit()),
            9 => Lock::Container,
            10 => Lock::Local(self.bit()),
            _ => Lock::Class,
        }
    }

    pub(super) fn cond(&mut self) -> Cond {
        match self.draw.below(10) {
            0..6 => {
                let value = self.shared_value();
                Cond::Equals(value, self.small(), self.draw.percent(50))
            }
            6..8 => {
                let value = self.local_value();
                Cond::Equals(value, self.small(), self.draw.percent(50))
            }
            _ => Cond::IsNull(Ref::Local(self.bit()), self.draw.percent(50)),
        }
    }

    /// One topic's statements; nested ones at a smaller depth.
    pub(super) fn part(&mut self, depth: usize) -> Vec<Stmt> {
        if depth < 2 && self.draw.percent(18) {
            return vec![self.nested(depth)];
        }
        let topic = self.topic();
        match topic {
            Topic::Statics => self.statics(),
            Topic::Publish => self.publishing(),
            Topic::OwnLock => self.own_lock(),
            Topic::Locks => self.locks(depth),
            Topic::Selfish => self.selfish(),
            Topic::Container => self.container(),
            Topic::Arrays => self.arrays(),
            Topic::Atomics => self.atomics(),
            Topic::Monitors => self.monitors(),
            Topic::Spins => self.spins(),
            Topic::Private => self.private(),
            Topic::Constant => self.constant(),
            Topic::Leaks => self.leaks(),
            Topic::Late => self.late(),
            Topic::Choices => vec![Stmt::Local(self.bit(), Int::Choose(2 + self.bit()))],
            Topic::Exceptions => self.exceptions(depth),
            Topic::Handed => self.handed(),
        }
    }

    pub(super) fn inner(&mut self, depth: usize) -> Vec<Stmt> {
        let mut body = self.part(depth + 1);
        body.truncate(3);
        body
    }

    fn nested(&mut self, depth: usize) -> Stmt {
        match self.draw.below(10) {
            0..5 => {
                let otherwise = if self.draw.percent(30) {
                    self.inner(depth)
                } else {
                    Vec::new()
                };
                Stmt::If(self.cond(), self.inner(depth), otherwise)
            }
            5..7 => {
                let lock = self.lock();
                Stmt::Sync(lock, self.inner(depth))
            }
            7 => Stmt::For(2, self.inner(2)),
            8 => Stmt::Try(self.inner(depth)),
            _ => Stmt::Assert(self.cond()),
        }
    }
}
