//! `raddle list`.

use crate::Failure;
use kernel::Property;
use reduction::REDUCTIONS;

/// Names reductions and properties, with a line each.
pub fn list() -> Result<u8, Failure> {
    println!("reductions (--reduce):");
    for entry in REDUCTIONS {
        println!("  {:<14} {}", entry.name, entry.summary);
    }
    println!("\nproperties (--property), those with * unless you say otherwise:");
    for property in Property::ALL {
        let star = if property.is_default() { '*' } else { ' ' };
        println!(" {star}{:<10} {}", property.name(), property.summary());
    }
    Ok(0)
}
