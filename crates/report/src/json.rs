//! The report as JSON, and the file that `raddle replay` reads.

use crate::model::{Report, SCHEMA};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the trace file. It changes when a field changes its meaning or goes.
pub const TRACE_SCHEMA: u32 = 1;

/// The report as indented JSON, ending in a line end.
pub fn to_json(report: &Report) -> String {
    // JSON has no word for what is not finite; such a figure is unknown, and 0 says so.
    let finite = |number: f64| if number.is_finite() { number } else { 0.0 };
    let report = Report {
        seconds: finite(report.seconds),
        bytes_per_state: finite(report.bytes_per_state),
        collision_probability: finite(report.collision_probability),
        ..report.clone()
    };
    pretty(&report)
}

/// Reads what [`to_json`] wrote.
pub fn from_json(text: &str) -> Result<Report, String> {
    let value = object(text, "a report")?;
    if value.get("schedule").is_some() && value.get("verdict").is_none() {
        return Err("this is a trace file, not a report".to_string());
    }
    version(&value, "report", SCHEMA)?;
    serde_json::from_str(text).map_err(|error| format!("not a report that Raddle wrote: {error}"))
}

/// What `--trace` writes and `raddle replay` follows: a program and a schedule of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceFile {
    /// [`TRACE_SCHEMA`].
    pub schema: u32,
    /// What was checked, as the user named it: a source file, a class or a jar.
    pub program: String,
    /// Where its classes are.
    pub class_path: String,
    /// The class or method to begin with, if the user named one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry: Option<String>,
    /// Arguments of the program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Options that change what the program does or how its steps are counted.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Name of the property that is broken at the end.
    pub property: String,
    /// What happens at the end, in one sentence.
    pub message: String,
    /// A word for each step.
    pub schedule: Vec<String>,
}

impl TraceFile {
    /// The file's text.
    pub fn to_json(&self) -> String {
        pretty(self)
    }

    /// Reads the file's text.
    pub fn from_json(text: &str) -> Result<TraceFile, String> {
        let value = object(text, "a trace file")?;
        if value.get("verdict").is_some() {
            return Err("this is a report, not a trace file; --trace FILE writes one".to_string());
        }
        version(&value, "trace file", TRACE_SCHEMA)?;
        serde_json::from_str(text).map_err(|error| format!("not a trace file that Raddle wrote: {error}"))
    }
}

fn pretty(value: &impl Serialize) -> String {
    // Neither type has a map with keys that are no strings, the one thing that could fail.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

fn object(text: &str, wanted: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(format!("not {wanted}: a JSON object is expected")),
        Err(error) => Err(format!("not {wanted}: this is no JSON ({error})")),
    }
}

fn version(value: &Value, what: &str, known: u32) -> Result<(), String> {
    match value.get("schema") {
        None => Err(format!("not a {what}: the field `schema` is missing")),
        Some(schema) if schema.as_u64() == Some(known.into()) => Ok(()),
        Some(schema) if schema.is_u64() => Err(format!(
            "a {what} of schema {schema}; this version of Raddle reads schema {known}"
        )),
        Some(_) => Err(format!("not a {what}: the field `schema` is no number")),
    }
}
