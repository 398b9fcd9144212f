//! From what the user typed to classes that can be loaded.

use crate::Failure;
use crate::observer::Observer;
use crate::options::Classes;
use crate::subject::guarded;
use crate::verify;
use program::archive::Archive;
use program::classfile::ClassFile;
use program::classpath::ClassPath;
use program::input::{self, FILE_LIMIT, quoted, quoted_path};
use program::jdk::Jdk;
use program::source;
use std::path::{Path, PathBuf};

/// A program to be loaded.
pub struct Target {
    /// The JDK whose library it runs on.
    pub jdk: Jdk,
    /// Where its classes are.
    pub class_path: ClassPath,
    /// The same, as text.
    pub class_path_text: String,
    /// Its main class: internal name.
    pub main_class: String,
    /// The method to begin with instead of `main`, with the full name of its class if the user names one.
    pub entry: Option<String>,
}

/// Finds out what `program` is: a source file, a class file, a jar or a class on the class path. With an `entry`, a source
/// file needs no `main`.
pub fn resolve(
    classes: &Classes,
    program: &str,
    entry: Option<&str>,
    observer: &mut dyn Observer,
) -> Result<Target, Failure> {
    if guarded::is_model(program) {
        let shown = quoted(program);
        let message = format!("{shown} is a model, which can only be checked: raddle check {shown}");
        return Err(Failure::input(message));
    }
    let jdk = Jdk::find(classes.jdk.as_deref()).map_err(|error| Failure::input(error.to_string()))?;
    let path = Path::new(program);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let mut entry = entry.map(str::to_owned);
    let mut class_path = None;
    let (class_path_text, main_class) = match extension {
        "java" => {
            let found = source_file(classes, &jdk, path, &mut entry, observer)?;
            class_path = Some(found.class_path);
            (found.text, found.main_class)
        }
        "class" => class_file(classes, path)?,
        "jar" => jar_file(&jdk, path)?,
        _ if path.is_file() || program.starts_with(['/', '.']) => {
            let what = "a program is a .java, .class, .jar or .rad file, or the name of a class";
            return Err(Failure::input(format!("{} is no program: {what}", quoted(program))));
        }
        _ => {
            let text = if classes.class_path.is_empty() {
                ".".to_owned()
            } else {
                classes.class_path.clone()
            };
            (text, program.replace('.', "/"))
        }
    };
    let class_path = match class_path {
        Some(class_path) => class_path,
        None => parse(&class_path_text, &jdk)?,
    };
    Ok(Target {
        jdk,
        class_path,
        class_path_text,
        main_class,
        entry,
    })
}

fn parse(text: &str, jdk: &Jdk) -> Result<ClassPath, Failure> {
    ClassPath::parse(text, jdk.feature()).map_err(|error| Failure::input(error.to_string()))
}

/// What a source file was compiled to.
struct Source {
    class_path: ClassPath,
    text: String,
    main_class: String,
}

/// Compiles a source file. An entry within a class that the file has is given that class's full name.
fn source_file(
    classes: &Classes,
    jdk: &Jdk,
    path: &Path,
    entry: &mut Option<String>,
    observer: &mut dyn Observer,
) -> Result<Source, Failure> {
    let mut others: Vec<String> = Vec::new();
    if !classes.class_path.is_empty() {
        others.push(classes.class_path.clone());
    }
    others.extend(verify::folders(path, jdk)?);
    let others = others.join(":");
    // The compiler would wait for ever for a pipe on the class path.
    let mut class_path = match &*others {
        "" => ClassPath::new(jdk.feature()),
        text => parse(text, jdk)?,
    };
    let compiled = source::compile(path, jdk, &others, &[]).map_err(|error| Failure::input(error.to_string()))?;
    if !compiled.messages.is_empty() {
        observer.warns(&compiled.messages);
    }
    if let Some((class, method)) = entry.as_ref().and_then(|entry| entry.rsplit_once(['.', '#']))
        && let Some(full) = within(&compiled.classes, class)
    {
        *entry = Some(format!("{full}.{method}"));
    }
    let first = entry.as_ref().and_then(|_| compiled.classes.first().cloned());
    let main_class = compiled.main_class.or(first).ok_or_else(|| {
        Failure::input(format!(
            "{} has no main method; give one as `public static void main(String[] args)`, or name another method with \
             --entry (raddle check)",
            quoted_path(path)
        ))
    })?;
    let mut text = compiled.folder.to_string_lossy().into_owned();
    if !others.is_empty() {
        text = format!("{text}:{others}");
    }
    class_path.prepend(&compiled.folder);
    Ok(Source {
        class_path,
        text,
        main_class,
    })
}

/// The class of a source file, of these in the order in which they matter, that a user calls so: in full, or without the
/// package, or without the class around it.
fn within(classes: &[String], called: &str) -> Option<String> {
    let path = |name: &str| name.replace(['.', '$'], "/");
    let called = path(called);
    let is_called = |name: &&String| {
        let name = path(name);
        let before = name.strip_suffix(&*called);
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let found = classes.iter().find(is_called);
    Some(found?.replace('/', "."))
}

fn class_file(classes: &Classes, path: &Path) -> Result<(String, String), Failure> {
    let bytes = input::read(path, FILE_LIMIT)
        .map_err(|error| Failure::input(format!("cannot read {}: {error}", quoted_path(path))))?;
    let file = ClassFile::parse(bytes).map_err(|error| {
        Failure::input(format!(
            "{} is not a class file that can be run: {error}",
            quoted_path(path)
        ))
    })?;
    let name = file.pool.class_name(file.this_class).to_owned();
    // The folder from which the class's own name leads to the file.
    let mut root: PathBuf = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for part in name.rsplit('/') {
        let fits =
            root.file_stem().is_some_and(|stem| stem == part) || root.file_name().is_some_and(|name| name == part);
        if !fits {
            return Err(Failure::input(format!(
                "{} holds class {}; it must lie in a folder structure of that name",
                quoted_path(path),
                quoted(name.replace('/', "."))
            )));
        }
        root.pop();
    }
    let mut text = root.to_string_lossy().into_owned();
    if !classes.class_path.is_empty() {
        text = format!("{text}:{}", classes.class_path);
    }
    Ok((text, name))
}

fn jar_file(jdk: &Jdk, path: &Path) -> Result<(String, String), Failure> {
    let archive = Archive::open(path, jdk.feature()).map_err(|error| Failure::input(error.to_string()))?;
    let main_class = archive.main_class().ok_or_else(|| {
        Failure::input(format!(
            "{} has no Main-Class in its manifest; name the class: -cp {0} CLASS",
            quoted_path(path)
        ))
    })?;
    Ok((path.to_string_lossy().into_owned(), main_class.replace('.', "/")))
}
