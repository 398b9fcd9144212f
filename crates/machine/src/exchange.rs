//! What another process needs so that a vector means the same there: the numbers that this one has given out.

use crate::dynamic::sites::SiteTables;
use crate::machine::Shared;
use program::ir::Code;
use program::world::{Format, World};
use serde::{Deserialize, Serialize};

/// Changes with the format of what is written.
const VERSION: u32 = 1;

/// Everything that numbers in a vector refer to.
#[derive(Serialize, Deserialize)]
struct Tables<'t> {
    version: u32,
    jdk: String,
    #[serde(borrow)]
    world: World<'t>,
    strings: Vec<Vec<u16>>,
    adaptors: Vec<((u32, u32), u32)>,
    sites: SiteTables,
}

/// Why the tables of another process cannot be taken over.
#[derive(Debug)]
pub struct Disagreement(pub String);

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the tables of another process cannot be taken over: {}", self.0)
    }
}

impl std::error::Error for Disagreement {}

const FORMAT: Format = Format {
    write: |code: &Code| postcard::to_stdvec(code).unwrap_or_default(),
    read: |bytes: &[u8]| postcard::from_bytes(bytes).ok(),
};

impl Shared<'_> {
    /// Writes down what the numbers in vectors mean here.
    pub fn export(&self) -> Vec<u8> {
        let strings = (0..self.string_count()).filter_map(|number| self.string_content(number));
        let tables = Tables {
            version: VERSION,
            jdk: self.files.version().to_owned(),
            world: self.program.export(&FORMAT),
            strings: strings.map(|units| units.to_vec()).collect(),
            adaptors: self.adaptors.all(),
            sites: self.sites.export(),
        };
        postcard::to_stdvec(&tables).unwrap_or_default()
    }

    /// Takes over what the numbers mean in another process, which has done all that this one has done so far and more.
    /// Afterwards vectors of that process can be decoded here.
    pub fn import(&self, bytes: &[u8]) -> Result<(), Disagreement> {
        let tables: Tables<'_> = postcard::from_bytes(bytes).map_err(|error| Disagreement(error.to_string()))?;
        if tables.version != VERSION || tables.jdk != self.files.version() {
            return Err(Disagreement("they are of another version".to_owned()));
        }
        self.program
            .import(&tables.world, &FORMAT)
            .map_err(|error| Disagreement(error.to_string()))?;
        let mut agree = true;
        for (number, units) in (0..).zip(&tables.strings) {
            agree &= self.string_number(units) == Some(number);
        }
        for (key, method) in tables.adaptors {
            agree &= self.adaptors.enter(key, method) == method;
        }
        agree &= self.sites.import(tables.sites);
        if agree {
            Ok(())
        } else {
            Err(Disagreement("the same numbers mean other things".to_owned()))
        }
    }
}
