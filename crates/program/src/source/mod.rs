//! Java sources: compiled with the JDK's own `javac`, once for each state of everything that goes into them.
//!
//! What a compilation read besides the file itself (its neighbours, found through `-sourcepath`) is known only afterwards.
//! So the cache has two steps. A first key, made of the source, the JDK, the class path and the flags, names a list of the
//! other sources that were read; a second key, made of the first and of what these contain now, names the folder of
//! classes. Folders and lists are written aside and renamed, so that runs at the same time do not disturb each other.
//! Left out: a new neighbour that would take the place of a class of the class path is not noticed.

mod compiler;
mod entry;
mod inputs;

use crate::input::{quoted, quoted_path};
use crate::jdk::Jdk;
pub use compiler::end_compilers;
use inputs::Key;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// Variables through which a virtual machine or `javac` takes more options, agents among them.
const HOST_OPTIONS: [&str; 7] = [
    "JDK_JAVAC_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "IBM_JAVA_OPTIONS",
    "OPENJ9_JAVA_OPTIONS",
    "CLASSPATH",
];

/// A compiled source file.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The folder of the classes, to be put first on the class path.
    pub folder: PathBuf,
    /// Internal name (`p/Main`) of the class of the file that has a main method: the one named like the file, else the
    /// first in the file; `None` if no class has one.
    pub main_class: Option<String>,
    /// Internal names of all classes of the file: the one named like the file first, then in the order of the file.
    pub classes: Vec<String>,
    /// Warnings and notes of the compiler, verbatim; empty when the classes came from the cache.
    pub messages: String,
}

/// Why a source file could not be compiled.
#[derive(Debug)]
pub enum SourceError {
    /// A file or folder cannot be read or written.
    Io(PathBuf, io::Error),
    /// The name of the source file has a control character, which the compiler would print.
    Name(PathBuf),
    /// The source file is too large to be one.
    TooLarge(PathBuf),
    /// The JDK has no compiler.
    NoCompiler(PathBuf),
    /// The compiler found errors: what it printed, verbatim.
    Rejected(PathBuf, String),
    /// The compiler produced something that is no class.
    Output(PathBuf, String),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Io(path, error) if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "there is no file {}", quoted_path(path))
            }
            SourceError::Io(path, error) => write!(f, "cannot compile: {}: {error}", quoted_path(path)),
            SourceError::Name(path) => write!(
                f,
                "cannot compile: {} has a control character in its name; give it another one",
                quoted_path(path)
            ),
            SourceError::TooLarge(path) => {
                write!(
                    f,
                    "cannot compile: {} is too large for a source file",
                    quoted_path(path)
                )
            }
            SourceError::NoCompiler(home) => write!(
                f,
                "cannot compile: {} has no javac; install a full JDK and name it with --jdk, or give class files",
                quoted_path(home)
            ),
            SourceError::Rejected(path, output) => {
                write!(
                    f,
                    "javac does not compile {}:\n{}",
                    quoted_path(path),
                    output.trim_end()
                )
            }
            SourceError::Output(path, what) => write!(
                f,
                "javac made {}, which cannot be read: {}",
                quoted_path(path),
                quoted(what)
            ),
        }
    }
}

impl std::error::Error for SourceError {}

/// Compiles a `.java` file with `jdk`, or takes the classes from the cache in [`cache_folder`]. `class_path` is the user's
/// text, `flags` go to the compiler as they are. The source's package says which folder its neighbours are looked for in.
pub fn compile(source: &Path, jdk: &Jdk, class_path: &str, flags: &[String]) -> Result<Compiled, SourceError> {
    compile_into(&cache_folder(), source, jdk, class_path, flags)
}

/// Where compiled sources are kept: `raddle` in `XDG_CACHE_HOME` or `~/.cache`; if neither can be written to, a new folder
/// among the temporary ones. A shared one there would let another user lay classes into our way.
pub fn cache_folder() -> PathBuf {
    let configured = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let usual = configured.or_else(|| std::env::home_dir().map(|home| home.join(".cache")));
    if let Some(folder) = usual.map(|folder| folder.join("raddle"))
        && can_write(&folder)
    {
        return folder;
    }
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    std::env::temp_dir().join(format!("raddle-{}-{}", std::process::id(), time.as_nanos()))
}

/// Whether files can be made in a folder, which is made if it is not there: permissions alone do not tell.
fn can_write(folder: &Path) -> bool {
    let probe = aside(folder);
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::create_dir(&probe));
    made.and_then(|()| std::fs::remove_dir(&probe)).is_ok()
}

/// [`compile`] with a cache of one's own.
pub fn compile_into(
    cache: &Path,
    source: &Path,
    jdk: &Jdk,
    class_path: &str,
    flags: &[String],
) -> Result<Compiled, SourceError> {
    if source.to_string_lossy().contains(char::is_control) {
        return Err(SourceError::Name(source.to_owned()));
    }
    let text = inputs::read(source)?;
    let absolute = std::path::absolute(source).map_err(|error| SourceError::Io(source.to_owned(), error))?;
    let root = inputs::source_root(&absolute, &text);
    let mut key = Key::new("raddle-source-2");
    key.add(&text)
        .add_path(&absolute)
        .add(jdk.version().as_bytes())
        .add_path(jdk.home());
    key.add(class_path.as_bytes());
    for flag in flags {
        key.add(flag.as_bytes());
    }
    let reusable = inputs::add_class_path(&mut key, class_path);
    let job = Job {
        cache,
        source,
        absolute: &absolute,
        root: root.as_deref(),
        jdk,
        class_path,
        flags,
    };

    let list = cache.join(format!("{key}.inputs"));
    if reusable
        && let Some(paths) = inputs::read_list(&list)
        && let Some(full) = inputs::with_contents(&key, &paths)
    {
        let folder = cache.join(full.to_string());
        if let Ok(compiled) = job.compiled(folder, String::new()) {
            return Ok(compiled);
        }
    }
    job.run(&key, &list)
}

/// One compilation.
struct Job<'a> {
    cache: &'a Path,
    source: &'a Path,
    absolute: &'a Path,
    root: Option<&'a Path>,
    jdk: &'a Jdk,
    class_path: &'a str,
    flags: &'a [String],
}

impl Job<'_> {
    fn run(&self, key: &Key, list: &Path) -> Result<Compiled, SourceError> {
        let in_cache = |error| SourceError::Io(self.cache.to_owned(), error);
        std::fs::create_dir_all(self.cache).map_err(in_cache)?;
        let folder = aside(self.cache);
        std::fs::create_dir(&folder).map_err(in_cache)?;
        let result = self.finish(key, list, &folder);
        if result.is_err() {
            std::fs::remove_dir_all(&folder).ok();
        }
        result
    }

    fn finish(&self, key: &Key, list: &Path, folder: &Path) -> Result<Compiled, SourceError> {
        let messages = self.javac(folder)?;
        let classes = entry::read_classes(folder)?;
        let neighbours = match self.root {
            Some(root) => entry::sources(&classes, root, self.absolute),
            None => Vec::new(),
        };
        let Some(full) = inputs::with_contents(key, &neighbours) else {
            // A neighbour is gone already: use the classes where they are, but keep them for nobody else.
            return self.compiled(folder.to_owned(), messages);
        };
        let target = self.cache.join(full.to_string());
        if std::fs::rename(folder, &target).is_err() {
            // Either another run was faster, or what is there is broken and must give way.
            if self.compiled(target.clone(), String::new()).is_err() {
                std::fs::remove_dir_all(&target).ok();
                std::fs::rename(folder, &target).map_err(|error| SourceError::Io(target.clone(), error))?;
            } else {
                std::fs::remove_dir_all(folder).ok();
            }
        }
        let written = aside(self.cache);
        inputs::write_list(&written, &neighbours)
            .and_then(|()| std::fs::rename(&written, list))
            .map_err(|error| SourceError::Io(list.to_owned(), error))?;
        self.compiled(target, messages)
    }

    /// What there is in a folder of classes; an error if there is not a single class of this source.
    fn compiled(&self, folder: PathBuf, messages: String) -> Result<Compiled, SourceError> {
        let all = entry::read_classes(&folder)?;
        let classes = entry::classes_of(&all, self.absolute);
        if classes.is_empty() {
            let what = "no class of the source is in it".to_owned();
            return Err(SourceError::Output(folder, what));
        }
        let has_main = |name: &&String| entry::has_main(&all, name, self.jdk.feature());
        Ok(Compiled {
            main_class: classes.iter().find(has_main).cloned(),
            classes,
            folder,
            messages,
        })
    }

    /// Runs the compiler; gives what it printed.
    fn javac(&self, folder: &Path) -> Result<String, SourceError> {
        let mut command = compiler(self.jdk, folder)?;
        let javac = PathBuf::from(command.get_program());
        // Without these two the compiler would look at CLASSPATH, at the current folder, and for sources on the class path.
        // They are one argument each, because an argument that begins with @ names a file with more of them.
        command.arg(with("--source-path=", self.root.unwrap_or(folder).as_os_str()));
        command.arg(match self.class_path {
            "" => with("--class-path=", folder.as_os_str()),
            text => with("--class-path=", OsStr::new(text)),
        });
        command.args(self.flags);
        let source = match self.source.as_os_str().as_encoded_bytes().first() {
            Some(b'-' | b'@') => Path::new(".").join(self.source),
            _ => self.source.to_owned(),
        };
        command.arg(source);
        let (text, status) = compiler::run(command, folder).map_err(|error| SourceError::Io(javac, error))?;
        if status.success() {
            Ok(text)
        } else {
            Err(SourceError::Rejected(self.source.to_owned(), text))
        }
    }
}

/// A call of the compiler that makes classes in `folder`, before class path and sources are said. Nothing but the compiler
/// runs: no annotation processor and no plugin, which may start by itself and is looked for in the same place, and no agent or
/// other option from the environment.
///
/// A JDK that has none of its own is served by that of the JDK that is used where none is named, for as much of the language as both know.
pub fn compiler(jdk: &Jdk, folder: &Path) -> Result<Command, SourceError> {
    let others = || {
        let other = Jdk::find(None).ok()?;
        Some((other.javac()?, Some(jdk.feature().min(other.feature()))))
    };
    let (javac, release) = jdk
        .javac()
        .map(|own| (own, None))
        .or_else(others)
        .ok_or_else(|| SourceError::NoCompiler(jdk.home().to_owned()))?;
    let mut command = Command::new(javac);
    // A compiler that lives for a second is a third faster without its second compiler and its parallel collector.
    command.args([
        "-J-XX:+IgnoreUnrecognizedVMOptions",
        "-J-XX:TieredStopAtLevel=1",
        "-J-XX:+UseSerialGC",
        "-J-XX:-UsePerfData",
    ]);
    command
        .args(["-proc:none", "-processorpath"])
        .arg(folder.join("no-processors"));
    command.args(["-g", "-encoding", "UTF-8", "-d"]).arg(folder);
    if let Some(release) = release {
        command.args(["--release", &release.to_string()]);
    }
    for variable in HOST_OPTIONS {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null());
    Ok(command)
}

/// An option and its value as one argument.
fn with(option: &str, value: &OsStr) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(value);
    argument
}

/// A name in `folder` that nobody else uses.
fn aside(folder: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    folder.join(format!("new-{}-{}-{count}", std::process::id(), time.as_nanos()))
}
