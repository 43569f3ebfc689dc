//! `run --report`: the page has the results of the run, and no part from elsewhere.

use std::path::Path;
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

fn macrostep(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).output().expect("the program starts")
}

/// The data of a page.
fn data(page: &str) -> Value {
    let (_, after) = page.split_once("<script id=\"data\" type=\"application/json\">").expect("data");
    serde_json::from_str(after.split_once("</script>").expect("its end").0).expect("JSON")
}

fn bytes(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().expect("text")).expect("base64")
}

fn doubles(value: &Value) -> Vec<f64> {
    bytes(value).chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("8 bytes"))).collect()
}

fn singles(value: &Value) -> Vec<f64> {
    bytes(value).chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().expect("4 bytes")))).collect()
}

#[test]
fn the_page_holds_the_rows_the_account_and_the_scenario() {
    let folder = crate::common::folder(module_path!()).join("case-1");
    let out = folder.to_str().expect("UTF-8");
    let run = macrostep(&["run", "case-1", "--stop", "1", "--out", out, "--report", "--no-pictures"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    let (page, result) = (read("report.html"), serde_json::from_str::<Value>(&read("result.json")).expect("JSON"));
    let data = data(&page);

    // Rows: time to the bit, values to the 32 bits they are kept with.
    let trace = read("trace.csv");
    let names: Vec<&str> = trace.lines().next().expect("a head").split(',').map(|n| n.trim_matches('"')).collect();
    let rows: Vec<Vec<f64>> =
        trace.lines().skip(1).map(|l| l.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
    assert_eq!(doubles(&data["time"]), rows.iter().map(|r| r[0]).collect::<Vec<_>>());
    let curves = data["curves"].as_array().expect("curves");
    assert_eq!(curves.len(), names.len() - 1);
    for curve in curves {
        let column = names.iter().position(|n| Some(*n) == curve["name"].as_str()).expect("a column");
        let offset = curve["offset"].as_f64().expect("a number");
        let largest = rows.iter().map(|r| (r[column] - offset).abs()).fold(0.0, f64::max);
        for (row, x) in rows.iter().zip(singles(&curve["values"])) {
            assert!((row[column] - offset - x).abs() <= 1e-7 * largest, "{curve}");
        }
    }

    // The account of the power bond and the calls are those of the result.
    let table = |title: &str| {
        let all = data["tables"].as_array().expect("tables");
        all.iter().find(|t| t["title"] == title).unwrap_or_else(|| panic!("{title}"))["rows"][0].clone()
    };
    let bond = |key: &str| result["power_bonds"][0][key].as_f64().expect("a number");
    let numbers = ["residual_energy_j", "residual_energy_max_j", "passed_j"].map(|key| format!("{:.4e}", bond(key)));
    let share = format!("{:.1} %", 100.0 * bond("residual_power_max_w") / bond("power_max_w"));
    let energy = table("Energy");
    assert_eq!([1, 2, 3].map(|i| energy[i].as_str().expect("a number")), numbers.each_ref().map(String::as_str));
    assert_eq!(energy[6].as_str(), Some(share.as_str()), "{energy}");
    assert_eq!(table("Units")[3].as_str(), Some(result["units"][0]["do_steps"].to_string().as_str()));
    let texts = data["texts"].as_array().expect("texts");
    assert!(texts[0][1].as_str().expect("a text").contains("predict = \"linear\""), "{texts:?}");

    // One file: nothing is loaded from elsewhere.
    for from_elsewhere in ["src=\"http", "href=\"http", "url(http", "@import", "fetch("] {
        assert!(!page.contains(from_elsewhere), "{from_elsewhere}");
    }
}

#[test]
fn a_run_that_fails_has_its_page_too() {
    let folder = crate::common::folder(module_path!()).join("diverged");
    let out = folder.to_str().expect("UTF-8");
    let arguments = ["run", "case-1", "--step", "0.1", "--stop", "200", "--out", out, "--report", "--no-pictures"];
    let run = macrostep(&arguments);
    assert_eq!(run.status.code(), Some(1));
    let page = std::fs::read_to_string(folder.join("report.html")).expect("a page");
    let error = data(&page)["error"].as_str().expect("an error").to_owned();
    assert!(error.contains("diverged") && String::from_utf8_lossy(&run.stderr).contains("diverged"), "{error}");
}

/// Where the laboratory has the system and the method, the page says where in it the run is; values that were changed are among the settings.
#[test]
fn the_page_says_where_the_run_is_in_the_laboratory() {
    let folder = crate::common::folder(module_path!()).join("laboratory");
    let place = |arguments: &[&str]| {
        let out = folder.to_str().expect("UTF-8");
        let run = macrostep(&[&["run"], arguments, &["--out", out, "--report", "--no-pictures"]].concat());
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let page = std::fs::read_to_string(folder.join("report.html")).expect("a page");
        let texts = data(&page)["texts"].to_string();
        texts.split_once("laboratory.html#").map(|(_, after)| after.split('"').next().expect("an end").to_owned())
    };
    let pair = ["case-1:s-f", "--predict", "ia1", "--schedule", "gauss-seidel", "--step", "0.01", "--stop", "1"];
    let found = "system=pair&cut=s-f&schedule=gauss-seidel&predict=ia1&correct=explicit&step=0.01&stop=1";
    assert_eq!(place(&pair).as_deref(), Some(found));
    let changed = ["--set", "mass1.m=2.5", "--set", "mass2.k_c=80", "--set", "mass2.v0=3"];
    assert_eq!(place(&[&pair[..], &changed].concat()), Some(format!("{found}&k_c=80&m1=2.5&v2_0=3")));
    let chain = place(&["chain", "--stop", "1"]).expect("a place");
    assert!(chain.starts_with("system=chain&cut=f-f&"), "{chain}");
    let rods = place(&["double-pendulum:hold", "--stop", "1"]);
    let found = "system=double-pendulum&cut=hold&schedule=jacobi&predict=linear&correct=iqn-ils&step=0.01&stop=1";
    assert_eq!(rods.as_deref(), Some(found));
    // Step control, values of other systems, and the ball, whose system is a file.
    let chosen =
        place(&["case-1:f-f", "--control", "error", "--control-tolerance", "1e-3", "--step", "0.1", "--stop", "1"]);
    let found = "system=pair&cut=f-f&schedule=jacobi&predict=linear&correct=explicit&control=error&control_tolerance=1e-3&step=0.1&stop=1";
    assert_eq!(chosen.as_deref(), Some(found));
    for (system, set, value) in [
        ("nonlinear-spring", "mass2.k=25", "&k2=25"),
        ("chain", "mass3.m=2.5", "&m3=2.5"),
        ("circuit", "mesh1.R=4", "&R1=4"),
    ] {
        let found = place(&[system, "--stop", "2e-4", "--step", "1e-4", "--set", set]).expect("a place");
        assert!(found.starts_with(&format!("system={system}&")) && found.ends_with(value), "{found}");
    }
    let ball = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/systems/bouncing-ball.toml");
    let ball = place(&[ball, "--stop", "1", "--set", "ball.height0=2.5", "--set", "ground.restitution=0.5"]);
    let found = "system=bouncing-ball&cut=contact&schedule=jacobi&predict=hold&correct=explicit&step=0.01&stop=1&height=2.5&restitution=0.5";
    assert_eq!(ball.as_deref(), Some(found));
    // Values and parts of a method that the page does not have.
    assert_eq!(place(&["nonlinear-spring:f-s", "--stop", "0.1", "--set", "mass1.k_c=16"]), None);
    assert_eq!(place(&["double-pendulum", "--stop", "1", "--corrector-tolerance", "1e-6"]), None);
    assert_eq!(place(&["chain", "--stop", "1", "--set", "mass1.k=7"]), None);
    assert_eq!(place(&["case-1:s-f", "--stop", "1", "--sampling", "lagged"]), None);
    assert_eq!(place(&["case-1:s-s", "--stop", "1", "--set", "mass1.k_c=80"]), None);
}

#[test]
fn a_page_needs_a_folder() {
    let run = macrostep(&["run", "case-1", "--report"]);
    assert_eq!(run.status.code(), Some(2));
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(said.contains("`--report` needs `--out DIR`"), "{said}");
    assert!(!Path::new("report.html").exists());
}
