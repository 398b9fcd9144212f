//! Reductions that are broken on purpose, each in one way, and each of which must be caught: by random programs, or where these do
//! not come to it, by a hand-made one. `docs/soundness.md` lists them.

#[path = "../common/mod.rs"]
mod common;
mod java;
mod lying;
mod operations;
mod programs;

use kernel::{AccessKind, Assumptions, OwnerAccess, Protection, View};
use lying::{Lies, Lying, Told};
use machine::system::Java;
use machine::{Machine, Mark, StepSemantics};
use model::Model;
use oracle::compare::{Ran, Stop, Strategy, Summary, search, search_with};
use reduction::Combination;
use search::{Options, Order};
use std::time::Duration;

/// What is not broken, and must not be caught on any program.
const NOTHING: &str = "nothing";

/// Random programs that a broken reduction is tried on.
const RANDOM: u64 = 60;

/// Random models that a broken reduction is tried on.
const MODELS: u64 = 2000;

/// Random models that a broken check of rules is tried on, with each of some rules.
const RULED_MODELS: u64 = 200;

/// Random models that are explored with a system that does not lie.
const HONEST_MODELS: u64 = 60;

fn strategy(names: &str, order: Order) -> Strategy {
    Strategy {
        name: names.to_owned(),
        options: Options {
            order,
            all: true,
            states: Some(1500),
            // Nothing here takes so long, but for what goes round in circles: see `catch`.
            time: Some(Duration::from_secs(600)),
            ..Options::default()
        },
        combination: Combination::named(names.split(',')).expect("a legal combination"),
        commute: true,
        at_once: false,
    }
}

/// How a broken reduction was caught.
#[derive(Debug, PartialEq, Eq)]
enum Caught {
    /// It finds something else than a search that leaves nothing out.
    Compared,
    /// What it claims at some state does not hold.
    Refuted,
}

/// What a search with lies comes to.
fn explore_lying<S: View>(system: &S, state: &mut S::State, lies: Lies<S>, strategy: &Strategy) -> Summary {
    let lying = Lying::new(system, lies);
    let mut told = Told(strategy.combination.make(Assumptions::default()).expect("a reduction"));
    summary(search_with(&lying, state, strategy, Some(&mut told)).expect("legal options"))
}

/// Searches with lies, and holds what comes out against the truth.
fn catch<S: View>(
    system: &S,
    state: &mut S::State,
    lies: Lies<S>,
    strategy: &Strategy,
    truth: &Summary,
) -> Option<Caught> {
    let mut strategy = strategy.clone();
    let spins = lies.spins;
    if spins {
        strategy.options.time = Some(Duration::from_secs(2));
    }
    // Whoever writes states down wrongly cannot be asked whether two of them are the same, nor can he whose answers depend on what
    // he was asked before, or who shows less than there is.
    strategy.commute = !(spins || lies.forgets || lies.oversleeps || lies.hurries.is_some());
    judge(explore_lying(system, state, lies, &strategy), truth, spins)
}

/// Holds what comes out of a search against the truth.
fn judge(found: Summary, truth: &Summary, spins: bool) -> Option<Caught> {
    match found.stopped {
        // To come to no end is what is expected of one that does not notice that it came back, and of no other.
        Some(Stop::States | Stop::Other(_)) if !spins => None,
        Some(Stop::Refuted(why)) => {
            eprintln!("{why}");
            Some(Caught::Refuted)
        }
        _ if found.findings != truth.findings || found.stopped != truth.stopped => Some(Caught::Compared),
        _ => None,
    }
}

fn summary<A>(mut ran: Ran<A>) -> Summary {
    ran.outcome
        .marks
        .retain(|&mark| !matches!(Mark::read(mark), Mark::Interrupted(..)));
    Summary::new(&ran)
}

/// A broken reduction for Java programs: its name, the hand-made program that is needed to catch it (else random ones do), the
/// reductions that it is put into, the order of the search, and what it lies about.
type Broken<'p> = (&'static str, &'static str, &'static str, Order, fn() -> Lies<Java<'p>>);

fn all<'p>() -> Vec<Broken<'p>> {
    const DEPTH: Order = Order::Depth;
    vec![
        (NOTHING, "", "auto", DEPTH, Lies::default),
        (NOTHING, "", "escape", DEPTH, Lies::default),
        (
            NOTHING,
            "",
            "selflock,dominated,lockset,final",
            Order::Breadth,
            Lies::default,
        ),
        (
            "local now excuses from self-locking",
            "Dropped",
            "selflock",
            DEPTH,
            || Lies {
                escaped: Some(java::escaped_now),
                ..Lies::default()
            },
        ),
        (
            "shielded from one thread is dominated",
            "Third",
            "selflock,dominated",
            DEPTH,
            || Lies {
                dominated: Some(java::dominated_for_one),
                ..Lies::default()
            },
        ),
        ("no cycle proviso, depth-first", "Round", "escape", DEPTH, || Lies {
            forgets: true,
            ..Lies::default()
        }),
        (
            "no cycle proviso, breadth-first",
            "Round",
            "escape",
            Order::Breadth,
            || Lies {
                forgets: true,
                ..Lies::default()
            },
        ),
        (
            "no cycle proviso, nothing stored",
            "Round",
            "atomic,escape-static,escape",
            DEPTH,
            || Lies {
                forgets: true,
                ..Lies::default()
            },
        ),
        ("static fields lead nowhere", "", "escape", DEPTH, || Lies {
            local: Some(java::local_but_for_statics),
            ..Lies::default()
        }),
        ("variables lead nowhere", "", "escape", DEPTH, || Lies {
            local: Some(java::local_but_for_variables),
            ..Lies::default()
        }),
        ("self-locking is not checked", "Dropped", "selflock", DEPTH, || Lies {
            escaped: Some(|_, _, _| false),
            ..Lies::default()
        }),
        ("taking a lock commutes", "", "base,escape", DEPTH, || Lies {
            touches: Some(lying::hides_acquire),
            ..Lies::default()
        }),
        (
            "what a thread is given has not escaped",
            "Given",
            "selflock",
            DEPTH,
            || Lies {
                escaped: Some(java::escaped_but_for_starts),
                ..Lies::default()
            },
        ),
        (
            "notifying one who may go by himself commutes",
            "Timed",
            "escape",
            DEPTH,
            || Lies {
                touches: Some(lying::hides_waiters),
                ..Lies::default()
            },
        ),
        ("final fields are not checked", "Leaked", "final", DEPTH, || Lies {
            escaped: Some(|_, _, _| false),
            ..Lies::default()
        }),
        ("records are not compared", "Merged", "lockset", DEPTH, || Lies {
            encode: Some(java::without_records),
            ..Lies::default()
        }),
        ("locksets are not checked", "", "lockset", DEPTH, || Lies {
            protection: Some(java::never_open),
            ..Lies::default()
        }),
        (
            "a record begins with the second thread",
            "Creator",
            "lockset",
            DEPTH,
            || Lies {
                protection: Some(java::protected_while_exclusive),
                apply: Some(java::unrecorded_while_exclusive),
                ..Lies::default()
            },
        ),
        ("writes to what is read are not checked", "", "lockset", DEPTH, || {
            Lies {
                protection: Some(java::reads_are_only_reads),
                ..Lies::default()
            }
        }),
        (
            "unknown native methods keep to locks",
            "Native",
            "lockset",
            DEPTH,
            || Lies {
                wild: Some(|_, _, _| false),
                ..Lies::default()
            },
        ),
        ("who has a lock may be looked at", "Asked", "own", DEPTH, || Lies {
            owner_access: Some(|truth, touch| {
                if touch.access.is_read() {
                    OwnerAccess::Own
                } else {
                    truth
                }
            }),
            ..Lies::default()
        }),
        ("anybody may take a lock", "Stolen", "own", DEPTH, || Lies {
            owner_access: Some(|_, _| OwnerAccess::Own),
            ..Lies::default()
        }),
        (
            "to give a lock up commutes",
            "Brief",
            "own,lockset,final",
            DEPTH,
            || Lies {
                owner_access: Some(|truth, _| {
                    if truth == OwnerAccess::Kept {
                        OwnerAccess::Own
                    } else {
                        truth
                    }
                }),
                ..Lies::default()
            },
        ),
        ("anybody may change a lock", "Turned", "own", DEPTH, || Lies {
            owner_access: Some(|truth, touch| match truth {
                OwnerAccess::Broken if !touch.access.is_read() => OwnerAccess::Kept,
                _ => truth,
            }),
            ..Lies::default()
        }),
        ("a thread's fields are not checked", "Fields", "own", DEPTH, || Lies {
            stands_for: Some(|own| own.then_some(true)),
            ..Lies::default()
        }),
        (
            "every thread's fields are everybody's own",
            "Fields",
            "own",
            DEPTH,
            || Lies {
                stands_for: Some(|_| Some(true)),
                ..Lies::default()
            },
        ),
        (
            "a thread's fields are not checked, in coarse steps",
            "Fields",
            "optimistic",
            DEPTH,
            || Lies {
                stands_for: Some(|own| own.then_some(true)),
                ..Lies::default()
            },
        ),
        ("a hash code is drawn by nobody", "Hashed", "escape", DEPTH, || Lies {
            touches: Some(|_, touch| touch.location.cell != machine::layout::LOCK),
            ..Lies::default()
        }),
        ("nobody takes a lock away", "Stolen", "lockset", DEPTH, || Lies {
            honest: true,
            ..Lies::default()
        }),
        ("everything is proved", "", "escape-static", DEPTH, || Lies {
            proved: Some(|_, _, _| true),
            ..Lies::default()
        }),
        ("what conflicts with everything commutes", "", "escape", DEPTH, || {
            Lies {
                touches: Some(lying::hides_everything),
                ..Lies::default()
            }
        }),
        ("volatile accesses commute", "", "escape", DEPTH, || Lies {
            touches: Some(lying::hides_atomics),
            ..Lies::default()
        }),
        ("reads commute", "", "escape", DEPTH, || Lies {
            touches: Some(lying::hides_reads),
            ..Lies::default()
        }),
        ("everything is local", "", "escape", DEPTH, || Lies {
            local: Some(|_, _, _, _| true),
            ..Lies::default()
        }),
        (NOTHING, "", "optimistic", DEPTH, Lies::default),
        (NOTHING, "", "optimistic", Order::Breadth, Lies::default),
        ("locks are not looked at", "", "optimistic", DEPTH, || Lies {
            protection: Some(|_, _, _, _, _| Some(Protection::Locked)),
            ..Lies::default()
        }),
        ("volatile writes move left", "", "optimistic", DEPTH, || Lies {
            moves_left: Some(|_, _, _, touch| touch.access == AccessKind::AtomicWrite),
            ..Lies::default()
        }),
        ("taking a lock is no step of its own", "", "optimistic", DEPTH, || {
            Lies {
                moves_left: Some(|_, _, _, touch| touch.access == AccessKind::Acquire),
                begins: Some(|_, _, _| false),
                ..Lies::default()
            }
        }),
        ("nothing is ever shared", "", "optimistic", DEPTH, || Lies {
            escaped: Some(|_, _, _| false),
            ..Lies::default()
        }),
        (
            "records are not compared, in coarse steps",
            "Merged",
            "optimistic",
            DEPTH,
            || Lies {
                encode: Some(java::without_records),
                ..Lies::default()
            },
        ),
        (
            "to give a lock up is no step of its own",
            "Misused",
            "optimistic",
            DEPTH,
            || Lies {
                owner_access: Some(|truth, _| {
                    if truth == OwnerAccess::Kept {
                        OwnerAccess::Own
                    } else {
                        truth
                    }
                }),
                ..Lies::default()
            },
        ),
        (
            "nobody takes a lock away, in coarse steps",
            "Stolen",
            "optimistic",
            DEPTH,
            || Lies {
                honest: true,
                ..Lies::default()
            },
        ),
        (NOTHING, "", "persistent,sleep", DEPTH, Lies::default),
        (NOTHING, "", "persistent", Order::Breadth, Lies::default),
        (NOTHING, "", "persistent,lockset,atomic,sleep", DEPTH, Lies::default),
        ("everything may sleep", "", "sleep", DEPTH, || Lies {
            commute: Some(|_, _, _| true),
            ..Lies::default()
        }),
        ("reads may sleep", "", "sleep", DEPTH, || Lies {
            commute: Some(lying::writes_no_location),
            ..Lies::default()
        }),
        ("starts, ends and classes may sleep", "", "sleep", DEPTH, || Lies {
            commute: Some(lying::shares_no_location),
            ..Lies::default()
        }),
        ("no thread interferes", "", "persistent", DEPTH, || Lies {
            interfering_threads: Some(|_| true),
            ..Lies::default()
        }),
        ("who cannot move needs nobody", "Chain", "persistent", DEPTH, || Lies {
            interfering_threads: Some(lying::forgets_enablers),
            ..Lies::default()
        }),
        ("no thread interferes by static fields", "", "persistent", DEPTH, || {
            Lies {
                interfering_threads: Some(java::interference_but_for_statics),
                ..Lies::default()
            }
        }),
        ("no thread interferes by variables", "", "persistent", DEPTH, || Lies {
            interfering_threads: Some(java::interference_but_for_variables),
            ..Lies::default()
        }),
        (
            "threads that wait do not interfere",
            "Waits",
            "persistent",
            DEPTH,
            || Lies {
                interfering_threads: Some(java::interference_but_for_waiting),
                ..Lies::default()
            },
        ),
        (
            "threads that are blocked do not interfere",
            "Chain",
            "persistent",
            DEPTH,
            || Lies {
                interfering_threads: Some(java::interference_but_for_blocked),
                ..Lies::default()
            },
        ),
        ("hooks do not interfere", "Hook", "persistent", DEPTH, || Lies {
            interfering_threads: Some(java::interference_but_for_the_end),
            ..Lies::default()
        }),
        (
            "no cycle proviso, persistent sets",
            "Round",
            "persistent",
            Order::Breadth,
            || Lies {
                forgets: true,
                ..Lies::default()
            },
        ),
        (
            "no cycle proviso, persistent and sleep sets",
            "Round",
            "persistent,sleep",
            DEPTH,
            || Lies {
                forgets: true,
                ..Lies::default()
            },
        ),
        ("nobody reads names", "Named", "escape", Order::Breadth, || Lies {
            apply: Some(java::read_without_names),
            ..Lies::default()
        }),
        ("nobody reads ids", "Numbered", "escape", Order::Breadth, || Lies {
            apply: Some(java::read_without_names),
            ..Lies::default()
        }),
        ("nobody reads hash codes", "Drawn", "escape", DEPTH, || Lies {
            apply: Some(java::read_without_names),
            ..Lies::default()
        }),
    ]
}

/// What a search without lies comes to.
fn explore<'p>(java: &Java<'p>, machine: &mut Machine<'p>, strategy: &Strategy) -> Summary {
    java.begin(machine).expect("it begins");
    summary(search(java, machine, strategy).expect("legal options"))
}

/// The same for models, without a program.
type BrokenModel = (&'static str, &'static str, Order, fn() -> Lies<Model>);

#[test]
fn every_broken_reduction_is_caught_on_java_programs() {
    let jdks = common::jdks();
    let mut programs: Vec<(String, String)> = (0..RANDOM)
        .map(|seed| {
            (
                format!("P{seed}"),
                oracle::java::random(seed, 3).source(&format!("P{seed}")),
            )
        })
        .collect();
    for (name, body) in programs::HAND_MADE {
        let source = format!("import raddle.Verify;\npublic class {name} {{\n{body}\n}}\n");
        programs.push(((*name).to_owned(), source));
    }
    let folder = common::root().join("target/broken");
    java::with_programs(&jdks[0], &folder, &programs, |shared, machine, starts| {
        let mut left = all();
        let mut base = strategy("base", Order::Depth);
        for start in starts {
            let made = !start.class.starts_with('P');
            base.options.states = Some(if made { 100_000 } else { 1500 });
            let mut java = Java {
                shared,
                start: start.clone(),
                semantics: StepSemantics::default(),
                alone: false,
                allowed: Vec::new(),
                operations: std::sync::Arc::default(),
            };
            // What other programs have shown has nothing to do with it.
            *shared.assumptions() = Assumptions::default();
            let truth = explore(&java, machine, &base);
            if truth.stopped.is_some() {
                assert!(!made, "{} is too large", start.class);
                continue;
            }
            left.retain(|(name, on, names, order, lies)| {
                if *name != NOTHING && (if made { *on != start.class } else { !on.is_empty() }) {
                    return true;
                }
                let mut strategy = strategy(names, *order);
                strategy.options.states = base.options.states;
                java.semantics = StepSemantics {
                    // Claims are about single steps, and a thread that is alone takes several at once.
                    solo: false,
                    ..StepSemantics::new(strategy.combination.instrumentation())
                };
                java.begin(machine).expect("it begins");
                let caught = match *name {
                    NOTHING => {
                        // Who does not lie is explored as the system is: every answer comes through.
                        let honest = explore_lying(&java, machine, lies(), &strategy);
                        assert_eq!(honest, explore(&java, machine, &strategy), "{names} on {}", start.class);
                        judge(honest, &truth, false)
                    }
                    _ => catch(&java, machine, lies(), &strategy, &truth),
                };
                if let Some(how) = &caught {
                    eprintln!("{name}: {how:?} on {}, {} states", start.class, truth.states);
                    assert_ne!(*name, NOTHING, "sound reductions are caught: {names}");
                }
                caught.is_none()
            });
        }
        let left: Vec<&str> = left.iter().map(|(name, ..)| *name).collect();
        assert_eq!(left, [NOTHING; 8], "not caught");
    });
}

#[test]
fn every_broken_reduction_is_caught_on_models() {
    const DEPTH: Order = Order::Depth;
    let all: [BrokenModel; 14] = [
        ("taking a lock commutes", "escape", Order::Depth, || Lies {
            touches: Some(lying::hides_acquire),
            ..Lies::default()
        }),
        ("no cycle proviso, depth-first", "escape", Order::Depth, || Lies {
            forgets: true,
            ..Lies::default()
        }),
        ("no cycle proviso, breadth-first", "escape", Order::Breadth, || Lies {
            forgets: true,
            ..Lies::default()
        }),
        (
            "no cycle proviso, nothing stored",
            "atomic,escape",
            Order::Depth,
            || Lies {
                forgets: true,
                ..Lies::default()
            },
        ),
        ("coming back is not noticed", "atomic,escape", Order::Depth, || Lies {
            spins: true,
            ..Lies::default()
        }),
        ("no remainder is kept", "sleep", DEPTH, || Lies {
            oversleeps: true,
            ..Lies::default()
        }),
        ("everything may sleep", "sleep", DEPTH, || Lies {
            commute: Some(|_, _, _| true),
            ..Lies::default()
        }),
        ("no thread interferes", "persistent", DEPTH, || Lies {
            interfering_threads: Some(|_| true),
            ..Lies::default()
        }),
        ("who cannot move needs nobody", "persistent", DEPTH, || Lies {
            interfering_threads: Some(lying::forgets_enablers),
            ..Lies::default()
        }),
        (
            "no cycle proviso, persistent sets",
            "persistent",
            Order::Breadth,
            || Lies {
                forgets: true,
                ..Lies::default()
            },
        ),
        (
            "no cycle proviso, persistent and sleep sets",
            "persistent,sleep",
            DEPTH,
            || Lies {
                forgets: true,
                ..Lies::default()
            },
        ),
        ("locks are not looked at", "optimistic", DEPTH, || Lies {
            locks_of: Some(|_, _, _, out| out.push(lying::ANY_LOCK)),
            ..Lies::default()
        }),
        ("volatile writes move left", "optimistic", DEPTH, || Lies {
            moves_left: Some(|_, _, _, touch| touch.access == AccessKind::AtomicWrite),
            begins: Some(|_, _, _| false),
            ..Lies::default()
        }),
        ("taking a lock is no step of its own", "optimistic", DEPTH, || Lies {
            moves_left: Some(|_, _, _, touch| touch.access == AccessKind::Acquire),
            begins: Some(|_, _, _| false),
            ..Lies::default()
        }),
    ];
    let made = programs::MODELS.iter().map(|text| model::parse(text).expect("a model"));
    let programs = (0..MODELS).map(model::random).chain(made);
    let mut left: Vec<_> = all.iter().collect();
    let base = strategy("base", Order::Depth);
    for (number, program) in programs.enumerate() {
        if left.is_empty() {
            break;
        }
        // Every statement is a step: those of a thread's own are what commutes.
        let model = Model::new(&program, true).expect("a model");
        let truth = summary(search(&model, &mut model.start(), &base).expect("legal options"));
        if truth.stopped.is_some() {
            continue;
        }
        left.retain(|(name, names, order, lies)| {
            let caught = catch(&model, &mut model.start(), lies(), &strategy(names, *order), &truth);
            if let Some(how) = &caught {
                eprintln!("{name}: {how:?} on model {number}");
            }
            caught.is_none()
        });
    }
    let left: Vec<&str> = left.iter().map(|(name, ..)| *name).collect();
    assert!(left.is_empty(), "not caught: {left:?}");
}

/// Who does not lie is explored as the system is: every answer comes through.
#[test]
fn what_does_not_lie_is_explored_as_what_it_stands_for() {
    for seed in 0..HONEST_MODELS {
        let mut model = Model::new(&model::random(seed), seed % 2 == 0).expect("a model");
        model.spurious = seed % 3 == 0;
        for names in ["auto", "optimistic", "persistent", "escape,final,sleep"] {
            let strategy = strategy(names, Order::Depth);
            let honest = explore_lying(&model, &mut model.start(), Lies::default(), &strategy);
            let truth = summary(search(&model, &mut model.start(), &strategy).expect("legal options"));
            assert_eq!(honest, truth, "{names} on model {seed}");
        }
    }
}

/// A broken check of rules: its name, and what it lies about.
type BrokenRule = (&'static str, fn() -> Lies<Model>);

#[test]
fn every_broken_check_of_rules_is_caught() {
    let all: [BrokenRule; 5] = [
        (NOTHING, Lies::default),
        ("access is not checked", || Lies {
            trusts: true,
            ..Lies::default()
        }),
        ("two may have access at once", || Lies {
            shares: true,
            ..Lies::default()
        }),
        ("access may be taken away", || Lies {
            robs: true,
            ..Lies::default()
        }),
        ("who gives access away is no step of its own", || Lies {
            begins: Some(|_, _, _| false),
            ..Lies::default()
        }),
    ];
    let mut left: Vec<_> = all.iter().collect();
    let base = strategy("base", Order::Depth);
    let random = (0..RULED_MODELS).map(|seed| (model::random(seed), oracle::models::RULES));
    let made = programs::RULED.iter().map(|(text, rules)| {
        let program = model::parse(text).expect("a model");
        (program, std::slice::from_ref(rules))
    });
    for (number, (program, rules)) in random.chain(made).enumerate() {
        let mut model = Model::new(&program, number % 2 == 0).expect("a model");
        let truth = summary(search(&model, &mut model.start(), &base).expect("legal options"));
        if truth.stopped.is_some() {
            continue;
        }
        for rule in rules {
            // A rule about a variable that threads wait for is refused.
            if model.set_discipline(rule).is_err() {
                continue;
            }
            left.retain(|(name, lies)| {
                let mut strategy = strategy("optimistic", Order::Depth);
                strategy.commute = false;
                let found = explore_lying(&model, &mut model.start(), lies(), &strategy);
                let caught = found.findings != truth.findings;
                if caught {
                    eprintln!("{name}: on model {number} with {rule}");
                    assert_ne!(*name, NOTHING, "sound rules are caught");
                }
                !caught
            });
        }
        if left.len() == 1 {
            break;
        }
    }
    let left: Vec<&str> = left.iter().map(|(name, ..)| *name).collect();
    assert_eq!(left, [NOTHING], "not caught");
}
