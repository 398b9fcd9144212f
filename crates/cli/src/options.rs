//! From what was typed to what the driver takes.

use crate::arguments::{
    Analyze, Check, Classes, Compare, Exploring, Fair, LibraryMode, Linearize, Oracle, Replay, SearchOrder, StoreKind,
    Subject,
};
use driver::{Failure, Fairness, Order, linearize, names, options};

impl From<&Classes> for options::Classes {
    fn from(typed: &Classes) -> options::Classes {
        options::Classes {
            class_path: typed.class_path.clone(),
            jdk: typed.jdk.clone(),
        }
    }
}

impl From<&Linearize> for linearize::Linearize {
    fn from(typed: &Linearize) -> linearize::Linearize {
        linearize::Linearize {
            classes: (&typed.classes).into(),
            class: typed.class.clone(),
            new: typed.new.clone(),
            methods: typed.methods.clone(),
            init: typed.init.clone(),
            against: typed.against.clone(),
            given: typed.scenario.clone(),
            threads: typed.threads,
            calls: typed.calls,
            scenarios: typed.scenarios,
            seed: typed.seed,
            interrupts: typed.interrupts,
            flags: typed.side_effects,
            operation: typed.operation.clone(),
            states: typed.states,
            time: typed.time,
            memory: typed.memory,
        }
    }
}

impl From<&Subject> for options::Subject {
    fn from(typed: &Subject) -> options::Subject {
        options::Subject {
            classes: (&typed.classes).into(),
            define: typed.define.clone(),
            heap: typed.heap,
            stack: typed.stack,
            program: typed.program.clone(),
            arguments: typed.arguments.clone(),
        }
    }
}

impl TryFrom<&Exploring> for options::Exploring {
    type Error = Failure;

    fn try_from(typed: &Exploring) -> Result<options::Exploring, Failure> {
        let properties = typed.property.iter().map(|name| names::property(name));
        Ok(options::Exploring {
            subject: (&typed.subject).into(),
            entry: typed.entry.clone(),
            properties: properties.collect::<Result<_, _>>()?,
            search: match typed.search {
                SearchOrder::Dfs => Order::Depth,
                SearchOrder::Bfs => Order::Breadth,
                SearchOrder::Random => Order::Random,
            },
            store: match typed.store {
                StoreKind::Exact => options::StoreKind::Exact,
                StoreKind::Fingerprint => options::StoreKind::Fingerprint,
                StoreKind::Bits => options::StoreKind::Bits,
            },
            time: typed.time,
            memory: typed.memory,
            states: typed.states,
            spurious: typed.spurious,
            allow_race: typed.allow_race.clone(),
            library: match typed.library {
                LibraryMode::Operations => options::LibraryMode::Operations,
                LibraryMode::Whole => options::LibraryMode::Whole,
            },
            certificates: typed.certificates.clone(),
            operation: typed.operation.clone(),
            self_locking: typed.self_locking.clone(),
            shared: typed.shared.clone(),
            discipline: typed.discipline.clone(),
        })
    }
}

impl TryFrom<&Check> for options::Check {
    type Error = Failure;

    fn try_from(typed: &Check) -> Result<options::Check, Failure> {
        Ok(options::Check {
            reductions: names::combination(typed.reduce.iter().map(String::as_str))?,
            how: (&typed.how).try_into()?,
            all: typed.all,
            preemptions: typed.preemptions,
            source: typed.source.clone(),
            seed: typed.seed,
            shuffle: typed.shuffle,
            random_walks: !typed.no_hunt,
            ltl: typed.ltl.clone(),
            ltl_file: typed.ltl_file.clone(),
            fairness: match typed.fair {
                Fair::Weak => Fairness::Weak,
                Fair::Strong => Fairness::Strong,
                Fair::None => Fairness::None,
            },
        })
    }
}

impl TryFrom<&Compare> for options::Compare {
    type Error = Failure;

    fn try_from(typed: &Compare) -> Result<options::Compare, Failure> {
        let strategy = |given: &String| Ok((given.clone(), names::combination(given.split(','))?));
        Ok(options::Compare {
            strategies: typed.reduce.iter().map(strategy).collect::<Result<_, Failure>>()?,
            how: (&typed.how).try_into()?,
        })
    }
}

impl From<&Replay> for options::Replay {
    fn from(typed: &Replay) -> options::Replay {
        options::Replay {
            trace: typed.trace.clone(),
            jdk: typed.jdk.clone(),
            source: typed.source.clone(),
        }
    }
}

impl From<&Analyze> for options::Analyze {
    fn from(typed: &Analyze) -> options::Analyze {
        options::Analyze {
            classes: (&typed.classes).into(),
            entry: typed.entry.clone(),
            all: typed.all,
            program: typed.program.clone(),
        }
    }
}

impl From<&Oracle> for options::Oracle {
    fn from(typed: &Oracle) -> options::Oracle {
        options::Oracle {
            seed: typed.seed,
            count: typed.count,
            size: typed.size,
            blind: typed.blind,
            preemptions: typed.preemptions,
            states: typed.states,
            java: typed.java,
            concurrent: typed.concurrent,
            models: typed.models,
            every: typed.every,
            commute: typed.commute,
            operations: typed.operations,
            jdk: typed.jdk.clone(),
        }
    }
}
