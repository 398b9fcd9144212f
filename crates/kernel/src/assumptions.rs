//! What is assumed about a program without proof, and checked while it is explored.
//!
//! An assumption that was relied on and is broken makes the search start over without it. One that is broken and was never relied on
//! does no harm. SOUNDNESS: the search that goes on after an assumption broke is not trusted; but it visits real states only, so what it
//! finds is found.
//!
//! SOUNDNESS: what is checked is what footprints say. A step that may access more than its footprint names, which is a native method
//! that nobody has described, may be against every assumption: where one can be taken, nothing is assumed any more.

use crate::mixer::Mixer;
use crate::{Assumption, AssumptionKind, BrokenAssumption, Doubt, Location, Sight, ThreadId, Whereabouts};
use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;

#[derive(Clone, Debug, Default)]
struct Standing {
    dropped: bool,
    relied: bool,
    violation: Option<(ThreadId, Location)>,
    at: Whereabouts,
    with: Option<Box<(Vec<String>, Sight)>>,
}

impl Standing {
    fn tell(&self, assumption: Assumption) -> Option<BrokenAssumption> {
        let (thread, location) = self.violation?;
        Some(BrokenAssumption {
            assumption,
            thread,
            location,
            at: self.at.clone(),
            relied: self.relied,
            with: self.with.clone(),
        })
    }
}

/// All assumptions, each as it stands.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    all: HashMap<Assumption, Standing, BuildHasherDefault<Mixer>>,
    broken: usize,
    turns: u64,
    violations: Vec<BrokenAssumption>,
    /// Violations of which it is not known yet where they are.
    fresh: Vec<Assumption>,
    /// The only classes about which something of a kind is assumed, if somebody has named them.
    claimed: Vec<(&'static AssumptionKind, BTreeSet<u32>)>,
    /// Classes about which nothing is assumed.
    left_alone: BTreeSet<u32>,
    /// Whether nothing at all is assumed any more.
    given_up: bool,
    doubts: Vec<Doubt>,
}

impl Assumptions {
    /// Whether an assumption is still made.
    pub fn holds(&self, assumption: Assumption) -> bool {
        self.claims(assumption.kind)
            .is_none_or(|claimed| claimed.contains(&assumption.class))
            && !self.given_up
            && !self.left_alone.contains(&assumption.class)
            && self.all.get(&assumption).is_none_or(|standing| !standing.dropped)
    }

    /// Whether an assumption is still made and was not broken so far.
    pub fn stands(&self, assumption: Assumption) -> bool {
        self.holds(assumption)
            && self
                .all
                .get(&assumption)
                .is_none_or(|standing| standing.violation.is_none())
    }

    /// How often an assumption was broken or dropped.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Assumes something of these classes, and of no others.
    pub fn claim(&mut self, kind: &'static AssumptionKind, classes: impl IntoIterator<Item = u32>) {
        let mut classes: BTreeSet<u32> = classes.into_iter().collect();
        match self.claimed.iter_mut().find(|(of, _)| std::ptr::eq(*of, kind)) {
            Some((_, claimed)) => claimed.append(&mut classes),
            None => self.claimed.push((kind, classes)),
        }
    }

    /// The only classes of which something is assumed, if somebody has named them.
    fn claims(&self, kind: &'static AssumptionKind) -> Option<&BTreeSet<u32>> {
        let found = self.claimed.iter().find(|(of, _)| std::ptr::eq(*of, kind));
        found.map(|(_, claimed)| claimed)
    }

    /// Assumes nothing about a class.
    pub fn leave_alone(&mut self, class: u32) {
        self.left_alone.insert(class);
    }

    /// Whether somebody has said so, instead of us assuming it.
    pub fn is_claimed(&self, assumption: Assumption) -> bool {
        self.claims(assumption.kind)
            .is_some_and(|claimed| claimed.contains(&assumption.class))
    }

    /// Something rests on an assumption.
    pub fn rely(&mut self, assumption: Assumption) {
        let standing = self.all.entry(assumption).or_default();
        if !standing.relied {
            standing.relied = true;
            self.broken += usize::from(standing.violation.is_some());
        }
    }

    /// Rests something on an assumption, if it is still made; whether it is.
    pub fn try_rely(&mut self, assumption: Assumption) -> bool {
        let holds = self.holds(assumption);
        if holds {
            self.rely(assumption);
        }
        holds
    }

    /// An assumption turns out to be wrong.
    pub fn violate(&mut self, assumption: Assumption, thread: ThreadId, location: Location) -> bool {
        let standing = self.all.entry(assumption).or_default();
        if standing.violation.is_some() || standing.dropped {
            return false;
        }
        standing.violation = Some((thread, location));
        self.turns += 1;
        self.fresh.push(assumption);
        self.broken += usize::from(standing.relied);
        true
    }

    /// The same, with the locks that the thread has and an access that does not go together with this one.
    pub fn violate_with(
        &mut self,
        assumption: Assumption,
        thread: ThreadId,
        location: Location,
        locks: Vec<String>,
        other: Sight,
    ) {
        if self.violate(assumption, thread, location)
            && let Some(standing) = self.all.get_mut(&assumption)
        {
            standing.with = Some(Box::new((locks, other)));
        }
    }

    /// Remembers something that is against a hypothesis, the first of its kind about a location.
    pub fn doubt(&mut self, doubt: Doubt) {
        let is_same = |one: &Doubt| match (one, &doubt) {
            (Doubt::Disputed(one, ..), Doubt::Disputed(two, ..)) => one == two,
            (Doubt::Expelled(one, ..), Doubt::Expelled(two, ..)) => one == two,
            (one, two) => one == two,
        };
        if !self.doubts.iter().any(is_same) {
            self.doubts.push(doubt);
        }
    }

    /// What was found to be against the hypotheses.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// Whatever was assumed may be wrong, for all that is known.
    pub fn violate_all(&mut self, thread: ThreadId) {
        if std::mem::replace(&mut self.given_up, true) {
            return;
        }
        self.turns += 1;
        let all: Vec<Assumption> = self.all.keys().copied().collect();
        for assumption in all {
            self.violate(assumption, thread, Location::EVERYTHING);
        }
    }

    /// Completes the latest violations by where in the code they are.
    pub fn locate(&mut self, whereabouts: impl FnOnce() -> Whereabouts) {
        if self.fresh.is_empty() {
            return;
        }
        let at = whereabouts();
        for assumption in self.fresh.drain(..) {
            if let Some(standing) = self.all.get_mut(&assumption) {
                standing.at = at.clone();
            }
        }
    }

    /// What is not assumed any more.
    pub fn dropped(&self) -> impl Iterator<Item = Assumption> {
        let dropped = self.all.iter().filter(|(_, standing)| standing.dropped);
        dropped.map(|(&assumption, _)| assumption)
    }

    /// Whether something rests on an assumption that is wrong.
    pub fn is_broken(&self) -> bool {
        self.broken > 0
    }

    /// Gets ready for another attempt, without the assumptions that are wrong; whether anything rested on them.
    pub fn refine(&mut self) -> bool {
        let broken = std::mem::take(&mut self.broken) > 0;
        self.turns += 1;
        self.fresh.clear();
        if broken {
            for (&assumption, standing) in &mut self.all {
                if let Some(violation) = standing.tell(assumption) {
                    standing.violation = None;
                    standing.dropped = true;
                    self.violations.push(violation);
                }
                standing.relied = false;
            }
            self.violations.sort_by_key(|violation| violation.assumption);
        }
        broken
    }

    /// Drops a single assumption, if it is wrong and nothing was done so far that could rest on it.
    pub fn drop_if_broken(&mut self, assumption: Assumption) {
        let standing = self.all.entry(assumption).or_default();
        if let Some(violation) = standing.tell(assumption) {
            self.broken -= usize::from(standing.relied);
            (standing.violation, standing.dropped, standing.relied) = (None, true, false);
            self.turns += 1;
            self.violations.push(violation);
        }
    }

    /// What was dropped because it was wrong.
    pub fn violations(&self) -> &[BrokenAssumption] {
        &self.violations
    }

    /// What somebody would want to know to be wrong: whatever was relied on or claimed.
    pub fn refuted(&self) -> Vec<BrokenAssumption> {
        let dropped = self.violations.iter().cloned();
        let standing = self
            .all
            .iter()
            .filter_map(|(&assumption, standing)| standing.tell(assumption));
        let mut refuted: Vec<BrokenAssumption> = dropped
            .chain(standing)
            .filter(|violation| violation.relied || self.is_claimed(violation.assumption))
            .collect();
        refuted.sort_by_key(|violation| violation.assumption);
        refuted
    }

    /// What was relied on and held, in order.
    pub fn relied(&self) -> Vec<Assumption> {
        let relied = self
            .all
            .iter()
            .filter(|(_, standing)| standing.relied && standing.violation.is_none());
        let mut relied: Vec<Assumption> = relied.map(|(&assumption, _)| assumption).collect();
        relied.sort_unstable();
        relied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AssumptionKind;

    const LOCATION: Location = Location { object: 7, cell: 0 };

    static LOCKED: AssumptionKind = AssumptionKind::new("locked", 0, |_, of| of.to_owned());
    static FINAL: AssumptionKind = AssumptionKind::new("final", 1, |_, of| of.to_owned());

    #[test]
    fn only_what_was_relied_on_or_claimed_is_told_to_be_wrong() {
        let [one, two, three] = [1, 2, 3].map(|class| LOCKED.of(class));
        let mut assumptions = Assumptions::default();
        assumptions.rely(one);
        assumptions.rely(three);
        assumptions.violate(one, ThreadId(1), LOCATION);
        assumptions.violate(two, ThreadId(2), LOCATION);
        assumptions.locate(|| Whereabouts {
            line: 12,
            ..Whereabouts::default()
        });
        assert_eq!((assumptions.is_broken(), assumptions.refine()), (true, true));
        let refuted = assumptions.refuted();
        let told: Vec<_> = refuted
            .iter()
            .map(|violation| (violation.assumption, violation.at.line))
            .collect();
        assert_eq!(told, [(one, 12)]);
        assert_eq!(
            [one, two, three].map(|assumption| assumptions.holds(assumption)),
            [false, false, true]
        );
    }

    #[test]
    fn a_claim_is_checked_and_nothing_else_is_guessed() {
        let [one, two] = [1, 2].map(|class| LOCKED.of(class));
        let mut assumptions = Assumptions::default();
        assumptions.claim(&LOCKED, [1]);
        assert_eq!(
            [one, two, FINAL.of(2)].map(|assumption| assumptions.holds(assumption)),
            [true, false, true]
        );
        assumptions.violate(one, ThreadId(0), LOCATION);
        assert!(!assumptions.refine(), "nothing rests on it");
        assumptions.leave_alone(2);
        assert!(!assumptions.holds(FINAL.of(2)));
        assert_eq!(assumptions.refuted().len(), 1);
    }
}
