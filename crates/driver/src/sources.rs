//! Source texts, for traces: found beside what was compiled, in the folders that the user names, or not at all.

use program::input::{self, FILE_LIMIT};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Finds sources.
pub struct Sources {
    /// Files that are known by themselves.
    files: Vec<PathBuf>,
    /// Folders in which packages begin, or files lie directly.
    folders: Vec<PathBuf>,
    read: HashMap<String, Option<Vec<String>>>,
}

impl Sources {
    /// Looks for sources in these files and folders, in this order.
    pub fn new(places: Vec<PathBuf>) -> Sources {
        let (folders, files) = places.into_iter().partition(|path| path.is_dir());
        Sources {
            files,
            folders,
            read: HashMap::new(),
        }
    }

    /// The lines of the source file of a class.
    pub fn lines(&mut self, class: &str, file: &str) -> Option<&[String]> {
        if file.is_empty() {
            return None;
        }
        let package = match class.rsplit_once('.') {
            Some((package, _)) => package.replace('.', "/"),
            None => String::new(),
        };
        let key = format!("{package}/{file}");
        if !self.read.contains_key(&key) {
            let text = self
                .find(&package, file)
                .and_then(|path| input::read(&path, FILE_LIMIT).ok());
            let lines = text.map(|bytes| {
                let text = String::from_utf8_lossy(&bytes);
                text.lines().map(str::to_owned).collect()
            });
            self.read.insert(key.clone(), lines);
        }
        self.read.get(&key)?.as_deref()
    }

    /// One line, without the space around it; empty if it is not known.
    pub fn line(&mut self, class: &str, file: &str, line: u32) -> String {
        let lines = self.lines(class, file).unwrap_or_default();
        let text = (line as usize).checked_sub(1).and_then(|index| lines.get(index));
        text.map(|text| text.trim().to_owned()).unwrap_or_default()
    }

    fn find(&self, package: &str, file: &str) -> Option<PathBuf> {
        // A class file may name any text as its source: only a plain file name is one.
        if Path::new(file).components().count() != 1 || file.contains(['/', '\\']) {
            return None;
        }
        let named = self
            .files
            .iter()
            .find(|path| path.file_name().is_some_and(|name| name == file));
        named.cloned().or_else(|| {
            let in_folders = self.folders.iter();
            in_folders
                .flat_map(|folder| [folder.join(package).join(file), folder.join(file)])
                .find(|path| path.is_file())
        })
    }
}
