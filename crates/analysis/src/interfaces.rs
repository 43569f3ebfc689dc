//! The interfaces of a system that runs with the advised scheme: power, frequencies, loop gain.

use super::advise::{Candidate, Question};
use super::scenario::{Benchmark, Setup};
use super::signal::{frequencies, rms};
use crate::models::Factory;
use crate::scheme::{Control, Correct, Predict, Schedule, Scheme};
use macrostep_description::ModelDescription;
use macrostep_master::{RunError, loop_gain};
use std::time::Instant;

/// One interface, as measured in a run of the scheme advised.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Connection {
    /// Unit, effort and flow.
    pub name: String,
    /// Largest power through the interface \[W\].
    pub power_max_w: f64,
    /// Root mean square of the power \[W\].
    pub power_rms_w: f64,
    /// Strongest frequency of the flow \[Hz\].
    pub frequency_hz: Option<f64>,
    /// Frequency below which 99 % of the flow's power lies \[Hz\].
    pub frequency_99_hz: Option<f64>,
}

/// Capabilities of a unit.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Capabilities {
    /// Name of the unit.
    pub unit: String,
    /// `canInterpolateInputs`.
    pub interpolates_inputs: bool,
    /// `maxOutputDerivativeOrder`.
    pub output_derivatives: u32,
    /// `canGetAndSetFMUstate`: implicit coupling.
    pub rollback: bool,
    /// `providesDirectionalDerivative`.
    pub directional_derivatives: bool,
}

impl Capabilities {
    /// Capabilities that a unit declares.
    pub fn of(name: &str, description: &ModelDescription) -> Self {
        let co = description.co_simulation.as_ref();
        Capabilities {
            unit: name.to_owned(),
            interpolates_inputs: co.is_some_and(|c| c.can_interpolate_inputs),
            output_derivatives: co.map_or(0, |c| c.max_output_derivative_order),
            rollback: co.is_some_and(|c| c.can_get_and_set_fmu_state),
            directional_derivatives: co.is_some_and(|c| c.provides_directional_derivative),
        }
    }
}

/// Power and frequency content at every interface, none where there is no time for it, and what units can do.
pub(super) fn observe(
    scenario: &dyn Benchmark,
    best: &Candidate,
    (question, until): (&Question, Option<Instant>),
) -> Result<(Option<Vec<Connection>>, Vec<Capabilities>), RunError> {
    /// Samples a frequency content is taken from, at most: it is worked out the plain way.
    const SAMPLES_MAX: u64 = 1000;
    let is_late = || until.is_some_and(|until| Instant::now() > until);
    if is_late() {
        return Ok((None, scenario.capabilities()));
    }
    // Steps of one length, so that a frequency means something.
    let (scheme, step_s) = (&Scheme { control: Control::Fixed, ..best.scheme }, best.step_s);
    let setup = Setup::new(scheme, step_s, &question.factory);
    let mut coupled = scenario.couple(&setup)?;
    if coupled.bonds.is_empty() {
        return Ok((Some(Vec::new()), scenario.capabilities()));
    }
    // Behind what is recorded already: efforts and flow of each.
    let mut first = coupled.simulation.columns().len();
    for bond in &coupled.bonds {
        for variable in bond.efforts.iter().map(|(effort, _)| effort).chain([&bond.flow]) {
            coupled.simulation.record(bond.unit, variable, variable)?;
        }
    }
    // The run, with as many samples as a frequency content takes. One that is not done in time says nothing of its interfaces.
    let windows = (question.stop_s / step_s).round() as u64;
    let every = windows.div_ceil(SAMPLES_MAX).max(1);
    let (mut rows, mut made) = (Rows::default(), 0u64);
    coupled.simulation.observe(&mut rows)?;
    let done = coupled.simulation.follow(windows, |simulation| {
        made += 1;
        if made.is_multiple_of(every) {
            simulation.observe(&mut rows)?;
        }
        Ok(!is_late())
    })?;
    if done < windows {
        return Ok((None, scenario.capabilities()));
    }
    // Power and frequency of each bond. Efforts with gains add up to what works on its flow.
    let mut connections = Vec::new();
    let mut capabilities = scenario.capabilities();
    for bond in &coupled.bonds {
        let last = first + bond.efforts.len();
        let effort = |row: &[f64]| bond.efforts.iter().zip(&row[first..last]).map(|((_, g), e)| g * e).sum::<f64>();
        let flow: Vec<f64> = rows.0.iter().map(|row| row[last]).collect();
        let power: Vec<f64> = rows.0.iter().map(|row| effort(row) * row[last]).collect();
        first = last + 1;
        let content = frequencies(&flow, step_s * every as f64);
        // The bond by the names of its unit and variables.
        let efforts: Vec<&str> = bond.efforts.iter().map(|(effort, _)| effort.as_str()).collect();
        let unit = coupled.simulation.unit_mut(bond.unit);
        connections.push(Connection {
            name: format!("{}: {} · {}", unit.name(), efforts.join(" + "), bond.flow),
            power_max_w: power.iter().fold(0.0, |max, p| f64::max(max, p.abs())),
            power_rms_w: rms(&power),
            frequency_hz: content.map(|c| c[0]),
            frequency_99_hz: content.map(|c| c[1]),
        });
        // A unit that nobody has looked at yet.
        if capabilities.iter().all(|c| c.unit != unit.name()) {
            capabilities.push(Capabilities::of(unit.name(), unit.description()));
        }
    }
    Ok((Some(connections), capabilities))
}

/// Rows as they come.
#[derive(Default)]
struct Rows(Vec<Vec<f64>>);

impl macrostep_master::record::Observer for Rows {
    fn row(&mut self, _: f64, values: &[f64]) {
        self.0.push(values.to_vec());
    }
}

/// Loop gain of the cut advised with constant guesses of the window's end. One step takes many calls of the units and the eigenvalues of a
/// matrix of all signals: not of more than `SIGNALS_MAX`.
pub(super) fn gain(scenario: &dyn Benchmark, best: &Candidate, question: &Question) -> Result<Option<f64>, RunError> {
    const SIGNALS_MAX: usize = 200;
    if scenario.signals() > SIGNALS_MAX {
        return Ok(None);
    }
    let hold = Scheme::new(best.scheme.coupling, Schedule::Jacobi, Predict::classical(0));
    let scheme = Scheme { correct: Correct::Newton, ..hold };
    let (step_s, factory): (f64, Factory<'_>) = (best.step_s, &question.factory);
    let mut coupled = scenario.couple(&Setup::new(&scheme, step_s, factory))?;
    coupled.simulation.advance(1, (0, u64::MAX), &mut ())?;
    loop_gain(&mut coupled.simulation)
}
