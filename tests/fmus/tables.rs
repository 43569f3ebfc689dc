//! The tables of FMUs and variables in README.md and docs/fmus.md say what the declarations say.
//!
//! `MACROSTEP_WRITE=1 cargo test --test all fmus::tables` writes them anew.

use macrostep::catalogue::all;
use macrostep_description::{Causality, ModelDescription, Value, Variable};
use macrostep_plot::table::{Align, Table};
use std::path::Path;

const FROM: &str = "<!-- generated from the declarations: from here -->\n";
const TO: &str = "<!-- generated from the declarations: to here -->\n";

fn of(d: &ModelDescription, causality: Causality) -> impl Iterator<Item = &Variable> {
    d.variables.iter().filter(move |v| v.causality == causality)
}

/// The name, an array's for all of its elements: `w[…]` of `w[3]`, `der(w[…])` of `der(w[3])`.
fn array(name: &str) -> String {
    match (name.find('['), name.rfind(']')) {
        (Some(from), Some(to)) if from < to => format!("`{}…{}`", &name[..=from], &name[to..]),
        _ => format!("`{name}`"),
    }
}

/// How many names a cell of the overview shows; docs/fmus.md has all.
const SHOWN: usize = 10;

/// The first names, arrays once.
fn names(d: &ModelDescription, causality: Causality) -> String {
    let mut seen: Vec<String> = Vec::new();
    for v in of(d, causality) {
        let name = array(&v.name);
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    match seen.len() {
        0 => "none".to_string(),
        n if n > SHOWN => format!("{} and {} more", seen[..SHOWN - 1].join(" "), n - SHOWN + 1),
        _ => seen.join(" "),
    }
}

/// Without the padding of columns: lines that a person can read unrendered.
fn narrow(table: &str) -> String {
    let cell = |c: &str| match c.trim() {
        rule if rule.starts_with("--") => "---".to_string(),
        text => text.to_string(),
    };
    let line = |l: &str| l.split('|').map(cell).collect::<Vec<_>>().join(" | ").trim().to_string();
    table.lines().map(|l| line(l) + "\n").collect()
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
    narrow(&table.markdown())
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
        "# The FMUs and their variables\n\nGenerated from the declarations by `MACROSTEP_WRITE=1 cargo test --test all fmus::tables`. \
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
            let name = array(&v.name);
            if arrays.contains(&name) {
                continue;
            }
            arrays.push(name.clone());
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
    let how = "`MACROSTEP_WRITE=1 cargo test --test all fmus::tables` writes it anew";
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
