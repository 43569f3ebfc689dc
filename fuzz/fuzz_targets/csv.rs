//! CSV: files of inputs and of results.
#![no_main]

use std::sync::LazyLock;

// The program's own reader, without the program: that would bring all FMUs with it.
#[allow(dead_code)]
#[path = "../../cli/input.rs"]
mod input;
#[allow(dead_code)]
#[path = "../../cli/values.rs"]
mod values;

use input::Input;
use libfuzzer_sys::fuzz_target;
use macrostep_description::ModelDescription;
use macrostep_master::record::Trace;

static DESCRIPTION: LazyLock<ModelDescription> =
    LazyLock::new(|| macrostep_models::find("oscillator1_force").expect("a model").describe());

fuzz_target!(|bytes: &[u8]| {
    let _ = Input::read(bytes, &DESCRIPTION);
    if let Ok(trace) = Trace::read(bytes) {
        let mut file = Vec::new();
        if trace.write(&mut file).is_ok() {
            let again = Trace::read(file.as_slice()).expect("what we write we read");
            let bits = |t: &Trace| t.rows().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
            let is_nan = |t: &Trace| t.rows().flatten().any(|x| x.is_nan());
            assert!(is_nan(&trace) || bits(&trace) == bits(&again));
        }
    }
});
