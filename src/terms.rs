//! The words of the command line: one type an option, each value with the name it is typed and printed by.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use serde::Serialize;

pub use crate::predict::{GsVariant, Predict};

/// Row of Table 1 of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
pub enum Case {
    /// No damping: the energy is constant
    #[value(name = "1")]
    #[serde(rename = "1")]
    One,
    /// Case 1 with three dampers of 0.01 N·s/m
    #[value(name = "2")]
    #[serde(rename = "2")]
    Two,
}

/// What each subsystem is driven by: D (owns the coupling, driven by a displacement) or F (driven by a force).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
pub enum Coupling {
    /// D/F: mass 1 owns the coupling, mass 2 is driven by its force
    #[value(name = "f-s")]
    #[serde(rename = "f-s")]
    ForceDisplacement,
    /// F/D: the mirror of f-s
    #[value(name = "s-f")]
    #[serde(rename = "s-f")]
    DisplacementForce,
    /// D/D: each mass has a copy of the coupling and is driven by the other's displacement
    #[value(name = "s-s")]
    #[serde(rename = "s-s")]
    DisplacementDisplacement,
    /// F/F: the coupling law stands outside, both masses are driven by its force
    #[value(name = "f-f")]
    #[serde(rename = "f-f")]
    ForceForce,
}

/// Who steps when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// Both at once, each with extrapolated inputs
    Jacobi,
    /// Subsystem 1 first, 2 with interpolated inputs
    Gs12,
    /// Subsystem 2 first, 1 with interpolated inputs
    Gs21,
    /// Subsystem 1 by half a step, 2 by a whole one, 1 by half a step
    Palindromic,
}

/// How the end of a macro step is corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correct {
    /// Not at all
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

/// The subsystem with the smaller macro step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
pub enum Fast {
    /// Mass 1
    #[value(name = "1")]
    #[serde(rename = "1")]
    One,
    /// Mass 2, the stiffer one in the benchmark
    #[value(name = "2")]
    #[serde(rename = "2")]
    Two,
}

/// What a subsystem integrates its own equations by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Integrator {
    /// Semi-implicit Euler, equation (7), order 1
    Sie,
    /// Classical Runge–Kutta, order 4
    Rk4,
    /// Matrix exponential with polynomial input: leaves the coupling error alone
    Exact,
}

/// Where samples before t = 0 come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// From nowhere: the degree grows 0, 1, …, K in the first steps
    Ramp,
    /// From the exact solution
    Exact,
}

/// What a feed-through output is evaluated with at a communication point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// The true states of both masses
    Updated,
    /// The input its owner still holds
    Lagged,
}

/// Where the velocity of a displacement input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Derivative {
    /// From the other subsystem, extrapolated by itself
    Passed,
    /// From the polynomial of the displacement, differentiated
    Numdiff,
}

/// What is done about the energy a coupling makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
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

/// What the subsystems are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Units {
    /// The FMUs this program carries
    Fmu,
    /// The same models in this process
    Native,
}

/// H slow / H fast, 1 or above: `5` or `3/2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Numerator, in lowest terms.
    pub over: u32,
    /// Denominator, in lowest terms.
    pub under: u32,
}

/// `--set NAME=VALUE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Name of a parameter.
    pub name: String,
    /// Its value in the parameter's unit.
    pub value: f64,
}

impl Coupling {
    /// Kinds of subsystem 1 and 2.
    pub fn letters(self) -> &'static str {
        match self {
            Self::ForceDisplacement => "D/F",
            Self::DisplacementForce => "F/D",
            Self::DisplacementDisplacement => "D/D",
            Self::ForceForce => "F/F",
        }
    }

    /// Name in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::ForceDisplacement => "force-displacement",
            Self::DisplacementForce => "displacement-force",
            Self::DisplacementDisplacement => "displacement-displacement",
            Self::ForceForce => "force-force",
        }
    }

    /// Whether a subsystem sends a force that depends on its input.
    pub fn has_feed_through(self) -> bool {
        matches!(self, Self::ForceDisplacement | Self::DisplacementForce)
    }
}

/// Name of a value as it is typed.
pub fn typed<T: ValueEnum>(value: T) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
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

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("expected `NAME=VALUE`")?;
        let value = value.trim().parse().map_err(|_| format!("`{value}` is no number"))?;
        Ok(Self { name: name.trim().to_owned(), value })
    }
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
