//! Whether several strategies say the same about one system.
//!
//! Compared is what no reduction may change: the defects, the values that the program reads out, whether it can end, whether the search
//! came to its end. Numbers of states and schedules are free.

use crate::commute::Checked;
use kernel::{Assumptions, Flaw, Reduction, System, Transitions, View};
use reduction::Combination;
use search::{Ending, Found, Options, Outcome, Silent, Why};
use std::collections::BTreeSet;
use store::Exact;

/// A way to search.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// Its name, as it is reported.
    pub name: String,
    /// What the search is told.
    pub options: Options,
    /// What may be left out.
    pub combination: Combination,
    /// Whether what the reduction claims is checked at every state.
    pub commute: bool,
    /// Whether operations of the library take effect at once, in a program that has any.
    pub at_once: bool,
}

/// Something that a search says about a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finding {
    /// This is wrong with some state.
    Flaw(Flaw),
    /// Some state is marked with this.
    Mark(u128),
    /// Some state is one in which nobody can move.
    Deadlock,
    /// Some state is one in which all is over.
    End,
    /// Some state asked to be forgotten.
    Ignored,
}

/// What a search says, in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What it found.
    pub findings: BTreeSet<Finding>,
    /// Why that is perhaps not all.
    pub stopped: Option<Stop>,
    /// How many states there were.
    pub states: u64,
}

/// Why a search did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// There were too many states.
    States,
    /// The reduction claims what does not hold.
    Refuted(String),
    /// Something else.
    Other(String),
}

/// What came of a search.
pub struct Ran<A> {
    /// Itself.
    pub outcome: Outcome<A>,
    /// What the reduction wrongly claims, in words.
    pub refuted: Option<String>,
}

impl Summary {
    /// What a search says.
    pub fn new<A>(ran: &Ran<A>) -> Summary {
        let outcome = &ran.outcome;
        let flaws = outcome.found.iter().map(|found| Finding::Flaw(found.flaw));
        let marks = outcome.marks.iter().map(|&mark| Finding::Mark(mark));
        let mut findings: BTreeSet<Finding> = flaws.chain(marks).collect();
        let kinds = [
            (outcome.deadlocks, Finding::Deadlock),
            (outcome.finals, Finding::End),
            (outcome.ignored, Finding::Ignored),
        ];
        findings.extend(kinds.into_iter().filter(|(count, _)| *count > 0).map(|(_, kind)| kind));
        let stopped = match &outcome.ending {
            _ if ran.refuted.is_some() => ran.refuted.clone().map(Stop::Refuted),
            // Whoever leaves schedules out on purpose is held against the others all the same.
            Ending::Complete | Ending::Stopped(Why::Preemptions) => None,
            Ending::Stopped(Why::States) => Some(Stop::States),
            Ending::Stopped(why) => Some(Stop::Other(format!("{why:?}"))),
        };
        Summary {
            findings,
            stopped,
            states: outcome.figures.states,
        }
    }
}

/// A system that can be searched again and again.
pub trait Subject {
    /// Searches it from its beginning, as the strategy says.
    fn run(&mut self, strategy: &Strategy) -> Result<Summary, String>;

    /// Tells a finding of a strategy in words.
    fn describe(&mut self, _strategy: &Strategy, finding: Finding) -> String {
        format!("{finding:?}")
    }
}

/// Searches a system from `state`, which is its initial one.
pub fn search<S: View>(system: &S, state: &mut S::State, strategy: &Strategy) -> Result<Ran<S::Action>, String> {
    let mut ample = strategy.combination.make(Assumptions::default());
    let reduction = ample.as_mut().map(|ample| ample as &mut dyn Reduction<S>);
    search_with(system, state, strategy, reduction)
}

/// The same with this reduction instead of the one that the strategy names.
pub fn search_with<S: View>(
    system: &S,
    state: &mut S::State,
    strategy: &Strategy,
    reduction: Option<&mut dyn Reduction<S>>,
) -> Result<Ran<S::Action>, String> {
    let mut explore = |reduction: Option<&mut dyn Reduction<S>>| {
        search::explore(
            system,
            state,
            &mut Exact::new(),
            &strategy.options,
            reduction,
            &mut Silent,
        )
        .map_err(|conflict| conflict.to_string())
    };
    let (outcome, refuted) = match reduction {
        Some(reduction) if strategy.commute => {
            let mut checked = Checked::new(reduction);
            let outcome = explore(Some(&mut checked))?;
            (outcome, checked.refuted().map(ToString::to_string))
        }
        other => (explore(other)?, None),
    };
    let lost = outcome.found.iter().find(|found| !leads_there(system, state, found));
    let lost = lost.map(|found| format!("the schedule to {:?} does not lead there", found.flaw));
    Ok(Ran {
        outcome,
        refuted: refuted.or(lost),
    })
}

/// Whether a schedule can be followed, and the flaw is there at its end.
fn leads_there<S: System>(system: &S, state: &mut S::State, found: &Found<S::Action>) -> bool {
    if found.flaw.property.is_endless() {
        return true;
    }
    let mut met = false;
    let see = |state: &mut S::State, transitions: &Transitions<S::Action>, next: Option<S::Action>| {
        met |= next.is_none() && search::meets(system, state, transitions, found.flaw);
    };
    let Ok(undos) = search::replay(system, state, &found.actions, see) else {
        return false;
    };
    search::rewind(system, state, undos);
    met
}

/// A system by itself, without a way to tell its findings in words.
pub struct Plain<S>(pub S);

impl<S: View> Subject for Plain<S> {
    fn run(&mut self, strategy: &Strategy) -> Result<Summary, String> {
        let mut state = self.0.initial().map_err(|unsupported| unsupported.to_string())?;
        let ran = search(&self.0, &mut state, strategy)?;
        Ok(Summary::new(&ran))
    }
}

/// What a comparison comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// All say the same: what the first one does.
    Agree(Summary),
    /// Some strategy would have had to enter too many states.
    TooLarge,
    /// This one says something else than the first one.
    Disagree(Vec<Difference>),
}

/// How a strategy differs from the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which of the strategies.
    pub strategy: usize,
    /// What only the first one finds.
    pub missing: Vec<Finding>,
    /// What only this one finds.
    pub extra: Vec<Finding>,
    /// Why this one did not come to its end, although the first one did, or the other way round.
    pub stopped: Option<String>,
}

/// Holds a system against all strategies. None may enter more states than its options allow.
pub fn judge(subject: &mut dyn Subject, strategies: &[Strategy]) -> Result<Judgement, String> {
    let mut first: Option<Summary> = None;
    let mut differences = Vec::new();
    for (number, strategy) in strategies.iter().enumerate() {
        let summary = subject
            .run(strategy)
            .map_err(|why| format!("{}: {why}", strategy.name))?;
        if summary.stopped == Some(Stop::States) {
            // What was seen to differ does, whoever comes to no end.
            match differences.is_empty() {
                true => return Ok(Judgement::TooLarge),
                false => break,
            }
        }
        match &first {
            None => first = Some(summary),
            Some(first) => differences.extend(difference(number, first, &summary)),
        }
    }
    Ok(match differences.is_empty() {
        true => Judgement::Agree(first.unwrap_or_default()),
        false => Judgement::Disagree(differences),
    })
}

fn difference(strategy: usize, first: &Summary, other: &Summary) -> Option<Difference> {
    if first.findings == other.findings && first.stopped == other.stopped {
        return None;
    }
    let stopped = (first.stopped != other.stopped).then(|| {
        let stop = |summary: &Summary| match &summary.stopped {
            None => "complete".to_owned(),
            Some(stop) => format!("{stop:?}"),
        };
        format!("{} instead of {}", stop(other), stop(first))
    });
    Some(Difference {
        strategy,
        missing: first.findings.difference(&other.findings).copied().collect(),
        extra: other.findings.difference(&first.findings).copied().collect(),
        stopped,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::Property;

    /// Says what it was made to say, in turn.
    struct Said(Vec<Summary>);

    impl Subject for Said {
        fn run(&mut self, _strategy: &Strategy) -> Result<Summary, String> {
            if self.0.is_empty() {
                return Err("nothing left to say".to_owned());
            }
            Ok(self.0.remove(0))
        }
    }

    fn summary(findings: &[Finding], stopped: Option<Stop>) -> Summary {
        Summary {
            findings: findings.iter().copied().collect(),
            stopped,
            states: 1,
        }
    }

    fn strategies(count: usize) -> Vec<Strategy> {
        let one = Strategy {
            name: "s".to_owned(),
            options: Options::default(),
            combination: Combination::named(["base"]).expect("a legal name"),
            commute: false,
            at_once: false,
        };
        vec![one; count]
    }

    #[test]
    fn what_only_one_finds_is_a_difference() {
        let flaw = Finding::Flaw(Flaw {
            property: Property::RACE,
            key: 7,
        });
        let said = vec![
            summary(&[flaw, Finding::End], None),
            summary(&[flaw, Finding::End], None),
            summary(&[Finding::Mark(3), Finding::End], None),
        ];
        let Ok(Judgement::Disagree(differences)) = judge(&mut Said(said), &strategies(3)) else {
            panic!("they disagree")
        };
        let expected = Difference {
            strategy: 2,
            missing: vec![flaw],
            extra: vec![Finding::Mark(3)],
            stopped: None,
        };
        assert_eq!(differences, [expected]);
    }

    #[test]
    fn what_all_find_is_agreed_on_and_what_is_too_large_is_not_judged() {
        let same = || summary(&[Finding::Deadlock], None);
        let agreed = judge(&mut Said(vec![same(), same()]), &strategies(2));
        assert_eq!(agreed, Ok(Judgement::Agree(same())));
        let large = summary(&[], Some(Stop::States));
        assert_eq!(
            judge(&mut Said(vec![same(), large]), &strategies(2)),
            Ok(Judgement::TooLarge)
        );
        let stopped = summary(&[Finding::Deadlock], Some(Stop::Other("time".to_owned())));
        let judged = judge(&mut Said(vec![same(), stopped]), &strategies(2));
        assert!(matches!(judged, Ok(Judgement::Disagree(differences)) if differences[0].stopped.is_some()));
    }
}
