//! Small Java programs as trees.
//!
//! Everything that a program declares follows from what its statements name, so a smaller tree is a smaller program and every tree
//! compiles. There are a few fixed kinds of things to name:
//!
//! - `N`, a node: a plain field `a`, a volatile one `b`, a final one `k`, and a reference `next`.
//! - `L`, which locks itself: all its methods are synchronized. It holds an int and a node that comes and goes.
//! - `C`, a container whose nodes and cells nobody else can reach.
//! - `H`, a class that is initialised when a thread first comes to it.
//! - Locks, conditions and semaphores of `java.util.concurrent`, threads that are woken or interrupted, hash codes and the clock
//!   (`concurrent`).
//! - Static fields: ints and references, plain and volatile, final nodes, arrays, locks, atomics.

mod concurrent;
mod declare;
mod names;
mod random;
mod shrink;
mod source;
mod topics;

pub use concurrent::{Ask, Deed, Gate, Op, Owned, Patience, Take, Whom};
pub use random::{random, random_concurrent};

/// A program: what the main thread does around its threads, and these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Whether threads begin and end in atomic blocks. What the JDK does to start a thread and to bury it takes a hundred steps, so
    /// most programs keep it out of the interleavings: threads that are done stay parked, and main halts the machine in the end.
    pub quiet: bool,
    /// Whether exceptions that nobody catches leave their thread. To print one takes a thousand steps, so most quiet programs read out
    /// its kind instead.
    pub escapes: bool,
    /// Before threads are started.
    pub before: Vec<Stmt>,
    /// Between the starts and the joins.
    pub during: Vec<Stmt>,
    /// After the joins.
    pub after: Vec<Stmt>,
    /// The threads.
    pub threads: Vec<Thread>,
}

/// A thread and how it comes to life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// How it is written.
    pub shape: Shape,
    /// Whether the main thread starts it; otherwise another one may.
    pub started: bool,
    /// Whether the main thread joins it.
    pub joined: bool,
    /// Whether the main thread starts another one like it.
    pub twin: bool,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// How a thread is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `new Thread(() -> …)`.
    Lambda,
    /// A class that extends `Thread`.
    Class,
    /// A class that extends `Thread` and is given a node, built by whoever starts it; it is the thread's local 0.
    Given,
    /// The same with this local node of the main thread, which others may be given, too.
    Handed(u8),
}

/// Something that is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// A static object.
    Object(u8),
    /// A static `L`.
    Selfish(u8),
    /// The container.
    Container,
    /// A local node, which may be null.
    Local(u8),
    /// The class of the program.
    Class,
}

/// A field of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Plain.
    A,
    /// Volatile.
    B,
}

/// An int.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Int {
    /// A small number.
    Const(u8),
    /// A local variable.
    Local(u8),
    /// A plain static field.
    Static(u8),
    /// A volatile static field.
    Volatile(u8),
    /// A field of a node.
    Field(Ref, Field),
    /// The final field of a node.
    Final(Ref),
    /// An element of the static array of ints.
    Element(u8),
    /// An element of a copy of the static array of ints.
    Clone(u8),
    /// An element of an array that the thread has for itself.
    Own(u8),
    /// The atomic int.
    Atomic,
    /// What is in an `L`.
    Selfish(u8),
    /// What is in the container.
    Container,
    /// A static field of the class that is initialised late.
    Late,
    /// The same, by a static method.
    LateCall,
    /// A field of a new object of that class.
    LateNew,
    /// A choice of two or three.
    Choose(u8),
    /// The next number, modulo four.
    Next(Box<Int>),
    /// 1 if a condition is true, else 0.
    Truth(Box<Cond>),
    /// A part of the hash code of a node, or of null.
    Hash(Ref),
}

/// A reference to a node, or null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ref {
    /// Null.
    Null,
    /// A local variable.
    Local(u8),
    /// A plain static field.
    Static(u8),
    /// A volatile static field.
    Volatile,
    /// A static final node.
    Final,
    /// The node after a local one.
    Next(u8),
    /// A new node with this in its final field.
    New(u8),
    /// A new node whose constructor puts it into the plain static field 0 before it is done.
    Leaky(u8),
    /// An element of the static array of nodes.
    Element(u8),
    /// The atomic reference.
    Atomic,
    /// What an `L` holds, which holds nothing afterwards.
    Take(u8),
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cond {
    /// Equal to a number, or not.
    Equals(Int, u8, bool),
    /// Null, or not.
    IsNull(Ref, bool),
    /// Whether a compare-and-set of the atomic int succeeds.
    Swap(Int, Int),
    /// Whether a compare-and-set of the atomic reference succeeds.
    SwapRef(Ref, Ref),
    /// Asked of the library.
    Ask(Ask),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Sets a local int.
    Local(u8, Int),
    /// Sets a local reference.
    LocalRef(u8, Ref),
    /// Sets a plain static int.
    Static(u8, Int),
    /// Sets a volatile static int.
    Volatile(u8, Int),
    /// Sets a field of a node.
    Field(Ref, Field, Int),
    /// Links a local node to another.
    Link(u8, Ref),
    /// Sets a plain static reference.
    StaticRef(u8, Ref),
    /// Sets the volatile static reference.
    VolatileRef(Ref),
    /// Sets an element of the static array of ints.
    Element(u8, Int),
    /// Sets an element of the thread's own array.
    Own(u8, Int),
    /// Copies the static array of ints to the thread's own, or back.
    Copy(bool),
    /// Sets an element of the static array of nodes.
    RefElement(u8, Ref),
    /// Sets the atomic int.
    Atomic(Int),
    /// Sets the atomic reference.
    AtomicRef(Ref),
    /// Adds one to the atomic int.
    Increment,
    /// Puts an int into an `L`.
    Selfish(u8, Int),
    /// Has an `L` count on by itself.
    Count(u8),
    /// Gives a node to an `L`.
    Give(u8, Ref),
    /// Has the container work on what it owns.
    Container(Int),
    /// Sets the static field of the class that is initialised late.
    Late(Int),
    /// Under a lock.
    Sync(Lock, Vec<Stmt>),
    /// One way or the other.
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    /// So many times.
    For(u8, Vec<Stmt>),
    /// As long as.
    While(Cond, Vec<Stmt>),
    /// An exception that comes out of it sets local int 0.
    Try(Vec<Stmt>),
    /// Waits to be notified, or until some time is up.
    Wait(Lock, bool),
    /// Notifies one, or all.
    Notify(Lock, bool),
    /// Must be true.
    Assert(Cond),
    /// Reads something out.
    Observe(Int),
    /// Ends the thread by an exception.
    Throw,
    /// Starts a thread.
    Start(u8),
    /// Done by the library.
    Library(Op),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_program_again() {
        for seed in 0..200 {
            assert_eq!(random(seed, 5), random(seed, 5));
        }
        let distinct: std::collections::BTreeSet<String> = (0..200).map(|seed| random(seed, 5).source("P")).collect();
        assert!(distinct.len() > 190, "{}", distinct.len());
    }

    #[test]
    fn shrinking_comes_to_an_end() {
        for seed in 0..60 {
            for mut program in [random(seed, 5), random_concurrent(seed, 5)] {
                let mut steps = 0;
                // Always the candidate that loses least.
                while let Some(smaller) = program.shrinks().pop() {
                    assert!(smaller.weight() <= program.weight(), "seed {seed}");
                    program = smaller;
                    steps += 1;
                    assert!(steps < 2000, "seed {seed}");
                }
            }
        }
    }
}
