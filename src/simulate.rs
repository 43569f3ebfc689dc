//! From options to a coupled pair.

use macrostep::factory;
use macrostep::pair::{self, Outcome, Pair, Resumed, Witness};
use macrostep_master::RunError;

use crate::failure::Failure;
use crate::options::OscillatorOptions;
use crate::slaves;
use crate::terms::Units;

/// Runs one scenario; `progress` is told from time to time how many macro points were done since the last time.
///
/// # Errors
/// [`Failure::Run`] with the unit, call and time where the run failed.
pub fn run(options: &OscillatorOptions, progress: &mut dyn FnMut(u64)) -> Result<Outcome, Failure> {
    with_units(options, |units| pair::run(&pair_of(options), units, options.record_every, progress))
}

/// As [`run`], watched, and continuing a run where there is one.
///
/// # Errors
/// As [`run`].
pub fn watched(
    options: &OscillatorOptions,
    witness: &mut dyn Witness,
    resumed: Option<Resumed>,
) -> Result<Outcome, Failure> {
    with_units(options, |units| pair::watched(&pair_of(options), units, options.record_every, witness, resumed))
}

/// Calls `run` with the source of units the options ask for.
fn with_units(
    options: &OscillatorOptions,
    run: impl FnOnce(pair::Factory<'_>) -> Result<Outcome, RunError>,
) -> Result<Outcome, Failure> {
    let isolation = slaves::isolation(&options.slaves)?;
    let isolated = |model: &str, name: &str| match &isolation {
        Some(isolation) => factory::isolated(isolation, model, name),
        None => factory::fmu(model, name),
    };
    let units: pair::Factory<'_> = match options.units {
        Units::Fmu => &isolated,
        Units::Native => &factory::native,
    };
    run(units).map_err(|e| Failure::Run(e.to_string()))
}

/// The pair that the options describe.
fn pair_of(options: &OscillatorOptions) -> Pair {
    let scheme = options.scheme();
    let shares = scheme.shares(2);
    Pair {
        parameters: options.parameters,
        coupling: options.coupling,
        method: scheme.method(2),
        step_s: options.step_s,
        shares: [shares[0], shares[1]],
        micro_step_s: (options.micro_s != options.macro_s).then_some(options.micro_s[0]),
        integrator: options.integrator,
        start: options.start,
        bond: true,
        stop_s: options.stop_s,
    }
}
