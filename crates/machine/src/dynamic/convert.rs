//! Conversions between types: casts, boxing, unboxing, widening. Those that `LambdaMetafactory` makes between the types of a
//! functional interface and of the method behind it, and those of `MethodHandle.asType` that a `VarHandle` access needs.

use crate::assemble::Assembler;
use crate::machine::{Machine, Trap};
use program::descriptor::Kind;
use program::ir::{Instr, Reg, RegisterKind};
use program::world::{Class, MethodId};

const OBJECT: &str = "Ljava/lang/Object;";

/// The primitive type that the class of a descriptor boxes.
fn boxed(descriptor: &str) -> Option<Kind> {
    Kind::wrapped_by(descriptor.strip_prefix('L')?.strip_suffix(';')?)
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "boolean",
        Kind::Byte => "byte",
        Kind::Char => "char",
        Kind::Short => "short",
        Kind::Int => "int",
        Kind::Float => "float",
        Kind::Long => "long",
        Kind::Double => "double",
        Kind::Reference => "",
    }
}

/// The kind of a descriptor that is not of a reference type.
fn primitive(descriptor: &str) -> Option<Kind> {
    Kind::of(descriptor).filter(|&kind| kind != Kind::Reference)
}

impl<'p> Machine<'p> {
    /// Adds what converts a value from type `given` to type `target`, where the interface promises type `promised`.
    /// Gives the register of the result, or `None` if there is no such conversion.
    pub(super) fn convert(
        &mut self,
        assembler: &mut Assembler,
        from: &'p Class,
        value: Reg,
        given: &str,
        target: &str,
        promised: &str,
    ) -> Result<Option<Reg>, Trap> {
        if given == target && given == promised {
            return Ok(Some(value));
        }
        match (primitive(given), primitive(target)) {
            (Some(given), Some(target)) => Ok(widen(assembler, value, given, target)),
            (Some(given), None) => match boxed(target) {
                Some(kind) => match widen(assembler, value, given, kind) {
                    Some(value) => self.emit_box(assembler, value, kind).map(Some),
                    None => Ok(None),
                },
                None => {
                    let object = self.emit_box(assembler, value, given)?;
                    let name = given.wrapper().unwrap_or_default();
                    self.emit_cast(assembler, from, object, &format!("L{name};"), target)?;
                    Ok(Some(object))
                }
            },
            (None, wanted) => {
                let source = if primitive(promised).is_some() {
                    given
                } else {
                    self.emit_cast(assembler, from, value, given, promised)?;
                    promised
                };
                match wanted {
                    Some(kind) => self.emit_unbox(assembler, from, value, source, kind),
                    None => {
                        self.emit_cast(assembler, from, value, source, target)?;
                        Ok(Some(value))
                    }
                }
            }
        }
    }

    /// Adds what converts an argument to the kind that an implementation of a `VarHandle` access takes. That casts references
    /// itself. `None` if there is no such conversion, or it depends on the handle whether there is.
    pub(super) fn convert_argument(
        &mut self,
        assembler: &mut Assembler,
        value: Reg,
        given: &str,
        target: Kind,
    ) -> Result<Option<Reg>, Trap> {
        match (primitive(given), target) {
            (None, Kind::Reference) => Ok(Some(value)),
            (Some(given), target) => Ok(widen(assembler, value, given, target)),
            (None, target) => match boxed(given) {
                Some(kind) => {
                    let result = self.emit_value(assembler, value, kind)?;
                    Ok(widen(assembler, result, kind, target))
                }
                None => Ok(None),
            },
        }
    }

    /// Adds what converts the result of such an implementation to the type that the call wants.
    pub(super) fn convert_result(
        &mut self,
        assembler: &mut Assembler,
        value: Reg,
        given: Kind,
        target: &str,
    ) -> Result<Option<Reg>, Trap> {
        match (given, primitive(target)) {
            (Kind::Reference, None) => Ok(Some(value)),
            (Kind::Reference, Some(_)) => Ok(None),
            (given, Some(target)) => Ok(widen(assembler, value, given, target)),
            (given, None) if target == OBJECT || boxed(target) == Some(given) => {
                self.emit_box(assembler, value, given).map(Some)
            }
            (_, None) => Ok(None),
        }
    }

    /// `value.intValue()` and the like, of the box of just this kind.
    fn emit_value(&mut self, assembler: &mut Assembler, value: Reg, kind: Kind) -> Result<Reg, Trap> {
        let class = kind.wrapper().unwrap_or_default();
        let (name, text) = (format!("{}Value", type_name(kind)), format!("(){}", kind.letter()));
        let found = self.program.find_method(self.jdk_class(class)?, &name, &text);
        let method = found.ok_or_else(|| Trap::Unsupported(format!("a JDK without {class}.{name}")))?;
        let result = assembler.register(crate::register_kind(kind));
        assembler.call_virtual(method, &[value], Some(result));
        Ok(result)
    }

    fn emit_cast(
        &mut self,
        assembler: &mut Assembler,
        from: &'p Class,
        value: Reg,
        given: &str,
        target: &str,
    ) -> Result<(), Trap> {
        if given != target && target != OBJECT {
            let class = self.descriptor_class(from, target)?;
            let site = assembler.class_site(class, 0);
            assembler.push(Instr::CheckCast { o: value, site });
        }
        Ok(())
    }

    /// `Integer.valueOf(value)` and the like.
    fn emit_box(&mut self, assembler: &mut Assembler, value: Reg, kind: Kind) -> Result<Reg, Trap> {
        let name = kind.wrapper().unwrap_or_default();
        let text = format!("({})L{name};", kind.letter());
        let value_of = self.static_method(name, "valueOf", &text)?;
        let object = assembler.register(RegisterKind::Ref);
        assembler.call_static(value_of, &words(value, kind), Some(object));
        Ok(object)
    }

    /// `value.intValue()` and the like, of a box or of a number of any kind.
    fn emit_unbox(
        &mut self,
        assembler: &mut Assembler,
        from: &'p Class,
        value: Reg,
        source: &str,
        target: Kind,
    ) -> Result<Option<Reg>, Trap> {
        let is_number = |kind| !matches!(kind, Kind::Boolean | Kind::Char);
        let (class, read) = match boxed(source) {
            Some(kind) if is_number(kind) => (kind.wrapper(), target),
            Some(kind) => (kind.wrapper(), kind),
            None if is_number(target) => (Some("java/lang/Number"), target),
            None => (target.wrapper(), target),
        };
        let class = class.unwrap_or_default();
        if boxed(source).is_none() {
            self.emit_cast(assembler, from, value, source, &format!("L{class};"))?;
        }
        let id = self.jdk_class(class)?;
        let method = self.program.find_method(
            id,
            &format!("{}Value", type_name(read)),
            &format!("(){}", read.letter()),
        );
        let Some(method) = method else { return Ok(None) };
        let result = assembler.register(crate::register_kind(read));
        assembler.call_virtual(method, &[value], Some(result));
        Ok(widen(assembler, result, read, target))
    }

    /// A static method of the JDK.
    pub(super) fn static_method(&self, class: &str, name: &str, text: &str) -> Result<MethodId, Trap> {
        let id = self.jdk_class(class)?;
        let found = self.program.find_method(id, name, text);
        found.ok_or_else(|| Trap::Unsupported(format!("a JDK without {class}.{name}{text}")))
    }
}

/// The words of a register.
pub(super) fn words(reg: Reg, kind: Kind) -> Vec<Reg> {
    if kind.words() == 2 {
        vec![reg, reg + 1]
    } else {
        vec![reg]
    }
}

/// Widens a primitive value; `None` if that would lose something.
fn widen(assembler: &mut Assembler, value: Reg, given: Kind, target: Kind) -> Option<Reg> {
    if given == target {
        return Some(value);
    }
    let rank = |kind| match kind {
        Kind::Byte => 1,
        Kind::Short | Kind::Char => 2,
        Kind::Int => 3,
        Kind::Long => 4,
        Kind::Float => 5,
        Kind::Double => 6,
        Kind::Boolean | Kind::Reference => 0,
    };
    if rank(given) == 0 || rank(given) >= rank(target) || target == Kind::Char {
        return None;
    }
    if rank(target) <= 3 {
        return Some(value);
    }
    let d = assembler.register(crate::register_kind(target));
    let a = value;
    assembler.push(match (given, target) {
        (Kind::Long, Kind::Float) => Instr::LongToFloat { d, a },
        (Kind::Long, _) => Instr::LongToDouble { d, a },
        (Kind::Float, _) => Instr::FloatToDouble { d, a },
        (_, Kind::Long) => Instr::IntToLong { d, a },
        (_, Kind::Float) => Instr::IntToFloat { d, a },
        _ => Instr::IntToDouble { d, a },
    });
    Some(d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_loses_nothing_is_widened() {
        use Kind::*;
        let kinds = [Boolean, Byte, Short, Char, Int, Long, Float, Double];
        let widened = |given| -> String {
            let mut assembler = Assembler::new(&[RegisterKind::Wide]);
            let fits = |&target: &Kind| widen(&mut assembler, 0, given, target).is_some();
            kinds.into_iter().filter(fits).map(Kind::letter).collect()
        };
        for (given, targets) in [
            (Boolean, "Z"),
            (Byte, "BSIJFD"),
            (Short, "SIJFD"),
            (Char, "CIJFD"),
            (Int, "IJFD"),
            (Long, "JFD"),
            (Float, "FD"),
            (Double, "D"),
        ] {
            assert_eq!(widened(given), targets, "{given:?}");
        }
    }
}
