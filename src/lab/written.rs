//! The method a scenario is written with, as a scheme, and back.

use crate::pair::Coupling;
use crate::scheme::Scheme;
use macrostep_master::Method;
use macrostep_system::scenario::{self, Scenario};

/// The method of a file as a scheme.
pub fn scheme(c: &scenario::Coupling) -> Scheme {
    let scheme = Scheme::new(Coupling::AsWritten, c.schedule, c.predict);
    Scheme { variant: c.gs_variant, derivative: c.derivative, correct: c.correct, sampling: c.sampling, ..scheme }
}

/// A scheme as the keys of `[coupling]`; order, tolerances and sub-steps stay as they are.
pub fn coupling(scheme: &Scheme, c: &scenario::Coupling) -> scenario::Coupling {
    scenario::Coupling {
        schedule: scheme.schedule,
        predict: scheme.predict,
        gs_variant: scheme.variant,
        derivative: scheme.derivative,
        correct: scheme.correct,
        sampling: scheme.sampling,
        ..c.clone()
    }
}

/// The method of a scenario whose keys are those of the scheme.
pub fn method(scheme: &Scheme, s: &Scenario) -> Method {
    let of_scheme = scheme.method(s.units.len());
    Method { energy: of_scheme.energy, control: of_scheme.control, ..macrostep_system::assemble::method(s) }
}
