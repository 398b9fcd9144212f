//! What a machine has found out about classes and methods, and need not find out again.
//!
//! Nothing here is state. An answer follows from classes and names alone, so it stays right whichever steps are taken and undone. The
//! exceptions are how fields are declared and what synchronizers are: assumptions about them may be dropped, for the rest of a search.

use crate::deadlock::class_exposes_threads;
use crate::machine::Trap;
use crate::native::{Bound, Natives};
use crate::slots::{self, Slot};
use crate::trust::{self, Repute};
use crate::view::{self, Declared};
use program::world::{ClassId, LoaderId, Method, MethodId, Program};
use std::collections::{HashMap, HashSet};

/// How many selections are remembered, and how many places that ask for offsets: powers of two.
const SELECTIONS: usize = 1 << 13;
const ASKED: usize = 256;

/// Where the names of a class and of a field lie, and how long they are.
type Asker = (usize, usize, usize, usize);

/// The answers so far.
pub(crate) struct ClassFacts {
    bound: Vec<Option<Bound>>,
    /// Receiver and method, and the version of it. No class has the number 0, so an empty place is for nobody.
    selections: Box<[(u64, MethodId)]>,
    offsets: HashMap<(&'static str, &'static str), Option<u32>>,
    /// Offsets of fields by where their names lie.
    asked: Box<[(Asker, Option<u32>)]>,
    declared: PerClass<Box<[Declared]>>,
    /// Whether synchronizers are no locks, because one was taken from its owner.
    distrusts: bool,
    reputes: PerClass<Repute>,
    slots: PerClass<Box<[Slot]>>,
    /// Class, word, class of what may be stored there.
    storable: HashSet<(ClassId, u32, ClassId)>,
    /// Whether the program may get hold of threads that nobody gave to it, by the classes with numbers below the first.
    exposure: (ClassId, bool),
}

/// Something about each class that was asked about.
struct PerClass<T>(Vec<Option<T>>);

impl<T> PerClass<T> {
    #[inline]
    fn get_or_find(&mut self, program: &Program, class: ClassId, find: impl FnOnce() -> T) -> &mut T {
        if self.0.len() <= class.index() {
            self.0.resize_with(program.class_end().index(), || None);
        }
        self.0[class.index()].get_or_insert_with(find)
    }
}

impl Default for ClassFacts {
    fn default() -> ClassFacts {
        ClassFacts {
            bound: Vec::new(),
            selections: vec![(0, MethodId(0)); SELECTIONS].into(),
            offsets: HashMap::new(),
            asked: vec![Default::default(); ASKED].into(),
            declared: PerClass(Vec::new()),
            distrusts: false,
            reputes: PerClass(Vec::new()),
            slots: PerClass(Vec::new()),
            storable: HashSet::new(),
            exposure: (ClassId(0), false),
        }
    }
}

impl ClassFacts {
    /// The function and the footprint of a native method.
    pub(crate) fn bind(&mut self, program: &Program, natives: &dyn Natives, method: &Method) -> Result<Bound, Trap> {
        let position = method.id.0 as usize;
        if let Some(&Some(bound)) = self.bound.get(position) {
            return Ok(bound);
        }
        let bound = Bound::find(program, natives, method)?;
        if self.bound.len() <= position {
            self.bound.resize(position + 1, None);
        }
        self.bound[position] = Some(bound);
        Ok(bound)
    }

    /// The version of a method that a receiver of this class has, as `find` says.
    #[inline]
    pub(crate) fn select(
        &mut self,
        receiver: ClassId,
        method: MethodId,
        find: impl FnOnce() -> Result<MethodId, Trap>,
    ) -> Result<MethodId, Trap> {
        let key = u64::from(receiver.0) << 32 | u64::from(method.0);
        let mixed = receiver.0.wrapping_mul(0x9e37_79b1) ^ method.0.wrapping_mul(0x85eb_ca6b);
        let place = &mut self.selections[mixed as usize >> 7 & (SELECTIONS - 1)];
        if place.0 != key {
            *place = (key, find()?);
        }
        Ok(place.1)
    }

    /// The word offset of a field of a JDK class, by name, if it has one.
    pub(crate) fn offset(&mut self, program: &Program, class: &'static str, field: &'static str) -> Option<u32> {
        // The names are constants of the code that asks: where they lie tells them apart faster than what they say.
        let key = (
            class.as_ptr() as usize,
            field.as_ptr() as usize,
            class.len(),
            field.len(),
        );
        let place = (key.0 ^ key.1.rotate_left(5)).wrapping_mul(0x9e37_79b9) >> 8 & (ASKED - 1);
        if self.asked[place].0 != key {
            self.asked[place] = (key, self.look_up_offset(program, class, field));
        }
        self.asked[place].1
    }

    #[cold]
    fn look_up_offset(&mut self, program: &Program, class: &'static str, field: &'static str) -> Option<u32> {
        *self.offsets.entry((class, field)).or_insert_with(|| {
            let class = program.load(LoaderId::BOOT, class).ok()?;
            let name = program.names.find(field)?;
            let declaring = program.class(class).supers.iter().rev();
            let mut fields = declaring.flat_map(|&at| &program.class(at).fields);
            Some(fields.find(|field| field.name == name)?.offset)
        })
    }

    /// How a class declares its fields, by their cells. Whoever drops an assumption changes it here.
    pub(crate) fn declared(&mut self, program: &Program, class: ClassId, finals_apart: bool) -> &mut [Declared] {
        self.declared
            .get_or_find(program, class, || view::find_declared(program, class, finals_apart))
    }

    /// From here on, synchronizers are no locks: one was taken from its owner.
    pub(crate) fn distrust_synchronizers(&mut self) {
        self.distrusts = true;
    }

    /// Whether they are.
    pub(crate) fn trusts_synchronizers(&self) -> bool {
        !self.distrusts
    }

    /// Takes up again what was assumed about fields and synchronizers.
    pub(crate) fn assume_again(&mut self) {
        self.declared.0.clear();
        self.distrusts = false;
    }

    /// What a class is, as far as races are concerned.
    pub(crate) fn repute(&mut self, program: &Program, class: ClassId) -> Repute {
        *self
            .reputes
            .get_or_find(program, class, || trust::repute_of(program.class(class)))
    }

    /// Whether the program, as far as it is loaded, may get hold of threads that nobody gave to it.
    pub(crate) fn exposes_threads(&mut self, program: &Program) -> bool {
        let end = program.class_end();
        if self.exposure.0 != end {
            let exposes = program.classes().any(|class| class_exposes_threads(program, class));
            self.exposure = (end, exposes);
        }
        self.exposure.1
    }

    /// What a word of the objects of a class is.
    pub(crate) fn slot(&mut self, program: &Program, class: ClassId, word: usize) -> Slot {
        let slots = self
            .slots
            .get_or_find(program, class, || slots::find_slots(program, class));
        slots.get(word).copied().unwrap_or(Slot::Hidden)
    }

    /// Whether an object of a class may be stored in a word of one of another, or in an element of such an array.
    pub(crate) fn is_storable(&mut self, program: &Program, class: ClassId, word: u32, stored: ClassId) -> bool {
        // All elements of an array are alike.
        let word = if program.class(class).is_array() { 0 } else { word };
        let key = (class, word, stored);
        if !self.storable.contains(&key) {
            if !slots::fits(program, class, word, stored) {
                return false;
            }
            self.storable.insert(key);
        }
        true
    }
}
