//! What an FMU declares, as tables.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use macrostep_answers::values::{self, word};
use macrostep_description::{BaseUnit, Dependencies, Item, Kind, ModelDescription, Unit, Value, Variable, shown};
use macrostep_import::fmu::{Face, Fmu};
use macrostep_plot::table::{Listing, Table};
use macrostep_system::assemble::InputOrder;

use super::{capabilities, dependencies, exponents, items, names, place, reference, rollback};

/// Characters of a cell: names of Modelica are long, those of a broken file endless.
const CELL_MAX: usize = 500;

/// All tables.
pub(super) fn write(fmu: &Fmu, tried: Option<&InputOrder>, out: &mut dyn Write) -> io::Result<()> {
    let d = fmu.description();
    writeln!(out, "{}\n", about(fmu, tried).terminal())?;
    if !d.units.is_empty() {
        writeln!(out, "{}\n", units(d).terminal())?;
    }
    if d.types.iter().any(|t| !items(&t.kind).is_empty()) {
        writeln!(out, "{}\n", enumerations(d).terminal())?;
    }
    variables(d, out)?;
    fmu.warnings().iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
}

fn about(fmu: &Fmu, tried: Option<&InputOrder>) -> Table {
    // A row a property; long texts are cut.
    let d = fmu.description();
    let mut about = Table::new("property | value");
    let mut row = |name: &str, value: &str| {
        about.row([name, &shown::cut(value, CELL_MAX)]);
    };
    // The model, and what the FMU can do.
    row("model", &d.model_name);
    if d.fmi3.is_some() {
        row("FMI", &d.fmi_version);
    }
    row("identifier", &fmu.capabilities().model_identifier);
    row("GUID", &d.guid);
    row("description", d.description.as_deref().unwrap_or("–"));
    row("made by", d.generation_tool.as_deref().unwrap_or("–"));
    let faces: Vec<&str> = fmu.faces().map(Face::word).collect();
    row("faces", &faces.join(", "));
    for (name, offered) in capabilities(fmu) {
        row(name, if offered { "yes" } else { "no" });
    }
    // How it goes back where a method repeats steps.
    let way = match rollback(fmu) {
        "own" => "by its own state functions",
        "fork" => "by fork of a process of its own, where a method repeats steps",
        _ => "no",
    };
    row("goes back", way);
    if let Some(tried) = tried {
        row("tried", &tried.sentence());
    }
    row("maxOutputDerivativeOrder", &fmu.capabilities().max_output_derivative_order.to_string());
    // What is connected together.
    for t in d.fmi3.iter().flat_map(|fmi3| &fmi3.terminals) {
        let kind = t.kind.as_ref().map_or(String::new(), |kind| format!("{kind}, "));
        let variables: Vec<&str> = t.members.iter().map(|member| member.variable.as_str()).collect();
        row(&format!("terminal `{}`", t.name), &format!("{kind}{}: {}", t.rule, variables.join(", ")));
    }
    // The experiment its maker had in mind.
    if let Some(e) = &d.default_experiment {
        let time = |t: Option<f64>| t.map_or("–".to_owned(), |t| format!("{} s", shown::number(t)));
        let (start, stop, step) = (time(e.start_time), time(e.stop_time), time(e.step_size));
        row("default experiment", &format!("{start} to {stop}, step {step}"));
    }
    about
}

/// Units, what they are in SI base units, and the units their values are shown in.
fn units(d: &ModelDescription) -> Table {
    let mut table = Table::new("unit | in SI base units | shown as");
    for unit in &d.units {
        let name = shown::text(&unit.name).into_owned();
        let mut row = [name, unit.base.as_ref().map_or_else(|| "–".to_owned(), base), String::new()];
        // The first display unit beside the unit, the others below.
        for display in display(unit) {
            row[2] = display;
            table.row(std::mem::take(&mut row));
        }
        if !row[0].is_empty() {
            table.row(row);
        }
    }
    table
}

/// "kPa = 100 · bar", with an offset behind.
fn display(unit: &Unit) -> impl Iterator<Item = String> {
    let of = shown::text(&unit.name);
    unit.display.iter().map(move |display| {
        format!("{} = {}", shown::text(&display.name), scaled(display.factor, display.offset, &of, " · "))
    })
}

/// "1000 kg·m·s^-2", with an offset behind.
fn base(base: &BaseUnit) -> String {
    let powers: Vec<String> = exponents(base)
        .into_iter()
        .filter(|(_, power)| *power != 0)
        .map(|(name, power)| if power == 1 { name.to_owned() } else { format!("{name}^{power}") })
        .collect();
    scaled(base.factor, base.offset, &if powers.is_empty() { "1".to_owned() } else { powers.join("·") }, " ")
}

fn scaled(factor: f64, offset: f64, unit: &str, times: &str) -> String {
    let mut text = if factor == 1.0 { unit.to_owned() } else { format!("{}{times}{unit}", shown::number(factor)) };
    if offset != 0.0 {
        let sign = if offset < 0.0 { '−' } else { '+' };
        text = format!("{text} {sign} {}", shown::number(offset.abs()));
    }
    text
}

/// Enumerations, an item a row: a scenario and `--start` take an item by its name.
fn enumerations(d: &ModelDescription) -> Table {
    let mut table = Table::new("enumeration | item | > value | description");
    for t in &d.types {
        for (i, item) in items(&t.kind).iter().enumerate() {
            let name = if i == 0 { shown::text(&t.name) } else { Cow::Borrowed("") };
            let about = shown::cut(item.description.as_deref().unwrap_or_default(), CELL_MAX);
            table.row([name, shown::text(&item.name), Cow::Owned(item.value.to_string()), about]);
        }
    }
    table
}

fn variables(d: &ModelDescription, out: &mut dyn Write) -> io::Result<()> {
    // Direct feed-through by variable, and names of enumeration items for start values.
    let depends = dependencies(d);
    let enumerations: HashMap<&str, &[Item]> = d.types.iter().map(|t| (t.name.as_str(), items(&t.kind))).collect();
    let listing = Listing::new(
        "variable | > reference | type | unit | causality | variability | > start | direct feed-through from",
    );
    // A row for each variable; widths need all of them, so that rows are made twice rather than held.
    listing.write(out, |each| {
        d.variables.iter().zip(&depends).enumerate().try_for_each(|(at, (v, depends))| {
            let follows = match depends {
                Some(Dependencies::All) => Cow::Borrowed("all inputs"),
                Some(Dependencies::Known(known)) => Cow::Owned(names(d, known).collect::<Vec<_>>().join(", ")),
                None => Cow::Borrowed(""),
            };
            // Names and lists are cut, as they may be of any length.
            each(&[
                shown::cut(&v.name, CELL_MAX),
                Cow::Owned(reference(d, at).to_string()),
                type_of(d, at),
                shown::text(v.unit()),
                Cow::Owned(word(v.causality)),
                Cow::Owned(word(v.variability)),
                start(v, &enumerations),
                Cow::Owned(shown::cut(&follows, CELL_MAX).into_owned()),
            ])
        })
    })
}

/// "Real", or what it is called in FMI 3.0; of an enumeration its name.
fn type_of(d: &ModelDescription, at: usize) -> Cow<'_, str> {
    let v = &d.variables[at];
    match (&v.kind, &v.declared_type) {
        (Kind::Enumeration { .. }, Some(name)) => Cow::Owned(format!("Enumeration {}", shown::text(name))),
        _ => Cow::Borrowed(place(d, at).map_or_else(|| values::type_name(v), |place| place.native.name())),
    }
}

/// The start value; of an enumeration with the item's name.
fn start<'a>(v: &'a Variable, enumerations: &HashMap<&str, &[Item]>) -> Cow<'a, str> {
    let items = || v.declared_type.as_deref().and_then(|name| enumerations.get(name)).copied().unwrap_or_default();
    match (&v.start, &v.kind) {
        (None, _) => Cow::Borrowed(""),
        (Some(Value::Real(x)), _) => Cow::Owned(shown::number(*x)),
        (Some(Value::Integer(i)), Kind::Enumeration { .. }) => {
            let item = items().iter().find(|item| item.value == *i);
            Cow::Owned(item.map_or_else(|| i.to_string(), |item| format!("{i} = {}", shown::text(&item.name))))
        }
        (Some(Value::Integer(i)), _) => Cow::Owned(i.to_string()),
        (Some(Value::Boolean(b)), _) => Cow::Owned(b.to_string()),
        (Some(Value::String(s)), _) => Cow::Owned(format!("{:?}", shown::text(s))),
    }
}
