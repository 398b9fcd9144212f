//! The messages of NullPointerException are those of `java`, with and without names of local variables.

use crate::common::Folder;
use program::bytes::Bytes;
use program::classfile::ClassFile;
use program::npe;
use std::path::Path;
use std::process::Command;

/// Every line that `Nulls` prints against what we make of the same class file.
fn compare(home: &Path, folder: &Path, flag: &str) -> Result<usize, String> {
    let classes = folder.join(flag.replace([':', '-'], "_"));
    let source = folder.join("Nulls.java");
    let compiled = Command::new(home.join("bin/javac"))
        .args([flag, "-d"])
        .arg(&classes)
        .arg(&source)
        .output();
    let compiled = compiled.map_err(|error| format!("javac: {error}"))?;
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let output = Command::new(home.join("bin/java"))
        .arg("-cp")
        .arg(&classes)
        .arg("Nulls")
        .output();
    let output = output.map_err(|error| format!("java: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let mut failures = String::new();
    let mut count = 0;
    for line in text.lines() {
        let [class, method_name, bci, test, message] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("not understood: {line}"));
        };
        count += 1;
        let Ok(bytes) = std::fs::read(classes.join(format!("{class}.class"))) else {
            continue;
        };
        let file = ClassFile::parse(Bytes::from(bytes)).map_err(|error| error.to_string())?;
        let named = file
            .methods
            .iter()
            .find(|method| file.pool.text(method.name) == method_name);
        let method = named.ok_or_else(|| format!("no method {method_name}"))?;
        let found = npe::describe(&file, method, bci.parse().map_err(|_| format!("no number: {bci}"))?);
        // A message that the program gave is none of ours.
        let expected = Some(message).filter(|message| !matches!(*message, "null" | "mine"));
        if found.as_deref() != expected {
            failures += &format!("{test} {flag} at {bci}\n  java: {message}\n  ours: {found:?}\n");
        }
    }
    if failures.is_empty() { Ok(count) } else { Err(failures) }
}

#[test]
fn messages_are_those_of_java() {
    for (feature, home) in crate::common::jdks() {
        let folder = Folder::new(&format!("nulls-{feature}"));
        folder.write("Nulls.java", include_str!("Nulls.java"));
        for flag in ["-g", "-g:none"] {
            match compare(&home, &folder.0, flag) {
                Ok(count) => assert!(count > 130, "only {count} messages of JDK {feature}"),
                Err(failures) => panic!("JDK {feature}: {failures}"),
            }
        }
    }
}

/// Every instruction of java.base: no panic, and whatever has a null to meet has a message.
#[test]
fn every_instruction_of_the_jdk_can_be_described() {
    for (feature, home) in crate::common::jdks() {
        let image = crate::common::image(&home);
        let (mut described, mut explained) = (0, 0);
        let paths = image.resources("java.base");
        let packages = ["java/lang/", "java/util/concurrent/", "sun/security/ssl/"];
        for path in paths
            .iter()
            .filter(|path| packages.iter().any(|package| path.starts_with(package)))
        {
            let Some(name) = path.strip_suffix(".class") else {
                continue;
            };
            let (bytes, _) = image.class(name).expect("listed");
            let file = ClassFile::parse(bytes).expect("the JDK's own");
            for method in &file.methods {
                // Each call simulates the method up to there: of long methods only some instructions are asked for.
                let length = method.code.as_ref().map_or(0, |code| code.code.len());
                for bci in (0..length).step_by(length / 50 + 1) {
                    let Some(message) = npe::describe(&file, method, bci) else {
                        continue;
                    };
                    assert!(message.starts_with("Cannot "), "{message}");
                    described += 1;
                    explained += usize::from(message.contains(" because "));
                }
            }
        }
        println!("JDK {feature}: {described} described, {explained} explained");
        assert!(
            described > 10_000 && explained > described / 2,
            "{described} described, {explained} explained"
        );
    }
}
