//! A long trace made short: rounds of a loop are shown once, and lines on which nothing happens share an entry.

use crate::model::{Event, Row, Trace};
use std::collections::HashMap;
use std::mem::discriminant;
use std::ops::Range;

/// The longest round that is looked for.
const LONGEST_ROUND: usize = 64;
/// So many rounds at least are worth folding.
const FEWEST_ROUNDS: usize = 3;

/// An entry of a folded trace. The numbers are indexes of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A row as it is.
    Row(usize),
    /// Rows of one thread in which nothing happens; two at least.
    Quiet(Range<usize>),
    /// Rows left out, because the rounds before say what they do.
    Again {
        /// What is left out.
        rows: Range<usize>,
        /// Rows of one round.
        round: usize,
        /// The rounds left out are the same in every value.
        same: bool,
    },
    /// The part that repeats for ever begins here.
    Loop,
}

/// Folds a trace.
pub fn fold(trace: &Trace) -> Vec<Item> {
    let rows = &trace.rows;
    let exact = number(rows, |row| {
        row.events.iter().map(|event| format!("{event:?}")).collect()
    });
    let shape = number(rows, |row| row.events.iter().map(shape_of).collect());
    let mut items = Vec::new();
    let folder = Folder {
        rows,
        exact: &exact,
        shape: &shape,
    };
    match trace.loop_start.filter(|start| *start < rows.len()) {
        Some(start) => {
            folder.rounds(0..start, LONGEST_ROUND, &mut items);
            items.push(Item::Loop);
            folder.rounds(start..rows.len(), LONGEST_ROUND, &mut items);
        }
        None => folder.rounds(0..rows.len(), LONGEST_ROUND, &mut items),
    }
    items
}

/// A small number for each row, the same for rows that do the same.
fn number(rows: &[Row], events: impl Fn(&Row) -> Vec<String>) -> Vec<usize> {
    let mut numbers = HashMap::new();
    rows.iter()
        .map(|row| {
            let key = (
                row.thread,
                &row.class,
                &row.method,
                &row.file,
                row.line,
                &row.call,
                events(row),
            );
            let next = numbers.len();
            *numbers.entry(key).or_insert(next)
        })
        .collect()
}

/// An event without its values.
fn shape_of(event: &Event) -> String {
    match event {
        Event::Read { place, .. } => format!("{:?} {place}", discriminant(event)),
        Event::Write { place, .. } => format!("{:?} {place}", discriminant(event)),
        Event::Print { .. } => "print".to_string(),
        other => format!("{other:?}"),
    }
}

struct Folder<'a> {
    rows: &'a [Row],
    exact: &'a [usize],
    shape: &'a [usize],
}

impl Folder<'_> {
    /// Folds the rounds of a range, and the rounds within a round.
    fn rounds(&self, range: Range<usize>, longest: usize, items: &mut Vec<Item>) {
        let mut plain = range.start;
        let mut at = range.start;
        while at < range.end {
            let Some((round, times, same)) = self.best_round(at, range.end, longest) else {
                at += 1;
                continue;
            };
            self.quiet(plain..at, items);
            self.rounds(at..at + round, round - 1, items);
            let end = at + round * times;
            // With other values, the last round is shown as well: what the loop has come to is seen there.
            let left_out = if same { at + round..end } else { at + round..end - round };
            items.push(Item::Again {
                rows: left_out.clone(),
                round,
                same,
            });
            if left_out.end < end {
                self.rounds(left_out.end..end, round - 1, items);
            }
            at = end;
            plain = end;
        }
        self.quiet(plain..range.end, items);
    }

    /// The round that begins at a row and covers most: its length, how often it comes, and whether values agree.
    fn best_round(&self, at: usize, end: usize, longest: usize) -> Option<(usize, usize, bool)> {
        let mut best = None;
        let mut most = 0;
        for round in 1..=longest.min((end - at) / FEWEST_ROUNDS) {
            // A long run of what is no round must not be compared again and again from each of its rows.
            if self.shape[at] != self.shape[at + round] {
                continue;
            }
            for (keys, same) in [(self.exact, true), (self.shape, false)] {
                let equal = (at..end - round)
                    .take_while(|row| keys[*row] == keys[*row + round])
                    .count();
                let times = equal / round + 1;
                let enough = if same { FEWEST_ROUNDS } else { FEWEST_ROUNDS + 1 };
                if times >= enough && times * round > most {
                    most = times * round;
                    best = Some((round, times, same));
                }
            }
        }
        best
    }

    /// Joins neighbouring rows of a thread on which nothing happens. The last row of the trace stays: it is the end.
    fn quiet(&self, range: Range<usize>, items: &mut Vec<Item>) {
        let silent = |row: usize| self.rows[row].events.is_empty() && row + 1 < self.rows.len();
        let mut at = range.start;
        while at < range.end {
            let joins = |row: &usize| silent(*row) && self.rows[*row].thread == self.rows[at].thread;
            let length = (at..range.end).take_while(joins).count();
            if length >= 2 {
                items.push(Item::Quiet(at..at + length));
                at += length;
            } else {
                items.push(Item::Row(at));
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row for each word: the thread, the line, and a value written (`a5=1`) or nothing (`a5`).
    fn trace(words: &[String]) -> Trace {
        let row = |word: &String| {
            let (head, value) = word
                .split_once('=')
                .map_or((word.as_str(), None), |(head, value)| (head, Some(value)));
            Row {
                thread: usize::from(head.as_bytes()[0] - b'a'),
                line: head[1..].parse().unwrap(),
                events: value
                    .map(|value| Event::Write {
                        place: "n".into(),
                        old: "".into(),
                        new: value.into(),
                    })
                    .into_iter()
                    .collect(),
                ..Row::default()
            }
        };
        Trace {
            rows: words.iter().map(row).collect(),
            ..Trace::default()
        }
    }

    fn check(words: &str, expected: &[Item]) {
        let words: Vec<String> = words.split(' ').map(String::from).collect();
        assert_eq!(fold(&trace(&words)), expected, "{words:?}");
    }

    #[test]
    fn quiet_rows_of_a_thread_join_and_the_last_row_stays() {
        check(
            "a1 a2 b1 b2=1 a3 a4",
            &[
                Item::Quiet(0..2),
                Item::Row(2),
                Item::Row(3),
                Item::Row(4),
                Item::Row(5),
            ],
        );
    }

    #[test]
    fn equal_rounds_are_shown_once() {
        let again = Item::Again {
            rows: 3..9,
            round: 2,
            same: true,
        };
        check("b9=0 a1=1 b1=1 a1=1 b1=1 a1=1 b1=1 a1=1 b1=1 b7=2", &{
            [Item::Row(0), Item::Row(1), Item::Row(2), again, Item::Row(9)]
        });
        check("a1=1 b1=1 a1=1 b1=1", &[0, 1, 2, 3].map(Item::Row));
    }

    #[test]
    fn rounds_of_other_values_show_the_first_and_the_last() {
        let again = Item::Again {
            rows: 1..4,
            round: 1,
            same: false,
        };
        check(
            "a1=1 a1=2 a1=3 a1=4 a1=5 a2=0",
            &[Item::Row(0), again, Item::Row(4), Item::Row(5)],
        );
    }

    #[test]
    fn rounds_within_rounds_are_folded() {
        let words: Vec<String> = (0..5)
            .flat_map(|_| ["a1=1"; 10].into_iter().chain(["b2=1"]))
            .map(String::from)
            .collect();
        let inner = Item::Again {
            rows: 1..10,
            round: 1,
            same: true,
        };
        let outer = Item::Again {
            rows: 11..55,
            round: 11,
            same: true,
        };
        assert_eq!(fold(&trace(&words)), [Item::Row(0), inner, Item::Row(10), outer]);
    }

    #[test]
    fn no_round_crosses_the_start_of_the_loop() {
        let mut trace = trace(&["a1=1", "a1=1", "a1=1", "a1=1", "a1=1", "a1=1"].map(String::from));
        trace.loop_start = Some(2);
        let again = Item::Again {
            rows: 3..6,
            round: 1,
            same: true,
        };
        assert_eq!(
            fold(&trace),
            [Item::Row(0), Item::Row(1), Item::Loop, Item::Row(2), again]
        );
        trace.loop_start = Some(77);
        assert_eq!(fold(&trace).len(), 2);
    }

    #[test]
    fn every_row_is_in_exactly_one_entry() {
        let mut seed = 7u64;
        for _ in 0..300 {
            let mut words = Vec::new();
            for _ in 0..40 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let pick = (seed >> 33) % 6;
                words.push(["a1", "a2=1", "b1=1", "b1=2", "a2=1", "b3"][pick as usize].to_string());
            }
            let mut next = 0;
            for item in fold(&trace(&words)) {
                let rows = match item {
                    Item::Row(row) => row..row + 1,
                    Item::Quiet(rows) | Item::Again { rows, .. } => rows,
                    Item::Loop => continue,
                };
                assert_eq!(rows.start, next);
                next = rows.end;
            }
            assert_eq!(next, 40);
        }
    }
}
