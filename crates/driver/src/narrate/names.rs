//! Names of objects, cells and values, as a reader of Java writes them.

use machine::inspect::{Cell, CellName};
use machine::{Address, Machine};
use program::world::ClassKind;
use std::collections::HashMap;

/// The name of a class without its package; for a synchronizer inside a lock, that of the lock.
pub(super) fn simple(class: &str) -> String {
    let plain = class.rsplit('.').next().unwrap_or(class);
    if plain.contains("$$Lambda") {
        return "lambda".to_owned();
    }
    let inner_of_jdk = class.starts_with("java.util.concurrent.");
    match plain.split_once('$') {
        Some((outer, _)) if inner_of_jdk => outer.to_owned(),
        _ => plain
            .rsplit('$')
            .next()
            .filter(|name| !name.is_empty())
            .unwrap_or(plain)
            .to_owned(),
    }
}

/// Names of objects: the class and a number in the order in which they come up.
#[derive(Default)]
pub(super) struct Names {
    given: HashMap<Address, String>,
    counts: HashMap<String, usize>,
}

impl Names {
    pub(super) fn object(&mut self, machine: &mut Machine<'_>, object: Address) -> String {
        if object == 0 {
            return "null".to_owned();
        }
        let class = machine.class_of(object);
        if class == machine.known.string {
            let text = machine.text(object);
            let short: String = text.chars().take(40).collect();
            let dots = if short.len() < text.len() { "…" } else { "" };
            return format!("\"{short}{dots}\"");
        }
        if class == machine.known.class {
            let mirrored = machine.mirrored(object);
            return format!("{}.class", simple(&machine.program.class(mirrored).external_name()));
        }
        let described = machine.program.class(class);
        let name = described.external_name();
        if matches!(
            &*name,
            "java.lang.Integer" | "java.lang.Long" | "java.lang.Boolean" | "java.lang.Short"
        ) && let Some(cell) = machine.cell(object, machine.offset_of_value(class))
            && let Some(text) = machine.primitive_text(&cell)
        {
            return text;
        }
        if machine.program.is_subclass(class, machine.known.thread) {
            let name = machine.get(object, "java/lang/Thread", "name");
            return format!("thread \"{}\"", machine.text_or_null(name).unwrap_or_default());
        }
        if let Some(name) = self.given.get(&object) {
            return name.clone();
        }
        let mut plain = simple(&name);
        if let ClassKind::Array(_) = described.kind {
            let mut element = described;
            let mut dimensions = String::new();
            while let ClassKind::Array(of) = element.kind {
                element = machine.program.class(of);
                dimensions.push_str("[]");
            }
            let length = machine.array_length(object);
            plain = format!("{}[{length}]{}", simple(&element.external_name()), &dimensions[2..]);
        }
        // A lock and the synchronizer inside it are one thing to the reader.
        let inner = machine
            .field_named(object, "sync")
            .map_or(0, |cell| machine.memory.load(cell.at));
        if let Some(name) = self.given.get(&inner).cloned() {
            self.given.insert(object, name.clone());
            return name;
        }
        let count = self.counts.entry(plain.clone()).or_insert(0);
        *count += 1;
        let name = format!("{plain}#{count}");
        self.given.insert(object, name.clone());
        if inner != 0 {
            self.given.insert(inner, name.clone());
        }
        name
    }

    pub(super) fn cell(&mut self, machine: &mut Machine<'_>, cell: &Cell) -> String {
        match &cell.name {
            CellName::Static(class, name) => format!("{}.{name}", simple(class)),
            CellName::Field(_, name) => format!("{}.{name}", self.object(machine, cell.object)),
            CellName::Element(index) => format!("{}[{index}]", self.object(machine, cell.object)),
        }
    }

    pub(super) fn value(&mut self, machine: &mut Machine<'_>, cell: &Cell) -> String {
        match machine.primitive_text(cell) {
            Some(text) => text,
            None => {
                let object = machine.memory.load(cell.at);
                self.object(machine, object)
            }
        }
    }
}
