//! The rest of a step that a unit has done only a part of (`fmi2Discard`): an FMU whose solver stops at an event of its own, or returns
//! early, is asked for what is left of the step, with the inputs that it has there.

use super::{UnitPort, UnitPortState};
use crate::unit::{Outcome, UnitError};

/// Parts that a step may be done in: one that moves less than that does not arrive.
const PARTS_MAX: usize = 1000;

/// What is left of a step and is rounding alone, as a part of the step.
const ROUNDING: f64 = 1e-9;

impl UnitPort {
    /// Goes on with a step of `length_s` seconds from `t_s` on that has ended with `outcome`, where the unit makes steps of any length; inputs
    /// are those of the step, in `inputs.segments` or held. What cannot go on keeps its outcome.
    #[cold]
    #[inline(never)]
    pub fn go_on(
        &mut self,
        state: &mut UnitPortState,
        (t_s, length_s): (f64, f64),
        mut outcome: Outcome,
        keep: bool,
    ) -> Result<Outcome, UnitError> {
        // Accounts look at the inputs over the whole step after it.
        let whole = self.inputs.segments.clone();
        let (mut from_s, end_s) = (t_s, t_s + length_s);
        for _ in 0..PARTS_MAX {
            let Outcome::Discarded { reached_s, terminated: false } = outcome else { break };
            if (end_s - reached_s).abs() <= ROUNDING * length_s {
                outcome = Outcome::Done;
                break;
            }
            // It goes on only where it has moved, not beyond the end, and is not sampled on the way.
            if !(self.goes_on && self.dense.is_none() && reached_s > from_s && reached_s < end_s) {
                break;
            }
            from_s = reached_s;
            let rest_s = end_s - reached_s;
            if self.holds {
                outcome = self.unit.step(from_s, rest_s, keep)?;
                continue;
            }
            // The polynomials over what is left.
            let rest = rest_s / length_s;
            for (part, whole) in self.inputs.segments.iter_mut().zip(&whole) {
                whole.part(1.0 - rest, rest, part);
            }
            let stepped = self.follow(state, from_s, rest_s, keep);
            self.inputs.segments.clone_from(&whole);
            outcome = stepped?;
        }
        Ok(outcome)
    }
}
