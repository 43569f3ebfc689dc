//! How outputs with feed-through follow their inputs at one instant.

use macrostep_description::ModelDescription;

/// How a feed-through output is brought to the inputs' true values at a communication point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    /// Set the inputs, get the outputs: for units that are known to allow a Get after a Set without a step between.
    GetAfterSet,
    /// Reported value + directional derivative × change of the inputs: within FMI 2.0.5, exact for linear feed-through.
    Directional,
    /// Left as reported: the unit offers neither, or "lagged" sampling is wanted.
    Reported,
}

impl Refresh {
    /// The best way a description allows.
    pub fn of(description: &ModelDescription) -> Self {
        // Said by a model of this program, or of equations that are integrated here.
        let tools = ["macrostep", "model-exchange"];
        let ours = description.vendor_annotations.iter().filter(|a| tools.contains(&a.tool.as_str()));
        let flag = |a: &macrostep_description::VendorAnnotation| {
            a.attributes.iter().any(|(name, value)| name == "getAfterSet" && value == "true")
        };
        let co = description.co_simulation.as_ref();
        if ours.into_iter().any(flag) {
            Refresh::GetAfterSet
        } else if co.is_some_and(|c| c.provides_directional_derivative) {
            Refresh::Directional
        } else {
            Refresh::Reported
        }
    }
}
