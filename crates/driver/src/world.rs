//! From a target to classes that machines can run.

use crate::options::Subject;
use crate::target::Target;
use crate::{Failure, budget, limits};
use library::{HostFiles, Library};
use machine::{LaunchError, Limits, Shared, StartError};
use program::input::quoted;
use program::world::{LoadError, Program};
use std::collections::BTreeMap;

/// The smallest stack on which the JDK's own code can be expected to run.
const LEAST_STACK: u64 = 32 << 10;

/// Calls `body` with what all machines on a program share, and the name of its main class.
pub fn with_shared<R>(
    target: Target,
    library: &Library,
    subject: &Subject,
    body: impl FnOnce(&Shared<'_>, &str) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let entries: Vec<_> = target.class_path.entries().map(|path| path.to_path_buf()).collect();
    let files = HostFiles::new(
        target.jdk.home(),
        target.jdk.version(),
        target.jdk.feature().into(),
        &target.class_path_text,
        &entries,
    )
    .with_absent(target.class_path.absent());
    let program = Program::new(target.jdk.image().clone(), target.class_path)
        .map_err(|error| Failure::unknown(format!("no memory for the tables of classes: {error}")))?;
    let words = |bytes: u64| u32::try_from(bytes / 4).ok();
    let too_large = || Failure::input("--heap must stay below 4G and --stack at or below 1M");
    if subject.stack < LEAST_STACK {
        return Err(Failure::input("--stack must be 32k at least"));
    }
    let sizes = Limits {
        heap_words: words(subject.heap)
            .filter(|&words| words <= 1 << 30)
            .ok_or_else(too_large)?,
        stack_words: words(subject.stack)
            .filter(|&words| words <= 1 << 18)
            .ok_or_else(too_large)?,
    };
    let mut properties = BTreeMap::new();
    for property in &subject.define {
        let (name, value) = property.split_once('=').unwrap_or((property, ""));
        properties.insert(name.to_owned(), value.to_owned());
    }
    let mut shared = Shared::new(&program, library, &files, sizes, properties);
    shared.room = budget::has_room_to_spare;
    shared.stopped = limits::is_over;
    body(&shared, &target.main_class)
}

/// What to say of a program that cannot be started.
pub fn launch_failure(error: LaunchError, class_path: &str) -> Failure {
    match error {
        LaunchError::Start(error) => start_failure(error),
        LaunchError::Class(_, error @ LoadError::NotFound(_)) => Failure::input(format!(
            "{error} on the class path ({}); check its name, and name its folder or jar with -cp",
            quoted(class_path)
        )),
        other => Failure::input(quoted(other.to_string()).to_string()),
    }
}

/// What to say of a machine that cannot be started.
pub fn start_failure(error: StartError) -> Failure {
    match error {
        StartError::TooSmall(_) => Failure::input(error.to_string()),
        _ => Failure::unknown(error.to_string()),
    }
}
