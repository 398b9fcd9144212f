//! The methods that the user takes to have their effect at once.

use crate::Failure;
use machine::Operations;
use std::sync::Arc;

/// How many are named in a report.
const NAMED: usize = 4;

/// What a verdict rests on, if steps were in these.
pub fn line(used: &[String]) -> Option<String> {
    let names = match used {
        [] => return None,
        few if few.len() <= NAMED => few.join(", "),
        many => format!("{}, … ({} in all)", many[..NAMED].join(", "), many.len()),
    };
    Some(format!(
        "these take effect at once, as --operation says; nobody has proved it: {names}"
    ))
}

/// Patterns that name none of the methods that were taken at once.
pub fn idle(patterns: &[String], used: &[String]) -> Vec<String> {
    let idle = patterns.iter().filter(|pattern| !Operations::names(pattern, used));
    idle.map(|pattern| format!("--operation {pattern}: no method of that name was called by several threads"))
        .collect()
}

/// The methods that these patterns name.
pub fn read(patterns: &[String]) -> Result<Arc<Operations>, Failure> {
    let operations = Operations::new(patterns.iter().map(String::as_str)).map_err(|wrong| {
        Failure::Input(format!(
            "`{wrong}` names no method: --operation takes Class.method, with or without the package, and * for any part of a name"
        ))
    })?;
    Ok(Arc::new(operations))
}
