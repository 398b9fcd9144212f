//! What the tests over fixtures share: finding JDKs, compiling all fixtures at once, running them on one machine.
#![allow(dead_code)] // each test uses its own part

pub mod cases;
pub mod counts;

use library::{HostFiles, Library};
use machine::{Console, End, Limits, Machine, Natives, Shared};
use program::classpath::ClassPath;
use program::jdk::Jdk;
use program::world::Program;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// The workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the workspace exists")
}

/// A JDK of this feature version, if the machine has one. `RADDLE_JDK_21=DIR` and the like come first.
pub fn jdk(feature: u16) -> Option<Jdk> {
    let mut homes: Vec<PathBuf> = std::env::var_os(format!("RADDLE_JDK_{feature}"))
        .map(PathBuf::from)
        .into_iter()
        .collect();
    let mut installed: Vec<PathBuf> = fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    installed.sort();
    homes.extend(installed);
    homes.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
    homes
        .iter()
        .filter_map(|home| Jdk::at(home).ok())
        .find(|jdk| jdk.feature() == feature)
}

/// The JDKs to test on. A missing one is said, not passed over in silence.
pub fn jdks() -> Vec<Jdk> {
    let mut found = Vec::new();
    for feature in [17, 21, 25] {
        match jdk(feature) {
            Some(jdk) => found.push(jdk),
            None => eprintln!("skipped: no JDK {feature} on this machine (set RADDLE_JDK_{feature} to its folder)"),
        }
    }
    if found.is_empty() {
        found.push(Jdk::find(None).expect("a JDK is needed for these tests"));
    }
    found
}

/// A Java program with what it is expected to print.
#[derive(Clone, Debug)]
pub struct Fixture {
    pub name: String,
    pub path: PathBuf,
    pub jdk: u16,
    pub arguments: Vec<String>,
    pub stdin: Vec<u8>,
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    pub status: i32,
}

/// All fixtures below `fixtures/run`, by name.
pub fn fixtures() -> Vec<Fixture> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("fixtures/run")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("fixtures are there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "java")
                && path.with_extension("out").exists()
            {
                found.push(read_fixture(&path));
            }
        }
    }
    found.sort_by(|one, two| one.name.cmp(&two.name));
    found
}

fn read_fixture(path: &Path) -> Fixture {
    let text = fs::read_to_string(path).expect("a fixture is text");
    let mut fixture = Fixture {
        name: path
            .file_stem()
            .expect("a fixture has a name")
            .to_string_lossy()
            .into_owned(),
        path: path.to_path_buf(),
        jdk: 17,
        arguments: Vec::new(),
        stdin: Vec::new(),
        out: fs::read(path.with_extension("out")).unwrap_or_default(),
        err: fs::read(path.with_extension("err")).unwrap_or_default(),
        status: 0,
    };
    if let Ok(status) = fs::read_to_string(path.with_extension("status")) {
        fixture.status = status.trim().parse().expect("a status is a number");
    }
    for line in text.lines().map_while(|line| line.strip_prefix("//@ ")) {
        match line.split_once(": ").map(|(key, value)| (key, value.trim_end())) {
            Some(("jdk", value)) => fixture.jdk = value.parse().expect("a JDK is a number"),
            Some(("args", value)) => fixture.arguments = value.split_whitespace().map(str::to_owned).collect(),
            Some(("stdin", value)) => fixture.stdin = unescape(value),
            _ => panic!("{}: unknown header {line:?}", path.display()),
        }
    }
    fixture
}

/// `\n`, `\r`, `\t` and `\xff` as bytes.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'x') => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = std::str::from_utf8(&digits).expect("two digits");
                bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
            }
            other => bytes.extend(other),
        }
    }
    bytes
}

/// How fixtures are compiled; part of the stamp that says whether they need to be again.
const LEVELS: &str = "each for its own release";

/// Compiles the fixtures in one go for each JDK level, into a folder that is kept while the sources stay as they are.
pub fn compile(fixtures: &[Fixture]) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = root().join("target/fixtures");
    let dates: String = fixtures
        .iter()
        .map(|fixture| {
            let time = fs::metadata(&fixture.path)
                .and_then(|data| data.modified())
                .expect("a fixture has a date");
            format!("{} {time:?}\n", fixture.name)
        })
        .collect();
    let stamp = format!("{LEVELS}\n{dates}");
    if fs::read_to_string(folder.join("stamp")).is_ok_and(|known| known == stamp) {
        return folder.join("classes");
    }
    let _ = fs::remove_dir_all(&folder);
    let classes = folder.join("classes");
    fs::create_dir_all(&classes).expect("target can be written");
    let mut levels: Vec<u16> = fixtures.iter().map(|fixture| fixture.jdk).collect();
    levels.sort_unstable();
    levels.dedup();
    for level in levels {
        // The oldest compiler that knows the level, for the level itself: what it makes runs on every JDK from there on.
        let Some(compiler) = jdks()
            .into_iter()
            .filter(|jdk| jdk.feature() >= level)
            .find_map(|jdk| jdk.javac())
        else {
            continue;
        };
        let sources = fixtures
            .iter()
            .filter(|fixture| fixture.jdk == level)
            .map(|fixture| &fixture.path);
        let output = Command::new(compiler)
            .args([
                "-g",
                "-nowarn",
                "-proc:none",
                "-encoding",
                "UTF-8",
                "--release",
                &level.to_string(),
                "-d",
            ])
            .arg(&classes)
            .args(sources)
            .output()
            .expect("javac runs");
        assert!(
            output.status.success(),
            "javac: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    fs::write(folder.join("stamp"), stamp).expect("target can be written");
    classes
}

/// Collects what a program prints.
#[derive(Clone, Default)]
pub struct Captured {
    streams: Arc<Mutex<Streams>>,
}

#[derive(Default)]
struct Streams {
    out: Vec<u8>,
    err: Vec<u8>,
    input: Vec<u8>,
}

impl Captured {
    pub fn feed(&self, input: &[u8]) {
        *self.streams.lock().unwrap() = Streams {
            input: input.to_vec(),
            ..Streams::default()
        };
    }

    pub fn take(&self) -> (Vec<u8>, Vec<u8>) {
        let mut streams = self.streams.lock().unwrap();
        (std::mem::take(&mut streams.out), std::mem::take(&mut streams.err))
    }
}

impl Console for Captured {
    fn write(&mut self, stream: u32, bytes: &[u8]) {
        let mut streams = self.streams.lock().unwrap();
        if stream == 2 {
            streams.err.extend_from_slice(bytes)
        } else {
            streams.out.extend_from_slice(bytes)
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        let mut streams = self.streams.lock().unwrap();
        let count = buffer.len().min(streams.input.len());
        buffer[..count].copy_from_slice(&streams.input[..count]);
        streams.input.drain(..count);
        count
    }

    fn available(&mut self) -> usize {
        self.streams.lock().unwrap().input.len()
    }
}

/// Calls `body` with a machine that has booted this JDK with the fixtures on its class path, and is frozen.
pub fn with_machine(jdk: &Jdk, classes: &Path, body: impl FnOnce(&mut Machine<'_>, &Captured)) {
    with_natives(jdk, classes, &Library::new(), body);
}

/// The same, with other native methods.
pub fn with_natives(jdk: &Jdk, classes: &Path, natives: &dyn Natives, body: impl FnOnce(&mut Machine<'_>, &Captured)) {
    let text = classes.to_string_lossy();
    let class_path = ClassPath::parse(&text, jdk.feature()).expect("the class path is fine");
    let files = HostFiles::new(
        jdk.home(),
        jdk.version(),
        jdk.feature().into(),
        &text,
        &[classes.to_path_buf()],
    );
    let program = Program::new(jdk.image().clone(), class_path).expect("tables can be made");
    let shared = Shared::new(&program, natives, &files, Limits::default(), BTreeMap::new());
    let console = Captured::default();
    let mut machine = Machine::new(&shared, Box::new(console.clone())).expect("a machine can be made");
    machine
        .boot()
        .unwrap_or_else(|error| panic!("JDK {} does not boot: {error}", jdk.version()));
    machine.freeze();
    body(&mut machine, &console);
}

/// Calls `body` with a machine and another one on the same program, booted and frozen alike.
pub fn with_second_machine<'p>(machine: &mut Machine<'p>, body: impl FnOnce(&mut Machine<'p>, &mut Machine<'p>)) {
    let mut other = Machine::new(machine.shared, Box::new(Captured::default())).expect("a machine can be made");
    other
        .boot()
        .unwrap_or_else(|error| panic!("the JDK does not boot again: {error}"));
    other.freeze();
    body(machine, &mut other);
}

/// Runs one fixture from the image; what it printed, and its status or why there is none.
pub fn run(
    machine: &mut Machine<'_>,
    console: &Captured,
    fixture: &Fixture,
) -> (Vec<u8>, Vec<u8>, Result<i32, String>) {
    machine.restart();
    console.feed(&fixture.stdin);
    if let Err(error) = machine.launch(&fixture.name, &fixture.arguments) {
        return (Vec::new(), Vec::new(), Err(error.to_string()));
    }
    // A fixture that does not end is a failure, not a hang.
    machine.limit_turns(20_000);
    let status = match machine.run() {
        End::Exit(status) => Ok(status),
        End::Unsupported(what) => Err(what.to_string()),
        End::Stuck(threads) => Err(format!("stuck: {}", threads.join("; "))),
        other => Err(format!("{other:?}")),
    };
    let (out, err) = console.take();
    (out, err, status)
}
