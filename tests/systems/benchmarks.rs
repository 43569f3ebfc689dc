//! The systems this program carries: a command and the scenario that it writes give the same bits, and every name runs, is
//! converted and runs again.

use std::collections::BTreeMap;
use std::path::Path;

use crate::run::{done, program as macrostep};
use clap::Parser;
use macrostep::{embedded, factory};
use macrostep_analysis::pair::{self, Pair};
use macrostep_analysis::scheme::{Correct, Predict, Schedule, Scheme};
use macrostep_benchmarks::{Coupling, Oscillator};
use macrostep_master::record::Trace;
use macrostep_oscillator::Parameters;
use macrostep_run::read_trace;
use macrostep_system::{Fmus, Scenario, assemble, ssp, toml};

/// Values at the end of a run.
fn finals(arguments: &[&str]) -> serde_json::Value {
    let output = done(&[&["run"], arguments, &["--json"]].concat());
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert!(result["final"].as_object().is_some_and(|f| !f.is_empty()), "{result}");
    result["final"].clone()
}

/// The bits of the states of the masses at every point, or why there are none.
type Bits = Result<Vec<[u64; 5]>, String>;

fn bits(trace: &Trace, names: [&str; 4]) -> Vec<[u64; 5]> {
    let [time, a, b, c, d] = [["time"].as_slice(), &names].concat().try_into().expect("five names");
    let columns = [time, a, b, c, d].map(|name| trace.column(name).expect("a column"));
    (0..columns[0].len()).map(|row| columns.each_ref().map(|c| c[row].to_bits())).collect()
}

/// Built by hand.
fn by_pair(scheme: &Scheme, [step_s, stop_s]: [f64; 2]) -> Bits {
    let mut pair = Pair::new(scheme.coupling, scheme.method(2), step_s, stop_s);
    pair.bonds = pair::Bonds::Named;
    let outcome = pair::run(&pair, &factory::fmu, 1).map_err(|e| e.to_string())?;
    Ok(bits(&outcome.trace, ["x1", "v1", "x2", "v2"]))
}

/// Written as a file and read.
fn by_scenario(scheme: &Scheme, times_s: [f64; 2], fmus: &Fmus) -> Bits {
    let mut run = Oscillator::new(Parameters::case_1(), scheme.coupling, times_s);
    (run.method.schedule, run.method.predict, run.method.correct) = (scheme.schedule, scheme.predict, scheme.correct);
    let written = toml::write(&run.scenario());
    let scenario = toml::read(&written, "scenario.toml", Path::new(".")).expect("it reads back");
    let told = |findings: Vec<macrostep_system::Finding>| findings.last().map_or_else(String::new, ToString::to_string);
    let (assembly, _) = assemble(&scenario, fmus).map_err(told)?;
    let mut simulation = assembly.simulation().map_err(|e| e.to_string())?;
    simulation.initialise().map_err(|e| e.to_string())?;
    let mut trace = Trace::new(simulation.columns().to_vec());
    let windows = simulation.windows_in(times_s[1]).map_err(|e| e.to_string())?;
    simulation.run(windows, 1, &mut trace).map_err(|e| e.to_string())?;
    Ok(bits(&trace, ["mass1.x", "mass1.v", "mass2.x", "mass2.v"]))
}

/// All decompositions × schedules × predictors × correctors. The symmetric schedule agrees up to rounding, see below.
#[test]
fn every_method_of_the_oscillator_runs_the_same_from_a_file() {
    let fmus = Fmus::new(embedded::fmu);
    let _open = factory::open_all().expect("FMUs");
    let predictors =
        ["hold", "linear", "quadratic", "poly:3", "ia0", "ia1", "h3", "h5", "jerk", "jerk:3", "spectral:4"];
    let mut same = 0;
    for coupling in Coupling::ALL {
        for schedule in Schedule::ALL.iter().copied().filter(|s| !s.is_palindromic()) {
            for predict in predictors.map(|p| p.parse::<Predict>().expect("a predictor")) {
                for correct in Correct::ALL.iter().copied() {
                    let mut scheme = Scheme::new(coupling, schedule, predict);
                    scheme.correct = correct;
                    if scheme.check().is_err() {
                        continue;
                    }
                    let times_s = [1e-3, 0.012];
                    let (pair, scenario) = (by_pair(&scheme, times_s), by_scenario(&scheme, times_s, &fmus));
                    match (pair, scenario) {
                        (Ok(pair), Ok(scenario)) => {
                            assert_eq!(pair.len(), 13, "{scheme}");
                            assert_eq!(pair, scenario, "{scheme}");
                            same += 1;
                        }
                        (Err(_), Err(_)) => {}
                        (pair, scenario) => panic!("{scheme}: {:?}, {:?}", pair.err(), scenario.err()),
                    }
                }
            }
        }
    }
    assert!(same > 700, "{same} schemes run");
}

/// Columns of a `trace.csv`.
fn columns(path: &Path) -> BTreeMap<String, Vec<u64>> {
    let trace = read_trace(std::fs::File::open(path).expect("a file")).expect("a trace");
    let bits = |name: &str| trace.column(name).expect("a column").iter().map(|x| x.to_bits()).collect();
    trace.columns().iter().map(|c| (c.name.clone(), bits(&c.name))).collect()
}

/// Runs a command, then the scenario that it wrote; all these columns are the same.
fn runs_again(arguments: &[&str], names: &[(String, String)]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    done(&[arguments, &["--out", &path("o")]].concat());
    // Some of them grow.
    done(&["run", &path("o/scenario.toml"), "--out", &path("p"), "--no-pictures", "--accept-growth"]);
    let [written, again] = ["o", "p"].map(|name| columns(&folder.path().join(name).join("trace.csv")));
    assert!(written["time"].len() > 3, "{arguments:?}");
    for (name, column) in names {
        assert!(written[name] == again[column], "{arguments:?}: `{name}` and `{column}` differ");
    }
}

fn same(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn the_scenario_that_oscillator_writes_runs_again() {
    let all = ["time", "mass1.x", "mass1.v", "mass2.x", "mass2.v", "energy", "mass1.x_error", "energy_error"];
    let names = same(&all.map(|name| (name, name)));
    for options in [
        "--rate 5",
        "--method palindromic --coupling s-s",
        "--method palindromic --coupling s-f",
        "--method palindromic --coupling f-s",
        "--method palindromic --coupling f-f --case 2",
        "--rate 3/2 --fast 1 --schedule gs21",
        "--integrator sie --micro 1e-4",
        "--case 2 --set k_c=123.4567891234 --set x1_0=0.1 --record-every 7",
        "--sampling lagged --derivative numdiff",
        "--predict ia1 --schedule gs12 --gs-variant n0",
        "--energy leak --coupling f-f",
        "--energy nepce",
        "--control error --control-tolerance 1e-5",
        "--method jerk",
        "--start exact --predict quadratic",
        "--start exact --predict ia1 --coupling f-f --rate 3/2",
        "--start exact --predict poly:3 --schedule gs21 --coupling s-f --rate 5 --integrator sie",
        "--start exact --control error --control-tolerance 1e-5",
    ] {
        let options: Vec<&str> = ["oscillator", "--stop", "0.06"].into_iter().chain(options.split(' ')).collect();
        runs_again(&options, &names);
    }
    // External forces come from a file beside the scenario.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pull.csv").display().to_string();
    std::fs::write(&file, "time,f1,f2\n0,0,0\n0.02,500,-50\n0.02,0,10\n0.05,300,0\n").expect("a file");
    for coupling in ["f-s", "f-f"] {
        runs_again(&["oscillator", "--stop", "0.06", "--coupling", coupling, "--force", &file], &names);
    }
}

/// A past that is not all there is refused with what is missing; what it says is what runs begin with.
#[test]
fn a_history_is_what_predictors_begin_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("o").display().to_string();
    done(&["oscillator", "--start", "exact", "--predict", "quadratic", "--stop", "0.01", "--out", &out]);
    let written = std::fs::read_to_string(folder.path().join("o/scenario.toml")).expect("a scenario");
    let file = folder.path().join("s.toml");
    let path = file.display().to_string();
    let (first, _) = written.split_once("[[history]]").expect("a history");
    std::fs::write(&file, format!("{first}[record]\nvariables = [\"mass1.x\"]\n")).expect("a file");
    assert_ne!(finals(&[&path])["mass1.x"], finals(&[&format!("{out}/scenario.toml")])["mass1.x"]);
    for (from, to, words) in [
        ("at = -0.002", "at = -0.0021", "no value of `mass1.f_c` at -0.002 s"),
        ("at = -0.002", "at = 0.002", "a history at 0.002 s, and the start at 0 s"),
        ("\"mass1.f_c\" =", "\"mass1.m\" =", "`mass1.m` in a history, which is not a real output"),
    ] {
        assert!(written.contains(from), "{written}");
        std::fs::write(&file, written.replacen(from, to, 1)).expect("a file");
        let output = macrostep(&["run", &path]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(words), "{message}");
    }
}

#[test]
fn the_scenario_that_crane_and_actuator_write_runs_again() {
    let all = ["time", "hydraulics.work", "mechanics.e_kin", "mechanics.s[1]", "mechanics.w[1]", "mechanics.lam_i[1]"];
    let names = same(&all.map(|name| (name, name)));
    for command in [
        "actuator --stop 0.5",
        "actuator --predict hold --schedule jacobi --force end --step 0.004 --stop 0.4 --accept-growth",
        "actuator --lookahead --stop 0.5",
        "actuator --place master --stop 0.5",
        "crane --manoeuvre oblique --predict linear --stop 0.2",
        "crane --place master --force end --schedule jacobi --step 0.001 --stop 0.1 --accept-growth",
    ] {
        runs_again(&command.split(' ').collect::<Vec<_>>(), &names);
    }
}

#[test]
fn the_scenarios_of_beam_and_pendulum_run_again() {
    let tips = [("tip_x", "arm.tip.r[1]"), ("tip_y", "arm.tip.r[2]"), ("payload_y", "payload.r[2]")];
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let words = ["flexible", "pendulum", "--stop", "0.02", "--out", &path("a")];
    crate::flexible::run(&crate::flexible::Arguments::parse_from(words)).expect("errors of the tip");
    done(&["run", &path("a/scenario.toml"), "--out", &path("b"), "--no-pictures"]);
    let [written, again] = ["a", "b"].map(|name| columns(&folder.path().join(name).join("trace.csv")));
    assert!(written["time"].len() == 11 && written["time"] == again["time"]);
    for (name, column) in tips {
        assert!(written[name] == again[column], "`{name}` and `{column}` differ");
    }
    // The beam's rows are those of another file, and its other steps are dear: as many as one is enough.
    let words = ["interface", "--native", "--json", "--step", "2e-3", "--out", &path("o")];
    crate::interface::run(&crate::interface::Arguments::parse_from(words)).expect("deflections");
    done(&["run", &path("o/scenario.toml"), "--out", &path("p"), "--no-pictures"]);
    let [written, again] = ["o/deflections.csv", "p/trace.csv"].map(|name| columns(&folder.path().join(name)));
    for (name, column) in [("full_driven", "beam.u[2]"), ("full_middle", "beam.u[251]"), ("full_free", "beam.u[500]")] {
        assert!(written[name].len() == 501 && written[name] == again[column], "{name}");
    }
}

/// A folder and an archive have all that a run needs, wherever they are put, and give the same bits.
#[test]
fn a_bundle_runs_anywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::create_dir(path("mine")).expect("a folder");
    std::fs::create_dir(path("mine/deep")).expect("a folder");
    done(&["fmus", "--out", &path("mine")]);
    std::fs::write(path("mine/deep/load.csv"), "time,force\n0,0\n0.5,50\n1,-20\n").expect("inputs");
    std::fs::write(path("mine/deep/s.toml"), include_str!("../cases/systems/bundled.toml")).expect("a scenario");
    let own = ["run", &path("mine/deep/s.toml"), "--set", "b.m=2.5", "--no-pictures"];
    done(&[&own[..], &["--out", &path("o"), "--bundle", &path("bundle")]].concat());
    done(&[&own[..], &["--bundle", &path("bundle.ssp")]].concat());
    // What they were made of is gone, and they have moved.
    std::fs::remove_dir_all(path("mine")).expect("removed");
    std::fs::create_dir(path("there")).expect("a folder");
    std::fs::rename(path("bundle"), path("there/bundle")).expect("moved");
    std::fs::rename(path("bundle.ssp"), path("there/other.ssp")).expect("moved");
    let scenario = std::fs::read_to_string(path("there/bundle/scenario.toml")).expect("a scenario");
    assert!(
        !scenario.contains(folder.path().to_str().expect("UTF-8")) && !scenario.contains("embedded:"),
        "{scenario}"
    );
    let written = columns(&folder.path().join("o/trace.csv"));
    for system in ["there/bundle/scenario.toml", "there/other.ssp"] {
        done(&["run", &path(system), "--out", &path("p"), "--no-pictures"]);
        let again = columns(&folder.path().join("p/trace.csv"));
        assert!(written == again && written["time"].len() == 51, "{system}");
        // And once more, from what that has written.
        done(&["run", &path("p/scenario.toml"), "--out", &path("q"), "--no-pictures"]);
        assert!(written == columns(&folder.path().join("q/trace.csv")), "{system}");
    }
    // Nothing outside of an archive is read.
    done(&["run", &path("there/bundle/scenario.toml"), "--bundle", &path("evil.ssp")]);
    let bytes = std::fs::read(path("evil.ssp")).expect("an archive");
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("an archive");
    let mut text = String::new();
    std::io::Read::read_to_string(&mut archive.by_name(ssp::MAIN).expect("a description"), &mut text).expect("text");
    let mut sink = std::io::Cursor::new(Vec::new());
    let text = text.replace("resources/load.csv", "../load.csv");
    ssp::pack(&[ssp::Entry { path: ssp::MAIN.to_owned(), bytes: text.into_bytes() }], &mut sink).expect("packed");
    std::fs::write(path("evil.ssp"), sink.into_inner()).expect("a file");
    let output = macrostep(&["run", &path("evil.ssp")]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("leaves the archive"), "{message}");
}

/// Every name and variant is a scenario that reads back as it was written.
#[test]
fn every_name_is_a_scenario() {
    let mut count = 0;
    for system in macrostep_benchmarks::all() {
        let variants = if system.variants.is_empty() { &[""] } else { system.variants };
        for variant in variants {
            let scenario: Scenario = system.scenario(variant).expect("a scenario");
            let read = toml::read(&toml::write(&scenario), "s.toml", Path::new(".")).expect("it reads back");
            assert_eq!(read, scenario, "{}:{variant}", system.name);
            let name = if variant.is_empty() { system.name.to_owned() } else { format!("{}:{variant}", system.name) };
            assert_eq!(macrostep_benchmarks::find(&name), Some(scenario), "{name}");
            count += 1;
        }
        assert!(macrostep_benchmarks::find(&format!("{}:nothing", system.name)).is_none());
    }
    assert_eq!(count, 37);
}

/// By name, as TOML and as SSP: the same numbers.
#[test]
fn a_name_runs_and_is_converted() {
    let folder = tempfile::tempdir().expect("a folder");
    let systems = [
        ("case-1:s-f", "0.02"),
        ("test-model:s-s", "0.05"),
        ("nonlinear-spring", "0.05"),
        ("chain:s-f", "0.05"),
        ("circuit:f-f", "2e-5"),
        ("cylinder", "1e-3"),
        ("crane", "0.064"),
        ("actuator", "0.064"),
        ("beam:reduced", "1e-3"),
        ("pendulum", "0.01"),
    ];
    for (name, stop) in systems {
        let expected = finals(&[name, "--stop", stop]);
        for ending in ["toml", "ssp"] {
            let file = folder.path().join(format!("{}.{ending}", name.replace(':', "-"))).display().to_string();
            done(&["convert", name, &file]);
            assert_eq!(finals(&[&file, "--stop", stop]), expected, "{file}");
        }
    }
    for verb in ["explain", "graph"] {
        let picture = folder.path().join("graph.svg").display().to_string();
        let more: &[&str] = if verb == "graph" { &["--out", &picture] } else { &["--no-run"] };
        done(&[&[verb, "actuator"], more].concat());
    }
}

/// `waveform:2` halves the steps of a unit without dense output, which is told so.
#[test]
fn a_unit_that_is_told_its_step_takes_the_parts_of_a_waveform() {
    let named = ["actuator", "--stop", "0.064", "--method", "waveform:2"];
    assert_eq!(finals(&named), finals(&[&named[..], &["--set", "mechanics.communication_step=0.008"]].concat()));
}

#[test]
fn systems_are_listed_and_an_unknown_one_is_answered_with_the_list() {
    let listed: serde_json::Value = serde_json::from_slice(&done(&["systems", "--json"]).stdout).expect("JSON");
    let names: Vec<&str> = listed.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names.len(), macrostep_benchmarks::all().len());
    let shown = String::from_utf8_lossy(&done(&["systems"]).stdout).into_owned();
    assert!(names.iter().all(|name| shown.contains(name)), "{shown}");
    for units in shown.lines().filter_map(|line| line.split_once(" units: ")) {
        let fmus: Vec<&str> = units.1.split(", ").collect();
        let apart: std::collections::BTreeSet<&str> = fmus.iter().copied().collect();
        assert_eq!(apart.len(), fmus.len(), "an FMU twice: {}", units.1);
    }
    for (name, words) in [
        ("krane", "expected a file ending in .toml, .ssd or .ssp, or one of `case-1`"),
        ("crane:flying", "variants of `crane` are `usual`"),
        ("cylinder:f-f", "`cylinder` has no variants"),
    ] {
        let output = macrostep(&["run", name]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(words), "{message}");
    }
}

/// Values of mechanics and hydraulics do what they say.
#[test]
fn masses_and_sizes_are_parameters() {
    // Against a nearer stop.
    let at = |way: &str| {
        let set = format!("mechanics.way={way}");
        finals(&["actuator", "--stop", "1.44", "--set", &set])["mechanics.s[1]"].as_f64().expect("a position")
    };
    assert!((at("0.2") - 0.2).abs() < 2e-3 && (at("0.25") - 0.25).abs() < 2e-3, "{} {}", at("0.2"), at("0.25"));
    // A smaller log lies lower.
    let log = finals(&["crane", "--stop", "0.16", "--set", "mechanics.log_radius=0.2"]);
    assert!((log["mechanics.log_height"].as_f64().expect("a height") - 0.2).abs() < 1e-3, "{log}");
    // A heavier boom sinks where forces hold the usual one; a wider cylinder is slower.
    let usual = finals(&["crane", "--stop", "0.16"]);
    let heavy = finals(&["crane", "--stop", "0.16", "--set", "mechanics.boom_mass=600"]);
    let position = |f: &serde_json::Value| f["mechanics.s[1]"].as_f64().expect("a position");
    assert!(position(&heavy) < position(&usual) - 5e-5, "{} {}", position(&heavy), position(&usual));
    let speed = |gain: &str| {
        let set = format!("hydraulics.valve_gain={gain}");
        finals(&["actuator", "--stop", "0.48", "--set", &set])["mechanics.s[1]"].as_f64().expect("a position")
    };
    assert!(speed("1e-7") < 0.8 * speed("4e-7"), "{} {}", speed("1e-7"), speed("4e-7"));
}
