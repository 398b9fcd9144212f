//! What reductions take for granted about a program: by the user's word, and told in words.

use crate::Failure;
use crate::options::Check;
use kernel::{Assumption, Assumptions, BrokenAssumption, Doubt, Whereabouts};
use machine::Machine;
use program::world::{ClassId, LoaderId, Program};
use reduction::claimed_by;
use report::model::Dropped;

/// How many classes are named to somebody who has named one that is not there.
const NAMED: usize = 8;

/// What the user says: `--self-locking` and `--shared`.
pub fn claims(machine: &Machine<'_>, options: &Check) -> Result<Assumptions, Failure> {
    let mut assumptions = Assumptions::default();
    let option = "--self-locking";
    for name in &options.how.self_locking {
        let class = class(machine.program, option, name)?;
        claimed_by(option)
            .into_iter()
            .for_each(|kind| assumptions.claim(kind, [class.0]));
    }
    for name in &options.how.shared {
        assumptions.leave_alone(class(machine.program, "--shared", name)?.0);
    }
    Ok(assumptions)
}

fn class(program: &Program, option: &str, name: &str) -> Result<ClassId, Failure> {
    class_named(program, name).map_err(|message| Failure::input(format!("{option} {name}: {message}")))
}

/// The class of a name, in which `.` may stand for `/` and for `$`.
pub fn class_named(program: &Program, name: &str) -> Result<ClassId, String> {
    let mut internal = name.trim().replace('.', "/");
    loop {
        // Who names an array says nothing about a class.
        if !internal.starts_with('[')
            && let Ok(class) = program.load(LoaderId::APP, &internal)
        {
            return Ok(class);
        }
        let Some(at) = internal.rfind('/') else { break };
        internal.replace_range(at..=at, "$");
    }
    let mut known: Vec<String> = program
        .classes()
        .filter(|class| class.loader >= LoaderId::APP && class.file.is_some())
        .map(|class| class.external_name())
        .filter(|known| !known.contains(['/', '+']) && !known.starts_with("raddle."))
        .collect();
    // Those that end in what was meant come first.
    let last = |name: &str| name.rsplit(['.', '$']).next().unwrap_or_default().to_lowercase();
    known.sort_by_key(|known| (last(known) != last(name), known.clone()));
    known.truncate(NAMED);
    Err(format!(
        "there is no such class; classes of the program are {}",
        known.join(", ")
    ))
}

/// What was taken for granted and held, a sentence each; classes of the JDK are summed up.
pub fn assumed(machine: &Machine<'_>, assumptions: &Assumptions) -> Vec<String> {
    let mut relied = assumptions.relied();
    // Who knows the lock does not need to know more.
    let locked = relied.clone();
    relied.retain(|assumption| !assumption.stronger().is_some_and(|stronger| locked.contains(&stronger)));
    let (own, others): (Vec<Assumption>, Vec<Assumption>) =
        relied.into_iter().partition(|&assumption| is_own(machine, assumption));
    let mut told: Vec<String> = own
        .iter()
        .map(|&assumption| sentence(assumption, &name(machine, assumption)))
        .collect();
    match &classes(machine, &others)[..] {
        [] => {}
        [one] => told.push(format!("the like of {one}")),
        all => told.push(format!("the like of {} classes of the JDK", all.len())),
    }
    told.dedup();
    told
}

/// What was taken for granted and was wrong; classes of the JDK are summed up by the first of them.
pub fn dropped(machine: &Machine<'_>, assumptions: &Assumptions) -> Vec<Dropped> {
    let refuted = assumptions.refuted();
    let mut told = Vec::new();
    let mut tell = |assumption: Assumption, what: String| {
        let found = refuted.iter().find(|violation| violation.assumption == assumption);
        let at = found.map(|violation| violation.at.clone()).unwrap_or_default();
        let other = found.map(other_access).unwrap_or_default();
        told.push(Dropped {
            what: what + &other,
            thread: at.thread,
            class: at.class,
            file: at.file,
            line: at.line,
        });
    };
    let all = refuted.iter().map(|violation| violation.assumption);
    // Where less is wrong already, more is.
    let weaker = |assumption: Assumption| all.clone().any(|other| other.stronger() == Some(assumption));
    let all = all.clone().filter(|&assumption| !weaker(assumption));
    let (own, others): (Vec<Assumption>, Vec<Assumption>) =
        all.partition(|&assumption| is_own(machine, assumption) || assumptions.is_claimed(assumption));
    for assumption in own {
        let claimed = match assumption.kind.claimed_by {
            Some(option) if assumptions.is_claimed(assumption) => format!("as {option} says, "),
            _ => String::new(),
        };
        tell(
            assumption,
            format!("{claimed}{}", sentence(assumption, &name(machine, assumption))),
        );
    }
    match (&others[..], &classes(machine, &others)[..]) {
        ([first, ..], [one]) => tell(*first, format!("the like of {one}")),
        ([first, ..], [one, more @ ..]) => {
            tell(*first, format!("the like of {one} and {} more of the JDK", more.len()))
        }
        _ => {}
    }
    told
}

/// The classes that assumptions are about, in the order of the assumptions.
fn classes(machine: &Machine<'_>, assumptions: &[Assumption]) -> Vec<String> {
    let mut names = Vec::new();
    for name in assumptions.iter().map(|&assumption| name(machine, assumption)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether an assumption is about a class of the program's own.
fn is_own(machine: &Machine<'_>, assumption: Assumption) -> bool {
    let class = assumption.class;
    class != 0 && machine.program.class(ClassId(class)).loader >= LoaderId::APP
}

fn name(machine: &Machine<'_>, assumption: Assumption) -> String {
    match assumption.class {
        0 => "static fields and locks".to_owned(),
        class if is_own(machine, assumption) && assumption.kind.is_about_variable => {
            machine.variable_name((ClassId(class), assumption.cell))
        }
        class => {
            let name = machine.program.class(ClassId(class)).external_name();
            match name.split_once("$$Lambda") {
                Some((of, _)) => format!("lambdas in {of}"),
                None => name,
            }
        }
    }
}

/// The locks held at an access that broke an assumption, and another access that had none of them.
pub fn other_access(violation: &BrokenAssumption) -> String {
    let Some((locks, other)) = violation.with.as_deref() else {
        return String::new();
    };
    let locks_in_words = |locks: &[String]| match locks.is_empty() {
        true => "no lock".to_owned(),
        false => locks.join(" and "),
    };
    format!(
        ": here with {}, by {} at {} with {}",
        locks_in_words(locks),
        other.at.thread,
        line(&other.at),
        locks_in_words(&other.locks)
    )
}

fn line(at: &Whereabouts) -> String {
    match at.file.is_empty() {
        true => format!("line {}", at.line),
        false => format!("{}:{}", at.file, at.line),
    }
}

/// What is against a hypothesis of `optimistic`.
pub fn doubt(doubt: &Doubt) -> String {
    let who = |at: &Whereabouts| format!("{} ({})", at.thread, line(at));
    match doubt {
        Doubt::Disputed(place, one, two) => format!(
            "the rule for {place} gives it to {} and {} at once, so it counts as unprotected",
            who(one),
            who(two)
        ),
        Doubt::Expelled(place, by, of) => format!(
            "{} takes {place} away from {}, whose it is by the rule, so it counts as unprotected",
            who(by),
            who(of)
        ),
        Doubt::Endless(at) => format!(
            "{} goes round for ever by steps that nobody else can see; others were let move there",
            who(at)
        ),
    }
}

fn sentence(assumption: Assumption, of: &str) -> String {
    (assumption.kind.sentence)(assumption, of)
}
