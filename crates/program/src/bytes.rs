//! Bytes that are cheap to share: a piece of memory, or a piece of a mapped file.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A shared, immutable run of bytes. Cloning and slicing copy a pointer, never the contents.
#[derive(Clone)]
pub struct Bytes {
    store: Store,
    start: usize,
    end: usize,
}

#[derive(Clone)]
enum Store {
    Owned(Arc<[u8]>),
    Mapped(Arc<Mmap>),
}

impl Bytes {
    /// Maps a whole file into memory. The file must not shrink while the bytes are in use, which is what every virtual
    /// machine asks of its own image.
    pub fn map(file: &File) -> io::Result<Bytes> {
        // SAFETY: the map is private and read only. Whoever truncates a JDK's image or a jar under a running program ends
        // that program (SIGBUS), as it would end `java`; reading instead of mapping 130 MB costs 40 ms a start.
        let map = unsafe { Mmap::map(file)? };
        let end = map.len();
        Ok(Bytes {
            store: Store::Mapped(Arc::new(map)),
            start: 0,
            end,
        })
    }

    /// The bytes of `range`, counted from the start of these bytes. What of the range does not exist is left out.
    pub fn slice(&self, range: Range<usize>) -> Bytes {
        let start = self.start.saturating_add(range.start).min(self.end);
        let end = self.start.saturating_add(range.end).clamp(start, self.end);
        Bytes {
            store: self.store.clone(),
            start,
            end,
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let all: &[u8] = match &self.store {
            Store::Owned(bytes) => bytes,
            Store::Mapped(map) => map,
        };
        all.get(self.start..self.end).unwrap_or(&[])
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        let end = bytes.len();
        Bytes {
            store: Store::Owned(bytes.into()),
            start: 0,
            end,
        }
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Bytes {
        Bytes {
            store: Store::Owned(bytes.into()),
            start: 0,
            end: bytes.len(),
        }
    }
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::from(&[][..])
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let store = match self.store {
            Store::Owned(_) => "owned",
            Store::Mapped(_) => "mapped",
        };
        write!(f, "Bytes({store}, {} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_what_exists_of_its_range() {
        let bytes = Bytes::from(b"raddle".to_vec());
        for (range, expected) in [
            (0..6, &b"raddle"[..]),
            (1..3, b"ad"),
            (3..3, b""),
            (4..99, b"le"),
            (7..9, b""),
            (usize::MAX - 1..usize::MAX, b""),
        ] {
            assert_eq!(&*bytes.slice(range.clone()), expected, "{range:?}");
        }
        assert_eq!(&*bytes.slice(1..5).slice(1..3), b"dd");
        assert_eq!(
            &*bytes.slice(1..3).slice(0..9),
            b"ad",
            "a slice of a slice stays inside it"
        );
        assert_eq!(format!("{bytes:?}"), "Bytes(owned, 6 bytes)");
    }
}
