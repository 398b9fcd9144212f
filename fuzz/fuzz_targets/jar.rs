//! Jars: the directory, the manifest and every entry.
#![no_main]

use libfuzzer_sys::fuzz_target;
use program::archive::Archive;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(archive) = Archive::from_bytes(bytes.to_vec().into(), "fuzz.jar".into(), 17) {
        let _ = (archive.main_class(), archive.class_path());
        for entry in archive.entries() {
            let _ = archive.find(&entry);
        }
    }
});
