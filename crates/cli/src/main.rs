//! The `raddle` command: flags to parts, exit codes.

mod analyze;
mod arguments;
mod assumptions;
mod budget;
mod check;
mod compare;
mod consistency;
mod console;
mod discipline;
mod dump;
mod growth;
mod large_pages;
mod list;
mod narrate;
mod oracle;
mod progress;
mod publish;
mod remarks;
mod replay;
mod run;
mod sources;
mod subject;
mod target;
mod verdict;
mod verify;
mod watchdog;
mod world;

use arguments::Command;
use program::input::quoted;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: large_pages::LargePages = large_pages::LargePages;

/// What can go wrong before or besides the program under test: a message, and the status to exit with.
pub struct Failure {
    status: u8,
    message: String,
}

impl Failure {
    /// Wrong usage or wrong input.
    pub fn input(message: impl Into<String>) -> Failure {
        Failure {
            status: 2,
            message: message.into(),
        }
    }

    /// Something that Raddle does not do.
    pub fn unknown(message: impl Into<String>) -> Failure {
        Failure {
            status: 3,
            message: message.into(),
        }
    }
}

/// What somebody meant who names a program and no command.
fn missing_command() -> Option<String> {
    let program = std::env::args_os().nth(1)?.to_string_lossy().into_owned();
    arguments::names_program_file(&program)
        .then(|| format!("raddle: to check a program, type: raddle check {}\n", quoted(&program)))
}

/// Arguments that a terminal might obey, such as file names that a pattern of the shell has found.
fn steering() -> impl Iterator<Item = String> {
    let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    arguments.filter(|argument| argument.contains(char::is_control))
}

/// A message with such arguments quoted, so that none adds a line to it.
fn harmless(message: String) -> String {
    steering().fold(message, |message, argument| {
        message.replace(&argument, &quoted(&argument).to_string())
    })
}

fn main() -> ExitCode {
    if let Some(hint) = missing_command() {
        publish::complain(&hint);
        return ExitCode::from(2);
    }
    watchdog::listen();
    let result = arguments::read().and_then(|arguments| match &arguments.command {
        Command::Check(check) => check::check(check),
        Command::Compare(compare) => compare::compare(compare),
        Command::Replay(replay) => replay::replay(replay),
        Command::List => list::list(),
        Command::Run(run) => run::run(run),
        Command::Analyze(analyze) => analyze::analyze(analyze),
        Command::Dump(dump) => dump::dump(dump),
        Command::Oracle(oracle) => oracle::oracle(oracle),
    });
    if result.is_err() {
        watchdog::give_up();
    }
    watchdog::speak();
    match result {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            publish::complain(&format!("raddle: {}\n", harmless(failure.message)));
            ExitCode::from(failure.status)
        }
    }
}
