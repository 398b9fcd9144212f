//! The command line.

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use driver::Failure;
use program::input::quoted;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Proves multithreaded JVM programs right, or shows the interleaving that breaks them.
#[derive(Parser)]
#[command(name = "raddle", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  raddle check Bank.java         explore every interleaving of Bank.main\n  \
    raddle check -cp classes Main  the same for a compiled class\n  \
    raddle run Hello.java          compile and run once, as `java` would\n\n\
    Exit status: 0 holds, 1 violated, 2 wrong usage or input, 3 unknown"
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Explore every thread interleaving of a program: it holds, or here is the one that breaks it
    Check(Box<Check>),
    /// Find out whether the methods of a class take effect at once, as far as a few threads with a few calls can tell
    Linearize(Box<Linearize>),
    /// Prove that operations of the JDK's library take effect at once, and write certificates
    Certify(Certify),
    /// Follow the schedule that `check --trace FILE` wrote, to the same violation
    Replay(Replay),
    /// Explore a program with several strategies, one after another, and show what each costs
    Compare(Box<Compare>),
    /// Name the reductions and the properties, with a line each
    List,
    /// Run a program once, under one fixed and fair schedule, as `java` would
    Run(Run),
    /// Say which objects of a program only one thread can ever reach, without running it
    Analyze(Analyze),
    /// Show what Raddle makes of a class
    Dump(Dump),
    /// Compare all ways to search on random programs: a test of Raddle itself
    #[command(hide = true)]
    Oracle(Oracle),
}

/// Where classes come from.
#[derive(Args, Clone)]
pub struct Classes {
    /// Folders and jars with classes, as for `java`; also -cp and -classpath
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    pub class_path: String,
    /// The JDK to use; else JAVA_HOME, `java` on the PATH, or the usual folders
    #[arg(long, value_name = "DIR")]
    pub jdk: Option<PathBuf>,
}

/// A program, and what it is told about the world.
#[derive(Args, Clone)]
pub struct Subject {
    /// Where classes come from.
    #[command(flatten)]
    pub classes: Classes,
    /// Set a system property
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// The heap's size
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    pub heap: u64,
    /// Each thread's stack size
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = size)]
    pub stack: u64,
    /// A .java or .class file, a .jar, or the name of a class; `check` and `compare` also take a model, a .rad file
    pub program: String,
    /// Arguments of the program; those that begin with - come after --
    #[arg(value_name = "ARGS")]
    pub arguments: Vec<String>,
    /// What stands after `--`: [`Subject::settle`] moves it to the other arguments.
    #[arg(last = true, hide = true)]
    pub verbatim: Vec<String>,
}

impl Subject {
    /// Takes what stands after `--` as it is, and refuses what stands before it and looks like a second program.
    fn settle(&mut self) -> Result<(), Failure> {
        if let Some(second) = self.arguments.iter().find(|word| names_program_file(word)) {
            return Err(Failure::input(format!(
                "{second} looks like a second program, and one is checked at a time\n\
                 if it is an argument of {0}, write: {0} -- {second}",
                self.program
            )));
        }
        self.arguments.append(&mut self.verbatim);
        Ok(())
    }
}

/// Whether a word is the name of a file that is a program.
pub fn names_program_file(word: &str) -> bool {
    [".java", ".class", ".jar", ".rad"]
        .iter()
        .any(|end| word.ends_with(end))
}

/// `raddle run`.
#[derive(Args)]
pub struct Run {
    /// What to run.
    #[command(flatten)]
    pub subject: Subject,
}

/// What `check` and `compare` explore, and how.
#[derive(Args, Clone)]
pub struct Exploring {
    /// What to check.
    #[command(flatten)]
    pub subject: Subject,
    /// Begin with this method instead of `main`: static, or of a fresh object; `test` or `Class.test`
    #[arg(long, value_name = "METHOD")]
    pub entry: Option<String>,
    /// Properties to check; `raddle list` names them [default: deadlock,exception,race,reachable]
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    pub property: Vec<String>,
    /// The order of the search
    #[arg(long, value_name = "ORDER", default_value = "dfs")]
    pub search: SearchOrder,
    /// How visited states are kept: all of each, 128 bits of each, or a few bits of each
    #[arg(long, value_name = "KIND", default_value = "exact")]
    pub store: StoreKind,
    /// Stop after this time: 60s, 5m, 1h; `compare` stops each strategy
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Stop before the process holds more memory than this: 8G [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    /// Stop after this many states
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub states: Option<u64>,
    /// Let waiting threads wake up and weak compare-and-set fail for no reason, as their specifications allow
    #[arg(long)]
    pub spurious: bool,
    /// Accept data races on a field, as Class.field or field, or on a variable of a model
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub allow_race: Vec<String>,
    /// Whether operations of the JDK's library take effect at once, or are explored inside
    #[arg(long, value_enum, default_value_t = LibraryMode::Operations)]
    pub library: LibraryMode,
    /// A file of `raddle certify`, besides the certificates that come with Raddle
    #[arg(long, value_name = "FILE")]
    pub certificates: Option<PathBuf>,
    /// Take the effect of a method to happen at once, as Class.method, with * for any part of a name
    #[arg(long, value_name = "METHOD", value_delimiter = ',')]
    pub operation: Vec<String>,
    /// Classes whose shared objects are only used by threads that have locked them; no others are then taken to be so
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    pub self_locking: Vec<String>,
    /// Classes about whose objects reductions assume nothing
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    pub shared: Vec<String>,
    /// Rules by which variables of a model are accessed, for --reduce optimistic
    #[arg(long, value_name = "FILE")]
    pub discipline: Option<PathBuf>,
}

/// `raddle check`.
#[derive(Args)]
pub struct Check {
    /// What to explore, and how.
    #[command(flatten)]
    pub how: Exploring,
    /// Reductions to use; `raddle list` names them
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',', default_value = "auto")]
    pub reduce: Vec<String>,
    /// A temporal formula that every execution must satisfy, as 'G (Main.full == true -> F Main.full == false)'; can be given several times
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,
    /// A file with a temporal formula a line, each with a name and a colon before it if it has one; # begins a comment
    #[arg(long, value_name = "FILE")]
    pub ltl_file: Option<PathBuf>,
    /// Which executions formulas are about
    #[arg(long, value_enum, default_value_t = Fair::Weak)]
    pub fair: Fair,
    /// Go on after a violation; each distinct one is reported once
    #[arg(long)]
    pub all: bool,
    /// Explore only schedules with at most N switches away from a thread that could go on
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Write the report as JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the report as one HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the schedule of the first violation, for `raddle replay`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Where source files are, for traces
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    /// Print one line: the verdict, and what is wrong where, or why nobody knows
    #[arg(long, short)]
    pub quiet: bool,
    /// Print all figures, and what the reductions assumed
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Where the numbers of a random search come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Try the threads of each state in an order drawn from --seed
    #[arg(long, hide = true)]
    pub shuffle: bool,
    /// Search even where a random walk before the search has come past a violation
    #[arg(long)]
    pub no_hunt: bool,
}

/// `raddle compare`.
#[derive(Args)]
pub struct Compare {
    /// What to explore, and how.
    #[command(flatten)]
    pub how: Exploring,
    /// A strategy to compare: one or several reductions; give the option once for each strategy
    #[arg(long, value_name = "NAME[,NAME…]")]
    pub reduce: Vec<String>,
    /// Write the table as CSV; - for standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write a bar chart of the states as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// `raddle linearize`.
#[derive(Args)]
pub struct Linearize {
    /// Where classes come from.
    #[command(flatten)]
    pub classes: Classes,
    /// A .java file, or the name of a class on the class path or of the JDK
    pub class: String,
    /// How an object is made, as 'ArrayBlockingQueue(2)' [default: the constructor with fewest parameters]
    #[arg(long, value_name = "CALL")]
    pub new: Option<String>,
    /// Methods to call [default: all but those of Object, iterators and views]
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Calls before there are threads, as 'add(1),add(2)' [default: nothing, and something that puts one or two things in]
    #[arg(long, value_name = "CALLS")]
    pub init: Option<String>,
    /// Take what another class does, with indivisible calls, for what is right: a .java file or a name
    #[arg(long, value_name = "CLASS")]
    pub against: Option<String>,
    /// Examine this scenario, with | between threads, as 'add(1),size() | add(2)'; can be given several times
    #[arg(long, value_name = "CALLS")]
    pub scenario: Vec<String>,
    /// The most threads of a scenario
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=6))]
    pub threads: usize,
    /// The most calls of each thread
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=8))]
    pub calls: usize,
    /// The most scenarios; if there are more, small ones come first, and others are drawn from --seed
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    pub scenarios: usize,
    /// Where choices come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Let threads interrupt each other
    #[arg(long)]
    pub interrupts: bool,
    /// Compare the interrupt status and the permit to park that calls leave behind, too
    #[arg(long)]
    pub side_effects: bool,
    /// Take the effect of a method to happen at once, as Class.method, with * for any part of a name
    #[arg(long, value_name = "METHOD", value_delimiter = ',')]
    pub operation: Vec<String>,
    /// Pass over scenarios with more states
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub states: u64,
    /// Stop after this time: 60s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Stop before the process holds more memory than this: 8G [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    /// Write the report as JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the report as one HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print one line: the verdict, and what is wrong where, or why nobody knows
    #[arg(long, short)]
    pub quiet: bool,
    /// Print all figures, and what the reductions assumed
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
}

/// The order of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchOrder {
    /// Depth first
    Dfs,
    /// Breadth first: shortest traces
    Bfs,
    /// Random walks, until a limit
    Random,
}

/// How visited states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StoreKind {
    /// Every state in full, compressed
    Exact,
    /// 128 bits of each state
    Fingerprint,
    /// A few bits of each state; never more than unknown
    Bits,
}

/// How the JDK's library is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LibraryMode {
    /// Its operations take effect at once, where they were proved to
    Operations,
    /// Every interleaving inside of it
    Whole,
}

/// Which executions formulas are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fair {
    /// Those in which a thread that can always move does so at some time
    Weak,
    /// Those in which a thread that can move again and again does so at some time
    Strong,
    /// All of them
    None,
}

/// `raddle certify`.
#[derive(Args)]
pub struct Certify {
    /// Where classes come from.
    #[command(flatten)]
    pub classes: Classes,
    /// Groups of classes [default: all]
    pub groups: Vec<String>,
    /// Only groups of this layer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=4))]
    pub layer: Option<u32>,
    /// Write certificates into a file; what it has already is not proved again
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Prove again what has a certificate
    #[arg(long)]
    pub again: bool,
    /// How many scenarios of two threads with two calls each, for each object
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub sample: usize,
    /// How many scenarios of a call each at most, by two threads and by three, for each object
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub most: usize,
    /// Where choices come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The most states of one search
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    pub states: u64,
    /// Stop after this time: 60s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Stop before the process holds more memory than this: 8G [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    /// Say nothing while it goes on
    #[arg(short, long)]
    pub quiet: bool,
}

/// `raddle replay`.
#[derive(Args)]
pub struct Replay {
    /// What `raddle check --trace FILE` wrote
    pub trace: PathBuf,
    /// The JDK to use; else JAVA_HOME, `java` on the PATH, or the usual folders
    #[arg(long, value_name = "DIR")]
    pub jdk: Option<PathBuf>,
    /// Where source files are
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    /// Write the report as JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the report as one HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print one line: the verdict, and what is wrong where, or why nobody knows
    #[arg(long, short)]
    pub quiet: bool,
    /// Print all figures, and what the reductions assumed
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
}

/// `raddle analyze`.
#[derive(Args)]
pub struct Analyze {
    /// Where classes come from.
    #[command(flatten)]
    pub classes: Classes,
    /// Begin with this method instead of `main`: static, or of a fresh object; `test` or `Class.test`
    #[arg(long, value_name = "METHOD")]
    pub entry: Option<String>,
    /// Also tell of the places in the JDK's code
    #[arg(long)]
    pub all: bool,
    /// A .java or .class file, a .jar, or the name of a class
    pub program: String,
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

/// `raddle oracle`.
#[derive(Args)]
pub struct Oracle {
    /// The number of the first program
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How many programs
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub count: u64,
    /// About how many statements a thread has at most
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..20))]
    pub size: usize,
    /// Add a strategy that leaves out schedules with more than N preemptions, and so must be caught
    #[arg(long, value_name = "N")]
    pub blind: Option<u32>,
    /// Hold searches with at most N preemptions against each other, instead of full ones
    #[arg(long, value_name = "N", conflicts_with = "blind")]
    pub preemptions: Option<u32>,
    /// Pass over programs with more states
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub states: u64,
    /// Only Java programs; else models and Java programs, a few hundred of each in turn
    #[arg(long, conflicts_with = "models")]
    pub java: bool,
    /// Only Java programs that use java.util.concurrent, interrupts, the clock or hash codes; else every fourth does
    #[arg(long, requires = "java")]
    pub concurrent: bool,
    /// Only guarded-command models, which take no JDK and no time
    #[arg(long)]
    pub models: bool,
    /// Search each program in all ways there are, not in a few of them
    #[arg(long)]
    pub every: bool,
    /// Check what reductions claim at every state: take steps that are said to commute in both orders
    #[arg(long)]
    pub commute: bool,
    /// Take operations of java.util.concurrent to happen at once, and hold that against a search that does not
    #[arg(long, requires = "concurrent")]
    pub operations: bool,
    /// The JDK to use; else JAVA_HOME, `java` on the PATH, or the usual folders
    #[arg(long, value_name = "DIR")]
    pub jdk: Option<PathBuf>,
}

/// Reads the command line of this process; does not come back from wrong usage.
pub fn read() -> Result<Arguments, Failure> {
    let mut arguments = match Arguments::try_parse_from(translate(std::env::args_os())) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            // The same mistake, told with arguments that no terminal obeys.
            let shown = std::env::args_os().map(|argument| quoted(argument.to_string_lossy()).to_string().into());
            match Arguments::try_parse_from(translate(shown)) {
                Err(told) => told.exit(),
                Ok(_) => error.exit(),
            }
        }
        Err(error) => error.exit(),
    };
    match &mut arguments.command {
        Command::Check(check) => check.how.subject.settle()?,
        Command::Compare(compare) => compare.how.subject.settle()?,
        Command::Run(run) => run.subject.settle()?,
        Command::Replay(_)
        | Command::Linearize(_)
        | Command::Certify(_)
        | Command::List
        | Command::Analyze(_)
        | Command::Dump(_)
        | Command::Oracle(_) => {}
    }
    Ok(arguments)
}

/// `-cp` and `-classpath`, which everybody knows from `java`, as the long option that they stand for. What follows `--`
/// belongs to the program.
fn translate(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut with_values: Vec<String> = Vec::new();
    for command in Arguments::command().get_subcommands() {
        for option in command
            .get_arguments()
            .filter(|option| option.get_action().takes_values())
        {
            with_values.extend(option.get_long().map(|name| format!("--{name}")));
            with_values.extend(option.get_short().map(|letter| format!("-{letter}")));
        }
    }
    let mut translated: Vec<OsString> = Vec::new();
    let (mut takes_value, mut ours) = (false, true);
    for argument in arguments {
        ours &= takes_value || argument != "--";
        if ours && !takes_value && (argument == "-cp" || argument == "-classpath") {
            translated.push("--class-path".into());
            takes_value = true;
            continue;
        }
        takes_value = !takes_value && ours && with_values.iter().any(|name| argument == **name);
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

/// The memory of the process: no less than it takes to start the JDK.
fn memory(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 64 << 20;
    size(text).and_then(|bytes| match bytes >= LEAST {
        true => Ok(bytes),
        false => Err("a search needs at least 64M".to_owned()),
    })
}

/// A time: `60s`, `500ms`, `5m`, `1h`; a bare number is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "give a time like 500ms, 60s, 5m or 1h".to_owned();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * factor).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_path_options_of_java_are_understood_before_the_arguments_of_the_program() {
        let given = ["raddle", "run", "--jdk", "-cp", "Main", "-cp", "a:b", "--", "-cp", "x"].map(OsString::from);
        let expected = [
            "raddle",
            "run",
            "--jdk",
            "-cp",
            "Main",
            "--class-path",
            "a:b",
            "--",
            "-cp",
            "x",
        ]
        .map(OsString::from);
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
    fn times_have_units() {
        let cases = [
            ("60s", Some(60_000)),
            ("500ms", Some(500)),
            ("2", Some(2000)),
            ("1.5m", Some(90_000)),
            ("x", None),
            ("-1s", None),
        ];
        for (text, expected) in cases {
            assert_eq!(duration(text).ok().map(|time| time.as_millis()), expected, "{text}");
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
