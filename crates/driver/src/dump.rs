//! What Raddle makes of a class.

use crate::observer::Observer;
use crate::options::Classes;
use crate::{Failure, target};
use program::input::quoted;
use program::ir;
use program::world::{LoaderId, Program};
use std::path::Path;

/// Three-address code.
pub struct Dumped {
    /// The code of the methods that have some.
    pub text: String,
    /// What is wrong with the last method that has none, if any should have some.
    pub failure: Option<Failure>,
}

/// The three-address code of a class or of its methods of one name.
pub fn dump(classes: &Classes, what: &str, observer: &mut dyn Observer) -> Result<Dumped, Failure> {
    let is_file = Path::new(what).is_file();
    let target = target::resolve(classes, what, None, observer)?;
    let program = Program::new(target.jdk.image().clone(), target.class_path)
        .map_err(|error| Failure::unknown(format!("no memory for the tables of classes: {error}")))?;
    let name = target.main_class;
    let (class, method) = match program.load(LoaderId::APP, &name) {
        Ok(class) => (class, None),
        Err(error) => {
            let fallback = name.rsplit_once('/').filter(|_| !is_file);
            let (class_name, method) = fallback.ok_or_else(|| Failure::input(error.to_string()))?;
            let class = program
                .load(LoaderId::APP, class_name)
                .map_err(|_| Failure::input(error.to_string()))?;
            (class, Some(method.to_owned()))
        }
    };
    let mut shown = false;
    let mut text = String::new();
    let mut failure = None;
    let described = program.class(class);
    for &id in &described.methods {
        let found = program.method(id);
        if method
            .as_deref()
            .is_some_and(|wanted| *wanted != **program.text(found.name))
        {
            continue;
        }
        shown = true;
        let title = format!(
            "{}.{}{}",
            described.name,
            program.text(found.name),
            program.text(found.descriptor)
        );
        if found.is_native() || found.is_abstract() {
            let kind = if found.is_native() { "native" } else { "abstract" };
            text += &format!("{}: {kind}\n\n", quoted(title));
            continue;
        }
        match program.code(found) {
            Ok(code) => {
                text += &report::clean_lines(&format!("{}\n", ir::show(described.file.as_deref(), &title, code)))
            }
            Err(error) => failure = Some(Failure::input(error.to_string())),
        }
    }
    if !shown {
        let wanted = method.unwrap_or_default();
        return Err(Failure::input(format!(
            "class {} has no method {wanted}",
            described.external_name()
        )));
    }
    Ok(Dumped { text, failure })
}
