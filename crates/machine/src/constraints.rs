//! Loader constraints (JVMS §5.3.4), as resolution and preparation impose them, and what verification leaves to linking.
//!
//! `program::world` keeps them, for all states together. Here it is decided what a broken one means: a `LinkageError` in a single
//! run, and where the JVM would surely raise it in this state; else the end of the execution as unsupported.

use crate::layout::{class, class_record};
use crate::link::{load_trap, member_trap};
use crate::machine::{Machine, Trap, raise};
use program::world::{Class, ClassId, LoaderId, Method};

impl Machine<'_> {
    /// Has the loaders of a class and of the class whose field it uses agree on the field's type.
    pub fn constrain_field(&self, from: ClassId, declaring: ClassId, descriptor: &str) -> Result<(), Trap> {
        self.constrain(from, declaring, descriptor, |machine| {
            format!(
                "when resolving a field of {}",
                machine.program.class(declaring).external_name()
            )
        })
    }

    /// Has the loaders of a class and of the class whose method it uses agree on the types of the method.
    pub fn constrain_method(&self, from: ClassId, method: &Method) -> Result<(), Trap> {
        if self.program.is_polymorphic(method) {
            return Ok(());
        }
        let descriptor = self.program.text(method.descriptor);
        self.constrain(from, method.class, descriptor, |machine| {
            let signature = machine.program.signature(method.class, method.name, method.descriptor);
            format!("when resolving method '{signature}'")
        })
    }

    /// Has the loaders of a class and of the classes and interfaces above it agree on the types of the methods that one
    /// overrides or implements (JVMS §5.4.2).
    pub(crate) fn constrain_overrides(&self, of: &Class) -> Result<(), Trap> {
        if of.loader.is_builtin() {
            return Ok(());
        }
        let program = self.program;
        let others = |&&above: &&ClassId| program.class(above).loader != of.loader;
        for &above in of.supers.iter().chain(&of.all_interfaces).filter(others) {
            for &id in &program.class(above).methods {
                let method = program.method(id);
                if method.is_static() || method.is_private() || &**program.text(method.name) == "<init>" {
                    continue;
                }
                if class_names(program.text(method.descriptor)).next().is_none() {
                    continue;
                }
                // An abstract class need not have them all, and what is wrong with the choice is said when it is called.
                let Ok(chosen) = program.select(of.id, id).map_err(member_trap) else {
                    continue;
                };
                let chosen = program.method(chosen);
                let descriptor = program.text(method.descriptor);
                self.constrain(chosen.class, above, descriptor, |machine| {
                    let signature = machine.program.signature(above, method.name, method.descriptor);
                    format!("for class {}, when overriding method '{signature}'", of.external_name())
                })?;
            }
        }
        Ok(())
    }

    /// Sees to what verification has taken for granted about classes that a loader of the program's own has to find.
    pub(crate) fn check_assumed(&mut self, of: &Class) -> Result<(), Trap> {
        if of.loader.is_builtin() {
            return Ok(());
        }
        for (from, to) in self.program.assumed_assignable(of.id) {
            let wanted = self.class_meant(of, &to)?;
            if self.program.class(wanted).is_interface() {
                continue;
            }
            let found = self.class_meant(of, &from)?;
            if !self.program.is_subclass(found, wanted) {
                let (from, to) = (from.replace('/', "."), to.replace('/', "."));
                return raise(
                    "java/lang/VerifyError",
                    format!(
                        "Bad type in class {}: {from} is not assignable to {to}",
                        of.external_name()
                    ),
                );
            }
        }
        Ok(())
    }

    /// What the code of a class means by a name. Only the bootstrap loader defines what begins with `java`.
    fn class_meant(&mut self, of: &Class, name: &str) -> Result<ClassId, Trap> {
        if name.starts_with("java/") {
            return self.program.load(LoaderId::BOOT, name).map_err(load_trap);
        }
        self.resolve_class(of, name)
    }

    /// Whether a loader may answer a name with a class, or with one that is to be defined.
    pub fn check_answer(&self, loader: LoaderId, name: &str, class: Option<ClassId>) -> Result<(), Trap> {
        if self.program.may_answer(loader, name, class).is_ok() {
            return Ok(());
        }
        let name = name.replace('/', ".");
        if self.is_stepping() {
            return Err(depends_on_path(&name));
        }
        raise(
            "java/lang/LinkageError",
            format!(
                "loader constraint violation: a loader wants to load class {name}. A different class with the same name was \
                 previously loaded by a loader that must agree with it."
            ),
        )
    }

    fn constrain(
        &self,
        one: ClassId,
        two: ClassId,
        descriptor: &str,
        when: impl Fn(&Self) -> String,
    ) -> Result<(), Trap> {
        let loaders = (self.program.class(one).loader, self.program.class(two).loader);
        // Of the built-in loaders, each asks the one above it first: they always agree.
        if loaders.0 == loaders.1 || loaders.0.is_builtin() && loaders.1.is_builtin() {
            return Ok(());
        }
        for name in class_names(descriptor) {
            let answers = (self.answer_of(loaders.0, name), self.answer_of(loaders.1, name));
            let differ = matches!(answers, (Some(one), Some(two)) if one.0 != two.0);
            // SOUNDNESS: what other loaders have answered is in no footprint. With a second thread, the order of its answers
            // and of this link matters, and reductions need not explore both: then nothing is certain.
            let both = matches!(answers, (Some((_, true)), Some((_, true))));
            let certain = !self.is_stepping() || differ && both && self.highest_thread() == 0;
            if !differ && self.program.constrain(loaders.0, loaders.1, name).is_ok() {
                continue;
            }
            let name = name.replace('/', ".");
            if !certain {
                return Err(depends_on_path(&name));
            }
            return raise(
                "java/lang/LinkageError",
                format!(
                    "loader constraint violation: {} the class loader of {} and the class loader of {} have different Class \
                     objects for the type {name} used in the signature",
                    when(self),
                    self.program.class(one).external_name(),
                    self.program.class(two).external_name(),
                ),
            );
        }
        Ok(())
    }

    /// What a loader means by a name, and whether the JVM would know that in this state: what a loader has defined itself,
    /// it has surely loaded.
    fn answer_of(&self, loader: LoaderId, name: &str) -> Option<(ClassId, bool)> {
        let found = if loader.is_builtin() {
            self.program.load(loader, name).ok()?
        } else {
            self.loaded(loader, name)?
        };
        let is_loaded = self.memory.load(class_record(found) + class::MIRROR) != 0;
        Some((found, is_loaded && self.program.class(found).loader == loader))
    }
}

fn depends_on_path(name: &str) -> Trap {
    Trap::Unsupported(format!(
        "class loaders that must agree on the class {name} and may have different ones, depending on the order of loading"
    ))
}

/// The classes that a descriptor names, without those that only the bootstrap loader can define.
fn class_names(descriptor: &str) -> impl Iterator<Item = &str> {
    let mut rest = descriptor;
    let names = std::iter::from_fn(move || {
        let from = rest.find('L')? + 1;
        let (name, after) = rest.get(from..)?.split_once(';')?;
        rest = after;
        Some(name)
    });
    names.filter(|name| !name.starts_with("java/"))
}

#[cfg(test)]
mod tests {
    use super::class_names;

    #[test]
    fn the_classes_of_a_descriptor_are_found() {
        for (descriptor, expected) in [
            ("I", &[][..]),
            ("Lp/A;", &["p/A"]),
            ("[[Lp/A;", &["p/A"]),
            ("(ILp/A;[JLjava/lang/String;[LL;)Lp/LB;", &["p/A", "L", "p/LB"]),
            ("()V", &[]),
        ] {
            assert!(class_names(descriptor).eq(expected.iter().copied()), "{descriptor}");
        }
    }
}
