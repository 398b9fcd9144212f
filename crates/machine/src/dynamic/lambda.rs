//! Lambda expressions and method references: `LambdaMetafactory` without its bytecode.
//!
//! A call site gets a hidden class of its own, which implements the interface. Its fields are the captured values, in
//! order; its methods convert what they are given and call the method behind the lambda. A lambda that captures
//! nothing is one object for its site, kept in a static field.

use super::bootstrap::Site;
use super::polymorphic::return_of;
use super::{form, native_link};
use crate::assemble::Assembler;
use crate::interpret::{Exit, Next};
use crate::layout::{class, class_record, init};
use crate::machine::{Machine, Trap};
use program::classfile::{Constant, Index, flags};
use program::descriptor::{self, Kind};
use program::ir::{Call, Code, Instr, Reg, RegisterKind};
use program::world::{ClassId, HEADER_WORDS, Method, MethodId, MethodSpec, SyntheticClass};

const SERIALIZABLE: i32 = 1;
const MARKERS: i32 = 2;
const BRIDGES: i32 = 4;

/// The method behind a lambda.
struct Implementation {
    how: How,
    /// Descriptors of its parameters, the receiver's first.
    parameters: Vec<String>,
    /// Descriptor of its result; `V` for none.
    returned: String,
}

enum How {
    Static(MethodId),
    Direct(MethodId),
    Virtual(MethodId),
    New(ClassId, MethodId),
}

/// The types that a lambda's class implements.
#[derive(Default)]
struct Extra<'p> {
    markers: Vec<ClassId>,
    bridges: Vec<&'p str>,
}

impl<'p> Machine<'p> {
    /// The link of a lambda's call site.
    pub(super) fn lambda(
        &mut self,
        site: &Site<'p>,
        method: &Method,
        number: u32,
        alternative: bool,
    ) -> Result<Option<u64>, Trap> {
        let made = format!("lambda({},{number})", method.id);
        let (Constant::MethodType(erased), Constant::MethodHandle(kind, member), Constant::MethodType(promised)) =
            (site.argument(0), site.argument(1), site.argument(2))
        else {
            return Ok(None);
        };
        let captured: Vec<_> = descriptor::parameters(site.descriptor).collect();
        let how = if captured.is_empty() {
            form::SINGLETON
        } else {
            form::CAPTURE
        };
        if let Some(known) = self.shared.sites.made(&made) {
            return Ok(Some(native_link(how, known)));
        }
        let extra = if alternative {
            self.extra(site)?
        } else {
            Some(Extra::default())
        };
        let Some(extra) = extra else { return Ok(None) };
        let Some((interface, Kind::Reference)) = descriptor::return_type(site.descriptor) else {
            return Ok(None);
        };
        let interface = self.descriptor_class(site.from, interface)?;
        let mut interfaces = vec![interface];
        interfaces.extend(extra.markers.into_iter().filter(|&marker| marker != interface));
        if interfaces
            .iter()
            .any(|&interface| !self.program.class(interface).is_interface())
        {
            return Ok(None);
        }
        let Some(implementation) = self.lambda_target(site, kind, member)? else {
            return Ok(None);
        };
        let (erased, promised) = (site.pool.text(erased), site.pool.text(promised));
        let mut methods = Vec::new();
        let mut shapes = vec![erased];
        shapes.extend(extra.bridges.into_iter().filter(|&bridge| bridge != erased));
        for shape in shapes {
            let Some(code) = self.forward(site, &implementation, &captured, shape, promised)? else {
                return Ok(None);
            };
            methods.push(MethodSpec {
                name: site.name,
                descriptor: shape,
                flags: flags::PUBLIC,
                hidden: true,
                code: Some(code),
            });
        }
        let names: Vec<String> = (1..=captured.len()).map(|position| format!("arg${position}")).collect();
        let mut fields: Vec<_> = names
            .iter()
            .zip(&captured)
            // What is narrower than a word is kept as the int that it is in a register.
            .map(|(name, &(text, kind))| (name.as_str(), if is_narrow(kind) { "I" } else { text }))
            .map(|(name, text)| (name, text, flags::PRIVATE | flags::FINAL))
            .collect();
        if captured.is_empty() {
            fields.push(("instance", "Ljava/lang/Object;", flags::PRIVATE | flags::STATIC));
        }
        // Before JDK 21 lambda classes were numbered.
        let counter = if self.shared.files.feature() < 21 {
            format!("${}", number + 1)
        } else {
            String::new()
        };
        let spec = SyntheticClass {
            name: &format!(
                "{}$$Lambda{counter}+0x{:016x}",
                site.from.name,
                hash(&site.key) & 0xffff_ffff_ffff
            ),
            flags: flags::FINAL | flags::SYNTHETIC,
            super_class: self.known.object,
            interfaces,
            host: Some(site.from.id),
            fields,
            methods,
        };
        let class = self.program.synthesize(spec).map_err(crate::link::load_trap)?;
        Ok(Some(native_link(how, self.shared.sites.enter(made, class.0))))
    }

    /// What `altMetafactory` is asked for beyond `metafactory`. `None` if that is serialization.
    fn extra(&mut self, site: &Site<'p>) -> Result<Option<Extra<'p>>, Trap> {
        let Constant::Integer(wanted) = site.argument(3) else {
            return Ok(None);
        };
        let mut extra = Extra::default();
        let mut next = 4;
        if wanted & SERIALIZABLE != 0 {
            return Ok(None);
        }
        if wanted & MARKERS != 0 {
            let Constant::Integer(count) = site.argument(next) else {
                return Ok(None);
            };
            for position in next + 1..next + 1 + count.clamp(0, 255) as usize {
                let Constant::Class(name) = site.argument(position) else {
                    return Ok(None);
                };
                extra.markers.push(self.resolve_class(site.from, site.pool.text(name))?);
            }
            next += 1 + count.clamp(0, 255) as usize;
        }
        if wanted & BRIDGES != 0 {
            let Constant::Integer(count) = site.argument(next) else {
                return Ok(None);
            };
            for position in next + 1..next + 1 + count.clamp(0, 255) as usize {
                let Constant::MethodType(text) = site.argument(position) else {
                    return Ok(None);
                };
                extra.bridges.push(site.pool.text(text));
            }
        }
        Ok(Some(extra))
    }

    /// The method behind a lambda, from its method handle constant.
    fn lambda_target(&mut self, site: &Site<'p>, kind: u8, member: Index) -> Result<Option<Implementation>, Trap> {
        let (class_name, name, text) = site.pool.member(member);
        if !text.starts_with('(') || class_name.starts_with('[') {
            return Ok(None);
        }
        let interface = matches!(site.pool.get(member), Constant::InterfaceMethod(..));
        let class = self.resolve_class(site.from, class_name)?;
        let symbols = (self.program.names.intern(name), self.program.names.intern(text));
        let Ok(found) = self
            .program
            .resolve_method(class, symbols.0, symbols.1, interface, site.from.id)
        else {
            return Ok(None);
        };
        let method = self.program.method(found);
        self.constrain_method(site.from.id, method)?;
        let how = match kind {
            5 | 9 if method.is_static() || self.program.is_polymorphic(method) => return Ok(None),
            5 | 9 if method.is_private() => How::Direct(found),
            5 | 9 => How::Virtual(found),
            6 if method.is_static() => How::Static(found),
            7 if method.is_private() && !method.is_static() => How::Direct(found),
            8 if method.class == class && !self.program.class(class).is_abstract() => How::New(class, found),
            _ => return Ok(None),
        };
        let mut parameters = Vec::new();
        if matches!(how, How::Direct(_) | How::Virtual(_)) {
            parameters.push(format!("L{class_name};"));
        }
        parameters.extend(descriptor::parameters(text).map(|(parameter, _)| parameter.to_owned()));
        let returned = match how {
            How::New(..) => format!("L{class_name};"),
            _ => descriptor::return_type(text)
                .map_or("V", |(returned, _)| returned)
                .to_owned(),
        };
        Ok(Some(Implementation {
            how,
            parameters,
            returned,
        }))
    }

    /// The code of one method of a lambda's class.
    fn forward(
        &mut self,
        site: &Site<'p>,
        implementation: &Implementation,
        captured: &[(&str, Kind)],
        erased: &str,
        promised: &str,
    ) -> Result<Option<Code>, Trap> {
        let given: Vec<_> = descriptor::parameters(erased).collect();
        let wanted: Vec<_> = descriptor::parameters(promised).collect();
        if given.len() != wanted.len() || captured.len() + given.len() != implementation.parameters.len() {
            return Ok(None);
        }
        for (position, &(text, _)) in captured.iter().enumerate() {
            if !self.captures(site, implementation, position, text)? {
                return Ok(None);
            }
        }
        let mut kinds = vec![RegisterKind::Ref];
        kinds.extend(given.iter().map(|&(_, kind)| crate::register_kind(kind)));
        let mut assembler = Assembler::new(&kinds);
        let mut arguments = Vec::new();
        let mut object = None;
        if let How::New(class, _) = implementation.how {
            let fresh = assembler.register(RegisterKind::Ref);
            assembler.new_object(fresh, class);
            arguments.push(fresh);
            object = Some(fresh);
        }
        let mut offset = HEADER_WORDS;
        for &(_, kind) in captured {
            let d = assembler.register(crate::register_kind(kind));
            let field = assembler.field_site(offset, false);
            assembler.push(match kind.words() {
                2 => Instr::GetFieldWide { d, o: 0, site: field },
                _ => Instr::GetField { d, o: 0, site: field },
            });
            arguments.extend(super::convert::words(d, kind));
            offset += kind.words();
        }
        let mut register: Reg = 1;
        for (position, &(text, kind)) in given.iter().enumerate() {
            let target = &implementation.parameters[captured.len() + position];
            let converted = self.convert(&mut assembler, site.from, register, text, target, wanted[position].0)?;
            let (Some(converted), Some(target)) = (converted, Kind::of(target)) else {
                return Ok(None);
            };
            arguments.extend(super::convert::words(converted, target));
            register += kind.words() as Reg;
        }
        let result = Kind::of(&implementation.returned).map(|kind| assembler.register(crate::register_kind(kind)));
        match implementation.how {
            How::Static(target) => assembler.call_static(target, &arguments, result),
            How::Direct(target) => assembler.call_direct(target, &arguments, result),
            How::Virtual(target) => assembler.call_virtual(target, &arguments, result),
            How::New(_, target) => assembler.call_direct(target, &arguments, None),
        }
        let Some((returned, kind)) = descriptor::return_type(erased) else {
            assembler.push(Instr::ReturnVoid);
            return Ok(Some(assembler.code()));
        };
        let Some(result) = object.or(result) else {
            return Ok(None);
        };
        let result = self.convert(
            &mut assembler,
            site.from,
            result,
            &implementation.returned,
            returned,
            returned,
        )?;
        let Some(result) = result else { return Ok(None) };
        assembler.push(return_of(Some(kind), Some(result)));
        Ok(Some(assembler.code()))
    }

    /// Whether a value of a type may be captured for a parameter: only a receiver may be of a subclass.
    fn captures(
        &mut self,
        site: &Site<'p>,
        implementation: &Implementation,
        position: usize,
        text: &str,
    ) -> Result<bool, Trap> {
        let Some(target) = implementation.parameters.get(position) else {
            return Ok(false);
        };
        if text == target {
            return Ok(true);
        }
        let receiver = position == 0 && matches!(implementation.how, How::Direct(_) | How::Virtual(_));
        if !receiver || Kind::of(text) != Some(Kind::Reference) {
            return Ok(false);
        }
        let (given, wanted) = (
            self.descriptor_class(site.from, text)?,
            self.descriptor_class(site.from, target)?,
        );
        Ok(self.program.is_subclass(given, wanted))
    }

    /// Makes a lambda object from the captured values.
    pub(super) fn capture(&mut self, code: &Code, call: &Call, class: ClassId) -> Result<Next, Trap> {
        self.require_lambda(class)?;
        if self.run.is_collection_due(self.memory.top()) {
            return Ok(Next::Leave(Exit::Collect));
        }
        let object = self.new_object(class)?;
        for position in 0..call.count {
            let value = self.argument(code, call, usize::from(position));
            self.memory.poke(object + HEADER_WORDS + u32::from(position), value);
        }
        self.set_result(call, object);
        Ok(Next::Advance)
    }

    /// The one object of a lambda that captures nothing.
    pub(super) fn singleton(&mut self, call: &Call, class: ClassId) -> Result<Next, Trap> {
        self.require_lambda(class)?;
        let at = self.statics(class)? + HEADER_WORDS;
        let mut object = self.memory.load(at);
        if object == 0 {
            object = self.new_object(class)?;
            self.store_root(at, object);
        }
        self.set_result(call, object);
        Ok(Next::Advance)
    }

    /// Linking a lambda initialises its class, and with it interfaces that have default methods.
    #[inline]
    fn require_lambda(&mut self, of: ClassId) -> Result<(), Trap> {
        if self.memory.load(class_record(of) + class::STATE) == init::DONE {
            Ok(())
        } else {
            self.require_initialized(of)
        }
    }
}

fn is_narrow(kind: Kind) -> bool {
    matches!(kind, Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short)
}

/// A number for a site that depends on its key alone (FNV-1a).
fn hash(key: &str) -> u64 {
    key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
