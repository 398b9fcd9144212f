//! `raddle.Verify`, and the calls of `gov.nasa.jpf.vm.Verify` that mean the same: choices of the program's own.
//!
//! Both are ordinary Java classes on the program's class path; here their bodies are taken over. Which alternative a choice
//! takes is decided by the step ([`Machine::choice`]); in a single run it is the first. What needs Java Pathfinder itself is
//! unsupported, by its name. The rest of `gov.nasa.jpf.vm.Verify` is plain Java, on top of these.

use crate::common::{Entry, non_null, unsupported};
use machine::layout::{ALONE, OWNER_BITS, OWNER_MASK};
use machine::{Alternatives, Answer, Args, Machine, Outcome, Trap, raise};
use program::world::ARRAY_HEADER_WORDS;

const VERIFY: &str = "raddle/Verify";
const JPF: &str = "gov/nasa/jpf/vm/Verify";

/// A call that means nothing without Java Pathfinder.
macro_rules! needs_jpf {
    ($name:literal, $descriptor:literal) => {
        (JPF, $name, $descriptor, |_, _| {
            unsupported(concat!("gov.nasa.jpf.vm.Verify.", $name))
        })
    };
}

pub(crate) const METHODS: &[Entry] = &[
    (VERIFY, "choose", "(I)I", |m, args| choose(m, 0, i64::from(args.int(0)))),
    (VERIFY, "chooseBoolean", "()Z", either),
    (VERIFY, "assume", "(Z)V", |m, args| ignore_if(m, args.word(0) == 0)),
    (VERIFY, "ignoreIf", "(Z)V", |m, args| ignore_if(m, args.word(0) != 0)),
    (VERIFY, "beginAtomic", "()V", begin),
    (VERIFY, "endAtomic", "()V", end),
    (VERIFY, "assertReachable", "(Ljava/lang/String;)V", |_, _| {
        Ok(Outcome::Void)
    }),
    (VERIFY, "observe", "(I)V", |_, _| Ok(Outcome::Void)),
    (JPF, "getBoolean", "()Z", either),
    (JPF, "getBoolean", "(Z)Z", either),
    (JPF, "randomBool", "()Z", either),
    (JPF, "getInt", "(II)I", |m, args| {
        choose(m, args.int(0), i64::from(args.int(1)) - i64::from(args.int(0)) + 1)
    }),
    (JPF, "random", "(I)I", |m, args| {
        choose(m, 0, i64::from(args.int(0)) + 1)
    }),
    (JPF, "getIntFromList", "([I)I", element),
    (JPF, "getFloatFromList", "([F)F", element),
    (JPF, "getLongFromList", "([J)J", wide_element),
    (JPF, "getDoubleFromList", "([D)D", wide_element),
    (JPF, "isRunningInJPF", "()Z", |_, _| Ok(true.into())),
    (JPF, "vmIsMatchingStates", "()Z", |_, _| Ok(true.into())),
    (JPF, "ignoreIf", "(Z)V", |m, args| ignore_if(m, args.word(0) != 0)),
    (JPF, "beginAtomic", "()V", begin),
    (JPF, "endAtomic", "()V", end),
    (JPF, "breakTransition", "(Ljava/lang/String;)V", |_, _| {
        Ok(Outcome::Void)
    }),
    needs_jpf!("getInt", "(Ljava/lang/String;)I"),
    needs_jpf!("getDouble", "(Ljava/lang/String;)D"),
    needs_jpf!("getObject", "(Ljava/lang/String;)Ljava/lang/Object;"),
    needs_jpf!("randomObject", "(Ljava/lang/String;)Ljava/lang/Object;"),
    needs_jpf!("getProperty", "(Ljava/lang/String;)Ljava/lang/String;"),
    needs_jpf!("getHeuristicSearchValue", "()I"),
    needs_jpf!("isShared", "(Ljava/lang/Object;)Z"),
    needs_jpf!("terminateSearch", "()V"),
    needs_jpf!("storeTraceAndTerminate", "(Ljava/lang/String;Ljava/lang/String;)V"),
    needs_jpf!(
        "createFromJSON",
        "(Ljava/lang/Class;Ljava/lang/String;)Ljava/lang/Object;"
    ),
    needs_jpf!("writeObjectToFile", "(Ljava/lang/Object;Ljava/lang/String;)V"),
    needs_jpf!(
        "readObjectFromFile",
        "(Ljava/lang/Class;Ljava/lang/String;)Ljava/lang/Object;"
    ),
    needs_jpf!("getFieldAttribute", "(Ljava/lang/Object;Ljava/lang/String;)I"),
    needs_jpf!("getFieldAttributes", "(Ljava/lang/Object;Ljava/lang/String;)[I"),
    needs_jpf!("getLocalAttribute", "(Ljava/lang/String;)I"),
    needs_jpf!("getLocalAttributes", "(Ljava/lang/String;)[I"),
    needs_jpf!("getElementAttribute", "(Ljava/lang/Object;I)I"),
    needs_jpf!("getElementAttributes", "(Ljava/lang/Object;I)[I"),
    needs_jpf!("getObjectAttribute", "(Ljava/lang/Object;)I"),
    needs_jpf!("getObjectAttributes", "(Ljava/lang/Object;)[I"),
    (JPF, "tooMany", "(I)V", |_, args| {
        unsupported(format!(
            "counter {} of gov.nasa.jpf.vm.Verify: there are 64",
            args.int(0)
        ))
    }),
];

/// What each of them chooses from.
pub(crate) fn alternatives(class: &str, name: &str, descriptor: &str) -> Alternatives {
    if class != VERIFY && class != JPF {
        return Alternatives::One;
    }
    match (name, descriptor) {
        ("choose", _) => Alternatives::Below { bound: 0 },
        ("chooseBoolean" | "getBoolean" | "randomBool", _) => Alternatives::Either,
        ("getInt", "(II)I") => Alternatives::Between { low: 0 },
        ("random", _) => Alternatives::Upto { most: 0 },
        ("getIntFromList" | "getFloatFromList" | "getLongFromList" | "getDoubleFromList", _) => {
            Alternatives::Element { array: 0 }
        }
        ("assertReachable", _) => Alternatives::Reached,
        ("observe", _) => Alternatives::Observed { value: 0 },
        _ => Alternatives::One,
    }
}

fn choose(m: &mut Machine<'_>, first: i32, count: i64) -> Answer {
    if count <= 0 {
        return raise("java/lang/IllegalArgumentException", "nothing to choose from");
    }
    if count > i64::from(Alternatives::MOST) {
        return Err(Trap::Unsupported(format!("a choice of {count} numbers")));
    }
    Ok(first.wrapping_add(m.choice() as i32).into())
}

fn either(m: &mut Machine<'_>, _: &Args) -> Answer {
    Ok((m.choice() != 0).into())
}

fn element(m: &mut Machine<'_>, args: &Args) -> Answer {
    let array = non_null(args.word(0))?;
    choose(m, 0, m.array_length(array).into())?;
    Ok(m.memory.load(array + ARRAY_HEADER_WORDS + m.choice()).into())
}

fn wide_element(m: &mut Machine<'_>, args: &Args) -> Answer {
    let array = non_null(args.word(0))?;
    choose(m, 0, m.array_length(array).into())?;
    let at = array + ARRAY_HEADER_WORDS + 2 * m.choice();
    Ok(Outcome::Wide(m.memory.load_wide(at)))
}

/// Only a search can forget; a single run goes on.
fn ignore_if(m: &mut Machine<'_>, condition: bool) -> Answer {
    if condition && m.is_stepping() {
        m.ignore();
    }
    Ok(Outcome::Void)
}

fn begin(m: &mut Machine<'_>, _: &Args) -> Answer {
    if m.is_stepping() {
        let before = m.memory.load(ALONE);
        let depth = if before & OWNER_MASK == m.current() + 1 {
            before >> OWNER_BITS
        } else {
            0
        };
        m.memory.store(ALONE, (depth + 1) << OWNER_BITS | (m.current() + 1));
    }
    Ok(Outcome::Void)
}

fn end(m: &mut Machine<'_>, _: &Args) -> Answer {
    let before = m.memory.load(ALONE);
    if before & OWNER_MASK == m.current() + 1 {
        let left = before - (1 << OWNER_BITS);
        m.memory.store(ALONE, if left >> OWNER_BITS == 0 { 0 } else { left });
    }
    Ok(Outcome::Void)
}
