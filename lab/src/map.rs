//! The stability map: growth per macro step over the macro step and the stiffness of the coupling, as `macrostep stability` finds it.
//!
//! A point is the spectral radius of the one-step map of the pair with the parameters of the sliders, but for its column's H and its row's k_c. Both
//! axes are logarithmic.

use macrostep_analysis::dimensionless::{Probe, Ratios, in_steps};
use macrostep_oscillator::Parameters;
use serde::Serialize;

use crate::answer::Answer;
use crate::pair::parameters;
use crate::question::Settings;

/// Points along an axis.
pub const POINTS: usize = 61;
/// Macro steps \[s\] of the first and last column.
pub const STEPS_S: [f64; 2] = [1e-3, 1.0];
/// Stiffness of the coupling \[N/m\] in the first and last row.
pub const STIFFNESSES: [f64; 2] = [1.0, 1e4];

/// What belongs to the numbers.
#[derive(Serialize)]
struct Rows<'a> {
    rows: &'a [usize],
    /// ρ at the point of the sliders.
    radius: f64,
}

/// ρ of these rows, and at the point of the sliders.
///
/// # Errors
/// Where the method has no one-step map.
pub fn map(settings: &Settings, rows: &[usize]) -> Result<Answer, String> {
    let (parameters, scheme) = (parameters(settings)?, settings.scheme()?);
    if let Some(why) = scheme.lacks_map() {
        return Err(why.to_owned());
    }
    let mut probe = Probe::new(&scheme, Ratios::default()).map_err(|e| e.to_string())?;
    // A step that fails has no radius.
    let mut radius = |k_c: f64, step_s: f64| {
        let p = Parameters { k_c, ..parameters };
        probe.radius_of(&in_steps(&p, step_s)).unwrap_or(f64::NAN)
    };
    let here = radius(parameters.k_c, settings.step);
    let mut numbers = Vec::with_capacity(rows.len() * POINTS);
    for row in rows {
        let k_c = along(STIFFNESSES, *row);
        numbers.extend((0..POINTS).map(|column| radius(k_c, along(STEPS_S, column))));
    }
    Answer::new(&Rows { rows, radius: here }, numbers)
}

/// A point of a logarithmic axis.
fn along([low, high]: [f64; 2], i: usize) -> f64 {
    low * (high / low).powf(i as f64 / (POINTS - 1) as f64)
}
