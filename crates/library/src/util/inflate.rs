//! x
use crate::common::Entry;
pub(crate) const METHODS: &[Entry] = &[];
