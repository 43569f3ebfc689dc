//! The words for predictors.

use super::{Control, Derivative, Variant};
use macrostep_master::predict::{
    self, Hermite, IntegratedAcceleration, Jerk, Kalman, Lagrange, Mean, Predictor, Rates, Spectral,
};
use macrostep_master::{Estimate, StepControl};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// As many derivatives as a slave of ours takes of an input.
const DEGREE_MAX: u32 = 20;

/// Degrees that a choice of degree goes up to: beyond these, extrapolation gains nothing.
const CHOSEN_DEGREE_MAX: u32 = 4;

/// The predictor of inputs: `hold`, `linear`, `quadratic`, `poly:K`, `ia0` … `ia:K`, `h3`, `h5`, `jerk`, `jerk:3`,
/// `mean`, `rates`, `spectral:Q`, `kalman:K:R`.
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
    /// Hermite polynomials of the acceleration, integrated twice.
    Jerk,
    /// Polynomials through nodes inside the step.
    Spectral,
    /// The mean of both ends of a step, which a corrector finds.
    Mean,
    /// A line with the rate that the signal has at the newest communication point.
    Rates,
    /// Polynomials filtered of noise.
    Kalman(Ratio),
}

impl Family {
    /// Predictors of this family that are chosen between where a list is shown, each with its meaning; all others differ in a number only.
    const fn words(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Family::Classical => &[
                ("hold", "the newest value"),
                ("linear", "the line through the two newest values"),
                ("quadratic", "the parabola through the three newest values"),
                ("poly:3", "the cubic polynomial through the four newest values"),
            ],
            Family::Integrated => &[
                ("ia0", "the newest acceleration, integrated twice"),
                ("ia1", "the line through two accelerations, integrated twice"),
                ("ia2", "the parabola through three accelerations, integrated twice"),
            ],
            Family::Hermite => {
                &[("h3", "values and rates at two points"), ("h5", "values, rates and accelerations at two points")]
            }
            Family::Jerk => &[
                ("jerk", "accelerations and their rates at two points, integrated twice"),
                ("jerk:3", "accelerations and their rates at three points, integrated twice"),
            ],
            Family::Rates => &[("rates", "the newest value and its rate")],
            Family::Mean => &[("mean", "the mean of both ends of the step; with a corrector")],
            Family::Spectral => &[
                ("spectral:8", "nine nodes inside the step; with a corrector"),
                ("spectral:20", "twenty-one nodes inside the step; with a corrector"),
            ],
            Family::Kalman(_) => &[("kalman:2:1000000", "constant acceleration behind noise")],
        }
    }

    /// One of each kind, in the order in which lists show them.
    const ALL: [Family; 8] = [
        Family::Classical,
        Family::Integrated,
        Family::Hermite,
        Family::Jerk,
        Family::Rates,
        Family::Mean,
        Family::Spectral,
        Family::Kalman(Ratio(0)),
    ];
}

/// Noise of the accelerations of a signal over that of its samples \[1/s²\]; kept as bits, so that words are equal or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio(u64);

impl Ratio {
    /// Of a positive number.
    pub fn new(ratio: f64) -> Option<Self> {
        (ratio.is_finite() && ratio > 0.0).then_some(Self(ratio.to_bits()))
    }

    /// The number \[1/s²\].
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// Hold.
impl Default for Predict {
    fn default() -> Self {
        Predict::classical(0)
    }
}

impl Predict {
    /// A polynomial of degree `degree` through values.
    pub fn classical(degree: u32) -> Self {
        Self { family: Family::Classical, degree }
    }

    /// Accelerations of degree `degree`, integrated twice.
    pub fn integrated(degree: u32) -> Self {
        Self { family: Family::Integrated, degree }
    }

    /// Accelerations and their rates at 2 or 3 points; other numbers are brought there.
    pub fn jerk(points: u32) -> Self {
        Self { family: Family::Jerk, degree: 2 * points.clamp(2, 3) + 1 }
    }

    /// Values and rates at one point.
    pub fn rates() -> Self {
        Self { family: Family::Rates, degree: 1 }
    }

    /// The mean of both ends of a step.
    pub fn mean() -> Self {
        Self { family: Family::Mean, degree: 0 }
    }

    /// Constant velocity (1) or acceleration (2) behind noise; other degrees are brought there.
    pub fn kalman(degree: u32, ratio: Ratio) -> Self {
        Self { family: Family::Kalman(ratio), degree: degree.clamp(1, 2) }
    }

    /// Through q + 1 nodes inside the step, q from 2 to 20; others are brought there.
    pub fn spectral(q: u32) -> Self {
        Self { family: Family::Spectral, degree: q.clamp(2, DEGREE_MAX) }
    }

    /// Hold, linear, quadratic, integrated acceleration of degree 0 and 1.
    pub fn five() -> [Self; 5] {
        [Self::classical(0), Self::classical(1), Self::classical(2), Self::integrated(0), Self::integrated(1)]
    }

    /// The predictors that a list to choose from shows, each word with its meaning.
    pub fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
        Family::ALL.into_iter().flat_map(|family| family.words().iter().copied())
    }

    /// Degree of the polynomials a unit is fed with.
    pub fn fed_degree(self) -> u32 {
        if self.family == Family::Integrated { self.degree + 2 } else { self.degree }
    }

    /// The predictor; `derivative` is for classical ones, `variant` for integrated acceleration.
    pub fn predictor(self, derivative: predict::Derivative, variant: predict::Variant) -> Arc<dyn Predictor> {
        let degree = self.degree as usize;
        match self.family {
            Family::Classical => Lagrange { derivative, ..Lagrange::new(degree) }.into(),
            Family::Integrated => IntegratedAcceleration { variant, ..IntegratedAcceleration::new(degree) }.into(),
            Family::Hermite => Hermite { jet: degree.div_ceil(2) }.into(),
            Family::Jerk => Jerk { points: (degree - 1) / 2 }.into(),
            Family::Spectral => Spectral::new(degree).into(),
            Family::Mean => Mean.into(),
            Family::Rates => Rates.into(),
            Family::Kalman(ratio) => Kalman::new(degree, ratio.value()).into(),
        }
    }
}

impl Predict {
    /// Step control with all degrees of the predictor's family to choose from; `None` for steps of one length. `tolerance` is
    /// relative; derivative and variant are those of the predictor.
    pub fn step_control(
        self,
        control: Control,
        tolerance: f64,
        (derivative, variant): (Derivative, Variant),
    ) -> Option<StepControl> {
        let estimate = match control {
            Control::Fixed => return None,
            Control::Error => Estimate::Error,
            Control::Ecco => Estimate::Ecco,
        };
        let mut out = StepControl::new(estimate, tolerance);
        let degree = self.degree as usize;
        let chosen = control == Control::Error;
        // Integrated accelerations predict velocities one degree higher.
        out.lowest = match self.family {
            Family::Integrated if chosen => 1,
            Family::Integrated => degree + 1,
            Family::Classical if chosen => 0,
            Family::Classical | Family::Mean | Family::Spectral | Family::Rates | Family::Kalman(_) => degree,
            Family::Hermite | Family::Jerk => degree - 1,
        };
        if chosen && matches!(self.family, Family::Classical | Family::Integrated) {
            let degrees = (0..=CHOSEN_DEGREE_MAX).map(|degree| Predict { degree, ..self });
            out.family = degrees.map(|p| p.predictor(derivative.into(), variant.into())).collect();
        }
        Some(out)
    }
}

impl FromStr for Predict {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |degree: &str| degree.parse::<u32>().ok();
        // Integrated twice, the degree grows by two.
        let integrated = |degree: Option<u32>| (Family::Integrated, degree.filter(|k| *k <= DEGREE_MAX - 2));
        // Names first, then families with a number behind the colon.
        let (family, degree) = match text {
            "hold" => (Family::Classical, Some(0)),
            "linear" => (Family::Classical, Some(1)),
            "quadratic" => (Family::Classical, Some(2)),
            // Hermite polynomials, and what motions and rates allow.
            "h3" => (Family::Hermite, Some(3)),
            "h5" => (Family::Hermite, Some(5)),
            "jerk" => return Ok(Self::jerk(2)),
            "jerk:3" => return Ok(Self::jerk(3)),
            "mean" => return Ok(Self::mean()),
            "rates" => return Ok(Self::rates()),
            // Integrated accelerations.
            "ia0" => integrated(Some(0)),
            "ia1" => integrated(Some(1)),
            "ia2" => integrated(Some(2)),
            _ => match text.split_once(':') {
                Some(("poly", degree)) => (Family::Classical, number(degree).filter(|k| *k <= DEGREE_MAX)),
                Some(("ia", degree)) => integrated(number(degree)),
                Some(("kalman", rest)) => match kalman(rest) {
                    Some(kalman) => return Ok(kalman),
                    None => (Family::Classical, None),
                },
                Some(("spectral", q)) => (Family::Spectral, number(q).filter(|q| (2..=DEGREE_MAX).contains(q))),
                _ => (Family::Classical, None),
            },
        };
        degree.map(|degree| Self { family, degree }).ok_or(format!(
            "expected `hold`, `linear`, `quadratic`, `poly:K` with K from 0 to {DEGREE_MAX}, `ia0`, `ia1`, `ia2`, `ia:K` with \
             K from 0 to {}, `h3`, `h5`, `jerk`, `jerk:3`, `mean`, `rates`, `spectral:Q` with Q from 2 to {DEGREE_MAX}, or `kalman:K:R` with K 1 or 2 and R \
             the noise of the acceleration over that of the samples in 1/s²",
            DEGREE_MAX - 2
        ))
    }
}

/// `K:R` of a Kalman filter.
fn kalman(text: &str) -> Option<Predict> {
    let (degree, ratio) = text.split_once(':')?;
    let degree = degree.parse().ok().filter(|k| (1..=2).contains(k))?;
    Some(Predict::kalman(degree, Ratio::new(ratio.parse().ok()?)?))
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
            (Family::Jerk, 5) => f.write_str("jerk"),
            (Family::Jerk, degree) => write!(f, "jerk:{}", (degree - 1) / 2),
            (Family::Mean, _) => f.write_str("mean"),
            (Family::Rates, _) => f.write_str("rates"),
            (Family::Kalman(ratio), degree) => write!(f, "kalman:{degree}:{}", ratio.value()),
            (Family::Spectral, q) => write!(f, "spectral:{q}"),
        }
    }
}

impl serde::Serialize for Predict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_shows_predictors_of_every_family_by_their_words() {
        let mut families = std::collections::HashSet::new();
        for (word, meaning) in Predict::words() {
            let predict = word.parse::<Predict>().expect("a predictor");
            assert_eq!(predict.to_string(), word);
            assert!(meaning.len() > 8, "{word}");
            families.insert(std::mem::discriminant(&predict.family));
        }
        assert_eq!(families.len(), Family::ALL.len());
    }

    #[test]
    fn a_predictor_reads_back_as_it_is_printed() {
        for text in [
            "hold",
            "linear",
            "quadratic",
            "poly:3",
            "poly:20",
            "ia0",
            "ia1",
            "ia2",
            "ia:3",
            "ia:18",
            "h3",
            "h5",
            "jerk",
            "mean",
            "rates",
            "spectral:16",
            "kalman:1:400",
            "kalman:2:0.25",
        ] {
            assert_eq!(text.parse::<Predict>().expect("a predictor").to_string(), text);
        }
        assert_eq!("poly:2".parse::<Predict>().expect("a predictor").to_string(), "quadratic");
        assert_eq!("ia:1".parse::<Predict>().expect("a predictor").to_string(), "ia1");
        for text in [
            "poly:21",
            "poly:-1",
            "poly:",
            "cubic",
            "poly:1.5",
            "ia",
            "ia3",
            "ia:19",
            "h4",
            "kalman:1",
            "kalman:3:1",
            "kalman:1:0",
            "kalman:1:nan",
        ] {
            assert!(text.parse::<Predict>().is_err(), "{text}");
        }
    }
}
