//! A vector means the same in another process, once that has taken over the tables behind it.

use crate::{Dice, common, difference, enabled, vector};
use kernel::Transitions;
use machine::Machine;
use std::fs;
use std::path::{Path, PathBuf};
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
            fs::write(left.with_extension("tables"), machine.export()).expect("target can be written");
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
    // What ran on another world before does not matter.
    common::with_machine(&jdk, &classes, |machine, _| run(machine, "Records"));
    common::with_machine(&jdk, &classes, |machine, _| {
        machine.import(&tables).unwrap_or_else(|error| panic!("{error}"));
        read(machine, &blocks);
        eprintln!("JDK {feature}: {} vectors read by another process", blocks.len() / 3);
        // This world has gone on: it knows more than the other, and of that nothing else.
        run(machine, "ThreadLocalBasic");
        machine.restart();
        machine.import(&tables).unwrap_or_else(|error| panic!("{error}"));
        read(machine, &blocks[..30]);
    });
}

/// Reads vectors, writes them down again, and takes the steps that were taken from them.
fn read(machine: &mut Machine<'_>, blocks: &[Vec<u32>]) {
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
}

/// Runs a program from the image, under one schedule.
fn run(machine: &mut Machine<'_>, name: &str) {
    machine.restart();
    machine
        .launch(name, &[])
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    machine.run();
}

/// What a new world, in which `programs` have run, says of tables.
fn refusal(classes: &Path, programs: &[&str], tables: &[u8]) -> Option<String> {
    let mut answer = None;
    common::with_machine(&common::jdks()[0], classes, |machine, _| {
        for name in programs {
            run(machine, name);
        }
        answer = machine.import(tables).err().map(|error| error.to_string());
    });
    answer
}

/// A world in which the numbers of another one mean something else takes nothing over, and says what differs.
#[test]
fn a_world_that_differs_is_refused_in_words() {
    let all = common::compile(&common::fixtures());
    let classes = common::root().join("target/world-that-differs");
    let _ = fs::remove_dir_all(&classes);
    fs::create_dir_all(&classes).expect("target can be written");
    for name in ["Records", "LambdaCapture"] {
        for file in fs::read_dir(&all).expect("fixtures are compiled").flatten() {
            let own = file.file_name();
            if own.to_string_lossy().starts_with(name) {
                fs::copy(file.path(), classes.join(own)).expect("target can be written");
            }
        }
    }
    let mut tables = Vec::new();
    common::with_machine(&common::jdks()[0], &classes, |machine, _| {
        run(machine, "Records");
        tables = machine.export();
    });
    assert_eq!(refusal(&classes, &[], &tables), None);
    assert_eq!(refusal(&classes, &["Records"], &tables), None);
    assert_eq!(refusal(&classes, &["Records", "LambdaCapture"], &tables), None);

    let check = |programs: &[&str], expected: &[&str]| {
        let said = refusal(&classes, programs, &tables).expect("the worlds differ");
        for words in expected {
            assert!(said.contains(words), "{words:?} is not said: {said}");
        }
    };
    check(&["LambdaCapture"], &[" is ", " here", " there"]);
    // The same name with another class file: an attribute that no JVM looks at is called otherwise.
    let file = classes.join("Records.class");
    let mut bytes = fs::read(&file).expect("it was copied");
    let at = bytes
        .windows(10)
        .position(|name| name == b"SourceFile")
        .expect("javac names it");
    bytes[at] = b'T';
    fs::write(&file, bytes).expect("target can be written");
    check(&[], &["(Records, by loader 2) has other content here than there"]);
    check(
        &["Records"],
        &["(Records, by loader 2) has other content here than there"],
    );
    fs::remove_file(&file).expect("target can be written");
    check(
        &[],
        &["(Records, by loader 2) cannot be had here: class Records was not found"],
    );
}
