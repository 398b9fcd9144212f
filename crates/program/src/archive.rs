//! Jars: classes and resources in a zip file, its manifest, and the multi-release rule (JEP 238).
//!
//! A jar is read into memory when it is opened, so that a build that overwrites it cannot pull it away under us. Entries
//! are unpacked when asked for, and no further than [`ENTRY_LIMIT`], whatever their header says.

use crate::bytes::Bytes;
use crate::input::{FILE_LIMIT, quoted, quoted_path, read_limited};
use std::fmt;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;
use zip::result::ZipError;

/// The largest entry that is unpacked, in bytes.
pub const ENTRY_LIMIT: u64 = FILE_LIMIT;

/// The largest manifest that is read, in bytes.
const MANIFEST_LIMIT: usize = 4 << 20;

/// The largest jar that is opened, in bytes.
pub const ARCHIVE_LIMIT: u64 = 2 << 30;

/// An opened jar.
pub struct Archive {
    path: PathBuf,
    size: u64,
    zip: ZipArchive<Cursor<Bytes>>,
    manifest: Manifest,
    /// The versioned folders that count, newest first.
    versions: Vec<u16>,
}

/// Why a jar, or an entry of it, cannot be read.
#[derive(Debug)]
pub enum ArchiveError {
    /// The file cannot be read.
    Io(PathBuf, io::Error),
    /// The file or one of its entries is broken.
    Corrupt(PathBuf, String),
    /// An entry, the manifest or the whole jar is larger than its limit.
    TooLarge(PathBuf, String, u64),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::Io(path, error) => write!(f, "cannot read the jar {}: {error}", quoted_path(path)),
            ArchiveError::Corrupt(path, what) => {
                write!(
                    f,
                    "the jar {} is corrupt: {}; build or download it again",
                    quoted_path(path),
                    quoted(what)
                )
            }
            ArchiveError::TooLarge(path, what, limit) => write!(
                f,
                "{} of the jar {} is larger than {} MiB, which is more than a class path should hold; leave it out",
                quoted(what),
                quoted_path(path),
                limit >> 20
            ),
        }
    }
}

impl std::error::Error for ArchiveError {}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Archive({}, {} entries)", self.path.display(), self.zip.len())
    }
}

impl Archive {
    /// Opens a jar as a JDK of this feature version sees it.
    pub fn open(path: impl AsRef<Path>, feature: u16) -> Result<Archive, ArchiveError> {
        let path = path.as_ref().to_owned();
        let bytes = match read_limited(&path, ARCHIVE_LIMIT) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Err(ArchiveError::TooLarge(path, "the whole".to_owned(), ARCHIVE_LIMIT)),
            Err(error) => return Err(ArchiveError::Io(path, error)),
        };
        Archive::from_bytes(bytes, path, feature)
    }

    /// Reads a jar from bytes; `path` is where it came from.
    pub fn from_bytes(bytes: Bytes, path: PathBuf, feature: u16) -> Result<Archive, ArchiveError> {
        let size = bytes.len() as u64;
        let zip = match ZipArchive::new(Cursor::new(bytes)) {
            Ok(zip) => zip,
            Err(error) => return Err(ArchiveError::Corrupt(path, reason(&error))),
        };
        let mut archive = Archive {
            path,
            size,
            zip,
            manifest: Manifest::default(),
            versions: Vec::new(),
        };
        if let Some(text) = archive.manifest_bytes()? {
            if text.len() > MANIFEST_LIMIT {
                let what = "the manifest".to_owned();
                return Err(ArchiveError::TooLarge(archive.path, what, MANIFEST_LIMIT as u64));
            }
            archive.manifest = Manifest::parse(&String::from_utf8_lossy(&text));
        }
        if archive.manifest.multi_release {
            archive.versions = archive.versions_up_to(feature);
        }
        Ok(archive)
    }

    /// The size of the jar, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where the jar is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `Main-Class` of the manifest, as it stands there (`p.Main`).
    pub fn main_class(&self) -> Option<&str> {
        self.manifest.main_class.as_deref()
    }

    /// `Class-Path` of the manifest: files and folders, relative ones taken from the folder of the jar. Entries that are
    /// not files are left out.
    pub fn class_path(&self) -> Vec<PathBuf> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        self.manifest
            .class_path
            .iter()
            .filter_map(|url| local_path(url))
            .map(|path| folder.join(path))
            .collect()
    }

    /// Whether the manifest says `Multi-Release: true`.
    pub fn is_multi_release(&self) -> bool {
        self.manifest.multi_release
    }

    /// A resource by its path, from the newest versioned folder that has it.
    pub fn find(&self, path: &str) -> Result<Option<Bytes>, ArchiveError> {
        if !path.starts_with("META-INF/") {
            for version in &self.versions {
                if let Some(bytes) = self.entry(&format!("META-INF/versions/{version}/{path}"))? {
                    return Ok(Some(bytes));
                }
            }
        }
        self.entry(path)
    }

    /// A class by its internal name (`p/Main`).
    pub fn class(&self, name: &str) -> Result<Option<Bytes>, ArchiveError> {
        self.find(&format!("{name}.class"))
    }

    /// The names of all entries that are files, as they stand in the jar, sorted.
    pub fn entries(&self) -> Vec<String> {
        let names = self.zip.file_names_raw().filter(|name| !name.ends_with(b"/"));
        let mut names: Vec<String> = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        names.sort_unstable();
        names
    }

    fn entry(&self, name: &str) -> Result<Option<Bytes>, ArchiveError> {
        match self.zip.index_for_name_raw(name.as_bytes()) {
            Some(index) if !name.ends_with('/') => self.unpack(index, name).map(Some),
            _ => Ok(None),
        }
    }

    fn unpack(&self, index: usize, name: &str) -> Result<Bytes, ArchiveError> {
        let corrupt = |what: String| ArchiveError::Corrupt(self.path.clone(), format!("entry {name}: {what}"));
        let too_large = || ArchiveError::TooLarge(self.path.clone(), format!("entry {name}"), ENTRY_LIMIT);
        // A copy of the archive shares its directory and its bytes: no lock is needed to read in parallel.
        let mut zip = self.zip.clone();
        let entry = zip.by_index(index).map_err(|error| corrupt(reason(&error)))?;
        if entry.size() > ENTRY_LIMIT {
            return Err(too_large());
        }
        // The header may lie: it sizes the first allocation up to a point, and bounds nothing.
        let mut bytes = Vec::with_capacity(usize::try_from(entry.size().min(1 << 20)).unwrap_or(0));
        entry
            .take(ENTRY_LIMIT + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| corrupt(error.to_string()))?;
        if bytes.len() as u64 > ENTRY_LIMIT {
            return Err(too_large());
        }
        Ok(Bytes::from(bytes))
    }

    fn manifest_bytes(&self) -> Result<Option<Bytes>, ArchiveError> {
        const NAME: &str = "META-INF/MANIFEST.MF";
        if let Some(bytes) = self.entry(NAME)? {
            return Ok(Some(bytes));
        }
        let other = self
            .zip
            .file_names_raw()
            .find(|name| name.eq_ignore_ascii_case(NAME.as_bytes()));
        match other.map(|name| String::from_utf8_lossy(name).into_owned()) {
            Some(name) => self.entry(&name),
            None => Ok(None),
        }
    }

    fn versions_up_to(&self, feature: u16) -> Vec<u16> {
        let version_of = |name: &[u8]| -> Option<u16> {
            let rest = name.strip_prefix(b"META-INF/versions/")?;
            let digits = rest.split(|byte| *byte == b'/').next()?;
            std::str::from_utf8(digits).ok()?.parse().ok()
        };
        let mut versions: Vec<u16> = self.zip.file_names_raw().filter_map(version_of).collect();
        versions.retain(|version| (9..=feature).contains(version));
        versions.sort_unstable_by(|one, other| other.cmp(one));
        versions.dedup();
        versions
    }
}

fn reason(error: &ZipError) -> String {
    let text = error.to_string();
    let mut letters = text.trim_end_matches('.').chars();
    // Their messages begin with a capital letter, ours go on in the middle of a sentence.
    letters
        .next()
        .map(|first| first.to_lowercase().chain(letters).collect())
        .unwrap_or_default()
}

/// The main section of a manifest, as far as it matters here.
#[derive(Debug, Default, PartialEq, Eq)]
struct Manifest {
    main_class: Option<String>,
    class_path: Vec<String>,
    multi_release: bool,
}

impl Manifest {
    fn parse(text: &str) -> Manifest {
        let mut manifest = Manifest::default();
        let mut header = String::new();
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        for line in lines {
            // A line that begins with a space goes on where the one before it ended.
            match line.strip_prefix(' ') {
                Some(rest) => header.push_str(rest),
                None => {
                    manifest.take(&header);
                    header.clear();
                    header.push_str(line);
                }
            }
            if line.is_empty() {
                return manifest;
            }
        }
        manifest.take(&header);
        manifest
    }

    fn take(&mut self, header: &str) {
        let Some((name, value)) = header.split_once(':') else {
            return;
        };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "main-class" if !value.is_empty() => self.main_class = Some(value.to_owned()),
            "class-path" => self.class_path = value.split_ascii_whitespace().map(str::to_owned).collect(),
            "multi-release" => self.multi_release = value.eq_ignore_ascii_case("true"),
            _ => {}
        }
    }
}

/// The file that a URL of `Class-Path` means; `None` for one that is not a file.
fn local_path(url: &str) -> Option<PathBuf> {
    let path = match url.split_once(':') {
        Some(("file", path)) => path.strip_prefix("//").unwrap_or(path),
        Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => return None,
        _ => url,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = tail.first_chunk::<2>().filter(|_| *first == b'%');
        let decoded = escape.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = tail.get(if decoded.is_some() { 2 } else { 0 }..).unwrap_or(&[]);
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|path| !path.contains('\0'))
        .map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_read_as_the_jar_specification_says() {
        let parsed = |main: Option<&str>, path: &[&str], multi_release| Manifest {
            main_class: main.map(str::to_owned),
            class_path: path.iter().map(|path| path.to_string()).collect(),
            multi_release,
        };
        for (text, expected) in [
            ("", parsed(None, &[], false)),
            (
                "Manifest-Version: 1.0\r\nMain-Class: p.Main\r\n\r\n",
                parsed(Some("p.Main"), &[], false),
            ),
            ("main-class:p.Main", parsed(Some("p.Main"), &[], false)),
            (
                "Main-Class: p.Ma\n in \n\nMain-Class: other\n",
                parsed(Some("p.Main"), &[], false),
            ),
            (
                "Class-Path: a.jar\n  lib/b.jar  c/\nMulti-Release: true\n",
                parsed(None, &["a.jar", "lib/b.jar", "c/"], true),
            ),
            (
                "Class-Path: a\n .jar\nMulti-Release: TRUE",
                parsed(None, &["a.jar"], true),
            ),
            ("\nMain-Class: late\n", parsed(None, &[], false)),
            (" lost\n:\nnonsense\nMulti-Release: yes", parsed(None, &[], false)),
        ] {
            assert_eq!(Manifest::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn class_path_urls_become_paths() {
        for (url, expected) in [
            ("lib/a.jar", Some("lib/a.jar")),
            ("a%20b.jar", Some("a b.jar")),
            ("100%.jar", Some("100%.jar")),
            ("%zz", Some("%zz")),
            ("file:/opt/a.jar", Some("/opt/a.jar")),
            ("file:///opt/a.jar", Some("/opt/a.jar")),
            ("https://example.org/a.jar", None),
            ("a%00b", None),
            ("%ff", None),
        ] {
            assert_eq!(local_path(url), expected.map(PathBuf::from), "{url}");
        }
    }
}
