//! The methods that have their effect at once.

use crate::Failure;
use crate::certificate::{self, Certificate};
use crate::certify::THREADS;
use crate::jdk_operations::Group;
use crate::options::LibraryMode;
use machine::Operations;
use program::jdk::Jdk;
use std::path::Path;
use std::sync::Arc;

/// What may help a search inside of the library that does not end.
pub const SUGGESTION: &str = "--library operations explores far less, where the program uses java.util.concurrent";

/// How many are named in a report.
const NAMED: usize = 4;

/// What takes effect at once.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The table.
    pub table: Arc<Operations>,
    /// The groups of the library that are in it, with their certificates.
    certified: Vec<(Group, Certificate)>,
}

impl Known {
    /// What a verdict rests on, if steps were in these, which were proved to take effect at once.
    pub fn certified_line(&self, used: &[String]) -> Option<String> {
        let what = match used.len() {
            0 => return None,
            1 => format!("{} takes", used[0]),
            many => format!("{many} operations of the library take"),
        };
        let groups = self.certified.iter().filter(|(group, _)| group.has_any(used));
        let (all, walked) = groups.fold((0, 0), |(all, walked), (_, one)| {
            (all + one.scenarios + one.walked, walked + one.walked)
        });
        let walks = match walked {
            0 => String::new(),
            _ => format!(", {walked} of {all} scenarios by random walks"),
        };
        Some(format!(
            "{what} effect at once (certified for up to {THREADS} threads on this JDK{walks}; --library whole explores inside)"
        ))
    }
}

/// What a verdict rests on, if steps were in these, of which the user says that they take effect at once.
pub fn assumed_line(used: &[String]) -> Option<String> {
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

/// Those of the library, if they are wanted, by the certificates that are built in and those of a file; and those that these patterns name.
pub fn read(mode: LibraryMode, jdk: &Jdk, file: Option<&Path>, patterns: &[String]) -> Result<Known, Failure> {
    let mut certificates = file.map(certificate::load).transpose()?.unwrap_or_default();
    if let Some(file) = file
        && certificates.is_empty()
    {
        return Err(Failure::input(format!(
            "{} has no certificates: raddle certify --out makes such a file",
            file.display()
        )));
    }
    certificates.extend(certificate::built_in(jdk.feature()));
    let certified = match mode {
        LibraryMode::Operations => certificate::certified(jdk, &certificates),
        LibraryMode::Whole => Vec::new(),
    };
    let mut operations = certificate::operations(certified.iter().map(|(group, _)| group));
    for pattern in patterns {
        operations.assume(pattern).map_err(|wrong| {
            Failure::Input(format!(
                "`{wrong}` names no method: --operation takes Class.method, with or without the package, and * for any part of a name"
            ))
        })?;
    }
    Ok(Known {
        table: Arc::new(operations),
        certified,
    })
}
