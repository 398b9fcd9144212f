//! Programs as Java source, one statement to a line. Only what is used is declared.

use super::names::{is_of_thread, names_of_stmt};
use super::{Cond, Field, Int, Lock, Program, Ref, Shape, Stmt, Thread};
use std::collections::BTreeSet;

impl Program {
    /// The whole source file of a class of this name.
    pub fn source(&self, class: &str) -> String {
        let mut writer = Writer {
            class,
            text: String::new(),
            used: BTreeSet::new(),
            depth: 1,
            loops: 0,
            quiet: self.quiet,
            summoned: BTreeSet::new(),
        };
        let bodies = self.threads.iter().map(|thread| &thread.body);
        for body in bodies.chain([&self.before, &self.during, &self.after]) {
            body.iter().for_each(|stmt| names_of_stmt(stmt, &mut writer.summoned));
        }
        writer.summoned.retain(|name| is_of_thread(name));
        if self.quiet {
            writer.uses("Verify");
            writer.uses("LockSupport");
        }
        for (number, thread) in self.threads.iter().enumerate() {
            writer.thread(number, thread, self.escapes);
        }
        writer.main(self);
        let code = std::mem::take(&mut writer.text);
        writer.declarations();
        let imports = writer.imports();
        format!("{imports}public class {class} {{\n{}\n{code}}}\n", writer.text)
    }
}

pub(super) struct Writer<'c> {
    pub(super) class: &'c str,
    text: String,
    /// Names of members that were used, as in the tables below.
    used: BTreeSet<String>,
    pub(super) depth: usize,
    loops: usize,
    /// Whether threads begin and end in atomic blocks.
    quiet: bool,
    /// Names of threads that others wake or interrupt.
    pub(super) summoned: BTreeSet<String>,
}

/// Reads out what kind of exception came this far.
const CAUGHT: &str = "catch (RuntimeException | Error e) \
    { Verify.observe(e instanceof NullPointerException ? 101 : e instanceof AssertionError ? 102 : 103); }";

impl Writer<'_> {
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub(super) fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    pub(super) fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    pub(super) fn uses(&mut self, name: &str) -> String {
        self.used.insert(name.to_owned());
        name.to_owned()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    fn thread(&mut self, number: usize, thread: &Thread, escapes: bool) {
        let (parameter, argument) = match thread.shape {
            Shape::Given | Shape::Handed(_) => ("N n0", "n0"),
            Shape::Class | Shape::Lambda => ("", ""),
        };
        match thread.shape {
            Shape::Lambda => {}
            Shape::Class => {
                self.open(&format!("static class T{number} extends Thread {{"));
                self.line(&format!("@Override public void run() {{ begin{number}(); }}"));
                self.close("}");
            }
            Shape::Given | Shape::Handed(_) => {
                self.uses("N");
                self.open(&format!("static class T{number} extends Thread {{"));
                self.line("final N mine;");
                self.line(&format!("T{number}(N mine) {{ this.mine = mine; }}"));
                self.line(&format!("@Override public void run() {{ begin{number}(mine); }}"));
                self.close("}");
            }
        }
        self.open(&format!("static void begin{number}({parameter}) {{"));
        self.line(&format!("try {{ run{number}({argument}); }}"));
        self.line("catch (InterruptedException e) { }");
        if self.quiet {
            let done = if thread.joined { "done(); " } else { "" };
            if escapes {
                self.line(&format!(
                    "catch (RuntimeException | Error e) {{ Verify.beginAtomic(); {done}throw e; }}"
                ));
            } else {
                self.line(CAUGHT);
            }
            self.line("Verify.beginAtomic();");
            let parked = self.parked("true");
            self.line(&format!("{done}{parked}"));
        }
        self.close("}");
        self.open(&format!(
            "static void run{number}({parameter}) throws InterruptedException {{"
        ));
        let given = matches!(thread.shape, Shape::Given | Shape::Handed(_));
        self.locals(&[&thread.body], given.then_some("n0"), None);
        self.body(&thread.body);
        self.close("}");
    }

    fn main(&mut self, program: &Program) {
        let joined = program.threads.iter().filter(|thread| thread.joined);
        let joined: usize = joined.map(|thread| 1 + usize::from(thread.twin)).sum();
        self.open("public static void main(String[] args) throws InterruptedException {");
        let caught = program.quiet && !program.escapes;
        if caught {
            self.open("try {");
        }
        let handed = program.threads.iter().filter_map(|thread| match thread.shape {
            Shape::Handed(local) if thread.started => Some(format!("n{local}")),
            _ => None,
        });
        self.locals(&[&program.before, &program.during, &program.after], None, handed);
        self.body(&program.before);
        if program.quiet {
            self.line("Verify.beginAtomic();");
            if joined > 0 {
                self.line("waiting = Thread.currentThread();");
            }
        }
        let started = || program.threads.iter().enumerate().filter(|(_, thread)| thread.started);
        for (number, thread) in started() {
            let made = self.made(number, thread);
            self.line(&format!("Thread t{number} = {made};"));
        }
        self.summon(program);
        for (number, thread) in started() {
            self.start(&format!("t{number}"));
            if thread.twin {
                let made = self.made(number, thread);
                self.line(&format!("Thread u{number} = {made};"));
                self.start(&format!("u{number}"));
            }
        }
        if program.quiet && !program.during.is_empty() {
            self.line("Verify.endAtomic();");
        }
        self.body(&program.during);
        if program.quiet {
            if joined > 0 {
                if !program.during.is_empty() {
                    self.line("Verify.beginAtomic();");
                }
                let parked = self.parked("left != 0");
                self.line(&parked);
            }
            if joined > 0 || program.during.is_empty() {
                self.line("Verify.endAtomic();");
            }
        } else {
            for (number, thread) in started().filter(|(_, thread)| thread.joined) {
                self.line(&format!("t{number}.join();"));
                if thread.twin {
                    self.line(&format!("u{number}.join();"));
                }
            }
        }
        self.body(&program.after);
        if caught {
            self.close("}");
            self.line(CAUGHT);
        }
        if program.quiet {
            self.line("Verify.beginAtomic();");
            self.line("Runtime.getRuntime().halt(0);");
        }
        self.close("}");
        if program.quiet && joined > 0 {
            self.line(&format!("static volatile int left = {joined};"));
            self.line("static Thread waiting;");
            self.line("static void done() { left = left - 1; if (left == 0) LockSupport.unpark(waiting); }");
        }
    }

    fn start(&mut self, thread: &str) {
        if self.quiet {
            self.line(&format!("{thread}.setDaemon(true);"));
        }
        self.line(&format!("{thread}.start();"));
    }

    /// A new thread.
    fn made(&mut self, number: usize, thread: &Thread) -> String {
        match thread.shape {
            Shape::Lambda => format!("new Thread(() -> begin{number}())"),
            Shape::Class => format!("new T{number}()"),
            Shape::Given => {
                self.uses("N");
                format!("new T{number}(new N({number}))")
            }
            Shape::Handed(local) => format!("new T{number}(n{local})"),
        }
    }

    /// Declares the locals that these bodies name, and more, but for one that is given.
    fn locals(&mut self, bodies: &[&[Stmt]], given: Option<&str>, more: impl IntoIterator<Item = String>) {
        let mut named: BTreeSet<String> = more.into_iter().collect();
        for body in bodies {
            body.iter().for_each(|stmt| names_of_stmt(stmt, &mut named));
        }
        named.retain(|name| !is_of_thread(name));
        for name in named {
            match &name[..1] {
                _ if given == Some(&*name) => {}
                "n" => {
                    self.uses("N");
                    self.line(&format!("N {name} = null;"));
                }
                "q" => self.line("int[] q = new int[2];"),
                _ => self.line(&format!("int {name} = 0;")),
            }
        }
    }

    pub(super) fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.stmt(stmt);
        }
    }

    fn block(&mut self, head: &str, body: &[Stmt]) {
        self.open(&format!("{head} {{"));
        self.body(body);
        self.close("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let text = match stmt {
            Stmt::Local(local, value) => format!("x{local} = {};", self.int(value)),
            Stmt::LocalRef(local, value) => format!("n{local} = {};", self.reference(value)),
            Stmt::Static(number, value) => format!("{} = {};", self.uses(&format!("i{number}")), self.int(value)),
            Stmt::Volatile(number, value) => format!("{} = {};", self.uses(&format!("v{number}")), self.int(value)),
            Stmt::Field(of, field, value) => {
                format!("{}.{} = {};", self.target(of), self.field(*field), self.int(value))
            }
            Stmt::Link(local, value) => {
                self.uses("N.next");
                format!("n{local}.next = {};", self.reference(value))
            }
            Stmt::StaticRef(number, value) => {
                format!("{} = {};", self.uses(&format!("r{number}")), self.reference(value))
            }
            Stmt::VolatileRef(value) => format!("{} = {};", self.uses("w"), self.reference(value)),
            Stmt::Element(index, value) => format!("{}[{index}] = {};", self.uses("xs"), self.int(value)),
            Stmt::Own(index, value) => format!("q[{index}] = {};", self.int(value)),
            Stmt::Copy(true) => format!("System.arraycopy({}, 0, q, 0, 2);", self.uses("xs")),
            Stmt::Copy(false) => format!("System.arraycopy(q, 0, {}, 0, 2);", self.uses("xs")),
            Stmt::RefElement(index, value) => format!("{}[{index}] = {};", self.uses("ns"), self.reference(value)),
            Stmt::Atomic(value) => format!("{}.set({});", self.uses("ai"), self.int(value)),
            Stmt::AtomicRef(value) => format!("{}.set({});", self.uses("ar"), self.reference(value)),
            Stmt::Increment => format!("{}.incrementAndGet();", self.uses("ai")),
            Stmt::Selfish(number, value) => {
                self.uses("L.set");
                format!("{}.set({});", self.uses(&format!("l{number}")), self.int(value))
            }
            Stmt::Count(number) => {
                self.uses("L.count");
                format!("{}.count();", self.uses(&format!("l{number}")))
            }
            Stmt::Give(number, value) => {
                self.uses("L.give");
                format!("{}.give({});", self.uses(&format!("l{number}")), self.reference(value))
            }
            Stmt::Container(value) => {
                self.uses("C.work");
                format!("{}.work({});", self.uses("c"), self.int(value))
            }
            Stmt::Late(value) => {
                self.uses("H");
                format!("H.h = {};", self.int(value))
            }
            Stmt::Sync(lock, body) => {
                let head = format!("synchronized ({})", self.lock(*lock));
                return self.block(&head, body);
            }
            Stmt::If(cond, then, otherwise) => {
                let head = format!("if ({})", self.cond(cond));
                self.block(&head, then);
                if !otherwise.is_empty() {
                    self.block("else", otherwise);
                }
                return;
            }
            Stmt::For(times, body) => {
                self.loops += 1;
                let j = format!("j{}", self.loops);
                return self.block(&format!("for (int {j} = 0; {j} < {times}; {j}++)"), body);
            }
            Stmt::While(cond, body) => {
                let head = format!("while ({})", self.cond(cond));
                return self.block(&head, body);
            }
            Stmt::Try(body) => {
                self.block("try", body);
                return self.line("catch (RuntimeException e) { x0 = 3; }");
            }
            Stmt::Wait(lock, timed) => format!("{}.wait({});", self.lock(*lock), if *timed { "1" } else { "" }),
            Stmt::Notify(lock, all) => {
                format!("{}.{}();", self.lock(*lock), if *all { "notifyAll" } else { "notify" })
            }
            Stmt::Assert(cond) => format!("assert {};", self.cond(cond)),
            Stmt::Observe(value) => {
                self.uses("Verify");
                format!("Verify.observe({});", self.int(value))
            }
            // What follows is not unreachable in the eyes of the compiler.
            Stmt::Throw => "if (true) throw new IllegalStateException();".to_owned(),
            Stmt::Start(number) if self.quiet => format!(
                "Verify.beginAtomic(); Thread t = new Thread(() -> begin{number}()); t.setDaemon(true); t.start(); Verify.endAtomic();"
            ),
            Stmt::Start(number) => format!("new Thread(() -> begin{number}()).start();"),
            Stmt::Library(op) => return self.operation(op),
        };
        self.line(&text);
    }

    fn lock(&mut self, lock: Lock) -> String {
        match lock {
            Lock::Object(number) => self.uses(&format!("o{number}")),
            Lock::Selfish(number) => self.uses(&format!("l{number}")),
            Lock::Container => self.uses("c"),
            Lock::Local(number) => format!("n{number}"),
            Lock::Class => format!("{}.class", self.class),
        }
    }

    fn field(&mut self, field: Field) -> &'static str {
        let name = match field {
            Field::A => "a",
            Field::B => "b",
        };
        self.uses(&format!("N.{name}"));
        name
    }

    fn int(&mut self, int: &Int) -> String {
        match int {
            Int::Const(value) => value.to_string(),
            Int::Local(number) => format!("x{number}"),
            Int::Static(number) => self.uses(&format!("i{number}")),
            Int::Volatile(number) => self.uses(&format!("v{number}")),
            Int::Field(of, field) => format!("{}.{}", self.target(of), self.field(*field)),
            Int::Final(of) => format!("{}.k", self.target(of)),
            Int::Element(index) => format!("{}[{index}]", self.uses("xs")),
            Int::Clone(index) => format!("{}.clone()[{index}]", self.uses("xs")),
            Int::Own(index) => format!("q[{index}]"),
            Int::Atomic => format!("{}.get()", self.uses("ai")),
            Int::Selfish(number) => {
                self.uses("L.get");
                format!("{}.get()", self.uses(&format!("l{number}")))
            }
            Int::Container => {
                self.uses("C.get");
                format!("{}.get()", self.uses("c"))
            }
            Int::Late => {
                self.uses("H");
                "H.h".to_owned()
            }
            Int::LateCall => {
                self.uses("H");
                format!("{}()", self.uses("H.get"))
            }
            Int::LateNew => {
                self.uses("H");
                self.uses("H.k");
                "new H().k".to_owned()
            }
            Int::Choose(count) => {
                self.uses("Verify");
                format!("Verify.choose({count})")
            }
            Int::Next(of) => format!("({} + 1) % 4", self.int(of)),
            Int::Truth(of) => format!("({} ? 1 : 0)", self.cond(of)),
            Int::Hash(of) => self.hash(of),
        }
    }

    /// A reference before a dot.
    fn target(&mut self, reference: &Ref) -> String {
        match reference {
            Ref::Null => {
                self.uses("N");
                "((N) null)".to_owned()
            }
            other => self.reference(other),
        }
    }

    pub(super) fn reference(&mut self, reference: &Ref) -> String {
        match reference {
            Ref::Null => "null".to_owned(),
            Ref::Local(number) => format!("n{number}"),
            Ref::Static(number) => self.uses(&format!("r{number}")),
            Ref::Volatile => self.uses("w"),
            Ref::Final => self.uses("f"),
            Ref::Next(local) => {
                self.uses("N.next");
                format!("n{local}.next")
            }
            Ref::New(value) => {
                self.uses("N");
                format!("new N({value})")
            }
            Ref::Leaky(value) => {
                for name in ["N", "N.leaky", "r0"] {
                    self.uses(name);
                }
                format!("new N({value}, 1)")
            }
            Ref::Element(index) => format!("{}[{index}]", self.uses("ns")),
            Ref::Atomic => format!("{}.get()", self.uses("ar")),
            Ref::Take(number) => {
                self.uses("L.take");
                format!("{}.take()", self.uses(&format!("l{number}")))
            }
        }
    }

    fn cond(&mut self, cond: &Cond) -> String {
        match cond {
            Cond::Equals(int, value, equal) => {
                format!("{} {} {value}", self.int(int), if *equal { "==" } else { "!=" })
            }
            Cond::IsNull(reference, null) => {
                format!("{} {} null", self.reference(reference), if *null { "==" } else { "!=" })
            }
            Cond::Ask(ask) => self.asked(ask),
            Cond::Swap(old, new) => format!(
                "{}.compareAndSet({}, {})",
                self.uses("ai"),
                self.int(old),
                self.int(new)
            ),
            Cond::SwapRef(old, new) => format!(
                "{}.compareAndSet({}, {})",
                self.uses("ar"),
                self.reference(old),
                self.reference(new)
            ),
        }
    }
}
