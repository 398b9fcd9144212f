//! The JDK's `lib/modules`: all classes and resources of the platform in one file, format 1.0 of "jimage".
//!
//! A header, a perfect hash table over full names (`/java.base/java/lang/Object.class`), the attributes of each location,
//! and the contents. The file is mapped, and what is found in it is pointed at, not copied. Everything the tables say is
//! checked once when the image is opened; a compressed image is refused there, since no lookup in it could succeed.

use crate::bytes::Bytes;
use crate::input::{quoted, quoted_path, regular};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAGIC: u32 = 0xCAFE_DADA;
const HASH_MULTIPLIER: u32 = 0x0100_0193;
const HEADER: usize = 28;

/// An opened image. Cheap to share behind a reference; all methods only read.
#[derive(Debug)]
pub struct Image {
    bytes: Bytes,
    big_endian: bool,
    /// Entries of the hash table.
    length: usize,
    /// Where the parts of the index begin: redirections, offsets, attributes, strings; and the contents after them.
    redirect: usize,
    offsets: usize,
    locations: usize,
    strings: usize,
    contents: usize,
    modules: Vec<Arc<str>>,
}

/// Why an image cannot be used.
#[derive(Debug)]
pub enum ImageError {
    /// The file cannot be read.
    Io(PathBuf, io::Error),
    /// The file is not an image of a format that is known.
    Format(PathBuf, String),
    /// The image is compressed; the resource that showed it.
    Compressed(PathBuf, String),
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::Io(path, error) => write!(f, "cannot read the JDK image {}: {error}", quoted_path(path)),
            ImageError::Format(path, what) => {
                write!(
                    f,
                    "{} is not a JDK image that can be read: {}; use a JDK from 11 to 25",
                    quoted_path(path),
                    quoted(what)
                )
            }
            ImageError::Compressed(path, resource) => write!(
                f,
                "compressed image not supported: {} in {} is compressed; use a JDK whose lib/modules is not \
                 compressed",
                quoted(resource),
                quoted_path(path)
            ),
        }
    }
}

impl std::error::Error for ImageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ImageError::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// One entry of the image; the strings are parts of its name `/module/parent/base.extension`.
#[derive(Debug, Default, Clone, Copy)]
struct Location<'a> {
    module: &'a [u8],
    parent: &'a [u8],
    base: &'a [u8],
    extension: &'a [u8],
    offset: u64,
    size: u64,
}

impl<'a> Location<'a> {
    /// The name in pieces, to be compared or joined without allocating.
    fn pieces(&self) -> impl Iterator<Item = &'a [u8]> {
        let slash = |part: &[u8]| if part.is_empty() { &b""[..] } else { &b"/"[..] };
        let dot = if self.extension.is_empty() { &b""[..] } else { &b"."[..] };
        let lead = slash(self.module);
        [
            lead,
            self.module,
            lead,
            self.parent,
            slash(self.parent),
            self.base,
            dot,
            self.extension,
        ]
        .into_iter()
    }

    fn is_named<'b>(&self, name: impl Iterator<Item = &'b [u8]>) -> bool {
        self.pieces().flatten().eq(name.flatten())
    }

    /// The name inside its module, `java/lang/Object.class`.
    fn path(&self) -> String {
        let name: Vec<u8> = self.pieces().skip(3).flatten().copied().collect();
        String::from_utf8_lossy(&name).into_owned()
    }
}

/// Whether the "module" of an entry says that it belongs to the image's own tables.
fn is_table(module: &[u8]) -> bool {
    module.is_empty() || module == b"modules" || module == b"packages"
}

impl Image {
    /// Maps an image and checks its tables.
    pub fn open(path: impl AsRef<Path>) -> Result<Image, ImageError> {
        let path = path.as_ref();
        let in_file = |error| ImageError::Io(path.to_owned(), error);
        regular(path).map_err(in_file)?;
        let file = File::open(path).map_err(in_file)?;
        Image::from_bytes(Bytes::map(&file).map_err(in_file)?, path)
    }

    /// Reads an image from bytes; `path` is for messages.
    pub fn from_bytes(bytes: Bytes, path: &Path) -> Result<Image, ImageError> {
        let image = Image::read_header(bytes).map_err(|what| ImageError::Format(path.to_owned(), what))?;
        image.checked(path)
    }

    fn read_header(bytes: Bytes) -> Result<Image, String> {
        let magic = bytes.first_chunk().ok_or("it is too short")?;
        let big_endian = match (u32::from_be_bytes(*magic), u32::from_le_bytes(*magic)) {
            (MAGIC, _) => true,
            (_, MAGIC) => false,
            (found, _) => return Err(format!("it begins with {found:#010x} instead of {MAGIC:#010x}")),
        };
        let mut image = Image {
            bytes,
            big_endian,
            length: 0,
            redirect: HEADER,
            offsets: 0,
            locations: 0,
            strings: 0,
            contents: 0,
            modules: Vec::new(),
        };
        let header = |index: usize| image.u4(index * 4).ok_or("it is too short");
        let version = header(1)?;
        if version != 1 << 16 {
            return Err(format!(
                "its format is {}.{} instead of 1.0",
                version >> 16,
                version & 0xFFFF
            ));
        }
        let place = |size: u32| usize::try_from(size).map_err(|_| "its tables are too large");
        let (length, attributes, strings) = (place(header(4)?)?, place(header(5)?)?, place(header(6)?)?);
        let table = length.checked_mul(4).ok_or("its tables are too large")?;
        let mut end = HEADER;
        for (field, size) in [
            (&mut image.offsets, table),
            (&mut image.locations, table),
            (&mut image.strings, attributes),
            (&mut image.contents, strings),
        ] {
            end = end.checked_add(size).ok_or("its tables are too large")?;
            *field = end;
        }
        if end > image.bytes.len() {
            return Err(format!(
                "its tables end at byte {end}, the file at {}",
                image.bytes.len()
            ));
        }
        image.length = length;
        Ok(image)
    }

    /// Looks at every location once: all must lie in the file, uncompressed. Collects the modules on the way.
    fn checked(mut self, path: &Path) -> Result<Image, ImageError> {
        let broken = |what: String| ImageError::Format(path.to_owned(), what);
        let mut modules = BTreeSet::new();
        for index in 0..self.length {
            let Some([_, module, _, _, _, offset, compressed, size]) = self.attributes(index) else {
                return Err(broken(format!("entry {index} of its table is broken")));
            };
            if compressed != 0 {
                let resource = self.location(index).map(|location| location.path()).unwrap_or_default();
                return Err(ImageError::Compressed(path.to_owned(), resource));
            }
            if self.content_range(offset, size).is_none() {
                return Err(broken(format!(
                    "the contents of entry {index} of its table lie outside the file"
                )));
            }
            modules.insert(module);
        }
        let names = modules
            .into_iter()
            .filter_map(|module| self.string(module))
            .filter(|module| !is_table(module));
        let names: BTreeSet<_> = names.map(String::from_utf8_lossy).collect();
        self.modules = names.into_iter().map(|name| Arc::from(name.as_ref())).collect();
        Ok(self)
    }

    /// A resource of a module by its path (`java.base`, `java/lang/Object.class`).
    pub fn find(&self, module: &str, path: &str) -> Option<Bytes> {
        let name = [b"/", module.as_bytes(), b"/", path.as_bytes()];
        self.content(&self.lookup(&name)?)
    }

    /// A class by its internal name (`java/lang/Object`), and the module it is in.
    pub fn class(&self, name: &str) -> Option<(Bytes, Arc<str>)> {
        let (package, _) = name.rsplit_once('/')?;
        let module = self.module_of(package)?;
        let path = [b"/", module.as_bytes(), b"/", name.as_bytes(), b".class"];
        Some((self.content(&self.lookup(&path)?)?, module.clone()))
    }

    /// The module that holds a package (`java/lang`, or `java.lang`).
    pub fn module_of(&self, package: &str) -> Option<&Arc<str>> {
        let package = package.replace('/', ".");
        let table = self.lookup(&[b"/packages/", package.as_bytes()])?;
        self.filled_modules(&table)
            .find_map(|name| self.modules.binary_search_by(|module| module.as_bytes().cmp(name)).ok())
            .and_then(|index| self.modules.get(index))
    }

    /// The names of all modules, sorted.
    pub fn modules(&self) -> Vec<Arc<str>> {
        self.modules.clone()
    }

    /// The packages of a module, sorted (`java/lang`), those it does not export included.
    pub fn packages(&self, module: &str) -> Vec<String> {
        let mut packages: Vec<String> = (0..self.length)
            .filter_map(|index| self.location(index))
            .filter(|location| location.module == b"packages")
            .filter(|location| self.filled_modules(location).any(|name| name == module.as_bytes()))
            .map(|location| location.path().replace('.', "/"))
            .collect();
        packages.sort_unstable();
        packages
    }

    /// The paths of everything in a module, classes included, sorted.
    pub fn resources(&self, module: &str) -> Vec<String> {
        let mut paths: Vec<String> = (0..self.length)
            .filter_map(|index| self.location(index))
            .filter(|location| location.module == module.as_bytes() && !is_table(location.module))
            .map(|location| location.path())
            .collect();
        paths.sort_unstable();
        paths
    }

    /// The modules that a `/packages/` entry says have something in that package.
    fn filled_modules(&self, table: &Location<'_>) -> impl Iterator<Item = &[u8]> {
        let range = self.content_range(table.offset, table.size).unwrap_or(0..0);
        let rows = range.len() / 8;
        (0..rows).filter_map(move |row| {
            let at = range.start + row * 8;
            let is_empty = self.u4(at)? != 0;
            let name = self.string(u64::from(self.u4(at + 4)?))?;
            (!is_empty).then_some(name)
        })
    }

    fn u4(&self, at: usize) -> Option<u32> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        })
    }

    /// Where in the image's table a name must be, if it is there at all.
    fn lookup(&self, name: &[&[u8]]) -> Option<Location<'_>> {
        let length = u32::try_from(self.length).ok().filter(|length| *length > 0)?;
        let slot = hash(HASH_MULTIPLIER, name) % length;
        let redirection = self.u4(self.redirect + slot as usize * 4)?.cast_signed();
        let index = match redirection {
            0 => return None,
            1.. => hash(redirection.cast_unsigned(), name) % length,
            _ => (-1 - redirection).cast_unsigned(),
        };
        let location = self.location(index as usize)?;
        location.is_named(name.iter().copied()).then_some(location)
    }

    /// The attributes of the entry at `index` of the table, by kind; `None` if it is broken.
    fn attributes(&self, index: usize) -> Option<[u64; 8]> {
        if index >= self.length {
            return None;
        }
        let offset = usize::try_from(self.u4(self.offsets + index * 4)?).ok()?;
        let mut rest = self.bytes.get(self.locations..self.strings)?.get(offset..)?;
        let mut attributes = [0; 8];
        // Eight kinds, each at most once: a longer list is a broken one.
        for _ in 0..8 {
            let (&first, tail) = rest.split_first()?;
            let kind = first >> 3;
            if kind == 0 {
                return Some(attributes);
            }
            let (value, tail) = tail.split_at_checked(usize::from(first & 7) + 1)?;
            *attributes.get_mut(usize::from(kind))? = value.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
            rest = tail;
        }
        None
    }

    /// The entry at `index` of the table; `None` if it is broken.
    fn location(&self, index: usize) -> Option<Location<'_>> {
        let [_, module, parent, base, extension, offset, _, size] = self.attributes(index)?;
        Some(Location {
            module: self.string(module)?,
            parent: self.string(parent)?,
            base: self.string(base)?,
            extension: self.string(extension)?,
            offset,
            size,
        })
    }

    fn string(&self, offset: u64) -> Option<&[u8]> {
        let text = self
            .bytes
            .get(self.strings..self.contents)?
            .get(usize::try_from(offset).ok()?..)?;
        let end = text.iter().position(|byte| *byte == 0)?;
        text.get(..end)
    }

    fn content_range(&self, offset: u64, size: u64) -> Option<std::ops::Range<usize>> {
        let start = self.contents.checked_add(usize::try_from(offset).ok()?)?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        (end <= self.bytes.len()).then_some(start..end)
    }

    fn content(&self, location: &Location<'_>) -> Option<Bytes> {
        self.content_range(location.offset, location.size)
            .map(|range| self.bytes.slice(range))
    }
}

fn hash(seed: u32, name: &[&[u8]]) -> u32 {
    let step = |hash: u32, byte: &u8| hash.wrapping_mul(HASH_MULTIPLIER) ^ u32::from(*byte);
    name.iter().copied().flatten().fold(seed, step) & 0x7FFF_FFFF
}
