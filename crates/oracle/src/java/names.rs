//! Which local variables a program names: these are declared. And which threads: these are kept in static fields.

use super::concurrent::{names_of_asked, names_of_operation};
use super::{Cond, Int, Lock, Ref, Stmt};
use std::collections::BTreeSet;

/// Stands for threads that are interrupted.
pub(super) const INTERRUPTS: &str = "p!";

/// Whether a name is not that of a local variable.
pub(super) fn is_of_thread(name: &str) -> bool {
    name.starts_with('p')
}

fn names_of_int(int: &Int, names: &mut BTreeSet<String>) {
    match int {
        Int::Local(number) => drop(names.insert(format!("x{number}"))),
        Int::Own(_) => drop(names.insert("q".to_owned())),
        Int::Field(of, _) | Int::Final(of) => names_of_ref(of, names),
        Int::Next(of) => names_of_int(of, names),
        Int::Truth(of) => names_of_cond(of, names),
        Int::Hash(of) => names_of_ref(of, names),
        _ => {}
    }
}

pub(super) fn names_of_ref(reference: &Ref, names: &mut BTreeSet<String>) {
    if let Ref::Local(number) | Ref::Next(number) = reference {
        names.insert(format!("n{number}"));
    }
}

fn names_of_cond(cond: &Cond, names: &mut BTreeSet<String>) {
    match cond {
        Cond::Equals(int, _, _) => names_of_int(int, names),
        Cond::IsNull(reference, _) => names_of_ref(reference, names),
        Cond::Swap(old, new) => [old, new].into_iter().for_each(|int| names_of_int(int, names)),
        Cond::Ask(ask) => names_of_asked(ask, names),
        Cond::SwapRef(old, new) => [old, new].into_iter().for_each(|one| names_of_ref(one, names)),
    }
}

/// The names of local variables in a statement, and of threads.
pub(super) fn names_of_stmt(stmt: &Stmt, names: &mut BTreeSet<String>) {
    match stmt {
        Stmt::Local(number, value) => {
            names.insert(format!("x{number}"));
            names_of_int(value, names);
        }
        Stmt::LocalRef(number, value) | Stmt::Link(number, value) => {
            names.insert(format!("n{number}"));
            names_of_ref(value, names);
        }
        Stmt::Copy(_) => drop(names.insert("q".to_owned())),
        Stmt::Own(_, value) => {
            names.insert("q".to_owned());
            names_of_int(value, names);
        }
        Stmt::Static(_, value)
        | Stmt::Volatile(_, value)
        | Stmt::Element(_, value)
        | Stmt::Atomic(value)
        | Stmt::Selfish(_, value)
        | Stmt::Container(value)
        | Stmt::Late(value)
        | Stmt::Observe(value) => names_of_int(value, names),
        Stmt::Field(of, _, value) => {
            names_of_ref(of, names);
            names_of_int(value, names);
        }
        Stmt::StaticRef(_, value)
        | Stmt::VolatileRef(value)
        | Stmt::RefElement(_, value)
        | Stmt::AtomicRef(value)
        | Stmt::Give(_, value) => names_of_ref(value, names),
        Stmt::Wait(Lock::Local(number), _) | Stmt::Notify(Lock::Local(number), _) => {
            names.insert(format!("n{number}"));
        }
        Stmt::Assert(cond) => names_of_cond(cond, names),
        Stmt::Sync(lock, body) => {
            if let Lock::Local(number) = lock {
                names.insert(format!("n{number}"));
            }
            body.iter().for_each(|stmt| names_of_stmt(stmt, names));
        }
        Stmt::If(cond, then, otherwise) => {
            names_of_cond(cond, names);
            then.iter().chain(otherwise).for_each(|stmt| names_of_stmt(stmt, names));
        }
        Stmt::While(cond, body) => {
            names_of_cond(cond, names);
            body.iter().for_each(|stmt| names_of_stmt(stmt, names));
        }
        Stmt::Try(body) => {
            names.insert("x0".to_owned());
            body.iter().for_each(|stmt| names_of_stmt(stmt, names));
        }
        Stmt::For(_, body) => body.iter().for_each(|stmt| names_of_stmt(stmt, names)),
        Stmt::Library(op) => names_of_operation(op, names),
        Stmt::Count(_) | Stmt::Increment | Stmt::Throw | Stmt::Start(_) => {}
        Stmt::Wait(..) | Stmt::Notify(..) => {}
    }
}
