//! The only window on the host: the JDK's own files and the class path, read-only.

use machine::Files;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Answers for paths below the JDK's home and below the entries of the class path; nothing else exists.
pub struct HostFiles {
    home: String,
    version: String,
    feature: u32,
    class_path: String,
    roots: Vec<PathBuf>,
}

impl HostFiles {
    /// A window on these folders and files.
    pub fn new(home: &Path, version: &str, feature: u32, class_path: &str, entries: &[PathBuf]) -> HostFiles {
        let mut roots: Vec<PathBuf> = ["lib", "conf"].iter().map(|folder| home.join(folder)).collect();
        roots.extend(
            entries
                .iter()
                .map(|entry| std::path::absolute(entry).unwrap_or_else(|_| entry.clone())),
        );
        HostFiles {
            home: home.to_string_lossy().into_owned(),
            version: version.to_owned(),
            feature,
            class_path: class_path.to_owned(),
            roots,
        }
    }

    /// The path, if it lies within the window once links and `..` are resolved.
    fn allowed(&self, path: &str) -> Option<PathBuf> {
        let real = Path::new(path).canonicalize().ok()?;
        self.roots
            .iter()
            .filter_map(|root| root.canonicalize().ok())
            .any(|root| real.starts_with(&root))
            .then_some(real)
    }
}

impl Files for HostFiles {
    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        std::fs::read(self.allowed(path)?).ok().map(Arc::from)
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
