//! How many states each program and each model under `fixtures` has, in one table: `fixtures/states.txt`.
//!
//! A line is the path of a fixture and a number for each column, `-` where none is taken. Lines are sorted by path. The width of a
//! column does not depend on its numbers, so a change of one number is a change of one line.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The reductions `none`, `base` and `auto`, and the strategies of `raddle compare`.
pub const COLUMNS: [&str; 11] = [
    "none",
    "base",
    "auto",
    "S",
    "D",
    "DA",
    "SDA",
    "WSL",
    "WSLdom",
    "LD",
    "LD+WSLdom",
];

/// How wide paths and numbers are at least.
const WIDTHS: (usize, usize) = (50, 7);

const HEAD: &str = "\
# How many states a search explores, for each fixture and each reduction or strategy.
# Lines of check/ are generated: `make bless-check`. Lines of models/ are counted by hand; the models say how.
";

/// The numbers of one fixture, by column.
pub type Counts = BTreeMap<String, u64>;

/// The numbers of all fixtures, by path below `fixtures`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    rows: BTreeMap<String, Counts>,
}

impl Table {
    /// Where the table is.
    pub fn path() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/states.txt")
    }

    /// The table of the repository.
    pub fn read() -> Table {
        let text = fs::read_to_string(Table::path()).expect("fixtures/states.txt is there");
        Table::parse(&text).unwrap_or_else(|why| panic!("fixtures/states.txt:{why}"))
    }

    /// Makes this the table of the repository.
    pub fn write(&self) {
        fs::write(Table::path(), self.to_string()).expect("fixtures/states.txt can be written");
    }

    /// Reads a table; an error begins with the number of its line.
    pub fn parse(text: &str) -> Result<Table, String> {
        let mut table = Table::default();
        let mut is_headed = false;
        for (number, line) in (1..).zip(text.lines()) {
            let fail = |what: String| Err(format!("{number}: {what}"));
            let mut words = line.split_whitespace();
            let Some(path) = words.next().filter(|word| !word.starts_with('#')) else {
                continue;
            };
            let cells: Vec<&str> = words.collect();
            if !is_headed {
                if path != "fixture" || cells != COLUMNS {
                    return fail(format!("the columns are not fixture {}", COLUMNS.join(" ")));
                }
                is_headed = true;
                continue;
            }
            if cells.len() != COLUMNS.len() {
                return fail(format!("{} numbers, not {}", cells.len(), COLUMNS.len()));
            }
            if table.rows.last_key_value().is_some_and(|(last, _)| &**last >= path) {
                return fail(format!("{path} is there twice or not in its order"));
            }
            let mut counts = Counts::new();
            for (column, cell) in COLUMNS.iter().zip(cells).filter(|(_, cell)| *cell != "-") {
                match cell.parse() {
                    Ok(count) => counts.insert((*column).to_owned(), count),
                    Err(_) => return fail(format!("{cell} is no number")),
                };
            }
            table.rows.insert(path.to_owned(), counts);
        }
        Ok(table)
    }

    /// The numbers of a fixture, if it has a line.
    pub fn get(&self, path: &str) -> Option<&Counts> {
        self.rows.get(path)
    }

    /// The number in one cell.
    pub fn count(&self, path: &str, column: &str) -> Option<u64> {
        self.rows.get(path)?.get(column).copied()
    }

    /// Fills or clears one cell; a fixture without a line gets one.
    pub fn set(&mut self, path: &str, column: &str, count: Option<u64>) {
        assert!(COLUMNS.contains(&column), "{column} is no column: add it to COLUMNS");
        let counts = self.rows.entry(path.to_owned()).or_default();
        match count {
            Some(count) => counts.insert(column.to_owned(), count),
            None => counts.remove(column),
        };
    }

    /// Drops the lines of a folder that belong to none of these fixtures.
    pub fn keep_only(&mut self, folder: &str, fixtures: &BTreeSet<&str>) {
        self.rows
            .retain(|path, _| !path.starts_with(folder) || fixtures.contains(&**path));
    }

    /// Fixtures of a folder without a line, and lines without a fixture.
    pub fn mismatches(&self, folder: &str, fixtures: &BTreeSet<&str>) -> Vec<String> {
        let missing = fixtures.iter().filter(|path| !self.rows.contains_key(**path));
        let missing = missing.map(|path| format!("fixtures/{path} has no line in fixtures/states.txt"));
        let extra = self.rows.keys().filter(|path| path.starts_with(folder));
        let extra = extra.filter(|path| !fixtures.contains(&***path));
        let extra =
            extra.map(|path| format!("fixtures/states.txt has a line for {path}, and there is no such fixture"));
        missing.chain(extra).collect()
    }

    /// What is different from an older table, a line a cell.
    pub fn changes(&self, old: &Table) -> Vec<String> {
        let paths: BTreeSet<&String> = old.rows.keys().chain(self.rows.keys()).collect();
        let cells = paths
            .into_iter()
            .flat_map(|path| COLUMNS.map(|column| (path, column, old.count(path, column), self.count(path, column))));
        let changed = cells.filter(|(_, _, old, new)| old != new);
        let told = changed.map(|(path, column, old, new)| {
            let ratio = match (old, new) {
                (Some(old), Some(new)) if old > 0 => format!(" (x{:.2})", new as f64 / old as f64),
                _ => String::new(),
            };
            format!("{path}: {column} {} -> {}{ratio}", cell(old), cell(new))
        });
        told.collect()
    }
}

/// A number as it is written, `-` for none.
fn cell(count: Option<u64>) -> String {
    count.map_or("-".to_owned(), |count| count.to_string())
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(HEAD)?;
        write_line(out, "fixture", COLUMNS.map(str::to_owned))?;
        for (path, counts) in &self.rows {
            write_line(out, path, COLUMNS.map(|column| cell(counts.get(column).copied())))?;
        }
        Ok(())
    }
}

fn write_line(out: &mut fmt::Formatter<'_>, path: &str, cells: [String; COLUMNS.len()]) -> fmt::Result {
    write!(out, "{path:0$}", WIDTHS.0)?;
    for (column, cell) in COLUMNS.iter().zip(cells) {
        write!(out, " {cell:>0$}", column.len().max(WIDTHS.1))?;
    }
    writeln!(out)
}
