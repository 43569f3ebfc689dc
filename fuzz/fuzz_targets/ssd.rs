//! System structures: read or refused, never more than the file's own folder opened.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use macrostep_system::{ssp, toml};

fuzz_target!(|bytes: &[u8]| {
    // A folder that is not there: nothing a file refers to is found, and nothing of this machine is read.
    let folder = Path::new("/nonexistent/folder/of/a/description");
    let Ok(document) = ssp::read_ssd(bytes, "s.ssd", folder) else { return };
    for finding in &document.findings {
        assert!(!finding.what.is_empty());
    }
    // What it says can be written as TOML, and reads back.
    let written = toml::write(&document.scenario);
    if let Err(finding) = toml::read(&written, "s.toml", folder) {
        let named = document.scenario.units.iter().all(|u| !u.name.is_empty() && !u.name.contains('.'));
        assert!(!named, "what we write we read: {finding}\n{written}");
    }
});
