//! What `--memory` allows: how much the process may hold, and whether there is room for more. All that decides by it asks here.
//!
//! What counts is what the system says that the process holds, so nothing is forgotten: the guest's heap, the store, the path of a search,
//! caches, code. It is asked every few milliseconds by the search and by the watchdog, and before anything large is taken at once: a
//! large block (`large_pages`), or more of the guest's heap.

use std::sync::atomic::{AtomicU64, Ordering};

/// No more bytes than this; 0 for no limit.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// From now on the process is to hold no more than this.
pub fn limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// From now on it may hold what it needs: only the report is left to be written.
pub fn lift() {
    LIMIT.store(0, Ordering::Relaxed);
}

/// Whether there is room for so many bytes more.
pub fn has_room(more: u64) -> bool {
    match LIMIT.load(Ordering::Relaxed) {
        0 => true,
        limit => resident().saturating_add(more) <= limit,
    }
}

/// The same for who can do without and end in good order, for which a little room is needed: a search, the guest's heap.
pub fn has_room_to_spare(more: u64) -> bool {
    has_room(more.saturating_add(LIMIT.load(Ordering::Relaxed) / 32))
}

/// How much of the limit is left, in bytes.
pub fn left() -> u64 {
    match LIMIT.load(Ordering::Relaxed) {
        0 => u64::MAX,
        limit => limit.saturating_sub(resident()),
    }
}

/// What the process holds, in bytes; 0 where the system does not say.
#[cfg(target_os = "linux")]
pub fn resident() -> u64 {
    use std::io::Read;
    // The allocator asks, so nothing is allocated here.
    let mut buffer = [0; 128];
    let read = std::fs::File::open("/proc/self/statm").and_then(|mut file| file.read(&mut buffer));
    let mut numbers = buffer[..read.unwrap_or(0)].split(|&byte| byte == b' ');
    let pages = numbers.nth(1).unwrap_or_default().iter().fold(0u64, |sum, digit| {
        sum.saturating_mul(10) + u64::from(digit.wrapping_sub(b'0'))
    });
    // SAFETY: asks for a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.saturating_mul(u64::try_from(page).unwrap_or(4096))
}

/// What the process holds, in bytes; 0 where the system does not say.
#[cfg(not(target_os = "linux"))]
pub fn resident() -> u64 {
    0
}

/// The most memory that the process has held, in bytes; 0 where the system does not say.
pub fn peak() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_counts() {
        let before = resident();
        let block = vec![7u8; 64 << 20];
        let after = resident();
        assert!(
            before > 0 && after >= before + (block.len() as u64) / 2,
            "{before} {after}"
        );
    }
}
