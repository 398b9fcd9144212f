//! What the code of a program says about its verdict: calls that are explored in less than every way that Java allows, places
//! that were never reached, atomic blocks that had to wait.

use crate::options::Check;
use crate::sources::Sources;
use kernel::Property;
use machine::system::Action;
use machine::{Caveat, Machine, Mark};
use program::classfile::{ClassFile, Constant};
use program::ir::{Code, Instr};
use program::world::{Class, LoaderId, MethodId, Program};
use report::model::{Observation, Violation};
use search::Outcome;
use std::collections::BTreeSet;

/// The classes that do not come with the JDK, with their files.
fn own_classes(program: &Program) -> impl Iterator<Item = (&Class, &ClassFile)> {
    program
        .classes()
        .filter(|class| class.loader >= LoaderId::APP)
        .filter_map(|class| Some((class, class.file.as_deref()?)))
}

/// The methods of classes that a class names: class, name and descriptor of each.
fn called(file: &ClassFile) -> impl Iterator<Item = (&str, &str, &str)> {
    let pool = &file.pool;
    (1..pool.len() as u16)
        .filter(|&index| {
            matches!(
                pool.get(index),
                Constant::Method { .. } | Constant::InterfaceMethod { .. }
            )
        })
        .map(|index| pool.member(index))
}

/// Names given to `--allow-race` that no field has.
pub fn idle_allowances(machine: &Machine<'_>, allowed: &[String]) -> Vec<String> {
    let program = machine.program;
    let is_field = |name: &str| {
        let field = name.rsplit('.').next().unwrap_or(name);
        let mut fields = program.classes().flat_map(|class| class.fields.iter());
        fields.any(|one| **program.text(one.name) == *field)
    };
    let idle = allowed.iter().filter(|name| !is_field(name));
    idle.map(|name| format!("--allow-race {name}: no field of that name"))
        .collect()
}

/// The calls of `assertReachable` in the program that no execution has come to.
pub fn unreached(machine: &Machine<'_>, outcome: &Outcome<Action>, sources: &mut Sources) -> Vec<Violation> {
    let reached: BTreeSet<(MethodId, u32)> = outcome
        .marks
        .iter()
        .filter_map(|&mark| match Mark::read(mark) {
            Mark::Reached(method, pc) => Some((method, pc)),
            Mark::Interrupted(..) | Mark::Observed(..) => None,
        })
        .collect();
    let program = machine.program;
    let mut missing = Vec::new();
    for (class, file) in own_classes(program) {
        for &method in &class.methods {
            let Ok(code) = program.code(program.method(method)) else {
                continue;
            };
            for (pc, instr) in (0..).zip(&code.instrs) {
                let Instr::Call { site } = *instr else { continue };
                let index = code.calls[site as usize].index;
                let asks = index != 0
                    && matches!(file.pool.get(index), Constant::Method { .. })
                    && matches!(file.pool.member(index), ("raddle/Verify", "assertReachable", _));
                if asks && !reached.contains(&(method, pc)) {
                    let label = label(file, code, pc, code.calls[site as usize].first);
                    let frame = machine.frame(method, machine.bci(method, pc));
                    let source = sources.line(&frame.class, &frame.file, frame.line);
                    missing.push(Violation {
                        property: Property::REACHABLE.name().to_owned(),
                        message: format!("no execution reaches {label}{}:{}", frame.file, frame.line),
                        why: if source.is_empty() { Vec::new() } else { vec![source] },
                        class: frame.class,
                        file: frame.file,
                        line: frame.line,
                        ..Violation::default()
                    });
                }
            }
        }
    }
    missing
}

/// The text that a call of `assertReachable` is given, if it is a constant: `"label" at `.
fn label(file: &ClassFile, code: &Code, pc: u32, first: u32) -> String {
    let register = code.operands[first as usize];
    let given = code.instrs[..pc as usize].iter().rev().find_map(|instr| match *instr {
        Instr::LoadConst { d, site } if d == register => Some(code.constants[site as usize].index),
        _ => None,
    });
    match given.filter(|&index| index != 0).map(|index| file.pool.get(index)) {
        Some(&Constant::String(text)) => format!("\"{}\" at ", file.pool.text(text)),
        _ => String::new(),
    }
}

/// Atomic blocks that would have had to wait.
pub fn interrupted_blocks(machine: &Machine<'_>, outcome: &Outcome<Action>) -> Vec<String> {
    let places: BTreeSet<String> = outcome
        .marks
        .iter()
        .filter_map(|&mark| match Mark::read(mark) {
            Mark::Interrupted(place) => place.and_then(|(method, pc)| machine.place(method, pc)),
            Mark::Reached(..) | Mark::Observed(..) => None,
        })
        .collect();
    places
        .into_iter()
        .map(|place| format!("an atomic block would have to wait for another thread at {place}; there it ends"))
        .collect()
}

/// The values that the program was seen to have, by the places where it said so.
pub fn observations(machine: &Machine<'_>, outcome: &Outcome<Action>) -> Vec<Observation> {
    let seen = outcome.marks.iter().filter_map(|&mark| match Mark::read(mark) {
        Mark::Observed(method, pc, value) => {
            let frame = machine.frame(method, machine.bci(method, pc));
            Some((frame.class, frame.file, frame.line, value))
        }
        Mark::Reached(..) | Mark::Interrupted(..) => None,
    });
    let sorted: BTreeSet<_> = seen.collect();
    let listed = sorted.into_iter().map(|(class, file, line, value)| Observation {
        class,
        file,
        line,
        value,
    });
    listed.collect()
}

/// Whether the program draws random numbers, of which only one sequence is explored.
pub fn random_numbers(machine: &Machine<'_>) -> Option<String> {
    let is_random = |member| {
        matches!(
            member,
            ("java/util/Random", "<init>", "()V")
                | ("java/lang/Math", "random", _)
                | ("java/util/UUID", "randomUUID", _)
                | ("java/util/concurrent/ThreadLocalRandom", "current", _)
                | ("java/security/SecureRandom", "<init>", _)
        )
    };
    let draws = own_classes(machine.program)
        .filter(|(class, _)| !class.name.ends_with("/Verify"))
        .any(|(_, file)| called(file).any(is_random));
    draws.then(|| {
        "one sequence of random numbers, always the same; raddle.Verify.choose explores all choices".to_owned()
    })
}

/// The flag of an enum.
const ENUM: u16 = 0x4000;

/// What the program does that is explored in less than every way that Java allows.
pub fn habits(machine: &Machine<'_>, options: &Check, caveats: &BTreeSet<Caveat>) -> Vec<String> {
    let calls = |wanted: &[(&str, &str)]| {
        let is_wanted = |(class, file): (&Class, &ClassFile), (of, name): (&str, &str)| {
            // `values` copies the constants of an enum, which never change.
            let is_constants = file.flags & ENUM != 0 && of == format!("[L{};", class.name);
            wanted
                .iter()
                .any(|&(is, called)| called == name && (is.is_empty() && !is_constants || is == of))
        };
        let mut own = own_classes(machine.program);
        own.any(|own| called(own.1).any(|(of, name, _)| is_wanted(own, (of, name))))
    };
    let mut lines = Vec::new();
    if caveats.contains(&Caveat::Woken)
        || !options.how.spurious && calls(&[("java/util/concurrent/locks/Condition", "await")])
    {
        lines.push("no thread wakes up for no reason; --spurious explores that too".to_owned());
    }
    if caveats.contains(&Caveat::Failed) {
        lines.push("no weak compare-and-set fails for no reason; --spurious explores that too".to_owned());
    }
    if calls(&[
        ("java/lang/System", "nanoTime"),
        ("java/lang/System", "currentTimeMillis"),
        ("java/time/Instant", "now"),
    ]) {
        lines.push("between two looks of the program at the clock, no time or an hour passes".to_owned());
    }
    if calls(&[("java/lang/System", "arraycopy"), ("", "clone")]) {
        lines.push("System.arraycopy and clone copy in one step".to_owned());
    }
    lines
}
