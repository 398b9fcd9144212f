//! Bytecode with random changes: no panic, and what is accepted is still well-formed code.

mod common;

use common::{Trusting, check_form, images};
use program::bytes::Bytes;
use program::classfile::ClassFile;
use program::image::Image;
use program::lower::lower;

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}

/// Changes a few bytes of a method's code, its limits or its exception table.
fn mutate(bytes: &mut [u8], code: std::ops::Range<usize>, handlers: usize, random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        let (start, length) = match random.below(8) {
            // Stack and locals lie before the length of the code, the exception table after the code.
            0 => (code.start - 8, 4),
            1 if handlers > 0 => (code.end + 2, handlers * 8),
            _ => (code.start, code.len()),
        };
        let at = start + random.below(length);
        let old = bytes[at];
        bytes[at] = match random.below(4) {
            0 => old.wrapping_add(1),
            1 => old.wrapping_sub(1),
            2 => random.below(256) as u8,
            _ => random.below(202) as u8,
        };
    }
}

#[test]
fn mutants_never_panic() {
    let Some(path) = images().pop() else {
        return eprintln!("skipped: no JDK");
    };
    let image = Image::open(&path).expect("an image");
    let mut random = Random(0x5DEE_CE66_D1CE_B00C);
    let (mut accepted, mut rejected) = (0, 0);
    let resources = image.resources("java.base");
    for resource in resources
        .iter()
        .filter(|resource| resource.ends_with(".class"))
        .step_by(23)
    {
        let original = image.find("java.base", resource).expect("a resource");
        let file = ClassFile::parse(original.clone()).expect("a class");
        for (index, method) in file.methods.iter().enumerate() {
            let Some(info) = &method.code else { continue };
            for _ in 0..4 {
                let mut bytes = original.to_vec();
                mutate(&mut bytes, info.code.clone(), info.handlers.len(), &mut random);
                let Ok(file) = ClassFile::parse(Bytes::from(bytes)) else {
                    continue;
                };
                match lower(&file, &file.methods[index], &Trusting) {
                    Ok(code) => {
                        accepted += 1;
                        check_form(resource, &code);
                    }
                    Err(_) => rejected += 1,
                }
            }
        }
    }
    println!("{accepted} mutants accepted, {rejected} rejected");
    assert!(accepted > 500 && rejected > 5000);
}

#[test]
fn hostile_sizes_are_refused_or_managed() {
    use common::assembler::Assembler;
    // The largest frame, many blocks, and a handler around every instruction.
    let mut blocks = Vec::new();
    while blocks.len() < 60000 {
        blocks.extend_from_slice(&[3, 153, 0, 3]); // iconst_0, ifeq next
    }
    blocks.push(177);
    let rows: Vec<_> = (0..10000).map(|row| (row * 4, row * 4 + 4, 60000, 0)).collect();
    let mut deep = vec![3; 30000]; // iconst_0
    for _ in 0..8000 {
        deep.extend_from_slice(&[3, 153, 0, 3]);
    }
    deep.push(177);
    let mut wide = Vec::new();
    for local in 0..12000u16 {
        wide.extend_from_slice(&[3, 196, 54, (local >> 8) as u8, local as u8]); // iconst_0, wide istore
    }
    wide.push(177);
    let switch = |words: &[i32]| {
        let mut code = vec![3, 170, 0, 0];
        words
            .iter()
            .for_each(|word| code.extend_from_slice(&word.to_be_bytes()));
        code
    };
    for (what, limits, code, rows) in [
        ("many blocks in a large frame", (10, 65535), blocks.clone(), vec![]),
        ("many handlers", (10, 10), blocks, rows),
        ("a deep stack", (65535, 0), deep, vec![]),
        ("many locals", (10, 65535), wide, vec![]),
        ("a huge switch", (2, 0), switch(&[0, i32::MIN, i32::MAX]), vec![]),
        ("a switch of nothing", (2, 0), switch(&[0, 1, 0]), vec![]),
    ] {
        let mut assembler = Assembler::new("Hostile", "java/lang/Object", 49);
        assembler.method(0x9, "m", "()V", limits, &code, &rows);
        let Ok(file) = ClassFile::parse(assembler.bytes().into()) else {
            continue;
        };
        if let Ok(code) = lower(&file, &file.methods[0], &Trusting) {
            check_form(what, &code);
        }
    }
}
