//! A vector means the same in another process, once that has taken over the tables behind it.

use crate::{Dice, common, difference, enabled, vector};
use kernel::Transitions;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Names the file that the first process has left for the second.
const LEFT: &str = "RADDLE_LEFT_BY_FIRST";

/// Blocks of words, each after its length.
fn pack(blocks: &[Vec<u32>]) -> Vec<u8> {
    let words = blocks
        .iter()
        .flat_map(|block| std::iter::once(block.len() as u32).chain(block.iter().copied()));
    words.flat_map(u32::to_le_bytes).collect()
}

fn unpack(bytes: &[u8]) -> Vec<Vec<u32>> {
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let mut blocks = Vec::new();
    let mut rest = &words[..];
    while let Some((&length, tail)) = rest.split_first() {
        let (block, tail) = tail.split_at(length as usize);
        blocks.push(block.to_vec());
        rest = tail;
    }
    blocks
}

/// The first process walks through programs, and leaves its tables and, now and then, a vector and the one that the
/// next step leads to. The second process, which has run none of them, reads that, and takes the same steps.
#[test]
fn a_vector_means_the_same_in_another_process() {
    let names = [
        "JucReentrantLock",
        "ThreadDining",
        "Records",
        "WaitTimed",
        "LambdaCapture",
        "ProxyHandlers",
        "ClassLoading",
    ];
    let all = common::fixtures();
    let classes = common::compile(&all);
    for jdk in common::jdks() {
        let left = common::root().join(format!("target/left-{}", jdk.feature()));
        common::with_machine(&jdk, &classes, |machine, _| {
            let mut blocks = Vec::new();
            for name in names {
                machine.restart();
                machine
                    .launch(name, &[])
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                let mut dice = Dice(99);
                let mut transitions = Transitions::default();
                for step in 0..2_500 {
                    machine.transitions(&mut transitions);
                    let enabled = enabled(&transitions);
                    if enabled.is_empty() {
                        break;
                    }
                    let chosen = dice.below(enabled.len());
                    let before = (step % 100 == 0).then(|| vector(machine));
                    machine
                        .apply(enabled[chosen])
                        .unwrap_or_else(|error| panic!("{name}, step {step}: {error}"));
                    if let Some(before) = before {
                        blocks.extend([vec![chosen as u32], before, vector(machine)]);
                    }
                }
            }
            fs::write(left.with_extension("tables"), machine.shared.export()).expect("target can be written");
            fs::write(&left, pack(&blocks)).expect("target can be written");
        });
        let status = Command::new(std::env::current_exe().expect("a test knows itself"))
            .args(["--exact", "process::the_second_process", "--nocapture"])
            .env(LEFT, &left)
            .status()
            .expect("the second process starts");
        assert!(
            status.success(),
            "JDK {}: the second process reads something else",
            jdk.feature()
        );
    }
}

/// What the second process of the test above does; nothing when run by itself.
#[test]
fn the_second_process() {
    let Some(left) = std::env::var_os(LEFT).map(PathBuf::from) else {
        return;
    };
    let feature = left
        .to_string_lossy()
        .rsplit('-')
        .next()
        .and_then(|text| text.parse().ok())
        .expect("a version");
    let jdk = common::jdk(feature).expect("the first process had it");
    let classes = common::compile(&common::fixtures());
    let tables = fs::read(left.with_extension("tables")).expect("the first process has left it");
    let blocks = unpack(&fs::read(&left).expect("the first process has left it"));
    common::with_machine(&jdk, &classes, |machine, _| {
        machine.shared.import(&tables).unwrap_or_else(|error| panic!("{error}"));
        let mut transitions = Transitions::default();
        for (number, triple) in blocks.chunks_exact(3).enumerate() {
            machine
                .decode(&triple[1])
                .unwrap_or_else(|_| panic!("vector {number} cannot be read"));
            let again = vector(machine);
            assert!(
                again == triple[1],
                "vector {number}: {}",
                difference(&again, &triple[1])
            );
            machine.transitions(&mut transitions);
            let enabled = enabled(&transitions);
            machine
                .apply(enabled[triple[0][0] as usize])
                .unwrap_or_else(|error| panic!("vector {number}: {error}"));
            let next = vector(machine);
            assert!(
                next == triple[2],
                "after vector {number}: {}",
                difference(&next, &triple[2])
            );
        }
        eprintln!("JDK {feature}: {} vectors read by another process", blocks.len() / 3);
    });
}
