//! How the machine goes step by step for a combination of reductions.

use machine::StepSemantics;
use reduction::{Combination, Part};

/// How the machine goes step by step for a combination of reductions.
pub fn semantics(combination: &Combination) -> StepSemantics {
    StepSemantics {
        every: combination.has(Part::None),
        solo: !combination.has(Part::None),
        names_threads: combination.has(Part::None),
        reduced: !combination.is_full(),
        escapes: [
            Part::Escape,
            Part::SelfLock,
            Part::Lockset,
            Part::Final,
            Part::Own,
            Part::Optimistic,
        ]
        .into_iter()
        .any(|part| combination.has(part)),
        locksets: combination.has(Part::Lockset) || combination.has(Part::Optimistic),
        finals_apart: combination.has(Part::Final) || combination.has(Part::Optimistic),
        proofs: combination.has(Part::EscapeStatic),
        runs_through_proved: combination.has(Part::EscapeStatic) && combination.has(Part::Atomic),
        runs_through: combination.has(Part::Escape) && combination.has(Part::Atomic)
            || combination.has(Part::Optimistic),
        ..StepSemantics::default()
    }
}
