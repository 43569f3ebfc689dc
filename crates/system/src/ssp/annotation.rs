//! *Annotations* of other tools, and the macro steps in them.
//!
//! | tool | type | element and attribute |
//! |---|---|---|
//! | libcosim | `com.opensimulationplatform` | `FixedStepAlgorithm baseStepSize` |
//! | OMSimulator | `org.openmodelica` | `FixedStepMaster stepSize` |

use super::xml::Node;
use crate::finding::Finding;

/// Type, element and attribute, in the order in which they are believed.
const STEPS: [(&str, &str, &str); 2] = [
    ("com.opensimulationplatform", "FixedStepAlgorithm", "baseStepSize"),
    ("org.openmodelica", "FixedStepMaster", "stepSize"),
];

/// OMSimulator's type.
pub(super) const OPENMODELICA: &str = STEPS[1].0;

/// A macro step that an annotation says.
pub(super) struct Step {
    /// \[s\].
    pub step_s: f64,
    /// Type of the annotation.
    pub of: &'static str,
    /// What was taken, and from where.
    pub note: Finding,
}

/// The first macro step in annotations of these nodes.
pub(super) fn step(nodes: &[&Node]) -> Result<Option<Step>, Finding> {
    for (of, element, attribute) in STEPS {
        let lists = nodes.iter().flat_map(|n| n.children.iter());
        // Drafts of SSP had the information in an element of its own.
        let lists = lists.filter(|n| ["Annotations", "SimulationInformation"].contains(&n.local()));
        let Some(found) = lists.filter_map(|n| find(n, element)).find(|n| n.attribute(attribute).is_some()) else {
            continue;
        };
        let step_s: f64 = found.parsed(attribute, f64::NAN, "a time in seconds")?;
        if !(step_s > 0.0 && step_s.is_finite()) {
            let what = format!("`{attribute}` of `{element}` is {step_s}, expected a time above 0");
            return Err(Finding::error(&found.place, what, ""));
        }
        let what = format!("macro step {step_s} s, from `{element} {attribute}` of the annotation `{of}`");
        let note = Finding::note(&found.place, what, "`--step` chooses another");
        return Ok(Some(Step { step_s, of, note }));
    }
    Ok(None)
}

/// An element of this name in a node or below it.
fn find<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    if node.local() == name { Some(node) } else { node.children.iter().find_map(|n| find(n, name)) }
}

/// Whether an annotation says a macro step and nothing else.
pub(super) fn is_step_only(annotation: &Node) -> bool {
    let mut node = annotation;
    while let [only] = node.children.as_slice() {
        node = only;
    }
    node.children.is_empty() && STEPS.iter().any(|(_, element, _)| node.local() == *element)
}
