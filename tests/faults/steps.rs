//! Every model makes a step of any length in bounded time, or refuses it with the found and the expected length.

use std::time::{Duration, Instant};

use macrostep_analysis::catalogue;
use macrostep_description::{Causality, Variable};
use macrostep_models::ModelEntry;

/// Step sizes that make sense nowhere, or for few models, s.
const STEPS_S: [f64; 9] = [1e-300, 1e-12, 10.0, 1e6, 1e12, 1e100, 1e300, f64::INFINITY, f64::NAN];
/// Longer than this is a hang. A million micro steps of the dearest model on a busy machine are within it; a model takes a hundred times as many, not
/// the ten thousand million of 1e6 s.
const PATIENCE: Duration = Duration::from_secs(60);

/// One step from a fresh instance; `None` where it was made, with finite outputs, else the message.
fn answer(model: &ModelEntry, step_s: f64) -> Option<String> {
    let mut slave = model.instantiate("steps");
    slave.setup_experiment(0.0, None, None).expect("set up");
    slave.enter_initialization().expect("entered");
    slave.exit_initialization().expect("left");
    if let Err(fault) = slave.do_step(0.0, step_s, true) {
        return Some(fault.to_string());
    }
    let variables = slave.description().variables.iter();
    let is_output = |v: &&Variable| v.causality == Causality::Output && v.real().is_some();
    let outputs: Vec<u32> = variables.filter(is_output).map(|v| v.value_reference).collect();
    let mut values = vec![0.0; outputs.len()];
    match slave.get_real(&outputs, &mut values) {
        Ok(()) => assert!(values.iter().all(|x| x.is_finite()), "{}, {step_s} s: {values:?}", model.identifier),
        Err(fault) => return Some(fault.to_string()),
    }
    None
}

fn check(model: &ModelEntry) {
    for step_s in STEPS_S {
        let began = Instant::now();
        let message = answer(model, step_s);
        assert!(began.elapsed() < PATIENCE, "{}, {step_s} s: {:?}", model.identifier, began.elapsed());
        match message {
            None => assert!(step_s.is_finite(), "{} made a step of {step_s} s", model.identifier),
            Some(what) => {
                let says_it = what.contains(" found, expected ") || what.contains("left the finite numbers");
                assert!(says_it, "{}, {step_s} s: {what}", model.identifier);
            }
        }
    }
}

#[test]
fn every_model_answers_a_step_of_any_length() {
    let models = catalogue::all();
    assert_eq!(models.len(), 30);
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(model) = models.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    check(model);
                }
            });
        }
    });
}
