//! The JDK's native accessors: `Method.invoke` and `Constructor.newInstance` before, or without, method handles.
//!
//! The arguments are unboxed here. A method made for each target then calls it, boxes its result and wraps what it
//! throws; stack traces show that method as the native one.

use super::boxes::{unbox, value_of};
use crate::common::{Entry, jdk_class, non_null, unsupported};
use crate::lang::members::executable;
use machine::assemble::Assembler;
use machine::{Address, Answer, Args, Machine, Outcome, Trap, raise, register_kind};
use program::descriptor::{self, Kind};
use program::ir::{Instr, RegisterKind};
use program::world::{ClassId, Method, MethodId};

const INVOKE: &str = "(Ljava/lang/reflect/Method;Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;";
const CREATE: &str = "(Ljava/lang/reflect/Constructor;[Ljava/lang/Object;)Ljava/lang/Object;";
const OLD_METHOD: &str = "jdk/internal/reflect/NativeMethodAccessorImpl";
const OLD_CONSTRUCTOR: &str = "jdk/internal/reflect/NativeConstructorAccessorImpl";
const NEW_METHOD: &str = "jdk/internal/reflect/DirectMethodHandleAccessor$NativeAccessor";
const NEW_CONSTRUCTOR: &str = "jdk/internal/reflect/DirectConstructorHandleAccessor$NativeAccessor";

pub(crate) const METHODS: &[Entry] = &[
    (OLD_METHOD, "invoke0", INVOKE, |m, args| invoke(m, args, OLD_METHOD)),
    (NEW_METHOD, "invoke0", INVOKE, |m, args| invoke(m, args, NEW_METHOD)),
    (OLD_CONSTRUCTOR, "newInstance0", CREATE, |m, args| {
        create(m, args, OLD_CONSTRUCTOR)
    }),
    (NEW_CONSTRUCTOR, "newInstance0", CREATE, |m, args| {
        create(m, args, NEW_CONSTRUCTOR)
    }),
];

/// Kinds of adaptors.
const CALLING: u32 = 0x4000_0010;
const CREATING: u32 = 0x4000_0011;

fn illegal<T>(message: &str) -> Result<T, Trap> {
    raise("java/lang/IllegalArgumentException", message)
}

fn invoke(m: &mut Machine<'_>, args: &Args, shown: &str) -> Answer {
    let Some(id) = executable(m, non_null(args.word(0))?) else {
        return illegal("a method without a class");
    };
    let method = m.program.method(id);
    let mut words = Vec::new();
    if method.is_static() {
        m.require_initialized(method.class)?;
    } else {
        let receiver = non_null(args.word(1))?;
        if !m.program.is_subclass(m.class_of(receiver), method.class) {
            return illegal("object is not an instance of declaring class");
        }
        words.push(receiver);
    }
    push_arguments(m, method, args.word(2), &mut words)?;
    let shown = jdk_class(m, shown)?;
    let adaptor = calling(m, method, shown)?;
    Ok(Outcome::Call(adaptor, words))
}

fn create(m: &mut Machine<'_>, args: &Args, shown: &str) -> Answer {
    let Some(id) = executable(m, non_null(args.word(0))?) else {
        return illegal("a constructor without a class");
    };
    let method = m.program.method(id);
    let class = m.program.class(method.class);
    if class.is_abstract() {
        return raise(
            "java/lang/InstantiationException",
            crate::lang::class::external_name(m, class.id),
        );
    }
    m.require_initialized(method.class)?;
    let mut words = Vec::new();
    push_arguments(m, method, args.word(1), &mut words)?;
    let shown = jdk_class(m, shown)?;
    let adaptor = creating(m, method, shown)?;
    Ok(Outcome::Call(adaptor, words))
}

/// Unboxes and checks the arguments in an `Object[]`, which may be null for none.
fn push_arguments(m: &mut Machine<'_>, method: &Method, array: Address, words: &mut Vec<u32>) -> Result<(), Trap> {
    let text = m.program.text(method.descriptor).clone();
    let parameters: Vec<(&str, Kind)> = descriptor::parameters(&text).collect();
    let given = if array == 0 { 0 } else { m.array_length(array) };
    if given as usize != parameters.len() {
        if m.shared.files.feature() < 18 {
            return illegal("wrong number of arguments");
        }
        return illegal(&format!(
            "wrong number of arguments: {given} expected: {}",
            parameters.len()
        ));
    }
    let class = m.program.class(method.class);
    for (index, &(parameter, kind)) in parameters.iter().enumerate() {
        let argument = m.element(array, index as u32);
        if kind == Kind::Reference {
            let wanted = crate::lang::members::type_class(m, class, parameter)?;
            if argument != 0 && !m.program.is_subclass(m.class_of(argument), wanted) {
                return illegal("argument type mismatch");
            }
            words.push(argument);
            continue;
        }
        if argument == 0 {
            return Err(Trap::Raise("java/lang/IllegalArgumentException", None));
        }
        let unboxed = unbox(m, argument);
        let Some(bits) = unboxed.and_then(|value| value.widen(kind)) else {
            return illegal("argument type mismatch");
        };
        words.push(bits as u32);
        if kind.words() == 2 {
            words.push((bits >> 32) as u32);
        }
    }
    Ok(())
}

/// Registers for the parameters of a method, its receiver included where it has one.
fn parameter_kinds(m: &Machine<'_>, method: &Method, receiver: bool) -> Vec<RegisterKind> {
    let mut kinds = if receiver { vec![RegisterKind::Ref] } else { Vec::new() };
    kinds.extend(descriptor::parameters(m.program.text(method.descriptor)).map(|(_, kind)| register_kind(kind)));
    kinds
}

/// Makes the rest of an adaptor: what was thrown between `start` and here is thrown wrapped.
fn wrap(m: &mut Machine<'_>, assembler: &mut Assembler, start: u32, end: u32) -> Result<(), Trap> {
    const WRAPPER: &str = "java/lang/reflect/InvocationTargetException";
    let class = jdk_class(m, WRAPPER)?;
    let Some(constructor) = m.program.find_method(class, "<init>", "(Ljava/lang/Throwable;)V") else {
        return unsupported(WRAPPER);
    };
    let caught = assembler.register(RegisterKind::Ref);
    let wrapper = assembler.register(RegisterKind::Ref);
    let handler = assembler.here();
    assembler.new_object(wrapper, class);
    assembler.call_direct(constructor, &[wrapper, caught], None);
    assembler.push(Instr::Throw { s: wrapper });
    assembler.handler(start, end, handler, caught, None);
    Ok(())
}

fn calling(m: &mut Machine<'_>, method: &Method, shown: ClassId) -> Result<MethodId, Trap> {
    let boxing = match method.returns {
        None | Some(Kind::Reference) => None,
        Some(kind) => Some(value_of(m, kind)?),
    };
    m.adaptor(CALLING, method.id.0, Some((shown, "invoke0")), INVOKE, |m| {
        let mut assembler = Assembler::new(&parameter_kinds(m, method, !method.is_static()));
        let arguments: Vec<u16> = (0..method.argument_words).collect();
        let object = assembler.register(RegisterKind::Ref);
        let result = method.returns.map(|kind| match kind {
            Kind::Reference => object,
            kind => assembler.register(register_kind(kind)),
        });
        if method.is_static() {
            assembler.call_static(method.id, &arguments, result);
        } else if method.is_private() {
            assembler.call_direct(method.id, &arguments, result);
        } else {
            assembler.call_virtual(method.id, &arguments, result);
        }
        let end = assembler.here();
        match (method.returns, result, boxing) {
            (Some(kind), Some(result), Some(boxing)) => {
                let words: &[u16] = if kind.words() == 2 {
                    &[result, result + 1]
                } else {
                    &[result]
                };
                assembler.call_static(boxing, words, Some(object));
            }
            (None, ..) => assembler.push(Instr::Const { d: object, value: 0 }),
            _ => {}
        }
        assembler.push(Instr::Return { s: object });
        wrap(m, &mut assembler, 0, end)?;
        Ok(assembler)
    })
}

fn creating(m: &mut Machine<'_>, method: &Method, shown: ClassId) -> Result<MethodId, Trap> {
    m.adaptor(CREATING, method.id.0, Some((shown, "newInstance0")), CREATE, |m| {
        let mut assembler = Assembler::new(&parameter_kinds(m, method, false));
        let given: Vec<u16> = (0..method.argument_words - 1).collect();
        let object = assembler.register(RegisterKind::Ref);
        assembler.new_object(object, method.class);
        let start = assembler.here();
        let arguments: Vec<u16> = std::iter::once(object).chain(given).collect();
        assembler.call_direct(method.id, &arguments, None);
        let end = assembler.here();
        assembler.push(Instr::Return { s: object });
        wrap(m, &mut assembler, start, end)?;
        Ok(assembler)
    })
}
