//! Descriptions of FMI 2.0 and 3.0: read or refused; what was read of FMI 2.0 is written and reads back as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrostep_description::{rules, xml};

fuzz_target!(|bytes: &[u8]| {
    let Ok(reading) = xml::read(bytes) else { return };
    let violations = rules::check(&reading.description);
    if violations.is_empty() && reading.warnings.is_empty() && reading.description.fmi3.is_none() {
        let text = xml::write(&reading.description);
        let again = xml::read(text.as_bytes()).expect("what we write we read");
        assert_eq!(again.description, reading.description);
    }
});
