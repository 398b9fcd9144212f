//! What linking decides by names alone: numbers of sites, methods and classes that no class file contains.
//!
//! Nothing here belongs to a state. A number is given when it is first asked for and never changes; what is made is
//! named by what it is made from, so that no order of exploration makes two of it.

use super::concat::Recipe;
use super::switch::Labels;
use crate::layout::MAX_SITES;
use crate::machine::{Machine, Trap};
use program::world::{ClassId, LoaderId, MethodId, Program};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The tables.
#[derive(Default)]
pub(crate) struct Sites {
    numbers: RwLock<HashMap<(u32, u32), u32>>,
    made: RwLock<HashMap<String, u32>>,
    recipes: RwLock<Interner<Recipe>>,
    labels: RwLock<Interner<Labels>>,
    invoke: OnceLock<Option<InvokeLayout>>,
}

/// Contents and their numbers.
struct Interner<T> {
    numbers: HashMap<Arc<T>, u32>,
    contents: Vec<Arc<T>>,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner {
            numbers: HashMap::new(),
            contents: Vec::new(),
        }
    }
}

impl<T: std::hash::Hash + Eq> Interner<T> {
    fn number(&mut self, content: T) -> u32 {
        let content = Arc::new(content);
        let next = self.contents.len() as u32;
        let number = *self.numbers.entry(content.clone()).or_insert(next);
        if number == next {
            self.contents.push(content);
        }
        number
    }
}

impl Sites {
    /// The number of the site at a place of something; `None` when there are too many.
    pub fn number(&self, of: u32, place: u32) -> Option<u32> {
        if let Some(&number) = read(&self.numbers).get(&(of, place)) {
            return Some(number);
        }
        let mut numbers = write(&self.numbers);
        let next = u32::try_from(numbers.len()).ok()?;
        if let Some(&number) = numbers.get(&(of, place)) {
            return Some(number);
        }
        if next >= MAX_SITES {
            return None;
        }
        numbers.insert((of, place), next);
        Some(next)
    }

    /// How many sites have numbers.
    pub fn count(&self) -> u32 {
        read(&self.numbers).len() as u32
    }

    /// The number of a recipe.
    pub fn recipe_number(&self, recipe: Recipe) -> u32 {
        write(&self.recipes).number(recipe)
    }

    /// The recipe with a number.
    pub fn recipe(&self, number: u32) -> Option<Arc<Recipe>> {
        read(&self.recipes).contents.get(number as usize).cloned()
    }

    /// The number of the labels of a switch.
    pub fn labels_number(&self, labels: Labels) -> u32 {
        write(&self.labels).number(labels)
    }

    /// The labels with a number.
    pub fn labels(&self, number: u32) -> Option<Arc<Labels>> {
        read(&self.labels).contents.get(number as usize).cloned()
    }

    /// The method that was made under a name.
    pub fn method(&self, name: &str) -> Option<MethodId> {
        self.made(name).map(MethodId)
    }

    /// As [`Sites::enter`], for a method.
    pub fn enter_method(&self, name: String, method: MethodId) -> MethodId {
        MethodId(self.enter(name, method.0))
    }

    /// The method or class that was made under a name.
    pub fn made(&self, name: &str) -> Option<u32> {
        read(&self.made).get(name).copied()
    }

    /// Enters what was made under a name, unless another thread was faster; gives what is there.
    pub fn enter(&self, name: String, number: u32) -> u32 {
        *write(&self.made).entry(name).or_insert(number)
    }
}

/// The tables as data, each in the order of its numbers.
#[derive(Serialize, Deserialize)]
pub(crate) struct SiteTables {
    numbers: Vec<(u32, u32)>,
    made: Vec<(String, u32)>,
    recipes: Vec<Recipe>,
    labels: Vec<Labels>,
}

impl Sites {
    /// Writes the tables down.
    pub fn export(&self) -> SiteTables {
        let mut numbers: Vec<_> = read(&self.numbers)
            .iter()
            .map(|(&place, &number)| (number, place))
            .collect();
        numbers.sort_unstable();
        let mut made: Vec<_> = read(&self.made)
            .iter()
            .map(|(name, &number)| (name.clone(), number))
            .collect();
        made.sort_unstable();
        SiteTables {
            numbers: numbers.into_iter().map(|(_, place)| place).collect(),
            made,
            recipes: read(&self.recipes)
                .contents
                .iter()
                .map(|recipe| Recipe::clone(recipe))
                .collect(),
            labels: read(&self.labels)
                .contents
                .iter()
                .map(|labels| Labels::clone(labels))
                .collect(),
        }
    }

    /// Whether no number means something here and something else in other tables; if one does, what.
    pub fn agree(&self, tables: &SiteTables) -> Result<(), String> {
        let here = self.export();
        agree("dynamic site", &here.numbers, &tables.numbers)?;
        agree("string recipe", &here.recipes, &tables.recipes)?;
        agree("switch", &here.labels, &tables.labels)?;
        for (name, there) in &tables.made {
            match self.made(name) {
                Some(here) if here != *there => {
                    return Err(format!("what was made for {name} is {here} here and {there} there"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds what other tables have; they agree with these.
    pub fn import(&self, tables: SiteTables) {
        for (of, place) in tables.numbers {
            self.number(of, place);
        }
        for (name, number) in tables.made {
            self.enter(name, number);
        }
        for recipe in tables.recipes {
            self.recipe_number(recipe);
        }
        for labels in tables.labels {
            self.labels_number(labels);
        }
    }
}

/// Compares two tables, as far as both go, and tells the first difference.
pub(crate) fn agree<T: PartialEq + std::fmt::Debug>(what: &str, here: &[T], there: &[T]) -> Result<(), String> {
    let different = here.iter().zip(there).position(|(one, two)| one != two);
    match different {
        None => Ok(()),
        Some(number) => Err(format!(
            "{what} {number} is {:?} here and {:?} there",
            here[number], there[number]
        )),
    }
}

/// Where the parts of `java.lang.invoke` that the machine looks into lie.
pub(crate) struct InvokeLayout {
    /// `MethodHandle.form`.
    pub handle_form: u32,
    /// `MethodHandle.type`.
    pub handle_type: u32,
    /// `LambdaForm.vmentry`.
    pub form_entry: u32,
    /// `MemberName.method`.
    pub member_method: u32,
    /// `MemberName.flags`.
    pub member_flags: u32,
    /// `ResolvedMethodName.$method`.
    pub resolved: u32,
    /// `DirectMethodHandle`.
    pub direct: ClassId,
    /// `DirectMethodHandle.member`.
    pub direct_member: u32,
    /// `CallSite.target`.
    pub call_site_target: u32,
    /// `VarHandle.exact`.
    pub exact: u32,
    /// A handle of a static variable whose class may not be initialised yet, where the JDK has such a class.
    pub lazy: Option<LazyHandle>,
}

/// Where `LazyInitializingVarHandle` keeps what it needs.
pub(crate) struct LazyHandle {
    /// The class itself.
    pub class: ClassId,
    /// The handle to be used once the class of the variable is initialised.
    pub target: u32,
    /// The class of the variable.
    pub of: u32,
}

impl InvokeLayout {
    fn new(program: &Program) -> Option<InvokeLayout> {
        let class = |name: &str| program.load(LoaderId::BOOT, &format!("java/lang/invoke/{name}")).ok();
        let field = |of: &str, name: &str| {
            let fields = &program.class(class(of)?).fields;
            let name = program.names.find(name)?;
            fields.iter().find(|field| field.name == name).map(|field| field.offset)
        };
        let lazy = || {
            let name = "LazyInitializingVarHandle";
            Some(LazyHandle {
                class: class(name)?,
                target: field(name, "target")?,
                of: field(name, "refc")?,
            })
        };
        Some(InvokeLayout {
            handle_form: field("MethodHandle", "form")?,
            handle_type: field("MethodHandle", "type")?,
            form_entry: field("LambdaForm", "vmentry")?,
            member_method: field("MemberName", "method")?,
            member_flags: field("MemberName", "flags")?,
            resolved: field("ResolvedMethodName", "$method")?,
            direct: class("DirectMethodHandle")?,
            direct_member: field("DirectMethodHandle", "member")?,
            call_site_target: field("CallSite", "target")?,
            exact: field("VarHandle", "exact")?,
            lazy: lazy(),
        })
    }
}

impl<'p> Machine<'p> {
    /// Where the parts of `java.lang.invoke` lie.
    pub(super) fn invoke_layout(&self) -> Result<&'p InvokeLayout, Trap> {
        let shared = self.shared;
        let layout = shared.sites.invoke.get_or_init(|| InvokeLayout::new(shared.program));
        layout
            .as_ref()
            .ok_or_else(|| Trap::Unsupported("method handles of this JDK".to_owned()))
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_once_and_what_is_made_first_stays() {
        let sites = Sites::default();
        let numbers: Vec<_> = [(1, 2), (1, 3), (1, 2)]
            .map(|(of, place)| sites.number(of, place))
            .into();
        assert_eq!(numbers, [Some(0), Some(1), Some(0)]);
        assert_eq!(sites.count(), 2);
        assert_eq!((sites.enter("a".to_owned(), 7), sites.enter("a".to_owned(), 8)), (7, 7));
        assert_eq!((sites.made("a"), sites.made("b")), (Some(7), None));
    }
}
