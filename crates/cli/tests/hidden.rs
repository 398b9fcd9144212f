//! What programs can see although it is no field and no lock: reductions leave nothing of it out.

mod common;

use common::cases;
use report::Verdict;
use std::collections::BTreeSet;
use std::fs;

/// Strategies that must all show the same.
const STRATEGIES: [&str; 5] = ["base", "escape", "final", "escape-static,selflock,dominated", "auto"];

/// Programs by name, each with the values that it observes over all its executions.
const PROGRAMS: &[(&str, &[i32], &str)] = &[
    // Between setting the flag and waiting, the thread is runnable.
    (
        "StateBeforeWait",
        &[1, 3],
        "static final Object o = new Object();
        static volatile int flag;
        public static void main(String[] args) {
            Verify.beginAtomic();
            Thread t = new Thread(() -> {
                Object lock = o;
                synchronized (lock) {
                    flag = 1;
                    try { lock.wait(); } catch (InterruptedException e) { }
                }
            });
            t.setDaemon(true);
            t.start();
            Verify.endAtomic();
            if (flag == 1) Verify.observe(t.getState().ordinal());
        }",
    ),
    // Where another thread is can be read off its stack.
    (
        "StackOfOther",
        &[0, 1, 2],
        "static class Cell { int value; }
        static void first(Cell cell) { cell.value = 1; }
        static void second(Cell cell) { cell.value = 2; }
        public static void main(String[] args) {
            Verify.beginAtomic();
            Thread t = new Thread(() -> {
                Cell cell = new Cell();
                first(cell);
                second(cell);
                Verify.beginAtomic();
                while (true) LockSupport.park();
            });
            t.setDaemon(true);
            t.start();
            Verify.endAtomic();
            int seen = 0;
            for (StackTraceElement frame : t.getStackTrace()) {
                if (frame.getMethodName().equals(\"first\")) seen = 1;
                if (frame.getMethodName().equals(\"second\")) seen = 2;
            }
            Verify.observe(seen);
            Verify.beginAtomic();
            Runtime.getRuntime().halt(0);
        }",
    ),
    // The group of a thread leads to it.
    (
        "Enumerated",
        &[0, 1, 2],
        "static class Worker extends Thread {
            int value;
            @Override public void run() {
                value = 1;
                value = 2;
                Verify.beginAtomic();
                while (true) LockSupport.park();
            }
        }
        static void begin() { Worker t = new Worker(); t.setDaemon(true); t.start(); }
        public static void main(String[] args) {
            Verify.beginAtomic();
            begin();
            Verify.endAtomic();
            Thread[] threads = new Thread[10];
            int count = Thread.enumerate(threads);
            for (int i = 0; i < count; i++) {
                if (threads[i] instanceof Worker worker) Verify.observe(worker.value);
            }
            Verify.beginAtomic();
            Runtime.getRuntime().halt(0);
        }",
    ),
    // A static final field that changes.
    (
        "OutIsSet",
        &[0, 1],
        "public static void main(String[] args) {
            PrintStream first = System.out, second = new PrintStream(OutputStream.nullOutputStream());
            new Thread(() -> System.setOut(second)).start();
            Verify.observe(System.out == first ? 0 : 1);
        }",
    ),
    // A native method that knows no locks.
    (
        "ReadUnlocked",
        &[0, 1],
        "static final byte[] bytes = new byte[1];
        public static void main(String[] args) throws IOException {
            RandomAccessFile file = new RandomAccessFile(System.getProperty(\"java.home\") + \"/lib/classlist\", \"r\");
            Verify.beginAtomic();
            new Thread(() -> {
                try { file.read(bytes); } catch (IOException e) { }
                Verify.beginAtomic();
                while (true) LockSupport.park();
            }).start();
            Verify.endAtomic();
            byte[] mine = bytes;
            synchronized (mine) {
                int one = mine[0], two = mine[0];
                Verify.observe(one == two ? 0 : 1);
            }
            Verify.beginAtomic();
            Runtime.getRuntime().halt(0);
        }",
    ),
    // What is left of the heap is the same wherever garbage was made.
    (
        "FreeMemory",
        &[0],
        "public static void main(String[] args) {
            long before = Runtime.getRuntime().freeMemory();
            new Thread(() -> { int[] garbage = new int[9]; }).start();
            Verify.observe(before == Runtime.getRuntime().freeMemory() ? 0 : 1);
        }",
    ),
];

#[test]
fn reductions_show_all_that_can_be_seen() {
    let jdks = common::jdks();
    for (name, expected, body) in PROGRAMS {
        let path = cases::scratch(&format!("{name}.java"));
        let imports = "import java.io.*;\nimport java.util.concurrent.locks.LockSupport;\nimport raddle.Verify;";
        let source = format!("{imports}\npublic class {name} {{\n{body}\n}}\n");
        fs::write(&path, source).expect("target can be written");
        for strategy in STRATEGIES {
            let mut command = cases::raddle();
            command
                .args([
                    "check",
                    "--property",
                    "exception",
                    "--json",
                    "-",
                    "--reduce",
                    strategy,
                    "--jdk",
                ])
                .arg(jdks[0].home())
                .arg(&path);
            let report = cases::run(command).report();
            let report = report.unwrap_or_else(|why| panic!("{name}, {strategy}: {why}"));
            assert_eq!(report.verdict, Verdict::Holds, "{name}, {strategy}");
            let seen: BTreeSet<i32> = report.observations.iter().map(|seen| seen.value).collect();
            let expected: BTreeSet<i32> = expected.iter().copied().collect();
            assert_eq!(seen, expected, "{name}, {strategy}, {} states", report.states);
        }
    }
}
