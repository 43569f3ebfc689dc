//! Start values as they are written: those that each component has in the end, in the variables' own units, so that tools apply them
//! that know no sets of systems and convert nothing.

use super::write::{Text, escape};
use crate::check::{Converted, convert};
use crate::scenario::{Scenario, Setting, Value};
use macrostep_description::{Kind, ModelDescription};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a unit's variables are set to: its own values, and over them those of the applied sets.
pub(super) fn in_the_end(s: &Scenario, unit: &str, d: &ModelDescription) -> Vec<Setting> {
    let mut out: Vec<Setting> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for setting in s.settings(unit) {
        // In the variable's own unit.
        let own = d.variable(&setting.variable).filter(|_| setting.unit.is_some());
        let own = match own.map(|v| convert(setting, v, d)) {
            Some(Ok(Converted::Real(x))) => Setting::new(&setting.variable, Value::Real(x), setting.place.clone()),
            _ => setting.clone(),
        };
        // The last value of a variable wins, at the place of the first.
        let place = *places.entry(&setting.variable).or_insert(out.len());
        match out.get_mut(place) {
            Some(earlier) => *earlier = own,
            None => out.push(own),
        }
    }
    out
}

/// All start values as a file of parameters, each by the name of its component and variable: FMPy applies what it is given in this form and
/// nothing else. `None` where there are none that it can set.
pub fn parameters(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Option<String> {
    let mut settings: Vec<(String, Setting, &ModelDescription)> = Vec::new();
    for (unit, d) in s.units.iter().zip(descriptions) {
        let own = in_the_end(s, &unit.name, d).into_iter().filter(|setting| is_set_by_fmpy(setting, d));
        settings.extend(own.map(|setting| (format!("{}.{}", unit.name, setting.variable), setting, &**d)));
    }
    if settings.is_empty() {
        return None;
    }
    let mut text = Text::new();
    text.set("parameters", &settings.iter().map(|(name, p, d)| (name.clone(), p, Some(*d))).collect::<Vec<_>>());
    Some(text.end())
}

/// Whether FMPy sets this value as it is: it has no texts, and every Boolean of a file is true to it.
pub(super) fn is_set_by_fmpy(setting: &Setting, d: &ModelDescription) -> bool {
    let is_text = d.variable(&setting.variable).is_some_and(|v| matches!(v.kind, Kind::String));
    !is_text && setting.value != Value::Boolean(false)
}

/// A setting with its name in the file, and the description of its component.
pub(super) type Named<'a> = (String, &'a Setting, Option<&'a ModelDescription>);

impl Text {
    /// A parameter set, as an element that declares nothing itself, or as the root of a file.
    pub(super) fn set(&mut self, name: &str, settings: &[Named<'_>]) {
        let declared = self.declarations();
        self.open("ssv:ParameterSet", &format!("{declared} version=\"1.0\" name=\"{}\"", escape(name)));
        self.open("ssv:Parameters", "");
        for (target, setting, d) in settings {
            self.open("ssv:Parameter", &format!(" name=\"{}\"", escape(target)));
            self.line(format_args!("{}", super::write::value(setting, *d)));
            self.close("ssv:Parameter");
        }
        self.close("ssv:Parameters");
        self.units(settings.iter().map(|(_, setting, _)| *setting));
        self.close("ssv:ParameterSet");
    }
}
