//! `raddle compare`.

use crate::arguments::Compare;
use crate::outputs::get_ready;
use crate::progress::Progress;
use crate::publish::{complain, print, style, write_whole};
use crate::{status, watchdog};
use driver::compare::{Contender, contenders};
use driver::{Failure, limits};
use report::Style;
use report::comparison::{Comparison, csv, svg, table};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Compares strategies. The status is 1 if they disagree.
pub fn compare(options: &Compare) -> Result<u8, Failure> {
    let contenders = contenders(&options.try_into()?)?;
    get_ready(
        [&options.csv, &options.svg].into_iter().flatten(),
        &options.how.subject.program,
    )?;
    let outputs = Outputs {
        csv: options.csv.clone(),
        svg: options.svg.clone(),
    };
    let mut comparison = Comparison {
        program: options.how.subject.program.clone(),
        strategies: Vec::new(),
    };
    for (index, contender) in contenders.iter().enumerate() {
        agree(&comparison, contender, &outputs);
        let title = format!("{} ({} of {}) · ", contender.name, index + 1, contenders.len());
        let mut progress = Progress::new(false, &title, None);
        comparison.strategies.push(contender.examine(&mut progress)?);
        if limits::is_interrupted() {
            break;
        }
    }
    watchdog::speak();
    outputs.write(&comparison)?;
    Ok(comparison.disagrees().into())
}

/// Makes what is known so far the last words, should there be no time for more.
fn agree(comparison: &Comparison, contender: &Contender, outputs: &Outputs) {
    let (mut comparison, contender, outputs) = (comparison.clone(), contender.clone(), outputs.clone());
    watchdog::agree(move |cause| {
        comparison.strategies.push(contender.cut_short(cause));
        match outputs.write(&comparison) {
            Ok(()) => comparison.disagrees().into(),
            Err(failure) => {
                complain(&format!("raddle: {failure}\n"));
                status(&failure)
            }
        }
    });
}

/// Where the comparison is wanted.
#[derive(Clone)]
struct Outputs {
    csv: Option<PathBuf>,
    svg: Option<PathBuf>,
}

impl Outputs {
    fn write(&self, comparison: &Comparison) -> Result<(), Failure> {
        let mut to_stdout = true;
        if let Some(path) = &self.csv {
            if path == Path::new("-") {
                to_stdout = false;
                print(&csv(comparison))?;
            } else {
                write_whole(path, &csv(comparison))?;
            }
        }
        if let Some(path) = &self.svg {
            write_whole(path, &svg(comparison))?;
        }
        if to_stdout {
            let style = match std::io::stdout().is_terminal() {
                true => style(),
                // Whoever reads a pipe has room for every column.
                false => Style {
                    width: 400,
                    ..Style::default()
                },
            };
            print(&table(comparison, &style))?;
        }
        Ok(())
    }
}
