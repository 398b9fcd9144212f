//! The only window on the host: the JDK's own files and the class path, read-only.

use machine::Files;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Answers for paths below the JDK's home and below the entries of the class path; nothing else exists.
pub struct HostFiles {
    home: String,
    version: String,
    feature: u32,
    class_path: String,
    roots: Vec<PathBuf>,
    /// Folders of the JDK. Where a link in them leads is the business of who installed it.
    trusted: Vec<PathBuf>,
    /// What was read: a program that reads a file in small pieces asks for all of it each time.
    contents: Mutex<HashMap<PathBuf, Arc<[u8]>>>,
}

impl HostFiles {
    /// A window on these folders and files.
    pub fn new(home: &Path, version: &str, feature: u32, class_path: &str, entries: &[PathBuf]) -> HostFiles {
        let roots = entries
            .iter()
            .map(|entry| std::path::absolute(entry).unwrap_or_else(|_| entry.clone()))
            .collect();
        HostFiles {
            home: home.to_string_lossy().into_owned(),
            version: version.to_owned(),
            feature,
            class_path: class_path.to_owned(),
            roots,
            trusted: ["lib", "conf"].iter().map(|folder| home.join(folder)).collect(),
            contents: Mutex::default(),
        }
    }

    /// The path, if it lies within the window once links and `..` are resolved.
    fn allowed(&self, path: &str) -> Option<PathBuf> {
        let path = Path::new(path);
        let plain = !path.components().any(|part| part == Component::ParentDir);
        if plain && self.trusted.iter().any(|folder| path.starts_with(folder)) {
            return Some(path.to_owned());
        }
        let real = path.canonicalize().ok()?;
        self.roots
            .iter()
            .filter_map(|root| root.canonicalize().ok())
            .any(|root| real.starts_with(&root))
            .then_some(real)
    }
}

impl Files for HostFiles {
    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        let path = self.allowed(path)?;
        let mut contents = self.contents.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = contents.get(&path) {
            return Some(known.clone());
        }
        let read: Arc<[u8]> = std::fs::read(&path).ok()?.into();
        contents.insert(path, read.clone());
        Some(read)
    }

    fn is_folder(&self, path: &str) -> bool {
        self.allowed(path).is_some_and(|path| path.is_dir())
    }

    fn list(&self, path: &str) -> Vec<String> {
        let Some(folder) = self.allowed(path) else {
            return Vec::new();
        };
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn java_home(&self) -> &str {
        &self.home
    }

    fn feature(&self) -> u32 {
        self.feature
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn class_path(&self) -> &str {
        &self.class_path
    }
}
