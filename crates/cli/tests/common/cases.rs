//! What the tests of `raddle check` share: the programs below `fixtures/check`, compiled at once, and the command itself.
//!
//! The folder of a program is its verdict: `holds`, `violated` or `unknown`. Its leading `//@ key: value` lines say more:
//!
//! - `property`, `line`: what is violated, and where.
//! - `says`: a part of the violation's message or explanation, or of the reason why the verdict is unknown.
//! - `rests`: a line that a program which holds rests on; a part of one, if it begins or ends with an ellipsis. There may be several.
//! - `options`: options for the command.
//! - `hunted`: with `auto`, walks before the search come past the violation, and the search does not within seconds.
//! - `auto`: the verdict of `auto` where `base` meets a limit: `holds`, or `violated PROPERTY [LINE]`.
//! - `endless`: a part of the note that some executions never end. Without this header there is none for a program that holds.
//! - `jdk`: the feature release of the JDK that the program is about, where the library of others makes it another one.
//! - `newer`: `N[,N…] because …`, where the library of these JDKs is another one, so that there are more than twice as many states.
//! - `owes`: the verdict that stronger reductions owe and that `auto` does not come to within seconds yet.
//!
//! How many states a search explores is in `fixtures/states.txt`: for `base` and `auto`, and for small programs that hold also for
//! the strategies of `raddle compare`.

use super::counts::{Counts, Table};
use kernel::Property;
use program::jdk::Jdk;
use report::model::{Report, Verdict};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, LazyLock, Mutex};
use std::time::{Duration, Instant};

/// A run of the command that takes longer hangs. No test depends on how fast it goes: programs are limited by states.
const PATIENCE: Duration = Duration::from_secs(1800);

/// How many states a program may have that sets no limit itself: several times those of the largest.
const MOST: &str = "3000000";

/// Where the programs are, below `fixtures`.
pub const FOLDER: &str = "check/";

/// A program and what is expected of it.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub name: String,
    /// Its path below `fixtures`.
    pub key: String,
    pub path: PathBuf,
    pub verdict: String,
    pub property: Option<String>,
    pub line: Option<u32>,
    pub says: Option<String>,
    pub rests: Vec<String>,
    pub options: Vec<String>,
    pub states: Counts,
    pub auto: Option<String>,
    pub endless: Option<String>,
    pub jdk: Option<u16>,
    pub newer: Vec<u16>,
    pub owes: bool,
    pub hunted: bool,
}

impl Case {
    fn read(path: &Path, table: &Table) -> Case {
        let name_of = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let verdict = name_of(path.parent().and_then(Path::file_name));
        let key = format!("{FOLDER}{verdict}/{}", name_of(path.file_name()));
        let mut case = Case {
            name: name_of(path.file_stem()),
            states: table.get(&key).cloned().unwrap_or_default(),
            key,
            verdict,
            path: path.to_path_buf(),
            ..Case::default()
        };
        let text = fs::read_to_string(path).expect("a fixture is text");
        for line in text.lines().map_while(|line| line.strip_prefix("//@ ")) {
            let (key, value) = line.split_once(": ").unwrap_or((line, ""));
            let value = value.trim_end().to_owned();
            match key {
                "property" => case.property = Some(value),
                "line" => case.line = Some(value.parse().expect("a line is a number")),
                "says" => case.says = Some(value),
                "rests" => case.rests.push(value),
                "options" => case.options = value.split_whitespace().map(str::to_owned).collect(),
                "auto" => case.auto = Some(value),
                "endless" => case.endless = Some(value),
                "jdk" => case.jdk = Some(value.parse().expect("a JDK is a number")),
                "newer" => {
                    let (features, _) = value.split_once(" because ").expect("`newer` is N because …");
                    let numbers = features.split(',').map(str::parse);
                    case.newer = numbers.map(|number| number.expect("a JDK is a number")).collect();
                }
                "owes" => case.owes = true,
                "hunted" => case.hunted = true,
                _ => panic!("{}: unknown header {line:?}", path.display()),
            }
        }
        if let Some(what) = case.ill_formed() {
            panic!("{}: {what}", path.display());
        }
        case
    }

    /// What is wrong with the headers.
    fn ill_formed(&self) -> Option<&'static str> {
        let violated = self.verdict == "violated";
        let known = |name: &str| Property::named(name).is_some();
        match self {
            _ if violated != self.property.is_some() => Some("`property` is for violated programs, and all of these"),
            Case { line: Some(_), .. } if !violated => Some("`line` is for violated programs"),
            Case { says: Some(_), .. } if self.verdict == "holds" => Some("`says` is not for programs that hold"),
            _ if !self.rests.is_empty() && self.verdict != "holds" => Some("`rests` is for programs that hold"),
            Case { auto: Some(_), .. } if self.verdict != "unknown" => Some("`auto` is for unknown programs"),
            Case {
                property: Some(name), ..
            } if !known(name) => Some("there is no such property"),
            Case { auto: Some(auto), .. } => {
                let words: Vec<&str> = auto.split(' ').collect();
                let fine = match words[..] {
                    ["holds"] => true,
                    ["violated", property] => known(property),
                    ["violated", property, line] => known(property) && line.parse::<u32>().is_ok(),
                    _ => false,
                };
                (!fine).then_some("`auto` is `holds` or `violated PROPERTY [LINE]`")
            }
            _ => None,
        }
    }

    /// Whether it is known to have more states on a JDK of this feature release.
    pub fn is_larger_on(&self, feature: u16) -> bool {
        self.newer.contains(&feature)
    }

    /// The line of the violation that is expected with a reduction.
    pub fn expected_line(&self, reduction: &str) -> Option<u32> {
        match self.auto.as_deref().filter(|_| reduction == "auto") {
            None => self.line,
            Some(auto) => auto.split(' ').nth(2)?.parse().ok(),
        }
    }

    /// Whether an option, or a value of one, is among those of the program.
    pub fn has(&self, option: &str) -> bool {
        self.options
            .iter()
            .any(|word| word.split(',').any(|part| part == option))
    }

    /// The verdict and the property that are expected with a reduction.
    pub fn expected(&self, reduction: &str) -> (&str, Option<&str>) {
        match self.auto.as_deref().filter(|_| reduction == "auto") {
            None => (&self.verdict, self.property.as_deref()),
            Some(auto) => {
                let mut words = auto.split(' ');
                (words.next().unwrap_or_default(), words.next())
            }
        }
    }

    /// Checks the program on a JDK with a reduction, without its limit where that is for weaker ones.
    pub fn check_with(&self, jdk: &Jdk, reduction: &str, more: &[&str]) -> Ran {
        if self.auto.is_none() || reduction != "auto" {
            return self.check(jdk, &[&["--reduce", reduction], more].concat());
        }
        let mut unlimited = self.clone();
        if let Some(at) = unlimited.options.iter().position(|option| option == "--states") {
            unlimited.options.drain(at..at + 2);
        }
        unlimited.check(jdk, &[&["--reduce", reduction], more].concat())
    }

    /// Checks the program on a JDK, with its own options and more; with the reduction `base`, and inside of the library, unless these say
    /// otherwise.
    pub fn check(&self, jdk: &Jdk, more: &[&str]) -> Ran {
        let mut command = raddle();
        let says = |word: &str| self.options.iter().any(|option| option == word) || more.contains(&word);
        command.args(["check", "--jdk"]).arg(jdk.home());
        command.arg("-cp").arg(&*CLASSES);
        command.arg("--source").args(self.path.parent());
        if !says("--reduce") {
            command.args(["--reduce", "base"]);
        }
        if !says("--library") {
            command.args(["--library", "whole"]);
        }
        // A random search is told itself when to end.
        if !self.has("--states") && !more.contains(&"--states") && !more.contains(&"random") {
            command.args(["--states", MOST]);
        }
        command.args(&self.options).args(more).arg(&self.name);
        run(command)
    }
}

/// All programs below `fixtures/check`, by name.
pub fn all() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
        let table = Table::read();
        let mut cases = Vec::new();
        for verdict in ["holds", "violated", "unknown"] {
            let folder = super::root().join("fixtures").join(FOLDER).join(verdict);
            let entries = fs::read_dir(folder).expect("fixtures are there").flatten();
            let files = entries.map(|entry| entry.path());
            cases.extend(
                files
                    .filter(|path| path.extension() == Some(OsStr::new("java")))
                    .map(|path| Case::read(&path, &table)),
            );
        }
        cases.sort_by(|one, two| one.name.cmp(&two.name));
        cases
    });
    &CASES
}

/// The paths of all programs below `fixtures`.
pub fn keys() -> BTreeSet<&'static str> {
    all().iter().map(|case| &*case.key).collect()
}

/// What `RADDLE_CHECK=name,name` names, if it is set.
fn wanted() -> Option<String> {
    std::env::var("RADDLE_CHECK").ok().filter(|names| !names.is_empty())
}

/// Whether `RADDLE_CHECK` leaves out programs.
pub fn is_subset() -> bool {
    wanted().is_some()
}

/// The programs that `RADDLE_CHECK=name,name` names; all of them without it.
pub fn chosen() -> Vec<&'static Case> {
    let Some(wanted) = wanted() else {
        return all().iter().collect();
    };
    let named = wanted.split(',').map(|name| {
        let found = all().iter().find(|case| case.name == name);
        found.unwrap_or_else(|| panic!("RADDLE_CHECK: there is no program {name}"))
    });
    named.collect()
}

fn folder() -> PathBuf {
    super::root().join("target/check-fixtures")
}

/// A place for a file that a test writes.
pub fn scratch(name: &str) -> PathBuf {
    let folder = CLASSES.with_file_name("scratch");
    fs::create_dir_all(&folder).expect("target can be written");
    folder.join(name)
}

/// The classes of all programs.
pub static CLASSES: LazyLock<PathBuf> = LazyLock::new(compile);

/// Compiles all programs in one go, into a folder that is kept while the sources stay as they are.
fn compile() -> PathBuf {
    let root = super::root();
    let mut sources: Vec<PathBuf> = all().iter().map(|case| case.path.clone()).collect();
    sources.extend(["raddle", "gov/nasa/jpf/vm"].map(|package| root.join("java").join(package).join("Verify.java")));
    let dates = sources.iter().map(|source| {
        let date = fs::metadata(source).and_then(|data| data.modified());
        format!("{} {:?}\n", source.display(), date.expect("a fixture has a date"))
    });
    let stamp: String = dates.collect();
    let (folder, classes) = (folder(), folder().join("classes"));
    if fs::read_to_string(folder.join("stamp")).is_ok_and(|known| known == stamp) {
        return classes;
    }
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&classes).expect("target can be written");
    let compilers = super::jdks();
    let compiler = compilers.iter().find_map(Jdk::javac).expect("a JDK with javac");
    let output = Command::new(compiler)
        .args([
            "-g",
            "-nowarn",
            "-proc:none",
            "-encoding",
            "UTF-8",
            "--release",
            "17",
            "-d",
        ])
        .arg(&classes)
        .args(sources)
        .output()
        .expect("javac runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "javac: {messages}");
    fs::write(folder.join("stamp"), stamp).expect("target can be written");
    classes
}

/// What the command printed and how it ended; no status if it had to be ended.
pub struct Ran {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// The report on its standard output, if the command ended as the report's verdict says it should.
    pub fn report(&self) -> Result<Report, String> {
        let broken = |why: String| {
            let start: String = self.err.chars().take(600).collect();
            format!("{why}, status {:?}: {start}", self.status)
        };
        let report = report::from_json(&self.out).map_err(broken)?;
        let status = match report.verdict {
            Verdict::Holds => 0,
            Verdict::Violated => 1,
            Verdict::Unknown => 3,
        };
        if self.status == Some(status) && self.err.is_empty() {
            Ok(report)
        } else {
            Err(broken(format!("verdict {}", report.verdict)))
        }
    }
}

/// The command, still without arguments.
pub fn raddle() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.env("XDG_CACHE_HOME", folder().join("cache"));
    command
}

/// Runs a command when a core is free, however many tests want to.
pub fn run(mut command: Command) -> Ran {
    let _core = Core::take();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("raddle runs");
    let (out, err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let out = scope.spawn(|| text_of(out));
        let err = scope.spawn(|| text_of(err));
        let begun = Instant::now();
        let status = loop {
            match child.try_wait().expect("a child can be waited for") {
                Some(status) => break status.code(),
                None if begun.elapsed() > PATIENCE => {
                    child.kill().expect("a child can be ended");
                    child.wait().expect("a child can be waited for");
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        Ran { status, out, err }
    })
}

fn text_of(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        stream.read_to_end(&mut bytes).expect("a child's output can be read");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The right to keep a core busy.
struct Core;

static FREE: LazyLock<Mutex<usize>> = LazyLock::new(|| Mutex::new(cores()));
static FREED: Condvar = Condvar::new();

impl Core {
    fn take() -> Core {
        let mut free = FREE.lock().expect("nobody panics with the lock");
        while *free == 0 {
            free = FREED.wait(free).expect("nobody panics with the lock");
        }
        *free -= 1;
        Core
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        *FREE.lock().expect("nobody panics with the lock") += 1;
        FREED.notify_one();
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Calls `body` for every item, on all cores; the results in the order of the items.
pub fn on_all_cores<T: Sync, R: Send>(items: &[T], body: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..cores() {
            scope.spawn(|| {
                while let Some((item, result)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    items.get(at).zip(results.get(at))
                } {
                    *result.lock().expect("each is locked once") = Some(body(item));
                }
            });
        }
    });
    let done = results
        .into_iter()
        .map(|result| result.into_inner().expect("each is locked once"));
    done.map(|result| result.expect("each was done")).collect()
}
