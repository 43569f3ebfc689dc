//! The FMUs this program carries inside: their libraries, made by `build.rs`, and the declarations of their models.

use std::io::Read;
use std::sync::OnceLock;

use flate2::read::DeflateDecoder;
use macrostep_packager::{Library, PackError, Package, Platform};

use crate::catalogue;

/// A library as it was built, with what is made of it on demand.
struct Built {
    name: &'static str,
    /// The library, as a raw deflate stream.
    library: &'static [u8],
    reference_csv: Option<&'static str>,
    stored: OnceLock<Vec<u8>>,
    packed: OnceLock<Vec<u8>>,
}

/// One of the two ways to write an archive.
type Pack = fn(&Package<'_>) -> Result<Vec<u8>, PackError>;

/// How many there are.
const COUNT: usize = include!(concat!(env!("OUT_DIR"), "/count.rs"));

/// In the order of their names. A `static`, so that the libraries are in the program once.
static BUILT: [Built; COUNT] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The library of exported systems, as a raw deflate stream.
static CONTAINER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/container.library"));

/// The library that serves every exported system, for this platform.
///
/// # Errors
/// In words, where there is none.
pub fn container() -> Result<Library, String> {
    let platform = Platform::here().ok_or("FMI 2.0 has no folder for this platform")?;
    Ok(Library { platform, bytes: inflated(CONTAINER)? })
}

fn inflated(stream: &[u8]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(stream).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// The identifiers of the FMUs this program carries, in their order.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT.iter().map(|built| built.name)
}

/// The archive of the FMU of this identifier, to be loaded at once: made at the first call, not compressed.
///
/// # Panics
/// Where the declaration of a model of ours breaks a rule of FMI; the tests pack every model.
pub fn fmu(name: &str) -> Option<&'static [u8]> {
    let built = find(name)?;
    Some(built.stored.get_or_init(|| built.archive(|package| package.stored())))
}

/// The archive of the FMU of this identifier, to be written to a file: made at the first call.
///
/// # Panics
/// As [`fmu`].
pub fn packed(name: &str) -> Option<&'static [u8]> {
    let built = find(name)?;
    Some(built.packed.get_or_init(|| built.archive(|package| package.bytes())))
}

fn find(name: &str) -> Option<&'static Built> {
    BUILT.iter().find(|built| built.name == name)
}

impl Built {
    const fn new(name: &'static str, library: &'static [u8], reference_csv: Option<&'static str>) -> Built {
        Built { name, library, reference_csv, stored: OnceLock::new(), packed: OnceLock::new() }
    }

    fn archive(&self, pack: Pack) -> Vec<u8> {
        self.pack(pack).unwrap_or_else(|fault| panic!("FMU `{}`: {fault}", self.name))
    }

    fn pack(&self, pack: Pack) -> Result<Vec<u8>, String> {
        let model = catalogue::find(self.name).ok_or("there is no model of this name")?;
        let platform = Platform::here().ok_or("FMI 2.0 has no folder for this platform")?;
        let bytes = inflated(self.library)?;
        let package = Package {
            description: &model.describe(),
            equations_html: &model.documentation_html(),
            libraries: &[Library { platform, bytes }],
            reference_csv: self.reference_csv,
            resources: model.resources,
        };
        pack(&package).map_err(|e| e.to_string())
    }
}
