//! The method a scenario is written with, as a scheme, and back.

use crate::pair::Coupling;
use crate::scheme::{Control, Scheme};
use macrostep_system::scenario::{self, StepChoice};

/// The method of a file as a scheme.
pub fn scheme(c: &scenario::Coupling) -> Scheme {
    Scheme {
        variant: c.gs_variant,
        derivative: c.derivative,
        correct: c.correct,
        sampling: c.sampling,
        energy: c.energy,
        control: c.control.kind,
        control_tolerance: c.control.tolerance,
        ..Scheme::new(Coupling::AsWritten, c.schedule, c.predict)
    }
}

/// A scheme as the keys of `[coupling]`; order, tolerances and sub-steps stay as they are.
pub fn coupling(scheme: &Scheme, c: &scenario::Coupling) -> scenario::Coupling {
    // The longest of steps that are chosen is the step of the experiment, which others set.
    let chosen = StepChoice {
        kind: scheme.control,
        tolerance: scheme.control_tolerance,
        step_min_s: c.control.step_min_s,
        step_max_s: None,
    };
    scenario::Coupling {
        method: None,
        schedule: scheme.schedule,
        predict: scheme.predict,
        gs_variant: scheme.variant,
        derivative: scheme.derivative,
        correct: scheme.correct,
        sampling: scheme.sampling,
        energy: scheme.energy,
        control: if scheme.control == Control::Fixed { StepChoice::default() } else { chosen },
        ..c.clone()
    }
}
