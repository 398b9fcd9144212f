//! The bootstrap methods that javac's output names, linked without running them.
//!
//! What they would make is decided by the constants of the call site alone. It is made here, once, as methods and
//! classes of the machine's own, which stack traces leave out as they leave out the JDK's. Whatever looks unusual is
//! left to the JDK.

use super::constants::{INVOKE_STATIC, class_file};
use crate::machine::{Machine, Trap};
use program::classfile::{Constant, Index, Pool};
use program::ir::Call;
use program::world::{Class, Method};

/// A dynamic call site, as its class file describes it.
pub(super) struct Site<'p> {
    /// The class that contains it.
    pub from: &'p Class,
    /// The constants of that class.
    pub pool: &'p Pool,
    /// Its name.
    pub name: &'p str,
    /// Its descriptor.
    pub descriptor: &'p str,
    /// The static arguments of the bootstrap method.
    pub arguments: &'p [Index],
    /// What tells it from every other site, for names.
    pub key: String,
}

impl Site<'_> {
    /// A static argument.
    pub fn argument(&self, position: usize) -> Constant {
        self.arguments
            .get(position)
            .map_or(Constant::Unusable, |&index| *self.pool.get(index))
    }
}

impl<'p> Machine<'p> {
    /// The link of a call site with a well-known bootstrap method; `None` leaves it to the JDK.
    pub(super) fn well_known(&mut self, method: &'p Method, call: &Call, number: u32) -> Result<Option<u64>, Trap> {
        let from = self.program.class(method.class);
        let file = class_file(from)?;
        let pool = &file.pool;
        let Constant::InvokeDynamic(bootstrap, member) = *pool.get(call.index) else {
            return Ok(None);
        };
        let Some(bootstrap) = file.bootstrap_methods.get(usize::from(bootstrap)) else {
            return Ok(None);
        };
        let Constant::MethodHandle(INVOKE_STATIC, target) = *pool.get(bootstrap.method) else {
            return Ok(None);
        };
        let (name, descriptor) = pool.name_and_type(member);
        let key = format!(
            "{}.{}{}:{number}",
            from.name,
            self.program.text(method.name),
            self.program.text(method.descriptor)
        );
        let site = Site {
            from,
            pool,
            name,
            descriptor,
            arguments: &bootstrap.arguments,
            key,
        };
        let (class, name, _) = pool.member(target);
        match (class, name) {
            ("java/lang/invoke/LambdaMetafactory", "metafactory") => self.lambda(&site, method, number, false),
            ("java/lang/invoke/LambdaMetafactory", "altMetafactory") => self.lambda(&site, method, number, true),
            ("java/lang/invoke/StringConcatFactory", "makeConcat") => self.concatenation(&site, false),
            ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants") => self.concatenation(&site, true),
            ("java/lang/runtime/ObjectMethods", "bootstrap") => self.record_method(&site),
            ("java/lang/runtime/SwitchBootstraps", "typeSwitch") => self.type_switch(&site),
            ("java/lang/runtime/SwitchBootstraps", "enumSwitch") => self.enum_switch(&site),
            _ => Ok(None),
        }
    }
}
