//! Every method of the installed JDKs' `java.base` lowers, quickly, and to well-formed code.

mod common;

use common::{Hierarchy, Trusting, check_form, images};
use program::classfile::ClassFile;
use program::image::Image;
use program::lower::{Rules, lower};
use std::path::Path;
use std::time::{Duration, Instant};

fn classes(path: &Path) -> Vec<ClassFile> {
    let image = Image::open(path).expect("an image");
    let mut files = Vec::new();
    for resource in image.resources("java.base") {
        if resource.ends_with(".class")
            && let Some(bytes) = image.find("java.base", &resource)
        {
            files.push(ClassFile::parse(bytes).unwrap_or_else(|error| panic!("{resource}: {error}")));
        }
    }
    files
}

/// How many instructions a method's bytecode has.
fn count(code: &[u8]) -> usize {
    let word = |at: usize| i32::from_be_bytes(code[at..at + 4].try_into().expect("four bytes"));
    let (mut at, mut count) = (0, 0);
    while at < code.len() {
        let table = (at + 4) & !3;
        at += match code[at] {
            16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 2,
            17 | 19 | 20 | 132 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 | 198 | 199 => 3,
            197 => 4,
            185 | 186 | 200 | 201 => 5,
            196 => {
                if code[at + 1] == 132 {
                    6
                } else {
                    4
                }
            }
            170 => table - at + 12 + 4 * (word(table + 8) - word(table + 4) + 1) as usize,
            171 => table - at + 8 + 8 * word(table + 4) as usize,
            _ => 1,
        };
        count += 1;
    }
    count
}

fn check(path: &Path, rules: &dyn Rules, files: &[ClassFile]) {
    let (mut methods, mut bytes, mut bytecodes, mut instructions, mut words) = (0, 0, 0, 0, 0);
    let mut time = Duration::ZERO;
    let mut failures = Vec::new();
    for file in files {
        for method in &file.methods {
            let Some(info) = &method.code else { continue };
            let start = Instant::now();
            let lowered = lower(file, method, rules);
            time += start.elapsed();
            methods += 1;
            bytes += info.code.len();
            let count = count(&file.bytes[info.code.clone()]);
            bytecodes += count;
            let name = format!(
                "{}.{}",
                file.pool.class_name(file.this_class),
                file.pool.text(method.name)
            );
            match lowered {
                Ok(code) => {
                    instructions += code.instrs.len();
                    words += usize::from(code.frame_words);
                    check_form(&name, &code);
                }
                Err(error) => failures.push(error.to_string()),
            }
        }
    }
    println!(
        "{}, {}: {methods} methods, {bytes} bytes, {bytecodes} bytecodes, {instructions} instructions ({:.2}), \
         {words} frame words, {time:?}, {:.1} MB/s",
        path.display(),
        if rules.trusted() { "trusted" } else { "verified" },
        instructions as f64 / bytecodes as f64,
        bytes as f64 / 1e6 / time.as_secs_f64()
    );
    assert!(
        failures.is_empty(),
        "{} failures, first {:#?}",
        failures.len(),
        &failures[..failures.len().min(10)]
    );
    assert!(instructions * 100 <= bytecodes * 65, "lowered code has grown");
}

#[test]
fn every_method_of_java_base_lowers_and_verifies() {
    for path in images() {
        let files = classes(&path);
        check(&path, &Trusting, &files);
        let mut hierarchy = Hierarchy::default();
        files.iter().for_each(|file| hierarchy.add(file));
        check(&path, &hierarchy, &files);
    }
}
