//! Communication steps of any length: the grid of the method, and outputs between two of its points.
//!
//! The method makes steps of one length H. At the end of a communication step it has gone to the first point of its grid that is not
//! before it. With s = (t − t_n)/H between two points, real outputs are the line
//! ```text
//! y(t) = y_n + s (y_{n+1} − y_n)        error at most H²/8 of the second derivative
//! ```
//! which is what the method does to positions: v⁺ holds over the whole step. A cubic through speeds before and after an impact would leave
//! the positions of both points, into the stop.

use macrostep_multibody::Clock;
use macrostep_slave::{Fault, Memory, Message, Span, Topic};

use super::{Multibody, STEPS_S, failed};
use crate::plants::Plant;
use crate::tape::Note;

/// Part of H that the end of a step may be off a point of the grid.
const NEAR: f64 = 1e-6;

/// Part of H by which the sum of a master may have drifted from a point.
const DRIFT: f64 = 1e-3;

/// What a step of the method costs, in micro steps of a small model.
const WORK: u64 = 100;

/// Steps of the method that a communication step needs.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Way {
    /// How many.
    steps: u64,
    /// Where the first one begins, since the start of the communication step, s.
    from_s: f64,
    /// Whether the end is between two points.
    is_between: bool,
}

impl Way {
    /// From a point of the grid at `at_s`, beyond the start where `is_ahead`, with steps of `step_s` (s).
    fn of(at_s: f64, is_ahead: bool, step_s: f64, span: Span) -> Way {
        // The sum of a master drifts by rounding: steps from a point of the grid count from this point.
        let is_on = !is_ahead && (at_s - span.start_s).abs() <= DRIFT * step_s;
        let from_s = if is_on { 0.0 } else { at_s - span.start_s };
        let count = (span.step_s - from_s) / step_s;
        let is_between = (count - count.round()).abs() > NEAR;
        let steps = if is_between { count.ceil() } else { count.round() };
        Way { steps: steps.max(0.0) as u64, from_s, is_between }
    }
}

/// A message that is given once.
#[derive(Debug, Default)]
pub(super) struct Remark {
    has_told: bool,
    message: Option<Message>,
}

impl Remark {
    fn say(&mut self, text: impl FnOnce() -> String) {
        if !std::mem::replace(&mut self.has_told, true) {
            self.message = Some(Message { topic: Topic::Warning, text: text() });
        }
    }

    pub fn take(&mut self) -> Option<Message> {
        self.message.take()
    }
}

impl<P: Plant> Multibody<P> {
    /// A communication step.
    ///
    /// # Errors
    /// [`Fault::Model`] for too many steps of the method in one, and what these answer.
    pub(super) fn advance(&mut self, memory: &mut Memory, span: Span) -> Result<(), Fault> {
        let step_s = self.decided_step_s(memory, span);
        span.micro_steps(step_s, WORK)?;
        let is_ahead = self.tape.before(memory).is_some();
        let way = Way::of(self.clock(memory)?.time_s(), is_ahead, step_s, span);
        for n in 0..way.steps {
            // Of the last point before the end outputs are kept.
            if way.is_between && n + 1 == way.steps {
                self.tape.set_between(memory, false);
                self.evaluate_outputs(memory)?;
                self.tape.keep_before(memory, self.layout.outputs(), self.layout.integers);
            }
            self.step_once(memory, step_s, way.from_s + n as f64 * step_s)?;
        }
        self.tape.set_between(memory, way.is_between);
        if way.is_between {
            let at_s = self.clock(memory)?.time_s();
            self.remark.say(|| ahead_of(span, at_s, step_s));
        }
        Ok(())
    }

    /// The length of the method's steps, s. The first communication step decides on it unless the parameter has; a remainder does not.
    fn decided_step_s(&self, memory: &mut Memory, span: Span) -> f64 {
        let known_s = self.fixed_step_s(memory);
        if known_s.is_none() && !span.is_remainder(P::EXPERIMENT.0) {
            let step_s = if STEPS_S.contains(&span.step_s) { span.step_s } else { P::EXPERIMENT.0 };
            self.tape.set_step_s(memory, step_s);
        }
        self.next_step_s(memory)
    }

    fn clock(&mut self, memory: &Memory) -> Result<Clock, Fault> {
        Ok(self.current(memory)?.simulation.state().clock)
    }

    /// One step of the method, with the mean of the inputs over it; it begins `from_s` (s) after the start of the communication step.
    fn step_once(&mut self, memory: &mut Memory, step_s: f64, from_s: f64) -> Result<(), Fault> {
        let (tape, r) = (self.tape, self.layout.r);
        let mut scratch = std::mem::take(&mut self.scratch);
        let [forces, speeds] = &mut scratch;
        forces.clear();
        forces.extend((0..r).map(|i| mean(memory, i, from_s, step_s)));
        let cache = self.current(memory)?;
        let at_s = cache.simulation.state().clock.time_s();
        let report = cache.simulation.step(step_s, forces).map_err(failed(at_s))?;
        let note = Note::of(report);
        speeds.clone_from(&report.speed_after);
        cache.simulation.state().write_flat(&mut cache.flat);
        tape.write(memory, &cache.flat)?;
        tape.set_note(memory, &note);
        tape.set_step_speed(memory, speeds);
        self.scratch = scratch;
        Ok(())
    }

    /// Takes outputs from the point that the method has gone to back to the present time, where that is before it.
    pub(super) fn show_between(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        if self.tape.before(memory).is_none() {
            return Ok(());
        }
        let (at_s, step_s, layout) = (self.clock(memory)?.time_s(), self.next_step_s(memory), self.layout);
        let part = (1.0 - (at_s - memory.time_s) / step_s).clamp(0.0, 1.0);
        let (mut reals, mut integers) = (std::mem::take(&mut memory.reals), std::mem::take(&mut memory.integers));
        if let Some((kept, counts)) = self.tape.before(memory) {
            for (now, before) in reals[layout.outputs()..layout.dense()].iter_mut().zip(kept) {
                *now = before + part * (*now - before);
            }
            for (now, before) in integers[layout.integers..].iter_mut().zip(counts) {
                *now = *before as i32;
            }
        }
        P::mend(&mut reals[layout.dense() - layout.own..layout.dense()]);
        (memory.reals, memory.integers) = (reals, integers);
        Ok(())
    }
}

/// Mean of input `i` from `from_s` over `step_s` (s) of the last step.
fn mean(memory: &Memory, i: usize, from_s: f64, step_s: f64) -> f64 {
    let u = &memory.last_inputs;
    // The integral from the start up to a time, divided by this time.
    let up_to = |end_s: f64| {
        let mut power = 1.0;
        (0..=u.degree()).fold(0.0, |sum, j| {
            let term = u.coefficient(i, j) * power / (j + 1) as f64;
            power *= end_s;
            sum + term
        })
    };
    if from_s == 0.0 {
        return up_to(step_s);
    }
    // Over a later part the value at its start stands alone: an input that is held keeps its bits.
    if u.degree() == 0 {
        return u.coefficient(i, 0);
    }
    let end_s = from_s + step_s;
    (end_s * up_to(end_s) - from_s * up_to(from_s)) / step_s
}

/// What is to be known about a step that ends between two points of the grid.
fn ahead_of(span: Span, at_s: f64, step_s: f64) -> String {
    let t_s = span.start_s + span.step_s;
    format!(
        "at t = {t_s} s the model is at {at_s} s, the next point of its grid of {step_s} s: outputs between two points are interpolated, and \
         inputs count from the next point on; communication steps that are multiples of {step_s} s need neither (said once)"
    )
}

#[cfg(test)]
mod tests {
    use super::{Span, Way};

    /// Steps from points and from between them; drift and remainders are no steps.
    #[test]
    fn ways_end_at_the_first_point_that_is_not_before() {
        let way = |at_s, is_ahead, start_s, step_s| {
            let way = Way::of(at_s, is_ahead, 0.5, Span { start_s, step_s });
            (way.steps, way.from_s, way.is_between)
        };
        assert_eq!(way(1.0, false, 1.0, 0.5), (1, 0.0, false));
        assert_eq!(way(1.0, false, 1.0, 1.5), (3, 0.0, false));
        assert_eq!(way(1.0, false, 1.0, 0.2), (1, 0.0, true));
        assert_eq!(way(1.5, true, 1.25, 0.125), (0, 0.25, true));
        assert_eq!(way(1.5, true, 1.25, 0.25), (0, 0.25, false));
        assert_eq!(way(1.5, true, 1.25, 0.375), (1, 0.25, true));
        assert_eq!(way(1.5, true, 1.25, 0.75), (1, 0.25, false));
        // A sum that has drifted, a remainder, and a remainder beyond a whole step.
        assert_eq!(way(1.0, false, 1.0002, 0.5), (1, 0.0, false));
        assert_eq!(way(1.0, false, 1.0, 1e-8), (0, 0.0, false));
        assert_eq!(way(1.0, false, 1.0, 0.5 + 1e-8), (1, 0.0, false));
    }
}
