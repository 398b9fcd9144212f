//! `raddle analyze`.

use crate::arguments::Analyze;
use crate::progress::Progress;
use crate::publish::print;
use driver::Failure;
use driver::analyze::{self, Analysis, Place, Verdict};
use program::input::quoted;
use std::io::IsTerminal;

/// Says of each place where objects are made whether they stay with the thread that makes them.
pub fn analyze(options: &Analyze) -> Result<u8, Failure> {
    let analysis = analyze::analyze(&options.into(), &mut Progress::new(true, "", None))?;
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    print(&page(&analysis, colour))?;
    Ok(0)
}

fn page(analysis: &Analysis, colour: bool) -> String {
    let places = &analysis.places;
    let widest = |text: fn(&Place) -> &String| {
        let widths = places.iter().map(|place| text(place).chars().count());
        widths.max().unwrap_or(0).min(60)
    };
    let (wide, wider) = (widest(|place| &place.at), widest(|place| &place.made));
    let mut text = String::new();
    for place in places {
        let verdict = match (&place.verdict, colour) {
            (Verdict::Local, false) => "local".to_owned(),
            (Verdict::Local, true) => "\x1b[32mlocal\x1b[0m".to_owned(),
            (Verdict::Shared(why), false) => format!("shared: {}", quoted(why)),
            (Verdict::Shared(why), true) => format!("\x1b[33mshared\x1b[0m: {}", quoted(why)),
        };
        text += &format!(
            "{:<wide$}  {:<wider$}  {verdict}\n",
            quoted(&place.at).to_string(),
            quoted(&place.made).to_string()
        );
    }
    let local = places.iter().filter(|place| place.verdict == Verdict::Local).count();
    text += &format!(
        "{}{local} of {} places make objects that only one thread can ever reach ({} methods looked at)\n",
        if places.is_empty() { "" } else { "\n" },
        places.len(),
        analysis.methods
    );
    if analysis.methods == 0 {
        text += "the program is too large to be analysed: nothing is known\n";
    }
    if analysis.reflection {
        text += "the program finds classes or members by name, so any of its methods may be called by any code\n";
    }
    text
}
