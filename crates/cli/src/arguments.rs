//! The command line.

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// Proves multithreaded JVM programs right, or shows the interleaving that breaks them.
#[derive(Parser)]
#[command(name = "raddle", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  raddle run Hello.java          compile and run once, as `java` would\n  \
    raddle run -cp classes Main a  run class Main with the argument `a`\n  \
    raddle dump --ir Hello.java    show the code that Raddle runs"
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Run a program once, under one fixed and fair schedule, as `java` would
    Run(Run),
    /// Show what Raddle makes of a class
    Dump(Dump),
}

/// Where classes come from.
#[derive(Args)]
pub struct Classes {
    /// Folders and jars with classes, as for `java`; also -cp and -classpath
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    pub class_path: String,
    /// The JDK to use; else JAVA_HOME, `java` on the PATH, or the usual folders
    #[arg(long, value_name = "DIR")]
    pub jdk: Option<PathBuf>,
}

/// `raddle run`.
#[derive(Args)]
pub struct Run {
    /// Where classes come from.
    #[command(flatten)]
    pub classes: Classes,
    /// Set a system property
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub property: Vec<String>,
    /// The heap's size, after which comes OutOfMemoryError
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    pub heap: u64,
    /// Each thread's stack size, after which comes StackOverflowError
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = size)]
    pub stack: u64,
    /// A .java or .class file, a .jar, or the name of a class
    pub program: String,
    /// Arguments of the program
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// `raddle dump`.
#[derive(Args)]
pub struct Dump {
    /// Where classes come from.
    #[command(flatten)]
    pub classes: Classes,
    /// Show the three-address code that Raddle runs and analyses
    #[arg(long, required = true)]
    pub ir: bool,
    /// A class or a method: java.util.ArrayList, java.util.ArrayList.add, or a .java or .class file
    #[arg(value_name = "CLASS[.METHOD]")]
    pub what: String,
}

/// `-cp` and `-classpath`, which everybody knows from `java`, as the long option that they stand for. What follows the
/// program belongs to the program.
pub fn translate(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut translated: Vec<OsString> = Vec::new();
    let mut takes_value = false;
    let mut words = 0;
    for argument in arguments {
        let ours = words < 3;
        if ours && !takes_value && (argument == "-cp" || argument == "-classpath") {
            translated.push("--class-path".into());
            takes_value = true;
            continue;
        }
        let option = argument.to_string_lossy().starts_with('-');
        // The command's name, the subcommand and the program are the three words that are no options.
        if !takes_value && !option {
            words += 1;
        }
        takes_value = !takes_value
            && ours
            && ["--class-path", "--jdk", "--heap", "--stack", "-D"]
                .iter()
                .any(|name| argument == *name);
        translated.push(argument);
    }
    translated
}

/// A size in bytes: `64M`, `2G`, `512k`, `4096`.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match &*text[digits.len()..].to_ascii_lowercase() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err("give a size like 512k, 64M or 2G".to_owned()),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "give a size like 512k, 64M or 2G".to_owned())?;
    number
        .checked_mul(factor)
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "the size is out of range".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_path_options_of_java_are_understood_before_the_program_only() {
        let given = ["raddle", "run", "-cp", "a:b", "--jdk", "j", "Main", "-cp", "x"].map(OsString::from);
        let expected = ["raddle", "run", "--class-path", "a:b", "--jdk", "j", "Main", "-cp", "x"].map(OsString::from);
        assert_eq!(translate(given.into_iter()), expected);
    }

    #[test]
    fn sizes_have_units() {
        let cases = [
            ("4096", Some(4096)),
            ("512k", Some(524_288)),
            ("2G", Some(2 << 30)),
            ("x", None),
            ("0", None),
        ];
        for (text, expected) in cases {
            assert_eq!(size(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
