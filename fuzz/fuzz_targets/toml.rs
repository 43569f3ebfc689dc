//! Scenarios: read or refused with a place; what was read is written and reads back as the same.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use macrostep_system::{Scenario, toml};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let read = |text: &str| toml::read(text, "s.toml", Path::new("."));
    match read(text) {
        Ok(scenario) => {
            let written = toml::write(&scenario);
            let again = read(&written).unwrap_or_else(|e| panic!("what we write we read: {e}\n{written}"));
            // NaN is not equal to itself.
            assert!(again == scenario || format!("{again:?}").contains("NaN"), "{written}");
            for unit in &scenario.units {
                let _ = Scenario::settings(&scenario, &unit.name);
            }
        }
        Err(finding) => assert!(finding.place.line > 0 && !finding.what.is_empty(), "{finding}"),
    }
});
