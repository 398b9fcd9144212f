//! A reduction is one file: this one has everything about a new one, which no other file knows of.
//!
//! `silent`: a step that touches nothing is no reason to switch threads. SOUNDNESS: nobody else can see it, and nothing that the others do
//! matters to it.

use kernel::{Assumptions, Instrumentation, Instrumented, MemoryAccess, Property, Reduction, ThreadId, View};
use model::Model;
use oracle::compare::{Strategy, Summary, search, search_with};
use reduction::{Ample, Combination, Description, Illegal, Independence, REDUCTIONS, Rule, rules, watches_nothing};
use search::{Options, Order};

static SILENT: Description = Description {
    needs: Instrumentation::EVERY_STEP,
    ..Description::new("silent", "steps that touch nothing are no reason to switch threads")
};

fn add<S: View>(ample: &mut Ample<S>) {
    ample.prove(5, Box::new(Silent));
}

struct Silent;

impl<S: View> Independence<S> for Silent {
    /// It is content with a step that touches nothing ([`Independence::takes_nothing`]), and with no other.
    fn commutes(
        &mut self,
        _system: &S,
        _state: &mut S::State,
        _thread: ThreadId,
        _touch: MemoryAccess,
        _assumptions: &mut Assumptions,
    ) -> bool {
        false
    }

    fn takes_nothing(&self) -> bool {
        true
    }
}

watches_nothing!(Silent);

/// The list with one more.
fn list() -> Vec<&'static Description> {
    REDUCTIONS.iter().copied().chain([&SILENT]).collect()
}

fn strategy(combination: Combination) -> Strategy {
    Strategy {
        name: combination.names().join(","),
        options: Options {
            order: Order::Depth,
            all: true,
            properties: Property::ALL
                .iter()
                .copied()
                .filter(|&property| combination.preserves(property, false))
                .collect(),
            ..Options::default()
        },
        combination,
        commute: true,
        at_once: false,
    }
}

#[test]
fn a_new_reduction_is_found_by_its_name_and_goes_with_the_others() {
    let unknown = Combination::named(["silent"]).expect_err("it is in no list of ours");
    assert_eq!(unknown, Illegal::Unknown("silent".to_owned()));
    let with = |names: &str| Combination::of(&list(), names.split(','));
    let both = with("silent,escape").expect("they go together");
    assert_eq!(both.names(), ["escape", "silent"]);
    assert!(both.instrumentation().has(Instrumentation::EVERY_STEP));
    assert!(both.instrumentation().has(Instrumentation::ESCAPE_BITS));
    assert!(!both.preserves(Property::LIVELOCK, false) && both.preserves(Property::LOCK, false));
    let refused = with("silent,optimistic").expect_err("`optimistic` does not know it");
    assert!(refused.to_string().contains("`silent` knows nothing"), "{refused}");
}

#[test]
fn a_new_reduction_shows_what_base_shows() {
    let mut saved = 0;
    for seed in 0..60 {
        let program = model::random(seed);
        let mut model = Model::new(&program, false).expect("a model");
        let mut summary = |combination: Combination| {
            model.instrument(combination.instrumentation());
            let mut rules = rules();
            rules.push(Rule {
                description: &SILENT,
                add,
            });
            let mut ample = combination.make_of(&rules, Assumptions::default());
            let strategy = strategy(combination);
            let ran = match &mut ample {
                None => search(&model, &mut model.start(), &strategy),
                Some(ample) => {
                    let reduction: &mut dyn Reduction<Model> = ample;
                    search_with(&model, &mut model.start(), &strategy, Some(reduction))
                }
            };
            Summary::new(&ran.expect("legal options"))
        };
        let mut of = |names: &str| summary(Combination::of(&list(), names.split(',')).expect(names));
        let (base, every) = (of("base"), of("none"));
        for names in ["silent", "silent,atomic", "silent,persistent,sleep"] {
            let silent = of(names);
            assert!(silent.stopped.is_none(), "seed {seed}, {names}: {:?}", silent.stopped);
            let lost = base.findings.symmetric_difference(&silent.findings);
            let lost: Vec<_> = lost
                .filter(|finding| !matches!(finding, oracle::compare::Finding::Flaw(flaw) if flaw.property == Property::LIVELOCK))
                .collect();
            assert!(lost.is_empty(), "seed {seed}, {names}: {lost:?}\n{program}");
            assert!(silent.states <= every.states, "seed {seed}, {names}");
            saved += every.states - silent.states;
        }
    }
    assert!(saved > 0, "it leaves nothing out");
}
