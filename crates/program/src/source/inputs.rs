//! What goes into a compilation: the keys of the cache, the package of a source, the state of the class path.

use super::SourceError;
use crate::input::{FILE_LIMIT, read_limited};
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// Beyond so many files a class path is not looked through, and the classes are compiled anew each time.
const CLASS_PATH_LIMIT: usize = 20_000;

/// A hash over a sequence of things, 128 bits wide.
#[derive(Clone)]
pub(super) struct Key(Xxh3);

impl Key {
    pub fn new(tag: &str) -> Key {
        let mut key = Key(Xxh3::new());
        key.add(tag.as_bytes());
        key
    }

    /// Appends one thing. Its length goes in too: ("a", "bc") is not ("ab", "c").
    pub fn add(&mut self, bytes: &[u8]) -> &mut Key {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub fn add_path(&mut self, path: &Path) -> &mut Key {
        self.add(path.as_os_str().as_encoded_bytes())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0.digest128())
    }
}

/// The contents of a source file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, SourceError> {
    match read_limited(path, FILE_LIMIT) {
        Ok(Some(bytes)) => Ok(bytes.to_vec()),
        Ok(None) => Err(SourceError::TooLarge(path.to_owned())),
        Err(error) => Err(SourceError::Io(path.to_owned(), error)),
    }
}

/// The key together with what these sources contain now; `None` if one cannot be read.
pub(super) fn with_contents(key: &Key, paths: &[PathBuf]) -> Option<Key> {
    let mut key = key.clone();
    for path in paths {
        key.add_path(path).add(&read(path).ok()?);
    }
    Some(key)
}

/// Reads a list of paths, one a line.
pub(super) fn read_list(list: &Path) -> Option<Vec<PathBuf>> {
    let text = std::fs::read_to_string(list).ok()?;
    Some(text.lines().map(PathBuf::from).collect())
}

/// Writes a list of paths. A path that is not one line of text cannot be listed.
pub(super) fn write_list(list: &Path, paths: &[PathBuf]) -> io::Result<()> {
    let mut text = String::new();
    for path in paths {
        match path.to_str() {
            Some(path) if !path.contains(['\n', '\r']) => text.extend([path, "\n"]),
            _ => return Err(io::Error::other("the path of a source is not one line of text")),
        }
    }
    std::fs::write(list, text)
}

/// The folder above the source's package, where its neighbours are; `None` if its folders are not named like its package.
pub(super) fn source_root(absolute: &Path, text: &[u8]) -> Option<PathBuf> {
    let mut folder = absolute.parent()?;
    let package = package_of(&String::from_utf8_lossy(text));
    for part in package.rsplit('.').filter(|part| !part.is_empty()) {
        match folder.components().next_back() {
            Some(Component::Normal(name)) if name == part => folder = folder.parent()?,
            _ => return None,
        }
    }
    Some(folder.to_owned())
}

/// The package that a source declares (`a.b`), or "".
pub(super) fn package_of(text: &str) -> String {
    let text = without_comments(text.trim_start_matches('\u{FEFF}'));
    let Some(rest) = text.trim_start().strip_prefix("package") else {
        return String::new();
    };
    if !rest.starts_with(char::is_whitespace) {
        return String::new();
    }
    let name = rest.split(';').next().unwrap_or_default();
    name.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// The text up to the first `;` or `{`, each comment replaced by a space. No literal can stand before a package's end.
fn without_comments(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').and_then(|end| comment.get(end..)).unwrap_or("");
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
            result.push(' ');
        } else {
            result.push(letter);
            if matches!(letter, ';' | '{') {
                break;
            }
            rest = rest.get(letter.len_utf8()..).unwrap_or("");
        }
    }
    result
}

/// Adds the state of the class path to the key: names, sizes and times of its jars and class files. `false` if it is too
/// large to be looked through.
pub(super) fn add_class_path(key: &mut Key, class_path: &str) -> bool {
    if class_path.is_empty() {
        return true;
    }
    // Most class paths are relative to the current folder.
    key.add_path(&std::env::current_dir().unwrap_or_default());
    let mut budget = CLASS_PATH_LIMIT;
    std::env::split_paths(class_path).all(|path| add_entry(key, &path, &mut budget))
}

fn add_entry(key: &mut Key, path: &Path, budget: &mut usize) -> bool {
    if path.file_name().is_some_and(|name| name == "*") {
        let folder = path.parent().unwrap_or(Path::new("."));
        return add_folder(key, folder, "jar", 0, budget);
    }
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => add_folder(key, path, "class", 64, budget),
        Ok(metadata) => {
            add_file(key, path, &metadata);
            true
        }
        Err(_) => true,
    }
}

fn add_file(key: &mut Key, path: &Path, metadata: &std::fs::Metadata) {
    key.add_path(path).add(&metadata.len().to_le_bytes());
    let time = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    key.add(&time.unwrap_or_default().as_nanos().to_le_bytes());
}

fn add_folder(key: &mut Key, folder: &Path, extension: &str, depth: u32, budget: &mut usize) -> bool {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return true;
    };
    let mut paths = Vec::new();
    for entry in entries.flatten() {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        paths.push(entry.path());
    }
    paths.sort_unstable();
    paths.iter().all(|path| {
        let is_wanted = path
            .extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(extension));
        // A folder whose name has a dot or a dash is no package: no class in it can be found.
        let is_package = || {
            path.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| !name.contains(['.', '-']))
        };
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() && depth > 0 && is_package() => {
                add_folder(key, path, extension, depth - 1, budget)
            }
            Ok(metadata) if metadata.is_file() && is_wanted => {
                add_file(key, path, &metadata);
                true
            }
            _ => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_found_behind_comments() {
        for (text, expected) in [
            ("class A {}", ""),
            ("package a.b;class A {}", "a.b"),
            (
                "\u{FEFF}// x\n/* package no; */ package\n a . /* y */ b // z\n ;\n",
                "a.b",
            ),
            ("/* open", ""),
            ("// package no;", ""),
            ("packages x;", ""),
            ("import a.b; package c;", ""),
            ("", ""),
        ] {
            assert_eq!(package_of(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_source_root_is_above_the_package() {
        for (path, text, expected) in [
            ("/w/A.java", "", Some("/w")),
            ("/w/a/b/A.java", "package a.b;", Some("/w")),
            ("/w/b/A.java", "package a.b;", None),
            ("/A.java", "package a;", None),
        ] {
            assert_eq!(
                source_root(Path::new(path), text.as_bytes()),
                expected.map(PathBuf::from),
                "{path}"
            );
        }
    }

    #[test]
    fn keys_tell_sequences_apart() {
        let key = |parts: &[&str]| {
            let mut key = Key::new("t");
            for part in parts {
                key.add(part.as_bytes());
            }
            key.to_string()
        };
        assert_eq!(key(&["a", "bc"]), key(&["a", "bc"]));
        assert_ne!(key(&["a", "bc"]), key(&["ab", "c"]));
        assert_eq!(key(&[]).len(), 32);
    }
}
