//! The JSON of a report, and trace files.

mod samples;

use report::{TraceFile, from_json, to_json};
use samples::*;

fn file() -> TraceFile {
    TraceFile {
        schema: report::json::TRACE_SCHEMA,
        program: "Account.java".into(),
        class_path: ".".into(),
        entry: None,
        arguments: vec!["2".into()],
        options: [("loads".to_string(), "sc".to_string())].into(),
        property: "exception".into(),
        message: "balance is 1".into(),
        schedule: ["0", "0", "1"].map(String::from).to_vec(),
    }
}

#[test]
fn what_is_written_is_read_again() {
    for report in [lost_update(), deadlock(), two_defects(), unknown(), holds(), hostile()] {
        let text = to_json(&report);
        assert_eq!(to_json(&from_json(&text).unwrap()), text);
    }
    assert_eq!(TraceFile::from_json(&file().to_json()), Ok(file()));
}

#[test]
fn unknown_fields_are_passed_over() {
    let text = to_json(&holds()).replacen('{', "{\"future\": [1],", 1);
    assert!(from_json(&text).is_ok());
    let text = file().to_json().replacen('{', "{\"future\": [1],", 1);
    assert_eq!(TraceFile::from_json(&text), Ok(file()));
}

#[test]
fn what_is_no_report_is_refused_in_words() {
    let other = to_json(&holds()).replace("\"schema\": 1", "\"schema\": 7");
    for (text, message) in [
        ("", "not a report: this is no JSON"),
        ("[]", "a JSON object is expected"),
        ("{}", "the field `schema` is missing"),
        ("{\"schema\": \"x\"}", "the field `schema` is no number"),
        ("{\"schema\": 1}", "missing field `version`"),
        (&other, "a report of schema 7; this version of Raddle reads schema 1"),
        (&file().to_json(), "this is a trace file, not a report"),
        (&"[".repeat(100_000), "this is no JSON"),
    ] {
        let error = from_json(text).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn what_is_no_trace_file_is_refused_in_words() {
    let other = file().to_json().replace("\"schema\": 1", "\"schema\": 2");
    let short = file().to_json().replace("\"schedule\"", "\"plan\"");
    for (text, message) in [
        ("x", "not a trace file: this is no JSON"),
        ("3", "a JSON object is expected"),
        ("{}", "the field `schema` is missing"),
        (
            &other,
            "a trace file of schema 2; this version of Raddle reads schema 1",
        ),
        (&short, "missing field `schedule`"),
        (&to_json(&holds()), "this is a report, not a trace file"),
    ] {
        let error = TraceFile::from_json(text).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}
