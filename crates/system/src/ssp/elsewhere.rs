//! What other tools do not read of a description, tool by tool: as far as their sources and runs with them show.
//!
//! | tool | leaves out |
//! |---|---|
//! | FMPy (`simulate_ssp`) | start values that it is not given as a file, transformations, mappings, conversions of units; it has no texts |
//! | libcosim | mappings, conversions of units, enumerations, start values of what is neither parameter nor input |
//! | ecos | enumerations |
//! | OMSimulator | names that are no identifiers; it needs a macro step |

use super::values::is_set_by_fmpy;
use super::wires::{ends, is_ours};
use crate::check::{Conversion, conversion, type_name};
use crate::finding::Finding;
use crate::scenario::{Connection, Place, Scenario};
use macrostep_description::{Causality, Kind, ModelDescription, Variable};
use std::sync::Arc;

/// Things of one kind: how many, and the first with its name.
#[derive(Default)]
struct Several {
    n: usize,
    first: Option<(String, Place)>,
}

impl Several {
    fn add(&mut self, name: impl FnOnce() -> String, place: &Place) {
        self.n += 1;
        self.first.get_or_insert_with(|| (name(), place.clone()));
    }

    /// One warning for all of them.
    fn warning(self, what: &str, next: &str, out: &mut Vec<Finding>) {
        let Some((name, place)) = self.first else { return };
        let more = if self.n > 1 { format!(" and {} more", self.n - 1) } else { String::new() };
        out.push(Finding::warning(&place, format!("{name}{more}: {what}"), next));
    }
}

/// A warning for each kind of thing and the tools that leave it out.
pub(super) fn unread(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Vec<Finding> {
    let mut out = Vec::new();
    values(s, descriptions, &mut out);
    connections(s, descriptions, &mut out);
    out
}

fn values(s: &Scenario, descriptions: &[Arc<ModelDescription>], out: &mut Vec<Finding>) {
    let [mut given, mut enumerations, mut unusual, mut untaken]: [Several; 4] = Default::default();
    for (unit, d) in s.units.iter().zip(descriptions) {
        for p in s.settings(&unit.name) {
            let Some(v) = d.variable(&p.variable) else { continue };
            let name = || format!("`{}.{}`", unit.name, p.variable);
            given.add(name, &p.place);
            match v.kind {
                Kind::Enumeration { .. } => enumerations.add(name, &p.place),
                _ if !matches!(v.causality, Causality::Parameter | Causality::Input) => unusual.add(name, &p.place),
                _ => {}
            }
            if !is_set_by_fmpy(p, d) {
                untaken.add(name, &p.place);
            }
        }
    }
    let next = "with FILE the .ssp: `simulate_ssp(FILE, parameter_set=read_ssv(FILE, \"resources/parameters.ssv\"))`";
    given.warning("FMPy applies start values only where it is given them", next, out);
    untaken.warning("FMPy sets no texts, and takes every Boolean for true", "the file for it leaves them out", out);
    enumerations.warning("libcosim and ecos do not support enumerations", "they keep the start value of the FMU", out);
    let next = "it keeps the start value of the FMU and says so";
    unusual.warning("libcosim sets parameters and inputs only", next, out);
    // FMPy finds a component's values by how their names begin.
    for unit in &s.units {
        let other = s.units.iter().find(|o| o.name != unit.name && o.name.starts_with(&unit.name));
        if let Some(other) = other.filter(|o| !s.settings(&o.name).is_empty()) {
            let what =
                format!("`{}` begins as `{}`: FMPy takes its values for those of the other", other.name, unit.name);
            out.push(Finding::warning(&other.place, what, "rename one of them if the file is for that tool"));
        }
    }
}

fn connections(s: &Scenario, descriptions: &[Arc<ModelDescription>], out: &mut Vec<Finding>) {
    let [mut scaled, mut mapped, mut converted, mut mixed, mut texts]: [Several; 5] = Default::default();
    for c in s.connections.iter().filter(|c| !is_ours(c, s, descriptions)) {
        let Some((from, to)) = ends(c, s, descriptions) else { continue };
        let name = |c: &Connection| format!("`{}` to `{}`", c.from, c.to);
        if c.factor != 1.0 || c.offset != 0.0 {
            scaled.add(|| name(c), &c.place);
        }
        if !c.table.is_empty() {
            mapped.add(|| name(c), &c.place);
        }
        if c.converts && from.1.real().is_some() && matches!(conversion(from, to), Conversion::Affine(..)) {
            converted.add(|| name(c), &c.place);
        }
        let is_text = |v: &Variable| matches!(v.kind, Kind::String);
        if is_text(from.1) {
            texts.add(|| name(c), &c.place);
        }
        if type_name(from.1) != type_name(to.1) {
            mixed.add(|| name(c), &c.place);
        }
    }
    scaled.warning("FMPy passes on values without their transformation", "use another tool, or scale in an FMU", out);
    mapped.warning("FMPy and libcosim pass on values without their mapping", "map them in an FMU", out);
    let next = "numbers are passed on unchanged: give a `factor` and `convert_units = false`, which libcosim reads";
    converted.warning("FMPy and libcosim do not convert units of measurement", next, out);
    texts.warning("FMPy has no texts and ends", "leave them out if the file is for that tool", out);
    mixed.warning("the types differ, which tools may refuse", "connect variables of one type for them", out);
}

/// Whether an input's connector says no unit: OMSimulator compares quantities also where `suppressUnitConversion` says that they differ.
pub(super) fn hides_unit(s: &Scenario, (unit, v): (&str, &Variable), descriptions: &[Arc<ModelDescription>]) -> bool {
    let into = |c: &&Connection| !c.converts && c.to.unit == unit && c.to.variable == v.name;
    let differ = |c: &Connection| {
        ends(c, s, descriptions).is_some_and(|(from, to)| conversion(from, to) == Conversion::Incompatible)
    };
    s.connections.iter().filter(into).any(differ)
}
