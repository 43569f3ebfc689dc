//! Up to which order a unit takes derivatives of its inputs: tried, because `canInterpolateInputs` does not tell.
//!
//! An instance that is thrown away gets derivatives of order 1, then another one of order 2, and so on, each in a call of its own with as many
//! inputs as the run will send. A call that warns, is discarded or fails means that the order is not taken. So does one that
//! changes nothing: outputs after two steps are those of an instance that got no derivative, although they follow the value of the input.
//! Other tools' FMUs answer in all of these ways.
//!
//! FMUs of this program, which carry its annotation, take any order and are not tried.

use super::Assembly;
use crate::catalogue::Catalogue;
use crate::finding::Finding;
use crate::scenario::{Endpoint, Names, Source};
use crate::words::Predict;
use macrostep_description::{Causality, ModelDescription, Value, Variability, Variable};
use macrostep_import::Face;
use macrostep_master::unit::{Outcome, Start, Unit, proposed_tolerance};
use std::collections::HashMap;
use std::mem::discriminant;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Orders above this are not tried: no method here sends higher ones.
const ORDER_MAX: usize = 22;

/// The highest order of the polynomials that an FMU of FMI 3.0 gets values of.
const ASKED_MAX: usize = 20;

/// Orders that are tried of an FMU that stands alone.
const ALONE_MAX: usize = 4;

/// By how much an input is moved in a trial, relative to 1 + its value: enough to be seen in the last bits, too little to end a step.
const MOVE: f64 = 1e-3;

/// Trials that are remembered: sweeps assemble a scenario many times.
const KNOWN_MAX: usize = 64;

/// Which derivatives of its inputs a unit takes.
#[derive(Debug, Clone, PartialEq)]
pub struct InputOrder {
    /// The highest order; 0: it holds its inputs over a step.
    pub order: usize,
    /// How that is known.
    pub trial: Trial,
}

/// What a trial has shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Trial {
    /// Every order that was asked for is taken.
    All,
    /// The next order was answered like this.
    Refused(String),
    /// The next order was accepted and changed nothing.
    Ignored,
    /// No output follows the inputs within two steps, so that nothing can be seen: order 1 is believed.
    Unseen,
    /// The trial could not be made: order 1 is believed.
    Failed(String),
}

/// The inputs that a run will send, and how the unit gets there.
struct Ask<'a> {
    refs: Vec<u32>,
    starts: &'a [Start],
    tolerance: Option<f64>,
    times: (f64, Option<f64>),
    step_s: f64,
    outputs: Vec<u32>,
}

/// What was tried before in this process.
struct Known {
    description: Weak<ModelDescription>,
    key: (Vec<u32>, Vec<Start>, u64, usize),
    order: InputOrder,
}

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The order that unit `u` takes, where the method sends it polynomials and it is not known; `None` where nothing had to be tried.
pub(super) fn input_order(
    names: &Names<'_>,
    u: usize,
    (description, starts): (&Arc<ModelDescription>, &[Start]),
    catalogue: &dyn Catalogue,
) -> Option<InputOrder> {
    let s = names.scenario();
    let sends = s.coupling.predict != Predict::default() || !s.inputs.is_empty() || !s.constraints.is_empty();
    sends.then(|| order(names, u, (description, starts), catalogue)).flatten()
}

/// Tries the units that the method of the scenario did not need to have tried: for answers about other methods.
pub fn try_inputs(a: &mut Assembly, catalogue: &dyn Catalogue) {
    let names = Names::of(&a.effective);
    for u in 0..a.units.len() {
        if a.taken[u].is_none()
            && let Ok(starts) = super::starts(&names, u, &a.descriptions[u])
        {
            a.taken[u] = order(&names, u, (&a.descriptions[u], &starts), catalogue);
        }
    }
}

/// The order that an FMU takes for all its continuous inputs with its own start values, over its proposed step; `None` where it has no
/// such input or does not claim to interpolate. `make` makes instances that are thrown away.
pub fn order_alone(
    description: &ModelDescription,
    make: &mut dyn FnMut() -> Result<Box<dyn Unit>, String>,
) -> Option<InputOrder> {
    description.co_simulation.as_ref().filter(|c| c.can_interpolate_inputs)?;
    let is_input = |v: &&Variable| v.causality == Causality::Input && v.variability == Variability::Continuous;
    let inputs = description.variables.iter().filter(is_input).filter(|v| v.real().is_some());
    let refs: Vec<u32> = inputs.map(|v| v.value_reference).collect();
    let experiment = description.default_experiment.unwrap_or_default();
    let step_s = experiment.step_size.filter(|h| *h > 0.0).unwrap_or(1e-3);
    let ask = Ask {
        refs,
        starts: &[],
        tolerance: proposed_tolerance(description),
        times: (experiment.start_time.unwrap_or(0.0), None),
        step_s,
        outputs: seen_outputs(description),
    };
    (!ask.refs.is_empty()).then(|| tried_of(description, make, &ask, ALONE_MAX))
}

/// An FMU of FMI 3.0 asks for values inside its steps, and one for model exchange gets them there: one that does so for order 1 follows every
/// polynomial.
fn tried_of(
    description: &ModelDescription,
    make: &mut dyn FnMut() -> Result<Box<dyn Unit>, String>,
    ask: &Ask<'_>,
    up_to: usize,
) -> InputOrder {
    let is_integrated = description.vendor_annotations.iter().any(|a| a.tool == Face::ModelExchange.word());
    if description.fmi3.is_none() && !is_integrated {
        return tried(make, ask, up_to);
    }
    match tried(make, ask, 1) {
        InputOrder { trial: Trial::All, .. } => InputOrder { order: ASKED_MAX, trial: Trial::All },
        less => less,
    }
}

/// The real outputs, to see what a derivative does; of an FMU without any, its local variables.
fn seen_outputs(description: &ModelDescription) -> Vec<u32> {
    let of = |causality: Causality| {
        let reals = description.variables.iter().filter(move |v| v.causality == causality && v.real().is_some());
        reals.map(|v| v.value_reference).collect::<Vec<_>>()
    };
    Some(of(Causality::Output)).filter(|list| !list.is_empty()).unwrap_or_else(|| of(Causality::Local))
}

fn order(
    names: &Names<'_>,
    u: usize,
    (description, starts): (&Arc<ModelDescription>, &[Start]),
    catalogue: &dyn Catalogue,
) -> Option<InputOrder> {
    let s = names.scenario();
    let unit = &s.units[u];
    // Only what claims to interpolate, and is not ours.
    let co = description.co_simulation.as_ref().filter(|c| c.can_interpolate_inputs)?;
    let is_ours = description.vendor_annotations.iter().any(|a| a.tool == "macrostep");
    if is_ours || !matches!(unit.source, Source::File { .. }) {
        return None;
    }
    // The real inputs that something feeds, and the outputs to look at.
    let known: HashMap<&str, &Variable> = description.variables.iter().map(|v| (v.name.as_str(), v)).collect();
    let fed = |e: &Endpoint| (e.unit == unit.name).then(|| known.get(e.variable.as_str()).copied()).flatten();
    let mut refs: Vec<u32> =
        s.targets().filter_map(|(e, _)| fed(e)).filter(|v| v.real().is_some()).map(|v| v.value_reference).collect();
    refs.sort_unstable();
    refs.dedup();
    let outputs = seen_outputs(description);
    if refs.is_empty() {
        return None;
    }
    let step_s = s.experiment.step_s? * f64::from(unit.share.0) / f64::from(unit.share.1);
    let up_to = (s.coupling.predict.degree as usize + 2).min(ORDER_MAX);
    // Known from before, for the same inputs, values and step.
    let key = (refs.clone(), starts.to_vec(), step_s.to_bits(), up_to);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_known = |k: &&Known| k.key == key && k.description.upgrade().is_some_and(|d| Arc::ptr_eq(&d, description));
    if let Some(known) = known.iter().find(is_known) {
        return Some(known.order.clone());
    }
    // An FMU of which a process may have one instance only is tried in processes of its own.
    let only_once = co.can_be_instantiated_only_once_per_process;
    let mut make = || {
        if only_once { catalogue.forked(&unit.source, &unit.name) } else { catalogue.scratch(&unit.source, &unit.name) }
    };
    let times = (s.experiment.start_s, s.experiment.stop_s);
    let tolerance = unit.solver_tolerance.or_else(|| proposed_tolerance(description));
    let order = tried_of(description, &mut make, &Ask { refs, starts, tolerance, times, step_s, outputs }, up_to);
    if known.len() == KNOWN_MAX {
        known.remove(0);
    }
    known.push(Known { description: Arc::downgrade(description), key, order: order.clone() });
    Some(order)
}

/// What an instance gets in its first step.
#[derive(Clone, Copy)]
enum Given {
    Values,
    /// Values that are a little larger.
    Moved,
    /// Values, and derivatives of this order that move them as much over the step.
    Order(usize),
}

fn tried(make: &mut dyn FnMut() -> Result<Box<dyn Unit>, String>, ask: &Ask<'_>, up_to: usize) -> InputOrder {
    let believed = |trial| InputOrder { order: 1, trial };
    let plain = match outcome(make, ask, Given::Values) {
        Ok(Ok(plain)) => plain,
        Ok(Err(reason)) | Err(reason) => return believed(Trial::Failed(reason)),
    };
    let mut is_seen = None;
    for order in 1..=up_to {
        let trial = match outcome(make, ask, Given::Order(order)) {
            Ok(Ok(outputs)) if outputs != plain => continue,
            // Nothing changed: does the value itself change anything?
            Ok(Ok(_)) => {
                let moved = || matches!(outcome(make, ask, Given::Moved), Ok(Ok(outputs)) if outputs != plain);
                if *is_seen.get_or_insert_with(moved) { Trial::Ignored } else { return believed(Trial::Unseen) }
            }
            Ok(Err(answer)) => Trial::Refused(answer),
            Err(reason) => return InputOrder { order: order - 1, trial: Trial::Failed(reason) },
        };
        return InputOrder { order: order - 1, trial };
    }
    InputOrder { order: up_to, trial: Trial::All }
}

/// Outputs after two steps, as bits; inside an error what the unit answered to derivatives, outside one why there are none.
fn outcome(
    make: &mut dyn FnMut() -> Result<Box<dyn Unit>, String>,
    ask: &Ask<'_>,
    given: Given,
) -> Result<Result<Vec<u64>, String>, String> {
    let mut unit = make()?;
    let unit = unit.as_mut();
    let text = |e: macrostep_master::unit::UnitError| e.to_string();
    // As a run begins.
    unit.setup(ask.times.0, ask.times.1, ask.tolerance).map_err(text)?;
    ask.starts.iter().try_for_each(|start| start.set(unit)).map_err(text)?;
    unit.enter_initialization().map_err(text)?;
    let mut values = vec![0.0; ask.refs.len()];
    unit.get_real(&ask.refs, &mut values).map_err(text)?;
    unit.exit_initialization().map_err(text)?;
    let moves: Vec<f64> = values.iter().map(|v| MOVE * (1.0 + v.abs())).collect();
    if matches!(given, Given::Moved) {
        values.iter_mut().zip(&moves).for_each(|(v, m)| *v += m);
    }
    unit.set_real(&ask.refs, &values).map_err(text)?;
    // A derivative of order j that alone moves the input by the same amount: move · j!/h^j.
    if let Given::Order(order) = given {
        let factor: f64 = (1..=order).map(|i| i as f64 / ask.step_s).product();
        let derivatives: Vec<f64> = moves.iter().map(|m| m * factor).collect();
        let orders = vec![order as i32; ask.refs.len()];
        if let Err(e) = unit.set_input_derivatives(&ask.refs, &orders, &derivatives) {
            return Ok(Err(format!(
                "{}{}",
                e.status,
                if e.message.is_empty() { String::new() } else { format!(" \"{}\"", e.message) }
            )));
        }
    }
    // Two steps: an output may be late by one.
    let mut seen = Vec::new();
    let mut outputs = vec![0.0; ask.outputs.len()];
    for n in 0..2 {
        if unit.step(ask.times.0 + n as f64 * ask.step_s, ask.step_s, true).map_err(text)? != Outcome::Done {
            return Err("it did not finish a step".to_owned());
        }
        unit.get_real(&ask.outputs, &mut outputs).map_err(text)?;
        seen.extend(outputs.iter().map(|x| x.to_bits()));
    }
    Ok(Ok(seen))
}

impl InputOrder {
    /// What the unit does, and how that is known.
    pub fn sentence(&self) -> String {
        let order = match self.order {
            ASKED_MAX if self.trial == Trial::All => {
                "gets its inputs inside its steps: polynomials of any degree".to_owned()
            }
            0 => "holds its inputs over a step".to_owned(),
            n => format!("takes input derivatives up to order {n}"),
        };
        let next = self.order + 1;
        match &self.trial {
            Trial::All => order,
            Trial::Refused(answer) => format!("{order}: it answers {answer} to order {next}"),
            Trial::Ignored => format!("{order}: it accepts order {next} and does not use it"),
            Trial::Unseen => format!("{order}, it is believed: no output follows the inputs within two steps"),
            Trial::Failed(reason) => format!("{order}, it is believed: a trial failed, {reason}"),
        }
    }
}

/// What an FMU of this program does not see of a prediction with the integrator and the micro step that were chosen for it.
fn unseen(a: &Assembly) -> Vec<Finding> {
    let (s, names) = (&a.effective, Names::of(&a.effective));
    let mut findings = Vec::new();
    if s.coupling.predict == Predict::default() {
        return findings;
    }
    for (u, (unit, d)) in s.units.iter().zip(&a.descriptions).enumerate() {
        let starts = super::starts(&names, u, d).unwrap_or_default();
        // The start value in effect.
        let value = |name: &str| {
            let v = d.variable(name).filter(|_| d.vendor_annotations.iter().any(|a| a.tool == "macrostep"))?;
            // Value references count for each type by itself.
            let declared = v.start.clone()?;
            let is_it = |start: &&Start| {
                start.reference == v.value_reference && discriminant(&start.value) == discriminant(&declared)
            };
            Some(starts.iter().rev().find(is_it).map_or(declared.clone(), |start| start.value.clone()))
        };
        let (Some(Value::Integer(SEMI_IMPLICIT_EULER)), Some(Value::Real(micro_s))) =
            (value("integrator"), value("micro_step"))
        else {
            continue;
        };
        let step_s = s.experiment.step_s.unwrap_or(f64::NAN) * f64::from(unit.share.0) / f64::from(unit.share.1);
        let is_fed = s.targets().any(|(to, _)| to.unit == unit.name);
        if is_fed && step_s / micro_s < 1.5 {
            let what = format!(
                "unit `{}` reads its inputs at the start of a micro step (`integrator = \"semi_implicit_euler\"`) and makes one in {step_s} s: it \
                 does not see what `{}` sends for the rest of the step",
                unit.name, s.coupling.predict
            );
            findings.push(Finding::note(&unit.place, what, "another `integrator`, or a shorter `micro_step`"));
        }
    }
    findings
}

/// The item of `integrator` that reads inputs at the start of a micro step.
const SEMI_IMPLICIT_EULER: i32 = 1;

/// What becomes of the method with what each unit takes.
pub(super) fn findings(a: &Assembly) -> Vec<Finding> {
    let (s, c) = (&a.effective, &a.effective.coupling);
    let mut findings = unseen(a);
    for ((unit, taken), d) in s.units.iter().zip(&a.taken).zip(&a.descriptions) {
        let Some(taken) = taken else { continue };
        if taken.trial == Trial::All {
            continue;
        }
        let may_vary = d.co_simulation.as_ref().is_some_and(|co| co.can_handle_variable_communication_step_size);
        let what = format!("unit `{}` {}", unit.name, taken.sentence());
        findings.push(match taken.order {
            0 => {
                let what = format!("{what}; it gets the value at the middle of {} `sub_steps`", c.sub_steps.max(1));
                Finding::warning(&c.place, what, "more `sub_steps` follow the prediction better")
            }
            order if may_vary => {
                let parts = if order == 1 { "lines" } else { "polynomials of that degree" };
                let bound = a.method.deviation;
                let what = format!("{what}; higher degrees are sent as {parts}, in as many steps as keep them within {bound:.1e} of an input's size");
                Finding::note(&c.place, what, "a smaller `corrector_tolerance` makes these steps shorter")
            }
            order => {
                let what = format!("{what}, and steps of one length: of higher degrees it gets the nearest polynomial of degree {order}");
                Finding::warning(&c.place, what, "a shorter macro step follows the prediction better")
            }
        });
    }
    findings
}
