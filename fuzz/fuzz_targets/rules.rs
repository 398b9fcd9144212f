//! Rules of exclusive access, for a model that has a bit of everything. Rules for Java programs are read by the same lexer and the
//! same grammar of expressions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::Model;

const MODEL: &str = include_str!("../../fixtures/models/handed_on.rad");

fuzz_target!(|text: &str| {
    let tree = model::parse(MODEL).expect("the model is well formed");
    let mut model = Model::new(&tree, false).expect("the model is well formed");
    if let Err(error) = model.set_discipline(text) {
        let _ = error.show("rules", text);
    }
});
