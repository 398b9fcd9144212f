//! Going back and writing down, on real programs: `undo` after `apply` restores every word, `decode` after `encode`
//! gives the same state, and the order of allocation does not show.

#[path = "../common/mod.rs"]
mod common;
mod process;
mod propositions;
mod single;
mod walks;

use kernel::{StateVector, Transitions};
use machine::Machine;
use machine::system::Action;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Numbers that look random and are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}

/// The vector of the present state, which is the same afresh.
fn vector(machine: &mut Machine<'_>) -> Vec<u32> {
    let mut vector = StateVector::default();
    machine.encode(&mut vector);
    let mut afresh = StateVector::default();
    machine.encode_afresh(&mut afresh);
    assert!(
        vector == afresh && vector.ends() == afresh.ends(),
        "what was kept does not fit: {}",
        difference(&vector.words(), &afresh.words())
    );
    vector.words()
}

/// The actions that can be taken.
fn enabled(transitions: &Transitions<Action>) -> Vec<Action> {
    let entries = transitions.entries().iter();
    entries.filter(|next| next.enabled).map(|next| next.action).collect()
}

/// Where two vectors part, with what stands around it.
fn difference(one: &[u32], two: &[u32]) -> String {
    let word = one
        .iter()
        .zip(two)
        .position(|(a, b)| a != b)
        .unwrap_or(one.len().min(two.len()));
    let around = |words: &[u32]| {
        format!(
            "{:x?}",
            &words[word.saturating_sub(8).min(words.len())..words.len().min(word + 8)]
        )
    };
    format!(
        "at word {word} of {} and {}:\n{}\n{}",
        one.len(),
        two.len(),
        around(one),
        around(two)
    )
}

/// Compiles sources that a test has made into a folder of its own.
fn compile_sources(name: &str, sources: &[(String, String)]) -> PathBuf {
    let folder = common::root().join("target").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target can be written");
    let mut files = Vec::new();
    for (class, text) in sources {
        let file = folder.join(format!("{class}.java"));
        fs::write(&file, text).expect("target can be written");
        files.push(file);
    }
    let javac = common::jdks()
        .into_iter()
        .find_map(|jdk| jdk.javac())
        .expect("a JDK with javac");
    let status = Command::new(javac)
        .arg("-g")
        .arg("-d")
        .arg(&folder)
        .args(files)
        .status()
        .expect("javac runs");
    assert!(status.success(), "the sources compile");
    folder
}
