//! Address space that is reserved with nothing behind it, and gets pages only where they are asked for.
//!
//! An access to a part without pages is a fault, never an access to something else of the process.

use std::io;
use std::ptr;

/// The smallest page there is.
const PAGE: usize = 4096;

/// A range of addresses.
pub(crate) struct Reserved {
    base: *mut u8,
    bytes: usize,
}

impl Reserved {
    /// Reserves so many bytes of address space. None of them can be read or written.
    pub(crate) fn new(bytes: usize) -> io::Result<Reserved> {
        // SAFETY: a new mapping at an address that the system chooses touches no memory that anything refers to.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            let error = io::Error::last_os_error();
            return Err(io::Error::new(
                error.kind(),
                format!(
                    "{} GiB of address space cannot be reserved ({error}); nothing of it is used before it is needed, so \
                     take away the limit (ulimit -v unlimited)",
                    bytes >> 30
                ),
            ));
        }
        Ok(Reserved {
            base: base.cast(),
            bytes,
        })
    }

    /// Where it begins.
    pub(crate) fn base(&self) -> *mut u8 {
        self.base
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Lets the bytes from `from` to before `to`, and what shares a page with them, be read and written. They are 0 at first.
    pub(crate) fn commit(&mut self, from: usize, to: usize) -> io::Result<()> {
        let (first, end) = (from / PAGE * PAGE, to.next_multiple_of(PAGE));
        assert!(first <= end && end <= self.bytes, "pages outside of what is reserved");
        // SAFETY: these pages lie in the mapping that is ours.
        match unsafe {
            libc::mprotect(
                self.base.add(first).cast(),
                end - first,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Gives the pages back that lie between these two bytes; all of theirs are 0 when they are next used.
    pub(crate) fn give_back(&mut self, from: usize, to: usize) {
        let (first, end) = (from.next_multiple_of(PAGE), to / PAGE * PAGE);
        assert!(end <= self.bytes, "pages outside of what is reserved");
        if first < end {
            // SAFETY: these pages lie in the mapping that is ours. Where the system does not take them, they stay as they are.
            unsafe { libc::madvise(self.base.add(first).cast(), end - first, libc::MADV_DONTNEED) };
        }
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and who owns this owns all pointers into it. If it cannot be given back, it stays.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_there_once_they_are_asked_for() {
        let mut reserved = Reserved::new(1 << 36).unwrap();
        let far = (1 << 35) + 12;
        reserved.commit(far, far + 8).unwrap();
        // SAFETY: these bytes were just given pages.
        unsafe {
            assert_eq!(*reserved.base().add(far), 0);
            *reserved.base().add(far) = 7;
            assert_eq!(*reserved.base().add(far), 7);
            reserved.give_back(far - 5000, far + 5000);
            assert_eq!(*reserved.base().add(far), 0);
        }
    }

    #[test]
    fn too_much_is_refused_in_words() {
        let error = Reserved::new(1 << 60).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("ulimit -v"), "{error}");
    }
}
