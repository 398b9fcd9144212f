//! `raddle run`.

use crate::arguments::Run;
use crate::console::Host;
use crate::{Failure, target, world};
use library::Library;
use machine::{End, Machine};
use program::input::quoted;

/// Runs a program once. The answer is its exit status.
pub fn run(options: &Run) -> Result<u8, Failure> {
    let subject = &options.subject;
    let target = target::resolve(&subject.classes, &subject.program, None)?;
    let class_path = target.class_path_text.clone();
    world::with_shared(target, &Library::new(), subject, |shared, main_class| {
        let mut machine = Machine::new(shared, Box::<Host>::default()).map_err(world::start_failure)?;
        machine.boot().map_err(world::start_failure)?;
        machine
            .launch(main_class, &subject.arguments)
            .map_err(|error| world::launch_failure(error, &class_path))?;
        match machine.run() {
            End::Exit(status) => Ok(status as u8),
            End::Unsupported(what) => Err(Failure::unknown(quoted(what.to_string()).to_string())),
            End::Stuck(threads) => {
                let threads: Vec<String> = threads.into_iter().map(|thread| quoted(thread).to_string()).collect();
                Err(Failure::unknown(format!(
                    "deadlock: no thread can ever go on\n  {}",
                    threads.join("\n  ")
                )))
            }
            End::OutOfTurns | End::Done(_) | End::Failed(_) => Ok(0),
        }
    })
}
