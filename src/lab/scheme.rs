//! A *scheme*: where the system is cut, who steps when, what inputs are predicted by, and whether the end is corrected.

use std::fmt;

use clap::ValueEnum;
use macrostep_master::correct::{Correction, FixedPoint, InterfaceJacobian, Newton, Relaxation};
use macrostep_master::predict::Derivative;
use macrostep_master::{Method, Sampling, Schedule};

use crate::pair::Coupling;
use crate::predict::{Family, GsVariant, Predict};

/// Who steps when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Order {
    /// All units at once, with extrapolated inputs
    Jacobi,
    /// Gauss–Seidel, units in ascending order
    Gs12,
    /// Gauss–Seidel, units in descending order
    Gs21,
}

/// How the end of a macro step is corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum)]
pub enum Implicit {
    /// Not at all
    #[default]
    Explicit,
    /// Repeated with the new end values until they stay
    FixedPoint,
    /// Repeated with the interface Jacobian
    Newton,
}

/// A coupling scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scheme {
    /// Where the system is cut.
    pub coupling: Coupling,
    /// Who steps when.
    pub order: Order,
    /// Prediction of the inputs.
    pub predict: Predict,
    /// What integrated acceleration makes of a known end.
    pub variant: GsVariant,
    /// Correction of a macro step.
    pub correct: Implicit,
    /// Evaluation of feed-through outputs.
    pub sampling: Sampling,
}

impl Scheme {
    /// Explicit, variant H3, updated sampling.
    pub fn new(coupling: Coupling, order: Order, predict: Predict) -> Self {
        let (variant, correct) = (GsVariant::H3, Implicit::Explicit);
        Scheme { coupling, order, predict, variant, correct, sampling: Sampling::Updated }
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
            for order in [Order::Jacobi, Order::Gs12] {
                all.extend(Predict::five().map(|predict| Scheme::new(coupling, order, predict)));
            }
        }
        all
    }

    /// The method for a system of `units` units.
    pub fn method(&self, units: usize) -> Method {
        Method {
            predictor: self.predict.predictor(Derivative::Passed, self.variant.of_master()),
            schedule: match self.order {
                Order::Jacobi => Schedule::Jacobi,
                Order::Gs12 => Schedule::GaussSeidel((0..units).collect()),
                Order::Gs21 => Schedule::GaussSeidel((0..units).rev().collect()),
            },
            correction: match self.correct {
                Implicit::Explicit => Correction::Explicit,
                Implicit::FixedPoint => Correction::FixedPoint(FixedPoint::new(Relaxation::Aitken(1.0))),
                Implicit::Newton => Correction::Newton(Newton::new(InterfaceJacobian::FiniteDifferences)),
            },
            sampling: self.sampling,
            ..Method::default()
        }
    }

    /// Global order (position and velocity) that theory promises on a smooth system with damped coupling, subsystems
    /// integrated exactly and an exact start.
    pub fn global_order(&self) -> f64 {
        let k = f64::from(self.predict.degree);
        match self.predict.family {
            Family::Classical => k + 1.0,
            Family::Integrated => k + 2.0,
            // Through one end only, the derivatives at T_N are all that is known of the other body.
            Family::Hermite if self.correct == Implicit::Explicit => ((k + 1.0) / 2.0).floor(),
            Family::Hermite => k + 1.0,
            Family::Jerk if self.order == Order::Jacobi => 4.0,
            Family::Jerk => 5.0,
            Family::Spectral => k + 1.0,
        }
    }

    /// Local orders of position and velocity that theory promises, as [`Scheme::global_order`], where an input is integrated
    /// `integrations` times before it is seen in a position.
    pub fn local_orders(&self, integrations: u32) -> [f64; 2] {
        let p = self.global_order();
        [p + f64::from(integrations), p + 1.0]
    }

    /// Whether the variant for known ends plays a part.
    fn uses_variant(&self) -> bool {
        self.predict.family == Family::Integrated && self.order != Order::Jacobi
    }
}

/// "F/F jacobi ia1", with the variant, the correction and lagged sampling where they are not the usual ones.
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |v: &dyn Fn() -> Option<clap::builder::PossibleValue>| {
            v().map_or_else(String::new, |v| v.get_name().to_owned())
        };
        let order = word(&|| self.order.to_possible_value());
        write!(f, "{} {order} {}", self.coupling.letters(), self.predict)?;
        if self.uses_variant() && self.variant != GsVariant::H3 {
            write!(f, " {}", word(&|| self.variant.to_possible_value()))?;
        }
        if self.correct != Implicit::Explicit {
            write!(f, " {}", word(&|| self.correct.to_possible_value()))?;
        }
        if self.sampling == Sampling::Lagged {
            f.write_str(" lagged")?;
        }
        Ok(())
    }
}
