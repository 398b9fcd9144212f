//! What a program has recorded in `raddle.History`, and the number that it has among all that was recorded.
//!
//! The class keeps it in two arrays: `words` has, for each thread, how many of its calls have ended; then for each call how it is, and
//! for each thread how many of its calls had ended when this one began. `results` has what each call returned. The first calls of all
//! threads come first.

use crate::layout::{class, class_record};
use crate::machine::{Machine, Shared};
use crate::memory::Address;
use crate::system::Action;
use kernel::{End, Flaw, Property, Transitions};
use program::descriptor::Kind;
use program::world::{ClassId, LoaderId};
use std::collections::HashMap;
use std::sync::PoisonError;

/// The class that records.
pub const HISTORY: &str = "raddle/History";

/// How a call is: it has begun; its result is what it returned, or the class of what it threw; flags.
pub const BEGUN: u32 = 1;
const THREW: u32 = 3;
const KINDS: u32 = 3;
const INTERRUPTED: u32 = 4;
const PERMIT: u32 = 8;

/// The most threads, and the most calls of each.
const THREADS: u32 = 6;
const CALLS: u32 = 8;

/// The calls of each thread that have begun, in order.
pub type History = Vec<Vec<Call>>;

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// How many calls of each thread had ended when it began.
    pub after: Vec<u32>,
    /// How it ended, if it has.
    pub ended: Option<Ended>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ended {
    /// Whether it threw an exception.
    pub threw: bool,
    /// What it returned, as Java would write it, or the class of what it threw.
    pub result: String,
    /// Whether the thread is interrupted, if that was noted.
    pub interrupted: bool,
    /// Whether the thread may park without waiting, if that was noted.
    pub permit: bool,
}

/// Histories and their numbers.
#[derive(Default)]
pub(crate) struct Histories {
    all: Vec<History>,
    numbers: HashMap<History, usize>,
}

impl Histories {
    fn number(&mut self, history: History) -> usize {
        let fresh = self.all.len();
        *self.numbers.entry(history).or_insert_with_key(|history| {
            self.all.push(history.clone());
            fresh
        })
    }
}

impl Shared<'_> {
    /// The history that the key of a [`Property::HISTORY`] stands for.
    pub fn history(&self, key: u64) -> Option<History> {
        let histories = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        histories.all.get(usize::try_from(key).ok()?).cloned()
    }
}

impl Machine<'_> {
    /// Adds what was recorded to what is noticed of a state without successors.
    pub(crate) fn add_history(&mut self, transitions: &mut Transitions<Action>) {
        if transitions.end != End::Over && !transitions.is_dead() {
            return;
        }
        if let Some(history) = self.recorded() {
            let mut histories = self.shared.histories.lock().unwrap_or_else(PoisonError::into_inner);
            let key = histories.number(history) as u64;
            drop(histories);
            let property = Property::HISTORY;
            transitions.flaws.push(Flaw { property, key });
        }
    }

    /// What the program has recorded, if it has begun to.
    fn recorded(&self) -> Option<History> {
        let of = self.program.loaded(LoaderId::APP, HISTORY)?;
        let arrays = [self.static_word(of, "words"), self.static_word(of, "results")];
        let [words, results] = [arrays[0]?, arrays[1]?];
        // A program may have a class of this name that is another one.
        let is_array = |array: Address, length: u32| {
            array != 0 && self.program.class(self.class_of(array)).is_array() && self.array_length(array) == length
        };
        let lengths = (THREADS + CALLS * THREADS * (THREADS + 1), CALLS * THREADS);
        if !is_array(words, lengths.0) || !is_array(results, lengths.1) || self.class_of(words) != self.known.int_array
        {
            return None;
        }
        let call = |slot: u32| {
            let place = THREADS + slot * (THREADS + 1);
            let how = self.element(words, place);
            let ended = |how: u32| Ended {
                threw: how & KINDS == THREW,
                result: self.result_text(self.element(results, slot), how & KINDS == THREW),
                interrupted: how & INTERRUPTED != 0,
                permit: how & PERMIT != 0,
            };
            (how != 0).then(|| Call {
                after: (0..THREADS)
                    .map(|other| self.element(words, place + 1 + other))
                    .collect(),
                ended: (how & KINDS != BEGUN).then(|| ended(how)),
            })
        };
        let calls = |thread: u32| (0..CALLS).map_while(|number| call(number * THREADS + thread)).collect();
        Some((0..THREADS).map(calls).collect())
    }

    fn static_word(&self, of: ClassId, name: &str) -> Option<u32> {
        let statics = self.memory.load(class_record(of) + class::STATICS);
        let name = self.program.names.find(name)?;
        let mut fields = self.program.class(of).fields.iter();
        let field = fields.find(|field| field.name == name && field.is_static() && field.kind == Kind::Reference)?;
        (statics != 0).then(|| self.memory.load(statics + field.offset))
    }

    /// A result in words: numbers, strings and the like by what they are, other objects by their classes.
    fn result_text(&self, object: Address, is_class: bool) -> String {
        if object == 0 {
            return "null".to_owned();
        }
        if is_class {
            return self.program.class(self.mirrored(object)).external_name();
        }
        let of = self.program.class(self.class_of(object));
        match &*of.name {
            "java/lang/String" => format!("{:?}", self.text(object)),
            "raddle/History$Content" => self.named_text(object, "text"),
            "java/lang/Long" => self.boxed_text(object) + "L",
            name if Kind::wrapped_by(name).is_some() => self.boxed_text(object),
            _ if self.is_enum(of.id) => self.named_text(object, "name"),
            _ => of.external_name(),
        }
    }

    fn boxed_text(&self, object: Address) -> String {
        let cell = self.cell(object, self.offset_of_value(self.class_of(object)));
        cell.and_then(|cell| self.primitive_text(&cell)).unwrap_or_default()
    }

    fn is_enum(&self, of: ClassId) -> bool {
        let base = self.program.loaded(LoaderId::BOOT, "java/lang/Enum");
        base.is_some_and(|base| self.program.is_subclass(of, base))
    }

    /// The string in a field.
    fn named_text(&self, object: Address, field: &str) -> String {
        let cell = self.field_named(object, field);
        let string = cell.map_or(0, |cell| self.memory.load(cell.at));
        self.text_or_null(string).unwrap_or_default()
    }
}
