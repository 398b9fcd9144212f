//! The only window on the host: the JDK's own files and the class path, read-only.

use machine::Files;
use program::archive::ARCHIVE_LIMIT;
use program::input;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Answers for paths below the JDK's home and below the entries of the class path; nothing else exists.
pub struct HostFiles {
    home: String,
    version: String,
    feature: u32,
    class_path: String,
    /// The same entry by entry, the archives that manifests add, and what of all that does not exist.
    places: Vec<String>,
    roots: Vec<PathBuf>,
    /// Folders of the JDK. Where a link in them leads is the business of who installed it.
    trusted: Vec<PathBuf>,
    /// What was read: a program that reads a file in small pieces asks for all of it each time.
    contents: Mutex<HashMap<PathBuf, Arc<[u8]>>>,
}

impl HostFiles {
    /// A window on these folders and files: the entries of the class path that exist, and the archives that their manifests
    /// name.
    pub fn new(home: &Path, version: &str, feature: u32, class_path: &str, entries: &[PathBuf]) -> HostFiles {
        let roots = entries
            .iter()
            .map(|entry| std::path::absolute(entry).unwrap_or_else(|_| entry.clone()))
            .collect();
        let mut places: Vec<String> = class_path.split(':').map(str::to_owned).collect();
        for entry in entries {
            let entry = entry.to_string_lossy();
            if !places.iter().any(|known| *known == *entry) {
                places.push(entry.into_owned());
            }
        }
        HostFiles {
            home: home.to_string_lossy().into_owned(),
            version: version.to_owned(),
            feature,
            class_path: class_path.to_owned(),
            places,
            roots,
            trusted: ["lib", "conf"].iter().map(|folder| home.join(folder)).collect(),
            contents: Mutex::default(),
        }
    }

    /// Paths of the class path at which there is nothing: a program may find that out.
    pub fn with_absent(mut self, paths: &[PathBuf]) -> HostFiles {
        self.places
            .extend(paths.iter().map(|path| path.to_string_lossy().into_owned()));
        self
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
        let read: Arc<[u8]> = input::read(&path, ARCHIVE_LIMIT).ok()?[..].into();
        contents.insert(path, read.clone());
        Some(read)
    }

    fn withholds(&self, path: &str) -> bool {
        let within = |path: &Path| self.roots.iter().any(|root| path.starts_with(root));
        let shown = || self.is_folder(path) || self.read(path).is_some();
        std::path::absolute(path).is_ok_and(|path| within(&path)) && Path::new(path).exists() && !shown()
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

    fn places(&self) -> &[String] {
        &self.places
    }
}
