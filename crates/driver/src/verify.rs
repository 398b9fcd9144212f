//! The classes that a program talks to Raddle with: their sources are built in, and compiled when a program needs them.

use crate::Failure;
use program::input::{self, FILE_LIMIT};
use program::jdk::Jdk;
use program::source;
use std::path::{Path, PathBuf};

/// The classes of Raddle's own, each by its file and its source.
pub const RADDLE: [(&str, &str); 2] = [
    ("raddle/Verify.java", include_str!("../../../java/raddle/Verify.java")),
    ("raddle/History.java", include_str!("../../../java/raddle/History.java")),
];

const CLASSES: [(&str, &str, &str); 3] = [
    (RADDLE[0].0, "raddle.Verify", RADDLE[0].1),
    (RADDLE[1].0, "raddle.History", RADDLE[1].1),
    (
        "gov/nasa/jpf/vm/Verify.java",
        "gov.nasa.jpf.vm.Verify",
        include_str!("../../../java/gov/nasa/jpf/vm/Verify.java"),
    ),
];

/// A file in the cache with a source that is built in.
pub fn written(path: &Path, text: &str) -> Result<PathBuf, Failure> {
    let file = source::cache_folder()
        .join("verify")
        .join(env!("CARGO_PKG_VERSION"))
        .join(path);
    let write = || -> std::io::Result<()> {
        if std::fs::read_to_string(&file).is_ok_and(|known| known == text) {
            return Ok(());
        }
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&file, text)
    };
    write().map_err(|error| Failure::input(format!("cannot write {}: {error}", file.display())))?;
    Ok(file)
}

/// Folders with those of the classes that a source file names, to be put last on its class path.
pub fn folders(source: &Path, jdk: &Jdk) -> Result<Vec<String>, Failure> {
    let Ok(text) = input::read(source, FILE_LIMIT) else {
        return Ok(Vec::new());
    };
    let text = String::from_utf8_lossy(&text);
    let mut folders = Vec::new();
    for (path, name, class) in CLASSES {
        let package = name.rsplit_once('.').map_or("", |(package, _)| package);
        if !text.contains(name) && !text.contains(&format!("{package}.*")) {
            continue;
        }
        let file = written(Path::new(path), class)?;
        let compiled = source::compile(&file, jdk, "", &[]).map_err(|error| Failure::input(error.to_string()))?;
        folders.push(compiled.folder.to_string_lossy().into_owned());
    }
    Ok(folders)
}
