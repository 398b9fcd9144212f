//! Class files: reading one, and lowering each of its methods with the verifier on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use program::classfile::ClassFile;
use program::lower::{Rules, lower};

/// Every class is like every other.
struct Agreeable;

impl Rules for Agreeable {
    fn assignable(&self, _from: &str, _to: &str) -> Result<bool, String> {
        Ok(true)
    }

    fn trusted(&self) -> bool {
        false
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = ClassFile::parse(bytes.to_vec().into()) {
        for method in &file.methods {
            let _ = lower(&file, method, &Agreeable);
        }
    }
});
