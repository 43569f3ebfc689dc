//! Direct feed-through of units without directional derivatives: one message about the effect, and advice that works.

use std::path::{Path, PathBuf};

use crate::make;
use crate::run::{Left, macrostep};

/// The test slave with an output `y` that is its input at once, and an output `w` that is so too.
fn through(more: &[(&str, &str)]) -> String {
    let output = |name: &str| {
        format!(
            "<ScalarVariable name=\"{name}\" valueReference=\"0\" causality=\"output\" variability=\"continuous\"><Real/></ScalarVariable>"
        )
    };
    let xml = make::XML
        .replace("</ModelVariables>", &format!("{}{}</ModelVariables>", output("y"), output("w")))
        .replace(
            "</Outputs>",
            "<Unknown index=\"6\" dependencies=\"1\"/><Unknown index=\"7\" dependencies=\"1\"/></Outputs>\
             <InitialUnknowns><Unknown index=\"6\" dependencies=\"1\"/><Unknown index=\"7\" dependencies=\"1\"/></InitialUnknowns>",
        );
    more.iter().fold(xml, |xml, (from, to)| {
        assert!(xml.contains(from), "{from}");
        xml.replace(from, to)
    })
}

/// A folder with the units and the connections; `x` of a unit grows by its `u`.
fn system(name: &str, units: &[(&str, &[u8])], connections: &[(&str, &str)], recorded: &str) -> PathBuf {
    let folder = make::folder(name);
    let mut text = "[experiment]\nstop = 1.0\nstep = 0.1\n".to_owned();
    for (unit, fmu) in units {
        std::fs::write(folder.join(format!("{unit}.fmu")), fmu).expect("written");
        text += &format!("[units.{unit}]\nfmu = \"{unit}.fmu\"\n");
    }
    text += "[connections]\n";
    connections.iter().for_each(|(to, from)| text += &format!("\"{to}\" = {from}\n"));
    text += &format!("[record]\nvariables = [{recorded}]\n");
    std::fs::write(folder.join("s.toml"), text).expect("written");
    folder
}

fn said(folder: &Path, arguments: &[&str]) -> Left {
    let left = macrostep(folder, arguments);
    assert_eq!(left.code, Some(0), "{left:#?}");
    left
}

/// Lines on standard error about feed-through.
fn lines(left: &Left) -> Vec<&str> {
    let about =
        |line: &&str| ["feed-through", "directional derivatives", "lag", "loop"].iter().any(|w| line.contains(w));
    left.stderr.lines().filter(about).collect()
}

fn end(left: &Left, name: &str) -> f64 {
    let json: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
    json["final"][name].as_f64().unwrap_or_else(|| panic!("no `{name}` in {json}"))
}

/// Two units that follow each other at once, and neither can be evaluated anew.
fn pair(name: &str, more: &[(&str, &str)]) -> PathBuf {
    let fmu = make::fmu(&through(more), &[]);
    let from = |unit: &str, offset: f64| format!("{{ from = \"{unit}.y\", factor = 0.5, offset = {offset:?} }}");
    system(
        name,
        &[("plant", &fmu), ("ctrl", &fmu)],
        &[("plant.u", &from("ctrl", 0.0)), ("ctrl.u", &from("plant", 1.0))],
        "\"plant.y\", \"ctrl.y\"",
    )
}

#[test]
fn a_loop_that_cannot_be_solved_is_called_so_once() {
    let folder = pair("through-loop", &[]);
    let told = said(&folder, &["run", "s.toml"]);
    let [warning] = lines(&told)[..] else { panic!("{told:#?}") };
    assert_eq!(
        warning,
        "warning: s.toml:9:1: algebraic loop through `plant`, `ctrl` is not solved: units `plant`, `ctrl` without directional \
         derivatives, so outputs are sampled with inputs one communication step old; `--correct newton` repeats each step until \
         they agree (`plant`, `ctrl` by fork of a process of its own); a smaller step reduces the error"
    );
    let told = said(&folder, &["explain", "s.toml", "--no-run"]);
    assert_eq!(lines(&told), [warning], "`explain` says the same");
    assert!(told.stdout.contains("Algebraic loops: through `plant` – `ctrl` (not solved)"), "{}", told.stdout);
    let plan = told.stdout.split("Delays").next().expect("the plan");
    assert!(!plan.contains("solved") && !plan.contains("anew"), "{plan}");
    assert!(plan.contains("`plant`: `y` left as reported, with inputs one communication step old"), "{plan}");
    assert_eq!(told.stdout.matches("sampled with inputs one step old").count(), 2, "{}", told.stdout);
    said(&folder, &["graph", "s.toml", "--out", "g.svg"]);
    let picture = std::fs::read_to_string(folder.join("g.svg")).expect("a picture");
    assert!(picture.contains("not solved") && !picture.contains("solved by Newton"), "the picture");
    let told = said(&folder, &["explain", "s.toml", "--no-run", "--predict", "linear"]);
    let warning = lines(&told).into_iter().find(|line| line.contains("loop")).expect("a warning").to_owned();
    assert!(warning.contains("sampled with inputs at the middle of the last sub-step"), "{warning}");
}

/// Those that can be evaluated by setting and getting are solved, and that is what is said.
#[test]
fn a_loop_that_is_solved_is_called_so() {
    let annotation = "<VendorAnnotations><Tool name=\"macrostep\"><A getAfterSet=\"true\"/></Tool></VendorAnnotations><ModelVariables>";
    let folder = pair("through-solved", &[("<ModelVariables>", annotation)]);
    let told = said(&folder, &["run", "s.toml", "--json"]);
    let [note] = lines(&told)[..] else { panic!("{told:#?}") };
    assert!(note.starts_with("note: ") && note.contains("it is solved at every communication point"), "{note}");
    // y1 = y2/2, y2 = y1/2 + 1
    assert!((end(&told, "plant.y") - 2.0 / 3.0).abs() < 1e-12 && (end(&told, "ctrl.y") - 4.0 / 3.0).abs() < 1e-12);
    let told = said(&folder, &["explain", "s.toml", "--no-run"]).stdout;
    assert!(told.contains("algebraic loop through `plant`, `ctrl` solved at t + 0.1 s"), "{told}");
    assert!(told.contains("through `plant` – `ctrl` (solved at every communication point)"), "{told}");
}

/// Two units that feed through to each other, but no output to itself: one spring behind the other, to and fro. Each is evaluated as often as it takes,
/// with the exact values of the instant, and there is no loop to be solved.
#[test]
fn what_goes_to_and_fro_without_a_loop_is_evaluated_in_turn() {
    let folder = make::folder("to-and-fro");
    let spring = "fmu = \"embedded:spring_field\"\nset = { k = 3.0 }\n";
    let text = format!(
        "[experiment]\nstop = 1.0\nstep = 0.1\n[units.a]\n{spring}[units.b]\n{spring}[units.mass]\nfmu = \"embedded:oscillator2_force\"\n\
         set = {{ k = 10.0, v0 = 1.0 }}\n[connections]\n\"a.u[2]\" = {{ from = \"mass.x\", convert_units = false }}\n\
         \"b.u[2]\" = {{ from = \"a.F[2]\", convert_units = false }}\n\"a.u[5]\" = {{ from = \"b.F[2]\", convert_units = false }}\n\
         \"b.u[5]\" = {{ from = \"a.F[5]\", convert_units = false }}\n[record]\nvariables = [\"mass.x\", \"a.F[2]\", \"b.F[5]\"]\n"
    );
    std::fs::write(folder.join("s.toml"), text).expect("a system");
    let told = said(&folder, &["run", "s.toml", "--out", "out"]);
    assert!(!told.stderr.contains("loop"), "{}", told.stderr);
    let rows = std::fs::read_to_string(folder.join("out/trace.csv")).expect("rows");
    let row = |row: &str| row.split(',').map(|x| x.parse().expect("a number")).collect::<Vec<f64>>();
    let rows: Vec<Vec<f64>> = rows.lines().skip(1).map(row).collect();
    assert!(rows.len() == 11 && rows.iter().any(|row| row[3].abs() > 0.1), "{rows:?}");
    for row in rows {
        let [once, four, x] = [row[1], row[2], row[3]];
        assert!((once.abs() - 3.0 * x.abs()).abs() < 1e-14 && (four - 81.0 * x).abs() < 1e-13, "{row:?}");
    }
    assert!(said(&folder, &["explain", "s.toml", "--no-run"]).stdout.contains("Algebraic loops: none"));
}

/// An integrator into a unit that passes its input through: x = 0.1, 0.2, … and y should be the same.
fn chain(name: &str, consumed: bool) -> PathBuf {
    let (source, through) = (make::fmu(make::XML, &[]), make::fmu(&through(&[]), &[]));
    let mut units: Vec<(&str, &[u8])> = vec![("feed", &through), ("osc", &source)];
    let mut connections = vec![("feed.u", "\"osc.x\"")];
    if consumed {
        units.push(("last", &source));
        connections.push(("last.u", "\"feed.y\""));
    }
    system(name, &units, &connections, "\"osc.x\", \"feed.y\", \"feed.w\"")
}

#[test]
fn a_recorded_output_that_lags_says_so_once_and_the_advice_helps() {
    let folder = chain("through-recorded", false);
    let told = said(&folder, &["run", "s.toml", "--json"]);
    let [note] = lines(&told)[..] else { panic!("{told:#?}") };
    assert_eq!(
        note,
        "note: s.toml:4:8: 2 recorded outputs of unit `feed` without directional derivatives answer inputs one communication step \
         old: `feed.w`, `feed.y`; `--schedule gauss-seidel:osc,feed` makes them exact"
    );
    assert!((end(&told, "feed.y") - 0.9).abs() < 1e-12, "one step late: {}", told.stdout);
    let told = said(&folder, &["run", "s.toml", "--json", "--schedule", "gauss-seidel:osc,feed"]);
    assert!(lines(&told).is_empty(), "{told:#?}");
    assert_eq!(end(&told, "feed.y"), end(&told, "osc.x"));
    assert_eq!(lines(&said(&folder, &["explain", "s.toml", "--no-run"])), [note]);
    // What was asked for is no surprise.
    assert!(lines(&said(&folder, &["run", "s.toml", "--sampling", "lagged"])).is_empty());
    // Where the unit is given the value at the middle of its only sub-step, the order alone does not do.
    let linear = ["run", "s.toml", "--json", "--predict", "linear", "--schedule", "gauss-seidel:osc,feed"];
    let told = said(&folder, &linear);
    let about: Vec<&str> = lines(&told).into_iter().filter(|line| line.contains("recorded")).collect();
    let [note] = about[..] else { panic!("{told:#?}") };
    assert!(note.contains("answer inputs at the middle of the last sub-step"), "{note}");
    assert!(note.ends_with("`--schedule gauss-seidel:osc,feed --predict hold` makes them exact"), "{note}");
}

#[test]
fn a_consumed_output_that_lags_is_a_warning() {
    let folder = chain("through-consumed", true);
    let told = said(&folder, &["run", "s.toml"]);
    let [warning, note] = lines(&told)[..] else { panic!("{told:#?}") };
    assert_eq!(
        warning,
        "warning: s.toml:4:8: 1 connected output of unit `feed` without directional derivatives answers inputs one communication \
         step old: `feed.y`; `--schedule gauss-seidel:osc,feed,last` makes them exact"
    );
    assert!(note.starts_with("note: ") && note.contains("1 recorded output of unit `feed`"), "{note}");
    let told = said(&folder, &["run", "s.toml", "--schedule", "gauss-seidel:osc,feed,last"]);
    assert!(lines(&told).is_empty(), "{told:#?}");
}

/// Values that have left the range of numbers are named, not the iteration that met them.
#[test]
fn a_loop_that_has_diverged_names_the_output() {
    let annotation = "<VendorAnnotations><Tool name=\"macrostep\"><A getAfterSet=\"true\"/></Tool></VendorAnnotations><ModelVariables>";
    let xml = through(&[("<ModelVariables>", annotation)]);
    let (plant, ctrl) = (make::fmu(&xml, &[("AT_GET", "value[0] = HUGE_VAL")]), make::fmu(&xml, &[]));
    let from = |unit: &str| format!("{{ from = \"{unit}.y\", factor = 0.5 }}");
    let folder = system(
        "through-diverged",
        &[("plant", &plant), ("ctrl", &ctrl)],
        &[("plant.u", &from("ctrl")), ("ctrl.u", &from("plant"))],
        "\"plant.y\"",
    );
    let left = macrostep(&folder, &["run", "s.toml"]);
    assert_eq!(left.code, Some(1), "{left:#?}");
    let error = left.error();
    assert!(error.contains("unit `plant`: fmi2GetReal returned `y` = inf at t = 0.5 s"), "{error}");
    assert!(error.contains("diverged") && !error.contains("sweep"), "{error}");
}

/// A loop of gain 1 is not called solved at the values where its residual is lost in rounding.
#[test]
fn a_loop_of_gain_1_has_no_solution() {
    let annotation = "<VendorAnnotations><Tool name=\"macrostep\"><A getAfterSet=\"true\"/></Tool></VendorAnnotations><ModelVariables>";
    let fmu = make::fmu(&through(&[("<ModelVariables>", annotation)]), &[]);
    let folder = system(
        "through-singular",
        &[("plant", &fmu), ("ctrl", &fmu)],
        &[("plant.u", "\"ctrl.y\""), ("ctrl.u", "{ from = \"plant.y\", offset = 1.0 }")],
        "\"plant.y\"",
    );
    let left = macrostep(&folder, &["run", "s.toml"]);
    assert_eq!(left.code, Some(1), "{left:#?}");
    let error = left.error();
    assert!(error.contains("`plant`, `ctrl`") && error.contains("no solution"), "{error}");
}
