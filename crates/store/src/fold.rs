//! Folding a row of names into one, by a binary tree of interned pairs over their positions.
//!
//! After Laarman, van de Pol, Weber, "Parallel Recursive State Compression for Free" (SPIN 2011): rows that differ in few
//! places share all pairs but those on the way up from there. Rows have no fixed length here, and a name says whether it
//! stands for a pair, so a name alone determines the row below it.
//!
//! The tree of the last row is kept, and of the next one only what differs is looked up.

use crate::names::{NOTHING, Names, UNKNOWN};

/// How many names a row folds into.
pub(crate) const TOP: usize = 4;

/// The tree over the last row.
#[derive(Default)]
pub(crate) struct Fold {
    /// The row itself, then the names of its pairs, of pairs of these, and so on up to [`TOP`] or fewer.
    levels: Vec<Vec<u32>>,
    /// Whether the name of some pair was not known.
    gaps: bool,
}

impl Fold {
    /// The names of the last row.
    #[inline]
    pub(crate) fn names(&self) -> &[u32] {
        self.levels.first().map_or(&[], Vec::as_slice)
    }

    /// The row, to be changed; every change must be told to [`Fold::fold`].
    #[inline]
    pub(crate) fn names_mut(&mut self) -> &mut Vec<u32> {
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        &mut self.levels[0]
    }

    /// The names that the row folds into: [`NOTHING`] for one that is not there. `changed` are the positions at which
    /// the row differs from the last one, ascending; what is in it afterwards has no meaning. `before` is how long the last
    /// row was. `None` if there is no room left; the tree is of no use then.
    ///
    /// What is not known by name is [`UNKNOWN`], and so is all above it. It is asked for anew the next time.
    pub(crate) fn fold<const ENTERS: bool>(
        &mut self,
        changed: &mut Vec<u32>,
        before: usize,
        given: &mut Names<'_, ENTERS>,
    ) -> Option<[u32; TOP]> {
        let mut before = before;
        let had_gaps = std::mem::take(&mut self.gaps);
        let mut level = 0;
        while self.levels.get(level).is_some_and(|names| names.len() > TOP) {
            let (below, above) = self.levels.split_at_mut(level + 1);
            let names = &below[level];
            let length = names.len().div_ceil(2);
            if above.is_empty() {
                self.levels.push(Vec::new());
                continue;
            }
            let parents = &mut above[0];
            let old_length = before.div_ceil(2);
            // The last parent may have had another number of children.
            let last = (length as u32 - 1).min(old_length.saturating_sub(1) as u32);
            if names.len() != before && changed.last().is_none_or(|&position| position / 2 < last) {
                changed.push(last * 2);
            }
            if before <= TOP {
                // There were no parents: all are new.
                parents.clear();
                changed.clear();
                changed.extend((0..names.len() as u32).step_by(2));
            }
            parents.resize(length, NOTHING);
            if had_gaps {
                let gaps = (0..length as u32).filter(|&parent| parents[parent as usize] == UNKNOWN);
                changed.extend(gaps.map(|parent| parent * 2));
                changed.sort_unstable();
            }
            let (mut kept, mut done) = (0, NOTHING);
            for next in 0..changed.len() {
                let parent = changed[next] / 2;
                if parent == done {
                    continue;
                }
                done = parent;
                let at = parent as usize * 2;
                let name = match names.get(at + 1) {
                    Some(&right) => given.node([names[at], right])?,
                    None => names[at],
                };
                self.gaps |= !ENTERS && name == UNKNOWN;
                let slot = &mut parents[parent as usize];
                if *slot != name || parent as usize >= old_length {
                    *slot = name;
                    changed[kept] = parent;
                    kept += 1;
                }
            }
            changed.truncate(kept);
            before = old_length;
            level += 1;
        }
        let mut top = [NOTHING; TOP];
        if let Some(names) = self.levels.get(level) {
            top[..names.len()].copy_from_slice(names);
        }
        Some(top)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let words: usize = self.levels.iter().map(Vec::capacity).sum();
        (words * size_of::<u32>()) as u64
    }
}

/// The one name that some names fold into.
pub(crate) fn join<const ENTERS: bool>(
    [first, second, third, fourth]: [u32; TOP],
    given: &mut Names<'_, ENTERS>,
) -> Option<u32> {
    let mut pair = |left, right| match right {
        NOTHING => Some(left),
        _ => given.node([left, right]),
    };
    let (left, right) = (pair(first, second)?, pair(third, fourth)?);
    pair(left, right)
}
