//! The identity of a declaration.

use crate::ModelDescription;

/// A GUID that is a hash (FNV-1a, 128 bits) of the whole description except the GUID itself, so that a library and an
/// XML file of different declarations never have the same one. The form is `{8-4-4-4-12}` hexadecimal digits.
pub fn guid_of(description: &ModelDescription) -> String {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut bare = description.clone();
    bare.guid.clear();
    // The written XML is the form that readers see: the names of Rust fields are no part of it, and reals have round-trip
    // digits.
    let h = crate::xml::write(&bare).bytes().fold(OFFSET, |h, b| (h ^ u128::from(b)).wrapping_mul(PRIME));
    let x = format!("{h:032x}");
    format!("{{{}-{}-{}-{}-{}}}", &x[..8], &x[8..12], &x[12..16], &x[16..20], &x[20..])
}
