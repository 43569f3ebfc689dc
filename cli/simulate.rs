//! From options to a coupled pair.

use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::pair::{self, Compared, Outcome, Pair, build};
use macrostep_master::{RunError, Simulation};

use crate::failure::Failure;
use crate::options::OscillatorOptions;
use crate::slaves::{self, SlaveArguments};
use crate::terms::Units;

/// Runs one scenario.
///
/// # Errors
/// [`Failure::Run`] with the unit, call and time where the run failed.
pub fn run(options: &OscillatorOptions) -> Result<Outcome, Failure> {
    units(options, |units| pair::run(&pair_of(options), units, options.record_every))
}

/// One scenario at its start.
///
/// # Errors
/// As [`run`].
pub fn compared(options: &OscillatorOptions) -> Result<Compared, Failure> {
    units(options, |units| Compared::new(&pair_of(options), units, options.record_every))
}

/// A simulation at its start, with the macro step divided by this number; `None` where the units cannot be run so.
pub fn divided(options: &OscillatorOptions, parts: f64) -> Option<Simulation> {
    let pair = Pair { step_s: options.step_s / parts, ..pair_of(options) };
    Some(units(options, |units| build(&pair, units)).ok()?.simulation)
}

fn units<T>(
    options: &OscillatorOptions,
    run: impl FnOnce(models::Factory<'_>) -> Result<T, RunError>,
) -> Result<T, Failure> {
    with_units(options.units, &options.slaves, run)
}

/// Calls `run` with the source of units that is asked for.
///
/// # Errors
/// Those of `run`, and a limit that is none.
pub fn with_units<T>(
    units: Units,
    slaves: &SlaveArguments,
    run: impl FnOnce(models::Factory<'_>) -> Result<T, RunError>,
) -> Result<T, Failure> {
    let isolation = slaves::isolation(slaves)?;
    let isolated = |model: &str, name: &str| match &isolation {
        Some(isolation) => factory::isolated(isolation, model, name),
        None => factory::fmu(model, name),
    };
    let units: models::Factory<'_> = match units {
        Units::Fmu => &isolated,
        Units::Native => &models::native,
    };
    run(units).map_err(Failure::run)
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
        force: options.force.as_ref().map(|forces| forces.force.clone()),
        stop_s: options.stop_s,
    }
}
