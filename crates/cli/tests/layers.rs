//! The crate graph has only the edges of the plan: a crate knows those above it in this list and no others.

use std::path::Path;

/// Crates from the bottom up, each with the crates of the workspace that it may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("kernel", &[]),
    ("ltl", &[]),
    ("program", &[]),
    ("analysis", &["kernel", "program"]),
    ("machine", &["kernel", "program"]),
    ("library", &["kernel", "program", "machine"]),
    ("store", &["kernel"]),
    ("search", &["kernel", "ltl", "store"]),
    ("reduction", &["kernel"]),
    ("model", &["kernel"]),
    ("oracle", &["kernel", "store", "search", "reduction", "model"]),
    ("linearize", &[]),
    ("report", &[]),
    (
        "driver",
        &[
            "kernel",
            "program",
            "machine",
            "library",
            "analysis",
            "store",
            "search",
            "reduction",
            "model",
            "oracle",
            "linearize",
            "ltl",
            "report",
        ],
    ),
    ("raddle", &["kernel", "program", "reduction", "report", "driver"]),
];

#[test]
fn crates_know_only_what_lies_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(&root)
        .output()
        .expect("cargo metadata runs");
    let text = String::from_utf8(output.stdout).expect("metadata is text");
    let metadata = json(&text);
    let mut seen = Vec::new();
    for (name, dependencies) in metadata {
        let allowed = LAYERS
            .iter()
            .find(|(layer, _)| *layer == name)
            .unwrap_or_else(|| panic!("crate {name} is not in the plan; add it to LAYERS"))
            .1;
        for dependency in dependencies
            .iter()
            .filter(|dependency| LAYERS.iter().any(|(layer, _)| layer == dependency))
        {
            assert!(
                allowed.contains(&dependency.as_str()),
                "{name} must not use {dependency}"
            );
        }
        seen.push(name);
    }
    assert_eq!(
        seen.len(),
        LAYERS.len(),
        "the plan names crates that do not exist: {seen:?}"
    );
}

/// The packages and their direct dependencies, picked out of cargo's output without a JSON parser: the manifests
/// themselves say the same and are simpler to read.
fn json(text: &str) -> Vec<(String, Vec<String>)> {
    let mut packages = Vec::new();
    for manifest in text
        .split("\"manifest_path\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
    {
        let content = std::fs::read_to_string(manifest).expect("a manifest can be read");
        let mut name = String::new();
        let mut dependencies = Vec::new();
        let mut section = "";
        for line in content.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line;
            } else if section == "[package]" && line.starts_with("name") {
                name = line.split('"').nth(1).unwrap_or_default().to_owned();
            } else if section == "[dependencies]" && !line.is_empty() && !line.starts_with('#') {
                let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
                dependencies.push(line[..end].to_owned());
            }
        }
        packages.push((name, dependencies));
    }
    packages
}
