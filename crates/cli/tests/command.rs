//! The command as a user meets it: what it prints and how it ends, for good input and bad.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A fresh folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = common::root().join("target/command").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target can be written");
    for (file, content) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("target can be written");
        fs::write(path, content).expect("target can be written");
    }
    folder
}

fn raddle(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(arguments)
        .current_dir(folder)
        .env("XDG_CACHE_HOME", common::root().join("target/command/cache"))
        .output()
        .expect("raddle runs")
}

/// Runs the command and compares its status and what its output contains.
fn check(folder: &Path, arguments: &[&str], status: i32, out: &str, err: &[&str]) {
    let output = raddle(folder, arguments);
    let (got_out, got_err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let context = format!("raddle {}\n--- out\n{got_out}--- err\n{got_err}", arguments.join(" "));
    assert_eq!(output.status.code(), Some(status), "{context}");
    assert_eq!(got_out, out, "{context}");
    for part in err {
        assert!(got_err.contains(part), "no {part:?} in the messages of {context}");
    }
    assert!(!got_err.contains("panicked"), "{context}");
}

fn javac(folder: &Path, arguments: &[&str]) {
    let jdk = common::jdks()
        .into_iter()
        .find_map(|jdk| jdk.javac())
        .expect("a JDK with javac");
    let status = Command::new(jdk)
        .args(arguments)
        .current_dir(folder)
        .status()
        .expect("javac runs");
    assert!(status.success(), "javac {arguments:?}");
}

const MAIN: &str = "package p;\npublic class Main {\n    public static void main(String[] args) {\n        \
    System.out.println(\"args \" + args.length + \" \" + System.getProperty(\"name\"));\n        \
    if (args.length == 3) throw new IllegalStateException(\"three\");\n        System.exit(args.length);\n    }\n}\n";

#[test]
fn every_form_of_program_runs() {
    let here = folder("forms", &[("p/Main.java", MAIN), ("manifest", "Main-Class: p.Main\n")]);
    javac(&here, &["-g", "-d", "classes", "p/Main.java"]);
    let jar = common::jdks()
        .into_iter()
        .find_map(|jdk| jdk.javac())
        .expect("javac")
        .with_file_name("jar");
    let status = Command::new(jar)
        .args(["cfm", "main.jar", "manifest", "-C", "classes", "."])
        .current_dir(&here)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "jar runs");
    check(&here, &["run", "p/Main.java"], 0, "args 0 null\n", &[]);
    check(&here, &["run", "p/Main.java", "a"], 1, "args 1 null\n", &[]);
    check(
        &here,
        &["run", "-Dname=value", "classes/p/Main.class"],
        0,
        "args 0 value\n",
        &[],
    );
    check(
        &here,
        &["run", "main.jar", "--", "-x", "--heap"],
        2,
        "args 2 null\n",
        &[],
    );
    check(&here, &["run", "main.jar", "a", "--", "-x"], 2, "args 2 null\n", &[]);
    check(
        &here,
        &["run", "p.Main", "a", "-cp", "main.jar"],
        1,
        "args 1 null\n",
        &[],
    );
    check(&here, &["run", "-cp", "main.jar", "p.Main"], 0, "args 0 null\n", &[]);
    let trace = "Exception in thread \"main\" java.lang.IllegalStateException: three\n\tat p.Main.main(Main.java:5)\n";
    check(
        &here,
        &["run", "-cp", "classes", "p.Main", "a", "b", "c"],
        1,
        "args 3 null\n",
        &[trace],
    );
}

#[test]
fn no_mistake_is_taken_for_an_argument_of_the_program() {
    let here = folder(
        "mistakes",
        &[("p/Main.java", MAIN), ("Other.java", "class Other { }\n")],
    );
    let refuse = |arguments: &[&str], err: &[&str]| check(&here, arguments, 2, "", err);
    for command in ["check", "compare", "run"] {
        refuse(
            &[command, "p/Main.java", "--haep", "2G"],
            &["unexpected argument '--haep'", "'--heap'", "-- --haep"],
        );
        refuse(&[command, "p/Main.java", "-x"], &["unexpected argument '-x'", "-- -x"]);
        for second in ["Other.java", "Other.class", "other.jar", "other.rad"] {
            refuse(
                &[command, "p/Main.java", "a", second],
                &["looks like a second program", &format!("p/Main.java -- {second}")],
            );
        }
    }
    check(
        &here,
        &["run", "p/Main.java", "--", "Other.java"],
        1,
        "args 1 null\n",
        &[],
    );
    refuse(
        &["check", "p/Main.java", "--proprety", "lock"],
        &["'--proprety'", "'--property'"],
    );
    refuse(
        &["check", "p/Main.java", "--property", "deadlok"],
        &["did you mean `deadlock`?"],
    );
    refuse(
        &["check", "p/Main.java", "--reduce", "lokset"],
        &["did you mean `lockset`?"],
    );
    refuse(
        &["check", "p/Main.java", "--json", "a.out", "--html", "./a.out"],
        &["two outputs would be written to ./a.out"],
    );
    assert!(!here.join("a.out").exists());
}

const TESTS: &str = "package p.q;\npublic class Tests {\n    void own() { throw new IllegalStateException(\"own\"); }\n    \
    static class Inner { static void inner() { throw new IllegalStateException(\"inner\"); } }\n}\nclass Beside {\n    \
    static void beside() { throw new IllegalStateException(\"beside\"); }\n}\n";

#[test]
fn an_entry_is_found_in_a_source_with_a_package_and_without_main() {
    let here = folder("entries", &[("p/q/Tests.java", TESTS)]);
    let cases = [
        ("own", "own"),
        ("Tests.own", "own"),
        ("p.q.Tests.own", "own"),
        ("Inner.inner", "inner"),
        ("Tests.Inner.inner", "inner"),
        ("Tests$Inner.inner", "inner"),
        ("Beside.beside", "beside"),
    ];
    for (entry, message) in cases {
        let output = raddle(&here, &["check", "p/q/Tests.java", "--entry", entry]);
        let text = String::from_utf8_lossy(&output.stdout);
        let found = text.contains(&format!("java.lang.IllegalStateException: {message}"));
        assert!(output.status.code() == Some(1) && found, "{entry}: {text}");
    }
    check(
        &here,
        &["check", "p/q/Tests.java", "--entry", "Beside.own"],
        2,
        "",
        &["p.q.Beside has no method own"],
    );
}

#[test]
fn a_class_that_is_not_on_the_class_path_is_no_violation() {
    let user = "public class User {\n    public static void main(String[] args) throws Exception {\n        \
        Thread other = new Thread(() -> System.out.println(lib.Lib.value()));\n        other.start();\n        \
        other.join();\n    }\n}\n";
    let taker = "public class Taker {\n    public static void main(String[] args) {\n        try {\n            \
        lib.Lib.value();\n        } catch (NoClassDefFoundError e) {\n            assert false : \"taken\";\n        }\n    }\n}\n";
    let files = [
        (
            "lib/Lib.java",
            "package lib;\npublic class Lib { public static int value() { return 1; } }\n",
        ),
        ("User.java", user),
        ("Taker.java", taker),
    ];
    let here = folder("missing", &files);
    javac(&here, &["-d", "classes", "lib/Lib.java"]);
    javac(
        &here,
        &["-g", "-cp", "classes", "-d", "user", "User.java", "Taker.java"],
    );
    let expect = |arguments: &[&str], status: i32, part: &str| {
        let output = raddle(&here, arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.code() == Some(status) && text.contains(part), "{text}");
    };
    let missing = "class lib.Lib is not on the class path, needed at User.java:3";
    expect(&["check", "-cp", "user", "User"], 3, missing);
    expect(&["check", "-cp", "user", "User"], 3, "name its folder or jar with -cp");
    expect(&["check", "-cp", "user:classes", "User"], 0, "holds");
    expect(&["check", "-cp", "user", "Taker"], 1, "AssertionError: taken");
}

#[test]
fn bad_input_is_explained() {
    let here = folder(
        "bad",
        &[
            ("Broken.java", "class Broken { int f( }\n"),
            ("NoMain.java", "class NoMain { }\n"),
            (
                "Sound.java",
                "public class Sound { public static void main(String[] a) { } }\n",
            ),
            ("jars/x.jar", "no jar at all"),
        ],
    );
    javac(&here, &["-d", ".", "Sound.java", "NoMain.java"]);
    let sound = fs::read(here.join("Sound.class")).expect("javac has written it");
    fs::write(here.join("Cut.class"), &sound[..100]).expect("target can be written");
    let mut newer = sound.clone();
    newer[7] = 200;
    fs::write(here.join("Newer.class"), &newer).expect("target can be written");
    fs::write(here.join("Nothing.class"), b"").expect("target can be written");
    check(
        &here,
        &["run", "Broken.java"],
        2,
        "",
        &["Broken.java:1: error:", "1 error"],
    );
    check(&here, &["run", "Missing.java"], 2, "", &["Missing.java"]);
    check(
        &here,
        &["run", "NoMain.java"],
        2,
        "",
        &["no main method", "public static void main(String[] args)"],
    );
    check(&here, &["run", "NoMain.class"], 2, "", &["no main method"]);
    check(
        &here,
        &["run", "no.such.Class"],
        2,
        "",
        &["class no.such.Class was not found", "-cp"],
    );
    check(
        &here,
        &["run", "Cut.class"],
        2,
        "",
        &["Cut.class", "at byte", "truncated"],
    );
    check(&here, &["run", "Nothing.class"], 2, "", &["Nothing.class", "at byte 0"]);
    check(
        &here,
        &["run", "Newer.class"],
        2,
        "",
        &["class file version 200", "newer"],
    );
    check(&here, &["run", "jars/x.jar"], 2, "", &["jars/x.jar", "corrupt"]);
    check(&here, &["run", "-cp", "jars/x.jar", "Sound"], 2, "", &["jars/x.jar"]);
    check(
        &here,
        &["run", "--jdk", "nowhere", "Sound"],
        2,
        "",
        &["nowhere", "--jdk"],
    );
    check(&here, &["rnu", "Sound"], 2, "", &["rnu"]);
    check(&here, &["run", "--hepa", "Sound"], 2, "", &["--heap"]);
    check(&here, &["run", "--heap", "much", "Sound"], 2, "", &["64M"]);
    check(
        &here,
        &["dump", "--ir", "java.lang.Object.nothing"],
        2,
        "",
        &["nothing"],
    );
}

/// Where nothing can be written, that is said, and a reader who has gone is no reason to complain.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_no_panic() {
    let here = folder("full", &[("notes.txt", "no program\n")]);
    let full = || {
        fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("a full device")
    };
    let command = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.args(arguments).current_dir(&here);
        command
    };
    let output = command(&["list"]).stdout(full()).output().expect("raddle runs");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(complaint.starts_with("raddle: cannot write"), "{complaint}");
    let status = command(&["check", "notes.txt"])
        .stderr(full())
        .status()
        .expect("raddle runs");
    assert_eq!(status.code(), Some(2));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = command(&["list"]).stdout(writer).output().expect("raddle runs");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    check(
        &here,
        &["check", "notes.txt"],
        2,
        "",
        &["notes.txt is no program: a program is a .java"],
    );
}

#[test]
fn files_that_are_written_are_looked_at_before() {
    let source = "public class Quiet { static int ready; public static void main(String[] a) { ready = 1; } }";
    let folder = folder(
        "written",
        &[("Quiet.java", source), ("old.trace", "of another program")],
    );
    check(&folder, &["Quiet.java"], 2, "", &["raddle check Quiet.java"]);
    let over = ["check", "--json", "Quiet.java", "Quiet.java"];
    check(&folder, &over, 2, "", &["Quiet.java is the program itself"]);
    assert_eq!(
        fs::read_to_string(folder.join("Quiet.java")).unwrap_or_default(),
        source
    );
    let traced = ["check", "--quiet", "--trace", "old.trace", "Quiet.java"];
    check(&folder, &traced, 0, "holds\n", &[]);
    assert_eq!(
        fs::read_to_string(folder.join("old.trace")).unwrap_or_default(),
        "of another program",
        "there is nothing to trace"
    );
    let allowed = raddle(&folder, &["check", "--allow-race", "Quiet.redy", "Quiet.java"]);
    let said = String::from_utf8_lossy(&allowed.stdout).into_owned();
    assert!(
        said.contains("--allow-race Quiet.redy: no field of that name"),
        "{said}"
    );
}

#[test]
fn code_that_a_verifier_rejects_is_refused() {
    let text = "public class Wrong { public static void main(String[] a) { System.out.println(1); } }\n";
    let here = folder("verify", &[("Wrong.java", text)]);
    javac(&here, &["-d", ".", "Wrong.java"]);
    let mut class = fs::read(here.join("Wrong.class")).expect("javac has written it");
    // The body of `main` ends with invokevirtual and return; an areturn needs a reference that is not there.
    let at = (0..class.len() - 4)
        .rfind(|&at| class[at] == 0xb6 && class[at + 3] == 0xb1)
        .expect("main has a call");
    class[at + 3] = 0xb0;
    fs::write(here.join("Wrong.class"), class).expect("target can be written");
    check(
        &here,
        &["run", "Wrong"],
        1,
        "",
        &["java.lang.VerifyError", "Wrong.main"],
    );
    // A method that has become protected may be called on objects of one's own class only, from another package.
    let open = "package p; public class A { public void m() { } }\n";
    let user = "package q; public class B extends p.A { public static void main(String[] a) { new p.A().m(); } }\n";
    let here = folder("protected", &[("p/A.java", open), ("q/B.java", user)]);
    javac(&here, &["-d", ".", "p/A.java", "q/B.java"]);
    check(&here, &["run", "q.B"], 0, "", &[]);
    fs::write(here.join("p/A.java"), open.replace("public void", "protected void")).expect("target can be written");
    javac(&here, &["-d", ".", "p/A.java"]);
    check(&here, &["run", "q.B"], 1, "", &["java.lang.VerifyError", "protected"]);
}

#[test]
fn the_host_is_out_of_reach() {
    let cases = [
        (
            "File",
            "System.out.println(new java.io.File(\"/etc/passwd\").exists());",
        ),
        ("Stream", "new java.io.FileInputStream(\"/etc/passwd\").read();"),
        ("Write", "new java.io.FileOutputStream(\"written.txt\").write(1);"),
        (
            "Path",
            "java.nio.file.Files.readAllLines(java.nio.file.Path.of(\"/etc/passwd\"));",
        ),
        ("Process", "new ProcessBuilder(\"ls\").start();"),
        ("Socket", "new java.net.Socket(\"localhost\", 80);"),
        ("Channel", "java.nio.channels.SocketChannel.open();"),
    ];
    let sources: Vec<(String, String)> = cases
        .iter()
        .map(|(name, body)| {
            let text = format!("public class {name} {{\n    public static void main(String[] a) throws Exception {{\n        {body}\n    }}\n}}\n");
            (format!("{name}.java"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = sources
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let here = folder("host", &files);
    for (name, _) in cases {
        let place = format!("called from {name}.java:3");
        check(
            &here,
            &["run", &format!("{name}.java")],
            3,
            "",
            &["unsupported: ", &place],
        );
    }
    assert!(!here.join("written.txt").exists(), "nothing is written");
    let quiet =
        "public class Env { public static void main(String[] a) { System.out.println(System.getenv().size()); } }";
    let here = folder("environment", &[("Env.java", quiet)]);
    check(&here, &["run", "Env.java"], 0, "0\n", &[]);
}

#[test]
fn limits_and_deadlocks_end_a_run() {
    let deep = "public class Deep { static int n; static void f() { n++; f(); } public static void main(String[] a) { \
        try { f(); } catch (StackOverflowError e) { System.out.println(n > 20_000); } } }";
    let large = "import java.util.*; public class Large { public static void main(String[] a) { List<long[]> l = new ArrayList<>(); \
        try { for (;;) l.add(new long[100_000]); } catch (OutOfMemoryError e) { int n = l.size(); l = null; System.out.println(n > 50); } \
        long s = 0; for (int i = 0; i < 2000; i++) s += new long[100_000].length; System.out.println(s); } }";
    let locks = "public class Locks { public static void main(String[] a) throws Exception { Object x = new Object(), y = new Object(); \
        Thread t = new Thread(() -> { synchronized (y) { pause(); synchronized (x) { } } }, \"other\"); t.start(); \
        synchronized (x) { pause(); synchronized (y) { } } } \
        static void pause() { try { Thread.sleep(10); } catch (InterruptedException e) { } } }";
    let here = folder(
        "limits",
        &[("Deep.java", deep), ("Large.java", large), ("Locks.java", locks)],
    );
    check(&here, &["run", "Deep.java"], 0, "true\n", &[]);
    check(&here, &["run", "--stack", "64k", "Deep.java"], 0, "false\n", &[]);
    check(
        &here,
        &["run", "--heap", "64M", "Large.java"],
        0,
        "true\n200000000\n",
        &[],
    );
    check(
        &here,
        &["run", "--heap", "16M", "Large.java"],
        0,
        "false\n200000000\n",
        &[],
    );
    check(
        &here,
        &["run", "Locks.java"],
        3,
        "",
        &["deadlock", "thread \"main\"", "thread \"other\"", "Locks.java:1"],
    );
}

#[test]
fn classes_are_dumped_as_readable_code() {
    let here = folder(
        "dump",
        &[(
            "Sum.java",
            "class Sum {\n    static int of(int[] a) {\n        int sum = 0;\n        for (int x : a) sum += x;\n        return sum;\n    }\n}\n",
        )],
    );
    javac(&here, &["-g", "-d", ".", "Sum.java"]);
    let output = raddle(&here, &["dump", "--ir", "Sum.of"]);
    let text = String::from_utf8_lossy(&output.stdout);
    for part in ["sum = 0", "sum = sum + ", "return sum"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(
        raddle(&here, &["dump", "--ir", "java.util.ArrayList.add"])
            .status
            .success()
    );
}

#[test]
fn the_readme_shows_what_is_printed() {
    let Some(jdk) = common::jdk(17) else {
        return eprintln!("skipped: no JDK 17 on this machine (set RADDLE_JDK_17 to its folder)");
    };
    let home = jdk.home().to_string_lossy().into_owned();
    let readme = fs::read_to_string(common::root().join("README.md")).expect("there is a README");
    for (program, status) in [("examples/Bank.java", 1), ("examples/BankFixed.java", 0)] {
        let output = raddle(&common::root(), &["check", "--jdk", &home, program]);
        assert_eq!(output.status.code(), Some(status), "{program}");
        // Time and memory depend on the machine, and stacks are left out.
        let varies = |line: &str| line.starts_with("explored: ");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let shown = text.split("\nThreads at the end").next().unwrap_or_default();
        for line in shown.lines().filter(|line| !varies(line)) {
            assert!(readme.contains(line.trim_end()), "README lacks, of {program}: {line}");
        }
    }
}

#[test]
fn what_only_one_thread_can_reach_is_told() {
    let source = "public class Who {\n    static Object all;\n    public static void main(String[] args) {\n        \
        Object own = new Object();\n        synchronized (own) { all = new int[2]; }\n    }\n    \
        void test() { new Thread(() -> System.out.println(this)).start(); }\n}\n";
    let here = folder("analyze", &[("Who.java", source)]);
    let main = "Who Who.java:4  java.lang.Object  local\n\
        Who Who.java:5  int[]             shared: reachable from static field Who.all at Who.java:5\n\n\
        1 of 2 places make objects that only one thread can ever reach (2 methods looked at)\n";
    check(&here, &["analyze", "Who.java"], 0, main, &[]);
    let output = raddle(&here, &["analyze", "--entry", "test", "Who.java"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("java.lang.Thread") && text.contains("started at Who.java:7"),
        "{text}"
    );
    check(
        &here,
        &["analyze", "--entry", "none", "Who.java"],
        2,
        "",
        &["has no method none"],
    );
    check(&here, &["analyze", "Nobody"], 2, "", &["class Nobody was not found"]);
}
