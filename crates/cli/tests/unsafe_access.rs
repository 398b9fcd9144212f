//! `sun.misc.Unsafe` makes no reference of a number, reaches nothing but fields and elements, and so nothing of the process.

mod common;

use std::fs;
use std::process::{Command, Output};

const FORGE: &str = r#"
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import sun.misc.Unsafe;

public class Forge {
    static class Holder {
        int number = 0x12345678;
        int other = -1;
        Object any = "text";
        String text = "text";
        Holder next;
        Runnable run;
        long wide;
    }
    static class Numbers { int a = 0x7ffffff0, b = -5, c = 77, d = 1 << 30; }
    static Object shared = "static";

    static Unsafe unsafe;
    static long at(Class<?> c, String name) throws Exception { return unsafe.objectFieldOffset(c.getDeclaredField(name)); }

    public static void main(String[] args) throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        unsafe = (Unsafe) field.get(null);
        Holder h = new Holder();
        Object[] array = { "a", "b" };
        long number = at(Holder.class, "number"), any = at(Holder.class, "any"), text = at(Holder.class, "text");
        long base = unsafe.arrayBaseOffset(Object[].class);
        switch (args[0]) {
            case "fine" -> {
                unsafe.putObject(h, text, "new");
                unsafe.putObject(h, any, new int[3]);
                unsafe.putObject(h, at(Holder.class, "next"), new Holder() { });
                unsafe.putObject(h, at(Holder.class, "run"), (Runnable) () -> { });
                unsafe.putObject(h, at(Holder.class, "next"), null);
                unsafe.putLong(h, at(Holder.class, "wide"), -1L);
                unsafe.putLong(h, number, 5L << 32 | 4);
                if (h.number != 4 || h.other != 5) throw new AssertionError();
                unsafe.putObject(array, base, 7);
                if (!unsafe.compareAndSwapObject(array, base + 4, "b", "c")) throw new AssertionError();
                unsafe.putInt(new byte[9], base + 3, 1);
                unsafe.putByte(h, number, (byte) 9);
                Object statics = unsafe.staticFieldBase(Forge.class.getDeclaredField("shared"));
                long shared = unsafe.staticFieldOffset(Forge.class.getDeclaredField("shared"));
                unsafe.putObjectVolatile(statics, shared, "other");
                unsafe.getInt("text", at(String.class, "hash"));
                Holder made = (Holder) unsafe.allocateInstance(Holder.class);
                long block = unsafe.allocateMemory(16);
                unsafe.putLong(block + 3, 99);
                unsafe.freeMemory(block);
                System.out.println(h.text + array[0] + array[1] + Forge.shared + made.number);
            }
            case "read a number as a reference" -> unsafe.getObject(h, number).hashCode();
            case "write a reference over a number" -> unsafe.putObject(h, number, "x");
            case "swap a number for a reference" -> unsafe.compareAndSwapObject(h, number, null, "x");
            case "read a reference as a number" -> System.out.println(unsafe.getInt(h, any));
            case "write a number over a reference" -> { unsafe.putInt(h, any, 0x40000000); h.any.hashCode(); }
            case "swap a reference for a number" -> unsafe.compareAndSwapInt(h, any, 0, 5);
            case "write a byte of a reference" -> unsafe.putByte(h, any + 1, (byte) 1);
            case "write a long over a reference" -> unsafe.putLong(h, at(Holder.class, "other"), 1L << 40);
            case "write a number over an element" -> { unsafe.putInt(array, base, 0x7fffffff); array[0].hashCode(); }
            case "read a reference from numbers" -> unsafe.getObject(new int[] { 1, 2 }, base).hashCode();
            case "write a reference into numbers" -> unsafe.putObject(new long[2], base, "x");
            case "read a part of a reference" -> unsafe.getObject(array, base + 2);
            case "write another type" -> { unsafe.putObject(h, at(Holder.class, "next"), new Numbers()); h.next.any.hashCode(); }
            case "write another type over a string" -> { unsafe.putObject(h, text, new Numbers()); h.text.length(); }
            case "write another type into an array" -> unsafe.putObject(new String[1], base, new Numbers());
            case "swap another type in" -> unsafe.getAndSetObject(h, text, new Numbers());
            case "read a reference outside" -> unsafe.getObject(null, unsafe.allocateMemory(8));
            case "fill references" -> unsafe.setMemory(h, any, 8, (byte) 7);
            case "write what the machine knows" -> { for (long o = 12; o < 200; o += 4) unsafe.putInt(String.class, o, 77777); }
            case "write a thread's number" -> unsafe.putLong(Thread.currentThread(), at(Thread.class, "eetop"), 1L << 40);
            case "read what is trusted" -> {
                Field lookup = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
                unsafe.getObject(unsafe.staticFieldBase(lookup), unsafe.staticFieldOffset(lookup));
            }
            case "write what is trusted" -> unsafe.putObject("text", at(String.class, "value"), new byte[0]);
        }
    }
}
"#;

fn raddle(arguments: &[&str], jdk: &str) -> Output {
    let folder = common::root().join("target/unsafe");
    Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args([arguments[0], "--jdk", jdk])
        .args(&arguments[1..])
        .current_dir(&folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .expect("raddle runs")
}

#[test]
fn no_reference_is_forged() {
    let folder = common::root().join("target/unsafe");
    fs::create_dir_all(&folder).expect("target can be written");
    fs::write(folder.join("Forge.java"), FORGE).expect("target can be written");
    let ways: Vec<&str> = FORGE
        .lines()
        .filter_map(|line| line.trim().strip_prefix("case \"")?.split('"').next())
        .collect();
    assert!(ways.len() > 20, "{ways:?}");
    for jdk in common::jdks().iter().filter(|jdk| jdk.javac().is_some()) {
        let home = jdk.home().to_string_lossy();
        for way in &ways {
            for command in [&["run"][..], &["check", "--property", "exception"]] {
                let arguments: Vec<&str> = command.iter().copied().chain(["Forge.java", way]).collect();
                let output = raddle(&arguments, &home);
                let (out, err) = (
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&output.stderr),
                );
                let context = format!("{arguments:?} on {home}: {:?}\n{out}{err}", output.status);
                let status = output.status.code();
                if *way == "fine" {
                    assert_eq!(status, Some(0), "{context}");
                    assert!(command[0] == "check" || out == "new7cother0\n", "{context}");
                    continue;
                }
                let refused = ["an Unsafe access to", "references outside of the heap"];
                let is_refused = status == Some(3) && refused.iter().any(|words| format!("{out}{err}").contains(words));
                // The JDK itself refuses to fill what is no array of numbers.
                let is_raised = *way == "fill references" && status == Some(1);
                assert!(is_refused || is_raised, "{context}");
            }
        }
    }
}
