//! What is assumed about a program without proof, and checked while it is explored.
//!
//! A guess that was relied on and is broken makes the search start over without it. One that is broken and was never relied on
//! does no harm. SOUNDNESS: the search that goes on after a guess broke is not trusted; but it visits real states only, so what it
//! finds is found.
//!
//! SOUNDNESS: what is checked is what footprints say. A step that may access more than its footprint names, which is a native method
//! that nobody has described, may be against every guess: where one can be taken, nothing is guessed any more.

use crate::mixer::Mixer;
use kernel::{Place, ThreadId, Whereabouts};
use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;

/// Something assumed about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guess {
    /// Objects of this class, once shared, are only accessed by threads that have locked them.
    SelfLocking(u32),
    /// Locks that name their owner are given up by the owner only.
    Owners,
    /// Final fields of this class are not written after their object is shared.
    Final(u32),
    /// Each shared place of this variable ([`kernel::View::variable_of`]) is accessed under one lock, by one thread, as the user's rule
    /// has it, or only read.
    Exclusive(u32, u32),
    /// The same, and to know the locks is enough: if one was held at the first access, one is at all.
    Locked(u32, u32),
    /// Locks that name their owner are in his hands ([`kernel::Tenure`]).
    Named,
    /// One thread only looks at the clock, and waits with a time limit.
    Clock,
    /// This field of an object of this class that stands for a thread is, once shared, accessed by that thread only.
    Own(u32, u32),
    /// This place of an object of this class, which was there before the first step, is not written any more.
    Settled(u32, u32, u32),
}

impl Guess {
    /// The class that it is about; 0 for none.
    pub fn class(self) -> u32 {
        match self {
            Guess::Owners | Guess::Named | Guess::Clock => 0,
            Guess::SelfLocking(class)
            | Guess::Locked(class, ..)
            | Guess::Final(class)
            | Guess::Exclusive(class, ..)
            | Guess::Own(class, ..)
            | Guess::Settled(class, ..) => class,
        }
    }
}

/// Who broke a guess: the thread that was about to access a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// What was guessed.
    pub guess: Guess,
    /// Who was about to break it.
    pub thread: ThreadId,
    /// What it was about to access.
    pub place: Place,
    /// Where in the code it was.
    pub at: Whereabouts,
    /// Whether anything rested on the guess.
    pub relied: bool,
    /// The locks that it had, and another access with which these do not go together, where that is known.
    pub with: Option<Box<(Vec<String>, Sight)>>,
}

/// An access that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Who and where.
    pub at: Whereabouts,
    /// Which locks the thread had, in words.
    pub locks: Vec<String>,
}

/// What was found to be against the hypotheses that are no guess about a single place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Two threads have exclusive access to one place, of this name.
    Disputed(String, Whereabouts, Whereabouts),
    /// The first takes from the second its exclusive access to a place of this name.
    Expelled(String, Whereabouts, Whereabouts),
    /// A thread goes round by invisible steps.
    Endless(Whereabouts),
}

#[derive(Clone, Debug, Default)]
struct Standing {
    dropped: bool,
    relied: bool,
    breach: Option<(ThreadId, Place)>,
    at: Whereabouts,
    with: Option<Box<(Vec<String>, Sight)>>,
}

impl Standing {
    fn tell(&self, guess: Guess) -> Option<Breach> {
        let (thread, place) = self.breach?;
        Some(Breach {
            guess,
            thread,
            place,
            at: self.at.clone(),
            relied: self.relied,
            with: self.with.clone(),
        })
    }
}

/// All guesses, each as it stands.
#[derive(Clone, Debug, Default)]
pub struct Guesses {
    all: HashMap<Guess, Standing, BuildHasherDefault<Mixer>>,
    broken: usize,
    turns: u64,
    breaches: Vec<Breach>,
    /// Breaches of which it is not known yet where they are.
    fresh: Vec<Guess>,
    /// The only classes of which it is guessed that they are self-locking, if somebody has named them.
    claimed: Option<BTreeSet<u32>>,
    /// Classes about which nothing is guessed.
    left_alone: BTreeSet<u32>,
    /// Whether nothing at all is guessed any more.
    given_up: bool,
    doubts: Vec<Doubt>,
}

impl Guesses {
    /// Whether a guess is still made.
    pub fn holds(&self, guess: Guess) -> bool {
        let is_made = match (guess, &self.claimed) {
            (Guess::SelfLocking(class), Some(claimed)) => claimed.contains(&class),
            _ => true,
        };
        is_made
            && !self.given_up
            && !self.left_alone.contains(&guess.class())
            && self.all.get(&guess).is_none_or(|standing| !standing.dropped)
    }

    /// Whether a guess is still made and was not broken so far.
    pub fn stands(&self, guess: Guess) -> bool {
        self.holds(guess) && self.all.get(&guess).is_none_or(|standing| standing.breach.is_none())
    }

    /// How often a guess was broken or dropped.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Guesses of these classes, and of no others, that they are self-locking.
    pub fn claim_self_locking(&mut self, classes: impl IntoIterator<Item = u32>) {
        self.claimed.get_or_insert_default().extend(classes);
    }

    /// Guesses nothing about a class.
    pub fn leave_alone(&mut self, class: u32) {
        self.left_alone.insert(class);
    }

    /// Whether somebody has said so, instead of us guessing.
    pub fn is_claimed(&self, guess: Guess) -> bool {
        matches!((guess, &self.claimed), (Guess::SelfLocking(class), Some(claimed)) if claimed.contains(&class))
    }

    /// Something rests on a guess.
    pub fn rely(&mut self, guess: Guess) {
        let standing = self.all.entry(guess).or_default();
        if !standing.relied {
            standing.relied = true;
            self.broken += usize::from(standing.breach.is_some());
        }
    }

    /// Rests something on a guess, if it is still made; whether it is.
    pub fn try_rely(&mut self, guess: Guess) -> bool {
        let holds = self.holds(guess);
        if holds {
            self.rely(guess);
        }
        holds
    }

    /// A guess turns out to be wrong.
    pub fn breach(&mut self, guess: Guess, thread: ThreadId, place: Place) -> bool {
        let standing = self.all.entry(guess).or_default();
        if standing.breach.is_some() || standing.dropped {
            return false;
        }
        standing.breach = Some((thread, place));
        self.turns += 1;
        self.fresh.push(guess);
        self.broken += usize::from(standing.relied);
        true
    }

    /// The same, with the locks that the thread has and an access that does not go together with this one.
    pub fn breach_with(&mut self, guess: Guess, thread: ThreadId, place: Place, locks: Vec<String>, other: Sight) {
        if self.breach(guess, thread, place)
            && let Some(standing) = self.all.get_mut(&guess)
        {
            standing.with = Some(Box::new((locks, other)));
        }
    }

    /// Remembers something that is against a hypothesis, the first of its kind about a place.
    pub(crate) fn doubt(&mut self, doubt: Doubt) {
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

    /// Whatever was guessed may be wrong, for all that is known.
    pub fn breach_all(&mut self, thread: ThreadId) {
        if std::mem::replace(&mut self.given_up, true) {
            return;
        }
        self.turns += 1;
        let all: Vec<Guess> = self.all.keys().copied().collect();
        for guess in all {
            self.breach(guess, thread, Place::EVERYTHING);
        }
    }

    /// Completes the latest breaches by where in the code they are.
    pub(crate) fn locate(&mut self, whereabouts: impl FnOnce() -> Whereabouts) {
        if self.fresh.is_empty() {
            return;
        }
        let at = whereabouts();
        for guess in self.fresh.drain(..) {
            if let Some(standing) = self.all.get_mut(&guess) {
                standing.at = at.clone();
            }
        }
    }

    /// The variables about which less is guessed than at first, each with whether that is nothing at all.
    pub(crate) fn reconsidered(&self) -> impl Iterator<Item = ((u32, u32), bool)> {
        let dropped = self.all.iter().filter(|(_, standing)| standing.dropped);
        dropped.filter_map(|(guess, _)| match *guess {
            Guess::Exclusive(of, cell) => Some(((of, cell), true)),
            Guess::Locked(of, cell) => Some(((of, cell), false)),
            _ => None,
        })
    }

    /// Whether something rests on a guess that is wrong.
    pub fn is_broken(&self) -> bool {
        self.broken > 0
    }

    /// Gets ready for another attempt, without the guesses that are wrong; whether anything rested on them.
    pub fn mend(&mut self) -> bool {
        let broken = std::mem::take(&mut self.broken) > 0;
        self.turns += 1;
        self.fresh.clear();
        if broken {
            for (&guess, standing) in &mut self.all {
                if let Some(breach) = standing.tell(guess) {
                    standing.breach = None;
                    standing.dropped = true;
                    self.breaches.push(breach);
                }
                standing.relied = false;
            }
            self.breaches.sort_by_key(|breach| breach.guess);
        }
        broken
    }

    /// What was dropped because it was wrong.
    pub fn breaches(&self) -> &[Breach] {
        &self.breaches
    }

    /// What somebody would want to know to be wrong: whatever was relied on or claimed.
    pub fn refuted(&self) -> Vec<Breach> {
        let dropped = self.breaches.iter().cloned();
        let standing = self.all.iter().filter_map(|(&guess, standing)| standing.tell(guess));
        let mut refuted: Vec<Breach> = dropped
            .chain(standing)
            .filter(|breach| breach.relied || self.is_claimed(breach.guess))
            .collect();
        refuted.sort_by_key(|breach| breach.guess);
        refuted
    }

    /// What was relied on and held, in order.
    pub fn relied(&self) -> Vec<Guess> {
        let relied = self
            .all
            .iter()
            .filter(|(_, standing)| standing.relied && standing.breach.is_none());
        let mut relied: Vec<Guess> = relied.map(|(&guess, _)| guess).collect();
        relied.sort_unstable();
        relied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { object: 7, cell: 0 };

    #[test]
    fn only_what_was_relied_on_or_claimed_is_told_to_be_wrong() {
        let [one, two, three] = [1, 2, 3].map(Guess::SelfLocking);
        let mut guesses = Guesses::default();
        guesses.rely(one);
        guesses.rely(three);
        guesses.breach(one, ThreadId(1), PLACE);
        guesses.breach(two, ThreadId(2), PLACE);
        guesses.locate(|| Whereabouts {
            line: 12,
            ..Whereabouts::default()
        });
        assert_eq!((guesses.is_broken(), guesses.mend()), (true, true));
        let refuted = guesses.refuted();
        let told: Vec<_> = refuted.iter().map(|breach| (breach.guess, breach.at.line)).collect();
        assert_eq!(told, [(one, 12)]);
        assert_eq!(
            [one, two, three].map(|guess| guesses.holds(guess)),
            [false, false, true]
        );
    }

    #[test]
    fn a_claim_is_checked_and_nothing_else_is_guessed() {
        let [one, two] = [1, 2].map(Guess::SelfLocking);
        let mut guesses = Guesses::default();
        guesses.claim_self_locking([1]);
        assert_eq!(
            [one, two, Guess::Final(2)].map(|guess| guesses.holds(guess)),
            [true, false, true]
        );
        guesses.breach(one, ThreadId(0), PLACE);
        assert!(!guesses.mend(), "nothing rests on it");
        guesses.leave_alone(2);
        assert!(!guesses.holds(Guess::Final(2)));
        assert_eq!(guesses.refuted().len(), 1);
    }
}
