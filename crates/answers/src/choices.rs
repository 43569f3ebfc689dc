//! The values of options that are not part of a scheme: one type for each option, each value with its name.

use std::str::FromStr;

use clap::ValueEnum;
use serde::Serialize;

pub use macrostep_analysis::pair::{Coupling, Integrator, Start};
pub use macrostep_analysis::scheme::{
    Control, Correct, Derivative, Energy, Fast, Predict, Rate, Sampling, Schedule, Variant, typed,
};

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

/// The version of FMI that an FMU is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
pub enum Fmi {
    /// FMI 2.0
    #[value(name = "2")]
    #[serde(rename = "2")]
    Two,
    /// FMI 3.0, with inputs that are asked for inside steps
    #[value(name = "3")]
    #[serde(rename = "3")]
    Three,
}

impl From<Fmi> for macrostep_packager::Fmi {
    fn from(fmi: Fmi) -> Self {
        match fmi {
            Fmi::Two => macrostep_packager::Fmi::Two,
            Fmi::Three => macrostep_packager::Fmi::Three,
        }
    }
}

/// The kind of the subsystems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Units {
    /// The FMUs this program carries
    Fmu,
    /// The same models in this process
    Native,
}

/// `--set NAME=VALUE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Name of a parameter.
    pub name: String,
    /// Its value in the parameter's unit.
    pub value: f64,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("expected `NAME=VALUE`")?;
        let value = value.trim().parse().map_err(|_| format!("found `{value}`, expected a number"))?;
        Ok(Self { name: name.trim().to_owned(), value })
    }
}
