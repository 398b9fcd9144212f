//! What another process needs so that a vector means the same there: the numbers that this one has given out.
//!
//! SOUNDNESS: a vector speaks of classes, methods, sites and strings by number and of the image by address. So the image must
//! be the same word by word, and every number that both processes have given out must stand for the same: each entry is
//! compared, and the first difference is told. Vectors are not translated: method numbers also stand in arrays (of stack
//! traces), in registers, and class numbers in the names of hidden classes. A process that has run something else before
//! makes a new `Program` for what it imports.

use crate::dynamic::sites::{SiteTables, agree};
use crate::encode::bit;
use crate::machine::{Machine, Shared};
use program::ir::Code;
use program::world::{Format, MethodId, World};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// Changes with the format of what is written.
const VERSION: u32 = 2;

/// Everything that numbers in a vector refer to.
#[derive(Serialize, Deserialize)]
struct Tables<'t> {
    version: u32,
    jdk: String,
    /// Where the image ends, and a hash of it.
    image: (u32, u128),
    #[serde(borrow)]
    world: World<'t>,
    strings: Vec<Vec<u16>>,
    adaptors: Vec<((u32, u32), MethodId)>,
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

impl Machine<'_> {
    /// Writes down what the words of vectors mean here.
    pub fn export(&self) -> Vec<u8> {
        let shared = self.shared;
        let tables = Tables {
            version: VERSION,
            jdk: shared.files.version().to_owned(),
            image: self.image_hash(),
            world: self.program.export(&FORMAT),
            strings: shared.texts(),
            adaptors: shared.adaptors.all(),
            sites: shared.sites.export(),
        };
        postcard::to_stdvec(&tables).unwrap_or_default()
    }

    /// Takes over what words mean in another process, which has booted alike and done the same as this one, as far as
    /// both have come. Afterwards vectors of that process can be decoded here. Refused where anything differs; then no
    /// vector of that process may be decoded.
    pub fn import(&self, bytes: &[u8]) -> Result<(), Disagreement> {
        let tables: Tables<'_> = postcard::from_bytes(bytes).map_err(|error| Disagreement(error.to_string()))?;
        let shared = self.shared;
        if tables.version != VERSION {
            return Err(Disagreement(format!(
                "their format is {}, not {VERSION}",
                tables.version
            )));
        }
        let jdk = shared.files.version();
        if tables.jdk != jdk {
            return Err(Disagreement(format!("the JDK is {jdk} here and {} there", tables.jdk)));
        }
        shared.agree(&tables).map_err(Disagreement)?;
        self.program
            .import(&tables.world, &FORMAT)
            .map_err(|error| Disagreement(error.to_string()))?;
        // Looked at after the rest: a class that differs says more.
        if tables.image != self.image_hash() {
            return Err(Disagreement("the start-up image is another one".to_owned()));
        }
        for units in &tables.strings {
            shared.string_number(units);
        }
        for (key, method) in tables.adaptors {
            shared.adaptors.enter(key, method);
        }
        shared.sites.import(tables.sites);
        Ok(())
    }

    /// Where the image ends, and a hash of the words of it that vectors are told against.
    fn image_hash(&self) -> (u32, u128) {
        let end = self.memory.image_end();
        let mut hash = Xxh3::new();
        for at in (0..end).filter(|&at| !bit(&self.roles.silent, at)) {
            hash.update(&self.memory.original(at).to_le_bytes());
        }
        (end, hash.digest128())
    }
}

impl Shared<'_> {
    /// The interned texts, by their numbers.
    fn texts(&self) -> Vec<Vec<u16>> {
        let texts = (0..self.string_count()).filter_map(|number| self.string_content(number));
        texts.map(|units| units.to_vec()).collect()
    }

    /// Whether no number means something here and something else there; if one does, what.
    fn agree(&self, tables: &Tables<'_>) -> Result<(), String> {
        let readable = |texts: &[Vec<u16>]| {
            texts
                .iter()
                .map(|units| String::from_utf16_lossy(units))
                .collect::<Vec<_>>()
        };
        let here = self.texts();
        if here.iter().zip(&tables.strings).any(|(one, two)| one != two) {
            agree("string", &readable(&here), &readable(&tables.strings))?;
            // They differ in units that are no characters.
            agree("string", &here, &tables.strings)?;
        }
        for &(key, there) in &tables.adaptors {
            match self.adaptors.get(key) {
                Some(here) if here != there => {
                    let name = self.program.describe(here);
                    return Err(format!(
                        "the machine's own {name} is method {here} here and {there} there"
                    ));
                }
                _ => {}
            }
        }
        self.sites.agree(&tables.sites)
    }
}
