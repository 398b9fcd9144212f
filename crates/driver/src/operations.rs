//! The methods that the user takes to have their effect at once.

use crate::Failure;
use machine::Operations;
use std::sync::Arc;

/// The methods that these patterns name.
pub fn read(patterns: &[String]) -> Result<Arc<Operations>, Failure> {
    let operations = Operations::new(patterns.iter().map(String::as_str)).map_err(|wrong| {
        Failure::Input(format!(
            "`{wrong}` names no method: --operation takes Class.method, with or without the package, and * for any part of a name"
        ))
    })?;
    Ok(Arc::new(operations))
}
