//! Limits that limit: time, signals and memory, from the first moment to the last. Whatever was asked for is written whole.

mod common;

use report::model::{Report, Verdict};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What takes this long hangs, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(1800);

/// No end to the states: on one path, on many, in the heap.
const COUNTER: &str =
    "public class Counter { static volatile long n; public static void main(String[] a) { while (true) n++; } }";
const COUNTERS: &str = "public class Counters { static volatile long n, m; public static void main(String[] a) { \
    new Thread(() -> { while (true) m++; }).start(); while (true) n++; } }";
const ARRAYS: &str = "public class Arrays { static volatile Object[] all; public static void main(String[] a) { \
    while (true) { int[] more = new int[50_000]; more[7] = 1; all = new Object[] { all, more }; } } }";
/// It computes for long before its first visible step, and in it.
const BUSY: &str = "public class Busy { static int work() { int x = 1; for (int i = 0; i < 2_000_000_000; i++) x = x * 31 + i; return x; } \
    static volatile int seen; public static void main(String[] a) { for (;;) seen = work(); } }";

/// A fresh folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = common::root().join("target/limits").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target can be written");
    for (file, content) in files {
        fs::write(folder.join(file), content).expect("target can be written");
    }
    folder
}

/// The command, in a folder and with a cache there.
fn raddle(folder: &Path, arguments: &[&str]) -> Command {
    // Whoever runs the tests may have been told to ignore signals.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", "--default-signal=TERM", "--default-signal=HUP"]);
    command.arg(env!("CARGO_BIN_EXE_raddle")).args(arguments);
    command.current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache"));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Waits until a command has ended: its status, unless a signal has ended it, and what it printed.
fn end(mut child: Child) -> (Option<i32>, String) {
    let begun = Instant::now();
    while child.try_wait().expect("a child can be waited for").is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().expect("a child can be ended");
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().expect("a child can be waited for");
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    (output.status.code(), text)
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    end(raddle(folder, arguments).spawn().expect("raddle runs"))
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args(["-s", name, &child.id().to_string()])
        .status();
    assert!(status.expect("kill runs").success());
}

/// Waits until something is so.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn report(path: &Path) -> Report {
    let text = fs::read_to_string(path).expect("a report was written");
    report::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What is in a folder and only there while something is written.
fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".new") || name.starts_with("new-") {
            found.push(entry.path());
        }
        if entry.path().is_dir() {
            found.extend(leftovers(&entry.path()));
        }
    }
    found
}

/// A JDK whose compiler never ends, starts another process, and says which.
fn hanging_jdk(folder: &Path) -> PathBuf {
    let jdk = common::jdks()
        .into_iter()
        .find(|jdk| jdk.javac().is_some())
        .expect("a JDK with javac");
    let home = folder.join("jdk");
    fs::create_dir_all(home.join("bin")).expect("target can be written");
    for entry in fs::read_dir(jdk.home()).expect("a JDK is a folder").flatten() {
        if entry.file_name() != "bin" {
            std::os::unix::fs::symlink(entry.path(), home.join(entry.file_name())).expect("target can be written");
        }
    }
    let script = format!(
        "#!/bin/sh\nsleep 1000 &\necho $! > {0}/told; mv {0}/told {0}/sleeper\nwait\n",
        folder.display()
    );
    let javac = home.join("bin/javac");
    fs::write(&javac, script).expect("target can be written");
    let mut permissions = fs::metadata(&javac).expect("it is there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(&javac, permissions).expect("target can be written");
    home
}

fn is_alive(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn a_compiler_that_hangs_is_ended() {
    for (name, options, sent) in [
        ("time", &["--time", "500ms"][..], None),
        ("int", &[], Some("INT")),
        ("term", &[], Some("TERM")),
        ("hup", &[], Some("HUP")),
    ] {
        let here = folder(&format!("javac-{name}"), &[("Counter.java", COUNTER)]);
        let jdk = hanging_jdk(&here);
        let jdk = jdk.to_string_lossy();
        let fixed = ["check", "--jdk", &jdk, "--json", "out.json", "--html", "out.html"];
        let arguments: Vec<&str> = fixed.iter().chain(options).copied().chain(["Counter.java"]).collect();
        let child = raddle(&here, &arguments).spawn().expect("raddle runs");
        wait_until("the compiler runs", || here.join("sleeper").exists());
        let sleeper = fs::read_to_string(here.join("sleeper")).expect("it is there");
        if let Some(sent) = sent {
            signal(&child, sent);
        }
        let (status, text) = end(child);
        assert_eq!(status, Some(3), "{name}: {text}");
        assert!(text.contains("unknown"), "{name}: {text}");
        assert_eq!(report(&here.join("out.json")).verdict, Verdict::Unknown, "{name}");
        assert!(here.join("out.html").exists(), "{name}");
        wait_until("what the compiler started has ended", || !is_alive(sleeper.trim()));
        assert_eq!(leftovers(&here), Vec::<PathBuf>::new(), "{name}");
    }
    // A command without a verdict just ends.
    let here = folder("javac-run", &[("Counter.java", COUNTER)]);
    let jdk = hanging_jdk(&here);
    let child = raddle(&here, &["run", "--jdk", &jdk.to_string_lossy(), "Counter.java"]).spawn();
    let child = child.expect("raddle runs");
    wait_until("the compiler runs", || here.join("sleeper").exists());
    let sleeper = fs::read_to_string(here.join("sleeper")).expect("it is there");
    signal(&child, "INT");
    assert_eq!(end(child).0, Some(130));
    wait_until("what the compiler started has ended", || !is_alive(sleeper.trim()));
}

/// The signals that end a process and are not ignored by these tests, as under `nohup` or in the background of a script: their children
/// ignore what they do, until they have said otherwise.
fn signals() -> Vec<&'static str> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let ignored = |number: u32| mask.is_some_and(|mask| mask >> (number - 1) & 1 != 0);
    let all = [("INT", 2), ("TERM", 15), ("HUP", 1)];
    let heard = all.into_iter().filter(|&(_, number)| !ignored(number));
    heard.map(|(name, _)| name).collect()
}

#[test]
fn a_signal_ends_it_at_any_moment() {
    let programs = [("Counter", COUNTER), ("Counters", COUNTERS), ("Busy", BUSY)];
    for (name, source) in programs {
        let file = format!("{name}.java");
        let here = folder(&format!("signal-{name}"), &[(&file, source)]);
        // Once, so that it is compiled.
        let (status, text) = run(&here, &["check", "--states", "1", &file]);
        assert_eq!(status, Some(3), "{text}");
        for (round, milliseconds) in [0, 40, 120, 300, 900].into_iter().enumerate() {
            let json = format!("{round}.json");
            let child = raddle(&here, &["check", "--json", &json, &file])
                .spawn()
                .expect("raddle runs");
            std::thread::sleep(Duration::from_millis(milliseconds));
            let signals = signals();
            signal(&child, signals[round % signals.len()]);
            let (status, text) = end(child);
            let path = here.join(json);
            match status {
                // Before it has begun at all, or has read its options.
                None | Some(130) => assert!(!path.exists(), "{name} {milliseconds}"),
                status => {
                    assert_eq!(status, Some(3), "{name} {milliseconds}: {text}");
                    let report = report(&path);
                    let reason = report.reason.unwrap_or_default();
                    assert!(reason.contains("interrupted"), "{name} {milliseconds}: {reason}");
                }
            }
        }
        assert_eq!(leftovers(&here), Vec::<PathBuf>::new(), "{name}");
    }
}

#[test]
fn time_is_up_at_any_moment() {
    let here = folder("time", &[("Busy.java", BUSY), ("Counters.java", COUNTERS)]);
    for file in ["Busy.java", "Counters.java"] {
        for time in ["1ms", "100ms", "400ms", "1s"] {
            let (status, text) = run(&here, &["check", "--time", time, "--json", "out.json", file]);
            assert_eq!(status, Some(3), "{file} {time}: {text}");
            let report = report(&here.join("out.json"));
            assert!(report.reason.unwrap_or_default().contains("--time"), "{file} {time}");
            assert!(report.seconds < 20.0, "{file} {time}: {}", report.seconds);
        }
    }
    let (status, text) = run(
        &here,
        &["compare", "--time", "100ms", "--csv", "out.csv", "Counters.java"],
    );
    assert_eq!(status, Some(0), "{text}");
    let table = fs::read_to_string(here.join("out.csv")).expect("a table was written");
    assert!(table.contains("unknown"), "{table}");
}

#[test]
fn what_is_written_takes_the_place_of_what_was_there() {
    let here = folder("written", &[("Counter.java", COUNTER), ("old.json", "old")]);
    std::os::unix::fs::symlink("old.json", here.join("link.json")).expect("target can be written");
    let (status, text) = run(
        &here,
        &["check", "--states", "5", "--json", "link.json", "Counter.java"],
    );
    assert_eq!(status, Some(3), "{text}");
    assert_eq!(report(&here.join("old.json")).states, 5);
    assert!(here.join("link.json").is_symlink());
    let (status, _) = run(
        &here,
        &["check", "--states", "5", "--json", "/dev/null", "Counter.java"],
    );
    assert_eq!(status, Some(3));
    let (status, text) = run(&here, &["check", "--states", "5", "--json", "new.json", "Nothing.java"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(
        !here.join("new.json").exists(),
        "nothing is written where there is nothing to say"
    );
    assert_eq!(leftovers(&here), Vec::<PathBuf>::new());
}

#[test]
fn a_process_keeps_to_its_memory() {
    let files = [
        ("Counter.java", COUNTER),
        ("Counters.java", COUNTERS),
        ("Arrays.java", ARRAYS),
    ];
    let here = folder("memory", &files);
    let ways: [(u64, &str, &[&str]); 14] = [
        (64, "Counters.java", &[]),
        (64, "Arrays.java", &["--search", "bfs"]),
        (100, "Counters.java", &[]),
        (100, "Counters.java", &["--search", "bfs"]),
        (100, "Counters.java", &["--search", "bfs", "--store", "fingerprint"]),
        (100, "Counters.java", &["--store", "fingerprint"]),
        (100, "Counters.java", &["--store", "bits"]),
        (100, "Counters.java", &["--search", "random"]),
        (100, "Arrays.java", &["--reduce", "base"]),
        (100, "Arrays.java", &["--search", "bfs"]),
        (200, "Counters.java", &["--store", "bits"]),
        (200, "Counter.java", &["--reduce", "base"]),
        (200, "Arrays.java", &["--reduce", "base"]),
        (200, "Arrays.java", &["--store", "fingerprint"]),
    ];
    let failures: Vec<String> = common::cases::on_all_cores(&ways, |&(megabytes, file, options)| {
        let limit = format!("{megabytes}M");
        let json = format!("{megabytes}{file}{}.json", options.concat());
        // However little memory a state takes, there is an end.
        let fixed = [
            "check",
            "--no-hunt",
            "--states",
            "300000",
            "--json",
            &json,
            "--memory",
            &limit,
        ];
        let arguments: Vec<&str> = fixed.iter().chain(options).copied().chain([file]).collect();
        let (status, text) = run(&here, &arguments);
        let (peak, allowed) = (report(&here.join(&json)).peak_bytes, megabytes << 20);
        let fine = status == Some(3) && peak > 0 && peak <= allowed + allowed / 20;
        (!fine).then(|| format!("{arguments:?}: status {status:?}, {} MB\n{text}", peak >> 20))
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Programs that want more than the heap has, each in its own way.
const GREEDY: &str = r#"
import java.nio.ByteBuffer;
public class Greedy {
    static volatile Object kept;
    static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
    static class Deep { static int d = depth(1_000_000); }
    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> kept = "other");
        other.start();
        try {
            switch (args[0]) {
                case "bytes" -> kept = new byte[1 << 30];
                case "longs" -> kept = new long[Integer.MAX_VALUE - 2];
                case "many" -> kept = new int[60_000][60_000];
                case "reflect" -> kept = java.lang.reflect.Array.newInstance(int.class, 60_000, 60_000);
                case "text" -> { StringBuilder b = new StringBuilder("0123456789"); while (true) b.append(b); }
                case "direct" -> kept = ByteBuffer.allocateDirect(2_000_000_000);
                case "raw" -> {
                    var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
                    field.setAccessible(true);
                    ((sun.misc.Unsafe) field.get(null)).allocateMemory(3L << 30);
                }
                case "clone" -> { byte[] b = new byte[600 << 20]; kept = new Object[] { b, b.clone() }; }
                case "stack" -> kept = Deep.d;
                case "longest" -> kept = new byte[Integer.MAX_VALUE];
            }
        } catch (OutOfMemoryError e) {
            assert args[0].equals("longest") && e.getMessage().equals("Requested array size exceeds VM limit") : e;
        } catch (StackOverflowError | ExceptionInInitializerError e) {
            throw new AssertionError(e);
        }
    }
}
"#;

#[test]
fn where_the_heap_ends_is_no_property_of_the_program() {
    let here = folder("greedy", &[("Greedy.java", GREEDY)]);
    for way in [
        "bytes", "longs", "many", "reflect", "text", "direct", "raw", "clone", "stack",
    ] {
        for reduce in ["auto", "base"] {
            let fixed = [
                "check",
                "--reduce",
                reduce,
                "--property",
                "exception,deadlock",
                "--heap",
                "8M",
            ];
            let arguments: Vec<&str> = fixed.into_iter().chain(["Greedy.java", way]).collect();
            let (status, text) = run(&here, &arguments);
            assert_eq!(status, Some(3), "{way} {reduce}: {text}");
            let wanted = ["--heap", "--stack", "256 MiB of objects"];
            assert!(
                wanted.iter().any(|limit| text.contains(limit)),
                "{way} {reduce}: {text}"
            );
        }
    }
    let (status, text) = run(&here, &["check", "--property", "exception", "Greedy.java", "bytes"]);
    assert!(status == Some(3) && text.contains("--heap"), "{text}");
    // No JVM makes an array of this length.
    let (status, text) = run(&here, &["check", "--property", "exception", "Greedy.java", "longest"]);
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn what_is_too_small_to_start_is_refused_in_words() {
    let here = folder("small", &[("Counter.java", COUNTER)]);
    for command in ["check", "run"] {
        for (option, value) in [
            ("--heap", "4"),
            ("--heap", "64k"),
            ("--heap", "200k"),
            ("--stack", "1k"),
        ] {
            let (status, text) = run(&here, &[command, option, value, "Counter.java"]);
            assert_eq!(status, Some(2), "{command} {option} {value}: {text}");
            assert!(text.contains(option), "{command} {option} {value}: {text}");
        }
    }
}

/// A run ends with an error where there is nothing left to collect, however many objects one instruction makes.
#[test]
fn a_run_without_memory_ends() {
    let source = r#"
public class Full {
    static Object[] kept = new Object[100_000];
    public static void main(String[] args) {
        int n = 0;
        try {
            while (true) kept[n++] = args[0].equals("text") ? new String(new char[] { (char) n, 'x' }) : new int[20][20];
        } catch (OutOfMemoryError e) {
            kept = null;
        }
        long sum = 0;
        for (int i = 0; i < 3000; i++) sum += new int[50][50].length;
        System.out.println(n > 1000 ? sum : n);
    }
}
"#;
    let here = folder("full", &[("Full.java", source)]);
    for way in ["text", "arrays"] {
        let heap = if way == "text" { "9M" } else { "16M" };
        let (status, text) = run(&here, &["run", "--heap", heap, "Full.java", way]);
        let ended = status == Some(0) && text.trim() == "150000";
        let counted = status == Some(1) && text.contains("ArrayIndexOutOfBounds");
        assert!(ended || counted && way == "text", "{way}: {status:?} {text}");
    }
}
