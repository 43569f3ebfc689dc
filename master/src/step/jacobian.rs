//! An interface Jacobian from directional derivatives, without running the window.
//!
//! A change δg of a guessed sample changes the segments a unit is fed with by δu(s), exactly as the predictor says. What
//! comes out is taken to leading order in the step h from the unit's own derivatives: with D = ∂z/∂u the feed-through of
//! an output z, and y an output whose n-th time derivative is z (attribute `derivative`),
//!
//! ```text
//! n = 0:  δy(t + h) = D δu(1)
//! n ≥ 1:  δy(t + h) = hⁿ/(n − 1)! ∫₀¹ (1 − s)ⁿ⁻¹ D δu(s) ds
//! ```
//!
//! That leaves an error O(h) in the Jacobian, which Newton's iteration contracts by the same factor. Units must step
//! once in a window; with multirate steps there is no estimate.

use crate::method::schedule::{Op, Plan};
use crate::signal::segment::Segment;
use crate::step::supply::{Coupled, Supply};
use crate::step::unit_port::UnitPort;
use crate::time::{Span, Tick};
use crate::unit::{Tangent, UnitError};
use nalgebra::{DMatrix, DVectorViewMut};

/// A guessed sample: channel, place of its first component among the unknowns, tick.
pub(crate) type Sample = (usize, usize, Tick);

/// All samples that are guessed, and the size of each unknown.
pub(crate) struct Guesses<'a> {
    pub samples: &'a [Sample],
    pub scale: &'a [f64],
}

/// A sample as it is and as it is moved.
struct Moved {
    channel: usize,
    at: Tick,
    row: Vec<f64>,
    moved: Vec<f64>,
}

/// What a unit's inputs change by over a step, of so many seconds, when a component of a sample is moved.
struct Changes {
    inputs: Vec<Segment>,
    length_s: f64,
    moved_by: f64,
}

/// Estimates `∂G/∂y`; false where a unit offers no directional derivatives or steps more than once.
pub(crate) fn estimate(
    Coupled { unit_ports, supply, .. }: &mut Coupled<'_>,
    (plan, now): (&Plan, Tick),
    guesses: &Guesses<'_>,
    jacobian: &mut DMatrix<f64>,
) -> Result<bool, UnitError> {
    // All units must step once and offer directional derivatives.
    let single = unit_ports.iter().all(|s| s.step == plan.window);
    let offered = |s: &UnitPort| {
        let co = s.unit.description().co_simulation.as_ref();
        co.is_some_and(|c| c.provides_directional_derivative)
    };
    if !single || !unit_ports.iter().all(offered) {
        return Ok(false);
    }
    jacobian.fill(0.0);
    // A column for each component of each sample that is guessed.
    for &(channel, first, at) in guesses.samples {
        let width = supply.histories[channel].width();
        let row: Vec<f64> = supply.history_row(channel, at);
        for c in 0..width {
            let step = 1e-3 * guesses.scale[first + c];
            let mut moved = row.clone();
            moved[c] += step;
            let sample = Moved { channel, at, row: row.clone(), moved };
            // Each step of the window that the sample may feed.
            for op in &plan.ops {
                let Op::Advance { unit, from, to } = op.stretched(supply.pace.stretch) else { continue };
                let span = Span { from: now + from, to: now + to, length_s: supply.clock.length_s(to - from) };
                let inputs = changes(&mut unit_ports[unit], supply, &span, &sample);
                let changes = Changes { inputs, length_s: span.length_s, moved_by: step };
                // Where no input sees the sample, the unit adds nothing.
                if changes.inputs.iter().all(|d| d.coefficients().iter().all(|c| *c == 0.0)) {
                    continue;
                }
                let column = jacobian.column_mut(first + c);
                answer(&mut unit_ports[unit], &changes, guesses.samples, column)?;
            }
        }
    }
    Ok(true)
}

/// Change of a unit's input segments when a sample moves.
fn changes(unit_port: &mut UnitPort, supply: &mut Supply<'_>, span: &Span, sample: &Moved) -> Vec<Segment> {
    let Moved { channel, at, row, moved } = sample;
    // Inputs over the step with the sample as it is.
    let n = unit_port.inputs.refs.len();
    let (mut before, mut after) = (vec![Segment::default(); n], vec![Segment::default(); n]);
    let mut held = vec![0.0; n];
    for feed in &mut unit_port.feeds {
        feed.segments(supply, span, &mut before, &mut held);
    }
    // Inputs over the step with the sample moved; it is put back after.
    supply.histories[*channel].put(*at, moved);
    for feed in &mut unit_port.feeds {
        feed.segments(supply, span, &mut after, &mut held);
    }
    supply.histories[*channel].put(*at, row);
    // The difference of both, coefficient by coefficient.
    for (b, a) in before.iter_mut().zip(&after) {
        let difference = *b;
        b.fill(a.degree().max(difference.degree()), |i| a.coefficient(i) - difference.coefficient(i));
    }
    before
}

/// Adds what the outputs of one unit make of the changes to the column of what was moved.
fn answer(
    unit_port: &mut UnitPort,
    changes: &Changes,
    guesses: &[Sample],
    mut column: DVectorViewMut<'_, f64>,
) -> Result<(), UnitError> {
    for response in unit_port.responses.clone() {
        let known: Vec<f64> = changes.inputs.iter().map(|p| weighted(p, response.order, changes.length_s)).collect();
        let mut out = [0.0];
        unit_port.unit.directional(Tangent::new(&[response.reference], &unit_port.inputs.refs, &known, &mut out))?;
        for &(channel, first, width) in &unit_port.outputs.channels {
            let Some(component) = response.place.checked_sub(first).filter(|c| *c < width) else { continue };
            for &(_, unknown, _) in guesses.iter().filter(|g| g.0 == channel) {
                column[unknown + component] += out[0] / changes.moved_by;
            }
        }
    }
    Ok(())
}

/// `δu(1)` for n = 0, else `hⁿ/(n − 1)! ∫₀¹ (1 − s)ⁿ⁻¹ δu(s) ds`, where `∫ (1 − s)ⁿ⁻¹ sⁱ ds = (n − 1)! i!/(n + i)!`.
pub(crate) fn weighted(p: &Segment, n: usize, h: f64) -> f64 {
    if n == 0 {
        return p.at(1.0);
    }
    p.coefficients()
        .iter()
        .enumerate()
        .map(|(i, c)| c * h.powi(n as i32) / (i + 1..=i + n).map(|k| k as f64).product::<f64>())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_force_moves_by_half_h_squared() {
        let mut p = Segment::default();
        p.set_constant(3.0);
        assert!((weighted(&p, 2, 0.1) - 3.0 * 0.005).abs() < 1e-16);
        p.fill(1, |i| i as f64);
        // ∫ (1 − s) s ds = 1/6
        assert!((weighted(&p, 2, 1.0) - 1.0 / 6.0).abs() < 1e-16);
        assert_eq!(weighted(&p, 0, 0.1), 1.0);
    }
}
