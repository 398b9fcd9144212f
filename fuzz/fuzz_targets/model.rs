//! Models: from text to steps.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::Model;

fuzz_target!(|text: &str| {
    if let Ok(tree) = model::parse(text) {
        for every in [false, true] {
            let _ = Model::new(&tree, every);
        }
    }
});
