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

use crate::jdk::Jdk;
pub use compiler::end_compilers;
use inputs::Key;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// A compiled source file.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The folder of the classes, to be put first on the class path.
    pub folder: PathBuf,
    /// Internal name (`p/Main`) of the class of the file that has a main method: the one named like the file, else the
    /// first in the file; `None` if no class has one.
    pub main_class: Option<String>,
    /// Warnings and notes of the compiler, verbatim; empty when the classes came from the cache.
    pub messages: String,
}

/// Why a source file could not be compiled.
#[derive(Debug)]
pub enum SourceError {
    /// A file or folder cannot be read or written.
    Io(PathBuf, io::Error),
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
                write!(f, "there is no file {}", path.display())
            }
            SourceError::Io(path, error) => write!(f, "cannot compile: {}: {error}", path.display()),
            SourceError::TooLarge(path) => {
                write!(f, "cannot compile: {} is too large for a source file", path.display())
            }
            SourceError::NoCompiler(home) => write!(
                f,
                "cannot compile: {} has no javac; install a full JDK and name it with --jdk, or give class files",
                home.display()
            ),
            SourceError::Rejected(path, output) => {
                write!(f, "javac does not compile {}:\n{}", path.display(), output.trim_end())
            }
            SourceError::Output(path, what) => write!(f, "javac made {}, which cannot be read: {what}", path.display()),
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
    let text = inputs::read(source)?;
    let absolute = std::path::absolute(source).map_err(|error| SourceError::Io(source.to_owned(), error))?;
    let root = inputs::source_root(&absolute, &text);
    let mut key = Key::new("raddle-source-1");
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
        if let Ok(main_class) = job.main_class(&folder) {
            return Ok(Compiled {
                folder,
                main_class,
                messages: String::new(),
            });
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
        let main_class = entry::main_class(&classes, self.absolute, self.jdk.feature());
        let neighbours = match self.root {
            Some(root) => entry::sources(&classes, root, self.absolute),
            None => Vec::new(),
        };
        let Some(full) = inputs::with_contents(key, &neighbours) else {
            // A neighbour is gone already: use the classes where they are, but keep them for nobody else.
            return Ok(Compiled {
                folder: folder.to_owned(),
                main_class,
                messages,
            });
        };
        let target = self.cache.join(full.to_string());
        if std::fs::rename(folder, &target).is_err() {
            // Either another run was faster, or what is there is broken and must give way.
            if self.main_class(&target).is_err() {
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
        Ok(Compiled {
            folder: target,
            main_class,
            messages,
        })
    }

    /// The main class among the classes in `folder`; an error if there is not a single class of this source.
    fn main_class(&self, folder: &Path) -> Result<Option<String>, SourceError> {
        let classes = entry::read_classes(folder)?;
        if !entry::has_class_of(&classes, self.absolute) {
            return Err(SourceError::Output(
                folder.to_owned(),
                "no class of the source is in it".to_owned(),
            ));
        }
        Ok(entry::main_class(&classes, self.absolute, self.jdk.feature()))
    }

    /// Runs the compiler; gives what it printed.
    fn javac(&self, folder: &Path) -> Result<String, SourceError> {
        let javac = self
            .jdk
            .javac()
            .ok_or_else(|| SourceError::NoCompiler(self.jdk.home().to_owned()))?;
        let mut command = Command::new(&javac);
        // A compiler that lives for a second is a third faster without its second compiler and its parallel collector.
        command.args([
            "-J-XX:+IgnoreUnrecognizedVMOptions",
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
        ]);
        command.args(["-g", "-encoding", "UTF-8", "-d"]).arg(folder);
        // Without these two the compiler would look at CLASSPATH, at the current folder, and for sources on the class path.
        command.arg("-sourcepath").arg(self.root.unwrap_or(folder));
        match self.class_path {
            "" => command.arg("-cp").arg(folder),
            text => command.arg("-cp").arg(text),
        };
        command.args(self.flags);
        let source = match self.source.to_str() {
            Some(text) if text.starts_with(['-', '@']) => Path::new(".").join(self.source),
            _ => self.source.to_owned(),
        };
        command.arg(source);
        for variable in ["JDK_JAVAC_OPTIONS", "JAVA_TOOL_OPTIONS", "CLASSPATH"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null());
        let (text, status) = compiler::run(command, folder).map_err(|error| SourceError::Io(javac, error))?;
        if status.success() {
            Ok(text)
        } else {
            Err(SourceError::Rejected(self.source.to_owned(), text))
        }
    }
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
