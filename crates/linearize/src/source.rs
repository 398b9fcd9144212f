//! A scenario as a Java program.

use crate::scenario::{Call, Scenario, Subject, thread_name};
use std::fmt::Write;

/// What the methods of a scenario's class are called that make its calls, with `*` for the numbers.
pub const METHODS_PATTERN: &str = "call*";

/// The most threads that a history has room for.
pub const MOST_THREADS: usize = 6;
/// The most calls of each thread.
pub const MOST_CALLS: usize = 8;

impl Scenario {
    /// A program of this class, in the subject's package, that makes the calls and records their history. With `flags`, it notes after each
    /// call whether the thread is interrupted and whether it may park without waiting.
    pub fn source(&self, subject: &Subject, class: &str, flags: bool) -> String {
        let mut text = String::new();
        let mut line = |depth: usize, what: &str| {
            let _ = writeln!(text, "{}{what}", "    ".repeat(depth));
        };
        if !subject.package.is_empty() {
            line(0, &format!("package {};", subject.package));
        }
        for import in [
            "java.util.*",
            "java.util.concurrent.*",
            "java.util.function.*",
            "raddle.History",
            "raddle.Verify",
        ] {
            line(0, &format!("import {import};"));
        }
        line(0, &format!("/** {}. */", self.line()));
        line(
            0,
            "@SuppressWarnings({\"unchecked\", \"rawtypes\", \"deprecation\", \"removal\"})",
        );
        line(0, &format!("public class {class} {{"));
        line(1, &format!("static final {} subject = {};", subject.class, subject.new));
        let is_named = |thread: usize| self.threads.iter().flatten().any(|call| call.other == Some(thread));
        for thread in (0..self.threads.len()).filter(|&thread| is_named(thread)) {
            line(
                1,
                &format!("static final Thread thread{thread} = new Caller{thread}();"),
            );
        }
        line(1, "public static void main(String[] arguments) throws Throwable {");
        for call in &self.init {
            line(2, &format!("{};", call.java));
        }
        line(2, "History.open();");
        line(2, "Verify.beginAtomic();");
        for thread in 0..self.threads.len() {
            let started = match is_named(thread) {
                true => format!("thread{thread}"),
                false => format!("new Caller{thread}()"),
            };
            line(2, &format!("{started}.start();"));
        }
        line(2, "Verify.endAtomic();");
        line(1, "}");
        for (thread, calls) in self.threads.iter().enumerate() {
            for (number, call) in calls.iter().enumerate() {
                line(1, &made(call, thread, number));
            }
            line(1, &format!("static final class Caller{thread} extends Thread {{"));
            line(
                2,
                &format!("Caller{thread}() {{ super(\"{}\"); }}", thread_name(thread)),
            );
            line(2, "@Override public void run() {");
            let with = if flags { "WithFlags" } else { "" };
            for number in 0..calls.len() {
                let of = format!("{thread}, {number}");
                line(3, &format!("History.begin({of});"));
                line(
                    3,
                    &format!("try {{ History.end{with}({of}, call{thread}_{number}()); }}"),
                );
                line(
                    3,
                    &format!("catch (Throwable thrown) {{ History.threw{with}({of}, thrown); }}"),
                );
            }
            line(2, "}");
            line(1, "}");
        }
        line(0, "}");
        text
    }
}

fn made(call: &Call, thread: usize, number: usize) -> String {
    let body = match call.returns {
        true => format!("return {};", call.java),
        false => format!("{}; return null;", call.java),
    };
    format!("static Object call{thread}_{number}() throws Throwable {{ {body} }}")
}
