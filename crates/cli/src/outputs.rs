//! Files that a command is to write, looked at before it begins.

use crate::publish::check_writable;
use driver::Failure;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Refuses to write two things into one file.
fn refuse_shared_outputs<'p>(mut written: impl Iterator<Item = &'p PathBuf>) -> Result<(), Failure> {
    // A file need not exist yet, but its folder must.
    let file = |path: &PathBuf| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let resolved = absolute.canonicalize().or_else(|_| {
            let folder = absolute.parent().unwrap_or(Path::new("/")).canonicalize()?;
            Ok::<_, std::io::Error>(folder.join(absolute.file_name().unwrap_or_default()))
        });
        resolved.unwrap_or(absolute)
    };
    let mut seen = BTreeSet::new();
    match written.find(|path| !seen.insert(file(path))) {
        None => Ok(()),
        Some(path) => Err(Failure::input(format!(
            "two outputs would be written to {}: give each a file of its own",
            program::input::quoted_path(path)
        ))),
    }
}

/// What comes before anything that may take long: whatever is to be written can be, and is not the program itself.
pub fn get_ready<'p>(written: impl Iterator<Item = &'p PathBuf> + Clone, program: &str) -> Result<(), Failure> {
    let program = Path::new(program);
    refuse_shared_outputs(written.clone())?;
    for path in written {
        if path
            .canonicalize()
            .ok()
            .is_some_and(|path| program.canonicalize().is_ok_and(|program| path == program))
        {
            return Err(Failure::input(format!("{} is the program itself", path.display())));
        }
        if path != Path::new("-") {
            check_writable(path)?;
        }
    }
    Ok(())
}
