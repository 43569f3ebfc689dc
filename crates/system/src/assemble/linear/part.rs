//! A unit as linear equations, from its directional derivatives.
//!
//! ```text
//!     y = C z + D u + y₀
//! ```
//!
//! z are the outputs of a unit that show a state: those of which another output is the time derivative, and with respect to which the unit
//! knows directional derivatives. Outputs that are not linear, as energies, are found by a step: they are not on the plane at its end.

use crate::catalogue::Catalogue;
use crate::check::items;
use crate::scenario::Unit as Entry;
use macrostep_description::{Causality, ModelDescription, Variable};
use macrostep_master::unit::{Outcome, Start, Tangent, Unit};
use nalgebra::{DMatrix, DVector};

/// How far an output may be off the plane, relative to the terms it is the sum of.
const OFF_MAX: f64 = 1e-9;

/// A unit, with its outputs in the order of its description.
pub struct Part {
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Names of the inputs that are connected.
    pub inputs: Vec<String>,
    /// Which output each state is.
    pub states: Vec<usize>,
    /// Which output is the rate of each state.
    pub rates: Vec<usize>,
    /// The states at the start.
    pub start: DVector<f64>,
    /// ∂y/∂z.
    pub c: DMatrix<f64>,
    /// ∂y/∂u.
    pub d: DMatrix<f64>,
    /// y where z and u are 0.
    pub y0: DVector<f64>,
    /// Whether each output is linear.
    pub is_linear: Vec<bool>,
}

/// When a unit begins, and the step it is tried by \[s\].
pub struct Times {
    pub start_s: f64,
    pub stop_s: Option<f64>,
    pub step_s: f64,
}

/// A unit as the scenario has it, and its start values.
pub struct Subject<'a> {
    pub entry: &'a Entry,
    pub description: &'a ModelDescription,
    pub starts: &'a [Start],
}

/// The unit with its start values; `is_fed` says which inputs are connected.
///
/// # Errors
/// In words: what keeps it from being linear equations.
pub fn part(
    Subject { entry, description, starts }: &Subject<'_>,
    times: &Times,
    is_fed: impl Fn(&str) -> bool,
    catalogue: &dyn Catalogue,
) -> Result<Part, String> {
    // A model of this program says by its integrators whether it is linear.
    let is_ours = description.vendor_annotations.iter().any(|a| a.tool == "macrostep");
    let integrators = description.variable("integrator").map(|v| items(v, description));
    let is_exact = integrators.is_none_or(|items| items.iter().any(|(name, _)| name == "exact"));
    if !is_ours || !is_exact {
        return Err("which is not a model of this program that integrates exactly".to_owned());
    }
    let is_output = |v: &&Variable| v.causality == Causality::Output && v.real().is_some() && !v.name.contains('[');
    let outputs: Vec<&Variable> = description.variables.iter().filter(is_output).collect();
    let is_input = |v: &&Variable| v.causality == Causality::Input && is_fed(&v.name);
    let inputs: Vec<&Variable> = description.variables.iter().filter(is_input).collect();
    let text = |e: macrostep_master::unit::UnitError| e.to_string();
    // At the start, with all inputs 0.
    let mut unit = catalogue.scratch(&entry.source, &entry.name)?;
    let unit = unit.as_mut();
    unit.setup(times.start_s, times.stop_s, entry.solver_tolerance).map_err(text)?;
    starts.iter().try_for_each(|start| start.set(unit)).map_err(text)?;
    unit.enter_initialization().map_err(text)?;
    let (refs, known) = (references(&outputs), references(&inputs));
    unit.set_real(&known, &vec![0.0; known.len()]).map_err(text)?;
    unit.exit_initialization().map_err(text)?;
    let mut y = DVector::zeros(outputs.len());
    unit.get_real(&refs, y.as_mut_slice()).map_err(text)?;
    // Slopes along each state and each input.
    let (mut states, mut rates, mut columns) = (Vec::new(), Vec::new(), Vec::new());
    for (i, v) in outputs.iter().enumerate() {
        let is_rate = |r: &&Variable| {
            r.real().and_then(|r| r.derivative).is_some_and(|of| description.variables[of].name == v.name)
        };
        let Some(rate) = outputs.iter().position(is_rate) else { continue };
        if let Ok(slope) = along(unit, &refs, v.value_reference) {
            states.push(i);
            rates.push(rate);
            columns.push(slope);
        }
    }
    let c = matrix(outputs.len(), &columns);
    let slopes: Result<Vec<_>, _> = known.iter().map(|reference| along(unit, &refs, *reference)).collect();
    let d = matrix(outputs.len(), &slopes.map_err(text)?);
    let start = DVector::from_iterator(states.len(), states.iter().map(|i| y[*i]));
    let y0 = &y - &c * &start;
    // After a step with other inputs all are where the plane has them, or they are not linear.
    let moved = DVector::from_element(known.len(), 1.0);
    unit.set_real(&known, moved.as_slice()).map_err(text)?;
    if unit.step(times.start_s, times.step_s, true).map_err(text)? != Outcome::Done {
        return Err("which does not finish a step".to_owned());
    }
    unit.get_real(&refs, y.as_mut_slice()).map_err(text)?;
    let z = DVector::from_iterator(states.len(), states.iter().map(|i| y[*i]));
    let off = &c * &z + &d * &moved + &y0 - &y;
    let size = c.abs() * z.abs() + d.abs() * &moved + y0.abs();
    let is_linear = off.iter().zip(size.iter()).map(|(off, size)| off.abs() <= OFF_MAX * size).collect();
    let names = |list: &[&Variable]| list.iter().map(|v| v.name.clone()).collect();
    Ok(Part { outputs: names(&outputs), inputs: names(&inputs), states, rates, start, c, d, y0, is_linear })
}

fn references(variables: &[&Variable]) -> Vec<u32> {
    variables.iter().map(|v| v.value_reference).collect()
}

/// How the unknowns follow a known.
fn along(unit: &mut dyn Unit, unknown: &[u32], known: u32) -> Result<Vec<f64>, macrostep_master::unit::UnitError> {
    let mut slope = vec![0.0; unknown.len()];
    unit.directional(Tangent::new(unknown, &[known], &[1.0], &mut slope))?;
    Ok(slope)
}

fn matrix(rows: usize, columns: &[Vec<f64>]) -> DMatrix<f64> {
    DMatrix::from_iterator(rows, columns.len(), columns.iter().flatten().copied())
}
