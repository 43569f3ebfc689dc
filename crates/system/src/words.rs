//! The words for methods: declared here once, for files, options, results, error texts and docs, with what they stand for in
//! the master.
//!
//! [`Predict`] and [`Named`] carry a number, as in `poly:3`; all others are lists of words with a default and the meaning of
//! each, [`KEYS`] names them all.

mod correct;
mod named;
mod predict;

pub use named::Named;
pub use predict::{Family, Predict};

use macrostep_description::ModelDescription;
use macrostep_master::{self as master, EnergyCorrection};
use std::fmt;
use std::str::FromStr;

/// A list of words, for docs and help.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The key in `[coupling]`; the option has the same name, with dashes.
    pub key: &'static str,
    /// What the words are about.
    pub about: &'static str,
    /// Each word with its meaning, the default first of all.
    pub words: &'static [(&'static str, &'static str)],
    /// The word that holds where none is given.
    pub default: &'static str,
}

/// A type whose values are words: name, key, default, and each value with its word, other words accepted for it, and its
/// meaning in one sentence.
macro_rules! words {
    ($(#[doc = $about:literal])+ $name:ident, $key:literal, default $default:ident {
        $($(#[doc = $meaning:literal])+ $value:ident = $word:literal $(| $alias:literal)*),+ $(,)?
    }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[doc = $meaning])+ $value),+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// For docs and help.
            pub const KEY: Key = Key {
                key: $key,
                about: concat!($($about),+),
                words: &[$(($word, concat!($($meaning),+))),+],
                default: Self::$default.word(),
            };

            /// As it is written.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$value => $word),+ }
            }

            /// Other words that are read for it.
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { $(Self::$value => &[$($alias),*]),+ }
            }

            /// The meaning, in one sentence without a full stop.
            pub fn meaning(self) -> &'static str {
                let meaning = match self { $(Self::$value => concat!($($meaning),+)),+ };
                meaning.trim().trim_end_matches('.')
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let is_said = |value: &Self| value.word() == text || value.aliases().contains(&text);
                Self::ALL.iter().copied().find(is_said).ok_or_else(|| {
                    let words: Vec<String> = Self::ALL.iter().map(|value| format!("`{}`", value.word())).collect();
                    format!("expected {}", words.join(", "))
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <String as serde::Deserialize>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "clap")]
        impl clap::ValueEnum for $name {
            fn value_variants<'a>() -> &'a [Self] {
                Self::ALL
            }

            fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                Some(clap::builder::PossibleValue::new(self.word()).aliases(self.aliases()).help(self.meaning()))
            }
        }
    };
}

words! {
    /// How units go back where a method repeats steps.
    Rollback, "rollback", default Auto {
        /// By the FMU's own state functions; where it declares none, by fork of a process of its own (Linux).
        Auto = "auto",
        /// By the FMU's own state functions, or not at all.
        Own = "own",
        /// By fork of a process of its own, whatever the FMU declares.
        Fork = "fork",
    }
}

impl Rollback {
    /// Whether an FMU that offers this goes back by fork.
    pub fn forks(self, description: &ModelDescription) -> bool {
        let own = description.co_simulation.as_ref().is_some_and(|c| c.can_get_and_set_fmu_state);
        self == Rollback::Fork || (self == Rollback::Auto && !own)
    }
}

words! {
    /// Who steps when.
    Schedule, "schedule", default Jacobi {
        /// All units step from the same communication point, each with extrapolated inputs.
        Jacobi = "jacobi",
        /// Units step one after the other, in the order given or listed; each gets what those before it have published (of two: gs12).
        GaussSeidel = "gauss-seidel" | "gs12",
        /// The same in the opposite order of the list (of two: gs21).
        GaussSeidelReversed = "gauss-seidel-reversed" | "gs21",
        /// Half steps in the order given or listed, a whole step of the last unit, and half steps in the opposite order: symmetric.
        Palindromic = "palindromic",
        /// The same in the opposite order of the list.
        PalindromicReversed = "palindromic-reversed",
    }
}

words! {
    /// How the end of a communication step is corrected.
    Correct, "correct", default Explicit {
        /// The step is not repeated.
        Explicit = "explicit",
        /// The step is repeated with the new end values until they no longer change (Aitken relaxation).
        FixedPoint = "fixed-point",
        /// Newton's method with the interface Jacobian from finite differences.
        Newton = "newton",
        /// Newton's method with the interface Jacobian from directional derivatives.
        NewtonDirectional = "newton-directional",
        /// Quasi-Newton with least squares on the secants of this and earlier steps.
        IqnIls = "iqn-ils",
        /// Quasi-Newton with a Jacobian that is kept from the secants of all steps.
        IqnImvj = "iqn-imvj",
        /// Anderson acceleration with the five newest secants of the step.
        Anderson = "anderson",
        /// Newton's method without a Jacobian: its linear equation is solved by GMRES with repeated steps.
        NewtonKrylov = "newton-krylov",
        /// Predictor and corrector: every step is made exactly twice.
        SemiImplicit = "semi-implicit",
        /// Made once: the end values that units need before are computed from directional derivatives and the steps before.
        LinearImplicit = "linear-implicit",
    }
}

words! {
    /// Which inputs feed-through outputs are evaluated with at a communication point.
    Sampling, "sampling", default Updated {
        /// The true values at the communication point.
        Updated = "updated",
        /// The values that the unit holds from its last step.
        Lagged = "lagged",
    }
}

words! {
    /// Where the derivatives of an input that is a motion come from.
    Derivative, "derivative", default Passed {
        /// Sent by the other unit; each is extrapolated as a signal of its own.
        Passed = "passed",
        /// The derivatives of the polynomial of the value.
        Numdiff = "numdiff",
    }
}

words! {
    /// What integrated acceleration makes of a body whose end is known.
    Variant, "gs_variant", default H3 {
        /// Accelerations through the end, integrated from the start of the step.
        N0 = "n0",
        /// Accelerations through the end, integrated from the end backwards.
        N1 = "n1",
        /// Cubic Hermite polynomial in (x, v).
        H3 = "h3",
        /// Quintic Hermite polynomial in (x, v, a).
        H5 = "h5",
    }
}

words! {
    /// What is done about the residual energy of power bonds.
    Energy, "energy", default Monitor {
        /// It is only reported.
        Monitor = "monitor",
        /// The mean error of an extrapolated input is added to its next extrapolation.
        Nepce = "nepce",
        /// A damper between the ports takes it out of the system.
        Leak = "leak",
    }
}

words! {
    /// Which crossings of a threshold are events.
    Direction, "direction", default Both {
        /// From below to above, and from above to below.
        Both = "both",
        /// From below to above.
        Rising = "rising",
        /// From above to below.
        Falling = "falling",
    }
}

words! {
    /// What the communication step is chosen by.
    Control, "control", default Fixed {
        /// All steps are H.
        Fixed = "fixed",
        /// The difference between predicted and actual inputs.
        Error = "error",
        /// The residual energy of the power bonds.
        Ecco = "ecco",
    }
}

/// Every list of words.
pub const KEYS: [Key; 7] =
    [Schedule::KEY, Correct::KEY, Variant::KEY, Derivative::KEY, Sampling::KEY, Energy::KEY, Control::KEY];

impl Schedule {
    /// As results of the two-mass benchmark name it.
    pub const fn short(self) -> &'static str {
        match self.aliases() {
            [short, ..] => short,
            [] => self.word(),
        }
    }

    /// The same without an opposite order: `jacobi`, `gauss-seidel` or `palindromic`.
    pub const fn forward(self) -> Self {
        match self {
            Self::GaussSeidelReversed => Self::GaussSeidel,
            Self::PalindromicReversed => Self::Palindromic,
            same => same,
        }
    }

    /// Whether steps are halved and mirrored.
    pub const fn is_palindromic(self) -> bool {
        matches!(self.forward(), Self::Palindromic)
    }

    /// As the master has it, for units in the order `listed`.
    pub fn schedule(self, mut listed: Vec<usize>) -> master::Schedule {
        if self != self.forward() {
            listed.reverse();
        }
        match self.forward() {
            Self::GaussSeidel => master::Schedule::GaussSeidel(listed),
            Self::Palindromic => master::Schedule::Palindromic(listed),
            _ => master::Schedule::Jacobi,
        }
    }
}

/// The values that the master has by the same names.
macro_rules! as_in_master {
    ($($name:ident as $master:path: $($value:ident)+;)+) => {$(
        impl From<$name> for $master {
            fn from(value: $name) -> Self {
                match value { $($name::$value => Self::$value),+ }
            }
        }
    )+};
}

as_in_master! {
    Direction as master::Direction: Both Rising Falling;
    Sampling as master::Sampling: Updated Lagged;
    Variant as master::predict::Variant: N0 N1 H3 H5;
    Energy as EnergyCorrection: Monitor Nepce Leak;
}

impl From<Derivative> for master::predict::Derivative {
    fn from(derivative: Derivative) -> Self {
        match derivative {
            Derivative::Passed => Self::Passed,
            Derivative::Numdiff => Self::Differentiated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_are_answered_with_the_known_ones() {
        assert_eq!("newton".parse(), Ok(Correct::Newton));
        let error = "jakobi".parse::<Schedule>().expect_err("no such word");
        assert_eq!(
            error,
            "expected `jacobi`, `gauss-seidel`, `gauss-seidel-reversed`, `palindromic`, `palindromic-reversed`"
        );
    }

    #[test]
    fn short_words_of_two_units_are_read_for_the_long_ones() {
        for (short, schedule) in [("gs12", Schedule::GaussSeidel), ("gs21", Schedule::GaussSeidelReversed)] {
            assert_eq!(short.parse(), Ok(schedule));
            assert_eq!(schedule.short(), short);
            assert_eq!(schedule.word().parse(), Ok(schedule));
        }
        assert_eq!(Schedule::Palindromic.short(), "palindromic");
    }

    #[test]
    fn every_word_has_a_meaning_and_every_default_is_a_word() {
        for key in KEYS {
            assert!(key.words.iter().any(|(word, _)| *word == key.default), "{}", key.key);
            assert!(key.words.iter().all(|(_, meaning)| meaning.trim().len() > 8), "{}", key.key);
        }
    }
}
