//! Classes that the program needs and that are not on its class path.
//!
//! The JVM tells of these by an error in the program. Whoever forgot a jar looks for no defect in the program, so an error of
//! this kind that no code takes is no violation: the program is not whole, and what it would do is unknown.

use crate::machine::Machine;
use crate::memory::Address;
use kernel::{Obstacle, Unsupported};
use program::world::{LoadError, LoaderId};

/// How many causes of an exception are looked at: chains may be circles.
const CAUSES: usize = 16;

impl Machine<'_> {
    /// What is missing, if an exception that leaves the code of a thread was caused by that.
    pub(crate) fn missing_class(&mut self, thread: Address, exception: Address) -> Option<Unsupported> {
        let mut cause = exception;
        for _ in 0..CAUSES {
            if let Some(name) = self.class_not_found(cause) {
                if self.is_handled(thread) {
                    return None;
                }
                let frame = self.thrown_at(cause).map(|(method, bci)| self.frame(method, bci));
                return Some(Unsupported {
                    what: format!("class {name} is not on the class path"),
                    place: frame.map_or(String::new(), |frame| format!("{}:{}", frame.file, frame.line)),
                    obstacle: Obstacle::Input,
                });
            }
            let next = self
                .field_named(cause, "cause")
                .map_or(0, |cell| self.memory.load(cell.at));
            if next == 0 || next == cause {
                return None;
            }
            cause = next;
        }
        None
    }

    /// The class that was not found where this is the JVM's error for that. A class loader of the program's own may have had
    /// its reasons, so the class must be missing for the JDK's.
    fn class_not_found(&self, exception: Address) -> Option<String> {
        const ERROR: &str = "java/lang/NoClassDefFoundError";
        if *self.program.class(self.class_of(exception)).name != *ERROR {
            return None;
        }
        let message = self.memory.load(self.field_named(exception, "detailMessage")?.at);
        if message == 0 {
            return None;
        }
        let name = self.text(message);
        let is_missing = matches!(self.program.load(LoaderId::APP, &name), Err(LoadError::NotFound(_)));
        is_missing.then(|| name.replace('/', "."))
    }
}
