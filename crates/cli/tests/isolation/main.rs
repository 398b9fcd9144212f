//! The host is out of reach: nothing that a program, a class path or a trace brings along runs on it, reads from it or writes
//! to it; no input makes the command wait or fill the memory; and no message steers the terminal.

#[path = "../common/mod.rs"]
mod common;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Far more than any of these runs needs: what waits for a pipe waits for ever.
const PATIENCE: Duration = Duration::from_secs(1800);

/// A fresh folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = common::root().join("target/isolation").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target can be written");
    for (file, content) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("target can be written");
        fs::write(path, content).expect("target can be written");
    }
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

fn raddle(folder: &Path, arguments: &[&str]) -> Output {
    finished(&mut command(folder, arguments))
}

/// Runs a command that must come to an end.
fn finished(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("raddle runs");
    let begun = Instant::now();
    while child.try_wait().expect("a child can be asked").is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().expect("our own child");
            panic!("{command:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("its output")
}

fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn tool(name: &str) -> PathBuf {
    let javac = common::jdks().into_iter().find_map(|jdk| jdk.javac());
    javac.expect("a JDK with javac").with_file_name(name)
}

fn run(folder: &Path, program: impl AsRef<Path>, arguments: &[&str]) {
    let mut command = Command::new(program.as_ref());
    let status = command
        .args(arguments)
        .current_dir(folder)
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{command:?}");
}

const PROCESSOR: &str = r#"
import java.util.Set;
import javax.annotation.processing.*;
import javax.lang.model.element.TypeElement;
@SupportedAnnotationTypes("*")
public class Processor extends AbstractProcessor {
    @Override public synchronized void init(ProcessingEnvironment environment) {
        try { new java.io.FileOutputStream("canary-processor").close(); } catch (Exception e) { }
    }
    @Override public boolean process(Set<? extends TypeElement> types, RoundEnvironment round) { return false; }
}
"#;

const PLUGIN: &str = r#"
public class Plugin implements com.sun.source.util.Plugin {
    @Override public String getName() { return "plugin"; }
    @Override public boolean autoStart() { return true; }
    @Override public void init(com.sun.source.util.JavacTask task, String... arguments) {
        try { new java.io.FileOutputStream("canary-plugin").close(); } catch (Exception e) { }
    }
}
"#;

const WRONG: &str = "public class Wrong { public static void main(String[] a) { assert false; } }\n";

#[test]
fn nothing_on_the_class_path_runs_while_a_source_is_compiled() {
    let here = folder(
        "compiler",
        &[
            ("Processor.java", PROCESSOR),
            ("Plugin.java", PLUGIN),
            (
                "evil/META-INF/services/javax.annotation.processing.Processor",
                "Processor\n",
            ),
            ("evil/META-INF/services/com.sun.source.util.Plugin", "Plugin\n"),
            ("Wrong.java", WRONG),
            ("@more", "-processor Processor -processorpath evil\n"),
        ],
    );
    run(
        &here,
        tool("javac"),
        &["-proc:none", "-d", "evil", "Processor.java", "Plugin.java"],
    );
    let canaries = || {
        let found = ["canary-processor", "canary-plugin"].map(|name| here.join(name));
        found.into_iter().filter(|path| path.exists()).collect::<Vec<_>>()
    };
    run(&here, tool("javac"), &["-cp", "evil", "-d", "made", "Wrong.java"]);
    assert_eq!(canaries().len(), 2, "both run when javac is left to itself");
    canaries()
        .iter()
        .for_each(|path| fs::remove_file(path).expect("a file"));
    for arguments in [
        &["check", "-cp", "evil", "--trace", "a.trace", "Wrong.java"][..],
        &["run", "-cp", "evil", "Wrong.java"],
        &["run", "-cp", "@@more", "Wrong.java"],
        &["replay", "a.trace"],
    ] {
        // Without what was compiled before, all is compiled again.
        let _ = fs::remove_dir_all(here.join("cache"));
        let mut command = command(&here, arguments);
        for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVAC_OPTIONS", "_JAVA_OPTIONS"] {
            command.env(variable, "-Dnothing=1");
        }
        let output = finished(&mut command);
        let told = messages(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {told}");
        assert!(!told.contains("Picked up"), "{told}");
        assert!(canaries().is_empty(), "{arguments:?}");
    }
}

const READER: &str = r#"
import java.nio.file.*;
public class Reader {
    public static void main(String[] args) throws Exception {
        System.out.println(Other.class.getResourceAsStream("/text.txt") != null);
        if (args.length > 0) System.out.println(Files.readString(Path.of(args[0])));
    }
}
class Other { }
"#;

#[test]
fn a_manifest_adds_archives_and_no_folders() {
    let here = folder(
        "manifest",
        &[
            ("Reader.java", READER),
            ("root", "Main-Class: Reader\nClass-Path: / other.jar\n"),
            ("plain", "Main-Class: Reader\nClass-Path: parts/ other.jar\n"),
            (
                "many",
                &format!(
                    "Main-Class: Reader\nClass-Path: x.jar{}\n",
                    "\n  missing.jar".repeat(20_000)
                ),
            ),
            ("secret", "treasure"),
            ("text.txt", "some text"),
        ],
    );
    run(&here, tool("javac"), &["-d", "classes", "Reader.java"]);
    run(
        &here,
        tool("jar"),
        &["cfm", "root.jar", "root", "-C", "classes", "Reader.class"],
    );
    run(
        &here,
        tool("jar"),
        &["cfm", "plain.jar", "plain", "-C", "classes", "Reader.class"],
    );
    run(&here, tool("jar"), &["cfm", "many.jar", "many", "-C", "classes", "."]);
    run(
        &here,
        tool("jar"),
        &["cf", "other.jar", "-C", "classes", "Other.class", "text.txt"],
    );
    let secret = here.join("secret");
    let secret = secret.to_str().expect("text");

    // Classes and resources of the archives that a manifest names are found, as under `java`.
    let output = raddle(&here, &["run", "plain.jar"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "true\n",
        "{}",
        messages(&output)
    );
    // Files are not, whatever folder it names.
    for jar in ["root.jar", "plain.jar"] {
        let output = raddle(&here, &["run", jar, secret]);
        assert_eq!(output.status.code(), Some(3), "{jar}: {}", messages(&output));
        assert!(!String::from_utf8_lossy(&output.stdout).contains("treasure"), "{jar}");
        assert!(
            messages(&output).contains("file access outside of the class path"),
            "{jar}"
        );
    }
    // A class in a folder that only the manifest names is not passed over in silence.
    fs::create_dir_all(here.join("parts")).expect("target can be written");
    fs::copy(here.join("classes/Other.class"), here.join("parts/Other.class")).expect("it was compiled");
    let output = raddle(&here, &["run", "plain.jar"]);
    assert_eq!(output.status.code(), Some(3), "{}", messages(&output));
    assert!(
        messages(&output).contains("name the folder with -cp"),
        "{}",
        messages(&output)
    );
    let output = raddle(&here, &["run", "-cp", "plain.jar:parts", "Reader"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "true\n",
        "{}",
        messages(&output)
    );
    // There is an end to what manifests may name.
    let output = raddle(&here, &["run", "many.jar"]);
    assert_eq!(output.status.code(), Some(2), "{}", messages(&output));
    assert!(
        messages(&output).contains("more than 2000 paths"),
        "{}",
        messages(&output)
    );
}

#[test]
fn inputs_are_regular_files() {
    let here = folder(
        "inputs",
        &[
            ("A.java", "public class A { public static void main(String[] a) { } }\n"),
            ("fifo-jdk/release", "JAVA_VERSION=\"17.0.1\"\n"),
            ("fifo-jdk/lib/x", ""),
            ("zero-jdk/lib/x", ""),
        ],
    );
    let file = |name: &str| here.join(name);
    for extension in ["java", "class", "jar", "rad", "trace", "rules"] {
        let (fifo, zero) = (format!("fifo.{extension}"), format!("zero.{extension}"));
        run(&here, "mkfifo", &[&fifo]);
        std::os::unix::fs::symlink("/dev/zero", file(&zero)).expect("target can be written");
        fs::create_dir(file(&format!("folder.{extension}"))).expect("target can be written");
        let large = fs::File::create(file(&format!("large.{extension}"))).expect("target can be written");
        // Nothing is written: the file is as large as a hole can be.
        large.set_len(3 << 30).expect("a sparse file");
    }
    run(&here, "mkfifo", &["fifo-jdk/lib/modules", "zero-jdk/release"]);
    let refused = |arguments: &[&str]| {
        let output = raddle(&here, arguments);
        let told = messages(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        let reasons = [
            "not a regular file",
            "is a directory",
            "larger than",
            "too large",
            "not a JDK",
        ];
        assert!(
            reasons.iter().any(|reason| told.contains(reason)),
            "{arguments:?}: {told}"
        );
    };
    for kind in ["fifo", "zero", "folder", "large"] {
        for extension in ["java", "class", "jar", "rad"] {
            refused(&["check", &format!("{kind}.{extension}")]);
        }
        refused(&["replay", &format!("{kind}.trace")]);
        let rules = format!("{kind}.rules");
        refused(&["check", "--reduce", "optimistic", "--discipline", &rules, "A.java"]);
        if kind != "folder" {
            refused(&["check", "-cp", &format!("{kind}.jar"), "A.java"]);
            refused(&["check", "-cp", &format!("{kind}.jar"), "A"]);
        }
    }
    refused(&["check", "--jdk", "fifo-jdk", "A.java"]);
    refused(&["check", "--jdk", "zero-jdk", "A.java"]);
    let output = raddle(&here, &["check", "--source", "fifo.java", "A.java"]);
    assert_eq!(output.status.code(), Some(0), "{}", messages(&output));
    // A program that opens a pipe or a device on its class path does not wait for it either.
    let reads = "public class Reads {\n    public static void main(String[] args) throws Exception {\n        \
                 System.out.println(new java.io.FileInputStream(args[0]).read());\n    }\n}\n";
    fs::write(file("Reads.java"), reads).expect("target can be written");
    for kind in ["fifo", "zero", "large"] {
        let path = file(&format!("{kind}.rad"));
        let output = raddle(
            &here,
            &[
                "run",
                "-cp",
                here.to_str().expect("text"),
                "Reads.java",
                "--",
                path.to_str().expect("text"),
            ],
        );
        assert_eq!(output.status.code(), Some(3), "{kind}: {}", messages(&output));
        assert!(
            messages(&output).contains("no regular file"),
            "{kind}: {}",
            messages(&output)
        );
    }
}

#[test]
fn messages_do_not_steer_the_terminal() {
    let escape = "\u{1b}[2J\u{202e}";
    let odd = format!("x{escape}\nraddle: holds");
    let broken_jar = format!("x{escape}\ny.jar");
    let trace = |property: &str, program: &str, class_path: &str, reduce: &str| {
        let text = |text: &str| text.replace('\u{1b}', "\\u001b").replace('\n', "\\n");
        format!(
            "{{\"schema\": 1, \"program\": \"{}\", \"class_path\": \"{}\", \"arguments\": [], \"property\": \"{}\", \
             \"message\": \"m\", \"options\": {{\"reduce\": \"{}\"}}, \"schedule\": [\"{}\"]}}",
            text(program),
            text(class_path),
            text(property),
            text(reduce),
            text(&odd)
        )
    };
    let here = folder(
        "terminal",
        &[
            ("A.java", "public class A { public static void main(String[] a) { } }\n"),
            ("Broken.java", &format!("class Broken {{ String s = {escape}; }}\n")),
            ("Evil.java", &format!("class Evil {{ void main{escape}() {{}} }}\n")),
            ("main", &format!("Main-Class: p.x{escape}y\n")),
            ("rules", &format!("protected {escape}: 1;\n")),
            ("m.rad", &format!("int x{escape};\n")),
            ("property.trace", &trace(&odd, "A.java", "", "base")),
            ("program.trace", &trace("race", &format!("{odd}.java"), "", "base")),
            ("class-path.trace", &trace("race", &odd, &odd, "base")),
            ("reduce.trace", &trace("race", "A.java", "", &odd)),
            ("schedule.trace", &trace("race", "A.java", "", "base")),
            ("jdk/release", &format!("JAVA_VERSION=\"8{escape}\"\n")),
            (&format!("{odd}.jar"), "no jar"),
            (&format!("{odd}.rad"), "nonsense"),
            (&broken_jar, "no jar"),
            (&format!("{odd}.java"), "class"),
        ],
    );
    run(&here, tool("jar"), &["cfm", "main.jar", "main", "A.java"]);
    let names = [".java", ".class", ".jar", ".rad", ""].map(|end| format!("{odd}{end}"));
    let mut runs: Vec<Vec<&str>> = names.iter().map(|name| vec!["check", &**name]).collect();
    runs.extend([
        vec!["check", "Broken.java"],
        vec!["check", "Evil.java"],
        vec!["check", "main.jar"],
        vec!["check", "m.rad"],
        vec!["check", "--reduce", "optimistic", "--discipline", "rules", "A.java"],
        vec!["check", "--jdk", "jdk", "A.java"],
        vec!["check", "--jdk", &odd, "A.java"],
        vec!["check", "-cp", &broken_jar, "A.java"],
        vec!["check", "--entry", &odd, "A.java"],
        vec!["check", "--heap", &odd, "A.java"],
        vec!["dump", &odd],
        vec!["analyze", &odd],
        vec![&*names[0]],
        vec!["replay", &odd],
    ]);
    let traces = [
        "property.trace",
        "program.trace",
        "class-path.trace",
        "reduce.trace",
        "schedule.trace",
    ];
    runs.extend(traces.iter().map(|trace| vec!["replay", trace]));
    for arguments in runs {
        let output = raddle(&here, &arguments);
        assert!(!output.status.success(), "{arguments:?} is wrong");
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            let steers = |letter: char| letter.is_control() && letter != '\n' && letter != '\t' || letter == '\u{202e}';
            assert!(!text.contains(steers), "{arguments:?}: {text:?}");
            assert!(
                !text.contains("\nraddle: holds"),
                "a line of its own: {arguments:?}: {text:?}"
            );
        }
    }
}

#[test]
fn every_door_to_the_host_is_closed_on_every_jdk() {
    let here = folder(
        "doors",
        &[
            ("secret", "treasure\n"),
            ("library.so", "no library"),
            ("treasure", "treasure"),
        ],
    );
    let hidden = "public class Hidden { }\n";
    fs::write(here.join("Hidden.java"), hidden).expect("target can be written");
    let doors = common::root().join("crates/cli/tests/isolation/Doors.java");
    run(
        &here,
        tool("javac"),
        &[
            "-nowarn",
            "--release",
            "17",
            "-d",
            "classes",
            doors.to_str().expect("text"),
        ],
    );
    run(&here, tool("javac"), &["--release", "17", "-d", ".", "Hidden.java"]);
    run(&here, tool("jar"), &["cf", "hidden.jar", "Hidden.class", "treasure"]);
    std::os::unix::fs::symlink("../secret", here.join("classes/link")).expect("target can be written");
    fs::create_dir(here.join("cache")).expect("target can be written");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a port");
    let port = listener.local_addr().expect("a port").port().to_string();
    let names = raddle(&here, &["run", "-cp", "classes", "Doors"]);
    let names = String::from_utf8_lossy(&names.stdout).into_owned();
    assert!(names.lines().count() > 100, "{names}");
    let before = listing(&here);

    let classes = here.join("classes");
    let (classes, place) = (classes.to_str().expect("text"), here.to_str().expect("text"));
    let jdks = common::jdks();
    let cases: Vec<(&str, &Path)> = names
        .lines()
        .flat_map(|door| jdks.iter().map(move |jdk| (door, jdk.home())))
        .collect();
    let next = AtomicUsize::new(0);
    let try_doors = || {
        while let Some((door, home)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let home = home.to_str().expect("text");
            let mut command = command(
                &here,
                &["run", "--jdk", home, "-cp", classes, "Doors", door, place, &port],
            );
            for variable in ["RADDLE_TREASURE", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG"] {
                command.env(variable, "/treasure");
            }
            let output = finished(&mut command);
            let (out, told) = (String::from_utf8_lossy(&output.stdout), messages(&output));
            let refused = output.status.code() == Some(3) && told.contains("unsupported: ");
            let closed = output.status.success() && out.contains("closed");
            assert!(refused || closed, "{door} on {home}: {out}{told}");
            assert!(
                !out.contains("OPEN") && !out.contains("treasure"),
                "{door} on {home}: {out}"
            );
        }
    };
    std::thread::scope(|scope| {
        let workers = [(); 2].map(|()| scope.spawn(try_doors));
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    assert_eq!(listing(&here), before, "no file was made, changed or removed");
    assert_eq!(
        fs::read_to_string(here.join("secret")).expect("still there"),
        "treasure\n"
    );
    assert!(listener.accept().is_err(), "nobody has connected");
}

/// All files below a folder, with sizes and dates.
fn listing(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let (path, data) = (entry.path(), entry.metadata().expect("a file"));
        if data.is_dir() && path.file_name().is_some_and(|name| name != "cache") {
            found.extend(listing(&path));
        }
        if !data.is_dir() {
            found.push(format!(
                "{} {} {:?} {:?}",
                path.display(),
                data.len(),
                data.modified(),
                data.permissions()
            ));
        } else {
            found.push(path.display().to_string());
        }
    }
    found.sort();
    found
}
