//! What small methods become, instruction by instruction.

mod common;

use common::{Folder, Trusting, compile};
use program::ir::show;
use program::lower::lower;

/// What a case is about, a method, and its listing without the columns for positions and live registers.
type Case = (&'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "loops are tight",
        "static int sum(int[] a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }",
        &[
            "s = 0",
            "i = 0",
            "if i >= n goto 7",
            "v4 = a[i]",
            "s = s + v4",
            "i = i + 1",
            "if i < n goto 3",
            "return s",
        ],
    ),
    (
        "loops are tight",
        "static int read(int[] a) { int c, i = 0; while ((c = a[i++]) != -1) { if (c == 5) break; } return c; }",
        &[
            "i = 0",
            "v3 = i",
            "i = i + 1",
            "c = a[v3]",
            "if c == -1 goto 6",
            "if c != 5 goto 1",
            "return c",
        ],
    ),
    (
        "results go where they are stored",
        "static Listing walk(List<Listing> l) { Listing x = l.get(count); x = x.next; return x; }",
        &[
            "v2 = Listing.count",
            "x = call interface java/util/List.get(l, v2)",
            "x = (Listing) x",
            "x = x.next",
            "return x",
        ],
    ),
    (
        "results go where they are stored",
        "Listing make(Listing x) { Listing a = new Listing(7); a.next = x; return a; }",
        &[
            "a = new Listing",
            "v3 = 7",
            "call special Listing.<init>(a, v3)",
            "a.next = x",
            "return a",
        ],
    ),
    (
        "results go where they are stored",
        "static int max(int a, int b) { int m = a > b ? a : b; return m; }",
        &["if a <= b goto 3", "m = a", "return m", "m = b", "return m"],
    ),
    (
        "constants fold into instructions",
        "static int fold(int a) { return ((a - 5) * 3 / 7 & 255) << 33; }",
        &[
            "v1 = a - 5",
            "v1 = v1 * 3",
            "v1 = v1 / 7",
            "v1 = v1 & 255",
            "v1 = v1 << 1",
            "return v1",
        ],
    ),
    (
        "constants fold into instructions",
        "static boolean longs(long a, long b) { return a < b && (a & 15L) != 3L; }",
        &[
            "if a >=L b goto 6",
            "v5 = a &L 15",
            "v7 = 3L",
            "if v5 ==L v7 goto 6",
            "v4 = 1",
            "return v4",
            "v4 = 0",
            "return v4",
        ],
    ),
    (
        "constants fold into instructions",
        "boolean test(Object o) { return null != o && o instanceof String && 3 < f; }",
        &[
            "if o == null goto 7",
            "v2 = o instanceof java/lang/String",
            "if v2 == 0 goto 7",
            "v3 = this.f",
            "if v3 <= 3 goto 7",
            "v2 = 1",
            "return v2",
            "v2 = 0",
            "return v2",
        ],
    ),
    (
        "handlers see what the bytecode has stored",
        "static Object cast(List<String> l, String s) { try { s = l.get(count); } catch (RuntimeException e) { } return s; }",
        &[
            "v4 = Listing.count",
            "v3 = call interface java/util/List.get(l, v4)",
            "v3 = (java/lang/String) v3",
            "s = v3",
            "return s",
            "catch java/lang/RuntimeException from 0 to 3: v2 = it, goto 4",
        ],
    ),
    (
        "synchronized methods lock and unlock",
        "synchronized int next() { return f++; }",
        &[
            "lock this",
            "v2 = this.f",
            "v3 = v2 + 1",
            "this.f = v3",
            "unlock this",
            "return v2",
            "unlock this",
            "throw v1",
            "catch anything from 1 to 3: v1 = it, goto 6",
        ],
    ),
    (
        "synchronized methods lock and unlock",
        "static synchronized void touch() { count = 2; }",
        &[
            "v0 = Listing.class",
            "lock v0",
            "v2 = 2",
            "Listing.count = v2",
            "unlock v0",
            "return",
            "unlock v0",
            "throw v1",
            "catch anything from 2 to 3: v1 = it, goto 6",
        ],
    ),
    (
        "values wait on the stack without moves",
        "void call(int x, Listing o) { o.set(x < 2 ? f : x, this); }",
        &[
            "if x >= 2 goto 3",
            "v3 = this.f",
            "goto 4",
            "v3 = x",
            "call virtual Listing.set(o, v3, this)",
            "return",
        ],
    ),
    (
        "values wait on the stack without moves",
        "static int swap(int a) { return a++ + ++a; }",
        &["v1 = a", "a = a + 1", "a = a + 1", "v1 = v1 + a", "return v1"],
    ),
    (
        "narrow returns are cut only if needed",
        "byte low() { return small; }",
        &["v1 = this.small", "return v1"],
    ),
    (
        "narrow returns are cut only if needed",
        "static char letter(int a) { return (char) a; }",
        &["v1 = (char) a", "return v1"],
    ),
    (
        "narrow returns are cut only if needed",
        "static boolean found(int a) { boolean r = false; if (a > 3) r = true; return r; }",
        &["r = 0", "if a <= 3 goto 3", "r = 1", "return r"],
    ),
];

#[test]
fn listings_are_as_expected() {
    let folder = Folder::new("listing");
    let methods: Vec<&str> = CASES.iter().map(|case| case.1).collect();
    let source = format!(
        "import java.util.*; class Listing {{ int f; byte small; long big; Listing next; static int count;
         {}
         Listing(int f) {{ this.f = f; }} void set(int a, Listing b) {{ }} }}",
        methods.join("\n")
    );
    let Some(files) = compile(&folder, "Listing.java", &source) else {
        return;
    };
    let file = &files["Listing"];
    for ((title, source, expected), method) in CASES.iter().zip(&file.methods) {
        let code = lower(file, method, &Trusting).expect("code");
        let name = format!("{}{}", file.pool.text(method.name), file.pool.text(method.descriptor));
        let listing = show(Some(file), &name, &code);
        let actual: Vec<&str> = listing.lines().skip(2).map(bare).collect();
        assert_eq!(actual, *expected, "{title}\n{source}\n{listing}");
    }
}

/// A line without its columns and comments.
fn bare(line: &str) -> &str {
    let text = match line.split_once(": ") {
        Some((front, text)) if !front.contains("catch") => text,
        _ => line.trim_start(),
    };
    let text = text.split("  ; ").next().unwrap_or("");
    text.split("   // ").next().unwrap_or("").trim_end()
}
