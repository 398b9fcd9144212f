//! Why interleavings of single accesses are all that a program can do, and what that leaves open, in one line.

use machine::{Caveat, Mode};
use program::world::{ClassId, Program};
use std::collections::BTreeSet;

/// How many classes are named at most.
const NAMED: usize = 2;

/// What a verdict rests on. `races` is whether data races were looked for, `caveats` what executions have shown.
pub fn line(program: &Program, races: bool, caveats: &BTreeSet<Caveat>) -> String {
    let name = |class: ClassId| program.class(class).external_name();
    let of = |pick: &dyn Fn(Caveat) -> Option<String>| -> Vec<String> {
        let picked: BTreeSet<String> = caveats.iter().filter_map(|&caveat| pick(caveat)).collect();
        picked.into_iter().collect()
    };
    let trusted = of(&|caveat| match caveat {
        Caveat::Trusted(class) => Some(name(class)),
        _ => None,
    });
    let weak = of(&|caveat| match caveat {
        Caveat::Weak(mode, class) => Some(format!("{} in {}", mode_name(mode), name(class))),
        _ => None,
    });
    let parked = of(&|caveat| match caveat {
        Caveat::Parked(class) => Some(name(class)),
        _ => None,
    });
    let watched = of(&|caveat| match caveat {
        Caveat::Watched(class) => Some(name(class)),
        _ => None,
    });
    let mut gaps = Vec::new();
    if !races {
        gaps.push("data races were not looked for".to_owned());
    }
    if caveats.contains(&Caveat::Allowed) {
        gaps.push("data races were allowed".to_owned());
    }
    if !weak.is_empty() {
        gaps.push(format!("accesses weaker than volatile ({})", listed(&weak)));
    }
    if !parked.is_empty() {
        gaps.push(format!("order by LockSupport.park ({})", listed(&parked)));
    }
    if !watched.is_empty() {
        gaps.push(format!("looks at other threads ({})", listed(&watched)));
    }
    if caveats.contains(&Caveat::Outside) {
        gaps.push("memory accessed by address (direct buffers, Unsafe)".to_owned());
    }
    if caveats.contains(&Caveat::Alone) {
        gaps.push("accesses in atomic blocks".to_owned());
    }
    let guaranteed = "sequential consistency, which Java guarantees because no execution has a data race";
    match (&gaps[..], &trusted[..]) {
        ([], []) => guaranteed.to_owned(),
        ([], _) => format!(
            "{guaranteed} outside of thread-safe classes of the JDK ({})",
            listed(&trusted)
        ),
        _ => {
            if !trusted.is_empty() {
                gaps.push(format!(
                    "races in thread-safe classes of the JDK ({})",
                    listed(&trusted)
                ));
            }
            format!("sequential consistency; Java may guarantee less: {}", gaps.join(", "))
        }
    }
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Plain => "plain",
        Mode::Opaque => "opaque",
        Mode::Acquire => "acquire",
        Mode::Release => "release",
    }
}

/// Some of them, and how many more there are.
fn listed(all: &[String]) -> String {
    match all.len().checked_sub(NAMED) {
        Some(more @ 1..) => format!("{} and {more} more", all[..NAMED].join(", ")),
        _ => all.join(", "),
    }
}
