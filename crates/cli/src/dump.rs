//! `raddle dump`.

use crate::arguments::Dump;
use crate::progress::Progress;
use crate::publish::print;
use driver::{Failure, dump};

/// Prints the three-address code of a class or of its methods of one name.
pub fn dump(options: &Dump) -> Result<u8, Failure> {
    let mut progress = Progress::new(true, "", None);
    let dumped = dump::dump(&(&options.classes).into(), &options.what, &mut progress)?;
    print(&dumped.text)?;
    match dumped.failure {
        Some(failure) => Err(failure),
        None => Ok(0),
    }
}
