//! What the page asks.

use std::collections::BTreeMap;

use macrostep_analysis::scheme::{Fast, Rate, Scheme};
use macrostep_benchmarks::Coupling as Cut;
use macrostep_system::scenario::{Coupling, StepChoice};
use macrostep_system::words::{Control, Correct, Predict, Schedule};
use serde::Deserialize;

/// A question.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    /// What there is to choose from.
    About,
    /// A run.
    Run(Settings),
    /// Rows of the stability map, counted from the softest coupling.
    Map {
        /// Of this method and these parameters.
        settings: Settings,
        /// Which rows.
        rows: Vec<usize>,
    },
}

/// All controls.
#[derive(Debug, Deserialize)]
pub struct Settings {
    /// Name of the system.
    pub system: String,
    /// Where it is cut, as `f-s`; the force between two pendulums.
    pub cut: String,
    /// The word of each part of the method.
    pub schedule: String,
    /// As the others.
    pub predict: String,
    /// As the others.
    pub correct: String,
    /// What macro steps are chosen by.
    pub control: String,
    /// What that tolerates, relative.
    pub control_tolerance: f64,
    /// Macro step H \[s\]; the longest one, where steps are chosen.
    pub step: f64,
    /// End \[s\].
    pub stop: f64,
    /// H slow / H fast, as `5` or `3/2`.
    pub rate: String,
    /// The fast unit, `1` or `2`.
    pub fast: String,
    /// Values that differ from those of the system, by the names of its sliders.
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
}

impl Settings {
    /// The cut of a system of two kinds of units.
    ///
    /// # Errors
    /// Where it is none.
    pub fn cut(&self) -> Result<Cut, String> {
        let cut = Cut::ALL.into_iter().find(|cut| cut.name() == self.cut);
        cut.ok_or_else(|| format!("no cut `{}`", self.cut))
    }

    /// The method as keys of a scenario.
    ///
    /// # Errors
    /// What the words may be.
    pub fn coupling(&self) -> Result<Coupling, String> {
        let control = StepChoice {
            kind: word::<Control>("step control", &self.control)?,
            tolerance: self.control_tolerance,
            ..StepChoice::default()
        };
        Ok(Coupling {
            schedule: word::<Schedule>("schedule", &self.schedule)?,
            predict: word::<Predict>("predictor", &self.predict)?,
            correct: word::<Correct>("corrector", &self.correct)?,
            control,
            sub_steps: 1,
            ..Coupling::default()
        })
    }

    /// The same with the steps of either unit.
    ///
    /// # Errors
    /// As [`Settings::coupling`].
    pub fn scheme(&self) -> Result<Scheme, String> {
        let c = self.coupling()?;
        let fast = if self.fast == "1" { Fast::One } else { Fast::Two };
        let rate: Rate = word("rate", &self.rate)?;
        let (control, control_tolerance) = (c.control.kind, c.control.tolerance);
        let scheme = Scheme::new(self.cut()?, c.schedule, c.predict);
        let scheme = Scheme { correct: c.correct, control, control_tolerance, fast, rate, ..scheme };
        scheme.check().map_err(|[one, other, why]| format!("`{one}` does not go with `{other}`: {why}"))?;
        Ok(scheme)
    }
}

fn word<T: std::str::FromStr<Err = String>>(what: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|expected| format!("{what} `{text}`: {expected}"))
}
