//! CSV: files of inputs and of results.
#![no_main]

use std::sync::LazyLock;

// The program's own reader, without the program: that would bring all FMUs with it.
#[allow(dead_code)]
#[path = "../../crates/answers/src/input.rs"]
mod input;
#[allow(dead_code)]
#[path = "../../crates/answers/src/values.rs"]
mod values;

use input::Input;
use libfuzzer_sys::fuzz_target;
use macrostep_description::ModelDescription;
use macrostep_master::record::Trace;
use macrostep_run::{read_trace, write_trace};

static DESCRIPTION: LazyLock<ModelDescription> =
    LazyLock::new(|| macrostep_models::find("oscillator1_force").expect("a model").describe());

fuzz_target!(|bytes: &[u8]| {
    let _ = Input::read(bytes, &DESCRIPTION);
    if let Ok(trace) = read_trace(bytes) {
        let mut file = Vec::new();
        if write_trace(&trace, &mut file).is_ok() {
            let again = read_trace(file.as_slice()).expect("what we write we read");
            let bits = |t: &Trace| t.rows().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
            let is_nan = |t: &Trace| t.rows().flatten().any(|x| x.is_nan());
            assert!(is_nan(&trace) || bits(&trace) == bits(&again));
        }
    }
});
