//! A bar for the states of each strategy, as one SVG file that needs nothing else and follows the reader's light or dark.

use super::Comparison;
use crate::clean::{clean, clip, width};
use crate::html::escape;
use crate::words::{count, duration};
use std::fmt::Write;

/// Beyond this factor between the longest bar and the shortest, the scale is logarithmic.
const LINEAR: f64 = 20.0;
/// The longest bar, in the units of the picture.
const LONGEST: f64 = 460.0;
/// From one bar to the next.
const ROW: f64 = 44.0;
/// Above the first bar.
const TOP: f64 = 74.0;
/// About the width of a letter of the names.
const LETTER: f64 = 7.3;
/// What stands behind a bar.
const BEHIND: f64 = 230.0;

const STYLE: &str = "
svg { --paper: #fff; --ink: #1c2024; --dim: #5b6570; --rule: #d8dde2; --bar: #2f6fb0; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #15181c; --ink: #e8ebee; --dim: #9aa4ae; --rule: #343b43; --bar: #6aa7e0; }
}
.paper { fill: var(--paper); }
text { font: 13px system-ui, sans-serif; fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.title { font-size: 16px; font-weight: 600; }
.dim { fill: var(--dim); font-size: 12px; }
.rule { stroke: var(--rule); }
.bar { fill: var(--bar); stroke: var(--bar); }
.open { fill-opacity: .3; stroke-dasharray: 4 3; }
";

/// The comparison as a bar chart.
pub fn svg(comparison: &Comparison) -> String {
    let names: Vec<(String, String)> = comparison
        .strategies
        .iter()
        .map(|one| (clip(&clean(&one.name), 24), clip(&clean(&one.reductions), 60)))
        .collect();
    let longest = names.iter().map(|(one, two)| width(one).max(width(two))).max();
    let left = 32.0 + longest.unwrap_or_default() as f64 * LETTER;
    let scale = Scale::new(comparison);
    let (across, down) = (left + LONGEST + BEHIND, TOP + ROW * names.len() as f64 + 40.0);
    let mut out = String::new();
    let title = escape(&clip(&clean(&comparison.program), 70));
    let kind = if scale.logarithmic {
        ", on a logarithmic scale"
    } else {
        ""
    };
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {across:.0} {down:.0}\" width=\"{across:.0}\" \
         height=\"{down:.0}\" role=\"img\">\n<title>States of {title} by strategy</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n\
         <text class=\"title\" x=\"16\" y=\"28\">{title}</text>\n\
         <text class=\"dim\" x=\"16\" y=\"48\">distinct states by strategy{kind}</text>\n"
    );
    let bottom = TOP + ROW * names.len() as f64;
    for tick in scale.ticks() {
        let x = left + scale.length(tick);
        let _ = write!(
            out,
            "<line class=\"rule\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>\n\
             <text class=\"dim\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
            bottom + 18.0,
            count(tick as u64)
        );
    }
    for (index, (one, (name, reductions))) in comparison.strategies.iter().zip(&names).enumerate() {
        let y = TOP + ROW * index as f64;
        let length = scale.length(one.states as f64).max(1.0);
        let (open, least) = if one.complete { ("", "") } else { (" open", "at least ") };
        let factor = match comparison.factor(index).show() {
            text if text == "?" => String::new(),
            text => format!(" · factor {text}"),
        };
        let (middle, end) = (left - 12.0, left + length + 8.0);
        // A strategy with a single reduction may have no other name than that.
        let (upper, lower) = if name == reductions {
            (26.0, "")
        } else {
            (18.0, reductions.as_str())
        };
        let _ = write!(
            out,
            "<g>\n<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n\
             <text class=\"dim\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n\
             <rect class=\"bar{open}\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"24\" rx=\"2\"/>\n\
             <text x=\"{end:.1}\" y=\"{:.1}\">{least}{}{}</text>\n\
             <text class=\"dim\" x=\"{end:.1}\" y=\"{:.1}\">{} · {}</text>\n</g>\n",
            y + upper,
            escape(name),
            y + 34.0,
            escape(lower),
            y + 10.0,
            y + 20.0,
            count(one.states),
            escape(&factor),
            y + 36.0,
            one.verdict,
            duration(one.seconds),
        );
    }
    out.push_str("</svg>\n");
    out
}

/// How long a bar is.
struct Scale {
    logarithmic: bool,
    most: f64,
}

impl Scale {
    fn new(comparison: &Comparison) -> Scale {
        let states = || comparison.strategies.iter().map(|one| one.states.max(1) as f64);
        let most = states().fold(1.0, f64::max);
        let least = states().fold(most, f64::min);
        Scale {
            logarithmic: most / least > LINEAR,
            most,
        }
    }

    fn length(&self, states: f64) -> f64 {
        let share = match self.logarithmic {
            true => states.max(1.0).ln() / self.most.ln(),
            false => states / self.most,
        };
        share * LONGEST
    }

    /// Where the lines are: powers of ten, or a few round numbers.
    fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let powers = (0..).map(|power| 10f64.powi(power));
            return powers.take_while(|&tick| tick <= self.most).collect();
        }
        let power = 10f64.powf(self.most.log10().floor());
        let steps = [0.2, 0.5, 1.0, 2.0].map(|part| part * power);
        let step = steps.into_iter().find(|step| self.most / step <= 5.0);
        let step = step.unwrap_or(power).max(1.0);
        let ticks = (0..).map(|number| f64::from(number) * step);
        ticks.take_while(|&tick| tick <= self.most).collect()
    }
}
