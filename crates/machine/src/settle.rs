//! Filling caches of the library before the search begins, so that threads which share them only read them.
//!
//! What is filled is listed here, and nothing else. SOUNDNESS: no program can tell whether such a cache is filled. It is private to the
//! library; it is keyed by values of the library's own (a locale), so that what the program changes later (the default locale) only
//! means that another entry is used; to fill it runs no code of the program's, and changes nothing that can be asked for, no
//! system property among it. What the library reads for it is the same for the whole run: files of the JDK, and system properties, so
//! nothing is filled for a program that may set these. That the default of a locale is taken from them early is no difference then.

use crate::machine::Machine;
use program::world::{ClassId, LoaderId};
use std::collections::BTreeSet;

/// A static method that fills a cache.
struct Filled {
    /// Its class, whose use shows that the cache will be used.
    class: &'static str,
    name: &'static str,
    /// What it takes: nothing, or the default locale.
    takes_locale: bool,
    returns: &'static str,
}

const FILLED: [Filled; 4] = [
    // Which classes know about numbers and dates in the default locale, and what is in their resource bundles.
    // `String.format` asks for it at each number.
    Filled {
        class: "java/text/DecimalFormatSymbols",
        name: "getInstance",
        takes_locale: false,
        returns: "Ljava/text/DecimalFormatSymbols;",
    },
    Filled {
        class: "java/text/NumberFormat",
        name: "getInstance",
        takes_locale: false,
        returns: "Ljava/text/NumberFormat;",
    },
    Filled {
        class: "java/text/DateFormatSymbols",
        name: "getInstance",
        takes_locale: false,
        returns: "Ljava/text/DateFormatSymbols;",
    },
    // In newer JDKs, the symbols of the locale that was used last, in a plain static field which nobody else has.
    Filled {
        class: "java/util/Formatter",
        name: "getDecimalFormatSymbols",
        takes_locale: true,
        returns: "Ljava/text/DecimalFormatSymbols;",
    },
];

impl Machine<'_> {
    /// Fills the caches behind these classes, which are initialised; `false` if that fails or starts a thread.
    pub(crate) fn fill_caches(&mut self, used: &BTreeSet<ClassId>) -> bool {
        FILLED.iter().all(|filled| self.fill_cache(filled, used).is_some())
    }

    fn fill_cache(&mut self, filled: &Filled, used: &BTreeSet<ClassId>) -> Option<()> {
        let takes = if filled.takes_locale { "Ljava/util/Locale;" } else { "" };
        let descriptor = format!("({takes}){}", filled.returns);
        let is_filled = |id: &&ClassId| *self.program.class(**id).name == *filled.class;
        let found = used.iter().find(is_filled);
        let Some(method) = found.and_then(|&id| self.program.find_method(id, filled.name, &descriptor)) else {
            return Some(());
        };
        let mut arguments = Vec::new();
        if filled.takes_locale {
            let locale = self.program.load(LoaderId::BOOT, "java/util/Locale").ok()?;
            let default = self.program.find_method(locale, "getDefault", "()Ljava/util/Locale;")?;
            arguments.push(self.call_and_wait(default, &[]).ok()?);
        }
        self.call_and_wait(method, &arguments).ok()?;
        (self.live_threads().len() == 1).then_some(())
    }
}
