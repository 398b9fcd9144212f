//! Programs that are compiled at once and searched one after the other, on one machine that goes back to its image for each.

use crate::{Failure, budget, limits, verify};
use library::{HostFiles, Library};
use machine::system::Java;
use machine::{Limits, Machine, Nowhere, Shared, Start, StepSemantics};
use program::classpath::ClassPath;
use program::jdk::Jdk;
use program::source;
use program::world::Program;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of the heap: the programs are small.
const HEAP_WORDS: u32 = 1 << 26;

/// Some programs.
pub struct Batch<'a> {
    /// The JDK whose library they run on.
    pub jdk: &'a Jdk,
    /// Where other classes that they use are, with `:` between folders and jars.
    pub class_path: &'a str,
    /// Each by the full name of its class and its source.
    pub programs: &'a [(String, String)],
}

/// One program of a batch.
pub struct Prepared<'p, 'm> {
    /// The program, with steps as they are where nothing is said. Before a search, it is [begun](Java::begin).
    pub system: Java<'p>,
    /// The machine that all of them share.
    pub machine: &'m mut Machine<'p>,
    /// Where their classes are.
    pub class_path: &'m str,
    /// Where their sources are.
    pub folder: &'m Path,
}

/// A folder for one batch, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Failure> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("raddle-batch-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| cannot_write(&path, &error))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("cannot write {}: {error}", path.display()))
}

impl Batch<'_> {
    /// Calls `body` for each program, with its position, until it says `false`.
    pub fn each(&self, mut body: impl FnMut(usize, Prepared<'_, '_>) -> Result<bool, Failure>) -> Result<(), Failure> {
        let (jdk, folder) = (self.jdk, Folder::new()?);
        self.compile(&folder.0)?;
        let mut text = folder.0.to_string_lossy().into_owned();
        if !self.class_path.is_empty() {
            text = format!("{text}:{}", self.class_path);
        }
        let class_path = ClassPath::parse(&text, jdk.feature()).map_err(|error| Failure::input(error.to_string()))?;
        let entries: Vec<PathBuf> = class_path.entries().map(Path::to_path_buf).collect();
        let files = HostFiles::new(jdk.home(), jdk.version(), jdk.feature().into(), &text, &entries);
        let program = Program::new(jdk.image().clone(), class_path)
            .map_err(|error| Failure::unknown(format!("no memory for the tables of classes: {error}")))?;
        let sizes = Limits {
            heap_words: HEAP_WORDS,
            ..Limits::default()
        };
        let library = Library::exploring();
        let mut shared = Shared::new(&program, &library, &files, sizes, BTreeMap::new());
        shared.room = budget::has_room_to_spare;
        shared.stopped = limits::is_over;
        let mut machine =
            Machine::new(&shared, Box::new(Nowhere)).map_err(|error| Failure::unknown(error.to_string()))?;
        let start = |(name, _): &(String, String)| Start {
            class: name.replace('.', "/"),
            entry: None,
            arguments: Vec::new(),
        };
        let starts: Vec<Start> = self.programs.iter().map(start).collect();
        machine
            .prepare_searches(&starts)
            .map_err(|error| Failure::unknown(error.to_string()))?;
        for (position, start) in starts.into_iter().enumerate() {
            let prepared = Prepared {
                system: Java {
                    shared: &shared,
                    start,
                    semantics: StepSemantics::default(),
                    alone: false,
                    allowed: Vec::new(),
                    operations: Arc::default(),
                },
                machine: &mut machine,
                class_path: &text,
                folder: &folder.0,
            };
            if !body(position, prepared)? {
                break;
            }
        }
        Ok(())
    }

    /// Compiles all programs, and the classes that they talk to Raddle with, in one go.
    fn compile(&self, folder: &Path) -> Result<(), Failure> {
        let mut sources = verify::RADDLE.map(|(path, text)| (folder.join(path), text)).to_vec();
        for (name, source) in self.programs {
            sources.push((folder.join(format!("{}.java", name.replace('.', "/"))), source));
        }
        let mut command = source::compiler(self.jdk, folder).map_err(|error| Failure::input(error.to_string()))?;
        let mut class_path = folder.as_os_str().to_owned();
        if !self.class_path.is_empty() {
            class_path.push(":");
            class_path.push(self.class_path);
        }
        // Without a source path the compiler would take sources from the class path.
        command.arg("-sourcepath").arg(folder);
        command.args(["-nowarn", "-cp"]).arg(class_path);
        for (path, source) in sources {
            let parent = path.parent().unwrap_or(folder);
            let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, source));
            written.map_err(|error| cannot_write(&path, &error))?;
            command.arg(path);
        }
        let output = command
            .output()
            .map_err(|error| Failure::input(format!("javac does not run: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        let messages = String::from_utf8_lossy(&output.stderr);
        let first: Vec<&str> = messages.lines().take(20).collect();
        Err(Failure::input(format!("javac: {}", first.join("\n"))))
    }
}
