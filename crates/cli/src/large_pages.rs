//! Memory in large pages: the tables of a search are looked up at random, and with small pages most looks would first have to find out
//! where the page is.
//!
//! And the place where blocks that `--memory` has no room for are refused: before they are made, not when they have been.

use crate::watchdog;
use driver::budget;
use std::alloc::{GlobalAlloc, Layout, System};

/// From this size on a block is worth it.
const LARGE: usize = 4 << 20;

/// From this size on the system's allocator gives every block a mapping of its own.
const MAPPED: usize = 32 << 20;

/// The smallest page there is; advice is given for whole pages.
const PAGE: usize = 4096;

/// The system's allocator, which asks for large pages where it pays.
pub struct LargePages;

// SAFETY: every block is one of the system's allocator; the advice changes nothing about it but how it is mapped.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        refuse(layout.size());
        // SAFETY: what is asked of the caller is what the system's allocator asks for.
        advise(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        refuse(layout.size());
        // SAFETY: as above.
        advise(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size >= LARGE {
            // A large block is not copied but mapped anew; a smaller one may be.
            refuse(if layout.size() >= MAPPED {
                size.saturating_sub(layout.size())
            } else {
                size
            });
        }
        // SAFETY: as above.
        advise(unsafe { System.realloc(block, layout, size) }, size)
    }
}

/// Does not return if there is no room for a large block.
#[inline]
fn refuse(size: usize) {
    if size >= LARGE && !budget::has_room(size as u64) {
        watchdog::run_out_of_memory();
    }
}

/// Asks for large pages for a block, if it is a large one; the block.
#[inline]
fn advise(block: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE && !block.is_null() {
        ask(block, size);
    }
    block
}

#[cfg(target_os = "linux")]
#[cold]
fn ask(block: *mut u8, size: usize) {
    let before = block.align_offset(PAGE);
    let length = (size - before) / PAGE * PAGE;
    // SAFETY: the pages lie within a block that was just allocated. Where there are no large pages, nothing happens.
    unsafe { libc::madvise(block.add(before).cast(), length, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn ask(_: *mut u8, _: usize) {}
