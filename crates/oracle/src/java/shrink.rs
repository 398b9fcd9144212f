//! Smaller programs made of one: each has one thing less. Those that lose most come first.

use super::concurrent::{operations, questions};
use super::{Cond, Int, Program, Ref, Shape, Stmt, Whom};

impl Program {
    /// Every program that is smaller by one step.
    pub fn shrinks(&self) -> Vec<Program> {
        let mut smaller = Vec::new();
        for number in 0..self.threads.len() {
            smaller.push(self.without_thread(number));
        }
        for (number, thread) in self.threads.iter().enumerate() {
            for body in bodies(&thread.body) {
                let mut program = self.clone();
                program.threads[number].body = body;
                smaller.push(program);
            }
        }
        for (part, place) in [(&self.before, 0), (&self.during, 1), (&self.after, 2)] {
            for body in bodies(part) {
                let mut program = self.clone();
                match place {
                    0 => program.before = body,
                    1 => program.during = body,
                    _ => program.after = body,
                }
                smaller.push(program);
            }
        }
        if !self.quiet {
            let mut program = self.clone();
            program.quiet = true;
            smaller.push(program);
        }
        for (number, thread) in self.threads.iter().enumerate() {
            if thread.started && thread.shape == Shape::Lambda {
                // A class is what is seen more easily in a trace.
                let mut program = self.clone();
                program.threads[number].shape = Shape::Class;
                smaller.push(program);
            }
            if thread.twin {
                let mut program = self.clone();
                program.threads[number].twin = false;
                smaller.push(program);
            }
            if matches!(thread.shape, Shape::Given | Shape::Handed(_)) {
                let mut program = self.clone();
                program.threads[number].shape = Shape::Class;
                smaller.push(program);
            }
        }
        smaller
    }

    /// How much there is in it: a program that shrinks has less.
    pub fn weight(&self) -> usize {
        let threads: usize = self
            .threads
            .iter()
            .map(|thread| (5 + weigh(&thread.body)) * (1 + usize::from(thread.twin)))
            .sum();
        threads + weigh(&self.before) + weigh(&self.during) + weigh(&self.after)
    }

    fn without_thread(&self, gone: usize) -> Program {
        let mut program = self.clone();
        program.threads.remove(gone);
        let Program {
            before,
            during,
            after,
            threads,
            quiet: _,
            escapes: _,
        } = &mut program;
        let bodies = [before, during, after].into_iter();
        for body in bodies.chain(threads.iter_mut().map(|thread| &mut thread.body)) {
            renumber(body, gone);
        }
        program
    }
}

fn weigh(body: &[Stmt]) -> usize {
    let weight = |stmt: &Stmt| match stmt {
        Stmt::Sync(_, inner) | Stmt::For(_, inner) | Stmt::While(_, inner) | Stmt::Try(inner) => 1 + weigh(inner),
        Stmt::If(_, then, otherwise) => 1 + weigh(then) + weigh(otherwise),
        Stmt::Library(op) => 1 + weigh(op.inner()),
        _ => 1,
    };
    body.iter().map(weight).sum()
}

/// Forgets starts of a thread that is no more, and who wakes or interrupts it, and counts on without it.
fn renumber(body: &mut Vec<Stmt>, gone: usize) {
    let gone_too = Some(Whom::Thread(gone as u8));
    body.retain(|stmt| match stmt {
        Stmt::Start(number) => usize::from(*number) != gone,
        Stmt::Library(op) => op.whom() != gone_too,
        _ => true,
    });
    for stmt in body {
        match stmt {
            Stmt::Start(number) if usize::from(*number) > gone => *number -= 1,
            Stmt::Sync(_, inner) | Stmt::For(_, inner) | Stmt::While(_, inner) | Stmt::Try(inner) => {
                renumber(inner, gone);
            }
            Stmt::If(_, then, otherwise) => {
                renumber(then, gone);
                renumber(otherwise, gone);
            }
            Stmt::Library(op) => {
                if let Some(Whom::Thread(number)) = op.whom_mut() {
                    *number -= u8::from(usize::from(*number) > gone);
                }
                op.inner_mut().into_iter().for_each(|inner| renumber(inner, gone));
            }
            _ => {}
        }
    }
}

/// All smaller bodies.
pub(super) fn bodies(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut smaller = Vec::new();
    let half = body.len() / 2;
    if half > 1 {
        smaller.push(body[..half].to_vec());
        smaller.push(body[half..].to_vec());
    }
    for at in 0..body.len() {
        let mut with = |instead: Vec<Stmt>| {
            let mut body = body.to_vec();
            body.splice(at..=at, instead);
            smaller.push(body);
        };
        with(Vec::new());
        match &body[at] {
            Stmt::Sync(_, inner) | Stmt::For(_, inner) | Stmt::While(_, inner) | Stmt::Try(inner) => {
                with(inner.clone());
            }
            Stmt::If(_, then, otherwise) => {
                with(then.clone());
                if !otherwise.is_empty() {
                    with(otherwise.clone());
                }
            }
            Stmt::Library(op) if !op.inner().is_empty() => with(op.inner().to_vec()),
            _ => {}
        }
        stmts(&body[at]).into_iter().for_each(|stmt| with(vec![stmt]));
    }
    smaller
}

/// Simpler statements of the same kind.
fn stmts(stmt: &Stmt) -> Vec<Stmt> {
    let with_int = |int: &Int, make: &dyn Fn(Int) -> Stmt| ints(int).into_iter().map(make).collect::<Vec<_>>();
    let with_ref = |one: &Ref, make: &dyn Fn(Ref) -> Stmt| refs(one).into_iter().map(make).collect::<Vec<_>>();
    let with_body = |body: &[Stmt], make: &dyn Fn(Vec<Stmt>) -> Stmt| {
        let smaller = bodies(body).into_iter();
        smaller.map(make).collect::<Vec<_>>()
    };
    match stmt {
        Stmt::Local(to, int) => with_int(int, &|int| Stmt::Local(*to, int)),
        Stmt::Static(to, int) => with_int(int, &|int| Stmt::Static(*to, int)),
        Stmt::Volatile(to, int) => with_int(int, &|int| Stmt::Volatile(*to, int)),
        Stmt::Element(to, int) => with_int(int, &|int| Stmt::Element(*to, int)),
        Stmt::Own(to, int) => with_int(int, &|int| Stmt::Own(*to, int)),
        Stmt::Atomic(int) => with_int(int, &Stmt::Atomic),
        Stmt::Selfish(to, int) => with_int(int, &|int| Stmt::Selfish(*to, int)),
        Stmt::Container(int) => with_int(int, &Stmt::Container),
        Stmt::Late(int) => with_int(int, &Stmt::Late),
        // An observation of a constant says only that it was reached, which is more than nothing.
        Stmt::Observe(int) => with_int(int, &Stmt::Observe),
        Stmt::Field(of, field, int) => {
            let mut smaller = with_int(int, &|int| Stmt::Field(of.clone(), *field, int));
            smaller.extend(with_ref(of, &|of| Stmt::Field(of, *field, int.clone())));
            smaller
        }
        Stmt::LocalRef(to, one) => with_ref(one, &|one| Stmt::LocalRef(*to, one)),
        Stmt::Link(to, one) => with_ref(one, &|one| Stmt::Link(*to, one)),
        Stmt::StaticRef(to, one) => with_ref(one, &|one| Stmt::StaticRef(*to, one)),
        Stmt::VolatileRef(one) => with_ref(one, &Stmt::VolatileRef),
        Stmt::RefElement(to, one) => with_ref(one, &|one| Stmt::RefElement(*to, one)),
        Stmt::AtomicRef(one) => with_ref(one, &Stmt::AtomicRef),
        Stmt::Give(to, one) => with_ref(one, &|one| Stmt::Give(*to, one)),
        Stmt::Sync(lock, body) => with_body(body, &|body| Stmt::Sync(*lock, body)),
        Stmt::For(times, body) => with_body(body, &|body| Stmt::For(*times, body)),
        Stmt::Try(body) => with_body(body, &Stmt::Try),
        Stmt::While(cond, body) => with_body(body, &|body| Stmt::While(cond.clone(), body)),
        Stmt::If(cond, then, otherwise) => {
            let mut smaller = with_body(then, &|then| Stmt::If(cond.clone(), then, otherwise.clone()));
            smaller.extend(with_body(otherwise, &|otherwise| {
                Stmt::If(cond.clone(), then.clone(), otherwise)
            }));
            smaller.extend(
                conds(cond)
                    .into_iter()
                    .map(|cond| Stmt::If(cond, then.clone(), otherwise.clone())),
            );
            smaller
        }
        Stmt::Assert(cond) => conds(cond).into_iter().map(Stmt::Assert).collect(),
        Stmt::Library(op) => operations(op).into_iter().map(Stmt::Library).collect(),
        Stmt::Wait(lock, true) => vec![Stmt::Wait(*lock, false)],
        Stmt::Count(_)
        | Stmt::Copy(_)
        | Stmt::Increment
        | Stmt::Throw
        | Stmt::Start(_)
        | Stmt::Wait(..)
        | Stmt::Notify(..) => Vec::new(),
    }
}

fn ints(int: &Int) -> Vec<Int> {
    match int {
        Int::Const(0) => Vec::new(),
        Int::Const(_) => vec![Int::Const(0)],
        Int::Next(of) => vec![(**of).clone(), Int::Const(1)],
        Int::Field(of, field) => {
            let mut smaller = vec![Int::Const(1)];
            smaller.extend(refs(of).into_iter().map(|of| Int::Field(of, *field)));
            smaller
        }
        Int::LateCall | Int::LateNew => vec![Int::Late, Int::Const(1)],
        Int::Clone(index) => vec![Int::Element(*index), Int::Const(1)],
        Int::Truth(of) => {
            let simpler = conds(of).into_iter().map(|of| Int::Truth(Box::new(of)));
            [Int::Const(0), Int::Const(1)].into_iter().chain(simpler).collect()
        }
        Int::Hash(of) => {
            let simpler = refs(of).into_iter().map(Int::Hash);
            [Int::Const(0)].into_iter().chain(simpler).collect()
        }
        Int::Choose(3) => vec![Int::Choose(2)],
        _ => vec![Int::Const(0), Int::Const(1)],
    }
}

pub(super) fn refs(reference: &Ref) -> Vec<Ref> {
    match reference {
        Ref::Null | Ref::Local(_) => Vec::new(),
        Ref::New(_) => vec![Ref::Null],
        Ref::Leaky(value) => vec![Ref::New(*value)],
        _ => vec![Ref::Null, Ref::New(1)],
    }
}

fn conds(cond: &Cond) -> Vec<Cond> {
    match cond {
        Cond::Equals(int, value, equal) => {
            let simpler = ints(int).into_iter();
            simpler.map(|int| Cond::Equals(int, *value, *equal)).collect()
        }
        Cond::IsNull(..) => Vec::new(),
        Cond::Ask(ask) => questions(ask).into_iter().map(Cond::Ask).collect(),
        Cond::Swap(old, new) => {
            let olds = ints(old).into_iter().map(|old| Cond::Swap(old, new.clone()));
            olds.chain(ints(new).into_iter().map(|new| Cond::Swap(old.clone(), new)))
                .collect()
        }
        Cond::SwapRef(old, new) => {
            let olds = refs(old).into_iter().map(|old| Cond::SwapRef(old, new.clone()));
            olds.chain(refs(new).into_iter().map(|new| Cond::SwapRef(old.clone(), new)))
                .collect()
        }
    }
}
