//! The types of the verifier (JVMS §4.10.2): what a local variable or stack slot may hold at a point.
//!
//! References that meet from different paths become the set of their classes instead of a common superclass, so that
//! merging loads no class: a set may be used as `T` if each member may. Arrays need no rule of their own then.

use super::Rules;
use std::borrow::Cow;
use std::collections::HashMap;

/// A type, packed: the high four bits say which sort, the rest is its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Type(u32);

const SORT: u32 = 0xF000_0000;
const CLASS: u32 = 0x1000_0000;
const SET: u32 = 0x2000_0000;
const FRESH: u32 = 0x3000_0000;
const ADDRESS: u32 = 0x4000_0000;

/// A set with more members than this becomes `Object`, or an array of it.
const LARGEST_SET: usize = 256;

impl Type {
    /// Nothing that could be used.
    pub const TOP: Type = Type(0);
    pub const INT: Type = Type(1);
    pub const FLOAT: Type = Type(2);
    pub const LONG: Type = Type(3);
    pub const DOUBLE: Type = Type(4);
    /// The second slots of wide values.
    pub const LONG2: Type = Type(5);
    pub const DOUBLE2: Type = Type(6);
    pub const NULL: Type = Type(7);
    /// `this` in a constructor before another constructor has run.
    pub const FRESH_THIS: Type = Type(8);
    pub const OBJECT: Type = Type(CLASS);

    /// What `new` at a bytecode index made, before its constructor has run.
    pub fn fresh(bci: u16) -> Type {
        Type(FRESH | u32::from(bci))
    }

    /// Where a subroutine returns to: the number of its call.
    pub fn address(context: u32) -> Type {
        Type(ADDRESS | context & !SORT)
    }

    fn sort(self) -> u32 {
        self.0 & SORT
    }

    fn number(self) -> u32 {
        self.0 & !SORT
    }

    pub fn as_fresh(self) -> Option<u16> {
        (self.sort() == FRESH).then_some(self.number() as u16)
    }

    pub fn as_address(self) -> Option<u32> {
        (self.sort() == ADDRESS).then_some(self.number())
    }

    /// Null or an initialised object.
    pub fn is_reference(self) -> bool {
        self == Type::NULL || matches!(self.sort(), CLASS | SET)
    }

    /// An object whose constructor has not run.
    pub fn is_uninitialised(self) -> bool {
        self == Type::FRESH_THIS || self.sort() == FRESH
    }

    pub fn is_second(self) -> bool {
        matches!(self, Type::LONG2 | Type::DOUBLE2)
    }

    pub fn is_wide(self) -> bool {
        matches!(self, Type::LONG | Type::DOUBLE)
    }

    /// What follows a wide value's first slot.
    pub fn second(self) -> Type {
        if self == Type::LONG { Type::LONG2 } else { Type::DOUBLE2 }
    }
}

/// The classes and sets that a method's types speak of, and the questions about them already answered.
pub(super) struct Types<'a> {
    rules: &'a dyn Rules,
    /// Trusted code: every initialised object is an `Object`, which may be used as anything.
    pub trusted: bool,
    names: Vec<Cow<'a, str>>,
    numbers: HashMap<Cow<'a, str>, u32>,
    sets: Vec<Box<[u32]>>,
    set_numbers: HashMap<Box<[u32]>, u32>,
    joins: HashMap<(Type, Type), Type>,
    answers: HashMap<(u32, u32), bool>,
    /// Members of sets looked at so far: what merging costs.
    pub work: u64,
}

const OBJECT_NAME: &str = "java/lang/Object";

impl<'a> Types<'a> {
    pub fn new(rules: &'a dyn Rules) -> Types<'a> {
        let trusted = rules.trusted();
        let mut types = Types {
            rules,
            trusted,
            names: Vec::new(),
            numbers: HashMap::new(),
            sets: Vec::new(),
            set_numbers: HashMap::new(),
            joins: HashMap::new(),
            answers: HashMap::new(),
            work: 0,
        };
        if !trusted {
            types.class(OBJECT_NAME);
        }
        types
    }

    /// The type of a class or array by its internal name.
    pub fn class(&mut self, name: impl Into<Cow<'a, str>>) -> Type {
        if self.trusted {
            Type::OBJECT
        } else {
            Type(CLASS | self.number(name.into()))
        }
    }

    fn number(&mut self, name: Cow<'a, str>) -> u32 {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        // A method has fewer than 2^16 constants and each name comes from one, with some array dimensions more or less.
        let number = self.names.len() as u32 & !SORT;
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }

    /// The type of a field descriptor of reference kind.
    pub fn described(&mut self, descriptor: &'a str) -> Type {
        if self.trusted {
            Type::OBJECT
        } else {
            self.class(class_of(descriptor))
        }
    }

    /// The type of an array whose elements are of the class with this internal name.
    pub fn array_of(&mut self, element: &str) -> Type {
        if self.trusted {
            return Type::OBJECT;
        }
        let name = if element.starts_with('[') {
            format!("[{element}")
        } else {
            format!("[L{element};")
        };
        self.class(name)
    }

    fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or(OBJECT_NAME, |name| name)
    }

    fn members(&self, of: Type) -> Vec<u32> {
        match of.sort() {
            CLASS => vec![of.number()],
            SET => self
                .sets
                .get(of.number() as usize)
                .map_or(Vec::new(), |set| set.to_vec()),
            _ => Vec::new(),
        }
    }

    /// Whether each class that the type may stand for satisfies a condition on its name; null always does.
    pub fn all(&self, of: Type, condition: impl Fn(&str) -> bool) -> bool {
        match of.sort() {
            CLASS => condition(self.name(of.number())),
            SET => self
                .sets
                .get(of.number() as usize)
                .is_some_and(|set| set.iter().all(|&one| condition(self.name(one)))),
            _ => of == Type::NULL,
        }
    }

    /// The type of the elements of an array of references; `None` if it is none.
    pub fn element(&mut self, array: Type) -> Option<Type> {
        if array == Type::NULL || self.trusted {
            return Some(array);
        }
        let mut joined = Type::NULL;
        for member in self.members(array) {
            let element = match self.names.get(member as usize)? {
                Cow::Borrowed(name) => Cow::Borrowed(element_of(name)?),
                Cow::Owned(name) => Cow::Owned(element_of(name)?.to_owned()),
            };
            let element = self.class(element);
            joined = self.join(joined, element);
        }
        Some(joined)
    }

    /// What a slot may hold that gets a value of one type on one path and of the other on another.
    pub fn join(&mut self, a: Type, b: Type) -> Type {
        if a == b || b == Type::NULL && a.is_reference() {
            return a;
        }
        if !a.is_reference() || !b.is_reference() {
            return Type::TOP;
        }
        if a == Type::NULL {
            return b;
        }
        if a == Type::OBJECT || b == Type::OBJECT {
            return Type::OBJECT;
        }
        if let Some(&joined) = self.joins.get(&(a, b)) {
            return joined;
        }
        let mut all = self.members(a);
        all.extend(self.members(b));
        self.work += all.len() as u64 * 4;
        all.sort_unstable();
        all.dedup();
        let joined = self.set(all);
        self.joins.insert((a, b), joined);
        joined
    }

    fn set(&mut self, mut all: Vec<u32>) -> Type {
        // Arrays of `Object` take in what fits into them: a set once cut down to one must not grow again.
        let widest = all.iter().filter_map(|&one| object_array(self.name(one))).min();
        if let Some(dimensions) = widest {
            let mut kept = Vec::with_capacity(all.len());
            for &one in &all {
                let name = self.name(one);
                if object_array(name) == Some(dimensions) || reference_dimensions(name) < dimensions {
                    kept.push(one);
                }
            }
            all = kept;
        }
        if all.len() > LARGEST_SET {
            let dimensions = all
                .iter()
                .map(|&one| reference_dimensions(self.name(one)))
                .min()
                .unwrap_or(0);
            if dimensions == 0 {
                return Type::OBJECT;
            }
            return self.class(format!("{}L{OBJECT_NAME};", "[".repeat(dimensions)));
        }
        if let [one] = *all {
            return Type(CLASS | one);
        }
        let all = all.into_boxed_slice();
        if let Some(&number) = self.set_numbers.get(&all) {
            return Type(SET | number);
        }
        let number = self.sets.len() as u32 & !SORT;
        self.sets.push(all.clone());
        self.set_numbers.insert(all, number);
        Type(SET | number)
    }

    /// Whether a reference of one type may be used where the class `to` is wanted.
    pub fn assignable(&mut self, from: Type, to: Type) -> Result<bool, String> {
        if self.trusted || from == to || from == Type::NULL || to == Type::OBJECT {
            return Ok(from.is_reference());
        }
        if !from.is_reference() || to.sort() != CLASS {
            return Ok(false);
        }
        for member in self.members(from) {
            if !self.class_assignable(member, to.number())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn class_assignable(&mut self, from: u32, to: u32) -> Result<bool, String> {
        if from == to {
            return Ok(true);
        }
        if let Some(&answer) = self.answers.get(&(from, to)) {
            return Ok(answer);
        }
        let answer = names_assignable(self.rules, self.name(from), self.name(to))?;
        self.answers.insert((from, to), answer);
        Ok(answer)
    }

    /// The type in words.
    pub fn describe(&self, one: Type) -> String {
        match one {
            Type::TOP => "nothing usable".to_owned(),
            Type::INT => "int".to_owned(),
            Type::FLOAT => "float".to_owned(),
            Type::LONG | Type::LONG2 => "long".to_owned(),
            Type::DOUBLE | Type::DOUBLE2 => "double".to_owned(),
            Type::NULL => "null".to_owned(),
            Type::FRESH_THIS => "uninitialised this".to_owned(),
            _ => match one.sort() {
                CLASS if self.trusted => "a reference".to_owned(),
                CLASS => self.name(one.number()).to_owned(),
                SET => self
                    .members(one)
                    .iter()
                    .map(|&one| self.name(one))
                    .collect::<Vec<_>>()
                    .join(" or "),
                FRESH => format!("uninitialised object of bytecode {}", one.number()),
                _ => "return address".to_owned(),
            },
        }
    }
}

/// The internal name of what a reference descriptor describes.
fn class_of(descriptor: &str) -> &str {
    match descriptor.strip_prefix('L') {
        Some(name) => name.strip_suffix(';').unwrap_or(name),
        None => descriptor,
    }
}

/// The internal name of an array's elements, if they are references.
fn element_of(array: &str) -> Option<&str> {
    let element = array.strip_prefix('[')?;
    element.starts_with(['L', '[']).then(|| class_of(element))
}

/// How many times an element can be taken such that it is a reference.
fn reference_dimensions(name: &str) -> usize {
    let dimensions = name.bytes().take_while(|&byte| byte == b'[').count();
    let primitive = dimensions > 0 && name.as_bytes().get(dimensions) != Some(&b'L');
    dimensions - usize::from(primitive)
}

/// The dimensions of an array of `Object`.
fn object_array(name: &str) -> Option<usize> {
    let element = name.trim_start_matches('[');
    (element.len() < name.len() && class_of(element) == OBJECT_NAME).then(|| name.len() - element.len())
}

/// Assignability of classes and arrays by name, as in HotSpot's verifier.
fn names_assignable(rules: &dyn Rules, mut from: &str, mut to: &str) -> Result<bool, String> {
    while let Some(to_element) = to.strip_prefix('[') {
        let Some(from_element) = from.strip_prefix('[') else {
            return Ok(false);
        };
        let references = |element: &str| element.starts_with(['L', '[']);
        if !references(from_element) || !references(to_element) {
            return Ok(from_element == to_element);
        }
        (from, to) = (class_of(from_element), class_of(to_element));
    }
    if from == to || to == OBJECT_NAME {
        return Ok(true);
    }
    if from.starts_with('[') {
        return Ok(matches!(to, "java/lang/Cloneable" | "java/io/Serializable"));
    }
    rules.assignable(from, to)
}
