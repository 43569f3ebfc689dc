//! The seam between the command line and the master: options in, outcome out.

use std::time::Instant;

use macrostep_oscillator::Monolithic;

use crate::failure::Failure;
use crate::options::OscillatorOptions;
use crate::outcome::{Outcome, Recorder};

/// Runs one scenario; `progress` is told from time to time how many macro points were done since the last time.
///
/// PLACEHOLDER. There is no co-simulation here yet: both masses are integrated as one system by equation (7) with h = H, whatever
/// coupling, schedule, predictor, corrector and units are asked for, and `units` says so. The master takes this
/// function's place; nothing else knows what runs.
///
/// # Errors
/// [`Failure::Run`] with the unit, call and time where the run failed.
pub fn run(options: &OscillatorOptions, progress: &mut dyn FnMut(u64)) -> Result<Outcome, Failure> {
    let refused = |error| Failure::Usage(format!("{error}"));
    let mut recorder = Recorder::new(options).map_err(refused)?;
    let states = Monolithic::new(&options.parameters, options.step_s).map_err(refused)?;

    let begin = Instant::now();
    for (n, z) in (0..=options.steps()).zip(states) {
        recorder.point(&z, options.parameters.coupling_force(&z));
        if n % 1024 == 1023 {
            progress(1024);
        }
    }
    let wall_s = begin.elapsed().as_secs_f64();
    Ok(recorder.finish([options.steps(); 2], wall_s, "monolithic (placeholder, no co-simulation)".to_owned()))
}
