//! What the tests of this crate share.

use program::image::Image;
use std::path::{Path, PathBuf};

/// The JDKs of this machine that the tests are made for, as feature version and home; a missing one is said on stderr.
pub fn jdks() -> Vec<(u16, PathBuf)> {
    let homes = [17, 25].map(|feature| (feature, home(feature)));
    homes
        .into_iter()
        .filter_map(|(feature, home)| {
            if home.is_none() {
                eprintln!("skipped: no JDK {feature} under /usr/lib/jvm");
            }
            Some((feature, home?))
        })
        .collect()
}

fn home(feature: u16) -> Option<PathBuf> {
    let version = format!("JAVA_VERSION=\"{feature}");
    let mut homes: Vec<PathBuf> = std::fs::read_dir("/usr/lib/jvm")
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    homes.sort();
    homes.into_iter().find(|home| {
        let release = std::fs::read_to_string(home.join("release")).unwrap_or_default();
        release.contains(&version) && home.join("bin/java").exists()
    })
}

/// The image of a JDK.
pub fn image(home: &Path) -> Image {
    Image::open(home.join("lib/modules")).expect("the image of an installed JDK")
}

/// A folder that goes away with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A new one with this name somewhere in its own.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("raddle-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    /// Writes a file and gives its path.
    pub fn write(&self, path: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let file = self.0.join(path);
        std::fs::create_dir_all(file.parent().expect("inside")).expect("a folder");
        std::fs::write(&file, contents).expect("a file");
        file
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
