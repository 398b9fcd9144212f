//! Pattern switches: `SwitchBootstraps` without its bytecode.
//!
//! The call gets a value and the label to start from, and answers the first label that fits from there on, the number
//! of labels if none does, or -1 for null.

use super::bootstrap::Site;
use super::{form, native_link};
use crate::machine::{Machine, Trap, raise};
use crate::memory::Address;
use program::classfile::{ClassFile, Constant, Index};
use program::descriptor::{self, Kind};
use program::ir::{Call, Code};
use program::world::ClassId;
use serde::{Deserialize, Serialize};

/// What a value is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Label {
    /// It is an instance of a class.
    Class(ClassId),
    /// It is this string.
    String(Vec<u16>),
    /// It is a box of this number.
    Integer(i32),
    /// It is the constant of this name, of an enum class.
    Constant(ClassId, Vec<u16>),
}

/// The labels of a switch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Labels(Vec<Label>);

impl<'p> Machine<'p> {
    /// The link of a switch on the type of a value.
    pub(super) fn type_switch(&mut self, site: &Site<'p>) -> Result<Option<u64>, Trap> {
        let Some(selector) = selector(site.descriptor) else {
            return Ok(None);
        };
        let mut labels = Vec::new();
        for (position, &index) in site.arguments.iter().enumerate() {
            labels.push(match site.argument(position) {
                Constant::Class(_) => Label::Class(self.resolve_class(site.from, site.pool.class_name(index))?),
                Constant::String(text) => Label::String(site.pool.units(text).collect()),
                Constant::Integer(value) if is_small_box(selector) => Label::Integer(value),
                Constant::Dynamic(..) => {
                    let Some(file) = &site.from.file else { return Ok(None) };
                    let Some((class, name)) = enum_description(file, index) else {
                        return Ok(None);
                    };
                    Label::Constant(self.resolve_class(site.from, &class)?, name)
                }
                _ => return Ok(None),
            });
        }
        Ok(Some(native_link(
            form::SWITCH,
            self.shared.sites.labels_number(Labels(labels)),
        )))
    }

    /// The link of a switch on an enum constant.
    pub(super) fn enum_switch(&mut self, site: &Site<'p>) -> Result<Option<u64>, Trap> {
        let Some(selector) = selector(site.descriptor) else {
            return Ok(None);
        };
        let class = self.descriptor_class(site.from, selector)?;
        let enumeration = self.jdk_class("java/lang/Enum")?;
        if self.program.class(class).super_class != Some(enumeration) {
            return Ok(None);
        }
        let mut labels = Vec::new();
        for (position, &index) in site.arguments.iter().enumerate() {
            labels.push(match site.argument(position) {
                Constant::Class(_) if self.resolve_class(site.from, site.pool.class_name(index))? == class => {
                    Label::Class(class)
                }
                Constant::String(text) => Label::Constant(class, site.pool.units(text).collect()),
                _ => return Ok(None),
            });
        }
        Ok(Some(native_link(
            form::SWITCH,
            self.shared.sites.labels_number(Labels(labels)),
        )))
    }

    /// Finds the label that a value matches.
    pub(super) fn switch(&mut self, code: &Code, call: &Call, number: u32) -> Result<u32, Trap> {
        let Some(labels) = self.shared.sites.labels(number) else {
            return Err(Trap::Unsupported("a switch without labels".to_owned()));
        };
        let (value, start) = (self.argument(code, call, 0), self.argument(code, call, 1));
        let count = labels.0.len() as u32;
        if start > count {
            let message = format!("Index {} out of bounds for length {}", start as i32, count + 1);
            return raise("java/lang/IndexOutOfBoundsException", message);
        }
        if value == 0 {
            return Ok(-1i32 as u32);
        }
        for position in start..count {
            if self.fits(value, &labels.0[position as usize]) {
                return Ok(position);
            }
        }
        Ok(count)
    }

    fn fits(&mut self, value: Address, label: &Label) -> bool {
        let class = self.class_of(value);
        match label {
            Label::Class(wanted) => self.program.is_subclass(class, *wanted),
            Label::String(units) => class == self.known.string && self.string_units(value) == *units,
            Label::Integer(wanted) => {
                let kind = Kind::wrapped_by(&self.program.class(class).name);
                matches!(kind, Some(Kind::Int | Kind::Short | Kind::Byte | Kind::Char))
                    && self.unbox(value).is_some_and(|found| found as u32 as i32 == *wanted)
            }
            Label::Constant(wanted, name) => {
                // A constant with a body has a class of its own, below the enum.
                let declared = class == *wanted || self.program.class(class).super_class == Some(*wanted);
                if !declared {
                    return false;
                }
                let found = self.get(value, "java/lang/Enum", "name");
                found != 0 && self.string_units(found) == *name
            }
        }
    }
}

/// The type that is switched on, if it is a reference and the rest is as it should be.
fn selector(text: &str) -> Option<&str> {
    let mut parameters = descriptor::parameters(text);
    let (selector, Kind::Reference) = parameters.next()? else {
        return None;
    };
    let rest = (
        parameters.next()?.0,
        parameters.next().is_none(),
        descriptor::return_type(text)?.0,
    );
    (rest == ("I", true, "I")).then_some(selector)
}

/// Whether a type boxes numbers that an int label can stand for.
fn is_small_box(text: &str) -> bool {
    let boxes = [
        "Ljava/lang/Integer;",
        "Ljava/lang/Short;",
        "Ljava/lang/Byte;",
        "Ljava/lang/Character;",
    ];
    boxes.contains(&text)
}

/// Enum class and name of `EnumDesc.of(ClassDesc.of("…"), "…")`, which is how javac writes a qualified enum constant.
fn enum_description(file: &ClassFile, index: Index) -> Option<(String, Vec<u16>)> {
    let outer = invoked(file, index, "java/lang/Enum$EnumDesc")?;
    let [class, name] = outer else { return None };
    let inner = invoked(file, *class, "java/lang/constant/ClassDesc")?;
    let ([class], Constant::String(name)) = (inner, *file.pool.get(*name)) else {
        return None;
    };
    let Constant::String(class) = *file.pool.get(*class) else {
        return None;
    };
    Some((file.pool.text(class).replace('.', "/"), file.pool.units(name).collect()))
}

/// The arguments of a dynamic constant that calls the static method `of` of a class.
fn invoked<'f>(file: &'f ClassFile, index: Index, class: &str) -> Option<&'f [Index]> {
    let Constant::Dynamic(bootstrap, _) = *file.pool.get(index) else {
        return None;
    };
    let bootstrap = file.bootstrap_methods.get(usize::from(bootstrap))?;
    let Constant::MethodHandle(_, method) = *file.pool.get(bootstrap.method) else {
        return None;
    };
    let (owner, name, _) = file.pool.member(method);
    if (owner, name) != ("java/lang/invoke/ConstantBootstraps", "invoke") {
        return None;
    }
    let (first, rest) = bootstrap.arguments.split_first()?;
    let Constant::MethodHandle(_, target) = *file.pool.get(*first) else {
        return None;
    };
    let (owner, name, _) = file.pool.member(target);
    ((owner, name) == (class, "of")).then_some(rest)
}
