//! Trace files and reports: whatever can be read can be written, and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use report::{Style, TraceFile};

fuzz_target!(|text: &str| {
    if let Ok(trace) = TraceFile::from_json(text) {
        assert!(TraceFile::from_json(&trace.to_json()).is_ok());
    }
    if let Ok(report) = report::from_json(text) {
        let style = Style {
            width: 80,
            colour: true,
        };
        let _ = (report::text(&report, &style), report::html(&report));
    }
});
