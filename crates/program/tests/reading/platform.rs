//! The installed JDKs read as their own tools say: the image against `jimage`, and every class parses.

use program::classfile::ClassFile;
use std::collections::BTreeMap;
use std::process::Command;

/// What `jimage list` says: module to its paths, sorted.
fn listed(home: &std::path::Path) -> BTreeMap<String, Vec<String>> {
    let output = Command::new(home.join("bin/jimage"))
        .arg("list")
        .arg(home.join("lib/modules"))
        .output()
        .expect("jimage");
    let text = String::from_utf8(output.stdout).expect("jimage prints text");
    let mut modules: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut module, mut package) = (String::new(), String::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("Module: ") {
            (module, package) = (name.to_owned(), String::new());
        } else if let Some(name) = line.strip_prefix("Package: ") {
            package = name.replace('.', "/") + "/";
        } else if let Some(name) = line.strip_prefix("    ").map(str::trim).filter(|name| !name.is_empty()) {
            modules
                .entry(module.clone())
                .or_default()
                .push(format!("{package}{name}"));
        }
    }
    for paths in modules.values_mut() {
        paths.sort();
    }
    modules
}

#[test]
fn an_image_has_what_jimage_lists() {
    for (feature, home) in crate::common::jdks() {
        let image = crate::common::image(&home);
        if !home.join("bin/jimage").exists() {
            eprintln!("skipped: JDK {feature} has no jimage");
            continue;
        }
        let expected = listed(&home);
        let found: Vec<String> = image.modules().iter().map(|module| module.to_string()).collect();
        assert_eq!(
            found,
            expected.keys().cloned().collect::<Vec<_>>(),
            "modules of JDK {feature}"
        );
        for (module, paths) in &expected {
            assert_eq!(
                &image.resources(module),
                paths,
                "resources of {module} in JDK {feature}"
            );
            assert!(
                paths.iter().all(|path| image.find(module, path).is_some()),
                "{module} of JDK {feature}"
            );
        }
    }
}

#[test]
fn extracted_files_are_the_same_bytes() {
    for (feature, home) in crate::common::jdks() {
        let image = crate::common::image(&home);
        let folder = std::env::temp_dir().join(format!("raddle-jimage-{feature}-{}", std::process::id()));
        let status = Command::new(home.join("bin/jimage"))
            .args([
                "extract",
                "--include",
                "regex:/java.base/java/util/concurrent/.*",
                "--dir",
            ])
            .arg(&folder)
            .arg(home.join("lib/modules"))
            .status();
        if !status.is_ok_and(|status| status.success()) {
            eprintln!("skipped: JDK {feature} has no jimage");
            continue;
        }
        let mut compared = 0;
        for path in image
            .resources("java.base")
            .iter()
            .filter(|path| path.starts_with("java/util/concurrent/"))
        {
            let expected = std::fs::read(folder.join("java.base").join(path)).expect("extracted by jimage");
            assert!(
                image.find("java.base", path).as_deref() == Some(&expected[..]),
                "{path} of JDK {feature}"
            );
            compared += 1;
        }
        assert!(compared > 100, "{compared} files of JDK {feature} compared");
        std::fs::remove_dir_all(&folder).ok();
    }
}

#[test]
fn every_class_of_the_jdk_parses_and_is_found_by_name() {
    for (feature, home) in crate::common::jdks() {
        let image = crate::common::image(&home);
        let (mut classes, mut bytes) = (0, 0);
        let start = std::time::Instant::now();
        for module in image.modules() {
            let packages = image.packages(&module);
            for path in image.resources(&module) {
                let Some(name) = path.strip_suffix(".class") else {
                    continue;
                };
                let content = image.find(&module, &path).expect("listed");
                let file = match ClassFile::parse(content.clone()) {
                    Ok(file) => file,
                    Err(error) => panic!("{path} of {module} in JDK {feature}: {error}"),
                };
                classes += 1;
                bytes += content.len();
                if name == "module-info" {
                    continue;
                }
                assert_eq!(file.pool.class_name(file.this_class), name);
                let (package, _) = name.rsplit_once('/').expect("classes of the JDK have packages");
                assert!(
                    packages.binary_search_by(|found| found.as_str().cmp(package)).is_ok(),
                    "{package} of {module}"
                );
                let (found, in_module) = image.class(name).expect("found by its name");
                assert_eq!(
                    (in_module, found.as_ptr()),
                    (module.clone(), content.as_ptr()),
                    "{name}"
                );
            }
        }
        println!(
            "JDK {feature}: {classes} classes, {bytes} bytes in {:?}",
            start.elapsed()
        );
        assert!(classes > 5000, "JDK {feature} has {classes} classes");
    }
}

#[test]
fn what_is_not_in_the_image_is_not_found() {
    for (_, home) in crate::common::jdks() {
        let image = crate::common::image(&home);
        for (module, path) in [
            ("java.base", "java/lang/Missing.class"),
            ("java.missing", "java/lang/Object.class"),
            ("", ""),
            ("modules", "nothing"),
            ("java.base", ""),
            ("java.base/java", "lang/Missing.class"),
        ] {
            assert!(image.find(module, path).is_none(), "{module} {path}");
        }
        for name in [
            "",
            "Object",
            "java/lang/",
            "java/lang/Missing",
            "/java/lang/Object",
            "java.lang.Object",
            "a/b/C",
        ] {
            assert!(image.class(name).is_none(), "{name}");
        }
        assert_eq!(image.module_of("java/lang").map(|module| &**module), Some("java.base"));
        assert_eq!(image.module_of("java"), None, "a package without classes of its own");
        assert!(image.packages("java.missing").is_empty() && image.resources("java.missing").is_empty());
    }
}
