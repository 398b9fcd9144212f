//! The JDK's image of modules: its tables and every resource.
#![no_main]

use libfuzzer_sys::fuzz_target;
use program::image::Image;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(image) = Image::from_bytes(bytes.to_vec().into(), Path::new("modules")) {
        for module in image.modules() {
            let _ = image.packages(&module);
            for resource in image.resources(&module) {
                let _ = image.find(&module, &resource);
            }
        }
    }
});
