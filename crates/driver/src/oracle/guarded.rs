//! Models on which strategies disagree, made smaller and written down.

use super::{compared, is_spurious, strategies};
use crate::Failure;
use crate::options::Oracle;
use model::syntax::Program;
use oracle::compare::{Judgement, judge};
use oracle::models::{Guarded, RULES, shrinks};
use oracle::shrink::shrink;

/// A model as something to be searched. In some, threads wake up for no reason; in some, every statement is a step whatever the
/// strategy; to some, `optimistic` has a rule.
pub fn case(program: &Program, seed: u64) -> Result<Guarded, Failure> {
    let mut made = Guarded::new(program, is_spurious(seed), seed % 4 == 2).map_err(Failure::unknown)?;
    if let Some(rule) = rule(seed) {
        made.set_rule(rule);
    }
    Ok(made)
}

/// The rule for the model of a seed: there is one for two in three.
fn rule(seed: u64) -> Option<&'static str> {
    let number = seed as usize % (RULES.len() * 3 / 2);
    RULES.get(number).copied()
}

/// The smallest model that the one of a seed shrinks to, as a file, and who says what about it.
pub fn smallest(options: &Oracle, seed: u64) -> Result<String, Failure> {
    let strategies = strategies::for_models(options, seed);
    let disagrees = |program: &Program| match judge(&mut case(program, seed).ok()?, &strategies) {
        Ok(Judgement::Disagree(differences)) => Some(differences),
        _ => None,
    };
    let program = shrink(model::random(seed), shrinks, |candidates| {
        candidates.iter().position(|candidate| disagrees(candidate).is_some())
    });
    // Positions are those of the text that is printed.
    let source = program.to_string();
    let program = model::parse(&source).map_err(|error| Failure::unknown(error.show("model", &source)))?;
    let mut text = String::new();
    if is_spurious(seed) {
        text.push_str("//@ options: --spurious\n");
    }
    if let Some(rule) = rule(seed) {
        text.push_str(&format!("// --discipline: {rule}\n"));
    }
    text.push_str(&source);
    for difference in disagrees(&program).unwrap_or_default() {
        text.push_str(&compared(&mut case(&program, seed)?, &strategies, &difference));
    }
    Ok(text)
}
