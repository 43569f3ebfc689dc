//! A step with inputs of a higher degree than the unit takes: in parts, each with the polynomial of the degree that it takes.
//!
//! Most FMUs of other tools take derivatives of order 1 only. A part of local length h then follows the line that is the nearest to the
//! polynomial p in the mean square. It deviates by at most about h²/12 · max|p''|, at the ends of the part, and has the mean and the first
//! moment of p. What a line leaves out moves a smooth unit by O(h⁴) only, as the first moments of the difference vanish; the chord through the
//! ends of a part would give O(h²).
//!
//! How many parts a step has follows from a bound of the deviation, relative to the largest value that the input has had.

use super::{UnitPort, UnitPortState};
use crate::signal::segment::Segment;
use crate::system::refresh::Refresh;
use crate::unit::{Outcome, UnitError};

/// A step has at most as many parts: with the bound of the deviation as it is this is beyond what a method follows.
const PARTS_MAX: usize = 10_000;

/// How a step is divided, and room for its inputs.
pub(crate) struct Parts {
    /// Bound of the deviation, relative to the size of an input.
    deviation: f64,
    /// Whether the unit makes steps of any length.
    may_vary: bool,
    /// The polynomials over the whole step.
    whole: Vec<Segment>,
}

impl Parts {
    /// For `n` inputs.
    pub fn new(n: usize, deviation: f64, may_vary: bool) -> Self {
        Parts { deviation, may_vary, whole: vec![Segment::default(); n] }
    }
}

impl UnitPort {
    /// A step with polynomial inputs, those in `inputs.segments`, in parts of the degree that the unit takes.
    pub(super) fn in_parts(
        &mut self,
        state: &mut UnitPortState,
        (t_s, length_s): (f64, f64),
        keep: bool,
    ) -> Result<Outcome, UnitError> {
        let (n, takes) = (self.parts_of_step(state), self.inputs.takes);
        // The inputs over the whole step are kept meanwhile: accounts look at them after it.
        std::mem::swap(&mut self.inputs.parts.whole, &mut self.inputs.segments);
        let mut outcome = Ok(Outcome::Done);
        for i in 0..n {
            let from = i as f64 / n as f64;
            for (part, whole) in self.inputs.segments.iter_mut().zip(&self.inputs.parts.whole) {
                whole.part(from, 1.0 / n as f64, part);
                part.project(takes);
            }
            let part_s = length_s / n as f64;
            let sent = self.inputs.send_polynomials(&mut state.inputs, self.unit.as_mut(), part_s);
            outcome = sent.and_then(|()| self.unit.step(t_s + length_s * from, part_s, keep));
            if outcome != Ok(Outcome::Done) {
                break;
            }
        }
        // What the unit holds now is the end of the last part.
        if self.outputs.refresh == Refresh::Directional {
            self.inputs.keep_held(&mut state.inputs);
        }
        std::mem::swap(&mut self.inputs.parts.whole, &mut self.inputs.segments);
        outcome
    }

    /// How many parts keep the deviation within its bound; at least as many as sub-steps are asked for.
    fn parts_of_step(&mut self, state: &mut UnitPortState) -> usize {
        let (x, sizes) = (&self.inputs, &mut state.inputs.sizes);
        let mut most = 0.0_f64;
        for (p, size) in x.segments.iter().zip(sizes) {
            *size = size.max(p.at(0.0).abs()).max(p.at(0.5).abs()).max(p.at(1.0).abs());
            // A signal that was and is zero has no curvature either.
            if *size > 0.0 {
                most = most.max(p.curvature() / (12.0 * x.parts.deviation * *size));
            }
        }
        let wanted = if x.parts.may_vary { most.sqrt().ceil() as usize } else { 1 };
        wanted.max(x.sub_steps).clamp(1, PARTS_MAX)
    }
}
