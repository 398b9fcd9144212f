//! What was found, as text, JSON and HTML.
//!
//! [`model::Report`] is the data, and [`comparison::Comparison`] that of several strategies; everything else here turns it into something to read. Nothing in a report is trusted:
//! names, values and output come from the program that was checked, so every renderer passes them through `clean`.

mod clean;
pub mod comparison;
mod fold;
pub mod html;
pub mod json;
pub mod model;
pub mod text;
mod words;

pub use clean::clean_lines;
pub use html::html;
pub use json::{TraceFile, from_json, to_json};
pub use model::Verdict;
pub use text::{Style, one_line, text};
