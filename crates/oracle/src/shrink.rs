//! Making what fails smaller, for as long as it goes on failing.

/// Candidates that are tried at once.
const AT_ONCE: usize = 24;

/// Something smaller that still fails. `smaller` gives candidates, those that lose most first; `fails` tells the first of a few that
/// does, if any.
pub fn shrink<P>(mut program: P, smaller: impl Fn(&P) -> Vec<P>, mut fails: impl FnMut(&[P]) -> Option<usize>) -> P {
    // Where the last success was: what comes before it has been tried on nearly the same program.
    let mut begin = 0;
    loop {
        let mut candidates = smaller(&program);
        let count = candidates.len();
        if count == 0 {
            return program;
        }
        candidates.rotate_left(begin % count);
        let mut found = None;
        for (number, chunk) in candidates.chunks(AT_ONCE).enumerate() {
            if let Some(at) = fails(chunk) {
                found = Some(number * AT_ONCE + at);
                break;
            }
        }
        let Some(found) = found.filter(|&found| found < count) else {
            return program;
        };
        begin = (begin + found) % count;
        program = candidates.swap_remove(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_cannot_lose_anything_more() {
        let smaller = |list: &Vec<u32>| {
            let without = |at: usize| {
                let mut list = list.clone();
                list.remove(at);
                list
            };
            (0..list.len()).map(without).collect()
        };
        let fails = |lists: &[Vec<u32>]| lists.iter().position(|list| list.contains(&7) && list.contains(&90));
        assert_eq!(shrink((0..100).collect(), smaller, fails), [7, 90]);
    }
}
