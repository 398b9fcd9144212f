//! The way in: options to a search, a search to its outcome.
//!
//! Steps of the system and what a reduction leaves out may rest on assumptions. Both are asked whether one turned out to be wrong, and it is
//! dropped here and nowhere else: the search starts over without it. If it was the system's, its steps are others now, and what the
//! reduction has learned is forgotten; if it was the reduction's, the system is the same.

use crate::context::Context;
use crate::expand::Explorer;
use crate::random_walk::{self, RandomWalks};
use crate::{Conflict, Ending, Observer, Options, Order, Outcome, Walked, Why, breadth, depth, random};
use kernel::{Reduction, System};
use std::time::{Duration, Instant};
use store::StateTable;

/// Searches a system from `state`, which is its initial one and is again afterwards, trying as little as the reduction, if
/// there is one, lets it. `visited` is empty. If the system or the reduction rests on something that is wrong, it is refined and
/// the search starts over, with the time that is left. A violation that is met on a walk in between is as good as one from the
/// search.
pub fn explore<S: System, V: StateTable + ?Sized>(
    system: &S,
    state: &mut S::State,
    visited: &mut V,
    options: &Options,
    reduction: Option<&mut dyn Reduction<S>>,
    observer: &mut dyn Observer,
) -> Result<Outcome<S::Action>, Conflict> {
    options.check()?;
    if let Some(reduction) = &reduction {
        options.check_reduced(false)?;
        if options.preemptions.is_some() && !reduction.keeps_preemptions() {
            return Err(Conflict::BoundReduced);
        }
    }
    let attempts = Attempts {
        system,
        visited,
        options,
        reduction,
        observer,
        begun: Instant::now(),
        of_system: 0,
        of_reduction: 0,
        walked: Walked::default(),
        patience: random_walk::LONGEST,
    };
    Ok(attempts.run(state))
}

/// A search, as often as it takes.
struct Attempts<'a, 'r, 'o, S: System, V: ?Sized> {
    system: &'a S,
    visited: &'a mut V,
    options: &'a Options,
    reduction: Option<&'r mut dyn Reduction<S>>,
    observer: &'o mut dyn Observer,
    begun: Instant,
    /// How often it started over because of the system, and since then because of the reduction.
    of_system: u32,
    of_reduction: u32,
    /// How much was walked for the reduction as it is, and how much longer all these walks may take.
    walked: Walked,
    patience: Duration,
}

impl<S: System, V: StateTable + ?Sized> Attempts<'_, '_, '_, S, V> {
    fn run(mut self, state: &mut S::State) -> Outcome<S::Action> {
        let mut met = self.walk_first(state);
        loop {
            let outcome = met.unwrap_or_else(|| self.search(state));
            let refined = match () {
                () if is_over(&outcome.ending) => return self.tell(outcome),
                // What was found is found, but what was not may be there.
                () if self.options.beside && self.system.is_broken() => return self.tell(stopped(Why::Broken)),
                // SOUNDNESS: the system comes first, since what the reduction relies on is about its steps.
                () if self.system.is_broken() => self.refine_system(state),
                () if self.is_reduction_broken() => self.refine_reduction(state, outcome.figures.transitions),
                () => return self.tell(outcome),
            };
            met = match refined {
                Ok(met) => met,
                Err(why) => return self.tell(stopped(why)),
            };
        }
    }

    /// One search.
    fn search(&mut self, state: &mut S::State) -> Outcome<S::Action> {
        let left = Options {
            time: self.time_left(),
            ..self.options.clone()
        };
        let context = Context::new(self.system, &*self.visited, &left);
        let reduction = self
            .reduction
            .as_mut()
            .map(|reduction| &mut **reduction as &mut dyn Reduction<S>);
        let mut explorer = Explorer::new(&context, reduction, &mut *self.observer)
            .noticing_endless()
            .asking();
        match left.order {
            Order::Depth => depth::search(&mut explorer, state),
            Order::Breadth => breadth::search(&mut explorer, state),
            Order::Random => random::search(&mut explorer, state),
        }
        explorer.finish()
    }

    /// Makes the system do without what is wrong, with a reduction that has learned nothing. A violation, if a walk meets one.
    fn refine_system(&mut self, state: &mut S::State) -> Result<Option<Outcome<S::Action>>, Why> {
        self.visited.clear();
        if !self.system.refine(state).map_err(Why::Unsupported)? {
            return Err(Why::Broken);
        }
        if let Some(reduction) = &mut self.reduction {
            reduction.renew();
        }
        (self.of_system, self.of_reduction) = (self.of_system + 1, 0);
        (self.walked, self.patience) = (Walked::default(), random_walk::LONGEST);
        Ok(self.walk_first(state))
    }

    /// Makes the reduction do without what is wrong, and what walks of about so many steps show to be. A violation, if a walk meets one.
    fn refine_reduction(&mut self, state: &mut S::State, steps: u64) -> Result<Option<Outcome<S::Action>>, Why> {
        self.visited.clear();
        let seed = u64::from(self.of_reduction) + 1;
        let (refined, met) = self.test(state, seed, steps, false);
        if met.is_none() && !refined {
            return Err(Why::Broken);
        }
        self.of_reduction += u32::from(met.is_none());
        Ok(met)
    }

    /// Walks before a search with a new reduction.
    fn walk_first(&mut self, state: &mut S::State) -> Option<Outcome<S::Action>> {
        match self.options.trial {
            0 => None,
            steps => self.test(state, 0, steps, true).1,
        }
    }

    /// Puts what the reduction relies on to the test, on walks of so many steps, and then takes others if a violation is all that is wanted. Whether
    /// something was wrong, and a violation if one was met.
    fn test(
        &mut self,
        state: &mut S::State,
        seed: u64,
        steps: u64,
        by_priority: bool,
    ) -> (bool, Option<Outcome<S::Action>>) {
        let time = self.time_left().map_or(self.patience, |left| left.min(self.patience));
        let Some(reduction) = &mut self.reduction else {
            return (false, None);
        };
        let seed = self.options.seed.wrapping_add(seed);
        let mut walks = RandomWalks::new(self.system, self.options, seed, time, &mut *self.observer);
        let refined = walks.test(state, &mut **reduction, steps);
        if by_priority {
            walks.walk_by_priority(state);
        }
        self.walked = self.walked.and(walks.walked());
        self.patience = self.patience.saturating_sub(walks.elapsed());
        (refined, walks.finish())
    }

    fn is_reduction_broken(&self) -> bool {
        self.reduction.as_ref().is_some_and(|reduction| reduction.is_broken())
    }

    fn time_left(&self) -> Option<Duration> {
        let most = self.options.time?;
        Some(most.saturating_sub(self.begun.elapsed()))
    }

    /// An outcome with what it took to get there.
    fn tell(&self, mut outcome: Outcome<S::Action>) -> Outcome<S::Action> {
        outcome.figures.elapsed = self.begun.elapsed();
        outcome.restarts = self.of_system + self.of_reduction;
        outcome.walked = self.walked;
        outcome
    }
}

/// Whether there is no use in starting over: a limit is a limit, and a violation is one whatever the search rests on.
fn is_over(ending: &Ending) -> bool {
    match ending {
        Ending::Complete => false,
        Ending::Stopped(why) => !matches!(why, Why::Inexact | Why::Preemptions | Why::Unsupported(_) | Why::Broken),
    }
}

/// What there is to say if there is no way to go on.
fn stopped<A>(why: Why) -> Outcome<A> {
    Outcome {
        ending: Ending::Stopped(why),
        ..Outcome::default()
    }
}
