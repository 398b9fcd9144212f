//! The `raddle` command: arguments, printing, progress, signals and exit codes. What is checked and how is up to `driver`.

mod analyze;
mod arguments;
mod certify;
mod check;
mod compare;
mod console;
mod dump;
mod large_pages;
mod linearize;
mod list;
mod options;
mod oracle;
mod outputs;
mod progress;
mod publish;
mod replay;
mod run;
mod watchdog;

use arguments::Command;
use driver::Failure;
use program::input::quoted;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: large_pages::LargePages = large_pages::LargePages;

/// The status to exit with.
fn status(failure: &Failure) -> u8 {
    match failure {
        Failure::Input(_) => 2,
        Failure::Unknown(_) => 3,
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
        Command::Linearize(linearize) => linearize::linearize(linearize),
        Command::Certify(certify) => certify::certify(certify),
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
            publish::complain(&format!("raddle: {}\n", harmless(failure.to_string())));
            ExitCode::from(status(&failure))
        }
    }
}
