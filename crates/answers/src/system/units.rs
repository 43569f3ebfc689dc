//! Units in the result of a run.

use macrostep_system::assemble::InputOrder;
use serde::Serialize;

use super::outcome::Outcome;

/// One unit.
#[derive(Debug, Serialize)]
pub struct UnitResult<'a> {
    pub name: &'a str,
    pub fmu: String,
    pub kind: &'a str,
    /// How it is driven, where its FMU has equations that this program can integrate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub face: Option<&'static str>,
    pub do_steps: u64,
    /// Time in them \[s\], where it was taken.
    pub wall_s: Option<f64>,
    /// Which derivatives of its inputs it takes, where that was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_derivatives: Option<InputDerivatives>,
}

/// As `macrostep info --probe --json` has it.
#[derive(Debug, Serialize)]
pub struct InputDerivatives {
    /// The highest order; 0: inputs are held over a step.
    pub order: usize,
    /// What the unit does, and how that is known.
    pub how: String,
}

impl Outcome {
    /// With what was seen of the inputs of each unit before the run.
    pub fn tried(mut self, taken: Vec<Option<InputOrder>>) -> Self {
        self.taken = taken;
        self
    }

    /// That of a unit.
    pub(super) fn input_derivatives(&self, unit: usize) -> Option<InputDerivatives> {
        let taken = self.taken.get(unit)?.as_ref()?;
        Some(InputDerivatives { order: taken.order, how: taken.sentence() })
    }
}
