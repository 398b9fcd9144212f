//! The border to what the JDK leaves to native code.
//!
//! A native method is a plain function from the machine and its argument words to an [`Outcome`]. It runs in a frame
//! of its own, so stack traces show it. It must not keep anything outside of the machine's memory, or going back
//! would forget it; and it must not run Java code itself: it asks for that by [`Outcome::Call`].

use crate::machine::{Machine, Trap};
use crate::memory::Address;
use kernel::AccessKind;
use program::world::{LoaderId, Method, MethodId, Program};

/// How a native method ends.
#[derive(Debug)]
pub enum Outcome {
    /// It returns nothing.
    Void,
    /// It returns an int, float, narrower value or reference.
    Word(u32),
    /// It returns a long or double.
    Wide(u64),
    /// It does what its body says, which stands in for the native function.
    Body,
    /// Its result is what this method gives for these argument words: the native frame makes room for the call.
    Call(MethodId, Vec<u32>),
    /// It cannot go on now. The thread's record says what it waits for, and the method is entered again, with
    /// `PHASE` as it left it, when that has come.
    Block,
}

/// The result of a native method.
pub type Answer = Result<Outcome, Trap>;

/// A native method.
pub type Native = fn(&mut Machine<'_>, &Args) -> Answer;

/// The argument words of a native method: the receiver first, a long or double taking two.
pub struct Args {
    words: [u32; Args::MOST],
}

impl Args {
    /// More words than any native method of the JDK takes.
    pub const MOST: usize = 24;

    pub(crate) fn read(machine: &Machine<'_>, first: Address, count: usize) -> Args {
        let mut words = [0; Args::MOST];
        for (position, word) in words.iter_mut().enumerate().take(count) {
            *word = machine.memory.load(first + position as u32);
        }
        Args { words }
    }

    /// The word at a position.
    #[inline]
    pub fn word(&self, position: usize) -> u32 {
        self.words[position]
    }

    /// The int at a position.
    #[inline]
    pub fn int(&self, position: usize) -> i32 {
        self.words[position] as i32
    }

    /// The long or double bits that begin at a position.
    #[inline]
    pub fn wide(&self, position: usize) -> u64 {
        u64::from(self.words[position]) | u64::from(self.words[position + 1]) << 32
    }

    /// The float at a position.
    #[inline]
    pub fn float(&self, position: usize) -> f32 {
        f32::from_bits(self.words[position])
    }

    /// The double that begins at a position.
    #[inline]
    pub fn double(&self, position: usize) -> f64 {
        f64::from_bits(self.wide(position))
    }
}

/// What a native method touches that other threads may see, by the positions of its argument words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touches {
    /// Nothing.
    Nothing,
    /// Some bytes of `object` from the byte offset `offset` on.
    Cell {
        /// Position of the object.
        object: u32,
        /// Position of the offset's lower word.
        offset: u32,
        /// How many they are.
        bytes: u32,
        /// How.
        access: AccessKind,
    },
    /// The same, but they are written only if they hold what is expected.
    Swap {
        /// Position of the object.
        object: u32,
        /// Position of the offset's lower word.
        offset: u32,
        /// How many they are.
        bytes: u32,
        /// Position of the expected value.
        expected: u32,
    },
    /// All cells of an object.
    Object {
        /// Position of the object.
        object: u32,
        /// How.
        access: AccessKind,
    },
    /// A field of an object.
    Field {
        /// Position of the object.
        object: u32,
        /// The class of the JDK that declares it.
        class: &'static str,
        /// Its name.
        field: &'static str,
        /// How.
        access: AccessKind,
    },
    /// An element of an array.
    Element {
        /// Position of the array.
        array: u32,
        /// Position of the index.
        index: u32,
        /// How.
        access: AccessKind,
    },
    /// Some elements of an array.
    Elements {
        /// Position of the array.
        array: u32,
        /// Position of the index of the first.
        first: u32,
        /// Position of how many they are.
        count: u32,
        /// How.
        access: AccessKind,
    },
    /// As many bytes of `object`, from the byte offset `offset` on, as an argument says.
    Bytes {
        /// Position of the object.
        object: u32,
        /// Position of the offset's lower word.
        offset: u32,
        /// Position of the lower word of how many they are.
        length: u32,
        /// How.
        access: AccessKind,
    },
    /// The elements that `System.arraycopy` reads, and those that it writes.
    Copy,
    /// All cells of the object that a final field of an object refers to.
    Behind {
        /// Position of the object.
        object: u32,
        /// The class of the JDK that declares the field.
        class: &'static str,
        /// Its name.
        field: &'static str,
        /// How the object behind it is touched.
        access: AccessKind,
    },
    /// All elements of an array, which are read, and all cells of the objects that these refer to.
    Pointees {
        /// Position of the array.
        array: u32,
        /// How the objects are touched.
        access: AccessKind,
    },
    /// All that these say.
    Several(&'static [Touches]),
    /// The identity hash code of an object, which is drawn when it is first asked for.
    Hash {
        /// Position of the object.
        object: u32,
    },
    /// The monitor of an object.
    Monitor {
        /// Position of the object.
        object: u32,
        /// How.
        access: AccessKind,
    },
    /// The monitor of an object, and what the running thread waits for.
    Wait {
        /// Position of the object.
        object: u32,
        /// Position of the time limit, two words.
        limit: u32,
    },
    /// Status and permit of a thread.
    Thread {
        /// Position of the thread object.
        object: u32,
        /// Whether it is looked at whether the thread was interrupted.
        interrupts: bool,
    },
    /// Status and permit of the running thread, and whether it was interrupted.
    Self_ {
        /// Position of the time limit, two words.
        limit: u32,
    },
    /// The clock.
    Clock,
    /// Whether a class is initialised.
    Class {
        /// Position of the class object.
        object: u32,
    },
    /// No object, but its place among the steps of the others matters.
    Everything,
    /// It cannot be said.
    Unknown,
}

impl Touches {
    /// Whether it may be about memory outside of the heap, where there is no object.
    pub(crate) fn may_be_outside(self) -> bool {
        match self {
            Touches::Several(all) => all.iter().any(|one| one.may_be_outside()),
            _ => matches!(
                self,
                Touches::Cell { .. } | Touches::Swap { .. } | Touches::Bytes { .. }
            ),
        }
    }

    /// Whether only cells of objects are touched, and hash codes: what never waits and starts nothing.
    pub(crate) fn is_data(self) -> bool {
        match self {
            Touches::Several(all) => all.iter().all(|one| one.is_data()),
            Touches::Nothing
            | Touches::Cell { .. }
            | Touches::Swap { .. }
            | Touches::Object { .. }
            | Touches::Field { .. }
            | Touches::Element { .. }
            | Touches::Elements { .. }
            | Touches::Bytes { .. }
            | Touches::Copy
            | Touches::Behind { .. }
            | Touches::Pointees { .. }
            | Touches::Hash { .. } => true,
            Touches::Monitor { .. }
            | Touches::Wait { .. }
            | Touches::Thread { .. }
            | Touches::Self_ { .. }
            | Touches::Clock
            | Touches::Class { .. }
            | Touches::Everything
            | Touches::Unknown => false,
        }
    }
}

/// Which of several things a native method may do is not always the program's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternatives {
    /// There is one thing it does.
    One,
    /// It wakes one of the threads in the wait set of `object`.
    Waiters {
        /// Position of the object.
        object: u32,
    },
    /// It answers with a number from 0 on, below the int argument at `bound`.
    Below {
        /// Position of the bound.
        bound: u32,
    },
    /// It answers with a number from one int argument to the next, both included.
    Between {
        /// Position of the lower bound.
        low: u32,
    },
    /// It answers with a number from 0 to an int argument, that included.
    Upto {
        /// Position of the largest.
        most: u32,
    },
    /// It answers with one of the elements of an array.
    Element {
        /// Position of the array.
        array: u32,
    },
    /// It answers false or true.
    Either,
    /// It reads the clock, which may have moved on.
    Clock,
    /// Being called is to be remembered.
    Reached,
    /// Being called with this int is to be remembered.
    Observed {
        /// Position of the int.
        value: u32,
    },
    /// It may fail for no reason, where that is asked for.
    Failure,
}

impl Alternatives {
    /// More than anybody would want to wait for.
    pub const MOST: u32 = 1 << 16;
}

/// Finds native methods by name.
pub trait Natives: Send + Sync {
    /// The function for a method, by the internal name of its class, its name and its descriptor.
    fn find(&self, class: &str, name: &str, descriptor: &str) -> Option<Native>;

    /// A function that runs in place of a method that has a body: only where its body would reach for native code
    /// that makes no sense here. `boot` tells the JDK's own classes from the program's.
    fn replaces(&self, boot: bool, class: &str, name: &str, descriptor: &str) -> Option<Native>;

    /// Whether a function runs in place of a method that has a body.
    fn stands_in(&self, program: &Program, method: &Method) -> bool {
        let class = program.class(method.class);
        let (name, descriptor) = (program.text(method.name), program.text(method.descriptor));
        let boot = class.loader == LoaderId::BOOT;
        !method.is_body && self.replaces(boot, &class.name, name, descriptor).is_some()
    }

    /// What a native method touches.
    fn touches(&self, class: &str, name: &str, descriptor: &str) -> Touches;

    /// What it may choose from.
    fn alternatives(&self, class: &str, name: &str, descriptor: &str) -> Alternatives;
}

/// A native method's function and footprint, once they were looked up.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    pub native: Native,
    pub touches: Touches,
    pub alternatives: Alternatives,
}

impl Bound {
    pub(crate) fn find(program: &Program, natives: &dyn Natives, method: &Method) -> Result<Bound, Trap> {
        let class = program.class(method.class);
        let (name, descriptor) = (program.text(method.name), program.text(method.descriptor));
        let found = natives
            .find(&class.name, name, descriptor)
            .or_else(|| natives.replaces(class.loader == LoaderId::BOOT, &class.name, name, descriptor));
        let Some(native) = found else {
            return Err(Trap::Unsupported(format!("{}.{name}", class.external_name())));
        };
        Ok(Bound {
            native,
            touches: natives.touches(&class.name, name, descriptor),
            alternatives: natives.alternatives(&class.name, name, descriptor),
        })
    }
}

impl Machine<'_> {
    /// The function and the footprint of a native method.
    pub(crate) fn bind(&mut self, method: &Method) -> Result<Bound, Trap> {
        self.facts.bind(self.program, self.shared.natives, method)
    }
}

impl From<Address> for Outcome {
    fn from(word: Address) -> Outcome {
        Outcome::Word(word)
    }
}

impl From<bool> for Outcome {
    fn from(value: bool) -> Outcome {
        Outcome::Word(u32::from(value))
    }
}

impl From<i32> for Outcome {
    fn from(value: i32) -> Outcome {
        Outcome::Word(value as u32)
    }
}

impl From<u64> for Outcome {
    fn from(value: u64) -> Outcome {
        Outcome::Wide(value)
    }
}

impl From<i64> for Outcome {
    fn from(value: i64) -> Outcome {
        Outcome::Wide(value as u64)
    }
}

impl From<f32> for Outcome {
    fn from(value: f32) -> Outcome {
        Outcome::Word(value.to_bits())
    }
}

impl From<f64> for Outcome {
    fn from(value: f64) -> Outcome {
        Outcome::Wide(value.to_bits())
    }
}
