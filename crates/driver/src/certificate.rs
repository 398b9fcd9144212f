//! Certificates: what was proved of which bytecode, and which operations that allows.

use crate::Failure;
use crate::jdk_operations::{Group, groups};
use machine::Operations;
use program::classfile::{ClassFile, Constant};
use program::image::Image;
use program::input::{self, FILE_LIMIT};
use program::jdk::Jdk;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Those that come with Raddle, for each JDK.
const BUILT_IN: [(u16, &str); 3] = [
    (17, include_str!("certificates/17.txt")),
    (21, include_str!("certificates/21.txt")),
    (25, include_str!("certificates/25.txt")),
];

/// Code below this package is part of what a certificate is about, as far as the classes of a group lead to it.
const PACKAGE: &str = "java/util/concurrent/";

/// A certificate for a group of classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// The group's name.
    pub group: String,
    /// A hash of the bytecode of its classes and of those that they use, and of what the table says of them.
    pub bytecode: String,
    /// How many scenarios were explored to their end.
    pub scenarios: u64,
    /// How many more had too many states, and were walked through at random.
    pub walked: u64,
    /// How many had too many states even with operations at once.
    pub too_large: u64,
    /// The most threads.
    pub threads: u64,
    /// The most calls of each.
    pub calls: u64,
    /// All states.
    pub states: u64,
    /// The day, as 2026-11-18.
    pub date: String,
}

impl Certificate {
    /// As it is written down.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let _ = write!(
            text,
            "group {}\n  bytecode {}\n  scenarios {}\n  walked {}\n  too-large {}\n  threads {}\n  calls {}\n  states {}\n  date {}\n",
            self.group,
            self.bytecode,
            self.scenarios,
            self.walked,
            self.too_large,
            self.threads,
            self.calls,
            self.states,
            self.date
        );
        text
    }
}

/// Reads certificates. What is no line of one is passed over, so that an older Raddle reads those of a newer one.
pub fn read(text: &str) -> Vec<Certificate> {
    let mut certificates: Vec<Certificate> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((key, value)) = line.trim().split_once(' ') else {
            continue;
        };
        if key == "group" {
            certificates.push(Certificate {
                group: value.to_owned(),
                ..Certificate::default()
            });
        }
        let Some(last) = certificates.last_mut() else {
            continue;
        };
        let number = value.parse().unwrap_or(0);
        match key {
            "bytecode" => value.clone_into(&mut last.bytecode),
            "scenarios" => last.scenarios = number,
            "walked" => last.walked = number,
            "too-large" => last.too_large = number,
            "threads" => last.threads = number,
            "calls" => last.calls = number,
            "states" => last.states = number,
            "date" => value.clone_into(&mut last.date),
            _ => {}
        }
    }
    // The date comes last. One without it was being written when something happened.
    certificates.retain(|one| !one.date.is_empty());
    certificates
}

/// Those of a file.
pub fn load(file: &Path) -> Result<Vec<Certificate>, Failure> {
    let text = input::read(file, FILE_LIMIT)
        .map_err(|error| Failure::input(format!("cannot read {}: {error}", file.display())))?;
    Ok(read(&String::from_utf8_lossy(&text)))
}

/// Those that come with Raddle for a JDK.
pub fn built_in(feature: u16) -> Vec<Certificate> {
    let texts = BUILT_IN.iter().filter(|(of, _)| *of == feature);
    texts.flat_map(|(_, text)| read(text)).collect()
}

/// A hash of the bytecode of a group: of its classes, those within them, and all of `java.util.concurrent` that they name, and so on.
pub struct Bytecode<'i> {
    image: &'i Image,
    known: BTreeMap<String, Option<Code>>,
}

/// What is known of a class.
struct Code {
    /// The classes that it names.
    named: BTreeSet<String>,
    /// A hash of its file.
    hash: [u8; 32],
}

impl<'i> Bytecode<'i> {
    /// Of the classes of a JDK.
    pub fn new(jdk: &'i Jdk) -> Bytecode<'i> {
        Bytecode {
            image: jdk.image(),
            known: BTreeMap::new(),
        }
    }

    /// The hash; none if the JDK has none of the classes.
    pub fn of(&mut self, group: &Group) -> Option<String> {
        let names = group.classes.iter().map(|class| class.name.replace('.', "/"));
        let mut open: Vec<String> = names.map(|name| name.trim_end_matches("$*").to_owned()).collect();
        let mut seen = BTreeSet::new();
        let mut all = BTreeMap::new();
        while let Some(name) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if let Some(code) = self.class(&name) {
                open.extend(code.named.iter().cloned());
                all.insert(name, code.hash);
            }
        }
        let mut hasher = Sha256::new();
        // Another table would need another proof.
        hasher.update(format!("{:?}", group.classes));
        for (name, hash) in &all {
            hasher.update(name.as_bytes());
            hasher.update(hash);
        }
        let text = hasher.finalize().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        (!all.is_empty()).then_some(text)
    }

    fn class(&mut self, name: &str) -> Option<&Code> {
        if !self.known.contains_key(name) {
            let read = self.image.class(name).and_then(|(bytes, _)| {
                let file = ClassFile::parse(bytes.clone()).ok()?;
                let named = (1..file.pool.len() as u16).filter_map(|index| match *file.pool.get(index) {
                    Constant::Class(name) => Some(file.pool.text(name)),
                    _ => None,
                });
                let element = |name: &str| {
                    name.trim_start_matches('[')
                        .trim_start_matches('L')
                        .trim_end_matches(';')
                        .to_owned()
                };
                let named = named.map(element).filter(|name| name.starts_with(PACKAGE)).collect();
                Some(Code {
                    named,
                    hash: Sha256::digest(bytes.as_ref()).into(),
                })
            });
            self.known.insert(name.to_owned(), read);
        }
        self.known.get(name)?.as_ref()
    }
}

/// The groups that a certificate allows to take effect at once on a JDK, with their certificates.
pub fn certified(jdk: &Jdk, certificates: &[Certificate]) -> Vec<(Group, Certificate)> {
    let mut bytecode = Bytecode::new(jdk);
    let found = groups().into_iter().filter_map(|group| {
        let mut of_group = certificates.iter().filter(|one| one.group == group.name).peekable();
        of_group.peek()?;
        let hash = bytecode.of(&group)?;
        let certificate = of_group.find(|one| one.bytecode == hash)?.clone();
        Some((group, certificate))
    });
    found.collect()
}

/// Their operations.
pub fn operations<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Operations {
    let mut operations = Operations::default();
    groups.into_iter().for_each(|group| group.add_to(&mut operations));
    operations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_read_as_it_was_written() {
        let one = Certificate {
            group: "ReentrantLock".to_owned(),
            bytecode: "00ff".to_owned(),
            scenarios: 3,
            walked: 2,
            too_large: 1,
            threads: 3,
            calls: 2,
            states: 77,
            date: "2026-11-18".to_owned(),
        };
        let two = Certificate {
            group: "Semaphore".to_owned(),
            ..one.clone()
        };
        let text = format!("# A remark.\n{}\n{}  news 5\n", one.to_text(), two.to_text());
        assert_eq!(read(&text), [one.clone(), two]);
        let whole = one.to_text();
        let cut = &whole[..whole.len() - "  date 2026-11-18\n".len()];
        assert_eq!(read(&format!("{whole}{cut}")), [one], "half a certificate is none");
        assert_eq!(read("  states 5\nnonsense\n"), []);
    }
}
