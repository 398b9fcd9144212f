//! What is said of each place in `fixtures/analyze` where objects are made, against the comment on its line: `//@ local`
//! or `//@ shared` and words of the reason; several for several objects, in the order of the code. Every place has one.

use analysis::{Escape, SiteFact, Verdict};
use program::classpath::ClassPath;
use program::jdk::Jdk;
use program::source;
use program::world::{LoaderId, MethodId, Program};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn jdks() -> Vec<Jdk> {
    let homes = ["java-17-openjdk-amd64", "java-21-openjdk-amd64", "temurin-25-jdk-amd64"];
    let mut found: Vec<Jdk> = homes
        .iter()
        .filter_map(|name| Jdk::find(Some(&Path::new("/usr/lib/jvm").join(name))).ok())
        .filter(|jdk| jdk.javac().is_some())
        .collect();
    if found.is_empty() {
        found.extend(Jdk::find(None).ok());
    }
    found
}

fn load(jdk: &Jdk, source: &Path) -> (Program, String) {
    let compiled = source::compile(source, jdk, "", &[]).expect("a fixture compiles");
    let text = compiled.folder.to_string_lossy().into_owned();
    let class_path = ClassPath::parse(&text, jdk.feature()).expect("a folder of classes");
    let program = Program::new(jdk.image().clone(), class_path).expect("memory for tables");
    (program, compiled.main_class.expect("a main class"))
}

fn analyse(program: &Program, main_class: &str) -> Escape {
    let class = program.load(LoaderId::APP, main_class).expect("the main class");
    let main = program
        .find_method(class, "main", "([Ljava/lang/String;)V")
        .expect("a main method");
    Escape::of(program, main, &|_| false)
}

/// Line by line, what is expected and what was said.
fn compare(source: &Path, sites: &[SiteFact]) -> Vec<String> {
    let mut said: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for site in sites.iter().filter(|site| site.own) {
        said.entry(site.line).or_default().push(match &site.verdict {
            Verdict::Local => "local".to_owned(),
            Verdict::Shared(why) => format!("shared {why}"),
        });
    }
    let mut wrong = Vec::new();
    let text = std::fs::read_to_string(source).expect("a fixture can be read");
    for (number, line) in (1..).zip(text.lines()) {
        let expected: Vec<&str> = match line.split_once("//@") {
            Some((_, list)) => list.split(',').map(str::trim).collect(),
            None => Vec::new(),
        };
        let got = said.remove(&number).unwrap_or_default();
        let agrees = expected.len() == got.len()
            && expected
                .iter()
                .zip(&got)
                .all(|(expected, got)| match expected.split_once(' ') {
                    Some((verdict, words)) => got.starts_with(verdict) && got.contains(words),
                    None => got.starts_with(expected),
                });
        if !agrees {
            wrong.push(format!("line {number}: {}\n    got {}", line.trim(), got.join("; ")));
        }
    }
    wrong
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/analyze");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of fixtures")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .collect();
    found.sort();
    found
}

#[test]
fn every_place_is_judged_as_its_comment_says() {
    let mut wrong = Vec::new();
    let mut places = 0;
    for jdk in jdks() {
        for source in fixtures() {
            let (program, main_class) = load(&jdk, &source);
            let escape = analyse(&program, &main_class);
            places += escape.sites().iter().filter(|site| site.own).count();
            for line in compare(&source, escape.sites()) {
                let name = source.file_name().unwrap_or_default().to_string_lossy();
                wrong.push(format!("JDK {} {name} {line}", jdk.feature()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(places >= 30, "only {places} places");
}

#[test]
fn the_answer_is_the_same_each_time() {
    let jdk = jdks().pop().expect("a JDK");
    for source in fixtures() {
        let answers: Vec<String> = (0..2)
            .map(|_| {
                let (program, main_class) = load(&jdk, &source);
                format!("{:?}", analyse(&program, &main_class).sites())
            })
            .collect();
        assert_eq!(answers[0], answers[1], "{}", source.display());
    }
}

#[test]
fn local_places_are_named_by_method_and_instruction() {
    let jdk = jdks().pop().expect("a JDK");
    for source in fixtures() {
        let (program, main_class) = load(&jdk, &source);
        let escape = analyse(&program, &main_class);
        for site in escape.sites() {
            assert_eq!(escape.is_local(site.method, site.at), site.verdict == Verdict::Local);
            assert!(
                site.own || site.verdict != Verdict::Local,
                "no claims about the JDK's code"
            );
        }
        assert!(!escape.is_local(MethodId(u32::MAX), 0));
    }
}
