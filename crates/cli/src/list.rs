//! `raddle list`.

use crate::publish::print;
use driver::Failure;
use kernel::Property;
use reduction::REDUCTIONS;

/// Names reductions and properties, with a line each.
pub fn list() -> Result<u8, Failure> {
    let mut text = "reductions (--reduce):\n".to_owned();
    for entry in REDUCTIONS {
        text.push_str(&format!("  {:<14} {}\n", entry.name, entry.summary));
    }
    text.push_str("\nproperties (--property), those with * unless you say otherwise:\n");
    for property in Property::ALL {
        let star = if property.is_default() { '*' } else { ' ' };
        text.push_str(&format!(" {star}{:<10} {}\n", property.name(), property.summary()));
    }
    print(&text)?;
    Ok(0)
}
