//! The words a scheme is said with: one type a part, each value with the name it is typed and printed by.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use macrostep_master::correct::{
    Correction, FixedPoint, InterfaceJacobian, Newton, NewtonKrylov, QuasiNewton, Relaxation, SemiImplicit,
};
use macrostep_master::{self as master, EnergyCorrection, Estimate, predict};
use serde::Serialize;

/// Who steps when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// All at once, each with extrapolated inputs
    #[default]
    Jacobi,
    /// Subsystem 1 first, 2 with interpolated inputs; of more than two, ascending
    Gs12,
    /// Subsystem 2 first, 1 with interpolated inputs; of more than two, descending
    Gs21,
    /// Subsystem 1 by half a step, 2 by a whole one, 1 by half a step; of more than two, half steps up to the last and back
    Palindromic,
}

/// How the end of a macro step is corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correct {
    /// Not at all
    #[default]
    Explicit,
    /// Repeated with the new end values until they stay
    FixedPoint,
    /// Repeated with the interface Jacobian
    Newton,
    /// Quasi-Newton with least squares on the secants of this and earlier macro steps
    IqnIls,
    /// Anderson acceleration with the five newest secants of the macro step
    Anderson,
    /// Newton without a Jacobian: its equation solved by GMRES on repeated macro steps
    NewtonKrylov,
    /// Predictor and corrector: every macro step done exactly twice
    SemiImplicit,
}

/// What a feed-through output is evaluated with at a communication point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// The true states of both masses
    #[default]
    Updated,
    /// The input its owner still holds
    Lagged,
}

/// Where the velocity of a displacement input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Derivative {
    /// From the other subsystem, extrapolated by itself
    #[default]
    Passed,
    /// From the polynomial of the displacement, differentiated
    Numdiff,
}

/// What is done about the energy a coupling makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Energy {
    /// It is watched
    #[default]
    Monitor,
    /// What an extrapolation has missed is added to the next
    Nepce,
    /// A damper between the masses takes it out
    Leak,
}

/// What the macro step is chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    /// It is not: all steps are H
    #[default]
    Fixed,
    /// Predicted against actual inputs
    Error,
    /// Residual energy of the power bond
    Ecco,
}

/// The subsystem with the smaller macro step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum, Serialize)]
pub enum Fast {
    /// Mass 1
    #[value(name = "1")]
    #[serde(rename = "1")]
    One,
    /// Mass 2, the stiffer one in the benchmark
    #[value(name = "2")]
    #[serde(rename = "2")]
    #[default]
    Two,
}

/// H slow / H fast, 1 or above: `5` or `3/2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rate {
    /// Numerator, in lowest terms.
    pub over: u32,
    /// Denominator, in lowest terms.
    pub under: u32,
}

/// Equal steps.
impl Default for Rate {
    fn default() -> Self {
        Rate { over: 1, under: 1 }
    }
}

/// Name of a value as it is typed.
pub fn typed<T: ValueEnum>(value: T) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

impl Schedule {
    /// As the master has it, for so many units.
    pub fn of_master(self, units: usize) -> master::Schedule {
        match self {
            Self::Jacobi => master::Schedule::Jacobi,
            Self::Gs12 => master::Schedule::GaussSeidel((0..units).collect()),
            Self::Gs21 => master::Schedule::GaussSeidel((0..units).rev().collect()),
            Self::Palindromic => master::Schedule::Palindromic((0..units).collect()),
        }
    }
}

impl Correct {
    /// As the master has it.
    pub fn of_master(self) -> Correction {
        match self {
            Self::Explicit => Correction::Explicit,
            Self::FixedPoint => Correction::FixedPoint(FixedPoint::new(Relaxation::Aitken(1.0))),
            Self::Newton => Correction::Newton(Newton::new(InterfaceJacobian::FiniteDifferences)),
            Self::IqnIls => Correction::QuasiNewton(QuasiNewton::iqn_ils()),
            Self::Anderson => Correction::QuasiNewton(QuasiNewton::anderson(5, 1.0)),
            Self::NewtonKrylov => Correction::NewtonKrylov(NewtonKrylov::default()),
            Self::SemiImplicit => Correction::SemiImplicit(SemiImplicit::default()),
        }
    }
}

impl Sampling {
    /// As the master has it.
    pub fn of_master(self) -> master::Sampling {
        match self {
            Self::Updated => master::Sampling::Updated,
            Self::Lagged => master::Sampling::Lagged,
        }
    }
}

impl Derivative {
    /// As the master has it.
    pub fn of_master(self) -> predict::Derivative {
        match self {
            Self::Passed => predict::Derivative::Passed,
            Self::Numdiff => predict::Derivative::Differentiated,
        }
    }
}

impl Energy {
    /// As the master has it.
    pub fn of_master(self) -> EnergyCorrection {
        match self {
            Self::Monitor => EnergyCorrection::Monitor,
            Self::Nepce => EnergyCorrection::Nepce,
            Self::Leak => EnergyCorrection::Leak,
        }
    }
}

impl Control {
    /// As the master has it; `None` where steps are of one length.
    pub fn of_master(self) -> Option<Estimate> {
        match self {
            Self::Fixed => None,
            Self::Error => Some(Estimate::Error),
            Self::Ecco => Some(Estimate::Ecco),
        }
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        /// Steps of the fast side in one of the slow side.
        const RATE_MAX: u32 = 10_000;
        let (over, under) = text.split_once('/').unwrap_or((text, "1"));
        let parse = |part: &str| part.parse::<u32>().ok().filter(|part| (1..=RATE_MAX).contains(part));
        match (parse(over), parse(under)) {
            (Some(over), Some(under)) if over >= under => {
                let common = common_divisor(over, under);
                Ok(Self { over: over / common, under: under / common })
            }
            _ => Err(format!("expected a ratio of 1 or above, as `5` or `3/2`, of numbers up to {RATE_MAX}")),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.under == 1 { write!(f, "{}", self.over) } else { write!(f, "{}/{}", self.over, self.under) }
    }
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

impl Serialize for Rate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_kept_in_lowest_terms() {
        assert_eq!("6/4".parse::<Rate>().expect("a rate"), Rate { over: 3, under: 2 });
        assert_eq!("5".parse::<Rate>().expect("a rate").to_string(), "5");
        for text in ["0", "1/2", "2/0", "-3", "1.5", "3/", "10001"] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }
}
