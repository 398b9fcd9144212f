//! What random programs are about: families of statements that are interesting together, in the orders in which programs write
//! them and in others.

use super::random::Maker;
use super::{Cond, Field, Int, Lock, Ref, Stmt};

impl Maker {
    pub(super) fn statics(&mut self) -> Vec<Stmt> {
        let value = self.int();
        vec![match self.draw.below(6) {
            0..2 => Stmt::Static(self.bit(), value),
            2 => Stmt::Volatile(self.bit(), value),
            3 => Stmt::Local(self.bit(), Int::Static(self.bit())),
            4 => Stmt::Local(self.bit(), Int::Volatile(self.bit())),
            _ => {
                let place = self.bit();
                Stmt::Static(place, Int::Next(Box::new(Int::Static(place))))
            }
        }]
    }

    pub(super) fn publishing(&mut self) -> Vec<Stmt> {
        let local = self.bit();
        let node = Ref::Local(local);
        match self.draw.below(8) {
            // Built, published, and let go of or not.
            0..3 => {
                let mut body = vec![
                    Stmt::LocalRef(local, Ref::New(self.small())),
                    Stmt::Field(node.clone(), self.field(), self.int()),
                    self.publish(node.clone()),
                ];
                if self.draw.percent(40) {
                    body.push(Stmt::Field(node, self.field(), self.int()));
                }
                if self.draw.percent(40) {
                    body.push(Stmt::LocalRef(local, Ref::Null));
                }
                body
            }
            // Taken out, so that others have it no more, or not; used if there is one.
            3..6 => {
                let place = self.bit();
                let mut body = vec![Stmt::LocalRef(local, Ref::Static(place))];
                if self.draw.percent(60) {
                    body.push(Stmt::StaticRef(place, Ref::Null));
                }
                let used = self.use_of(local);
                body.push(if self.draw.percent(75) {
                    Stmt::If(Cond::IsNull(node, false), vec![used], Vec::new())
                } else {
                    used
                });
                body
            }
            6 => vec![Stmt::LocalRef(local, self.taken())],
            _ => vec![self.publish(node)],
        }
    }

    pub(super) fn use_of(&mut self, local: u8) -> Stmt {
        let node = Ref::Local(local);
        if self.draw.percent(50) {
            Stmt::Local(self.bit(), Int::Field(node, self.field()))
        } else {
            Stmt::Field(node, self.field(), self.int())
        }
    }

    pub(super) fn own_lock(&mut self) -> Vec<Stmt> {
        let local = self.bit();
        let node = Ref::Local(local);
        match self.draw.below(4) {
            // Published while it is locked, and used on.
            0 => {
                let mut inner = vec![self.publish(node.clone()), self.use_of(local)];
                if self.draw.percent(50) {
                    inner.push(self.use_of(local));
                }
                let mut body = vec![
                    Stmt::LocalRef(local, Ref::New(self.small())),
                    Stmt::Sync(Lock::Local(local), inner),
                ];
                if self.draw.percent(50) {
                    body.push(Stmt::LocalRef(local, Ref::Null));
                }
                body
            }
            // Taken and used under its lock; sometimes a part of it without.
            1..3 => {
                let mut inner = vec![self.use_of(local)];
                if self.draw.percent(50) {
                    inner.push(self.use_of(local));
                }
                let locked = Stmt::Sync(Lock::Local(local), inner);
                let mut body = vec![Stmt::LocalRef(local, self.taken())];
                let mut used = vec![locked];
                if self.draw.percent(20) {
                    used.push(self.use_of(local));
                }
                if self.draw.percent(85) {
                    body.push(Stmt::If(Cond::IsNull(node, false), used, Vec::new()));
                } else {
                    body.extend(used);
                }
                body
            }
            _ => {
                let place = self.bit();
                let mut body = vec![Stmt::LocalRef(local, Ref::Static(place))];
                if self.draw.percent(60) {
                    body.push(Stmt::StaticRef(place, Ref::Null));
                }
                let used = self.use_of(local);
                body.push(Stmt::If(Cond::IsNull(node, false), vec![used], Vec::new()));
                body
            }
        }
    }

    pub(super) fn locks(&mut self, depth: usize) -> Vec<Stmt> {
        let (outer, inner) = (self.lock(), self.lock());
        let mut body = self.guarded();
        if depth < 2 && self.draw.percent(40) {
            body = vec![Stmt::Sync(inner, body)];
        }
        if self.draw.percent(85) {
            body = vec![Stmt::Sync(outer, body)];
        }
        body
    }

    /// What is done under locks: mostly to the same few things, under the same lock or another.
    pub(super) fn guarded(&mut self) -> Vec<Stmt> {
        let place = self.bit();
        match self.draw.below(8) {
            0 => vec![Stmt::Static(place, Int::Next(Box::new(Int::Static(place))))],
            1 => vec![Stmt::Static(place, self.int())],
            2 => vec![Stmt::Local(self.bit(), Int::Static(place))],
            3 => vec![Stmt::Element(place, self.int())],
            // A node that others lock otherwise, or not at all.
            4 => vec![
                Stmt::Field(Ref::Final, Field::A, self.int()),
                Stmt::Field(Ref::Final, Field::A, self.int()),
            ],
            5 => vec![Stmt::Local(self.bit(), Int::Field(Ref::Final, Field::A))],
            6 => vec![
                Stmt::Local(0, Int::Field(Ref::Final, Field::A)),
                Stmt::Local(1, Int::Field(Ref::Final, Field::A)),
            ],
            _ => vec![Stmt::Static(0, self.int()), Stmt::Static(1, self.int())],
        }
    }

    pub(super) fn selfish(&mut self) -> Vec<Stmt> {
        let place = self.bit();
        vec![match self.draw.below(6) {
            0 => Stmt::Selfish(place, self.int()),
            1 => Stmt::Count(place),
            2 => Stmt::Local(self.bit(), Int::Selfish(place)),
            3 => Stmt::Give(place, Ref::New(self.small())),
            4 => {
                let local = self.bit();
                return vec![Stmt::LocalRef(local, Ref::Take(place)), {
                    let used = self.use_of(local);
                    Stmt::If(Cond::IsNull(Ref::Local(local), false), vec![used], Vec::new())
                }];
            }
            // Both at once.
            _ => Stmt::Sync(Lock::Selfish(place), vec![Stmt::Count(place), Stmt::Count(1 - place)]),
        }]
    }

    pub(super) fn container(&mut self) -> Vec<Stmt> {
        vec![match self.draw.below(5) {
            0..2 => Stmt::Container(self.int()),
            2 => Stmt::Local(self.bit(), Int::Container),
            3 => Stmt::Sync(
                Lock::Container,
                vec![Stmt::Container(self.int()), Stmt::Static(0, Int::Container)],
            ),
            _ => Stmt::Static(self.bit(), Int::Container),
        }]
    }

    pub(super) fn arrays(&mut self) -> Vec<Stmt> {
        vec![match self.draw.below(9) {
            0..2 => Stmt::Element(self.bit(), self.int()),
            2 => Stmt::Local(self.bit(), Int::Element(self.bit())),
            3 => Stmt::Own(self.bit(), self.int()),
            4 => Stmt::Local(self.bit(), Int::Own(self.bit())),
            5..7 => Stmt::Copy(self.draw.percent(50)),
            7 => Stmt::Local(self.bit(), Int::Clone(self.bit())),
            _ => Stmt::RefElement(self.bit(), Ref::New(self.small())),
        }]
    }

    pub(super) fn atomics(&mut self) -> Vec<Stmt> {
        let local = self.bit();
        vec![match self.draw.below(7) {
            0 => Stmt::Increment,
            1 => Stmt::Atomic(self.int()),
            2 => Stmt::Local(local, Int::Atomic),
            3 => {
                let swapped = Cond::Swap(Int::Const(self.small()), Int::Const(self.small()));
                let then = self.statics();
                Stmt::If(swapped, then, Vec::new())
            }
            4 => {
                let swapped = Cond::SwapRef(Ref::Null, Ref::Local(local));
                let lost = vec![Stmt::LocalRef(local, Ref::Null)];
                return vec![
                    Stmt::LocalRef(local, Ref::New(self.small())),
                    Stmt::Field(Ref::Local(local), Field::A, self.int()),
                    Stmt::If(swapped, lost, Vec::new()),
                ];
            }
            5 => {
                let used = self.use_of(local);
                return vec![
                    Stmt::LocalRef(local, Ref::Atomic),
                    Stmt::If(Cond::IsNull(Ref::Local(local), false), vec![used], Vec::new()),
                ];
            }
            _ => Stmt::AtomicRef(Ref::Null),
        }]
    }

    pub(super) fn monitors(&mut self) -> Vec<Stmt> {
        let lock = if self.draw.percent(70) {
            Lock::Object(0)
        } else {
            Lock::Selfish(self.bit())
        };
        let place = self.bit();
        let held = |body: Vec<Stmt>| vec![Stmt::Sync(lock, body)];
        match self.draw.below(10) {
            0..4 => {
                let cond = Cond::Equals(Int::Volatile(place), self.small(), self.draw.percent(50));
                let wait = vec![Stmt::Wait(lock, self.draw.percent(15))];
                let waiting = if self.draw.percent(70) {
                    Stmt::While(cond, wait)
                } else {
                    Stmt::If(cond, wait, Vec::new())
                };
                let mut body = vec![waiting];
                if self.draw.percent(40) {
                    body.push(Stmt::Volatile(place, self.int()));
                }
                held(body)
            }
            4..9 => {
                let value = Int::Const(self.small());
                held(vec![
                    Stmt::Volatile(place, value),
                    Stmt::Notify(lock, self.draw.percent(50)),
                ])
            }
            _ => vec![Stmt::Notify(lock, true)],
        }
    }

    /// What is done to a node that was handed over, under its lock or another, or none.
    pub(super) fn handed(&mut self) -> Vec<Stmt> {
        let node = || Ref::Local(0);
        let lock = if self.draw.percent(60) {
            Lock::Local(0)
        } else {
            Lock::Object(0)
        };
        let held = |body: Vec<Stmt>| vec![Stmt::Sync(lock, body)];
        match self.draw.below(10) {
            0..3 => vec![self.use_of(0)],
            3..6 => held(vec![self.use_of(0)]),
            6..8 => {
                let cond = Cond::Equals(Int::Field(node(), Field::B), self.small(), self.draw.percent(50));
                let wait = vec![Stmt::Wait(lock, self.draw.percent(15))];
                held(vec![match self.draw.percent(70) {
                    true => Stmt::While(cond, wait),
                    false => Stmt::If(cond, wait, Vec::new()),
                }])
            }
            _ => {
                let value = Int::Const(self.small());
                held(vec![
                    Stmt::Field(node(), Field::B, value),
                    Stmt::Notify(lock, self.draw.percent(50)),
                ])
            }
        }
    }

    pub(super) fn spins(&mut self) -> Vec<Stmt> {
        let place = self.bit();
        vec![match self.draw.below(5) {
            0 => {
                let cond = Cond::Equals(Int::Volatile(place), self.small(), self.draw.percent(50));
                let body = if self.draw.percent(30) {
                    self.statics()
                } else {
                    Vec::new()
                };
                Stmt::While(cond, body)
            }
            1..4 => Stmt::Volatile(place, self.int()),
            _ => Stmt::Local(self.bit(), Int::Volatile(place)),
        }]
    }

    pub(super) fn private(&mut self) -> Vec<Stmt> {
        let local = self.bit();
        let node = Ref::Local(local);
        let mut body = vec![
            Stmt::LocalRef(local, Ref::New(self.small())),
            Stmt::Field(node.clone(), self.field(), self.int()),
        ];
        match self.draw.below(3) {
            0 => body.push(Stmt::Local(self.bit(), Int::Field(node, self.field()))),
            1 => body.push(Stmt::Link(local, Ref::New(self.small()))),
            _ => body.push(Stmt::Static(self.bit(), Int::Field(node, Field::A))),
        }
        body
    }

    pub(super) fn constant(&mut self) -> Vec<Stmt> {
        vec![match self.draw.below(5) {
            0..2 => Stmt::Local(self.bit(), Int::Field(Ref::Final, Field::A)),
            2 => Stmt::Local(self.bit(), Int::Final(Ref::Final)),
            3 => Stmt::Static(self.bit(), Int::Final(Ref::Final)),
            // And sometimes it is not.
            _ if self.draw.percent(30) => Stmt::Field(Ref::Final, Field::A, self.int()),
            _ => Stmt::Local(self.bit(), Int::Field(Ref::Final, Field::A)),
        }]
    }

    pub(super) fn leaks(&mut self) -> Vec<Stmt> {
        let local = self.bit();
        match self.draw.below(3) {
            0 => vec![Stmt::LocalRef(local, Ref::Leaky(self.small()))],
            _ => vec![
                Stmt::LocalRef(local, Ref::Static(0)),
                Stmt::If(
                    Cond::IsNull(Ref::Local(local), false),
                    vec![Stmt::Local(self.bit(), Int::Final(Ref::Local(local)))],
                    Vec::new(),
                ),
            ],
        }
    }

    pub(super) fn late(&mut self) -> Vec<Stmt> {
        let local = self.bit();
        match self.draw.below(6) {
            0..2 => vec![Stmt::Late(self.int())],
            2 => vec![Stmt::Local(local, Int::Late)],
            3 => vec![Stmt::Local(local, Int::LateCall)],
            4 => vec![Stmt::Local(local, Int::LateNew)],
            // After work on an object of the thread's own.
            _ => vec![
                Stmt::LocalRef(local, Ref::New(1)),
                Stmt::Field(Ref::Local(local), Field::A, self.int()),
                Stmt::Local(local, Int::LateCall),
            ],
        }
    }

    pub(super) fn exceptions(&mut self, depth: usize) -> Vec<Stmt> {
        vec![match self.draw.below(5) {
            0 => Stmt::If(self.cond(), vec![Stmt::Throw], Vec::new()),
            1 if depth < 2 => Stmt::Try(vec![
                Stmt::LocalRef(0, self.taken()),
                Stmt::Field(Ref::Local(0), Field::A, self.int()),
            ]),
            2 => Stmt::Assert(self.cond()),
            3 => Stmt::Field(Ref::Static(self.bit()), Field::A, self.int()),
            _ => Stmt::StaticRef(self.bit(), Ref::New(1)),
        }]
    }
}
