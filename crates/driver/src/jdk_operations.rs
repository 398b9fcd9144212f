//! The operations of the JDK's library that may take effect at once: the table of what is tried, by layers and groups.

use machine::{Effect, Operations};

const TABLE: &str = include_str!("jdk_operations.txt");

/// The package of all classes of the table.
const PACKAGE: &str = "java.util.concurrent";

/// Classes that are certified together: objects, and what they hand out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// A group rests on those of the layers below.
    pub layer: u32,
    /// Its name.
    pub name: String,
    /// Classes whose methods are called to certify it, and how an object is made.
    pub subjects: Vec<(String, String)>,
    /// Its classes.
    pub classes: Vec<Class>,
}

/// A class with operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its name with the package; `*` stands for any part of it.
    pub name: String,
    /// Whether the program may extend it.
    pub is_open: bool,
    /// Its operations, by name or name and descriptor.
    pub methods: Vec<(String, Effect)>,
}

impl Group {
    /// Adds its operations to a table.
    pub fn add_to(&self, operations: &mut Operations) {
        for class in &self.classes {
            for (method, effect) in &class.methods {
                let added = operations.add(&format!("{}.{method}", class.name), *effect, class.is_open);
                debug_assert_eq!(added, Ok(()));
            }
        }
    }

    /// Whether any of these methods, given with the names of their classes, is one of its operations.
    pub fn has_any(&self, methods: &[String]) -> bool {
        let patterns = self.classes.iter().flat_map(|class| {
            let methods = class.methods.iter();
            methods.map(|(method, _)| format!("{}.{}", class.name, method.split('(').next().unwrap_or_default()))
        });
        patterns.into_iter().any(|pattern| Operations::names(&pattern, methods))
    }

    /// The names of the operations of one of its classes; those that look at who waits are none.
    pub fn names(&self, class: &str) -> Vec<String> {
        let methods = self
            .classes
            .iter()
            .filter(|one| one.name == class)
            .flat_map(|one| &one.methods);
        let operations = methods.filter(|(_, effect)| *effect != Effect::Looking && *effect != Effect::Cancelling);
        let mut names: Vec<String> = operations
            .map(|(method, _)| method.split('(').next().unwrap_or_default().to_owned())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The full name of a class of the table.
pub fn full_name(class: &str) -> String {
    format!("{PACKAGE}.{class}")
}

/// All of the table.
pub fn groups() -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let indent = line.len() - line.trim_start().len();
        match (indent, &words[..], groups.last_mut()) {
            (0, [layer, name], _) => groups.push(Group {
                layer: layer.parse().unwrap_or(0),
                name: (*name).to_owned(),
                subjects: Vec::new(),
                classes: Vec::new(),
            }),
            (4, ["certify", class, new @ ..], Some(group)) => group.subjects.push(((*class).to_owned(), new.join(" "))),
            (4, ["class", name, rest @ ..], Some(group)) => group.classes.push(Class {
                name: full_name(name),
                is_open: rest == ["open"],
                methods: Vec::new(),
            }),
            (8, methods, Some(group)) => {
                if let Some(class) = group.classes.last_mut() {
                    class.methods.extend(methods.iter().copied().map(read));
                }
            }
            _ => debug_assert!(words.is_empty(), "{line}"),
        }
    }
    groups
}

/// A method and the mark behind it.
fn read(word: &str) -> (String, Effect) {
    const MARKS: [(char, Effect); 11] = [
        ('!', Effect::WhenAble),
        ('@', Effect::GivesUp),
        ('=', Effect::AwaitsSignal),
        ('+', Effect::Signalling),
        ('?', Effect::WhenAbleAlone),
        ('^', Effect::Crowding),
        ('/', Effect::Task),
        ('%', Effect::TaskUncancelled),
        ('&', Effect::Cancelling),
        ('$', Effect::Reacquiring),
        ('~', Effect::Looking),
    ];
    let marked = MARKS
        .iter()
        .find_map(|&(mark, effect)| Some((word.strip_suffix(mark)?, effect)));
    let (name, effect) = marked.unwrap_or((word, Effect::AtOnce));
    (name.to_owned(), effect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let groups = groups();
        let lock = &groups[0];
        assert_eq!((lock.layer, &*lock.name), (2, "ReentrantLock"));
        assert_eq!(lock.subjects[1].1, "ReentrantLock(true)");
        let class = &lock.classes[0];
        assert_eq!(class.name, "java.util.concurrent.locks.ReentrantLock");
        assert!(class.methods.contains(&("lock".to_owned(), Effect::WhenAble)));
        assert!(class.methods.contains(&("unlock".to_owned(), Effect::AtOnce)));
        assert!(lock.names(&class.name).contains(&"tryLock".to_owned()));
        assert!(!lock.names(&class.name).contains(&"hasQueuedThreads".to_owned()));
        assert!(groups.iter().all(|group| (2..=4).contains(&group.layer)));
        assert!(
            groups
                .iter()
                .all(|group| !group.subjects.is_empty() && !group.classes.is_empty())
        );
        assert!(groups.windows(2).all(|two| two[0].layer <= two[1].layer));
        let classes = groups.iter().flat_map(|group| &group.classes);
        assert!(classes.into_iter().all(|class| !class.methods.is_empty()));
    }
}
