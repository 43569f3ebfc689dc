//! From parameter bindings to start values: the variable of each value, and which of several wins.
//!
//! A component's own bindings are applied first, then those of the systems around it, inner ones first: outer values win. In one
//! binding the later value wins, and one that comes through a connection of parameters wins over one that is given directly.
//! Where a variable has both and they differ, a warning says so.

use super::parameters::Bound;
use super::port::Port;
use super::system::{DEPTH_MAX, Flat, join};
use crate::finding::Finding;
use crate::scenario::{ParameterSet, Setting, Value};
use macrostep_description::BaseUnit;
use std::collections::{BTreeMap, BTreeSet};

/// A value for a variable of a component.
struct Given {
    unit: String,
    setting: Setting,
    /// Whether it comes through a connection of parameters.
    through: bool,
}

/// For one variable: the last value given directly and the last one through a connection, each with its turn.
type Sources = [Option<(usize, Setting)>; 2];

impl Flat {
    /// Turns bindings into start values of units and parameter sets.
    pub fn settings(&mut self) -> Result<(), Finding> {
        // Bindings of components, and those of the systems around them.
        let bindings = std::mem::take(&mut self.bindings);
        let (own, of_systems): (Vec<_>, Vec<_>) =
            bindings.into_iter().partition(|(path, ..)| self.units.iter().any(|u| u.name == *path));
        // Where each value of a variable has come from, given directly and through a connection, the last one each.
        let mut sources: BTreeMap<(String, String), Sources> = BTreeMap::new();
        let mut turn = 0;
        let mut note = |given: &Given| {
            turn += 1;
            let key = (given.unit.clone(), given.setting.variable.clone());
            sources.entry(key).or_default()[usize::from(given.through)] = Some((turn, given.setting.clone()));
        };
        // A component's own values are settings of its unit.
        for (path, values, _) in own {
            for value in values {
                let variable = value.target.clone();
                let given = Given { unit: path.clone(), setting: value.setting(variable), through: false };
                note(&given);
                if let Some(unit) = self.units.iter_mut().find(|u| u.name == path) {
                    unit.settings.push(given.setting);
                }
            }
        }
        // Values of a system are a parameter set. Those through connections come last, so that they win.
        for (path, values, name) in of_systems {
            let place = values.first().map(|v| v.place.clone()).unwrap_or_default();
            let mut given = Vec::new();
            for value in values {
                self.apply(&path, value, &mut given)?;
            }
            given.sort_by_key(|g| g.through);
            given.iter().for_each(&mut note);
            // A set needs a name that no other has.
            let name = if name.is_empty() { "parameters" } else { &name };
            let mut title = if path.is_empty() { name.to_owned() } else { format!("{path}: {name}") };
            while self.sets.iter().any(|s| s.name == title) {
                title.push('\'');
            }
            if !given.is_empty() {
                let settings = given.into_iter().map(|g| (g.unit, g.setting)).collect();
                self.sets.push(ParameterSet { name: title, settings, place });
            }
        }
        // Of a component's own values those are left that no system around it gives another time, as it wins.
        let outer: BTreeSet<(&str, &str)> =
            self.sets.iter().flat_map(|s| &s.settings).map(|(unit, s)| (unit.as_str(), s.variable.as_str())).collect();
        for unit in &mut self.units {
            unit.settings.retain(|own| !outer.contains(&(unit.name.as_str(), own.variable.as_str())));
        }
        // Variables with two values that differ are told.
        self.name_doubles(sources);
        Ok(())
    }

    /// What the description says of units of measurement that the files with the values leave open.
    pub fn define(&mut self, units: &BTreeMap<String, BaseUnit>) {
        let own = self.units.iter_mut().flat_map(|u| &mut u.settings);
        let of_sets = self.sets.iter_mut().flat_map(|set| &mut set.settings).map(|(_, setting)| setting);
        for setting in own.chain(of_sets).filter(|setting| setting.base.is_none()) {
            setting.base = setting.unit.as_ref().and_then(|unit| units.get(unit).copied());
        }
    }

    /// A warning for each variable with two values of which one comes through a connection.
    fn name_doubles(&mut self, sources: BTreeMap<(String, String), Sources>) {
        for ((unit, variable), [direct, through]) in sources {
            let (Some((before, direct)), Some((after, through))) = (direct, through) else { continue };
            if (&direct.value, &direct.unit) == (&through.value, &through.unit) {
                continue;
            }
            let what = format!(
                "`{unit}.{variable}` has two values: {} through a connection of parameters, and {} in line {}",
                through.value, direct.value, direct.place.line
            );
            let next = if after > before {
                "the one through the connection is used"
            } else {
                "the second is used, because its binding is an outer one"
            };
            self.findings.push(Finding::warning(&through.place, what, next));
        }
    }

    /// A value for something below the element at `path`.
    fn apply(&mut self, path: &str, value: Bound, given: &mut Vec<Given>) -> Result<(), Finding> {
        // Names of a system's elements are followed by a dot.
        let mut element = path.to_owned();
        let mut rest = value.target.as_str();
        while let Some((head, tail)) = rest.split_once('.') {
            let inner = join(&element, head);
            if self.units.iter().any(|u| u.name == inner) {
                let variable = tail.to_owned();
                given.push(Given { unit: inner, setting: value.setting(variable), through: false });
                return Ok(());
            }
            if !self.systems.contains_key(&inner) {
                break;
            }
            (element, rest) = (inner, tail);
        }
        // A parameter of the system itself goes where it is connected to.
        let port = Port { element, connector: rest.to_owned() };
        let known = given.len();
        self.follow(&port, &value, given, 0)?;
        if given.len() == known {
            let what = format!("parameter `{}` belongs to no component", value.target);
            self.findings.push(Finding::warning(&value.place, what, "it is left out"));
        }
        Ok(())
    }

    fn follow(&self, port: &Port, value: &Bound, out: &mut Vec<Given>, depth: usize) -> Result<(), Finding> {
        for (to, wire) in self.wires.fed_by(port).filter(|_| depth < DEPTH_MAX) {
            // The value after the connection's transformation. A real one has no table.
            let scaled = |x: f64| Value::Real(wire.factor * x + wire.offset);
            let changed = match &value.value {
                Value::Real(x) => scaled(*x),
                Value::Integer(i) if (wire.factor, wire.offset) != (1.0, 0.0) => scaled(*i as f64),
                same if wire.table.is_empty() => same.clone(),
                same => match wire.table.iter().find(|(source, _)| source == same) {
                    Some((_, target)) => target.clone(),
                    None => {
                        let what =
                            format!("parameter `{}` = {same}, which is in no entry on its way to `{to}`", value.target);
                        return Err(Finding::error(&wire.place, what, "add a `MapEntry` for it"));
                    }
                },
            };
            // It goes on under the connector's name: to a component, where it ends, or further into a system.
            let bound = Bound {
                target: to.connector.clone(),
                value: changed,
                unit: value.unit.clone(),
                base: value.base,
                place: value.place.clone(),
            };
            if self.units.iter().any(|u| u.name == to.element) {
                let setting = bound.setting(to.connector.clone());
                out.push(Given { unit: to.element.clone(), setting, through: true });
            } else {
                self.follow(to, &bound, out, depth + 1)?;
            }
        }
        Ok(())
    }
}
