//! Signature-polymorphic calls (JVMS §2.9.3): `MethodHandle.invokeExact` and its kin, `VarHandle` accesses.
//!
//! | method | what runs |
//! | --- | --- |
//! | `invokeBasic` | the method that a direct handle names, else the entry of the handle's lambda form |
//! | `linkTo…` | the method that the last argument names |
//! | `invokeExact`, `invoke` | `invokeBasic`, if the handle's type is that of the call; else an error, or `asType` first |
//! | `VarHandle` | the static method that implements the access, if its type fits or can be made to; else what the JDK's linker finds |
//!
//! The cache of a call says what it is, in its highest byte; the rest is the method type's record, or the class of
//! the `VarHandle` seen last and the method that it led to.

use super::adaptors::Linker;
use super::constants::{class_file, member_descriptor};
use super::{Buffer, FAILED, convert, form, native_link};
use crate::assemble::Assembler;
use crate::interpret::Next;
use crate::layout::{SITE_WORDS, SITES};
use crate::link;
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use program::classfile::flags;
use program::descriptor::{self, Kind};
use program::ir::{Call, CallKind, Code, Instr, Reg, RegisterKind};
use program::world::{ClassId, Method, MethodId};

const BASIC: u64 = 1;
const LINK_DIRECT: u64 = 2;
const LINK_SELECT: u64 = 3;
const EXACT: u64 = 4;
const GENERIC: u64 = 5;
const VARIABLE: u64 = 6;

/// The reference kinds of a `MemberName` that have the receiver's class choose the method.
const INVOKE_VIRTUAL: u32 = 5;
const INVOKE_INTERFACE: u32 = 9;

impl<'p> Machine<'p> {
    /// Carries out a signature-polymorphic call.
    pub(crate) fn call_polymorphic(&mut self, method: &'p Method, code: &'p Code, site: u32) -> Result<Next, Trap> {
        let call = &code.calls[site as usize];
        let cache = call.cache.get();
        let mut buffer = Buffer::default();
        self.push_arguments(code, call, &mut buffer);
        let words = buffer.words();
        let dest = u32::from(call.dest);
        match cache >> 56 {
            BASIC => self.invoke_basic(words, dest),
            LINK_DIRECT | LINK_SELECT => self.link_to(words, cache >> 56 == LINK_SELECT, dest),
            EXACT | GENERIC => self.invoke_checked(method, call, words, cache),
            VARIABLE => self.access_variable(method, call, words, cache),
            _ => {
                call.cache.set(self.classify(method, call)?);
                self.call_polymorphic(method, code, site)
            }
        }
    }

    /// What a polymorphic call is, by the name of its method.
    #[cold]
    fn classify(&mut self, method: &Method, call: &Call) -> Result<u64, Trap> {
        let target = self.program.method(MethodId(call.link.get() as u32));
        let name = &**self.program.text(target.name);
        if target.class == self.known.var_handle {
            return Ok(VARIABLE << 56);
        }
        Ok(match name {
            "invokeBasic" => BASIC << 56,
            "linkToStatic" | "linkToSpecial" => LINK_DIRECT << 56,
            "linkToVirtual" | "linkToInterface" => LINK_SELECT << 56,
            "invokeExact" | "invoke" => {
                let from = self.program.class(method.class);
                let number = self.type_site(from, member_descriptor(class_file(from)?, call.index))?;
                (if name == "invoke" { GENERIC } else { EXACT }) << 56 | u64::from(number)
            }
            _ => return Err(Trap::Unsupported(format!("java.lang.invoke.MethodHandle.{name}"))),
        })
    }

    /// Calls a method handle, the first of the arguments, whose type is known to be right.
    pub(super) fn invoke_basic(&mut self, words: &[u32], dest: u32) -> Result<Next, Trap> {
        let handle = words.first().copied().unwrap_or(0);
        if handle == 0 {
            return Err(null());
        }
        let layout = self.invoke_layout()?;
        if self.class_of(handle) == layout.direct {
            let member = self.memory.load(handle + layout.direct_member);
            let kind = self.memory.load(member + layout.member_flags) >> 24 & 0xf;
            let target = self.member_target(member)?;
            return self.enter(
                target,
                &words[1..],
                kind == INVOKE_VIRTUAL || kind == INVOKE_INTERFACE,
                dest,
            );
        }
        let form = self.memory.load(handle + layout.handle_form);
        let entry = if form == 0 {
            0
        } else {
            self.memory.load(form + layout.form_entry)
        };
        let target = self.member_target(entry)?;
        self.enter(target, words, false, dest)
    }

    /// The method that a `MemberName` was resolved to.
    pub(super) fn member_target(&self, member: Address) -> Result<MethodId, Trap> {
        let layout = self.invoke_layout()?;
        let resolved = if member == 0 {
            0
        } else {
            self.memory.load(member + layout.member_method)
        };
        match if resolved == 0 {
            0
        } else {
            self.memory.load(resolved + layout.resolved)
        } {
            0 => Err(Trap::Raise(
                "java/lang/InternalError",
                Some("an unresolved method handle".to_owned()),
            )),
            target => Ok(MethodId(target)),
        }
    }

    /// Calls the method that the last argument, a `MemberName`, stands for.
    fn link_to(&mut self, words: &[u32], select: bool, dest: u32) -> Result<Next, Trap> {
        let Some((&member, arguments)) = words.split_last() else {
            return Err(null());
        };
        if member == 0 {
            return Err(null());
        }
        let target = self.member_target(member)?;
        self.enter(target, arguments, select, dest)
    }

    /// Pushes the frame of a method, or of the receiver's version of it.
    fn enter(&mut self, target: MethodId, words: &[u32], select: bool, dest: u32) -> Result<Next, Trap> {
        let mut target = target;
        let method = self.program.method(target);
        if method.is_static() {
            self.require_initialized(method.class)?;
        } else {
            let receiver = words.first().copied().unwrap_or(0);
            if receiver == 0 {
                return Err(null());
            }
            if select {
                target = self.select(self.class_of(receiver), target)?;
            }
        }
        self.push_call(target, words, dest)?;
        Ok(Next::Reload)
    }

    /// `invokeExact` and `invoke`: the handle's type is compared with that of the call.
    fn invoke_checked(&mut self, method: &'p Method, call: &Call, words: &[u32], cache: u64) -> Result<Next, Trap> {
        let handle = words.first().copied().unwrap_or(0);
        let wanted = match self.record_value(cache as u32)? {
            Some(wanted) => wanted,
            None => {
                let from = self.program.class(method.class);
                self.method_type(from, member_descriptor(class_file(from)?, call.index))?
            }
        };
        if handle == 0 {
            return Err(null());
        }
        let dest = u32::from(call.dest);
        if self.memory.load(handle + self.invoke_layout()?.handle_type) == wanted {
            return self.invoke_basic(words, dest);
        }
        if cache >> 56 == EXACT {
            let check = self.exact_check()?;
            return Err(Trap::Before(check, vec![handle, wanted]));
        }
        let from = self.program.class(method.class);
        let (_, _, text) = class_file(from)?.pool.member(call.index);
        let adaptor = self.generic_adaptor(text)?;
        let mut arguments = words.to_vec();
        arguments.push(wanted);
        self.push_call(adaptor, &arguments, dest)?;
        Ok(Next::Reload)
    }

    /// `Invokers.checkExactType`, which throws.
    fn exact_check(&mut self) -> Result<MethodId, Trap> {
        let invokers = self.jdk_class("java/lang/invoke/Invokers")?;
        let descriptor = "(Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodType;)V";
        let check = self.program.find_method(invokers, "checkExactType", descriptor);
        let check = check.ok_or_else(|| Trap::Unsupported("a JDK without Invokers.checkExactType".to_owned()))?;
        self.require_initialized(invokers)?;
        Ok(check)
    }

    /// `handle.asType(type).invokeBasic(arguments)`, for calls with this descriptor; the type is the last argument.
    fn generic_adaptor(&mut self, text: &str) -> Result<MethodId, Trap> {
        let as_type = self.named_method(self.known.method_handle, "asType")?;
        self.invoking_adaptor("generic", text, |assembler, adapted, last| {
            assembler.call_virtual(as_type, &[0, last], Some(adapted));
        })
    }

    /// `site.target.invokeBasic(arguments)`, for call sites with this descriptor; the last argument is not used. The
    /// target is read by an instruction, for all to see: other threads may change it.
    pub(super) fn target_adaptor(&mut self, text: &str) -> Result<MethodId, Trap> {
        let offset = self.invoke_layout()?.call_site_target;
        self.invoking_adaptor("target", text, |assembler, adapted, _| {
            let site = assembler.field_site(offset, true);
            assembler.push(Instr::GetField { d: adapted, o: 0, site });
        })
    }

    /// A method that makes a handle of its first and last argument, and calls it with those between.
    fn invoking_adaptor(
        &mut self,
        prefix: &str,
        text: &str,
        adapt: impl FnOnce(&mut Assembler, Reg, Reg),
    ) -> Result<MethodId, Trap> {
        let shape: String = descriptor::parameters(text).map(|(_, kind)| kind.letter()).collect();
        let returned = descriptor::return_type(text).map(|(_, kind)| kind);
        let name = format!("{prefix}({shape}){}", returned.map_or('V', Kind::letter));
        if let Some(known) = self.shared.sites.method(&name) {
            return Ok(known);
        }
        let basic = self.named_method(self.known.method_handle, "invokeBasic")?;
        let mut kinds = vec![RegisterKind::Ref];
        kinds.extend(descriptor::parameters(text).map(|(_, kind)| crate::register_kind(kind)));
        kinds.push(RegisterKind::Ref);
        let mut assembler = Assembler::new(&kinds);
        let last = 1 + descriptor::argument_words(text) as Reg;
        let adapted = assembler.register(RegisterKind::Ref);
        adapt(&mut assembler, adapted, last);
        let mut arguments = vec![adapted];
        arguments.extend(1..last);
        let result = returned.map(|kind| assembler.register(crate::register_kind(kind)));
        assembler.call_filled(
            CallKind::Virtual,
            link::call(link::POLYMORPHIC, basic),
            &arguments,
            result,
        );
        assembler.push(return_of(returned, result));
        let parameters: String = descriptor::parameters(text).map(|(parameter, _)| parameter).collect();
        let returned = descriptor::return_type(text).map_or("V", |(returned, _)| returned);
        let text = format!("(Ljava/lang/Object;{parameters}Ljava/lang/Object;){returned}");
        let made = assembler.finish(self.program, self.known.object, "invoke", &text)?;
        Ok(self.shared.sites.enter_method(name, made))
    }

    /// The only method of a JDK class with a name.
    fn named_method(&self, class: ClassId, name: &str) -> Result<MethodId, Trap> {
        let named = |&&method: &&MethodId| **self.program.text(self.program.method(method).name) == *name;
        let found = self.program.class(class).methods.iter().find(named).copied();
        found.ok_or_else(|| Trap::Unsupported(format!("a JDK without {name}")))
    }

    /// An access through a `VarHandle`.
    fn access_variable(&mut self, method: &'p Method, call: &Call, words: &[u32], cache: u64) -> Result<Next, Trap> {
        let handle = words.first().copied().unwrap_or(0);
        if handle == 0 {
            return Err(null());
        }
        let dest = u32::from(call.dest);
        // A handle that insists on exact types is the JDK's business: the method here takes erased ones.
        if self.memory.load(handle + self.invoke_layout()?.exact) & 0xff == 0 {
            let (used, of) = self.direct_handle(handle)?;
            let class = self.class_of(used);
            let known = link::middle(cache) == class.0 && cache as u32 != 0;
            let target = if known {
                Some(MethodId(cache as u32))
            } else {
                self.implementation(method, call, class)?
            };
            if let Some(target) = target {
                if !known {
                    call.cache
                        .set(VARIABLE << 56 | u64::from(class.0) << 32 | u64::from(target.0));
                }
                if let Some(of) = of {
                    self.require_initialized(of)?;
                    let mut words = words.to_vec();
                    words[0] = used;
                    self.push_call(target, &words, dest)?;
                } else {
                    self.push_call(target, words, dest)?;
                }
                return Ok(Next::Reload);
            }
        }
        let from = self.program.class(method.class);
        let number = self.member_site(from, call.index)?;
        let record = SITES + number * SITE_WORDS;
        match self.memory.load(record) {
            0 => {
                let file = class_file(from)?;
                let name = file.pool.member(call.index).1;
                let method_type = self.method_type(from, member_descriptor(file, call.index))?;
                let holder = self.new_array(self.known.object_array, 2)?;
                let (caller, named) = (self.mirror(from.id)?, self.mirror(self.known.var_handle)?);
                let name = self.intern(name)?;
                let arguments = [caller, INVOKE_VIRTUAL, named, name, method_type, holder];
                Err(self.linker_trap(Linker::Variable, number, &arguments)?)
            }
            FAILED => Err(Trap::Throw(self.memory.load(record + 1))),
            target => {
                let mut arguments = words.to_vec();
                arguments.push(self.memory.load(record + 1));
                self.enter(MethodId(target), &arguments, false, dest)
            }
        }
    }

    /// The handle behind one that has the class of its variable initialised first, and that class; the handle itself for all
    /// others. The JDK's own way there fills tables of the handle, with method handles made on the spot.
    fn direct_handle(&self, handle: Address) -> Result<(Address, Option<ClassId>), Trap> {
        match &self.invoke_layout()?.lazy {
            Some(lazy) if lazy.class == self.class_of(handle) => {
                let (target, of) = (handle + lazy.target, handle + lazy.of);
                Ok((self.memory.load(target), Some(self.mirrored(self.memory.load(of)))))
            }
            _ => Ok((handle, None)),
        }
    }

    /// The static method of a `VarHandle`'s own class that implements an access, as the JDK's `VarHandleGuards` would find it, with
    /// what converts arguments and result as `MethodHandle.asType` would. `None` leaves it to the JDK's linker: where the types do not
    /// fit, and where it depends on the handle whether they do.
    #[cold]
    fn implementation(&mut self, method: &'p Method, call: &Call, class: ClassId) -> Result<Option<MethodId>, Trap> {
        let from = self.program.class(method.class);
        let (_, name, text) = class_file(from)?.pool.member(call.index);
        let implements = |candidate: &MethodId| {
            let candidate = self.program.method(*candidate);
            let descriptor = self.program.text(candidate.descriptor);
            candidate.is_static()
                && **self.program.text(candidate.name) == *name
                && descriptor.starts_with("(Ljava/lang/invoke/VarHandle;")
        };
        let below = self.program.class(class).supers.iter().rev();
        let found = below
            .take_while(|&&at| at != self.known.var_handle)
            .flat_map(|&at| self.program.class(at).methods.iter().copied())
            .find(implements);
        let Some(found) = found else { return Ok(None) };
        let gives = self.program.method(found).returns;
        let wanted = descriptor::return_type(text);
        // Whether a value was set says a boolean, and to set one gives nothing: these types are fixed.
        let fixed = name.contains("ompareAndSet") || gives.is_none();
        if fixed && gives != wanted.map(|(_, kind)| kind) {
            return Ok(None);
        }
        let target = match (gives, wanted) {
            (Some(Kind::Reference), Some((wanted, Kind::Reference))) if wanted != "Ljava/lang/Object;" => {
                let class = self.descriptor_class(from, wanted)?;
                self.casting_adaptor(found, class)?
            }
            _ => found,
        };
        self.converting_adaptor(target, text)
    }

    /// A method that converts its arguments to those of an implementation of a `VarHandle` access, calls it, and converts the result; the
    /// implementation itself if there is nothing to convert. `None` if there is no such conversion.
    fn converting_adaptor(&mut self, target: MethodId, text: &str) -> Result<Option<MethodId>, Trap> {
        let taken = self.program.text(self.program.method(target).descriptor).clone();
        let given: Vec<_> = descriptor::parameters(text).collect();
        let taken: Vec<_> = descriptor::parameters(&taken).skip(1).map(|(_, kind)| kind).collect();
        if given.len() != taken.len() {
            return Ok(None);
        }
        let gives = self.program.method(target).returns;
        let wanted = descriptor::return_type(text);
        let same_result = wanted.is_none_or(|(_, wanted)| Some(wanted) == gives);
        if same_result && given.iter().map(|&(_, kind)| kind).eq(taken.iter().copied()) {
            return Ok(Some(target));
        }
        let name = format!("convert({target},{text})");
        if let Some(known) = self.shared.sites.method(&name) {
            return Ok(Some(known));
        }
        let mut kinds = vec![RegisterKind::Ref];
        kinds.extend(given.iter().map(|&(_, kind)| crate::register_kind(kind)));
        let mut assembler = Assembler::new(&kinds);
        let mut arguments: Vec<Reg> = vec![0];
        let mut at: Reg = 1;
        for (&(text, kind), &taken) in given.iter().zip(&taken) {
            let Some(converted) = self.convert_argument(&mut assembler, at, text, taken)? else {
                return Ok(None);
            };
            arguments.extend(convert::words(converted, taken));
            at += kind.words() as Reg;
        }
        let result = gives.map(|kind| assembler.register(crate::register_kind(kind)));
        assembler.call_static(target, &arguments, result);
        let converted = match (gives, result, wanted) {
            (Some(gives), Some(result), Some((wanted, _))) => {
                let Some(converted) = self.convert_result(&mut assembler, result, gives, wanted)? else {
                    return Ok(None);
                };
                Some(converted)
            }
            _ => None,
        };
        assembler.push(return_of(wanted.map(|(_, kind)| kind), converted));
        let parameters: String = given.iter().map(|&(parameter, _)| parameter).collect();
        let returned = wanted.map_or("V", |(returned, _)| returned);
        let text = format!("(Ljava/lang/invoke/VarHandle;{parameters}){returned}");
        let made = assembler.finish(self.program, self.known.object, "convert", &text)?;
        Ok(Some(self.shared.sites.enter_method(name, made)))
    }

    /// A method that calls a static one and casts its result as `Class.cast` does.
    fn casting_adaptor(&mut self, target: MethodId, class: ClassId) -> Result<MethodId, Trap> {
        let name = format!("cast({target},{class})");
        if let Some(known) = self.shared.sites.method(&name) {
            return Ok(known);
        }
        let text = self.program.text(self.program.method(target).descriptor);
        let kinds: Vec<_> = descriptor::parameters(text)
            .map(|(_, kind)| crate::register_kind(kind))
            .collect();
        let mut assembler = Assembler::new(&kinds);
        let arguments: Vec<Reg> = (0..descriptor::argument_words(text) as Reg).collect();
        let result = assembler.register(RegisterKind::Ref);
        let fits = assembler.register(RegisterKind::Word);
        let mirror = assembler.register(RegisterKind::Ref);
        let site = assembler.class_site(class, 0);
        let cast = self.named_method(self.known.class, "cast")?;
        assembler.call_static(target, &arguments, Some(result));
        assembler.push(Instr::IfEqImm {
            a: result,
            imm: 0,
            target: 6,
        });
        assembler.push(Instr::InstanceOf {
            d: fits,
            o: result,
            site,
        });
        assembler.push(Instr::IfNeImm {
            a: fits,
            imm: 0,
            target: 6,
        });
        assembler.call_filled(CallKind::Dynamic, native_link(form::MIRROR, class.0), &[], Some(mirror));
        assembler.call_direct(cast, &[mirror, result], Some(result));
        assembler.push(Instr::Return { s: result });
        let made = assembler.finish(self.program, self.known.object, "cast", text)?;
        Ok(self.shared.sites.enter_method(name, made))
    }

    /// The method that stands for an intrinsic polymorphic one (`invokeBasic`, `linkTo…`) with a descriptor of its
    /// own, so that a `MemberName` can name it. `None` if there is no such intrinsic.
    pub fn polymorphic_instance(&mut self, name: &str, text: &str) -> Result<Option<MethodId>, Trap> {
        let is_static = match name {
            "invokeBasic" => false,
            "linkToStatic" | "linkToSpecial" | "linkToVirtual" | "linkToInterface" => true,
            _ => return Ok(None),
        };
        let key = format!("{name}{text}");
        if let Some(known) = self.shared.sites.method(&key) {
            return Ok(Some(known));
        }
        let basic = self.named_method(self.known.method_handle, name)?;
        let mut kinds = Vec::new();
        if !is_static {
            kinds.push(RegisterKind::Ref);
        }
        kinds.extend(descriptor::parameters(text).map(|(_, kind)| crate::register_kind(kind)));
        let mut assembler = Assembler::new(&kinds);
        let count: Reg = kinds
            .iter()
            .map(|kind| if *kind == RegisterKind::Wide { 2 } else { 1 })
            .sum();
        let arguments: Vec<Reg> = (0..count).collect();
        let returned = descriptor::return_type(text).map(|(_, kind)| kind);
        let result = returned.map(|kind| assembler.register(crate::register_kind(kind)));
        assembler.call_filled(
            CallKind::Virtual,
            link::call(link::POLYMORPHIC, basic),
            &arguments,
            result,
        );
        assembler.push(return_of(returned, result));
        let spec = program::world::MethodSpec {
            name,
            descriptor: text,
            flags: flags::FINAL | flags::SYNTHETIC | if is_static { flags::STATIC } else { 0 },
            hidden: true,
            code: Some(assembler.code()),
        };
        let made = self.program.detached_method(self.known.method_handle, spec);
        let made = made.map_err(|error| Trap::Unsupported(error.to_string()))?;
        Ok(Some(self.shared.sites.enter_method(key, made)))
    }
}

/// The instruction that returns a result of a kind.
pub(super) fn return_of(kind: Option<Kind>, result: Option<Reg>) -> Instr {
    match (kind, result) {
        (Some(Kind::Long | Kind::Double), Some(s)) => Instr::ReturnWide { s },
        (Some(_), Some(s)) => Instr::Return { s },
        _ => Instr::ReturnVoid,
    }
}

fn null() -> Trap {
    Trap::Raise("java/lang/NullPointerException", None)
}
