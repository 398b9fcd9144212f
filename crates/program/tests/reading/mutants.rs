//! Broken class files and images: whatever the bytes, an answer and no panic.

use program::bytes::Bytes;
use program::classfile::ClassFile;
use program::image::Image;
use std::path::Path;

/// A small generator of numbers (xorshift64*): the same mutants every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound.max(1)
    }
}

fn mutate(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        let place = random.below(bytes.len());
        match random.below(7) {
            0 => bytes[place] ^= 1 << random.below(8),
            1 => bytes[place] = random.below(256) as u8,
            2 => bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)],
            3 => bytes.truncate(place.max(1)),
            4 => bytes.insert(place, random.below(256) as u8),
            5 => drop(bytes.remove(place)),
            _ => {
                let (from, length) = (random.below(bytes.len()), random.below(64));
                let piece: Vec<u8> = bytes.iter().skip(from).take(length).copied().collect();
                bytes.splice(place..place, piece);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn mutated_classes_parse_or_are_refused() {
    const CLASSES: [&str; 12] = [
        "java/lang/Object",
        "java/lang/String",
        "java/lang/Record",
        "java/lang/Comparable",
        "java/lang/Character$UnicodeBlock",
        "java/util/HashMap",
        "java/util/concurrent/TimeUnit",
        "java/util/concurrent/locks/AbstractQueuedSynchronizer",
        "java/util/stream/Collectors",
        "java/lang/invoke/MethodHandles",
        "java/lang/runtime/ObjectMethods",
        "java/lang/constant/ConstantDesc",
    ];
    for (feature, home) in crate::common::jdks() {
        let image = crate::common::image(&home);
        let mut random = Random(0x5EED_0000 + u64::from(feature));
        let (mut parsed, mut refused) = (0, 0);
        for class in CLASSES {
            let (bytes, _) = image.class(class).expect("a class of every JDK");
            // Half of the mutants are made from the head of the file, where the constants are.
            for round in 0..10_000 / CLASSES.len() + 1 {
                let mutant = match round % 2 {
                    0 => mutate(&bytes, &mut random),
                    _ => {
                        let (head, tail) = bytes.split_at(bytes.len() / 4);
                        [&mutate(head, &mut random), tail].concat()
                    }
                };
                match ClassFile::parse(Bytes::from(mutant)) {
                    Ok(file) => {
                        parsed += 1;
                        exercise(&file);
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(!error.what.is_empty());
                    }
                }
            }
        }
        println!("JDK {feature}: {parsed} parsed, {refused} refused");
        assert!(parsed > 100 && refused > 1000, "{parsed} parsed, {refused} refused");
    }
}

/// Reads what a class that passed has to say, to see that it can be relied upon.
fn exercise(file: &ClassFile) {
    let pool = &file.pool;
    assert!(!pool.class_name(file.this_class).is_empty());
    for index in 0..=u16::MAX {
        if usize::from(index) > pool.len() {
            break;
        }
        let _ = (
            pool.units(index).count(),
            pool.member(index),
            pool.name_and_type(index),
            pool.class_name(index),
        );
    }
    for method in &file.methods {
        assert!(program::descriptor::is_method(pool.text(method.descriptor)));
        if let Some(code) = &method.code {
            assert!(!file.bytes[code.code.clone()].is_empty());
            assert!(code.lines.is_sorted_by_key(|row| row.0));
            let length = code.code.len();
            for bci in (0..length).step_by(length / 20 + 1) {
                code.line(bci);
                program::npe::describe(file, method, bci);
            }
        }
    }
}

/// A little-endian or big-endian image with one module, one package and two resources, made as `jlink` makes it.
fn small_image(big_endian: bool, compressed: u8) -> Vec<u8> {
    let u4 = |value: u32| {
        if big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let strings = b"\0m\0p/q\0A\0class\0packages\0p.q\0p\0q\0";
    let names: [(&[u8], [u8; 4], &[u8]); 2] = [
        (b"/m/p/q/A.class", [1, 3, 7, 9], b"class A"),
        (b"/packages/p.q", [15, 0, 28, 30], &[u4(0), u4(1)].concat()),
    ];
    let hash = |seed: u32, name: &[u8]| {
        name.iter()
            .fold(seed, |hash, byte| hash.wrapping_mul(0x0100_0193) ^ u32::from(*byte))
            & 0x7FFF_FFFF
    };
    let length = names.len() as u32;
    let slots = names.map(|(name, ..)| hash(0x0100_0193, name) % length);
    let (mut redirect, mut order) = ([0i32; 2], [0usize; 2]);
    if slots[0] == slots[1] {
        // A seed that tells the two apart.
        let seed = (1..)
            .find(|seed| hash(*seed, names[0].0) % length != hash(*seed, names[1].0) % length)
            .unwrap();
        redirect[slots[0] as usize] = seed as i32;
        for (entry, (name, ..)) in names.iter().enumerate() {
            order[(hash(seed, name) % length) as usize] = entry;
        }
    } else {
        for (entry, slot) in slots.iter().enumerate() {
            redirect[*slot as usize] = -1 - *slot as i32;
            order[*slot as usize] = entry;
        }
    }
    let (mut locations, mut contents, mut starts) = (Vec::new(), Vec::new(), [0; 2]);
    for (entry, (_, [module, parent, base, extension], content)) in names.iter().enumerate() {
        starts[entry] = locations.len() as u32;
        for (kind, value) in [(1, *module), (2, *parent), (3, *base), (4, *extension)] {
            locations.extend([kind << 3, value]);
        }
        locations.extend([
            5 << 3,
            contents.len() as u8,
            6 << 3,
            compressed,
            7 << 3,
            content.len() as u8,
            0,
        ]);
        contents.extend_from_slice(content);
    }
    let header = [
        0xCAFE_DADA,
        1 << 16,
        0,
        length,
        length,
        locations.len() as u32,
        strings.len() as u32,
    ];
    let mut image: Vec<u8> = header.into_iter().flat_map(u4).collect();
    image.extend(redirect.into_iter().flat_map(|value| u4(value as u32)));
    image.extend(order.into_iter().flat_map(|entry| u4(starts[entry])));
    image.extend(locations);
    image.extend_from_slice(strings);
    image.extend(contents);
    image
}

fn open(bytes: Vec<u8>) -> Result<Image, String> {
    Image::from_bytes(Bytes::from(bytes), Path::new("modules")).map_err(|error| error.to_string())
}

#[test]
fn images_of_both_byte_orders_are_read() {
    for big_endian in [false, true] {
        let image = open(small_image(big_endian, 0)).expect("a good image");
        let (class, module) = image.class("p/q/A").expect("its class");
        assert_eq!((&*class, &*module), (&b"class A"[..], "m"));
        assert_eq!(image.packages("m"), ["p/q"]);
        assert_eq!(image.resources("m"), ["p/q/A.class"]);
        assert!(image.class("p/q/B").is_none());
    }
}

#[test]
fn images_that_cannot_be_used_say_why() {
    let mut newer = small_image(false, 0);
    newer[6] = 2;
    let short = small_image(false, 0)[..60].to_vec();
    for (bytes, expected) in [
        (
            small_image(false, 9),
            "compressed image not supported: p/q/A.class in modules is compressed; use a JDK whose",
        ),
        (
            newer,
            "modules is not a JDK image that can be read: its format is 2.0 instead of 1.0",
        ),
        (short, "its tables end at byte"),
        (vec![], "it is too short"),
        (
            b"PK\x03\x04 and so on".to_vec(),
            "it begins with 0x504b0304 instead of 0xcafedada",
        ),
    ] {
        let error = open(bytes).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let missing = Image::open("/nonexistent/modules").expect_err("missing").to_string();
    assert!(
        missing.starts_with("cannot read the JDK image /nonexistent/modules: "),
        "{missing}"
    );
}

#[test]
fn mutated_images_are_read_or_refused() {
    let mut random = Random(42);
    let (mut read, mut refused) = (0, 0);
    for round in 0..20_000 {
        let Ok(image) = open(mutate(&small_image(round % 2 == 0, 0), &mut random)) else {
            refused += 1;
            continue;
        };
        read += 1;
        for module in image.modules() {
            image.packages(&module);
            for path in image.resources(&module) {
                image.find(&module, &path);
            }
        }
        image.class("p/q/A");
        image.module_of("p/q");
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
}
