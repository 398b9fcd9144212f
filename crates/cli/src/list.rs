//! `raddle list`.

use crate::Failure;
use crate::check::REDUCTIONS;
use kernel::Property;

/// Names reductions and properties, with a line each.
pub fn list() -> Result<u8, Failure> {
    println!("reductions (--reduce):");
    for (name, summary) in REDUCTIONS {
        println!("  {name:<10} {summary}");
    }
    println!("\nproperties (--property), those with * unless you say otherwise:");
    for property in Property::ALL {
        let star = if property.is_default() { '*' } else { ' ' };
        println!(" {star}{:<10} {}", property.name(), property.summary());
    }
    Ok(0)
}
