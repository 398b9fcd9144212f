//! The program's standard streams, tied to ours.

use driver::Console;
use std::io::{IsTerminal, Read, Write};

/// Passes bytes on as they come.
#[derive(Default)]
pub struct Host {
    /// Input that was read ahead.
    pending: Vec<u8>,
}

impl Console for Host {
    fn write(&mut self, stream: u32, bytes: &[u8]) {
        // A closed pipe is the reader's business; the program does not notice, as under `java`.
        let _ = match stream {
            2 => std::io::stderr().write_all(bytes),
            _ => {
                let mut out = std::io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
        };
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        if self.pending.is_empty() {
            return std::io::stdin().lock().read(buffer).unwrap_or(0);
        }
        let count = buffer.len().min(self.pending.len());
        buffer[..count].copy_from_slice(&self.pending[..count]);
        self.pending.drain(..count);
        count
    }

    fn available(&mut self) -> usize {
        // What a pipe or a file holds is read ahead; on a terminal nothing is there before the user has typed it.
        if self.pending.is_empty() && !std::io::stdin().is_terminal() {
            let mut chunk = [0; 8192];
            let count = std::io::stdin().lock().read(&mut chunk).unwrap_or(0);
            self.pending.extend_from_slice(&chunk[..count]);
        }
        self.pending.len()
    }
}
