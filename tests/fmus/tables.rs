//! The tables of FMUs and variables in docs/fmus.md, and the READMEs of the FMUs, agree with the declarations.
//!
//! `MACROSTEP_WRITE=1 cargo test --test all fmus::tables` writes them anew.

use macrostep_analysis::catalogue::all;
use macrostep_description::{Causality, ModelDescription, Value, Variable};
use macrostep_models::ModelEntry;
use macrostep_plot::Table;
use std::path::Path;

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
    let mut table = Table::new("FMU | what | faces | inputs | outputs | parameters");
    for model in all() {
        let d = model.describe();
        let cell = |c| names(&d, c);
        table.row([
            format!("[`{}`](#{})", model.identifier, model.identifier),
            d.description.clone().unwrap_or_default(),
            if d.model_exchange.is_some() { "both" } else { "co-simulation" }.to_string(),
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

/// All variables of a model, arrays once.
fn table(d: &ModelDescription) -> String {
    let mut table = Table::new("variable | role | unit | > start | meaning");
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
    table.markdown()
}

/// Before the tables of docs/fmus.md: where they come from, and what to do about arrays.
const PREFACE: &str = r#"# The FMUs and their variables

Generated from the declarations by `MACROSTEP_WRITE=1 cargo test --test all fmus::tables`. `macrostep fmus --out DIR` writes the
files; each carries its equations in `documentation/index.html`. Those with *both* faces can also be integrated by other tools
([model exchange](faces.md#fmus-of-this-program)).

## Dense output in other tools

Arrays `…_node[…]` are values inside the last step; `macrostep` reads them for `waveform:Q` and nothing else does. They are outputs because
FMI 2.0 lets only outputs be read by other units (section 2.2.7: a local variable must not be used in another model), and they stand
behind all plain outputs. A tool that records every output by default shows them all. They cost nothing where they are not read, and
cannot be left out of a file: the GUID stands for all that is declared. In FMPy, name the outputs to record:

```python
from fmpy import read_model_description, simulate_fmu

fmu = "oscillator1_displacement.fmu"
simulate_fmu(fmu, stop_time=1, output=["x", "v", "f_c"])

plain = [v.name for v in read_model_description(fmu).modelVariables if v.causality == "output" and "_node[" not in v.name]
simulate_fmu(fmu, stop_time=1, output=plain)
```
"#;

fn variables() -> String {
    let mut page = format!("{PREFACE}\n## Overview\n\n{}", overview());
    for model in all() {
        let d = model.describe();
        page += &format!("\n## {}\n\n{}\n\n", model.identifier, d.description.clone().unwrap_or_default());
        page += &format!("{}\n", table(&d));
    }
    page
}

/// The documentation of a model as Markdown: HTML of headings, paragraphs, lists and formulas, entities left to the reader.
fn markdown(html: &str) -> String {
    let formulas = [("<pre>", "\n```text\n"), ("</pre>", "\n```\n")];
    let rest = [
        ("<h2>", "\n## "),
        ("</h2>", "\n"),
        ("<p>", "\n"),
        ("</p>", "\n"),
        ("<code>", "`"),
        ("</code>", "`"),
        ("<ul>", ""),
        ("</ul>", ""),
        ("<li>", "* "),
        ("</li>", ""),
    ];
    let text = formulas.iter().chain(&rest).fold(html.to_owned(), |text, (tag, mark)| text.replace(tag, mark));
    assert!(!text.contains("</"), "a tag without a form in Markdown: {text}");
    // Inside a fence entities are not decoded, and one empty line stands between blocks.
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(line);
        }
    }
    lines.join("\n").trim().to_owned()
}

/// The README of an FMU: equations and variables, where it is declared, how it is built.
fn readme(model: &ModelEntry, declared_in: &str) -> String {
    let d = model.describe();
    let (identifier, about) = (model.identifier, d.description.clone().unwrap_or_default());
    let equations = markdown(&model.documentation_html());
    let made = |(name, _): &(&str, &[u8])| {
        format!("`resources/{name}` is made by `cargo run -p macrostep-models-flexible --example resources`.\n\n")
    };
    let resources: String = model.resources.iter().map(made).collect();
    format!(
        "# {identifier}\n\n{about}.\n\n{equations}\n\n## Variables\n\n{}\n## Building\n\n{resources}```sh\ncargo build --profile fmu \
         -p {identifier}\n```\n\nThe model is declared in `{declared_in}`, this page is generated from the declaration by\n\
         `MACROSTEP_WRITE=1 cargo test --test all fmus::tables`.\n",
        narrow(&table(&d))
    )
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
    let fmus = root.join("docs/fmus.md");
    hold(&fmus, &std::fs::read_to_string(&fmus).unwrap_or_default(), &variables());
}

#[test]
fn readmes_of_fmus_are_those_of_the_declarations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let declared = [
        (macrostep_models::all(), "crates/models"),
        (macrostep_models_mechanics::all(), "crates/models_mechanics"),
        (macrostep_models_flexible::all(), "crates/models_flexible"),
    ];
    let mut pages = 0;
    for (models, folder) in declared {
        for model in models {
            let path = root.join("fmus").join(model.identifier).join("README.md");
            hold(&path, &std::fs::read_to_string(&path).unwrap_or_default(), &readme(&model, folder));
            pages += 1;
        }
    }
    let folders = std::fs::read_dir(root.join("fmus"))
        .expect("read")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().join("Cargo.toml").is_file()));
    assert_eq!(folders.count(), pages, "every FMU has a page");
}
