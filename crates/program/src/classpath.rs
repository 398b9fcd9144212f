//! The class path: folders, jars and `folder/*`, searched in order as `java` does.
//!
//! Folders come from the user alone. The manifest of a jar, which may be a stranger's, adds archives and nothing else:
//! otherwise `Class-Path: /` would let the program read every file. A class that `java` would find in a folder that only a
//! manifest names is an error, not a missing class.

use crate::archive::{ARCHIVE_LIMIT, Archive, ArchiveError, ENTRY_LIMIT};
use crate::bytes::Bytes;
use crate::input::{quoted, quoted_path, read_limited};
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many paths manifests may name, all together.
const MOST_NAMED: usize = 2000;

/// Where classes that are not the JDK's are looked for.
#[derive(Debug)]
pub struct ClassPath {
    feature: u16,
    entries: Vec<Entry>,
    /// Where in `entries` each real path is: a manifest's `Class-Path` may come back to where it started.
    known: HashMap<PathBuf, usize>,
    /// How many paths manifests have named so far, and how many bytes the archives there have.
    named: (usize, u64),
    /// Paths that were named and do not exist.
    absent: Vec<PathBuf>,
}

#[derive(Debug)]
struct Entry {
    path: Arc<Path>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Folder,
    Archive(Archive),
    /// A folder that only a manifest names: nothing is read from it.
    LeftOut,
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
    /// The manifests of jars name too much: the last one.
    Manifests(PathBuf),
    /// A file lies in a folder that only a manifest names.
    LeftOut(PathBuf, String),
}

impl fmt::Display for ClassPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClassPathError::Archive(error) => write!(f, "class path: {error}"),
            ClassPathError::Io(path, error) => {
                write!(f, "class path: cannot read {}: {error}", quoted_path(path))
            }
            ClassPathError::TooLarge(path) => {
                write!(
                    f,
                    "class path: {} is larger than {} MiB; leave it out",
                    quoted_path(path),
                    ENTRY_LIMIT >> 20
                )
            }
            ClassPathError::Manifests(path) => write!(
                f,
                "class path: the manifest of {} and those of the jars before it name more than {MOST_NAMED} paths or {} MiB\n\
                 give a jar with a shorter Class-Path",
                quoted_path(path),
                ARCHIVE_LIMIT >> 20
            ),
            ClassPathError::LeftOut(folder, file) => write!(
                f,
                "class path: {} lies in the folder {}, which only the manifest of a jar names: a manifest adds jars, no \
                 folders; name the folder with -cp",
                quoted(file),
                quoted_path(folder)
            ),
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
            known: HashMap::new(),
            named: (0, 0),
            absent: Vec::new(),
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
        let mut waiting = vec![(path.to_owned(), true)];
        while let Some((path, by_user)) = waiting.pop() {
            let path = if path.as_os_str().is_empty() {
                PathBuf::from(".")
            } else {
                path
            };
            let Ok(real) = path.canonicalize() else {
                self.absent.push(path);
                continue;
            };
            let is_folder = real.is_dir();
            if let Some(&at) = self.known.get(&real) {
                // A folder that a manifest named first is used where it stands, now that the user names it too.
                if by_user && is_folder {
                    self.entries[at].kind = Kind::Folder;
                }
                continue;
            }
            self.known.insert(real, self.entries.len());
            let kind = if !is_folder {
                let archive = Archive::open(&path, self.feature)?;
                let others = archive.class_path();
                self.named.0 += others.len();
                self.named.1 += if by_user { 0 } else { archive.size() };
                if self.named.0 > MOST_NAMED || self.named.1 > ARCHIVE_LIMIT {
                    return Err(ClassPathError::Manifests(path));
                }
                waiting.extend(others.into_iter().rev().map(|path| (path, false)));
                Kind::Archive(archive)
            } else if by_user {
                Kind::Folder
            } else {
                Kind::LeftOut
            };
            self.entries.push(Entry {
                path: Arc::from(path),
                kind,
            });
        }
        Ok(())
    }

    /// The folders and jars in the order in which they are searched.
    pub fn entries(&self) -> impl Iterator<Item = &Path> {
        let used = |entry: &&Entry| !matches!(entry.kind, Kind::LeftOut);
        self.entries.iter().filter(used).map(|entry| &*entry.path)
    }

    /// Paths that were named and do not exist.
    pub fn absent(&self) -> &[PathBuf] {
        &self.absent
    }

    /// Puts a folder before everything else.
    pub fn prepend(&mut self, folder: &Path) {
        self.known.values_mut().for_each(|at| *at += 1);
        if let Ok(real) = folder.canonicalize() {
            self.known.insert(real, 0);
        }
        let first = Entry {
            path: Arc::from(folder),
            kind: Kind::Folder,
        };
        self.entries.insert(0, first);
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
        let bytes = match &self.kind {
            Kind::Archive(archive) => archive.find(path)?,
            Kind::Folder => file_in(&self.path, path)?,
            Kind::LeftOut => match plain_file(&self.path, path) {
                Some(_) => return Err(ClassPathError::LeftOut(self.path.to_path_buf(), path.to_owned())),
                None => None,
            },
        };
        Ok(bytes.map(|bytes| Hit {
            bytes,
            origin: self.path.clone(),
        }))
    }
}

/// A file below `folder`, if there is one. A path that could lead out of it finds nothing.
fn plain_file(folder: &Path, path: &str) -> Option<PathBuf> {
    let outside: &[char] = if cfg!(windows) { &['\\', ':', '\0'] } else { &['\0'] };
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(outside);
    if !path.split('/').all(plain) {
        return None;
    }
    Some(folder.join(path)).filter(|file| file.is_file())
}

/// The contents of a file below `folder`.
fn file_in(folder: &Path, path: &str) -> Result<Option<Bytes>, ClassPathError> {
    let Some(file) = plain_file(folder, path) else {
        return Ok(None);
    };
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
