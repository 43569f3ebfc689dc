//! The words for a predictor: `hold`, `linear`, `quadratic`, `poly:K`, `ia0` … `ia:K`, `h3`, `h5`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use clap::ValueEnum;
use macrostep_master::predict::{Derivative, Hermite, IntegratedAcceleration, Lagrange, Predictor, Variant};
use serde::Serialize;

/// As many derivatives as the FMUs take of an input.
const DEGREE_MAX: u32 = 20;

/// What an input is predicted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Predict {
    /// Which kind of polynomial.
    pub family: Family,
    /// Its degree: of the values, of the accelerations, or of the Hermite polynomial.
    pub degree: u32,
}

/// Kinds of predictors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Polynomials through values.
    Classical,
    /// Polynomials through accelerations, integrated twice.
    Integrated,
    /// Polynomials through values and derivatives at both ends of a step.
    Hermite,
}

/// What integrated acceleration makes of a body that a Gauss–Seidel schedule knows at the end of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GsVariant {
    /// Accelerations through the end, integrated from the start of the step
    N0,
    /// Accelerations through the end, integrated from the end backwards
    N1,
    /// Cubic Hermite polynomial in (x, v)
    #[default]
    H3,
    /// Quintic Hermite polynomial in (x, v, a)
    H5,
}

impl Predict {
    /// A polynomial of degree `degree` through values.
    pub fn classical(degree: u32) -> Self {
        Self { family: Family::Classical, degree }
    }

    /// Whether motions are predicted and the coupling law is applied to them.
    pub fn predicts_motion(self) -> bool {
        self.family != Family::Classical
    }

    /// The predictor; `derivative` is for classical ones, `variant` for integrated acceleration.
    pub fn predictor(self, derivative: Derivative, variant: GsVariant) -> Arc<dyn Predictor> {
        let degree = self.degree as usize;
        match self.family {
            Family::Classical => Arc::new(Lagrange { derivative, ..Lagrange::new(degree) }),
            Family::Integrated => {
                Arc::new(IntegratedAcceleration { variant: variant.of_master(), ..IntegratedAcceleration::new(degree) })
            }
            Family::Hermite => Arc::new(Hermite { jet: degree.div_ceil(2) }),
        }
    }
}

impl GsVariant {
    fn of_master(self) -> Variant {
        match self {
            Self::N0 => Variant::N0,
            Self::N1 => Variant::N1,
            Self::H3 => Variant::H3,
            Self::H5 => Variant::H5,
        }
    }
}

impl FromStr for Predict {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |degree: &str| degree.parse::<u32>().ok();
        // Integrated twice, the degree grows by two.
        let integrated = |degree: Option<u32>| (Family::Integrated, degree.filter(|k| *k <= DEGREE_MAX - 2));
        let (family, degree) = match text {
            "hold" => (Family::Classical, Some(0)),
            "linear" => (Family::Classical, Some(1)),
            "quadratic" => (Family::Classical, Some(2)),
            "h3" => (Family::Hermite, Some(3)),
            "h5" => (Family::Hermite, Some(5)),
            "ia0" => integrated(Some(0)),
            "ia1" => integrated(Some(1)),
            "ia2" => integrated(Some(2)),
            _ => match (text.strip_prefix("poly:"), text.strip_prefix("ia:")) {
                (Some(degree), _) => (Family::Classical, number(degree).filter(|k| *k <= DEGREE_MAX)),
                (_, Some(degree)) => integrated(number(degree)),
                _ => (Family::Classical, None),
            },
        };
        degree.map(|degree| Self { family, degree }).ok_or(format!(
            "expected `hold`, `linear`, `quadratic`, `poly:K` with K from 0 to {DEGREE_MAX}, `ia0`, `ia1`, `ia2`, `ia:K` with \
             K from 0 to {}, `h3` or `h5`",
            DEGREE_MAX - 2
        ))
    }
}

impl fmt::Display for Predict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.family, self.degree) {
            (Family::Classical, 0) => f.write_str("hold"),
            (Family::Classical, 1) => f.write_str("linear"),
            (Family::Classical, 2) => f.write_str("quadratic"),
            (Family::Classical, degree) => write!(f, "poly:{degree}"),
            (Family::Integrated, degree @ 0..=2) => write!(f, "ia{degree}"),
            (Family::Integrated, degree) => write!(f, "ia:{degree}"),
            (Family::Hermite, degree) => write!(f, "h{degree}"),
        }
    }
}

impl Serialize for Predict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_predictor_reads_back_as_it_is_printed() {
        for text in
            ["hold", "linear", "quadratic", "poly:3", "poly:20", "ia0", "ia1", "ia2", "ia:3", "ia:18", "h3", "h5"]
        {
            assert_eq!(text.parse::<Predict>().expect("a predictor").to_string(), text);
        }
        assert_eq!("poly:2".parse::<Predict>().expect("a predictor").to_string(), "quadratic");
        assert_eq!("ia:1".parse::<Predict>().expect("a predictor").to_string(), "ia1");
        for text in ["poly:21", "poly:-1", "poly:", "cubic", "poly:1.5", "ia", "ia3", "ia:19", "h4"] {
            assert!(text.parse::<Predict>().is_err(), "{text}");
        }
    }
}
