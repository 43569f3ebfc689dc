//! The observed order of convergence: the slope of a least-squares line through (ln H, ln error).

use macrostep_master::RunError;
use macrostep_oscillator::ParameterError;
use macrostep_system::verify;

pub(crate) fn unsolvable(e: ParameterError) -> RunError {
    RunError::grid("parameters", e.to_string(), "an oscillator with an exact solution")
}

/// Slope of the least-squares line through (ln H, ln error) of the points whose error exceeds `floor`; `None` with
/// fewer than three of them.
pub fn slope(points: &[(f64, f64)], floor: f64) -> Option<f64> {
    let used = points.iter().filter(|(_, e)| *e > floor && e.is_finite()).map(|(h, e)| (h.ln(), e.ln()));
    let (h, e): (Vec<f64>, Vec<f64>) = used.unzip();
    if h.len() < 3 { None } else { verify::slope(&h, &e) }
}
