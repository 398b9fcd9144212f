//! Reading the user's files, and quoting names and texts from them.
//!
//! Every file that is read whole is a regular file of bounded size. A pipe, a device or a directory is refused before it is
//! opened: opening a pipe waits for a writer, and a device may have no end.

use crate::bytes::Bytes;
use std::fmt::{self, Write};
use std::io::{self, Read};
use std::path::Path;

/// The largest text that is read: a model, rules, a JDK's `release` file.
pub const TEXT_LIMIT: u64 = 4 << 20;

/// The largest file of bytes that is read: a class file, a source, an entry of a jar.
pub const FILE_LIMIT: u64 = 64 << 20;

/// A regular file's contents; `None` if there are more than `limit` bytes.
pub fn read_limited(path: &Path, limit: u64) -> io::Result<Option<Bytes>> {
    let size = regular(path)?.len();
    if size > limit {
        return Ok(None);
    }
    let file = std::fs::File::open(path)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // The file may grow while it is read.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then(|| Bytes::from(bytes)))
}

/// A regular file's contents. One of more than `limit` bytes is an error.
pub fn read(path: &Path, limit: u64) -> io::Result<Bytes> {
    read_limited(path, limit)?.ok_or_else(|| too_large(limit))
}

/// A regular file's text. One of more than `limit` bytes, or not in UTF-8, is an error.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let bytes = read(path, limit)?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8")),
    }
}

/// What is known of a regular file; an error for anything else.
pub fn regular(path: &Path) -> io::Result<std::fs::Metadata> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(metadata)
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("it is larger than {} MiB", limit >> 20),
    )
}

/// Shows a path on one line, with nothing that a terminal would obey.
pub fn quoted_path(path: &Path) -> Quoted {
    Quoted(path.to_string_lossy().into_owned())
}

/// Shows a text on one line, with nothing that a terminal would obey.
pub fn quoted(text: impl Into<String>) -> Quoted {
    Quoted(text.into())
}

/// A text from outside. It is shown with Java escapes for control characters and for those that reorder what is written.
#[derive(Clone, Debug)]
pub struct Quoted(String);

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    write!(f, "\\u{:04x}", u32::from(letter))?;
                }
                letter if letter.is_control() => write!(f, "\\u{:04x}", u32::from(letter))?,
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_one_line_of_plain_text() {
        for (text, expected) in [
            ("A.java", "A.java"),
            ("Größe 漢", "Größe 漢"),
            ("a\nraddle: holds\r\t", "a\\nraddle: holds\\r\\t"),
            ("\x1b[2J\u{9b}\u{202e}", "\\u001b[2J\\u009b\\u202e"),
        ] {
            assert_eq!(quoted(text).to_string(), expected);
            assert_eq!(quoted_path(Path::new(text)).to_string(), expected);
        }
    }

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let file = std::env::temp_dir().join(format!("raddle-input-{}", std::process::id()));
        std::fs::write(&file, "four").expect("a temporary file");
        assert_eq!(&*read(&file, 4).expect("it fits"), b"four");
        assert_eq!(read_text(&file, 4).expect("it fits"), "four");
        assert!(read_limited(&file, 3).expect("readable").is_none());
        assert_eq!(
            read(&file, 3).expect_err("too large").kind(),
            io::ErrorKind::FileTooLarge
        );
        std::fs::write(&file, [0xff]).expect("a temporary file");
        assert!(read_text(&file, 4).is_err(), "no text");
        std::fs::remove_file(&file).ok();
        for other in ["/dev/zero", "/dev/null", "/"] {
            assert!(read(Path::new(other), 4).is_err(), "{other}");
        }
    }
}
