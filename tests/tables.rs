//! The tables of FMUs and variables in README.md and docs/fmus.md say what the declarations say.
//!
//! `MACROSTEP_WRITE=1 cargo test --test tables` writes them anew.

use macrostep::catalogue::all;
use macrostep_description::{Causality, ModelDescription, Value, Variable};
use macrostep_master::report::table::{Align, Table};
use std::path::Path;

const FROM: &str = "<!-- generated from the declarations: from here -->\n";
const TO: &str = "<!-- generated from the declarations: to here -->\n";

fn of(d: &ModelDescription, causality: Causality) -> impl Iterator<Item = &Variable> {
    d.variables.iter().filter(move |v| v.causality == causality)
}

/// `name` or, of an array, `name[0…q]` once.
fn names(d: &ModelDescription, causality: Causality) -> String {
    let mut seen: Vec<String> = Vec::new();
    for v in of(d, causality) {
        let name = match v.name.split_once('[') {
            Some((array, _)) => format!("`{array}[…]`"),
            None => format!("`{}`", v.name),
        };
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    if seen.is_empty() { "none".to_string() } else { seen.join(" ") }
}

fn overview() -> String {
    let left = |name: &'static str| (name, Align::Left);
    let mut table = Table::new([left("FMU"), left("what"), left("inputs"), left("outputs"), left("parameters")]);
    for model in all() {
        let d = model.describe();
        let cell = |c| names(&d, c);
        table.row([
            format!("[`{}`](docs/fmus.md#{})", model.identifier, model.identifier),
            d.description.clone().unwrap_or_default(),
            cell(Causality::Input),
            cell(Causality::Output),
            cell(Causality::Parameter),
        ]);
    }
    table.markdown()
}

fn start(v: &Variable) -> String {
    match &v.start {
        None => String::new(),
        Some(Value::Real(x)) => x.to_string(),
        Some(Value::Integer(i)) => i.to_string(),
        Some(Value::Boolean(b)) => b.to_string(),
        Some(Value::String(s)) => s.clone(),
    }
}

/// What a variable is to the model.
fn role(v: &Variable) -> &'static str {
    match v.causality {
        Causality::Parameter => "parameter",
        Causality::CalculatedParameter => "calculated parameter",
        Causality::Input => "input",
        Causality::Output => "output",
        Causality::Local => "local",
        Causality::Independent => "time",
    }
}

fn variables() -> String {
    let mut page = String::from(
        "# The FMUs and their variables\n\nGenerated from the declarations by `MACROSTEP_WRITE=1 cargo test --test tables`. \
         `macrostep fmus --out DIR` writes the\nfiles; each carries its equations in `documentation/index.html`.\n",
    );
    for model in all() {
        let d = model.describe();
        page += &format!("\n## {}\n\n{}\n\n", model.identifier, d.description.clone().unwrap_or_default());
        let left = |name: &'static str| (name, Align::Left);
        let mut table =
            Table::new([left("variable"), left("role"), left("unit"), ("start", Align::Right), left("meaning")]);
        let mut arrays: Vec<String> = Vec::new();
        for v in &d.variables {
            let name = match v.name.split_once('[') {
                Some((array, _)) if arrays.iter().any(|a| a == array) => continue,
                Some((array, _)) => {
                    arrays.push(array.to_string());
                    format!("`{array}[…]`")
                }
                None => format!("`{}`", v.name),
            };
            let about = v.description.clone().unwrap_or_default();
            table.row([name, role(v).to_string(), v.unit().to_string(), start(v), about]);
        }
        page += &format!("{}\n", table.markdown());
    }
    page
}

/// Compares a file with what it should hold, or writes it.
fn hold(path: &Path, found: &str, expected: &str) {
    if std::env::var_os("MACROSTEP_WRITE").is_some() {
        std::fs::write(path, expected).expect("written");
        return;
    }
    let how = "`MACROSTEP_WRITE=1 cargo test --test tables` writes it anew";
    assert!(found == expected, "{} is not what the declarations say; {how}", path.display());
}

#[test]
fn tables_of_fmus_are_those_of_the_declarations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (readme, fmus) = (root.join("README.md"), root.join("docs/fmus.md"));
    let text = std::fs::read_to_string(&readme).expect("read");
    let (before, rest) = text.split_once(FROM).expect("where the table begins");
    let (_, after) = rest.split_once(TO).expect("where it ends");
    hold(&readme, &text, &format!("{before}{FROM}\n{}\n{TO}{after}", overview()));
    hold(&fmus, &std::fs::read_to_string(&fmus).unwrap_or_default(), &variables());
}
