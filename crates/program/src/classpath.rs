//! The class path: folders, jars and `folder/*`, searched in order as `java` does.

use crate::archive::{Archive, ArchiveError, ENTRY_LIMIT, read_limited};
use crate::bytes::Bytes;
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where classes that are not the JDK's are looked for.
#[derive(Debug)]
pub struct ClassPath {
    feature: u16,
    entries: Vec<Entry>,
    /// What has been added, by its real path: a manifest's `Class-Path` may come back to where it started.
    known: HashSet<PathBuf>,
}

#[derive(Debug)]
struct Entry {
    path: Arc<Path>,
    archive: Option<Archive>,
}

/// Something found on the class path.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The contents.
    pub bytes: Bytes,
    /// The folder or jar it came from.
    pub origin: Arc<Path>,
}

/// Why a class path cannot be used, or something on it not be read.
#[derive(Debug)]
pub enum ClassPathError {
    /// A jar is broken.
    Archive(ArchiveError),
    /// A file or folder is there but cannot be read.
    Io(PathBuf, io::Error),
    /// A file in a folder is larger than [`ENTRY_LIMIT`].
    TooLarge(PathBuf),
}

impl fmt::Display for ClassPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClassPathError::Archive(error) => write!(f, "class path: {error}"),
            ClassPathError::Io(path, error) => write!(f, "class path: cannot read {}: {error}", path.display()),
            ClassPathError::TooLarge(path) => {
                write!(
                    f,
                    "class path: {} is larger than {} MiB; leave it out",
                    path.display(),
                    ENTRY_LIMIT >> 20
                )
            }
        }
    }
}

impl std::error::Error for ClassPathError {}

impl From<ArchiveError> for ClassPathError {
    fn from(error: ArchiveError) -> ClassPathError {
        ClassPathError::Archive(error)
    }
}

impl ClassPath {
    /// The feature version of the JDK that it is for.
    pub fn feature(&self) -> u16 {
        self.feature
    }

    /// An empty class path for a JDK of this feature version, which decides what multi-release jars show.
    pub fn new(feature: u16) -> ClassPath {
        ClassPath {
            feature,
            entries: Vec::new(),
            known: HashSet::new(),
        }
    }

    /// Reads a class path as `java -cp` does: entries with `:` (on Windows `;`) between them, an empty one meaning the
    /// current folder. What does not exist is left out; a broken jar is an error.
    pub fn parse(text: &str, feature: u16) -> Result<ClassPath, ClassPathError> {
        let mut class_path = ClassPath::new(feature);
        for path in std::env::split_paths(text) {
            class_path.add(&path)?;
        }
        Ok(class_path)
    }

    /// Appends a folder, a jar with the `Class-Path` of its manifest, or all jars of a folder (`folder/*`).
    pub fn add(&mut self, path: &Path) -> Result<(), ClassPathError> {
        if path.file_name().is_some_and(|name| name == "*") {
            for jar in jars_of(path.parent().unwrap_or(Path::new("")))? {
                self.add_one(&jar)?;
            }
            return Ok(());
        }
        self.add_one(path)
    }

    fn add_one(&mut self, path: &Path) -> Result<(), ClassPathError> {
        // Jars refer to jars: an explicit stack, so that no chain of manifests is too long.
        let mut waiting = vec![path.to_owned()];
        while let Some(path) = waiting.pop() {
            let path = if path.as_os_str().is_empty() {
                PathBuf::from(".")
            } else {
                path
            };
            let Ok(real) = path.canonicalize() else { continue };
            if !self.known.insert(real.clone()) {
                continue;
            }
            let archive = if real.is_dir() {
                None
            } else {
                Some(Archive::open(&path, self.feature)?)
            };
            if let Some(archive) = &archive {
                waiting.extend(archive.class_path().into_iter().rev());
            }
            self.entries.push(Entry {
                path: Arc::from(path),
                archive,
            });
        }
        Ok(())
    }

    /// The folders and jars in the order in which they are searched.
    pub fn entries(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().map(|entry| &*entry.path)
    }

    /// A class by its internal name (`p/Main`), from the first entry that has it.
    pub fn class(&self, name: &str) -> Result<Option<Hit>, ClassPathError> {
        self.find(&format!("{name}.class"))
    }

    /// A resource by its path (`p/names.txt`), from the first entry that has it.
    pub fn find(&self, path: &str) -> Result<Option<Hit>, ClassPathError> {
        for entry in &self.entries {
            if let Some(hit) = entry.find(path)? {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }

    /// A resource from every entry that has it, in order.
    pub fn find_all(&self, path: &str) -> Result<Vec<Hit>, ClassPathError> {
        self.entries
            .iter()
            .filter_map(|entry| entry.find(path).transpose())
            .collect()
    }
}

impl Entry {
    fn find(&self, path: &str) -> Result<Option<Hit>, ClassPathError> {
        let bytes = match &self.archive {
            Some(archive) => archive.find(path)?,
            None => file_in(&self.path, path)?,
        };
        Ok(bytes.map(|bytes| Hit {
            bytes,
            origin: self.path.clone(),
        }))
    }
}

/// The contents of a file below `folder`. A path that could lead out of it finds nothing.
fn file_in(folder: &Path, path: &str) -> Result<Option<Bytes>, ClassPathError> {
    let outside: &[char] = if cfg!(windows) { &['\\', ':', '\0'] } else { &['\0'] };
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(outside);
    if !path.split('/').all(plain) {
        return Ok(None);
    }
    let file = folder.join(path);
    if !file.is_file() {
        return Ok(None);
    }
    match read_limited(&file, ENTRY_LIMIT) {
        Ok(Some(bytes)) => Ok(Some(bytes)),
        Ok(None) => Err(ClassPathError::TooLarge(file)),
        Err(error) => Err(ClassPathError::Io(file, error)),
    }
}

/// The jars of a folder, sorted by name so that every run sees the same order; `java` promises none.
fn jars_of(folder: &Path) -> Result<Vec<PathBuf>, ClassPathError> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let in_folder = |error| ClassPathError::Io(folder.to_owned(), error);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut jars = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(in_folder)? {
        let path = entry.map_err(in_folder)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "jar" || extension == "JAR")
            && path.is_file()
        {
            jars.push(path);
        }
    }
    jars.sort_unstable();
    Ok(jars)
}
