//! The file's tables as serde sees them, every value with its span.

use serde::Deserialize;
use serde::de::{self, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;
use toml::Spanned;

/// A table whose keys are names, in the order of the file.
pub(super) struct Entries<V>(pub Vec<(Spanned<String>, V)>);

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Entries(Vec::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Walk<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Walk<V> {
            type Value = Entries<V>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries: Vec<(Spanned<String>, V)> = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                entries.sort_by_key(|(key, _)| key.span().start);
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Walk(PhantomData))
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct File {
    pub name: String,
    pub description: String,
    pub experiment: Option<Spanned<Experiment>>,
    pub coupling: Option<Spanned<Coupling>>,
    pub units: Entries<Unit>,
    pub parameters: Entries<Entries<Spanned<toml::Value>>>,
    pub connections: Entries<Wire>,
    pub laws: Entries<Law>,
    pub maps: Vec<Spanned<Map>>,
    pub bonds: Option<Vec<Spanned<Bond>>>,
    pub interface_models: Vec<Spanned<InterfaceModel>>,
    pub constraints: Vec<Spanned<Constraint>>,
    pub inputs: Entries<Spanned<String>>,
    pub events: Vec<Spanned<Event>>,
    pub history: Vec<Spanned<Event>>,
    pub solution: Option<Spanned<Solution>>,
    pub record: Record,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InterfaceModel {
    pub force: Vec<Spanned<String>>,
    pub speed: Vec<Spanned<String>>,
    pub position: Vec<Spanned<String>>,
    pub mobility: Vec<Spanned<String>>,
    pub bias: Vec<Spanned<String>>,
    #[serde(default)]
    pub to: Motion,
    #[serde(default)]
    pub repeat: u32,
    #[serde(default)]
    pub predicted: Vec<Spanned<String>>,
    #[serde(default)]
    pub arrived: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Constraint {
    pub name: Option<String>,
    pub kind: Spanned<String>,
    pub force: Option<Spanned<String>>,
    #[serde(default)]
    pub offset: Vec<f64>,
    pub length: Option<f64>,
    pub gap_max: Option<f64>,
    pub first: Spanned<JointEnd>,
    pub second: Spanned<JointEnd>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct JointEnd {
    pub position: Vec<Spanned<String>>,
    pub velocity: Vec<Spanned<String>>,
    pub force: Vec<Spanned<String>>,
    pub fixed: Option<Vec<f64>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Motion {
    pub speed: Vec<Spanned<String>>,
    pub position: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Event {
    pub at: Option<f64>,
    pub when: Option<Spanned<String>>,
    pub minus: Option<Spanned<String>>,
    pub threshold: Option<Spanned<f64>>,
    pub direction: Option<Spanned<String>>,
    pub one_sided: Option<Spanned<bool>>,
    pub max: Option<Spanned<i64>>,
    pub span: Option<Spanned<f64>>,
    pub set: Entries<Spanned<toml::Value>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Experiment {
    pub start: f64,
    pub stop: Option<Spanned<f64>>,
    pub step: Option<Spanned<f64>>,
    pub solver_tolerance: Option<f64>,
    pub error: Option<f64>,
    pub expect_growth: bool,
    pub parameters: Vec<Spanned<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Coupling {
    pub method: Option<Spanned<String>>,
    pub schedule: Option<Spanned<String>>,
    pub order: Vec<String>,
    pub predict: Option<Spanned<String>>,
    pub gs_variant: Option<Spanned<String>>,
    pub derivative: Option<Spanned<String>>,
    pub correct: Option<Spanned<String>>,
    pub corrector_tolerance: Option<Spanned<f64>>,
    pub corrections_max: Option<Spanned<i64>>,
    pub sampling: Option<Spanned<String>>,
    pub sub_steps: Option<Spanned<i64>>,
    pub energy: Option<Spanned<String>>,
    pub control: Option<Spanned<Control>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Control {
    pub kind: Option<Spanned<String>>,
    pub tolerance: Option<Spanned<f64>>,
    pub step_min: Option<Spanned<f64>>,
    pub step_max: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unit {
    pub fmu: Spanned<String>,
    pub step: Option<Spanned<String>>,
    pub step_parameter: Option<String>,
    pub python: Option<Spanned<PathBuf>>,
    pub face: Option<Spanned<String>>,
    pub solver_tolerance: Option<f64>,
    #[serde(default)]
    pub set: Entries<Spanned<toml::Value>>,
    #[serde(default)]
    pub motions: Vec<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Law {
    pub kind: Spanned<String>,
    pub inputs: Vec<Spanned<String>>,
    pub outputs: Vec<String>,
    pub stiffness: Option<Amount>,
    pub damping: Option<Amount>,
    pub coefficients: Option<Vec<f64>>,
    pub coefficient: Option<f64>,
    pub laminar: Option<f64>,
    pub impedance: Option<Amount>,
    pub delay: Option<f64>,
    pub ends: Option<Vec<String>>,
}

/// A number, or a parameter of a unit.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Amount {
    Number(f64),
    Parameter(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Map {
    pub from: Vec<Spanned<String>>,
    pub to: Vec<Spanned<String>>,
    pub matrix: Vec<Vec<f64>>,
    pub reaction: Option<Reaction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reaction {
    pub from: Vec<Spanned<String>>,
    pub to: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bond {
    pub name: Option<String>,
    pub ports: Vec<Spanned<Port>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Port {
    pub flow: Spanned<String>,
    pub inputs: Entries<Spanned<toml::Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Solution {
    pub of: Spanned<toml::Value>,
    #[serde(default)]
    pub columns: Entries<String>,
    pub tolerance: Option<Spanned<f64>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Record {
    pub variables: Vec<Spanned<String>>,
    pub every: Option<Spanned<i64>>,
}

/// `"unit.output"`, or a table with a transformation.
pub(super) enum Wire {
    Plain(String),
    Changed(Changed),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changed {
    pub from: String,
    #[serde(default = "one")]
    pub factor: f64,
    #[serde(default)]
    pub offset: f64,
    #[serde(default = "yes")]
    pub convert_units: bool,
    #[serde(default)]
    pub table: Vec<Vec<toml::Value>>,
    #[serde(default)]
    pub round: bool,
    #[serde(default)]
    pub mean: bool,
    #[serde(default)]
    pub hold: bool,
    pub law: Option<String>,
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

impl<'de> Deserialize<'de> for Wire {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Wire;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("\"UNIT.OUTPUT\" or { from = \"UNIT.OUTPUT\", factor = …, offset = … }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Wire, E> {
                Ok(Wire::Plain(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Wire, A::Error> {
                Changed::deserialize(de::value::MapAccessDeserializer::new(map)).map(Wire::Changed)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
