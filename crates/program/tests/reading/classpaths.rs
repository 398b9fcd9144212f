//! Jars, folders and wildcards, found in the order of `java` and refused with a reason.

use crate::common::Folder;
use program::archive::Archive;
use program::classpath::ClassPath;
use std::io::{Cursor, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A jar with these entries, every other one compressed.
fn jar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, (name, contents)) in entries.iter().enumerate() {
        let method = [CompressionMethod::Deflated, CompressionMethod::Stored][number % 2];
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method))
            .expect("a name");
        zip.write_all(contents).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

fn manifest(text: &str) -> (&'static str, &[u8]) {
    ("META-INF/MANIFEST.MF", text.as_bytes())
}

fn text(class_path: &ClassPath, path: &str) -> Option<String> {
    let hit = class_path.find(path).expect("readable")?;
    Some(String::from_utf8_lossy(&hit.bytes).into_owned())
}

#[test]
fn multi_release_jars_show_what_fits_the_version() {
    let folder = Folder::new("releases");
    let entries = [
        manifest("Manifest-Version: 1.0\nMulti-Release: true\nMain-Class: p.Main\n"),
        ("p/A.class", b"base"),
        ("p/B.class", b"base"),
        ("META-INF/versions/9/p/A.class", b"nine"),
        ("META-INF/versions/21/p/A.class", b"twenty-one"),
        ("META-INF/versions/9/META-INF/x", b"hidden"),
        ("META-INF/versions/8/p/B.class", b"never"),
        ("META-INF/versions/x/p/B.class", b"never"),
        ("p/", b""),
    ];
    let path = folder.write("a.jar", jar(&entries));
    for (feature, expected) in [
        (8, "base"),
        (9, "nine"),
        (17, "nine"),
        (21, "twenty-one"),
        (25, "twenty-one"),
    ] {
        let archive = Archive::open(&path, feature).expect("a good jar");
        assert_eq!(
            (archive.main_class(), archive.is_multi_release()),
            (Some("p.Main"), true)
        );
        assert_eq!(
            archive.class("p/A").expect("readable").as_deref(),
            Some(expected.as_bytes()),
            "{feature}"
        );
        assert_eq!(
            archive.class("p/B").expect("readable").as_deref(),
            Some(&b"base"[..]),
            "{feature}"
        );
        for missing in ["META-INF/x", "p/", "p", "", "../p/A.class", "/p/A.class"] {
            assert!(archive.find(missing).expect("readable").is_none(), "{missing}");
        }
    }
    let archive = Archive::open(&path, 25).expect("a good jar");
    assert_eq!(archive.entries().len(), 8, "the folder is no entry");
    let plain = jar(&[
        ("META-INF/manifest.mf", b"Main-Class: q.Main"),
        ("META-INF/versions/9/A.class", b"nine"),
    ]);
    let archive = Archive::open(folder.write("b.jar", plain), 25).expect("a good jar");
    assert_eq!(
        (archive.main_class(), archive.is_multi_release()),
        (Some("q.Main"), false)
    );
    assert!(
        archive.class("A").expect("readable").is_none(),
        "not a multi-release jar"
    );
}

#[test]
fn a_class_path_is_searched_in_order() {
    let folder = Folder::new("order");
    folder.write("classes/A.class", "folder");
    folder.write("classes/sub/C.class", "folder");
    folder.write("secret.class", "secret");
    folder.write("lib/one.jar", jar(&[("A.class", b"one"), ("B.class", b"one")]));
    let two = [
        manifest("Class-Path: lib/three.jar classes/ missing.jar two.jar\n"),
        ("B.class", b"two"),
    ];
    folder.write("two.jar", jar(&two));
    folder.write("lib/three.jar", jar(&[("B.class", b"three"), ("D.class", b"three")]));
    folder.write("lib/notes.txt", "no jar");
    let at = |path: &str| folder.0.join(path);
    let parse = |paths: &[&str]| {
        let paths = paths.iter().map(|path| at(path));
        let text = std::env::join_paths(paths)
            .expect("no separators in them")
            .into_string()
            .expect("text");
        ClassPath::parse(&text, 17).expect("a good class path")
    };
    for (paths, name, expected) in [
        (&["classes", "lib/one.jar"][..], "A", Some("folder")),
        (&["lib/one.jar", "classes"], "A", Some("one")),
        (&["missing", "missing.jar", "classes"], "A", Some("folder")),
        (&["lib/*"], "B", Some("one")),
        (&["lib/*"], "D", Some("three")),
        (&["missing/*"], "D", None),
        (&["two.jar", "lib/one.jar"], "B", Some("two")),
        (&["two.jar", "lib/one.jar", "classes"], "A", Some("folder")),
        (&["two.jar"], "D", Some("three")),
        (&["classes"], "sub/C", Some("folder")),
        (&["classes"], "../secret", None),
        (&["classes"], "sub/../A", None),
        (&["classes"], "./A", None),
        (&["classes"], "sub//C", None),
        (&["classes"], "", None),
    ] {
        let found = text(&parse(paths), &format!("{name}.class"));
        assert_eq!(found.as_deref(), expected, "{name} on {paths:?}");
    }
    // A folder that only a manifest names is not read, and what is in it is not missing either.
    let error = parse(&["two.jar", "lib/one.jar"]).class("A").expect_err("left out");
    assert!(error.to_string().contains("name the folder with -cp"), "{error}");
    assert!(parse(&["two.jar"]).class("E").expect("readable").is_none());
    assert_eq!(parse(&["two.jar"]).entries().count(), 2, "the folder is none of them");
    let absolute = at("secret").display().to_string();
    assert!(
        parse(&["classes"]).class(&absolute).expect("readable").is_none(),
        "an absolute name"
    );
    let class_path = parse(&["two.jar", "classes"]);
    let origin = |name: &str| {
        class_path
            .class(name)
            .expect("readable")
            .map(|hit| hit.origin.to_path_buf())
    };
    assert_eq!(
        (origin("B"), origin("D")),
        (Some(at("two.jar")), Some(at("./lib/three.jar")))
    );
    assert_eq!(class_path.entries().count(), 3, "each entry counts once");
    let all = class_path.find_all("B.class").expect("readable");
    assert_eq!(all.len(), 2);
    assert!(
        ClassPath::parse("", 17)
            .expect("the current folder")
            .entries()
            .eq([Path::new(".")])
    );
}

#[test]
fn manifests_name_a_bounded_number_of_paths() {
    let folder = Folder::new("manifests");
    for (number, names) in [(1, 1000), (2, 1000), (3, 1)] {
        let next = format!(
            "Class-Path:\n  {}.jar{}\n",
            number + 1,
            "\n  missing.jar".repeat(names - 1)
        );
        folder.write(&format!("{number}.jar"), jar(&[manifest(&next)]));
    }
    let parse = |name: &str| ClassPath::parse(folder.0.join(name).to_str().expect("text"), 17);
    assert_eq!(parse("2.jar").expect("1001 paths").entries().count(), 2);
    let error = parse("1.jar").expect_err("2001 paths").to_string();
    assert!(error.contains("3.jar") && error.contains("2000 paths"), "{error}");
    let long = format!("Class-Path: {}\n", "x".repeat(5 << 20));
    folder.write("long.jar", jar(&[manifest(&long)]));
    let error = parse("long.jar").expect_err("a long manifest").to_string();
    assert!(error.contains("the manifest of the jar"), "{error}");
}

#[test]
fn broken_and_oversized_jars_are_refused_with_their_name() {
    let folder = Folder::new("broken");
    let bomb = jar(&[("A.class", &vec![0; (64 << 20) + 1])]);
    // The same, but its header says 5 bytes: what counts is what comes out.
    let mut liar = bomb.clone();
    let size = ((64_u32 << 20) + 1).to_le_bytes();
    for place in 0..liar.len() - 4 {
        if liar[place..place + 4] == size {
            liar[place..place + 4].copy_from_slice(&[5, 0, 0, 0]);
        }
    }
    let mut torn = jar(&[("A.class", &[7; 5000][..])]);
    torn[40] ^= 0xFF;
    let good = jar(&[("A.class", b"a")]);
    for (name, contents, expected) in [
        (
            "bomb.jar",
            bomb,
            "entry A.class of the jar bomb.jar is larger than 64 MiB",
        ),
        ("liar.jar", liar, "entry A.class"),
        ("torn.jar", torn, "the jar torn.jar is corrupt: entry A.class: "),
        (
            "short.jar",
            good[..good.len() - 10].to_vec(),
            "class path: the jar short.jar is corrupt: ",
        ),
        (
            "text.jar",
            b"hello".to_vec(),
            "class path: the jar text.jar is corrupt: ",
        ),
        ("empty.jar", vec![], "class path: the jar empty.jar is corrupt: "),
    ] {
        let path = folder.write(name, contents);
        let class_path = ClassPath::parse(path.to_str().expect("text"), 17);
        let error = match class_path {
            Ok(class_path) => class_path.class("A").expect_err(name).to_string(),
            Err(error) => error.to_string(),
        };
        let error = error.replace(&format!("{}/", folder.0.display()), "");
        assert!(error.contains(expected), "{name}: {error}");
    }
}

#[test]
fn mutated_jars_are_read_or_refused() {
    let good = jar(&[
        manifest("Multi-Release: true\n"),
        ("p/A.class", b"aaaaaaaaaaaaaaaaaaaaaaa"),
        ("p/B.class", b"b"),
    ]);
    let mut random = 1_u32;
    let mut next = |bound: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % bound
    };
    let (mut opened, mut refused) = (0, 0);
    for _ in 0..5000 {
        let mut bytes = good.clone();
        for _ in 0..=next(4) {
            let place = next(bytes.len());
            bytes[place] = next(256) as u8;
        }
        match Archive::from_bytes(bytes.into(), "m.jar".into(), 25) {
            Ok(archive) => {
                opened += 1;
                for name in archive.entries() {
                    archive.find(&name).ok();
                }
            }
            Err(_) => refused += 1,
        }
    }
    assert!(opened > 100 && refused > 100, "{opened} opened, {refused} refused");
}
