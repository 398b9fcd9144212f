//! What such programs are about besides locks.

use super::super::random::{Maker, Topic as Common};
use super::super::{Cond, Int, Lock, Ref, Stmt};
use super::{Ask, Deed, Gate, Op, Owned, Patience, Take, Whom};

impl Maker {
    /// A synchronizer as it should be used, and otherwise. What it does are a few steps only, so there is room for more.
    pub(super) fn owners(&mut self) -> Vec<Stmt> {
        let hands = self.topics.contains(&Common::Handed);
        let owned = if hands { Owned::Local(0) } else { Owned::Static };
        let told = |deed| Stmt::Library(Op::Own(owned, deed));
        match self.draw.below(12) {
            0..4 => {
                let mut body = vec![told(Deed::Take)];
                body.extend(self.little());
                for (deed, share) in [(Deed::Drop, 85), (Deed::Set(0), 85)] {
                    if self.draw.percent(share) {
                        body.push(told(deed));
                    }
                }
                vec![Stmt::If(Cond::Ask(Ask::Swapped(owned, 0, 1)), body, Vec::new())]
            }
            4..6 => {
                let mut body = vec![told(Deed::Take)];
                body.extend(self.little());
                if self.draw.percent(50) {
                    body.push(told(Deed::Drop));
                }
                body
            }
            6 => vec![told(Deed::Set(1 + self.bit()))],
            7 => {
                let whom = self.whom();
                let mut body = vec![told(Deed::Give(whom))];
                if self.draw.percent(50) {
                    body.insert(0, told(Deed::Take));
                }
                body
            }
            8 => vec![self.truth(Ask::Free(owned))],
            9 => vec![told(Deed::Take), self.truth(Ask::State(owned, 1))],
            10 => {
                let body = self.little();
                vec![Stmt::If(Cond::Ask(Ask::Mine(owned)), body, Vec::new())]
            }
            _ => vec![self.truth(Ask::State(owned, 1))],
        }
    }

    pub(super) fn conditions(&mut self) -> Vec<Stmt> {
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

    pub(super) fn permits(&mut self) -> Vec<Stmt> {
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

    pub(super) fn parks(&mut self) -> Vec<Stmt> {
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

    pub(super) fn interrupts(&mut self) -> Vec<Stmt> {
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

    pub(super) fn hashes(&mut self) -> Vec<Stmt> {
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

    pub(super) fn clocks(&mut self) -> Vec<Stmt> {
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
}
