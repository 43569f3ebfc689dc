//! Whether a scenario fits its FMUs, before anything runs.
//!
//! | looked at | in |
//! |---|---|
//! | units there, names, settings of a type and range the variables have | [`values`](self) |
//! | declared start values that are kept and are not finite | `starts` |
//! | connections: both ends there, causality, type, units, one source for an input, inputs without a source | `wiring` |
//! | what a connection between different types makes of values | `passage` |
//! | inputs from files, values set at a time | `driven` |
//! | events of a condition: outputs there, values that may be set, units that can meet them | `event` |
//! | joints: variables there, as many as the joint has; a corrector | `constraints` |
//! | power bonds: variables there, inputs fed, products that are a power | `bonds` |
//! | units of measurement where values meet without a conversion: laws, maps, joints, interface models, motions | `coherent` |
//! | method: capabilities of the units, order, times | `method` |
//!
//! All findings are collected; each says where and what to do next. Algebraic loops are found on the assembled system,
//! see [`mod@crate::assemble`].

pub(crate) mod bonds;
mod coherent;
mod connectors;
mod constraints;
mod driven;
mod event;
mod interface;
mod lines;
mod method;
mod passage;
mod starts;
mod units;
mod values;
mod wiring;

pub(crate) use bonds::{WATT, amount, dimension, gain};
pub(crate) use coherent::without_contradictions;
pub use driven::contents;
pub use driven::table as input_table;
pub(crate) use driven::{Driven, driven};
pub(crate) use passage::passage;
pub use units::from_unit;
pub(crate) use units::{Conversion, conversion};
pub use values::keep_known;
pub(crate) use values::{Converted, convert, fits, items, own_step};
pub(crate) use wiring::type_name;

use crate::catalogue::Catalogue;
use crate::finding::{Finding, Severity};
use crate::near::nearest;
use crate::scenario::{Endpoint, Names, Place, Scenario, elements};
use crate::words::Rollback;
use macrostep_description::{ModelDescription, Variable};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// A scenario with what its units declare.
pub(crate) struct Declared<'a> {
    pub scenario: &'a Scenario,
    pub names: &'a Names<'a>,
    /// In the order of the units; `None` where the FMU cannot be read.
    pub descriptions: &'a [Option<Arc<ModelDescription>>],
    /// Whether each unit runs in a process of its own.
    pub isolated: bool,
    /// How units go back.
    pub rollback: Rollback,
    /// Names that nothing has, so far.
    pub unknown: Cell<usize>,
    /// Position of each variable by its name, for each description; empty where few are looked for.
    positions: HashMap<*const ModelDescription, HashMap<&'a str, usize>>,
    /// Arrays of those descriptions in which one was looked for.
    arrays: RefCell<HashMap<*const ModelDescription, elements::Arrays<'a>>>,
}

/// With more connections than this, names are looked up in an index.
const INDEX_MIN: usize = 1000;

/// Names that nothing has for which near ones are looked for: each of them goes through all variables.
const NEAR_MAX: usize = 10;

/// Errors that are listed.
const ERRORS_MAX: usize = 1000;

/// Everything that is wrong or remarkable, errors first.
pub fn check(scenario: &Scenario, catalogue: &dyn Catalogue) -> Vec<Finding> {
    let mut findings = Vec::new();
    // What is looked at: the units' descriptions. One that cannot be read leaves the others to be checked.
    if scenario.units.is_empty() {
        let what = "a system without units";
        findings.push(Finding::error(&scenario.experiment.place, what, "add [units.NAME] with `fmu = \"FILE\"`"));
    }
    let mut descriptions = Vec::new();
    for unit in &scenario.units {
        let description = catalogue.description(&unit.source);
        if let Err(reason) = &description {
            findings.push(Finding::error(&unit.place, format!("unit `{}`: {reason}", unit.name), ""));
        }
        descriptions.push(description.ok());
    }
    // Variables by name, where so many connections look for them that an index pays.
    let names = &Names::of(scenario);
    let mut index = HashMap::new();
    for d in descriptions.iter().flatten().filter(|_| scenario.connections.len() > INDEX_MIN) {
        index.entry(Arc::as_ptr(d)).or_insert_with(|| positions(d));
    }
    let declared = Declared {
        scenario,
        names,
        descriptions: &descriptions,
        isolated: catalogue.isolates(),
        rollback: catalogue.rollback(),
        unknown: Cell::new(0),
        positions: index,
        arrays: RefCell::default(),
    };
    // Each part of the scenario against the descriptions.
    connectors::check(&declared, &mut findings);
    values::check(&declared, &mut findings);
    starts::check(&declared, &mut findings);
    wiring::check(&declared, &mut findings);
    constraints::check(&declared, &mut findings);
    bonds::check(&declared, &mut findings);
    driven::check(&declared, &mut findings);
    event::check(&declared, &mut findings);
    coherent::check(&declared, &mut findings);
    method::check(&declared, &mut findings);
    // Errors first, and not more of them than anyone reads.
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    let errors = findings.iter().take_while(|f| f.severity == Severity::Error).count();
    if errors > ERRORS_MAX {
        let (place, more) = (findings[ERRORS_MAX].place.clone(), errors - ERRORS_MAX);
        let rest = Finding::error(&place, format!("{more} more errors like these, from here on"), "");
        findings.splice(ERRORS_MAX..errors, [rest]);
    }
    findings
}

/// Where each name first stands.
fn positions(description: &ModelDescription) -> HashMap<&str, usize> {
    let mut out = HashMap::new();
    for (i, v) in description.variables.iter().enumerate() {
        out.entry(v.name.as_str()).or_insert(i);
    }
    out
}

/// Whether any of them keeps the scenario from running.
pub fn fails(findings: &[Finding]) -> bool {
    findings.iter().any(|f| f.severity == Severity::Error)
}

impl<'a> Declared<'a> {
    pub fn description(&self, unit: &str) -> Option<&'a ModelDescription> {
        self.descriptions[self.names.unit(unit)?].as_deref()
    }

    /// The variable with its description, where both are there.
    pub fn declared(&self, end: &Endpoint) -> Option<(&'a ModelDescription, &'a Variable)> {
        self.description(&end.unit).zip(self.variable(end).ok().flatten())
    }

    /// The variable of this name in a description.
    fn of(&self, description: &'a ModelDescription, name: &str) -> Option<&'a Variable> {
        match self.positions.get(&std::ptr::from_ref(description)) {
            Some(positions) => positions.get(name).map(|&i| &description.variables[i]),
            None => description.variable(name),
        }
    }

    /// The elements of an array, by their indices in the order of the description; none where the name is a variable, or nothing.
    fn elements(&self, description: &'a ModelDescription, name: &str) -> Vec<(elements::Indices, &'a str)> {
        let mut known = self.arrays.borrow_mut();
        let arrays = known.entry(description).or_insert_with(|| elements::arrays(description));
        arrays.get(name).cloned().unwrap_or_default()
    }

    /// How many elements an array has, its first and its last one.
    fn array(&self, end: &Endpoint) -> Option<(usize, &'a str, &'a str)> {
        let description = self.description(&end.unit).filter(|d| self.of(d, &end.variable).is_none())?;
        let elements = self.elements(description, &end.variable);
        elements.first().zip(elements.last()).map(|((_, first), (_, last))| (elements.len(), *first, *last))
    }

    /// The variable; a finding where there is none.
    fn found(&self, end: &Endpoint, place: &Place, findings: &mut Vec<Finding>) -> Option<&'a Variable> {
        self.variable(end).unwrap_or_else(|what| {
            findings.push(Finding::error(place, what, ""));
            None
        })
    }

    /// The variable, or in words why there is none. `Ok(None)` where the FMU itself cannot be read, which is said once.
    pub fn variable(&self, end: &Endpoint) -> Result<Option<&'a Variable>, String> {
        let Some(u) = self.names.unit(&end.unit) else {
            let known: Vec<&str> = self.scenario.units.iter().map(|u| u.name.as_str()).collect();
            return Err(format!("no unit `{}`; there are `{}`", end.unit, known.join("`, `")));
        };
        let Some(description) = &self.descriptions[u] else { return Ok(None) };
        self.of(description, &end.variable).map(Some).ok_or_else(|| {
            let what = format!("unit `{}` has no variable `{}`", end.unit, end.variable);
            self.unknown.set(self.unknown.get() + 1);
            if self.unknown.get() > NEAR_MAX { what } else { format!("{what}; {}", near(&end.variable, description)) }
        })
    }
}

/// Names that come near.
pub(crate) fn near(name: &str, description: &ModelDescription) -> String {
    let shown = nearest(name, description.variables.iter().map(|v| v.name.as_str()));
    if shown.is_empty() { "it declares none".to_owned() } else { format!("the nearest are `{}`", shown.join("`, `")) }
}
