//! `jdk.internal.util.SystemProps.Raw`: the system properties that a JVM gives. All are fixed, but for what the user
//! has set and where the JDK lies.

use crate::common::{Entry, jdk_class};
use machine::{Answer, Args, Machine, Trap};
use program::classfile::Constant;
use program::world::field_info;

const RAW: &str = "jdk/internal/util/SystemProps$Raw";

pub(crate) const METHODS: &[Entry] = &[
    (RAW, "platformProperties", "()[Ljava/lang/String;", platform_properties),
    (RAW, "vmProperties", "()[Ljava/lang/String;", vm_properties),
];

/// By the name of the constant that says where in the array they belong.
const PLATFORM: &[(&str, &str)] = &[
    ("_display_language_NDX", "en"),
    ("_file_encoding_NDX", "UTF-8"),
    ("_file_separator_NDX", "/"),
    ("_format_language_NDX", "en"),
    ("_java_io_tmpdir_NDX", "/tmp"),
    ("_line_separator_NDX", "\n"),
    ("_native_encoding_NDX", "UTF-8"),
    ("_os_arch_NDX", "amd64"),
    ("_os_name_NDX", "Linux"),
    ("_os_version_NDX", "6.0"),
    ("_path_separator_NDX", ":"),
    ("_stderr_encoding_NDX", "UTF-8"),
    ("_stdin_encoding_NDX", "UTF-8"),
    ("_stdout_encoding_NDX", "UTF-8"),
    ("_sun_arch_data_model_NDX", "64"),
    ("_sun_cpu_endian_NDX", "little"),
    ("_sun_io_unicode_encoding_NDX", "UnicodeLittle"),
    ("_sun_jnu_encoding_NDX", "UTF-8"),
    ("_sun_stderr_encoding_NDX", "UTF-8"),
    ("_sun_stdout_encoding_NDX", "UTF-8"),
    ("_user_dir_NDX", "/"),
    ("_user_home_NDX", "/"),
    ("_user_name_NDX", "raddle"),
];

/// The indexes differ between JDKs; the constants of the class tell them.
fn platform_properties(m: &mut Machine<'_>, _: &Args) -> Answer {
    let raw = m.program.class(jdk_class(m, RAW)?);
    let mut values = vec![0; 64];
    for field in &raw.fields {
        let name = m.program.text(field.name).clone();
        let constant = raw
            .file
            .as_ref()
            .and_then(|file| Some(file.pool.get(field_info(raw, field)?.constant_value?)));
        let Some(&Constant::Integer(index)) = constant else {
            continue;
        };
        if &*name == "FIXED_LENGTH" {
            values.truncate(index as usize);
            continue;
        }
        let value = PLATFORM.iter().find(|entry| entry.0 == &*name);
        if let (Some(&(_, value)), Some(slot)) = (value, values.get_mut(index as usize)) {
            *slot = m.new_string(value)?;
        }
    }
    Ok(m.new_references(m.known.string_array, &values)?.into())
}

fn vm_properties(m: &mut Machine<'_>, _: &Args) -> Answer {
    let files = m.shared.files;
    let feature = files.feature().to_string();
    let home = files.java_home();
    let libraries = format!("{home}/lib");
    let fixed = [
        ("java.home", home),
        ("java.vm.specification.name", "Java Virtual Machine Specification"),
        ("java.vm.specification.vendor", "Oracle Corporation"),
        ("java.vm.specification.version", &feature),
        ("java.vm.name", "Raddle"),
        ("java.vm.vendor", "Raddle"),
        ("java.vm.version", env!("CARGO_PKG_VERSION")),
        ("java.vm.info", "interpreted mode"),
        ("java.vm.compressedOopsMode", "32-bit"),
        ("jdk.debug", "release"),
        ("java.class.path", files.class_path()),
        ("java.library.path", "/usr/lib"),
        ("sun.boot.library.path", &libraries),
        ("sun.java.launcher", "SUN_STANDARD"),
        // Direct buffers take from the heap here, which says itself when it is full.
        ("sun.nio.MaxDirectMemorySize", "9223372036854775807"),
    ];
    let mut strings = Vec::new();
    let set = |m: &mut Machine<'_>, strings: &mut Vec<u32>, name: &str, value: &str| -> Result<(), Trap> {
        strings.push(m.new_string(name)?);
        strings.push(m.new_string(value)?);
        Ok(())
    };
    for (name, value) in fixed {
        if !m.shared.properties.contains_key(name) {
            set(m, &mut strings, name, value)?;
        }
    }
    for (name, value) in &m.shared.properties {
        set(m, &mut strings, name, value)?;
    }
    // A null key ends the list.
    strings.extend([0, 0]);
    Ok(m.new_references(m.known.string_array, &strings)?.into())
}
