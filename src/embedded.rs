//! The FMUs this program carries inside, made by `build.rs`.

/// Name and archive of every FMU, in the order of [`crate::catalogue::all`].
pub const FMUS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The archive of the FMU of this name, without `.fmu`.
pub fn fmu(name: &str) -> Option<&'static [u8]> {
    FMUS.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}
