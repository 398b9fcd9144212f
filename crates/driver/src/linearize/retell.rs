//! A trace without what scenarios do on the side: recording is told as the beginning and the end of calls.

use ::linearize::{Scenario, thread_name};
use report::model::{Event, Row, Trace};

/// The same, as somebody reads it who knows the calls of the scenario. `class` is that of its program.
pub fn retell(trace: Trace, scenario: &Scenario, class: &str) -> Trace {
    let caller = |name: &String| (0..scenario.threads.len()).find(|&number| thread_name(number) == *name);
    let mut retold = Retold {
        rows: Vec::new(),
        callers: trace.threads.iter().map(caller).collect(),
        ended: vec![0; trace.threads.len()],
    };
    let mut loop_start = trace.loop_start;
    for (position, row) in trace.rows.into_iter().enumerate() {
        if loop_start == Some(position) {
            loop_start = Some(retold.rows.len());
        }
        retold.add(row, scenario, class);
    }
    let mut sources = trace.sources;
    sources.retain(|file, _| !["History.java", "Verify.java"].contains(&&**file));
    Trace {
        rows: retold.rows,
        loop_start,
        sources,
        ..trace
    }
}

struct Retold {
    rows: Vec<Row>,
    /// Which thread of the scenario each thread is.
    callers: Vec<Option<usize>>,
    /// How many calls of each thread have ended.
    ended: Vec<usize>,
}

impl Retold {
    fn add(&mut self, row: Row, scenario: &Scenario, class: &str) {
        let thread = row.thread;
        let calls = self.callers[thread].and_then(|caller| scenario.threads.get(caller));
        let call = calls.and_then(|calls| calls.get(self.ended[thread]));
        let text = call.map_or("", |call| &call.text);
        match &*row.method {
            "began" | "ended" if row.class == "raddle.History" => {
                let verb = if row.method == "began" { "begins" } else { "ends" };
                let event = Event::Other { text: verb.to_owned() };
                self.ended[thread] += usize::from(row.method == "ended");
                self.push(row, text.to_owned(), vec![event]);
            }
            method if row.class == class => {
                let is_call = method.starts_with("call");
                let source = if is_call {
                    text
                } else {
                    row.source.trim_start_matches("subject.")
                }
                .to_owned();
                let mut events = row.events.clone();
                events.retain(|event| !is_about_subject(event));
                let is_idle = events.is_empty() && (row.call.is_empty() || row.call.ends_with(".valueOf"));
                // That threads are started goes without saying.
                let is_start = method == "main" && source.ends_with(".start();");
                match is_idle || is_start || method == "<clinit>" || source.starts_with("History.") {
                    true => self.skip(&row),
                    false => self.push(row, source, events),
                }
            }
            _ if row.class.starts_with("raddle.") || row.class.is_empty() || row.class.starts_with(class) => {
                self.skip(&row);
            }
            _ => self.rows.push(row),
        }
    }

    /// Tells a row in other words.
    fn push(&mut self, row: Row, source: String, events: Vec<Event>) {
        self.rows.push(Row {
            file: String::new(),
            line: 0,
            source,
            events,
            ..row
        });
    }

    /// Leaves a row out.
    fn skip(&mut self, row: &Row) {
        if let Some(last) = self.rows.last_mut() {
            last.steps += row.steps;
        }
    }
}

/// Whether it is the field of the scenario that has the object.
fn is_about_subject(event: &Event) -> bool {
    matches!(event, Event::Read { place, .. } if place.ends_with(".subject") && place.contains("RaddleScenario"))
}
