//! A program run once, under one fixed and fair schedule.

use crate::observer::Observer;
use crate::options::Subject;
use crate::{Failure, target, world};
use library::Library;
use machine::{Console, End, Machine};
use program::input::quoted;

/// Runs a program once, with these standard streams. The answer is its exit status.
pub fn run(subject: &Subject, console: Box<dyn Console>, observer: &mut dyn Observer) -> Result<u8, Failure> {
    let target = target::resolve(&subject.classes, &subject.program, None, observer)?;
    let class_path = target.class_path_text.clone();
    world::with_shared(target, &Library::new(), subject, |shared, main_class| {
        let mut machine = Machine::new(shared, console).map_err(world::start_failure)?;
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
