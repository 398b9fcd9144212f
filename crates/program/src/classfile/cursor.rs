//! A place in a class file that moves forward, and never past its end.

use super::error::{FormatError, Result};
use std::ops::Range;

/// Reads big-endian numbers from `position` up to `end`, both offsets into the whole file.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    file: &'a [u8],
    position: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(file: &'a [u8]) -> Cursor<'a> {
        Cursor {
            file,
            position: 0,
            end: file.len(),
        }
    }

    /// Where the next byte is read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.end - self.position
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let place = self
            .file
            .get(self.position..self.end)
            .and_then(|rest| rest.first_chunk::<N>());
        match place {
            Some(bytes) => {
                self.position += N;
                Ok(*bytes)
            }
            None => Err(self.truncated(N)),
        }
    }

    #[cold]
    fn truncated(&self, wanted: usize) -> FormatError {
        let (left, end) = (self.left(), self.end == self.file.len());
        let part = if end { "class file" } else { "attribute" };
        FormatError::new(
            self.position,
            format!("truncated {part}: {wanted} more bytes expected, {left} left; build the class again"),
        )
    }

    #[inline]
    pub fn u1(&mut self) -> Result<u8> {
        self.array().map(u8::from_be_bytes)
    }

    #[inline]
    pub fn u2(&mut self) -> Result<u16> {
        self.array().map(u16::from_be_bytes)
    }

    #[inline]
    pub fn u4(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// Steps over `length` bytes and says where they were.
    pub fn take(&mut self, length: usize) -> Result<Range<usize>> {
        if length > self.left() {
            return Err(self.truncated(length));
        }
        let start = self.position;
        self.position += length;
        Ok(start..self.position)
    }

    /// Steps over `length` bytes and gives them.
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8]> {
        let range = self.take(length)?;
        Ok(self.file.get(range).unwrap_or(&[]))
    }

    /// Steps over all that is left and says where it was.
    pub fn rest(&mut self) -> Range<usize> {
        let start = self.position;
        self.position = self.end;
        start..self.end
    }

    /// Steps over `length` bytes and gives a cursor that sees nothing else.
    pub fn part(&mut self, length: usize) -> Result<Cursor<'a>> {
        let range = self.take(length)?;
        Ok(Cursor {
            file: self.file,
            position: range.start,
            end: range.end,
        })
    }

    /// Reads a count and then that many rows of at least `row` bytes each.
    pub fn table<T>(&mut self, row: usize, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = usize::from(self.u2()?);
        // What the file has no room for is not allocated for either.
        let mut rows = Vec::with_capacity(count.min(self.left() / row.max(1)));
        for _ in 0..count {
            rows.push(read(self)?);
        }
        Ok(rows)
    }
}
