//! From the text to a [`Scenario`].

mod constraint;
mod event;
mod method;
mod relations;
mod solution;
mod source;
mod value;

use super::file::{self, Amount, Entries, File, Wire};
use crate::finding::Finding;
use crate::scenario::{
    Bond, Connection, Coupling, Endpoint, Event, Experiment, Gain, InputFile, InterfaceModel, Law, LawKind, Line,
    LineEnd, LineSize, Map, ParameterSet, Place, Port, Reaction, Record, Scenario, StepChoice, Unit, Value,
};
use crate::words::{Control, Named};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use toml::Spanned;
use value::plain;

/// Bytes a scenario may have.
const BYTES_MAX: usize = 16 << 20;

/// Turns positions into places, and texts into values with a place.
struct Reader<'a> {
    file: Arc<str>,
    folder: &'a Path,
    /// Where each line starts.
    lines: Vec<usize>,
    text: &'a str,
}

type Read<T> = Result<T, Finding>;

/// Reads a scenario; `file` is for messages, paths of FMUs are relative to `folder`.
///
/// # Errors
/// The first thing that is wrong, with line and column.
pub fn read(text: &str, file: &str, folder: &Path) -> Result<Scenario, Finding> {
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
    let reader = Reader { file: file.into(), folder, lines, text };
    if text.len() > BYTES_MAX {
        let what = format!("{} bytes, expected at most {BYTES_MAX}", text.len());
        return Err(Finding::error(&reader.at(0..0), what, "is this a scenario?"));
    }
    let tables: File = toml::from_str(text).map_err(|e| {
        let message = e.message().replace('\n', " ");
        // A key of former versions stood for two things.
        let is_former = message.starts_with("unknown field `tolerance`");
        let former = "write `solver_tolerance` in [experiment] or a unit, `corrector_tolerance` in [coupling], `error` for the coupling's";
        let next = if is_former { former } else { "`macrostep docs keys` shows every key" };
        Finding::error(&reader.at(e.span().unwrap_or(0..0)), message, next)
    })?;
    reader.scenario(tables)
}

impl Reader<'_> {
    fn at(&self, span: Range<usize>) -> Place {
        let line = self.lines.partition_point(|start| *start <= span.start).max(1);
        let start = self.lines[line - 1];
        let column = self.text.get(start..span.start).map_or(0, |before| before.chars().count());
        Place { file: self.file.clone(), line: line as u32, column: column as u32 + 1 }
    }

    fn place<T>(&self, value: &Spanned<T>) -> Place {
        self.at(value.span())
    }

    fn scenario(&self, f: File) -> Read<Scenario> {
        // Times, and the parameter sets that are applied, all of which are there.
        let (experiment, applied): (_, &[Spanned<String>]) = match &f.experiment {
            Some(e) => self.experiment(e),
            None => (Experiment { place: self.at(0..0), ..Experiment::default() }, &[]),
        };
        let sets = f.parameters.0.iter().map(|(name, set)| self.set(name, set)).collect::<Read<Vec<_>>>()?;
        for name in applied {
            if !sets.iter().any(|s| s.name == *name.get_ref()) {
                let what = format!("no parameter set `{}`", name.get_ref());
                return Err(Finding::error(&self.place(name), what, format!("write [parameters.{}]", name.get_ref())));
            }
        }
        // Both kinds of events stand in one list of the file.
        let (events, state_events) = self.events(&f.events)?;
        // A file that a run is compared with is one of the inputs.
        let mut inputs = f.inputs.0.iter().map(|(name, file)| self.input(name, file)).collect::<Read<_>>()?;
        let solution = f.solution.as_ref().map(|s| self.solution(s, &mut inputs)).transpose()?;
        let scenario = Scenario {
            name: f.name,
            description: f.description,
            experiment,
            coupling: f
                .coupling
                .as_ref()
                .map_or(Ok(Coupling { sub_steps: 1, ..Coupling::default() }), |c| self.coupling(c))?,
            // Units with their values, and what connects them.
            units: f.units.0.iter().map(|(name, unit)| self.unit(name, unit)).collect::<Read<_>>()?,
            sets,
            applied: applied.iter().map(|name| name.get_ref().clone()).collect(),
            connections: f.connections.0.iter().map(|(to, wire)| self.connection(to, wire)).collect::<Read<_>>()?,
            laws: f.laws.0.iter().map(|(name, law)| self.law(name, law)).collect::<Read<_>>()?,
            maps: f.maps.iter().map(|map| self.map(map)).collect::<Read<_>>()?,
            bonds_are_all: f.bonds.as_ref().is_some_and(Vec::is_empty),
            bonds: f.bonds.iter().flatten().enumerate().map(|(b, bond)| self.bond(b, bond)).collect::<Read<_>>()?,
            interface_models: f.interface_models.iter().map(|m| self.interface_model(m)).collect::<Read<_>>()?,
            constraints: f.constraints.iter().enumerate().map(|(i, c)| self.constraint(i, c)).collect::<Read<_>>()?,
            // What comes from files, what happens at a time, and what is recorded.
            inputs,
            events,
            state_events,
            history: f.history.iter().map(|event| self.event(event)).collect::<Read<_>>()?,
            solution,
            record: self.record(&f.record)?,
        };
        // A value that is given twice is found when all of them are read.
        self.once(&scenario, applied)?;
        Ok(scenario)
    }

    /// Every value comes from one place: later sets do not hide what stands before them.
    fn once(&self, s: &Scenario, applied: &[Spanned<String>]) -> Read<()> {
        // A set is applied once.
        for (i, name) in applied.iter().enumerate() {
            if let Some(first) = applied[..i].iter().find(|n| n.get_ref() == name.get_ref()) {
                let what = format!(
                    "parameter set `{}` is applied twice, first at {}",
                    name.get_ref(),
                    line(&self.place(first))
                );
                return Err(Finding::error(&self.place(name), what, "name it once"));
            }
        }
        // A variable has one value, from its unit or from one of the applied sets.
        let own = s.units.iter().flat_map(|u| u.settings.iter().map(|setting| (u.name.as_str(), setting)));
        let sets = s.applied.iter().filter_map(|name| s.sets.iter().find(|set| set.name == *name));
        let of_sets = sets.flat_map(|set| set.settings.iter().map(|(unit, setting)| (unit.as_str(), setting)));
        let mut known: BTreeMap<(&str, &str), &Place> = BTreeMap::new();
        for (unit, setting) in own.chain(of_sets) {
            if let Some(first) = known.insert((unit, &setting.variable), &setting.place) {
                let what = format!("`{unit}.{}` is given two values, the first at {}", setting.variable, line(first));
                return Err(Finding::error(
                    &setting.place,
                    what,
                    "remove one of them; `--parameters` and `--set` override the file",
                ));
            }
        }
        Ok(())
    }

    /// A number within its range.
    fn within(&self, key: &str, value: &Option<Spanned<i64>>, most: i64) -> Read<Option<u64>> {
        let Some(value) = value else { return Ok(None) };
        match u64::try_from(*value.get_ref()).ok().filter(|n| (1..=most.unsigned_abs()).contains(n)) {
            Some(n) => Ok(Some(n)),
            None => {
                let what = format!("`{key}` is {}, expected a whole number from 1 to {most}", value.get_ref());
                Err(Finding::error(&self.place(value), what, ""))
            }
        }
    }

    fn experiment<'f>(&self, e: &'f Spanned<file::Experiment>) -> (Experiment, &'f [Spanned<String>]) {
        let place = self.place(e);
        let e = e.get_ref();
        let number = |key: &Option<Spanned<f64>>| key.as_ref().map(|value| *value.get_ref());
        let at = |key: &Option<Spanned<f64>>| key.as_ref().map_or_else(Place::default, |value| self.place(value));
        let (start_s, stop_s, step_s) = (e.start, number(&e.stop), number(&e.step));
        let (stop_place, step_place) = (at(&e.stop), at(&e.step));
        let (solver_tolerance, error, expect_growth) = (e.solver_tolerance, e.error, e.expect_growth);
        let times = Experiment {
            start_s,
            stop_s,
            step_s,
            solver_tolerance,
            error,
            expect_growth,
            place,
            stop_place,
            step_place,
        };
        (times, &e.parameters)
    }

    fn word<T: FromStr<Err = String> + Default>(&self, key: &str, word: &Option<Spanned<String>>) -> Read<T> {
        let Some(word) = word else { return Ok(T::default()) };
        word.get_ref().parse().map_err(|expected| {
            let what = format!("`{key}` is `{}`, {expected}", word.get_ref());
            Finding::error(&self.place(word), what, "")
        })
    }

    fn unit(&self, name: &Spanned<String>, unit: &file::Unit) -> Read<Unit> {
        // A name has no dot, as UNIT.VARIABLE is divided there.
        let place = self.place(name);
        let name = name.get_ref().clone();
        if name.is_empty() || name.contains('.') {
            return Err(Finding::error(&place, format!("unit `{name}`, expected a name without a dot"), ""));
        }
        let source = self.source(&name, unit)?;
        // Its own step, as a part of the macro step.
        let share = match &unit.step {
            None => (1, 1),
            Some(step) => share(step.get_ref()).ok_or_else(|| {
                let what = format!("`step` of unit `{name}` is `{}`", step.get_ref());
                Finding::error(&self.place(step), what, "write a part of the macro step, as \"1/5\" or \"2/3\"")
            })?,
        };
        // Start values and what else is known of it.
        let settings = unit.set.0.iter().map(|(key, value)| self.settings(key.get_ref(), value));
        let settings = settings.collect::<Read<Vec<_>>>()?.concat();
        let (solver_tolerance, step_parameter) = (unit.solver_tolerance, unit.step_parameter.clone());
        let motions = unit.motions.clone();
        Ok(Unit { share, step_parameter, solver_tolerance, settings, motions, place, ..Unit::new(name, source) })
    }

    fn set(&self, name: &Spanned<String>, entries: &Entries<Spanned<toml::Value>>) -> Read<ParameterSet> {
        let settings = self.units_settings(entries)?;
        Ok(ParameterSet { name: name.get_ref().clone(), settings, place: self.place(name) })
    }

    fn endpoint(&self, text: &Spanned<String>) -> Read<Endpoint> {
        self.endpoint_at(text.get_ref(), &self.place(text))
    }

    fn endpoint_at(&self, text: &str, place: &Place) -> Read<Endpoint> {
        Endpoint::parse(text).ok_or_else(|| {
            Finding::error(
                place,
                format!("`{text}`, expected \"UNIT.VARIABLE\""),
                "put it in quotes, because it has a dot",
            )
        })
    }

    fn endpoints(&self, texts: &[Spanned<String>]) -> Read<Vec<Endpoint>> {
        texts.iter().map(|t| self.endpoint(t)).collect()
    }

    fn connection(&self, to: &Spanned<String>, wire: &Wire) -> Read<Connection> {
        let place = self.place(to);
        let to = self.endpoint(to)?;
        Ok(match wire {
            Wire::Plain(from) => Connection::new(self.endpoint_at(from, &place)?, to, place),
            Wire::Changed(c) => Connection {
                factor: c.factor,
                offset: c.offset,
                converts: c.convert_units,
                law: c.law.clone(),
                rounds: c.round,
                is_mean: c.mean,
                is_held: c.hold,
                table: c.table.iter().map(|line| self.line(line, &place)).collect::<Read<_>>()?,
                ..Connection::new(self.endpoint_at(&c.from, &place)?, to, place)
            },
        })
    }

    /// A line of a connection's table.
    fn line(&self, line: &[toml::Value], place: &Place) -> Read<(Value, Value)> {
        let pair = match line {
            [source, target] => plain(source).zip(plain(target)),
            _ => None,
        };
        pair.ok_or_else(|| {
            let found: Vec<String> = line.iter().map(ToString::to_string).collect();
            let what = format!("`[{}]` in a table, expected a value and the one that replaces it", found.join(", "));
            Finding::error(place, what, "write [[1, 10], [2, 20]], [[true, false], [false, true]] or [[\"a\", \"b\"]]")
        })
    }

    fn input(&self, name: &Spanned<String>, file: &Spanned<String>) -> Read<InputFile> {
        let (place, shown) = (self.place(name), file.get_ref().clone());
        let name = name.get_ref().clone();
        if name.is_empty() || name.contains('.') {
            return Err(Finding::error(&place, format!("file of inputs `{name}`, expected a name without a dot"), ""));
        }
        // A slave may change the working folder before it is read.
        let path = self.folder.join(&shown);
        let path = std::path::absolute(&path).unwrap_or(path);
        Ok(InputFile { name, path, shown, place })
    }

    fn bond(&self, b: usize, bond: &Spanned<file::Bond>) -> Read<Bond> {
        let place = self.place(bond);
        let name = bond.get_ref().name.clone().unwrap_or_else(|| format!("bond {}", b + 1));
        let ports = bond.get_ref().ports.iter().map(|port| self.port(port)).collect::<Read<_>>()?;
        Ok(Bond { name, ports, place })
    }

    fn port(&self, port: &Spanned<file::Port>) -> Read<Port> {
        let place = self.place(port);
        let flow = self.endpoint(&port.get_ref().flow)?;
        let inputs = port.get_ref().inputs.0.iter().map(|(input, gain)| {
            let gain = match gain.get_ref() {
                toml::Value::Float(x) => Gain::Number(*x),
                toml::Value::Integer(i) => Gain::Number(*i as f64),
                toml::Value::String(name) => Gain::parse(name),
                other => {
                    let what = format!("gain of `{}` is {} `{other}`", input.get_ref(), other.type_str());
                    return Err(Finding::error(
                        &self.place(gain),
                        what,
                        "write a number, or a parameter of the unit as \"k_c\" or \"-k_c\"",
                    ));
                }
            };
            Ok((input.get_ref().clone(), gain))
        });
        Ok(Port { flow, inputs: inputs.collect::<Read<_>>()?, place })
    }

    fn record(&self, record: &file::Record) -> Read<Record> {
        let variables = record.variables.iter().map(|v| (v.get_ref().clone(), self.place(v)));
        let every = self.within("every", &record.every, i64::MAX)?.unwrap_or(1);
        Ok(Record { variables: variables.collect(), every, ..Record::default() })
    }
}

/// A place within the file.
fn line(place: &Place) -> String {
    format!("line {}, column {}", place.line, place.column)
}

/// `p/q`.
fn share(text: &str) -> Option<(u32, u32)> {
    let (p, q) = text.split_once('/').unwrap_or((text, "1"));
    let number = |t: &str| t.trim().parse::<u32>().ok().filter(|n| (1..=1_000_000).contains(n));
    Some((number(p)?, number(q)?))
}
