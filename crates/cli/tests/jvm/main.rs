//! Raddle against real JVMs: whatever a program observes in thousands of runs on `java`, Raddle observes in its search.
//!
//! All searches share one machine, so that they agree says nothing about the machine. These programs (`fixtures/jvm`, each public
//! method without arguments is one) are small and free of data races, and what they observe depends on the schedule. The harness
//! calls each many times on fresh classes. What Raddle observes beyond that is fine: a JVM need not show all that may happen.

#[path = "../common/mod.rs"]
mod common;

use common::cases::{self, on_all_cores, scratch};
use program::classfile::ClassFile;
use program::classfile::flags::{PUBLIC, STATIC};
use program::jdk::Jdk;
use report::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How often a JVM runs each program.
const TIMES: &str = "300";

fn java_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("sources are there").flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "java"));
    files.sort();
    files
}

/// Compiles sources into a folder of their own.
fn compile(jdk: &Jdk, name: &str, class_path: &Path, sources: &[PathBuf]) -> PathBuf {
    let folder = scratch(&format!("jvm/{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target can be written");
    let mut javac = Command::new(jdk.javac().expect("a JDK with javac"));
    javac.args(["-g", "--release", "17", "-d"]).arg(&folder);
    let status = javac.arg("-cp").arg(class_path).args(sources).status();
    assert!(status.expect("javac runs").success(), "{name} compiles");
    folder
}

/// The programs among some classes: `Class.method`.
fn programs(classes: &Path, sources: &[PathBuf]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        let class = source.file_stem().expect("a source has a name").to_string_lossy();
        let bytes = fs::read(classes.join(&*class).with_extension("class")).expect("javac has written it");
        let file = ClassFile::parse(bytes.into()).expect("javac writes class files");
        for method in &file.methods {
            let is_program = method.flags & (PUBLIC | STATIC) == PUBLIC | STATIC;
            if is_program && file.pool.text(method.descriptor) == "()V" {
                found.push(format!("{class}.{}", file.pool.text(method.name)));
            }
        }
    }
    found
}

/// What a JVM observes, by program.
fn on_jvm(jdk: &Jdk, harness: &Path, classes: &Path, programs: &[String]) -> BTreeMap<String, BTreeSet<i32>> {
    let java = jdk.home().join("bin/java");
    let output = Command::new(java)
        .arg("-cp")
        .arg(harness)
        .arg("Harness")
        .arg(classes)
        .arg(TIMES)
        .args(programs)
        .output()
        .expect("java runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaint.is_empty(), "{complaint}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = |line: &str| {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default().to_owned();
        (
            name,
            words.map(|word| word.parse().expect("values are numbers")).collect(),
        )
    };
    text.lines().map(row).collect()
}

/// What Raddle observes, or what is wrong with the program.
fn in_search(jdk: &Jdk, class_path: &str, program: &str) -> Result<BTreeSet<i32>, String> {
    let mut command = cases::raddle();
    command.args(["check", "--json", "-", "--states", "3000000", "--jdk"]);
    command.arg(jdk.home()).args(["-cp", class_path, "--entry", program]);
    command.arg(program.split('.').next().unwrap_or_default());
    let report = cases::run(command).report()?;
    match report.verdict {
        Verdict::Holds => Ok(report.observations.iter().map(|seen| seen.value).collect()),
        other => Err(format!("{other} {:?} {:?}", report.reason, report.violations)),
    }
}

#[test]
fn what_a_jvm_observes_is_observed() {
    let folder = common::root().join("fixtures/jvm");
    let harness = common::root().join("crates/cli/tests/jvm/harness");
    let sources = java_files(&folder);
    let verify = [common::root().join("java/raddle/Verify.java")];
    let jdks = common::jdks();
    let javac = jdks.iter().find(|jdk| jdk.javac().is_some()).expect("a JDK with javac");
    let nowhere = Path::new(".");
    let ours = compile(javac, "verify", nowhere, &verify);
    let classes = compile(javac, "programs", &ours, &sources);
    let harness = compile(
        javac,
        "harness",
        nowhere,
        &[java_files(&harness), java_files(&harness.join("raddle"))].concat(),
    );
    let programs = programs(&classes, &sources);
    assert!(programs.len() >= 40, "{programs:?}");
    let class_path = format!("{}:{}", classes.display(), ours.display());
    let mut wrong = Vec::new();
    // A runtime without a compiler may be one that was unpacked to be read, not to be run.
    for jdk in jdks.iter().filter(|jdk| jdk.javac().is_some()) {
        let seen = on_jvm(jdk, &harness, &classes, &programs);
        let (mut of_jvm, mut of_search) = (0, 0);
        let searched = on_all_cores(&programs, |program| in_search(jdk, &class_path, program));
        for (program, searched) in programs.iter().zip(searched) {
            let seen = &seen[program];
            match searched {
                Err(why) => wrong.push(format!("JDK {} {program}: {why}", jdk.feature())),
                Ok(values) => {
                    if !seen.is_subset(&values) {
                        wrong.push(format!(
                            "JDK {} {program}: the JVM observes {seen:?}, Raddle {values:?}",
                            jdk.feature()
                        ));
                    }
                    (of_jvm, of_search) = (of_jvm + seen.len(), of_search + values.len());
                }
            }
        }
        eprintln!(
            "JDK {}: {} programs, {of_jvm} values on the JVM, {of_search} in the search",
            jdk.feature(),
            programs.len()
        );
        // Else the harness does not make threads meet, and the comparison is worth nothing.
        assert!(of_jvm > programs.len() * 3 / 2, "{of_jvm} values");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
