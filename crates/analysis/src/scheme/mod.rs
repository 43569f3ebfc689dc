//! A *scheme*: where a system is cut, who steps when, what inputs are predicted by, whether the end of a step is corrected,
//! and what else a method can be told. Declared here once; every command that runs a coupling says its scheme with these words.
//!
//! ```text
//! Scheme = coupling × schedule × predictor (variant, derivative) × corrector × sampling
//!          × energy correction × macro step control × rate  ──►  Method
//! ```
//!
//! [`Named`] are schemes with a name of their own. The words for methods are those of `macrostep_system`.

mod named;
mod words;

pub use macrostep_system::words::{
    Control, Correct, Derivative, Energy, Family, Named, Predict, Sampling, Schedule, Variant,
};
pub use named::{Recipe, named, recipe};
pub use words::{Fast, Rate, typed};

use crate::pair::{Coupling, Kind};
use macrostep_master::Method;
use std::fmt;

/// A coupling scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scheme {
    /// Where the system is cut.
    pub coupling: Coupling,
    /// Who steps when.
    pub schedule: Schedule,
    /// Prediction of the inputs.
    pub predict: Predict,
    /// What integrated acceleration makes of a known end.
    pub variant: Variant,
    /// Where the rates of classical inputs come from.
    pub derivative: Derivative,
    /// Correction of a macro step.
    pub correct: Correct,
    /// Evaluation of feed-through outputs.
    pub sampling: Sampling,
    /// What is done about residual energy.
    pub energy: Energy,
    /// Choice of the macro step.
    pub control: Control,
    /// Relative tolerance of that choice.
    pub control_tolerance: f64,
    /// H slow / H fast.
    pub rate: Rate,
    /// The fast unit.
    pub fast: Fast,
}

impl Scheme {
    /// Explicit, variant H3, updated sampling, steps of one length for all units.
    pub fn new(coupling: Coupling, schedule: Schedule, predict: Predict) -> Self {
        Scheme {
            coupling,
            schedule,
            predict,
            variant: Variant::H3,
            derivative: Derivative::Passed,
            correct: Correct::Explicit,
            sampling: Sampling::Updated,
            energy: Energy::Monitor,
            control: Control::Fixed,
            control_tolerance: 1e-4,
            rate: Rate::default(),
            fast: Fast::Two,
        }
    }

    /// The forty schemes of the stability figures: 4 decompositions × Jacobi, Gauss–Seidel × hold, linear, quadratic,
    /// integrated acceleration of degree 0 and 1.
    pub fn forty() -> Vec<Scheme> {
        let mut all = Vec::new();
        for coupling in [
            Coupling::ForceForce,
            Coupling::DisplacementForce,
            Coupling::ForceDisplacement,
            Coupling::DisplacementDisplacement,
        ] {
            for schedule in [Schedule::Jacobi, Schedule::GaussSeidel] {
                all.extend(Predict::five().map(|predict| Scheme::new(coupling, schedule, predict)));
            }
        }
        all
    }

    /// Whether its parts go together.
    ///
    /// # Errors
    /// The two that do not, as they are typed, and why.
    pub fn check(&self) -> Result<(), [String; 3]> {
        let against = |what: &str, value: String, why: &str| {
            Err([format!("--schedule {}", self.schedule.short()), format!("--{what} {value}"), why.to_owned()])
        };
        if !self.schedule.is_palindromic() {
            return Ok(());
        }
        if self.control != Control::Fixed {
            return against("control", typed(self.control), "its steps are of one length");
        }
        if self.correct != Correct::Explicit {
            return against("correct", typed(self.correct), "its half steps are never repeated");
        }
        if self.energy == Energy::Nepce {
            let why = "what its half steps miss is known too late";
            return against("energy", typed(self.energy), why);
        }
        if self.rate != Rate::default() {
            return against("rate", self.rate.to_string(), "its steps are of one length");
        }
        Ok(())
    }

    /// The method for a system of `units` units.
    pub fn method(&self, units: usize) -> Method {
        Method {
            predictor: self.predict.predictor(self.derivative.into(), self.variant.into()),
            schedule: self.schedule.schedule((0..units).collect()),
            correction: self.correct.correction(None, None),
            sampling: self.sampling.into(),
            energy: self.energy.into(),
            control: self.predict.step_control(self.control, self.control_tolerance, (self.derivative, self.variant)),
            ..Method::default()
        }
    }

    /// Steps of `units` units as fractions of H.
    pub fn shares(&self, units: usize) -> Vec<(u32, u32)> {
        let fast = if self.fast == Fast::One { 0 } else { 1 };
        (0..units).map(|unit| if unit == fast { (self.rate.under, self.rate.over) } else { (1, 1) }).collect()
    }

    /// Whether it needs to know the power bonds of the system.
    pub fn weighs_energy(&self) -> bool {
        self.energy != Energy::Monitor || self.control == Control::Ecco
    }

    /// Why the state of units and histories after a step is no linear function of that before, so that there is no one-step
    /// map; `None` where there is one.
    pub fn lacks_map(&self) -> Option<&'static str> {
        if self.control != Control::Fixed {
            Some("with step control the steps depend on the state")
        } else if self.energy != Energy::Monitor {
            Some("the values that an energy correction carries from step to step are not part of the map")
        } else if self.correct == Correct::SemiImplicit {
            Some("the Jacobian that it carries from step to step is not part of the map")
        } else {
            None
        }
    }

    /// How many times the usual macro step of a scenario suits the predictor: what is of high order needs room to be seen
    /// above rounding.
    pub fn step_factor(&self) -> f64 {
        match self.predict.family {
            Family::Spectral => 50.0,
            Family::Jerk => 5.0,
            Family::Classical
            | Family::Integrated
            | Family::Hermite
            | Family::Mean
            | Family::Rates
            | Family::Kalman(_) => 1.0,
        }
    }

    /// Global order (position and velocity) that theory promises on a smooth system with damped coupling, subsystems
    /// integrated exactly and an exact start.
    pub fn global_order(&self) -> f64 {
        let order = self.predicted_order();
        // An output that follows the inputs at once is foreseen to O(H²), the rate of a motion to O(H³).
        match self.correct {
            Correct::LinearImplicit if self.sends_forces() => order.min(2.0),
            Correct::LinearImplicit => order.min(3.0),
            _ => order,
        }
    }

    /// The order of the predictor, with what is known of the end of a step.
    fn predicted_order(&self) -> f64 {
        let k = f64::from(self.predict.degree);
        match self.predict.family {
            // The symmetric schedule of exact steps is its own inverse in reversed time; with a force held over a half step it is not.
            Family::Classical if self.is_splitting() => 2.0,
            Family::Classical if self.derivative == Derivative::Numdiff && self.has_motion_inputs() => k.max(1.0),
            // Without the end the newest value is held.
            Family::Mean if self.correct == Correct::Explicit => 1.0,
            Family::Mean => 2.0,
            Family::Classical | Family::Rates => k + 1.0,
            // Of a filter, where all samples in reach are closer than its noises say.
            Family::Kalman(_) => k + 1.0,
            Family::Integrated => k + 2.0,
            // Through one end only, the derivatives at T_N are all that is known of the other body.
            Family::Hermite if self.correct == Correct::Explicit => ((k + 1.0) / 2.0).floor(),
            Family::Hermite => k + 1.0,
            Family::Jerk if self.schedule == Schedule::Jacobi => k,
            // A known end is the quintic through (x, v, a) at both.
            Family::Jerk => k.min(6.0),
            // Nodes lie evenly about the middle: the first term left out of an even degree is odd there.
            Family::Spectral => 2.0 * (k / 2.0).floor() + 2.0,
        }
    }

    /// Local orders of position and velocity that theory promises, as [`Scheme::global_order`], where an input is integrated
    /// `integrations` times before it is seen in a position.
    pub fn local_orders(&self, integrations: u32) -> [f64; 2] {
        let p = self.global_order();
        // The parts of a splitting are exact: what is left is of one order in all states.
        let integrations = if self.is_splitting() { 1 } else { integrations };
        [p + f64::from(integrations), p + 1.0]
    }

    /// Whether it is a symmetric splitting: half steps around a whole one, with motions held.
    fn is_splitting(&self) -> bool {
        let kinds = self.coupling.kinds();
        self.schedule.is_palindromic() && self.predict == Predict::classical(0) && kinds == [Kind::Displacement; 2]
    }

    /// Whether a unit sends the force that its inputs make at once, or may do so.
    fn sends_forces(&self) -> bool {
        matches!(self.coupling, Coupling::DisplacementForce | Coupling::ForceDisplacement | Coupling::AsWritten)
    }

    fn has_motion_inputs(&self) -> bool {
        self.coupling.kinds().contains(&Kind::Displacement)
    }

    /// Whether the variant for known ends plays a part.
    fn uses_variant(&self) -> bool {
        self.predict.family == Family::Integrated && self.schedule != Schedule::Jacobi
    }

    /// The words of the scheme beside cut and schedule: the predictor, and all parts that are not the default.
    pub fn words(&self) -> String {
        let mut words = vec![self.predict.to_string()];
        let mut unusual = |is_unusual: bool, word: String| {
            if is_unusual {
                words.push(word);
            }
        };
        unusual(self.uses_variant() && self.variant != Variant::H3, typed(self.variant));
        unusual(self.derivative != Derivative::Passed, typed(self.derivative));
        unusual(self.correct != Correct::Explicit, typed(self.correct));
        unusual(self.sampling != Sampling::Updated, typed(self.sampling));
        unusual(self.energy != Energy::Monitor, typed(self.energy));
        unusual(self.control != Control::Fixed, format!("control {}", typed(self.control)));
        let fast = if self.fast == Fast::One { ", 1 fast" } else { "" };
        unusual(self.rate != Rate::default(), format!("rate {}{fast}", self.rate));
        words.join(" ")
    }
}

/// "F/F jacobi ia1", and what is not as usual.
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.coupling {
            // Of a file there is one cut, and as many units as there are.
            Coupling::AsWritten => write!(f, "{} {}", self.schedule, self.words()),
            cut => write!(f, "{} {} {}", cut.letters(), self.schedule.short(), self.words()),
        }
    }
}
