//! Names as small numbers, so that looking a member up compares integers.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use super::table::Table;

/// An interned name or descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

/// All names seen so far.
pub struct Names {
    by_text: RwLock<HashMap<Arc<str>, Symbol>>,
    texts: Table<Arc<str>>,
}

impl Names {
    /// No names yet.
    pub fn new() -> std::io::Result<Names> {
        Ok(Names {
            by_text: RwLock::default(),
            texts: Table::new(1 << 22)?,
        })
    }

    /// The symbol of a text.
    ///
    /// # Panics
    /// After four million different names, more than any program has.
    pub fn intern(&self, text: &str) -> Symbol {
        if let Some(symbol) = self.find(text) {
            return symbol;
        }
        let mut by_text = self.by_text.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(symbol) = by_text.get(text) {
            return *symbol;
        }
        let owned: Arc<str> = text.into();
        let symbol = Symbol(self.texts.push_with(|_| owned.clone()).expect("too many names"));
        by_text.insert(owned, symbol);
        symbol
    }

    /// The symbol of a text that was interned before.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.by_text
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .get(text)
            .copied()
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &Arc<str> {
        self.texts.get(symbol.0)
    }
}
