//! Archives: opened or refused, never more unpacked than allowed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrostep_import::fmu::{Fmu, Limits};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { entries_max: 64, total_bytes_max: 1 << 20, ..Limits::default() };
    if let Ok(fmu) = Fmu::with_limits("fuzzed.fmu", bytes, &limits) {
        assert!(fmu.folder().join("modelDescription.xml").is_file());
        let parent = fmu.folder().parent().expect("a folder is somewhere");
        assert!(!parent.join("modelDescription.xml").exists(), "unpacked outside its folder");
    }
});
