//! The library of an FMU of FMI 3.0.

use std::ffi::{CStr, c_void};
use std::path::Path;

use macrostep_fmi3::Functions;

use super::super::library::{Loaded, Opened};
use super::super::{Fault, Fmu};

impl Loaded<Functions> {
    /// Loads the library of `model_identifier` from an unpacked FMU.
    pub(in crate::fmu) fn load_3(folder: &Path, model_identifier: &str, fmu: &Fmu) -> Result<Loaded<Functions>, Fault> {
        let opened = Opened::of(folder, model_identifier, fmu)?;
        let lookup = |name: &'static CStr| -> *const c_void { opened.symbol(name) };
        // SAFETY: a library of an FMU exports functions of the types in the FMI headers under these names (FMI 3.0.2, section 2.2.2); that they
        // outlive the table is what `Loaded` is for.
        let functions = match unsafe { Functions::load(lookup) } {
            Ok(functions) => functions,
            Err(missing) => return Err(Fault::Missing { library: opened.shown, missing }),
        };
        let warnings = warnings(&functions, &opened.shown);
        Ok(opened.with(functions, warnings))
    }
}

/// What the library says of its version, where that is another one.
fn warnings(functions: &Functions, library: &str) -> Vec<String> {
    let Some(version) = functions.get_version else { return vec![format!("library `{library}` lacks fmi3GetVersion")] };
    // SAFETY: takes nothing, and may be called before anything else (FMI 3.0.2, section 2.2.5).
    let answer = unsafe { version() };
    let found = if answer.is_null() {
        "NULL".to_owned()
    } else {
        // SAFETY: not NULL, and a zero-terminated string of the library by the standard.
        unsafe { CStr::from_ptr(answer) }.to_string_lossy().into_owned()
    };
    let is_right = found == "3.0" || found.starts_with("3.0.");
    if is_right {
        Vec::new()
    } else {
        vec![format!("library `{library}`: fmi3GetVersion returned `{found}`, expected `3.0`")]
    }
}
