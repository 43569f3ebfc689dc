//! Descriptions: read or refused; what was read is written and reads back as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use macrostep_description::{rules, xml};

fuzz_target!(|bytes: &[u8]| {
    let Ok(reading) = xml::read(bytes) else { return };
    let violations = rules::check(&reading.description);
    if violations.is_empty() && reading.warnings.is_empty() {
        let text = xml::write(&reading.description);
        let again = xml::read(text.as_bytes()).expect("what we write we read");
        assert_eq!(again.description, reading.description);
    }
});
