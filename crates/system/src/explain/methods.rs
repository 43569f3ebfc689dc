//! The methods that the FMUs of a system allow, and the capabilities that they lack for others.

use super::advice::{stays, unforked};
use crate::assemble::{Assembly, Trial, wanted};
use crate::scenario::Names;
use crate::words::Predict;
use macrostep_description::{CoSimulation, node_name};

/// A group of methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// Their words.
    pub methods: &'static str,
    /// What is missing and what does without; `None` where they can be had.
    pub lacks: Option<String>,
    /// How else than usual they are had.
    pub how: Option<String>,
}

/// All groups of methods, each with the capabilities that are missing for it.
pub fn methods(a: &Assembly) -> Vec<Allowed> {
    // Units that do not offer an ability, with what takes its place.
    let without = |offers: fn(&CoSimulation) -> bool, attribute: &str, instead: &str| {
        let units = a.effective.units.iter().zip(&a.descriptions);
        let lacking = units.filter(|(_, d)| !d.co_simulation.as_ref().is_some_and(offers));
        let names: Vec<String> = lacking.map(|(u, _)| format!("`{}`", u.name)).collect();
        (!names.is_empty()).then(|| format!("{} without `{attribute}`; {instead}", names.join(", ")))
    };
    // Explicit coupling with held inputs asks for nothing.
    let mut all =
        vec![Allowed { methods: "hold; jacobi, gauss-seidel, palindromic; explicit", lacks: None, how: None }];
    // Predictors: inputs that follow them, motions to predict from, dense output of the units.
    let held = "it holds its inputs at the middle of `sub_steps`";
    let lacks = without(|c| c.can_interpolate_inputs, "canInterpolateInputs", held).or_else(|| held_by_trial(a));
    all.push(Allowed { methods: "linear, quadratic, poly:K", lacks, how: in_lines(a) });
    let mut group = |methods, lacks| all.push(Allowed { methods, lacks, how: None });
    let wired: Vec<&crate::assemble::Sampled> = a.channels.iter().collect();
    let has = |n: usize| wired.iter().any(|c| chain(a, c) >= n);
    let no_motion =
        "no connected output has its derivatives up to the acceleration; name them in `motions`, or take linear";
    group("ia0, ia1, ia2, h3, h5, jerk (explicit, high order)", (!has(3)).then(|| no_motion.to_owned()));
    // Units without dense output are stepped from node to node, where lengths of steps may differ.
    let (lacking, even) = no_dense(a);
    let names = lacking.join(", ");
    let lacks = even.then(|| {
        format!(
            "{names} without dense output and `canHandleVariableCommunicationStepSize`; h5 with newton does not need it"
        )
    });
    let how = (!names.is_empty() && lacks.is_none()).then(|| format!("{names} by Q steps from node to node"));
    all.push(Allowed { methods: "waveform:Q", lacks, how });
    // What repeats steps needs a way back, by the unit's own functions or by fork.
    let explicit = "explicit coupling does not need it, with gauss-seidel and the stiff side last";
    let forked: Vec<String> = (a.effective.units.iter().zip(&a.by_fork))
        .filter(|(_, by_fork)| **by_fork)
        .map(|(unit, _)| format!("`{}`", unit.name))
        .collect();
    let stuck = stays(a, false);
    let lacks =
        (!stuck.is_empty()).then(|| format!("{stuck} without `canGetAndSetFMUstate`{}; {explicit}", unforked(a)));
    let implicit = "fixed-point, newton, iqn-ils, iqn-imvj, anderson, newton-krylov, semi-implicit";
    let how = (!forked.is_empty()).then(|| format!("{} by fork of a process of its own", forked.join(", ")));
    all.push(Allowed { methods: implicit, lacks, how });
    // Derivatives, steps of any length, and power bonds.
    let mut group = |methods, lacks| all.push(Allowed { methods, lacks, how: None });
    let differences = "newton takes differences";
    let directional = without(|c| c.provides_directional_derivative, "providesDirectionalDerivative", differences);
    group("newton-directional", directional);
    let explicit = "explicit coupling does not need it";
    let directional = without(|c| c.provides_directional_derivative, "providesDirectionalDerivative", explicit);
    group("linear-implicit (no way back needed)", directional);
    let one_length = "steps of one length do not need it; `advise` chooses one";
    let attribute = "canHandleVariableCommunicationStepSize";
    group("step control", without(|c| c.can_handle_variable_communication_step_size, attribute, one_length));
    let no_bond = "no power bond is named in [[bonds]]";
    group(
        "energy monitor, nepce, leak",
        (a.bonds_are_found || a.effective.bonds.is_empty()).then(|| no_bond.to_owned()),
    );
    all
}

/// Units that claim to interpolate their inputs and were seen to hold them.
fn held_by_trial(a: &Assembly) -> Option<String> {
    let names = tried(a, |order| order == 0);
    (!names.is_empty()).then(|| format!("{}; it gets the value at the middle of `sub_steps`", names.join(", ")))
}

/// How units that take derivatives of a low order get polynomials.
fn in_lines(a: &Assembly) -> Option<String> {
    let names = tried(a, |order| order > 0);
    (!names.is_empty()).then(|| format!("{}: higher degrees in parts of a step", names.join(", ")))
}

/// What was seen of units whose order is limited, and is such.
fn tried(a: &Assembly, is_such: impl Fn(usize) -> bool) -> Vec<String> {
    let units = a.effective.units.iter().zip(&a.taken);
    let limited = units.filter_map(|(unit, taken)| Some((unit, taken.as_ref().filter(|t| t.trial != Trial::All)?)));
    limited.filter(|(_, t)| is_such(t.order)).map(|(unit, t)| format!("`{}` {}", unit.name, t.sentence())).collect()
}

/// What lacks dense output: outputs that `waveform` samples, and units that have none at all; and whether one of these units takes steps
/// of one length only.
pub(super) fn no_dense(a: &Assembly) -> (Vec<String>, bool) {
    let coupling = &a.effective.coupling;
    let spectral = Predict::spectral(2).predictor(coupling.derivative.into(), coupling.gs_variant.into());
    let wanted = wanted(&Names::of(&a.effective), &a.descriptions, spectral.as_ref());
    let (mut lacking, mut even) = (Vec::new(), false);
    for (u, (unit, d)) in a.effective.units.iter().zip(&a.descriptions).enumerate() {
        let before = lacking.len();
        if d.dense_nodes().is_none() {
            lacking.push(format!("`{}`", unit.name));
        } else {
            let outputs = wanted.iter().filter(|(of, _)| *of == u).flat_map(|(_, names)| names);
            let without = outputs.filter(|name| d.variable(&node_name(name, 0)).is_none());
            lacking.extend(without.map(|name| format!("`{}.{name}`", unit.name)));
        }
        let varies = d.co_simulation.as_ref().is_some_and(|c| c.can_handle_variable_communication_step_size);
        even |= lacking.len() > before && !varies;
    }
    (lacking, even)
}

/// How many variables the chain of derivatives has that a channel begins.
pub(super) fn chain(a: &Assembly, channel: &crate::assemble::Sampled) -> usize {
    let d = &a.descriptions[channel.unit];
    let declared = a.effective.units[channel.unit].motions.iter().find(|m| channel.names.iter().any(|n| m.contains(n)));
    if let Some(motion) = declared {
        return motion.len().max(channel.names.len());
    }
    let mut length = channel.names.len();
    let mut last = channel.names.last().and_then(|n| d.variables.iter().position(|v| v.name == *n));
    // The bound also stops a description that goes in circles.
    while let Some(i) = last.filter(|_| length < 8) {
        last = d.variables.iter().position(|v| v.real().is_some_and(|r| r.derivative == Some(i)));
        length += usize::from(last.is_some());
    }
    length
}
