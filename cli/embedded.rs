//! The FMUs this program carries inside: their libraries, made by `build.rs`, and the declarations of their models.

use std::sync::OnceLock;

use macrostep_packager::{Fmi, Library, PackError, Package, Platform};
#[cfg(feature = "full")]
use zstd_safe::{DCtx, get_error_name, get_frame_content_size};

use macrostep_analysis::catalogue;

/// A library as it was built, with what is made of it on demand.
struct Built {
    name: &'static str,
    /// The FMU whose library is the dictionary of this one; [`BASE`] is where there is none.
    dictionary: Option<&'static str>,
    /// The library, compressed.
    library: &'static [u8],
    /// The reference results, compressed; nothing where there are none.
    reference: &'static [u8],
    stored: OnceLock<Vec<u8>>,
    packed: OnceLock<Vec<u8>>,
}

/// One of the two ways to write an archive.
type Pack = fn(&Package<'_>) -> Result<Vec<u8>, PackError>;

/// How many there are.
const COUNT: usize = include!(concat!(env!("OUT_DIR"), "/count.rs"));

/// The library whose code the others repeat.
static BASE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/base.library"));

/// In the order of their names. A `static`, so that the libraries are in the program once.
static BUILT: [Built; COUNT] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The library of exported systems, compressed with the dictionary [`BASE`].
#[cfg(feature = "full")]
static CONTAINER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/container.library"));

/// The program beside it, compressed in the same way; nothing elsewhere than on Linux.
#[cfg(feature = "full")]
static SLAVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/slave.program"));

/// The library that serves every exported system, for this platform.
///
/// # Errors
/// In words, where there is none.
#[cfg(feature = "full")]
pub fn container() -> Result<Library, String> {
    let platform = Platform::here().ok_or("FMI 2.0 has no folder for this platform")?;
    Ok(Library { platform, bytes: expanded(CONTAINER, BASE)? })
}

/// The program that serves the FMUs of exported systems in processes of their own; `None` where there are none of these.
///
/// # Errors
/// In words, where it cannot be expanded.
#[cfg(feature = "full")]
pub fn slave_program() -> Result<Option<Vec<u8>>, String> {
    expanded(SLAVE, BASE).map(|bytes| Some(bytes).filter(|bytes| !bytes.is_empty()))
}

/// The identifiers of the FMUs this program carries, in their order.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT.iter().map(|built| built.name)
}

/// The identifiers of the FMUs that this build leaves out, and the feature `full` has.
pub const ABSENT: &[&str] = include!(concat!(env!("OUT_DIR"), "/absent.rs"));

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

/// The same for a version of FMI, with libraries for more platforms; one for the platform of this program takes the place of the carried one.
///
/// # Errors
/// Where a library is not for its platform, in words.
pub fn packed_for(name: &str, fmi: Fmi, libraries: Vec<Library>) -> Option<Result<Vec<u8>, String>> {
    let pack: Pack = match fmi {
        Fmi::Two => |package| package.bytes(),
        Fmi::Three => |package| package.bytes_of(Fmi::Three),
    };
    Some(find(name)?.pack(libraries, pack))
}

fn find(name: &str) -> Option<&'static Built> {
    BUILT.iter().find(|built| built.name == name)
}

impl Built {
    const fn new(
        name: &'static str,
        dictionary: Option<&'static str>,
        library: &'static [u8],
        reference: &'static [u8],
    ) -> Built {
        Built { name, dictionary, library, reference, stored: OnceLock::new(), packed: OnceLock::new() }
    }

    /// The library as it was built.
    fn library(&self) -> Result<Vec<u8>, String> {
        match self.dictionary.and_then(find) {
            Some(other) => expanded(self.library, &other.library()?),
            None => expanded(self.library, BASE),
        }
    }

    fn archive(&self, pack: Pack) -> Vec<u8> {
        self.pack(Vec::new(), pack).unwrap_or_else(|fault| panic!("FMU `{}`: {fault}", self.name))
    }

    fn pack(&self, mut libraries: Vec<Library>, pack: Pack) -> Result<Vec<u8>, String> {
        let model = catalogue::find(self.name).ok_or("there is no model of this name")?;
        let platform = Platform::here().ok_or("FMI 2.0 has no folder for this platform")?;
        if libraries.iter().all(|library| library.platform != platform) {
            libraries.push(Library { platform, bytes: self.library()? });
        }
        let reference = String::from_utf8(expanded(self.reference, &[])?).map_err(|e| e.to_string())?;
        let package = Package {
            description: &model.describe(),
            equations_html: &model.documentation_html(),
            libraries: &libraries,
            reference_csv: Some(reference.as_str()).filter(|text| !text.is_empty()),
            resources: model.resources,
        };
        pack(&package).map_err(|e| e.to_string())
    }
}

/// What the build script has put in as it is.
#[cfg(not(feature = "full"))]
fn expanded(frame: &[u8], _: &[u8]) -> Result<Vec<u8>, String> {
    Ok(frame.to_vec())
}

/// What a frame of the build script was before it was compressed with `dictionary`.
#[cfg(feature = "full")]
fn expanded(frame: &[u8], dictionary: &[u8]) -> Result<Vec<u8>, String> {
    let length = get_frame_content_size(frame).ok().flatten().ok_or("a frame that does not say its length")?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).map_err(|e| e.to_string())?);
    let failed = |code| get_error_name(code).to_owned();
    let mut context = DCtx::create();
    context.ref_prefix(dictionary).map_err(failed)?;
    context.decompress(&mut bytes, frame).map_err(failed)?;
    Ok(bytes)
}
