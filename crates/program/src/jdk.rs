//! The JDK whose classes the program runs on: where it is, which version it is, its image and its compiler.

use crate::image::{Image, ImageError};
use crate::input::{self, TEXT_LIMIT, quoted};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The feature versions that can be used.
pub const OLDEST_FEATURE: u16 = 11;
/// See [`OLDEST_FEATURE`].
pub const NEWEST_FEATURE: u16 = 25;

/// A JDK that can be used: its version is known and its image is open.
#[derive(Debug, Clone)]
pub struct Jdk {
    home: PathBuf,
    version: String,
    feature: u16,
    image: Arc<Image>,
}

/// Why no JDK can be used: each place that was looked at, and what was wrong with it.
#[derive(Debug)]
pub struct JdkError {
    tried: Vec<(String, Fault)>,
    explicit: bool,
}

/// What is wrong with one place.
#[derive(Debug)]
enum Fault {
    NotThere,
    NoRelease,
    NoVersion,
    Version(String, u16),
    Image(ImageError),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotThere => write!(f, "not there"),
            Fault::NoRelease => write!(f, "not a JDK: it has no file named release"),
            Fault::NoVersion => write!(f, "not a JDK: its file named release gives no JAVA_VERSION"),
            Fault::Version(version, feature) if *feature < OLDEST_FEATURE => {
                write!(
                    f,
                    "version {} is too old, the oldest that can be used is {OLDEST_FEATURE}",
                    quoted(version)
                )
            }
            Fault::Version(version, _) => {
                write!(
                    f,
                    "version {} is newer than this Raddle understands ({NEWEST_FEATURE})",
                    quoted(version)
                )
            }
            Fault::Image(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Display for JdkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}",
            if self.explicit {
                "the JDK that was asked for cannot be used"
            } else {
                "no usable JDK found"
            }
        )?;
        for (place, fault) in &self.tried {
            write!(f, "\n  {}: {fault}", quoted(place))?;
        }
        write!(
            f,
            "\ninstall a JDK from {OLDEST_FEATURE} to {NEWEST_FEATURE}, or name the folder of one with --jdk or JAVA_HOME"
        )
    }
}

impl std::error::Error for JdkError {}

impl Jdk {
    /// Finds a JDK. With `explicit` that one or none. Else, the first that can be used of: `JAVA_HOME`, `java` on the
    /// `PATH`, and the newest in the usual folders.
    pub fn find(explicit: Option<&Path>) -> Result<Jdk, JdkError> {
        match explicit {
            Some(home) => Jdk::at(home),
            None => search(&Surroundings::of_process()),
        }
    }

    /// The JDK in this folder.
    pub fn at(home: &Path) -> Result<Jdk, JdkError> {
        open(home).map_err(|fault| JdkError {
            tried: vec![(home.display().to_string(), fault)],
            explicit: true,
        })
    }

    /// Its folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Its version as it calls itself (`17.0.16`).
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Its feature version (17).
    pub fn feature(&self) -> u16 {
        self.feature
    }

    /// Its classes.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// Its compiler; a runtime without one is still good for class files.
    pub fn javac(&self) -> Option<PathBuf> {
        tool(&self.home, "javac")
    }
}

/// What the search depends on, apart from the file system.
struct Surroundings {
    java_home: Option<OsString>,
    path: Option<OsString>,
    /// Folders that hold JDKs, and where in each of their folders the JDK is.
    roots: Vec<(PathBuf, &'static str)>,
}

impl Surroundings {
    fn of_process() -> Surroundings {
        let mut roots = vec![
            (PathBuf::from("/usr/lib/jvm"), ""),
            (PathBuf::from("/Library/Java/JavaVirtualMachines"), "Contents/Home"),
        ];
        if let Some(user) = env::home_dir() {
            roots.push((user.join(".sdkman/candidates/java"), ""));
            roots.push((user.join(".jdks"), ""));
        }
        Surroundings {
            java_home: env::var_os("JAVA_HOME"),
            path: env::var_os("PATH"),
            roots,
        }
    }
}

fn search(surroundings: &Surroundings) -> Result<Jdk, JdkError> {
    let mut tried = Vec::new();
    let mut attempt = |place: String, home: &Path| match open(home) {
        Ok(jdk) => Some(jdk),
        Err(fault) => {
            tried.push((place, fault));
            None
        }
    };
    if let Some(home) = surroundings.java_home.as_ref().filter(|home| !home.is_empty()) {
        let home = Path::new(home);
        if let Some(jdk) = attempt(format!("JAVA_HOME, {}", home.display()), home) {
            return Ok(jdk);
        }
    }
    if let Some(java) = surroundings.path.as_deref().and_then(on_path) {
        // The java of a package manager is a chain of links that ends in <home>/bin/java.
        let real = java.canonicalize().unwrap_or_else(|_| java.clone());
        let home = real.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        if let Some(jdk) = attempt(
            format!("java on the PATH, {} in {}", java.display(), home.display()),
            home,
        ) {
            return Ok(jdk);
        }
    }
    for home in candidates(&surroundings.roots) {
        if let Some(jdk) = attempt(home.display().to_string(), &home) {
            return Ok(jdk);
        }
    }
    for (root, _) in &surroundings.roots {
        if !root.is_dir() {
            tried.push((root.display().to_string(), Fault::NotThere));
        }
    }
    Err(JdkError { tried, explicit: false })
}

fn on_path(path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path).find_map(|folder| executable(folder.join("java")))
}

fn tool(home: &Path, name: &str) -> Option<PathBuf> {
    executable(home.join("bin").join(name))
}

fn executable(file: PathBuf) -> Option<PathBuf> {
    let file = if cfg!(windows) {
        file.with_extension("exe")
    } else {
        file
    };
    file.is_file().then_some(file)
}

/// The JDKs in the usual folders: those that can be used first, newest first, those with a compiler before those without.
fn candidates(roots: &[(PathBuf, &str)]) -> Vec<PathBuf> {
    let mut homes = Vec::new();
    for (root, inside) in roots {
        let Ok(folders) = std::fs::read_dir(root) else { continue };
        for folder in folders.flatten() {
            let home = folder.path().join(inside);
            let Ok(home) = home.canonicalize() else { continue };
            if home.join("release").is_file() {
                homes.push(home);
            }
        }
    }
    homes.sort_unstable();
    homes.dedup();
    homes.sort_by_key(|home| {
        let feature = release(home).map_or(0, |(_, feature)| feature);
        let usable = (OLDEST_FEATURE..=NEWEST_FEATURE).contains(&feature);
        std::cmp::Reverse((usable, feature, tool(home, "javac").is_some()))
    });
    homes
}

fn open(home: &Path) -> Result<Jdk, Fault> {
    if !home.is_dir() {
        return Err(Fault::NotThere);
    }
    let (version, feature) = release(home)?;
    if !(OLDEST_FEATURE..=NEWEST_FEATURE).contains(&feature) {
        return Err(Fault::Version(version, feature));
    }
    let image = Arc::new(Image::open(home.join("lib").join("modules")).map_err(Fault::Image)?);
    Ok(Jdk {
        home: home.to_owned(),
        version,
        feature,
        image,
    })
}

/// Version and feature version of the JDK in this folder.
fn release(home: &Path) -> Result<(String, u16), Fault> {
    let text = input::read(&home.join("release"), TEXT_LIMIT).map_err(|_| Fault::NoRelease)?;
    let text = String::from_utf8_lossy(&text);
    let value = text.lines().find_map(|line| line.trim().strip_prefix("JAVA_VERSION="));
    let version = value.ok_or(Fault::NoVersion)?.trim().trim_matches('"');
    let feature = feature_of(version).ok_or(Fault::NoVersion)?;
    Ok((version.to_owned(), feature))
}

/// The feature version of a version: 17 of `17.0.16`, 8 of `1.8.0_402`, 26 of `26-ea`.
fn feature_of(version: &str) -> Option<u16> {
    let mut numbers = version
        .split(|letter: char| !letter.is_ascii_digit())
        .map(|digits| digits.parse().ok());
    match numbers.next()?? {
        1 => Some(numbers.next().flatten().unwrap_or(1)),
        feature => Some(feature),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_a_feature() {
        for (version, feature) in [
            ("17.0.16", Some(17)),
            ("25", Some(25)),
            ("26-ea", Some(26)),
            ("1.8.0_402", Some(8)),
            ("11.0.2+9", Some(11)),
            ("", None),
            ("banana", None),
            ("999999", None),
        ] {
            assert_eq!(feature_of(version), feature, "{version}");
        }
    }

    /// A folder with JDKs that have nothing but a `release`.
    fn folder(name: &str, jdks: &[(&str, &str)]) -> PathBuf {
        let root = env::temp_dir().join(format!("raddle-{name}-{}", std::process::id()));
        for (folder, version) in jdks {
            let home = root.join(folder);
            std::fs::create_dir_all(home.join("bin")).expect("a temporary folder");
            std::fs::write(
                home.join("release"),
                format!("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"{version}\"\n"),
            )
            .expect("a file");
        }
        root
    }

    #[test]
    fn the_newest_usable_version_is_tried_first() {
        let root = folder(
            "order",
            &[
                ("a", "17.0.1"),
                ("b", "26"),
                ("c", "25.0.1"),
                ("d", "1.8.0_1"),
                ("e", "21"),
            ],
        );
        let found = candidates(&[(root.clone(), "")]);
        let names: Vec<_> = found.iter().filter_map(|home| home.file_name()?.to_str()).collect();
        assert_eq!(names, ["c", "e", "a", "b", "d"]);
        std::fs::remove_dir_all(root).ok();
    }

    #[test]
    fn a_failed_search_says_what_was_tried_and_what_to_do() {
        let root = folder("tried", &[("old", "1.8.0_402"), ("new", "26"), ("torn", "17.0.1")]);
        let root = root.canonicalize().expect("it was made");
        std::fs::write(root.join("old/bin/java"), "").expect("a file");
        let missing = root.join("missing");
        let surroundings = Surroundings {
            java_home: Some(missing.clone().into()),
            path: Some(root.join("old/bin").into()),
            roots: vec![(root.clone(), ""), (missing, "")],
        };
        let message = search(&surroundings).expect_err("nothing to be found").to_string();
        let message = message.replace(&root.display().to_string(), "ROOT");
        let lines: Vec<&str> = message.lines().collect();
        let image = "cannot read the JDK image ROOT/torn/lib/modules: No such file or directory (os error 2)";
        assert_eq!(
            lines,
            [
                "no usable JDK found",
                "  JAVA_HOME, ROOT/missing: not there",
                "  java on the PATH, ROOT/old/bin/java in ROOT/old: version 1.8.0_402 is too old, the oldest that can be used \
                 is 11",
                &format!("  ROOT/torn: {image}"),
                "  ROOT/new: version 26 is newer than this Raddle understands (25)",
                "  ROOT/old: version 1.8.0_402 is too old, the oldest that can be used is 11",
                "  ROOT/missing: not there",
                "install a JDK from 11 to 25, or name the folder of one with --jdk or JAVA_HOME",
            ]
        );
        let asked = Jdk::find(Some(&root.join("missing")))
            .expect_err("not there")
            .to_string();
        assert!(
            asked.starts_with("the JDK that was asked for cannot be used\n"),
            "{asked}"
        );
        std::fs::remove_dir_all(root).ok();
    }
}
