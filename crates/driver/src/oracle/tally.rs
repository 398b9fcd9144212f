//! What came out so far.

use kernel::Property;
use oracle::compare::{Finding, Judgement, Summary};
use std::collections::BTreeMap;
use std::time::Duration;

/// Cases of one kind, counted.
#[derive(Default)]
pub struct Tally {
    /// How many there were.
    pub cases: u64,
    /// The seeds of those on which strategies disagree.
    pub disagreeing: Vec<u64>,
    spent: Duration,
    too_large: u64,
    clean: u64,
    states: Vec<u64>,
    with: BTreeMap<Property, u64>,
}

impl Tally {
    /// One more case, which took so long.
    pub fn add(&mut self, seed: u64, judgement: Judgement, spent: Duration) {
        self.cases += 1;
        self.spent += spent;
        match judgement {
            Judgement::Agree(summary) => self.agree(&summary),
            Judgement::TooLarge => self.too_large += 1,
            Judgement::Disagree(_) => self.disagreeing.push(seed),
        }
    }

    fn agree(&mut self, summary: &Summary) {
        self.states.push(summary.states);
        let flawed = |property| {
            let is_such = |finding: &Finding| matches!(finding, Finding::Flaw(flaw) if flaw.property == property);
            summary.findings.iter().any(is_such)
        };
        let broken: Vec<Property> = Property::ALL
            .iter()
            .copied()
            .filter(|&property| flawed(property))
            .collect();
        self.clean += u64::from(broken.is_empty());
        for property in broken {
            *self.with.entry(property).or_default() += 1;
        }
    }

    /// All of it in words; nothing if there were no cases. Times are those of one core.
    pub fn text(&self, what: &str) -> String {
        if self.cases == 0 {
            return String::new();
        }
        let mut states = self.states.clone();
        states.sort_unstable();
        let at = |part: usize| {
            let position = states.len().saturating_sub(1) * part / 100;
            states.get(position).copied().unwrap_or(0)
        };
        let share = |count: u64| count * 100 / (states.len() as u64).max(1);
        let seconds = self.spent.as_secs_f64();
        let mut text = format!(
            "{} {what} in {seconds:.1} s of one core, {:.1} a second; {} too large, {} on which strategies disagree\n\
             states under base: half up to {}, nine in ten up to {}, most {}\n\
             no flaw: {} %",
            self.cases,
            self.cases as f64 / seconds.max(0.001),
            self.too_large,
            self.disagreeing.len(),
            at(50),
            at(90),
            at(100),
            share(self.clean),
        );
        for (property, count) in &self.with {
            text.push_str(&format!(", {}: {} %", property.name(), share(*count)));
        }
        text.push('\n');
        text
    }
}
