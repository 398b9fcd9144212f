//! Which of the compiled classes is to be run, and which sources they came from.

use super::SourceError;
use crate::classfile::{ClassFile, MethodInfo, flags};
use crate::input::{FILE_LIMIT, read_limited};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Classes by internal name.
pub(super) type Classes = BTreeMap<String, ClassFile>;

/// Reads every class below a folder that the compiler filled.
pub(super) fn read_classes(folder: &Path) -> Result<Classes, SourceError> {
    let mut classes = Classes::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let in_folder = |error| SourceError::Io(folder.clone(), error);
        for entry in std::fs::read_dir(&folder).map_err(in_folder)? {
            let entry = entry.map_err(in_folder)?;
            let path = entry.path();
            if entry.file_type().map_err(in_folder)?.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "class") {
                let bytes = match read_limited(&path, FILE_LIMIT) {
                    Ok(Some(bytes)) => bytes,
                    Ok(None) => return Err(SourceError::TooLarge(path)),
                    Err(error) => return Err(SourceError::Io(path, error)),
                };
                let file = ClassFile::parse(bytes).map_err(|error| SourceError::Output(path, error.to_string()))?;
                classes.insert(file.pool.class_name(file.this_class).to_owned(), file);
            }
        }
    }
    Ok(classes)
}

/// The source of a class, relative to the root of its package.
fn source_of(name: &str, file: &ClassFile) -> Option<PathBuf> {
    let source = file.pool.text(file.source_file?);
    let package = name.rsplit_once('/').map_or("", |(package, _)| package);
    Some(Path::new(package).join(source))
}

fn is_of(file: &ClassFile, source: &Path) -> bool {
    source
        .file_name()
        .is_some_and(|name| file.source_file.is_some_and(|index| name == file.pool.text(index)))
}

/// The other sources from which classes were made, sorted.
pub(super) fn sources(classes: &Classes, root: &Path, source: &Path) -> Vec<PathBuf> {
    let paths = classes
        .iter()
        .filter_map(|(name, file)| source_of(name, file))
        .map(|path| root.join(path));
    let mut paths: Vec<PathBuf> = paths.filter(|path| path != source && path.is_file()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// The classes of a source: the one named like the file, then those that follow in the file, those inside other classes
/// last.
pub(super) fn classes_of(classes: &Classes, source: &Path) -> Vec<String> {
    let stem = source.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    // Several packages may have a file of this name; the source's folder tells which one is meant, if its package does.
    let folder = source.parent().unwrap_or(Path::new(""));
    let rank = |name: &str, file: &ClassFile| {
        let (package, simple) = name.rsplit_once('/').unwrap_or(("", name));
        let is_nested = file.inner_classes.iter().any(|row| row.inner == file.this_class);
        (!folder.ends_with(package), simple != stem, is_nested, first_line(file))
    };
    let mut own: Vec<_> = classes.iter().filter(|(_, file)| is_of(file, source)).collect();
    own.sort_by_key(|(name, file)| rank(name, file));
    own.into_iter().map(|(name, _)| name.clone()).collect()
}

/// The smallest line of a class's code: where it stands in its file, near enough.
fn first_line(file: &ClassFile) -> u16 {
    let lines = file
        .methods
        .iter()
        .filter_map(|method| method.code.as_ref())
        .flat_map(|code| &code.lines);
    lines.map(|row| row.1).min().unwrap_or(u16::MAX)
}

/// Whether `java` would run a class: it or a superclass made with it has a main method.
pub(super) fn has_main(classes: &Classes, name: &str, feature: u16) -> bool {
    let Some(class) = classes.get(name) else { return false };
    let mut current = class;
    // A class may, in a broken output, be its own ancestor.
    for _ in 0..=classes.len() {
        if current
            .methods
            .iter()
            .any(|method| is_main(class, current, method, feature))
        {
            return true;
        }
        match classes.get(current.pool.class_name(current.super_class)) {
            Some(parent) => current = parent,
            None => return false,
        }
    }
    false
}

fn is_main(class: &ClassFile, declaring: &ClassFile, method: &MethodInfo, feature: u16) -> bool {
    const ARGUMENTS: &str = "([Ljava/lang/String;)V";
    let pool = &declaring.pool;
    if pool.text(method.name) != "main" {
        return false;
    }
    let has = |bits: u16| method.flags & bits == bits;
    let descriptor = pool.text(method.descriptor);
    if has(flags::PUBLIC | flags::STATIC) && descriptor == ARGUMENTS {
        return true;
    }
    // JEP 512: final in 25, and before that a preview that marks the class.
    let relaxed = feature >= 25 || class.minor == u16::MAX;
    let can_create = || {
        let constructor = |method: &&MethodInfo| {
            class.pool.text(method.name) == "<init>" && class.pool.text(method.descriptor) == "()V"
        };
        let constructor = class.methods.iter().find(constructor);
        class.flags & flags::ABSTRACT == 0 && constructor.is_some_and(|method| method.flags & flags::PRIVATE == 0)
    };
    relaxed
        && matches!(descriptor, ARGUMENTS | "()V")
        && !has(flags::PRIVATE)
        && !has(flags::ABSTRACT)
        && (has(flags::STATIC) || can_create())
}
