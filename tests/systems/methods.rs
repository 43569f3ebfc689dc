//! Every method from a scenario gives the same bits as coupled by hand, and combinations that exclude each other are
//! refused with a message.

use std::path::{Path, PathBuf};

use macrostep_benchmarks::{Delivery, Multirate, Order, Place, Plant, Prediction, Scheme};
use macrostep_master::record::Trace;
use macrostep_system::toml;
use serde_json::Value;

use crate::limited::cut_fmu;
use crate::run::{json, program as macrostep};

/// What a run that must fail says, on one line.
fn refused(arguments: &[&str], code: i32) -> String {
    let output = macrostep(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

fn example(coupling: &str) -> String {
    let name = format!("examples/systems/oscillator-{coupling}.toml");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name).display().to_string()
}

fn folder(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join("methods").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

/// The same options for a scenario and for the oscillator make the same bits.
fn alike(coupling: &str, options: &[&str], of_run: &[&str]) {
    let path = example(coupling);
    let a = json(&[&["run", &path, "--json", "--stop", "1"][..], of_run, options].concat());
    let b = json(&[&["oscillator", "--json", "--stop", "1", "--coupling", coupling][..], options].concat());
    for column in ["mass1.x", "mass2.x"] {
        assert_eq!(a["final"][column], b["final"][column], "{coupling} {options:?} {column}");
    }
    for unit in 0..2 {
        assert_eq!(a["units"][unit]["do_steps"], b["units"][unit]["do_steps"], "{coupling} {options:?}");
    }
    assert_eq!(a["control"], b["control"], "{coupling} {options:?}");
}

#[test]
fn named_methods_run_as_the_oscillator_does() {
    for coupling in ["s-s", "f-s", "f-f"] {
        alike(coupling, &["--method", "jerk", "--step", "1e-2"], &[]);
        alike(coupling, &["--method", "waveform:8", "--step", "0.1"], &[]);
        alike(coupling, &["--method", "waveform", "--step", "0.5", "--control-tolerance", "1e-4"], &[]);
        // Half steps are merged where nothing but sampled outputs is recorded.
        alike(coupling, &["--method", "palindromic"], &["--record", "*.x", "--record", "*.v"]);
    }
}

#[test]
fn correctors_run_as_the_oscillator_does() {
    let implicit =
        ["newton-directional", "iqn-ils", "iqn-imvj", "anderson", "newton-krylov", "semi-implicit", "linear-implicit"];
    for correct in implicit {
        let options = ["--correct", correct, "--predict", "linear", "--step", "1e-2"];
        alike("s-s", &options, &[]);
        // The force is another of the unknowns in a file than by hand: equal to the rounding of the corrector's sums.
        let common = [&["--json", "--stop", "1"][..], &options].concat();
        let a = json(&[&["run", &example("f-s")][..], &common].concat());
        let b = json(&[&["oscillator", "--coupling", "f-s"][..], &common].concat());
        for column in ["mass1.x", "mass2.x"] {
            let [a, b] = [&a["final"][column], &b["final"][column]].map(|x| x.as_f64().expect("a number"));
            assert!((a - b).abs() <= 1e-12 * b.abs(), "{correct}: {a} against {b}");
        }
    }
}

#[test]
fn energy_and_steps_are_those_of_the_oscillator() {
    for coupling in ["f-s", "s-s", "f-f"] {
        for energy in ["nepce", "leak"] {
            alike(coupling, &["--energy", energy, "--predict", "linear"], &[]);
        }
        for control in ["error", "ecco"] {
            let options =
                ["--control", control, "--control-tolerance", "1e-3", "--step", "1e-2", "--predict", "linear"];
            alike(coupling, &options, &[]);
        }
    }
}

/// Steps that are chosen: rows come to the end, the shortest and longest are kept, and what is written says them.
#[test]
fn chosen_steps_keep_to_their_bounds() {
    let folder = folder("chosen");
    let text = std::fs::read_to_string(example("s-s")).expect("the example");
    let control = "control = { kind = \"error\", tolerance = 1e-4, step_min = 1e-4, step_max = 1e-2 }\n[units.mass1]";
    let text = text.replace("step = 1e-3\n\n", "\n").replace("[units.mass1]", control);
    let path = write(&folder, "chosen.toml", &text);
    let out = folder.join("out").display().to_string();
    let result = json(&["run", &path, "--json", "--stop", "2", "--out", &out, "--no-pictures"]);
    assert_eq!(result["end_s"], 2.0);
    assert_eq!(result["rows"].as_u64(), result["windows"].as_u64().map(|n| n + 1));
    let control = &result["control"];
    let (least, most) = (control["window_min_s"].as_f64(), control["window_max_s"].as_f64());
    assert!(least.is_some_and(|h| h >= 1e-4 * (1.0 - 1e-9)) && most.is_some_and(|h| h <= 1e-2), "{control}");
    assert!(most > least, "steps are chosen: {control}");
    // What is written runs again to the same end.
    let again = json(&["run", &format!("{out}/scenario.toml"), "--json"]);
    assert_eq!(result["final"], again["final"]);
}

#[test]
fn what_does_not_go_together_is_refused_at_its_place() {
    let folder = folder("together");
    let text = std::fs::read_to_string(example("s-s")).expect("the example");
    let with = |coupling: &str| {
        let text = text.replace("schedule = \"jacobi\"\npredict = \"linear\"\n", coupling);
        write(&folder, "s.toml", &text)
    };
    for (coupling, expected) in [
        ("method = \"jerk\"\npredict = \"linear\"\n", ["`predict = \"linear\"` beside `method = \"jerk\"`", "line"]),
        ("schedule = \"palindromic\"\ncorrect = \"newton\"\n", ["palindromic", "never repeated"]),
        ("schedule = \"palindromic\"\ncontrol = { kind = \"error\" }\n", ["palindromic", "of one length"]),
        ("schedule = \"palindromic\"\nenergy = \"nepce\"\n", ["palindromic", "known too late"]),
        ("schedule = \"gauss-seidel-reversed\"\norder = [\"mass1\", \"mass2\"]\n", ["`order`", "gauss-seidel"]),
        ("control = { tolerance = 1e-3 }\n", ["`tolerance`", "kind = \"error\""]),
        ("control = { kind = \"error\", step_max = 0.5 }\n", ["step_max", "say one of them"]),
    ] {
        let said = refused(&["run", &with(coupling), "--stop", "1"], 1);
        assert!(expected.iter().all(|part| said.contains(part)), "{coupling}: {said}");
    }
    let jerk = with("method = \"jerk\"\n");
    let said = refused(&["run", &jerk, "--predict", "hold"], 2);
    assert!(said.contains("method = \"jerk\"") && said.contains("--predict hold"), "{said}");
    let said = refused(&["run", &with(""), "--method", "jerk", "--correct", "newton"], 2);
    assert!(said.contains("--method jerk") && said.contains("--correct newton"), "{said}");
    // Energy is weighed at power bonds.
    let bondless = std::fs::read_to_string(with("")).expect("written").split("[[bonds]]").next().map(str::to_owned);
    let bondless = write(&folder, "bondless.toml", &bondless.expect("a text"));
    for option in [["--energy", "leak"], ["--control", "ecco"]] {
        let said = refused(&["run", &bondless, option[0], option[1]], 1);
        assert!(said.contains("needs power bonds") && said.contains("[[bonds]]"), "{said}");
    }
}

/// FMUs with less: what lacks is named, with the method that needs it and one that does without.
#[test]
fn what_an_fmu_lacks_is_named_with_a_method_that_does_without() {
    let folder = folder("lacking");
    for model in ["oscillator1_displacement", "oscillator2_force"] {
        let cut = cut_fmu(model, &["canGetAndSetFMUstate", "canHandleVariableCommunicationStepSize"]);
        std::fs::write(folder.join(format!("{model}.fmu")), cut).expect("written");
    }
    let text = std::fs::read_to_string(example("f-s")).expect("the example");
    let text = text.replace("embedded:oscillator1_displacement", "oscillator1_displacement.fmu");
    let path = write(&folder, "s.toml", &text.replace("embedded:oscillator2_force", "oscillator2_force.fmu"));
    for (options, lacking, needs, without) in [
        (
            ["--correct", "iqn-ils"],
            "canGetAndSetFMUstate",
            "iqn-ils",
            "`correct = \"explicit\"`, with `predict = \"linear\"`",
        ),
        (["--method", "waveform:8"], "canGetAndSetFMUstate", "waveform:8", "`correct = \"explicit\"`"),
        (
            ["--control", "error"],
            "canHandleVariableCommunicationStepSize",
            "`control` by `error`",
            "`kind = \"fixed\"`",
        ),
    ] {
        let said = refused(&["run", &path, "--stop", "1", "--rollback", "own", options[0], options[1]], 1);
        assert!([lacking, needs, without, "mass1"].iter().all(|part| said.contains(part)), "{options:?}: {said}");
    }
    // All that needs neither runs, with the bits of the whole FMUs.
    let options = ["--energy", "leak", "--schedule", "gauss-seidel", "--json", "--stop", "1"];
    let cut = json(&[&["run", &path][..], &options].concat());
    let whole = json(&[&["run", &example("f-s")][..], &options].concat());
    assert_eq!(cut["final"], whole["final"]);
}

/// One mass, driven by `f` alone: `connections` and `more` are parts of the scenario.
fn driven(folder: &Path, step: &str, more: &str) -> String {
    let text = format!(
        "[experiment]\nstop = 1.0\nstep = {step}\n[units.mass]\nfmu = \"embedded:oscillator2_force\"\n\
         set = {{ integrator = \"exact\", f = 1.0 }}\n{more}"
    );
    write(folder, &format!("mass-{step}.toml"), &text)
}

fn position(result: &Value) -> f64 {
    result["final"]["mass.x"].as_f64().expect("a position")
}

/// A line between two rows is fed as that line, whatever the predictor: the exact mass does not see the macro step.
#[test]
fn an_input_from_a_file_is_a_line_between_rows() {
    let folder = folder("inputs");
    write(&folder, "load.csv", "time,force\n0,0\n0.5,50\n1,-20\n");
    let more = "[inputs]\nload = \"load.csv\"\n[connections]\n\"mass.f\" = { from = \"load.force\", factor = 2.0 }\n";
    let fine = position(&json(&["run", &driven(&folder, "0.001", more), "--json"]));
    for predict in ["hold", "linear"] {
        let coarse = position(&json(&["run", &driven(&folder, "0.125", more), "--json", "--predict", predict]));
        assert!((coarse - fine).abs() <= 1e-12 * fine.abs(), "{predict}: {coarse} against {fine}");
    }
    let silent = position(&json(&["run", &driven(&folder, "0.125", ""), "--json"]));
    assert!((silent - fine).abs() > 1e-3 * fine.abs(), "the force is felt: {silent} against {fine}");
    // What is wrong with the file is said with its line, and a column that is not there with those that are.
    write(&folder, "bad.csv", "time,force\n0,0\n1,much\n");
    let said = refused(&["run", &driven(&folder, "0.1", &more.replace("load.csv", "bad.csv"))], 1);
    assert!(said.contains("line 3") && said.contains("`much`"), "{said}");
    let said = refused(&["run", &driven(&folder, "0.1", &more.replace("load.force", "load.torque"))], 1);
    assert!(said.contains("no column `torque`") && said.contains("`force`"), "{said}");
    // Rows that do not reach over the run are told of, and rows that miss it.
    let told = |rows: &str| {
        write(&folder, "part.csv", &format!("time,force\n{rows}"));
        let left = macrostep(&["run", &driven(&folder, "0.2", &more.replace("load.csv", "part.csv"))]);
        assert!(left.status.success());
        String::from_utf8_lossy(&left.stderr).into_owned()
    };
    let (short, outside, whole) = (told("0,0\n0.5,50\n"), told("10,0\n20,50\n"), told("0,0\n1,50\n"));
    assert!(short.contains("note") && short.contains("go from 0 s to 0.5 s"), "{short}");
    assert!(outside.contains("warning") && outside.contains("no row is within the run"), "{outside}");
    assert!(!whole.contains("go from"), "{whole}");
}

/// A value set at a time is a jump in a file at that time.
#[test]
fn an_event_is_a_jump_of_an_input() {
    let folder = folder("events");
    write(&folder, "jump.csv", "time,force\n0,1\n0.3,1\n0.3,30\n1,30\n");
    let of_file = "[inputs]\njump = \"jump.csv\"\n[connections]\n\"mass.f\" = \"jump.force\"\n";
    let event = "[[events]]\nat = 0.3\nset = { \"mass.f\" = 30.0 }\n";
    let (a, b) = (driven(&folder, "0.1", of_file), driven(&folder, "0.05", event));
    let (a, b) = (position(&json(&["run", &a, "--json"])), position(&json(&["run", &b, "--json"])));
    assert!((a - b).abs() <= 1e-12 * a.abs(), "{a} against {b}");
    let none = position(&json(&["run", &driven(&folder, "0.1", ""), "--json"]));
    assert!((none - a).abs() > 1e-3 * a.abs(), "the event is felt: {none} against {a}");
    // `verify` and `explain` know it as `run` does.
    assert!(macrostep(&["verify", &driven(&folder, "0.1", event)]).status.success());
    assert!(macrostep(&["explain", &driven(&folder, "0.1", of_file)]).status.success());
    for (at, unit, expected) in [
        ("0.33", "mass.f", "the nearest are 0.30000000000000004 s and 0.4 s"),
        ("1.0", "mass.f", "before the end"),
        ("0.3", "mass.m", "not tunable"),
        ("0.3", "mass.x", "set a tunable parameter"),
        ("0.3", "mas.f", "no unit `mas`"),
    ] {
        let event = format!("[[events]]\nat = {at}\nset = {{ \"{unit}\" = 30.0 }}\n");
        let said = refused(&["run", &driven(&folder, "0.1", &event)], 1);
        assert!(said.contains(expected), "{at} {unit}: {said}");
    }
    let said = refused(&["run", &driven(&folder, "0.1", &event.replace("30.0", "nan"))], 1);
    assert!(said.contains("expected a finite number") && !said.contains("fmi2"), "{said}");
    let said = refused(&["run", &driven(&folder, "0.1", event), "--control", "error"], 1);
    assert!(said.contains("events are at communication points of all units"), "{said}");
}

/// A run that is resumed between events, and at one of them, leaves the same bits; one of other events or inputs is refused.
#[test]
fn a_resumed_run_knows_its_events_and_inputs() {
    let folder = folder("resumed");
    write(&folder, "load.csv", "time,force\n0,0\n0.5,50\n1,-20\n");
    let more = "[inputs]\nload = \"load.csv\"\n[connections]\n\"mass.f\" = \"load.force\"\n\
                [[events]]\nat = 0.2\nset = { \"mass.f_ext\" = 3.0 }\n[[events]]\nat = 0.8\nset = { \"mass.f_ext\" = -9.0 }\n\
                [[events]]\nat = 0.9\nset = { \"mass.f_ext\" = 4.0 }\n";
    let path = driven(&folder, "0.01", more);
    let kept = folder.join("run.checkpoint").display().to_string();
    let whole = json(&["run", &path, "--json", "--checkpoint", &kept, "--checkpoint-every", "80"]);
    let resumed = json(&["run", &path, "--json", "--resume", &kept]);
    assert_eq!(whole["final"], resumed["final"]);
    assert_eq!(resumed["units"][0]["do_steps"], 20, "twenty steps were left");
    let other = driven(&folder, "0.01", &more.replace("-9.0", "-8.0"));
    let said = refused(&["run", &other, "--resume", &kept], 1);
    assert!(said.contains("a run with"), "{said}");
    driven(&folder, "0.01", more);
    write(&folder, "load.csv", "time,force\n0,0\n0.5,51\n1,-20\n");
    let said = refused(&["run", &path, "--resume", &kept], 1);
    assert!(said.contains("inputs `load`"), "{said}");
}

/// The actuator's interface model in a file: the bits of the built-in system.
#[test]
fn an_interface_model_runs_as_the_actuator_does() {
    let scheme = Scheme {
        prediction: Prediction::InterfaceModel,
        order: Order::FastFirst,
        delivery: Delivery::Mean,
        look_ahead: false,
        place: Place::Master,
        repeat: 0,
    };
    let (step_s, micro_s, steps) = (1e-2, 2e-4, 50);
    let run = Multirate { plant: Plant::Actuator, scheme, step_s, micro_s, stop_s: step_s * steps as f64 };
    let mut simulation = crate::crane::runs::build(&run, &macrostep::factory::fmu, false).expect("the actuator");
    let mut trace = Trace::new(simulation.columns().to_vec());
    simulation.run(steps, 1, &mut trace).expect("a run");
    let hold = trace.column("lam1").expect("recorded")[0];
    let expected = trace.column("w1").expect("recorded")[steps as usize];
    let folder = folder("interface");
    let text = format!(
        "[experiment]\nstop = {stop}\nstep = {step_s}\n[coupling]\nschedule = \"gauss-seidel\"\norder = [\"fast\", \"slow\"]\n\
         [units.slow]\nfmu = \"embedded:stop_mass\"\nset = {{ communication_step = {step_s}, look_ahead = false, \"lam_i[1]\" = {hold:?} }}\n\
         [units.fast]\nfmu = \"embedded:stop_hydraulics\"\nstep = \"1/50\"\n\
         set = {{ micro_step = {micro_s}, prediction = 1, \"lam_start[1]\" = {hold:?} }}\n\
         [connections]\n\"slow.lam_i[1]\" = {{ from = \"fast.lam[1]\", mean = true }}\n\
         [[interface_models]]\nforce = [\"fast.lam[1]\"]\nspeed = [\"slow.w[1]\"]\nposition = [\"slow.s[1]\"]\n\
         mobility = [\"slow.W[1,1]\"]\nbias = [\"slow.b[1]\"]\nto = {{ speed = [\"fast.w0[1]\"], position = [\"fast.s0[1]\"] }}\n",
        stop = run.stop_s,
    );
    let path = write(&folder, "actuator.toml", &text);
    let found = json(&["run", &path, "--json", "--record", "slow.w[1]"]);
    assert_eq!(found["final"]["slow.w[1]"].as_f64(), Some(expected));
    assert_eq!(found["units"][1]["do_steps"], steps * 50);
    // With a force at the end of the step instead of the mean, another number.
    let end = write(&folder, "end.toml", &text.replace("{ from = \"fast.lam[1]\", mean = true }", "\"fast.lam[1]\""));
    let end = json(&["run", &end, "--json", "--record", "slow.w[1]"]);
    assert_ne!(end["final"]["slow.w[1]"].as_f64(), Some(expected));
    // Steps of another length are no steps of the mass.
    let other = text.replace(&format!("communication_step = {step_s}"), "communication_step = 0.003");
    let said = refused(&["run", &write(&folder, "other.toml", &other)], 1);
    assert!(said.contains("it takes multiples of 3e-3 s"), "{said}");
    let short = write(&folder, "short.toml", &text.replace("bias = [\"slow.b[1]\"]", "bias = []"));
    let said = refused(&["run", &short], 1);
    assert!(said.contains("`bias` of an interface model has 0 outputs, expected 1"), "{said}");
}

/// A plunger that lifts a mass against a stop, from the example's file: with repeated steps of 32 ms the impact is that of steps as
/// short as the micro steps, without them it is not.
#[test]
fn an_interface_model_repeats_steps_of_any_system() {
    let folder = folder("repeated");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/plunger-stop.toml");
    let text = std::fs::read_to_string(example).expect("the example");
    let rows = |name: &str, text: &str, every: usize| -> (Vec<f64>, Value) {
        let path = write(&folder, &format!("{name}.toml"), text);
        let out = folder.join(name).display().to_string();
        let found = json(&["run", &path, "--json", "--out", &out]);
        let trace = std::fs::read_to_string(folder.join(name).join("trace.csv")).expect("the trace");
        let place = trace.lines().next().expect("names").split(',').position(|n| n.contains("mass.w[1]")).expect("w");
        let speed = |line: &str| line.split(',').nth(place).expect("a value").parse().expect("a number");
        (trace.lines().skip(1).step_by(every).map(speed).collect(), found)
    };
    let fine = text.replace("step = 0.032", "step = 0.0002").replace("step = \"1/160\"\n", "");
    let fine = fine.replace("repeat = 2\n", "");
    let (reference, _) = rows("fine", &fine, 160);
    let (repeated, found) = rows("repeated", &text, 1);
    let (plain, once) = rows("plain", &text.replace("repeat = 2\n", ""), 1);
    let error = |speed: &[f64]| speed.iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("largest error of the speed: repeated {:e}, plain {:e} m/s", error(&repeated), error(&plain));
    assert_eq!(repeated.len(), reference.len());
    assert!(error(&repeated) < 0.25 * error(&plain), "{} {}", error(&repeated), error(&plain));
    let [steps, others] = [&found, &once].map(|f| f["units"][0]["do_steps"].as_u64().expect("a count"));
    assert!(others == 80 && steps > 80 && steps < 120, "{steps} {others}");
    // It goes with explicit coupling alone.
    let implicit = text.replace("schedule = ", "correct = \"fixed-point\"\nschedule = ");
    let said = refused(&["run", &write(&folder, "implicit.toml", &implicit)], 1);
    assert!(said.contains("`repeat = 2` of an interface model repeats steps, and so does the method"), "{said}");
    let often = refused(&["run", &write(&folder, "often.toml", &text.replace("repeat = 2", "repeat = 200"))], 1);
    assert!(often.contains("expected at most 20"), "{often}");
}

/// What is read is what is written.
#[test]
fn new_keys_round_trip() {
    let text = include_str!("../cases/systems/all-keys-of-methods.toml");
    let read = |text: &str| toml::read(text, "s.toml", Path::new(".")).expect("a scenario");
    let scenario = read(text);
    assert_eq!(scenario.coupling.predict.to_string(), "spectral:8");
    assert_eq!(read(&toml::write(&scenario)), scenario);
}
