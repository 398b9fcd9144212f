//! `equals`, `hashCode` and `toString` of records: `ObjectMethods` without its method handles.

use super::bootstrap::Site;
use super::concat::Concatenation;
use super::convert::words;
use crate::assemble::Assembler;
use crate::link;
use crate::machine::{Machine, Trap};
use program::classfile::Constant;
use program::descriptor::Kind;
use program::ir::{Instr, Narrow, Pc, Reg, RegisterKind};
use program::world::{Class, ClassId};

/// A field that counts.
struct Component<'p> {
    descriptor: &'p str,
    kind: Kind,
    offset: u32,
}

impl<'p> Machine<'p> {
    /// The link of a call site that implements a method of a record.
    pub(super) fn record_method(&mut self, site: &Site<'p>) -> Result<Option<u64>, Trap> {
        let made = format!("record({},{})", site.from.id, site.name);
        let (Constant::Class(_), Constant::String(names)) = (site.argument(0), site.argument(1)) else {
            return Ok(None);
        };
        if let Some(known) = self.shared.sites.method(&made) {
            return Ok(Some(link::call(link::STATIC, known)));
        }
        let class_name = site.pool.class_name(site.arguments[0]);
        let class = self.resolve_class(site.from, class_name)?;
        let names = site.pool.text(names);
        let names: Vec<&str> = if names.is_empty() {
            Vec::new()
        } else {
            names.split(';').collect()
        };
        let Some(components) = self.components(site, class) else {
            return Ok(None);
        };
        let (receiver, returned) = match site.name {
            "toString" => (format!("(L{class_name};)"), "Ljava/lang/String;"),
            "hashCode" => (format!("(L{class_name};)"), "I"),
            "equals" => (format!("(L{class_name};Ljava/lang/Object;)"), "Z"),
            _ => return Ok(None),
        };
        // More than one site of this name in a class would need more than one method; javac makes no such class.
        if names.len() != components.len() || class != site.from.id || site.descriptor != receiver + returned {
            return Ok(None);
        }
        let assembler = match site.name {
            "toString" => self.record_text(self.program.class(class), &names, &components)?,
            "hashCode" => self.record_hash(&components)?,
            _ => self.record_equality(class, &components)?,
        };
        let method = assembler.finish(self.program, self.known.object, site.name, site.descriptor)?;
        Ok(Some(link::call(
            link::STATIC,
            self.shared.sites.enter_method(made, method),
        )))
    }

    /// The fields that the getters read.
    fn components(&self, site: &Site<'p>, class: ClassId) -> Option<Vec<Component<'p>>> {
        let mut components = Vec::new();
        for position in 2..site.arguments.len() {
            let Constant::MethodHandle(1, member) = site.argument(position) else {
                return None;
            };
            let (_, name, descriptor) = site.pool.member(member);
            let field = self.program.field(class, name, descriptor)?;
            if field.class != class || field.field.is_static() {
                return None;
            }
            components.push(Component {
                descriptor,
                kind: field.field.kind,
                offset: field.field.offset,
            });
        }
        Some(components)
    }

    fn record_text(&mut self, class: &Class, names: &[&str], components: &[Component<'p>]) -> Result<Assembler, Trap> {
        let mut assembler = Assembler::new(&[RegisterKind::Ref]);
        let mut concatenation = Concatenation::default();
        // What a stack trace shows between the record and a component's own toString.
        let stringifier = if self.shared.files.feature() < 20 {
            ("java/util/Objects", "toString")
        } else {
            ("java/lang/StringConcatHelper", "stringOf")
        };
        concatenation.text(&format!("{}[", simple_name(class)));
        for (position, (name, component)) in names.iter().zip(components).enumerate() {
            concatenation.text(&format!("{}{name}=", if position == 0 { "" } else { ", " }));
            let value = component.load(&mut assembler, 0);
            concatenation.value(self, &mut assembler, value, component.descriptor, stringifier)?;
        }
        concatenation.text("]");
        concatenation.finish(self, &mut assembler);
        Ok(assembler)
    }

    fn record_hash(&mut self, components: &[Component<'p>]) -> Result<Assembler, Trap> {
        let mut assembler = Assembler::new(&[RegisterKind::Ref]);
        let sum = assembler.register(RegisterKind::Word);
        assembler.push(Instr::Const { d: sum, value: 0 });
        for component in components {
            let value = component.load(&mut assembler, 0);
            let hash = match component.kind {
                Kind::Byte | Kind::Short | Kind::Char | Kind::Int => value,
                kind => {
                    let hash = assembler.register(RegisterKind::Word);
                    let (class, parameter) = match kind.wrapper() {
                        Some(class) => (class, component.descriptor),
                        None => ("java/util/Objects", "Ljava/lang/Object;"),
                    };
                    let method = self.static_method(class, "hashCode", &format!("({parameter})I"))?;
                    assembler.call_static(method, &words(value, kind), Some(hash));
                    hash
                }
            };
            assembler.push(Instr::MulImm {
                d: sum,
                a: sum,
                imm: 31,
            });
            assembler.push(Instr::AddI {
                d: sum,
                a: sum,
                b: hash,
            });
        }
        assembler.push(Instr::Return { s: sum });
        Ok(assembler)
    }

    fn record_equality(&mut self, class: ClassId, components: &[Component<'p>]) -> Result<Assembler, Trap> {
        const UNEQUAL: Pc = 5;
        let mut assembler = Assembler::new(&[RegisterKind::Ref, RegisterKind::Ref]);
        let answer = assembler.register(RegisterKind::Word);
        let site = assembler.class_site(class, 0);
        assembler.push(Instr::IfNe { a: 0, b: 1, target: 3 });
        assembler.push(Instr::Const { d: answer, value: 1 });
        assembler.push(Instr::Return { s: answer });
        assembler.push(Instr::InstanceOf { d: answer, o: 1, site });
        assembler.push(Instr::IfNeImm {
            a: answer,
            imm: 0,
            target: 7,
        });
        assembler.push(Instr::Const { d: answer, value: 0 });
        assembler.push(Instr::Return { s: answer });
        // The JDK's method handles compare the last component first.
        for component in components.iter().rev() {
            let (a, b) = (component.load(&mut assembler, 0), component.load(&mut assembler, 1));
            let (class, name, text) = match component.kind {
                Kind::Float => ("java/lang/Float", "compare", "(FF)I"),
                Kind::Double => ("java/lang/Double", "compare", "(DD)I"),
                Kind::Reference => ("java/util/Objects", "equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z"),
                Kind::Long => {
                    assembler.push(Instr::IfNeL { a, b, target: UNEQUAL });
                    continue;
                }
                _ => {
                    assembler.push(Instr::IfNe { a, b, target: UNEQUAL });
                    continue;
                }
            };
            let method = self.static_method(class, name, text)?;
            let mut arguments = words(a, component.kind);
            arguments.extend(words(b, component.kind));
            assembler.call_static(method, &arguments, Some(answer));
            assembler.push(match component.kind {
                Kind::Reference => Instr::IfEqImm {
                    a: answer,
                    imm: 0,
                    target: UNEQUAL,
                },
                _ => Instr::IfNeImm {
                    a: answer,
                    imm: 0,
                    target: UNEQUAL,
                },
            });
        }
        assembler.push(Instr::Const { d: answer, value: 1 });
        assembler.push(Instr::Return { s: answer });
        Ok(assembler)
    }
}

impl Component<'_> {
    /// Adds the instruction that reads the field of the object in a register.
    fn load(&self, assembler: &mut Assembler, o: Reg) -> Reg {
        let d = assembler.register(crate::register_kind(self.kind));
        let site = assembler.field_site(self.offset, false);
        let narrow = |kind| Instr::GetFieldNarrow { d, o, kind, site };
        assembler.push(match self.kind {
            Kind::Long | Kind::Double => Instr::GetFieldWide { d, o, site },
            Kind::Boolean => narrow(Narrow::Boolean),
            Kind::Byte => narrow(Narrow::Byte),
            Kind::Char => narrow(Narrow::Char),
            Kind::Short => narrow(Narrow::Short),
            Kind::Int | Kind::Float | Kind::Reference => Instr::GetField { d, o, site },
        });
        d
    }
}

/// What `Class.getSimpleName` says.
fn simple_name(class: &Class) -> String {
    let declared = class.file.as_ref().and_then(|file| {
        let own = file.pool.class_name(file.this_class);
        let row = file
            .inner_classes
            .iter()
            .find(|row| file.pool.class_name(row.inner) == own)?;
        Some(file.pool.text(row.name).to_owned())
    });
    declared.unwrap_or_else(|| class.name.rsplit('/').next().unwrap_or_default().to_owned())
}
