//! What the program prints while its schedule is followed.

use machine::Console;
use std::sync::{Arc, Mutex};

/// Collects what the program prints, a line at a time.
#[derive(Clone, Default)]
pub(super) struct Printed {
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Printed {
    /// The lines since they were last asked for.
    pub(super) fn take(&self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
        let text = String::from_utf8_lossy(&bytes);
        text.lines().map(str::to_owned).collect()
    }
}

impl Console for Printed {
    fn write(&mut self, _stream: u32, bytes: &[u8]) {
        self.bytes
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .extend_from_slice(bytes);
    }

    fn read(&mut self, _buffer: &mut [u8]) -> usize {
        0
    }

    fn available(&mut self) -> usize {
        0
    }
}
