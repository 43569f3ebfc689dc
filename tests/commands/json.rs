//! The objects of `--json` have exactly the keys of the schemas in docs/json.

use serde_json::Value;

use crate::run::{json, program};

fn schema(verb: &str) -> Value {
    let path = format!("{}/docs/json/{verb}.schema.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))).expect("JSON")
}

/// Whether the value is of a type of JSON Schema.
fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("type `{other}` in a schema"),
    }
}

/// Notes what of the value is not as the schema says. Of JSON Schema these words are understood, others are refused.
fn compare(schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (word, said) in schema.as_object().expect("a schema") {
        let list = || said.as_array().cloned().unwrap_or_default();
        match word.as_str() {
            "$schema" | "title" | "description" => assert!(said.is_string(), "{at}.{word}"),
            "type" => {
                let names = if said.is_string() { vec![said.clone()] } else { list() };
                if !names.iter().any(|name| is_a(value, name.as_str().expect("a name"))) {
                    found.push(format!("{at}: {value} is no {said}"));
                }
            }
            "enum" if !list().contains(value) => found.push(format!("{at}: {value} is none of {said}")),
            "minimum" if value.as_f64() < said.as_f64() && !value.is_null() => {
                found.push(format!("{at}: {value} < {said}"))
            }
            "minItems" | "maxItems" => {
                let (n, bound) = (value.as_array().map_or(0, Vec::len) as u64, said.as_u64().expect("a bound"));
                if (word == "minItems" && n < bound) || (word == "maxItems" && n > bound) {
                    found.push(format!("{at}: {n} items, {word} {bound}"));
                }
            }
            "items" => {
                value.as_array().into_iter().flatten().for_each(|item| compare(said, item, &format!("{at}[]"), found))
            }
            "required" if value.is_object() => {
                let names = list();
                let missing = names.iter().filter(|name| value.get(name.as_str().expect("a name")).is_none());
                found.extend(missing.map(|name| format!("{at}: {name} is missing")));
            }
            "properties" | "additionalProperties" if value.is_object() => {
                let known = &schema["properties"];
                for (key, inner) in value.as_object().expect("an object") {
                    let at = format!("{at}.{key}");
                    match (known.get(key), word.as_str()) {
                        (Some(known), "properties") => compare(known, inner, &at, found),
                        (None, "additionalProperties") if *said == Value::Bool(false) => {
                            found.push(format!("{at}: not in the schema"))
                        }
                        (None, "additionalProperties") => compare(said, inner, &at, found),
                        _ => {}
                    }
                }
            }
            "enum" | "minimum" | "required" | "properties" | "additionalProperties" => {}
            other => panic!("`{other}` at {at} of a schema"),
        }
    }
}

#[track_caller]
fn holds(verb: &str, value: &Value) {
    let mut found = Vec::new();
    compare(&schema(verb), value, verb, &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn folder(name: &str) -> String {
    let folder = crate::common::folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder.to_str().expect("UTF-8").to_owned()
}

#[test]
fn run() {
    holds("run", &json(&["run", "case-1", "--stop", "0.1", "--json"]));
    holds("run", &json(&["run", "case-1", "--stop", "0.1", "--json", "--control", "error"]));
    holds("run", &json(&["run", "case-1", "--stop", "1", "--step", "0.2", "--method", "waveform:8", "--json"]));
    let out = folder("run");
    holds("run", &json(&["run", "case-1", "--stop", "0.1", "--json", "--real-time", "10", "--out", &out, "--report"]));
    // A run that fails has its result too.
    let failed = ["run", "case-1", "--step", "0.1", "--stop", "200", "--out", &out, "--no-pictures"];
    assert_eq!(crate::run::program(&failed).status.code(), Some(1));
    let result = std::fs::read_to_string(format!("{out}/result.json")).expect("a result");
    let result: Value = serde_json::from_str(&result).expect("JSON");
    assert!(result["error"].is_string() && result["diverged_at_s"].is_number(), "{result}");
    holds("run", &result);
    let printed = crate::run::program(&[&failed[..], &["--json"]].concat());
    assert_eq!(printed.status.code(), Some(1));
    let printed: Value = serde_json::from_slice(&printed.stdout).expect("one JSON object");
    assert_eq!(printed["error"], result["error"]);
    holds("run", &printed);
}

#[test]
fn verify() {
    holds("verify", &json(&["verify", "case-1", "--stop", "1", "--json"]));
    holds("verify", &json(&["verify", "case-1", "--stop", "1", "--json", "--tolerance", "0.5"]));
    let missed = ["verify", "case-1", "--stop", "1", "--json", "--tolerance", "1e-6"];
    let output = crate::run::program(&missed);
    assert_eq!(output.status.code(), Some(3));
    holds("verify", &serde_json::from_slice(&output.stdout).expect("JSON"));
}

/// A carried FMU as a file.
fn carried(name: &str) -> String {
    let fmu = crate::common::folder(module_path!()).join(format!("{name}.fmu"));
    std::fs::write(&fmu, macrostep::embedded::packed(name).expect("carried")).expect("written");
    fmu.to_str().expect("UTF-8").to_owned()
}

#[test]
fn check() {
    let fmu = carried("oscillator1_force");
    holds("check", &json(&["check", &fmu, "--json"]));
    if cfg!(target_os = "linux") {
        holds("check", &json(&["check", &fmu, "--json", "--rollback"]));
    }
}

#[test]
fn info_and_simulate() {
    for name in ["oscillator1_displacement", "crane", "stop_mass"] {
        holds("info", &json(&["info", &carried(name), "--json"]));
    }
    let (fmu, out) = (carried("oscillator1_displacement"), folder("simulate"));
    let simulated = json(&["simulate", &fmu, "--stop", "0.1", "--json", "--out", &out]);
    holds("run", &simulated);
    assert_eq!(simulated["units_of_measurement"]["v"], "m/s");
    let written = std::fs::read_to_string(format!("{out}/result.json")).expect("a result");
    assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), simulated);
}

#[test]
fn advise() {
    let asked = ["advise", "case-1", "--tolerance", "1e-2", "--stop", "2", "--json"];
    holds("advise", &json(&[&asked[..], &["--apply"]].concat()));
    // A tolerance that no scheme meets is a failure, and one object all the same.
    let left = program(&["advise", "case-1", "--tolerance", "1e-14", "--stop", "2", "--json"]);
    assert_eq!(left.status.code(), Some(1), "{left:?}");
    let missed: Value = serde_json::from_slice(&left.stdout).expect("one object");
    holds("advise-missed", &missed);
    assert!(missed["error"].as_str().is_some_and(|error| error.contains("1e-14")), "{missed}");
    assert!(missed["missed"].as_array().is_some_and(|reasons| !reasons.is_empty()), "{missed}");
}

#[test]
fn sweep() {
    let (grid, sampled) = (folder("grid"), folder("sampled"));
    let measure = ["--measure", "top=max(mass1.x)", "--stop", "1", "--no-pictures", "--json", "--out"];
    let varied = ["sweep", "case-1", "--vary", "mass1.k=5,6", "--vary", "predict=hold,linear"];
    holds("sweep", &json(&[&varied[..], &measure, &[grid.as_str()]].concat()));
    let varied = ["sweep", "case-1", "--vary", "mass1.k=lin:5:6", "--vary", "mass2.k=lin:900:1000"];
    let design = ["--design", "sobol", "--samples", "32"];
    holds("sweep", &json(&[&varied[..], &design, &measure, &[sampled.as_str()]].concat()));
    let written = std::fs::read_to_string(format!("{sampled}/result.json")).expect("a result");
    holds("sweep", &serde_json::from_str(&written).expect("JSON"));
}

#[test]
fn fit() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fit");
    let (system, data) = (format!("{examples}/pair.toml"), format!("{examples}/measured.csv"));
    let asked = ["fit", &system, "--data", &data, "--free", "left.k=1:100", "--free", "right.k=3:300", "--json"];
    holds("fit", &json(&[&asked[..], &["--starts", "1"]].concat()));
}
