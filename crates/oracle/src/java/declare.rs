//! What a program declares and imports: only what is used.

use super::concurrent;
use super::source::Writer;
use std::fmt::Write;

/// Static fields, in the order in which they are declared.
const STATICS: [(&str, &str); 16] = [
    ("i0", "static int i0;"),
    ("i1", "static int i1;"),
    ("v0", "static volatile int v0;"),
    ("v1", "static volatile int v1;"),
    ("r0", "static N r0;"),
    ("r1", "static N r1;"),
    ("w", "static volatile N w;"),
    ("f", "static final N f = new N(2);"),
    ("xs", "static final int[] xs = new int[2];"),
    ("ns", "static final N[] ns = new N[2];"),
    ("o0", "static final Object o0 = new Object();"),
    ("o1", "static final Object o1 = new Object();"),
    ("l0", "static final L l0 = new L();"),
    ("l1", "static final L l1 = new L();"),
    ("c", "static final C c = new C();"),
    ("ai", "static final AtomicInteger ai = new AtomicInteger();"),
];

/// Members of `L`.
const SELFISH: [(&str, &str, &str); 5] = [
    ("L.get", "value", "synchronized int get() { return value; }"),
    ("L.set", "value", "synchronized void set(int v) { value = v; }"),
    (
        "L.count",
        "value",
        "synchronized void count() { value = (value + 1) % 4; }",
    ),
    ("L.give", "held", "synchronized void give(N n) { held = n; }"),
    (
        "L.take",
        "held",
        "synchronized N take() { N n = held; held = null; return n; }",
    ),
];

impl Writer<'_> {
    pub(super) fn imports(&self) -> String {
        let mut text = String::new();
        for (class, names) in concurrent::IMPORTS {
            if names.iter().any(|name| self.has(name)) {
                let _ = writeln!(text, "import java.util.concurrent.{class};");
            }
        }
        for (name, class) in [("ai", "AtomicInteger"), ("ar", "AtomicReference")] {
            if self.has(name) {
                let _ = writeln!(text, "import java.util.concurrent.atomic.{class};");
            }
        }
        if self.has("Verify") {
            text.push_str("import raddle.Verify;\n");
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    pub(super) fn declarations(&mut self) {
        self.depth = 1;
        let selfish: Vec<_> = SELFISH.iter().filter(|(name, _, _)| self.has(name)).collect();
        let holds = selfish.iter().any(|(_, field, _)| *field == "held");
        let nodes = ["r0", "r1", "w", "f", "ns", "ar", "N"]
            .iter()
            .any(|name| self.has(name));
        let container = self.has("c");
        if nodes || holds || container {
            self.node(container);
        }
        if self.has("l0") || self.has("l1") {
            self.open("static class L {");
            for (field, declaration) in [("value", "private int value;"), ("held", "private N held;")] {
                if selfish.iter().any(|(_, of, _)| *of == field) {
                    self.line(declaration);
                }
            }
            for (_, _, method) in selfish {
                self.line(method);
            }
            self.close("}");
        }
        if container {
            self.container();
        }
        if self.has("H") {
            self.open("static class H {");
            self.line("static int h = 1;");
            if self.has("H.k") {
                self.line("final int k = 2;");
            }
            if self.has("H.get") {
                self.line("static int get() { return h; }");
            }
            self.close("}");
        }
        self.locks();
        for (name, declaration) in STATICS.into_iter().chain(concurrent::STATICS) {
            if self.has(name) {
                self.line(declaration);
            }
        }
        if self.has("ar") {
            self.line("static final AtomicReference<N> ar = new AtomicReference<>();");
        }
        self.summoned_fields();
    }

    fn node(&mut self, container: bool) {
        self.open("static class N {");
        if self.has("N.a") || container {
            self.line("int a;");
        }
        if self.has("N.b") {
            self.line("volatile int b;");
        }
        self.line("final int k;");
        if self.has("N.next") {
            self.line("N next;");
        }
        if self.has("N.g") {
            self.line("final ReentrantLock g = new ReentrantLock();");
        }
        if self.has("N.y") {
            self.line("final Y y = new Y();");
        }
        self.line("N(int k) { this.k = k; }");
        if self.has("N.leaky") {
            let class = self.class;
            self.line(&format!("N(int k, int l) {{ {class}.r0 = this; this.k = k + l; }}"));
        }
        self.close("}");
    }

    fn container(&mut self) {
        self.open("static class C {");
        self.line("private final N inner = new N(1);");
        self.line("private final int[] cells = new int[1];");
        if self.has("C.get") {
            self.line("synchronized int get() { return cells[0]; }");
        }
        if self.has("C.work") {
            self.line("synchronized void work(int v) { inner.a = v; cells[0] = inner.a + inner.k; }");
        }
        self.close("}");
    }
}
