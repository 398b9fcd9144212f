//! `raddle run`.

use crate::Failure;
use crate::arguments::Run;
use crate::console::Host;
use crate::target;
use library::{HostFiles, Library};
use machine::{End, LaunchError, Limits, Machine, Shared, StartError};
use program::world::{LoadError, Program};
use std::collections::BTreeMap;

/// Runs a program once. The answer is its exit status.
pub fn run(options: &Run) -> Result<u8, Failure> {
    let target = target::resolve(&options.classes, &options.program)?;
    let entries: Vec<_> = target.class_path.entries().map(|path| path.to_path_buf()).collect();
    let files = HostFiles::new(
        target.jdk.home(),
        target.jdk.version(),
        target.jdk.feature().into(),
        &target.class_path_text,
        &entries,
    );
    let program = Program::new(target.jdk.image().clone(), target.class_path)
        .map_err(|error| Failure::unknown(format!("no memory for the tables of classes: {error}")))?;
    let library = Library::new();
    let words = |bytes: u64| u32::try_from(bytes / 4).ok();
    let too_large = || Failure::input("--heap and --stack must stay below 4 GiB together");
    let limits = Limits {
        heap_words: words(options.heap)
            .filter(|&words| words <= 1 << 30)
            .ok_or_else(too_large)?,
        stack_words: words(options.stack)
            .filter(|&words| words <= 1 << 18)
            .ok_or_else(too_large)?
            .max(1 << 13),
    };
    let mut properties = BTreeMap::new();
    for property in &options.property {
        let (name, value) = property.split_once('=').unwrap_or((property, ""));
        properties.insert(name.to_owned(), value.to_owned());
    }
    let shared = Shared::new(&program, &library, &files, limits, properties);
    let mut machine = Machine::new(&shared, Box::<Host>::default()).map_err(start_failure)?;
    machine.boot().map_err(start_failure)?;
    machine
        .launch(&target.main_class, &options.arguments)
        .map_err(|error| match error {
            LaunchError::Start(error) => start_failure(error),
            LaunchError::Class(_, error @ LoadError::NotFound(_)) => Failure::input(format!(
                "{error} on the class path ({}); check its name, and name its folder or jar with -cp",
                target.class_path_text
            )),
            other => Failure::input(other.to_string()),
        })?;
    match machine.run() {
        End::Exit(status) => Ok(status as u8),
        End::Unsupported(what) => Err(Failure::unknown(what.to_string())),
        End::Stuck(threads) => Err(Failure::unknown(format!(
            "deadlock: no thread can ever go on\n  {}",
            threads.join("\n  ")
        ))),
        End::OutOfTurns | End::Done(_) | End::Failed(_) => Ok(0),
    }
}

fn start_failure(error: StartError) -> Failure {
    Failure::unknown(error.to_string())
}
