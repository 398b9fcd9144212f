//! Paths that a program may look at, and the files it has open.
//!
//! The current folder is `/`. Only what lies below the JDK's home or below an entry of the class path exists; to ask
//! for anything else is not supported, rather than answered wrongly. An open file is an entry of a table in memory: its
//! path, and its position in a `long[]`.
//!
//! The JDK seeds its random numbers from two devices. They exist too, and give the same bytes in every run.

use crate::common::unsupported;
use machine::{Address, Machine, Trap};
use program::world::ARRAY_HEADER_WORDS;
use std::sync::Arc;

/// The word of the globals that holds the table.
use machine::support::root::FILES;

/// The first number that is not one of the standard streams.
const FIRST: u32 = 3;

/// The most that one call reads from what has no end.
const ENOUGH: usize = 1 << 16;

/// A path with a leading slash, without empty parts, `.` and `..`.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// What a path names in the files that the machine was given.
pub(crate) fn window(m: &Machine<'_>, path: &str) -> Result<String, Trap> {
    let files = m.shared.files;
    let wanted = normal(path);
    let below = |root: &str| {
        let root = normal(root);
        root == "/" || wanted == root || wanted.strip_prefix(&root).is_some_and(|rest| rest.starts_with('/'))
    };
    if below(files.java_home()) {
        return Ok(wanted);
    }
    for entry in files.places() {
        // An entry `folder/*` stands for the jars in the folder.
        let entry = entry.strip_suffix('*').unwrap_or(entry);
        if below(entry) {
            // The class path may be relative to the folder in which the machine was started.
            return Ok(if entry.starts_with('/') {
                wanted
            } else {
                wanted[1..].to_owned()
            });
        }
    }
    unsupported(format!("file access outside of the class path and the JDK: {wanted}"))
}

/// What there is at a path.
pub(crate) enum Found {
    Nothing,
    Folder,
    File(Arc<[u8]>),
    /// A source of random bytes.
    Device,
}

/// Whether a path names a source of random bytes.
fn is_device(path: &str) -> bool {
    matches!(path, "/dev/random" | "/dev/urandom")
}

/// The byte of a device at a position.
fn random(position: u64) -> u8 {
    let mut mixed = position.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 31) as u8
}

/// Looks a path up.
pub(crate) fn look(m: &Machine<'_>, path: &str) -> Result<Found, Trap> {
    if path.is_empty() {
        return Ok(Found::Nothing);
    }
    if is_device(path) {
        return Ok(Found::Device);
    }
    let path = window(m, path)?;
    let files = m.shared.files;
    let path = if path.is_empty() { "." } else { &path };
    if files.is_folder(path) {
        return Ok(Found::Folder);
    }
    match files.read(path) {
        Some(contents) => Ok(Found::File(contents)),
        None if files.withholds(path) => unsupported(format!(
            "no regular file, or a link that leads out of the class path: {path}"
        )),
        None => Ok(Found::Nothing),
    }
}

/// Opens a file; its number.
pub(crate) fn open(m: &mut Machine<'_>, path: &str) -> Result<u32, Trap> {
    let name = m.new_string(path)?;
    let position = m.new_array(m.known.long_array, 1)?;
    Ok(m.root_push(FILES, &[name, position])? + FIRST)
}

fn entry(m: &Machine<'_>, number: i32) -> Option<(Address, Address)> {
    let index = (number as u32).checked_sub(FIRST)?;
    let table = m.root(FILES);
    if number < 0 || table == 0 || index >= m.array_length(table) / 2 {
        return None;
    }
    Some((m.element(table, index * 2), m.element(table, index * 2 + 1))).filter(|found| found.0 != 0)
}

/// Closes a file; nothing happens if it is not open.
pub(crate) fn close(m: &mut Machine<'_>, number: i32) {
    if entry(m, number).is_some() {
        let table = m.root(FILES);
        m.set_element(table, (number as u32 - FIRST) * 2, 0);
        m.set_element(table, (number as u32 - FIRST) * 2 + 1, 0);
    }
}

/// The path of an open file.
pub(crate) fn path(m: &Machine<'_>, number: i32) -> Option<String> {
    entry(m, number).map(|(path, _)| m.text(path))
}

/// The contents of an open file; `None` if it is not open, or gone.
pub(crate) fn contents(m: &Machine<'_>, number: i32) -> Result<Option<Arc<[u8]>>, Trap> {
    let Some(path) = path(m, number).filter(|path| !is_device(path)) else {
        return Ok(None);
    };
    let path = window(m, &path)?;
    Ok(m.shared.files.read(&path))
}

/// Where an open file is read next.
pub(crate) fn position(m: &Machine<'_>, number: i32) -> u64 {
    entry(m, number).map_or(0, |(_, cell)| m.memory.load_wide(cell + ARRAY_HEADER_WORDS))
}

/// Sets where an open file is read next.
pub(crate) fn set_position(m: &mut Machine<'_>, number: i32, position: u64) {
    if let Some((_, cell)) = entry(m, number) {
        m.memory.store_wide(cell + ARRAY_HEADER_WORDS, position);
    }
}

/// Reads up to `most` bytes at the position, and moves it. `None` if the file is not open.
pub(crate) fn read(m: &mut Machine<'_>, number: i32, most: usize) -> Result<Option<Vec<u8>>, Trap> {
    if number == 0 {
        let mut buffer = vec![0; most.min(ENOUGH)];
        let count = m.console.read(&mut buffer);
        buffer.truncate(count);
        return Ok(Some(buffer));
    }
    if path(m, number).is_some_and(|path| is_device(&path)) {
        let (start, count) = (position(m, number), most.min(ENOUGH) as u64);
        set_position(m, number, start.wrapping_add(count));
        return Ok(Some(
            (0..count).map(|offset| random(start.wrapping_add(offset))).collect(),
        ));
    }
    let Some(contents) = contents(m, number)? else {
        return Ok(None);
    };
    let start = usize::try_from(position(m, number))
        .unwrap_or(usize::MAX)
        .min(contents.len());
    let end = start.saturating_add(most).min(contents.len());
    set_position(m, number, end as u64);
    Ok(Some(contents[start..end].to_vec()))
}

/// Bytes that can be read without waiting. `None` if the file is not open.
pub(crate) fn available(m: &mut Machine<'_>, number: i32) -> Result<Option<u64>, Trap> {
    if number == 0 {
        return Ok(Some(m.console.available() as u64));
    }
    if path(m, number).is_some_and(|path| is_device(&path)) {
        return Ok(Some(0));
    }
    let Some(contents) = contents(m, number)? else {
        return Ok(None);
    };
    Ok(Some((contents.len() as u64).saturating_sub(position(m, number))))
}

/// Whether a number stands for something open.
pub(crate) fn is_open(m: &Machine<'_>, number: i32) -> bool {
    (0..3).contains(&number) || entry(m, number).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_what_does_not_matter() {
        for (path, expected) in [
            ("", "/"),
            ("/", "/"),
            ("a/b", "/a/b"),
            ("/a//b/./c/", "/a/b/c"),
            ("/a/../../b", "/b"),
            ("..", "/"),
        ] {
            assert_eq!(normal(path), expected, "{path}");
        }
    }

    #[test]
    fn random_bytes_are_the_same_in_every_run() {
        let bytes: Vec<u8> = (0..4).map(random).collect();
        assert_eq!(bytes, (0..4).map(random).collect::<Vec<u8>>());
        assert!(bytes.iter().any(|&byte| byte != bytes[0]));
    }
}
