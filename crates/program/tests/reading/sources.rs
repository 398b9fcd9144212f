//! Sources are compiled once, with their neighbours, and the class to run is found.

use crate::common::Folder;
use program::jdk::Jdk;
use program::source::{SourceError, compile_into};
use std::path::{Path, PathBuf};

fn jdks() -> Vec<Jdk> {
    crate::common::jdks()
        .iter()
        .map(|(_, home)| Jdk::find(Some(home)).expect("an installed JDK"))
        .collect()
}

#[test]
fn the_main_class_is_the_one_java_would_run() {
    const MAIN: &str = "public static void main(String[] a) {}";
    let cases = [
        (
            "Plain.java",
            format!("class Other {{ {MAIN} }}\nclass Plain {{ {MAIN} }}"),
            17,
            Some("Plain"),
        ),
        (
            "First.java",
            format!("class A {{}}\nclass Z {{ {MAIN} }}\nclass B {{ {MAIN} }}"),
            17,
            Some("Z"),
        ),
        (
            "Inner.java",
            format!("class X {{ static class Y {{ {MAIN} }} }}\nclass Z {{ {MAIN} }}"),
            17,
            Some("Z"),
        ),
        (
            "Only.java",
            format!("class X {{ static class Y {{ {MAIN} }} }}"),
            17,
            Some("X$Y"),
        ),
        (
            "p/q/Packed.java",
            format!("package p.q;\nclass Packed {{ {MAIN} }}"),
            17,
            Some("p/q/Packed"),
        ),
        (
            "odd/Moved.java",
            format!("package p.q;\nclass Moved {{ {MAIN} }}"),
            17,
            Some("p/q/Moved"),
        ),
        (
            "Heir.java",
            format!("class Heir extends Base {{}}\nclass Base {{ {MAIN} }}"),
            17,
            Some("Heir"),
        ),
        (
            "None.java",
            "class None { private static void main(String[] a) {} int main() { return 1; } }".to_owned(),
            17,
            None,
        ),
        ("Face.java", format!("interface Face {{ {MAIN} }}"), 17, Some("Face")),
        (
            "Weak.java",
            "class Weak { static void main() {} }".to_owned(),
            25,
            Some("Weak"),
        ),
        (
            "Object.java",
            "class Obj { void main() {} }".to_owned(),
            25,
            Some("Obj"),
        ),
        (
            "NoNew.java",
            "class NoNew { NoNew(int x) {} void main() {} }".to_owned(),
            25,
            None,
        ),
        (
            "Hidden.java",
            "class Hidden { private static void main() {} }".to_owned(),
            25,
            None,
        ),
        (
            "Compact.java",
            "void main() { IO.println(1); }".to_owned(),
            25,
            Some("Compact"),
        ),
    ];
    let folder = Folder::new("main");
    for jdk in jdks() {
        for (path, text, oldest, expected) in &cases {
            // Each case is compiled once, by the JDK it was written for: the compiler is slow to start.
            if jdk.feature() != *oldest {
                continue;
            }
            let file = folder.write(path, text);
            let compiled = compile_into(&folder.0.join("cache"), &file, &jdk, "", &[]).expect(path);
            assert_eq!(
                compiled.main_class.as_deref(),
                *expected,
                "{path} with JDK {}",
                jdk.feature()
            );
        }
    }
}

#[test]
fn what_is_unchanged_is_not_compiled_again() {
    let folder = Folder::new("again");
    let cache = folder.0.join("cache");
    let source = folder.write(
        "p/A.java",
        "package p;\nclass A { int x = B.X; public static void main(String[] a) {} }",
    );
    let neighbour = folder.write("p/B.java", "package p;\nclass B { static final int X = 1; }");
    for jdk in jdks().into_iter().take(1) {
        let compile = |class_path: &str, flags: &[String]| {
            let compiled = compile_into(&cache, &source, &jdk, class_path, flags).expect("it compiles");
            assert!(
                compiled.folder.join("p/B.class").is_file(),
                "the neighbour is compiled too"
            );
            compiled.folder
        };
        let made = |folder: &Path| {
            std::fs::metadata(folder.join("p/A.class"))
                .and_then(|file| file.modified())
                .expect("there")
        };
        std::fs::write(&neighbour, "package p;\nclass B { static final int X = 1; }").expect("a file");
        let first = compile("", &[]);
        let time = made(&first);
        assert_eq!((compile("", &[]), made(&first)), (first.clone(), time));
        assert_ne!(compile("", &["-parameters".to_owned()]), first, "other flags");
        assert_ne!(compile("/nonexistent", &[]), first, "another class path");
        std::fs::write(&neighbour, "package p;\nclass B { static final int X = 2; }").expect("a file");
        let second = compile("", &[]);
        assert_ne!(second, first, "a neighbour has changed");
        // What somebody damaged is made again.
        std::fs::remove_file(second.join("p/A.class")).expect("it was there");
        assert_eq!(compile("", &[]), second);
        let left: Vec<_> = std::fs::read_dir(&cache)
            .expect("the cache")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert!(
            left.iter().all(|name| !name.to_string_lossy().starts_with("new-")),
            "{left:?}"
        );
    }
}

#[test]
fn runs_at_the_same_time_agree() {
    let folder = Folder::new("race");
    let source = folder.write("A.java", "class A { public static void main(String[] a) {} }");
    let Some(jdk) = jdks().pop() else { return };
    let cache = folder.0.join("cache");
    let folders: Vec<PathBuf> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| compile_into(&cache, &source, &jdk, "", &[]).expect("compiles").folder))
            .collect();
        runs.into_iter().map(|run| run.join().expect("no panic")).collect()
    });
    assert!(
        folders
            .iter()
            .all(|found| *found == folders[0] && found.join("A.class").is_file()),
        "{folders:?}"
    );
}

#[test]
fn errors_of_the_compiler_are_passed_on() {
    let folder = Folder::new("errors");
    let source = folder.write("Bad.java", "class Bad { int x = \"y\"; }");
    for jdk in jdks() {
        let error = compile_into(&folder.0.join("cache"), &source, &jdk, "", &[]).expect_err("it is wrong");
        let SourceError::Rejected(_, output) = &error else {
            panic!("{error}")
        };
        let expected = format!(
            "{}:1: error: incompatible types: String cannot be converted to int\nclass Bad {{ int x = \"y\"; }}\n                    \
             ^\n1 error\n",
            source.display()
        );
        assert_eq!(output, &expected);
        let left = std::fs::read_dir(folder.0.join("cache")).expect("the cache").count();
        assert_eq!(left, 0, "nothing is left behind");
        let missing = compile_into(&folder.0, &folder.0.join("None.java"), &jdk, "", &[])
            .expect_err("missing")
            .to_string();
        let none = folder.0.join("None.java");
        assert_eq!(missing, format!("there is no file {}", none.display()));
    }
}
