//! Ten thousand broken class files: each ends in an error or a run, never in a panic, a hang or a crash.

mod common;

use machine::{End, LaunchError};
use program::bytes::Bytes;
use program::classfile::ClassFile;
use program::world::LoaderId;
use std::process::Command;

const MUTANTS: usize = 10_000;

/// Numbers that look random and are the same on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound.max(1)
    }
}

/// The class under a name of its own, with a few bytes broken: mostly in the code, where the reader does not look.
fn mutant(original: &[u8], code: &[std::ops::Range<usize>], number: usize, dice: &mut Dice) -> (String, Vec<u8>) {
    let name = format!("M{number:06}");
    let mut bytes = original.to_vec();
    for at in 0..bytes.len() - 7 {
        if &bytes[at..at + 7] == b"M000000" {
            bytes[at..at + 7].copy_from_slice(name.as_bytes());
        }
    }
    for _ in 0..=dice.below(3) {
        let at = match dice.below(10) {
            0 => dice.below(bytes.len()),
            1 => dice.below(bytes.len().min(900)),
            _ => {
                let range = &code[dice.below(code.len())];
                range.start + dice.below(range.len())
            }
        };
        let Some(byte) = bytes.get_mut(at) else { continue };
        *byte = match dice.below(4) {
            0 => dice.next() as u8,
            1 => byte.wrapping_add(1),
            2 => byte.wrapping_sub(1),
            _ => *byte ^ 1 << dice.below(8),
        };
    }
    if dice.below(50) == 0 {
        bytes.truncate(dice.below(bytes.len()));
    }
    (name, bytes)
}

#[test]
fn a_broken_class_file_is_an_error_or_a_run() {
    let jdk = common::jdks().remove(0);
    let folder = common::root().join("target/hostile");
    std::fs::create_dir_all(&folder).expect("target can be written");
    let source = common::root().join("crates/cli/tests/hostile/M000000.java");
    let javac = jdk.javac().expect("a JDK with javac");
    let status = Command::new(javac)
        .arg("-g")
        .arg("-d")
        .arg(&folder)
        .arg(source)
        .status()
        .expect("javac runs");
    assert!(status.success(), "the sound class compiles");
    let original = std::fs::read(folder.join("M000000.class")).expect("javac has written it");
    let file = ClassFile::parse(Bytes::from(original.clone())).expect("the sound class is sound");
    let code: Vec<_> = file
        .methods
        .iter()
        .filter_map(|method| Some(method.code.as_ref()?.code.clone()))
        .collect();
    let (mut refused, mut ended, mut failed, mut stopped) = (0, 0, 0, 0);
    common::with_machine(&jdk, &folder, |machine, console| {
        let mut dice = Dice(1);
        for number in 1..=MUTANTS {
            let (name, bytes) = mutant(&original, &code, number, &mut dice);
            // What is printed last before a crash names the mutant.
            if std::env::var_os("RADDLE_VERBOSE").is_some() {
                std::fs::write(folder.join("last.class"), &bytes).expect("target can be written");
                eprintln!("{name}");
            }
            machine.restart();
            console.feed(b"");
            if machine
                .program
                .define(LoaderId::APP, Some(&name), Bytes::from(bytes))
                .is_err()
            {
                refused += 1;
                continue;
            }
            machine.limit_turns(30);
            match machine.launch(&name, &[]) {
                Ok(()) => match machine.run() {
                    End::Exit(0) => ended += 1,
                    End::Exit(_) => failed += 1,
                    _ => stopped += 1,
                },
                Err(LaunchError::NoMain(_) | LaunchError::Class(..)) => refused += 1,
                Err(error) => panic!("{name}: {error}"),
            }
        }
    });
    eprintln!("{MUTANTS} mutants: {refused} refused, {ended} ran, {failed} failed in Java, {stopped} were stopped");
    assert!(
        refused > 0 && ended > 0 && failed > 0,
        "mutants of every sort are wanted"
    );
}
