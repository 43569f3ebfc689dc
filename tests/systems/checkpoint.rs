//! A run that is interrupted or killed and continued leaves the same bits as one that was not.
use crate::common::{classical, method, schedules, test_pair};
use crate::errors::state;
use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::models::Factory;
use macrostep_analysis::pair::{Bonds, Coupling, Pair, build};
use macrostep_master::correct::{
    Correction, FixedPoint, InterfaceJacobian, MultiVector, Newton, NewtonKrylov, QuasiNewton, Relaxation, SemiImplicit,
};
use macrostep_master::predict::{IntegratedAcceleration, Lagrange, Predictor, Spectral};
use macrostep_master::{EnergyCorrection, Estimate, Method, SavedState, Schedule, StepControl};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn folder(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join("checkpoint").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let fmu = macrostep::embedded::fmu("oscillator1_force").expect("carried");
    std::fs::write(folder.join("mass.fmu"), fmu).expect("the FMU");
    let rows: String = (0..=20).map(|i| format!("{i},{}\n", (f64::from(i) * 0.7).sin() * 30.0)).collect();
    std::fs::write(folder.join("in.csv"), format!("time,f\n{rows}")).expect("inputs");
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
    command.args(arguments).current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the program starts")
}

/// Rows of a run that was killed: behind them may be room for others.
fn rows_of(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).expect("rows");
    let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |n| n + 1);
    bytes[..end].to_vec()
}

/// Starts a run and sends it a signal once its file of rows has some length.
fn disturbed(folder: &Path, arguments: &[&str], file: &str, signal: &str) -> Output {
    let mut child = command(folder, arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("started");
    let began = Instant::now();
    let length = || std::fs::metadata(folder.join(file)).map_or(0, |m| m.len());
    while length() < 600_000 {
        assert!(child.try_wait().expect("its status").is_none(), "the run was too short to be disturbed");
        assert!(began.elapsed() < Duration::from_secs(60), "no rows");
        std::thread::sleep(Duration::from_millis(1));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().expect("kill").success());
    let output = child.wait_with_output().expect("ended");
    assert!(!output.status.success());
    output
}

const SIMULATE: &[&str] = &[
    "simulate",
    "mass.fmu",
    "--input",
    "in.csv",
    "--step",
    "1e-4",
    "--stop",
    "20",
    "--start",
    "integrator=2",
    "--output-variable",
    "x",
    "--output-variable",
    "v",
    "--output-variable",
    "a",
];

#[test]
fn a_simulation_continues_bit_by_bit() {
    let folder = folder("simulate");
    let whole = run(&folder, &[SIMULATE, &["--out", "whole"]].concat());
    assert!(whole.status.success(), "{whole:?}");
    let whole = std::fs::read(folder.join("whole/trace.csv")).expect("rows");
    let keep = ["--checkpoint", "run.checkpoint", "--checkpoint-every", "1000"];
    for (signal, more) in [("-INT", &[][..]), ("-KILL", &[]), ("-INT", &["--isolate"])] {
        let _ = std::fs::remove_file(folder.join("run.checkpoint"));
        let _ = std::fs::remove_dir_all(folder.join("part"));
        let part = [SIMULATE, &["--out", "part"], more].concat();
        let ended = disturbed(&folder, &[&part, &keep[..]].concat(), "part/trace.csv", signal);
        let before = rows_of(&folder.join("part/trace.csv"));
        assert!(signal != "-KILL" || before.ends_with(b"\n"), "whole rows");
        assert!(before.len() < whole.len() && whole.starts_with(&before), "what was recorded is the beginning");
        if signal == "-INT" {
            let error = String::from_utf8_lossy(&ended.stderr);
            assert!(error.contains("interrupted at t = ") && error.contains("--resume"), "{error}");
        }
        let continued = run(&folder, &[&part, &["--resume", "run.checkpoint", "--json"][..]].concat());
        assert!(continued.status.success(), "{continued:?}");
        assert!(std::fs::read(folder.join("part/trace.csv")).expect("rows") == whole, "{signal}: the rows differ");
        let result: serde_json::Value = serde_json::from_slice(&continued.stdout).expect("one JSON object");
        assert_eq!(result["rows"], 200_001);
        assert!(
            result["units"][0]["do_steps"].as_u64().is_some_and(|n| n < 200_000),
            "only the rest was computed: {result}"
        );
    }
    let mut other = SIMULATE.to_vec();
    other[5] = "2e-4";
    let refused = run(&folder, &[&other, &["--resume", "run.checkpoint"][..]].concat());
    assert_eq!(refused.status.code(), Some(1));
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("found a run with step = 0.0001, expected step = 0.0002"), "{error}");
}

/// A system of any FMUs, in this process and isolated.
#[test]
fn a_system_continues_bit_by_bit() {
    let folder = folder("system");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/oscillator-f-s.toml");
    std::fs::copy(example, folder.join("system.toml")).expect("copied");
    let keep = ["--checkpoint", "run.checkpoint", "--checkpoint-every", "500"];
    let methods: [(&str, &[&str]); 4] = [
        ("-INT", &["--stop", "4", "--predict", "linear"]),
        ("-KILL", &["--stop", "4", "--predict", "quadratic", "--schedule", "gauss-seidel"]),
        ("-KILL", &["--stop", "2", "--predict", "linear", "--correct", "newton"]),
        ("-INT", &["--stop", "3", "--predict", "hold", "--isolate"]),
    ];
    for (signal, method) in methods {
        let fixed = ["run", "system.toml", "--step", "1e-4", "--no-pictures"];
        let alone: Vec<&str> = method.iter().copied().filter(|m| *m != "--isolate").collect();
        let whole = run(&folder, &[&fixed[..], &alone, &["--out", "whole", "--json"]].concat());
        assert!(whole.status.success(), "{whole:?}");
        let rows = std::fs::read(folder.join("whole/trace.csv")).expect("rows");
        let _ = std::fs::remove_file(folder.join("run.checkpoint"));
        let _ = std::fs::remove_dir_all(folder.join("part"));
        let part = [&fixed[..], method, &["--out", "part"]].concat();
        let ended = disturbed(&folder, &[&part, &keep[..]].concat(), "part/trace.csv", signal);
        let before = rows_of(&folder.join("part/trace.csv"));
        assert!(before.len() < rows.len() && rows.starts_with(&before), "what was recorded is the beginning");
        assert!(folder.join("part/scenario.toml").exists(), "the scenario is there from the beginning");
        if signal == "-INT" {
            let error = String::from_utf8_lossy(&ended.stderr);
            assert!(error.contains("interrupted at t = ") && error.contains("rows up to t = "), "{error}");
            assert_eq!(error.matches("error: ").count(), 1, "{error}");
        }
        let continued = run(&folder, &[&part, &["--resume", "run.checkpoint", "--json"][..]].concat());
        assert!(continued.status.success(), "{continued:?}");
        assert!(std::fs::read(folder.join("part/trace.csv")).expect("rows") == rows, "{method:?}: the rows differ");
        let json =
            |output: &Output| serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("one JSON object");
        let (whole, continued) = (json(&whole), json(&continued));
        for key in ["rows", "final", "power_bonds", "windows", "end_s"] {
            assert_eq!(whole[key], continued[key], "{method:?}: {key}");
        }
        assert!(continued["units"][0]["do_steps"].as_u64() < whole["units"][0]["do_steps"].as_u64());
    }
    let refused = run(&folder, &["run", "system.toml", "--step", "2e-4", "--resume", "run.checkpoint"]);
    assert_eq!(refused.status.code(), Some(1));
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("found a run with stop = 3.0, expected stop = 10.0"), "{error}");
}

/// Explicit and implicit coupling, kept Jacobians, laws with histories of their own, multirate.
const METHODS: &[&[&str]] = &[
    &["--coupling", "f-s", "--predict", "hold"],
    &["--coupling", "f-f", "--predict", "quadratic", "--schedule", "gs12"],
    &["--coupling", "s-s", "--predict", "ia1", "--rate", "3"],
    &["--coupling", "f-s", "--predict", "linear", "--correct", "newton"],
    &["--coupling", "s-f", "--predict", "linear", "--correct", "fixed-point", "--schedule", "gs21"],
    &["--coupling", "f-s", "--predict", "linear", "--correct", "iqn-ils"],
    &["--coupling", "f-s", "--predict", "linear", "--control", "error"],
];

#[test]
fn a_coupled_run_continues_bit_by_bit() {
    let folder = folder("oscillator");
    let keep = ["--checkpoint", "run.checkpoint", "--checkpoint-every", "500"];
    for (i, method) in METHODS.iter().enumerate() {
        // A step of an isolated unit costs its processes a turn each: fewer of them take as long.
        let (more, stop) = if i == 3 { (&["--isolate"][..], "2") } else { (&[][..], "6") };
        let fixed = ["oscillator", "--step", "1e-4", "--stop", stop, "--integrator", "rk4"];
        let part = [&fixed[..], method, &["--out", "part"], more].concat();
        let whole = run(&folder, &[&fixed[..], method, &["--out", "whole", "--json"]].concat());
        assert!(whole.status.success(), "{whole:?}");
        let rows = std::fs::read(folder.join("whole/trace.csv")).expect("rows");
        let signal = if i % 2 == 0 { "-INT" } else { "-KILL" };
        let _ = std::fs::remove_file(folder.join("run.checkpoint"));
        let _ = std::fs::remove_dir_all(folder.join("part"));
        disturbed(&folder, &[&part, &keep[..]].concat(), "part/trace.csv", signal);
        assert!(rows.starts_with(&rows_of(&folder.join("part/trace.csv"))));
        let rest = run(&folder, &[&part[..], &["--resume", "run.checkpoint", "--json"]].concat());
        assert!(rest.status.success(), "{rest:?}");
        assert!(std::fs::read(folder.join("part/trace.csv")).expect("rows") == rows, "{method:?}: the rows differ");
        let [mut a, mut b] = [&whole, &rest]
            .map(|output| -> serde_json::Value { serde_json::from_slice(&output.stdout).expect("one JSON object") });
        for result in [&mut a, &mut b] {
            for name in ["wall_s", "units"] {
                result[name] = serde_json::Value::Null;
            }
        }
        // States, errors, accounts and statistics; steps of units are those of this part.
        assert_eq!(a, b, "{method:?}");
    }
}

/// Every corrector there is.
fn corrections() -> [(&'static str, Correction); 9] {
    [
        ("explicit", Correction::Explicit),
        ("fixed-point", Correction::FixedPoint(FixedPoint::new(Relaxation::Aitken(0.7)))),
        ("newton", Correction::Newton(Newton::new(InterfaceJacobian::FiniteDifferences))),
        ("newton-directional", Correction::Newton(Newton::new(InterfaceJacobian::Directional))),
        ("iqn-ils", Correction::QuasiNewton(QuasiNewton::iqn_ils())),
        ("iqn-imvj", Correction::MultiVector(MultiVector { columns_max: 6, secants_max: 3, ..MultiVector::default() })),
        ("anderson", Correction::QuasiNewton(QuasiNewton::anderson(3, 0.8))),
        ("newton-krylov", Correction::NewtonKrylov(NewtonKrylov::default())),
        ("semi-implicit", Correction::SemiImplicit(SemiImplicit::default())),
    ]
}

/// Steps of one length, chosen by errors (with a choice of degree) and by residual energy.
fn controls() -> [(&'static str, Option<StepControl>); 3] {
    let family = (0..3).map(|k| std::sync::Arc::new(Lagrange::new(k)) as std::sync::Arc<dyn Predictor>).collect();
    let error = StepControl { family, ..StepControl::new(Estimate::Error, 1e-4) };
    let ecco = StepControl::new(Estimate::Ecco, 1e-3);
    [("fixed", None), ("error", Some(error)), ("ecco", Some(ecco))]
}

/// The run after some steps, and whether one that takes it up in a new simulation has the same bits in all that it knows.
#[track_caller]
fn continues(what: &str, pair: &Pair, factory: Factory<'_>) -> SavedState {
    // Some steps, and what there is then.
    let mut first = build(pair, factory).expect("built");
    for _ in 0..9 {
        first.simulation.step().expect("a step");
    }
    let saved = first.simulation.saved_state().expect("a saved state");
    // The same steps by both.
    let mut second = build(pair, factory).expect("built");
    second.simulation.resume(&saved).expect("resumed");
    // Every field of the state, also one that has no influence on the steps to come.
    let [a, b] = [&first, &second].map(|c| format!("{:?}", c.simulation));
    assert!(a.len() > 300 && a == b, "{what}: the states differ:\n{a}\n{b}");
    for step in 0..12 {
        let [a, b] = [&mut first, &mut second].map(|c| {
            c.simulation.step().expect("a step");
            let bits: Vec<u64> = state(c).iter().map(|x| x.to_bits()).collect();
            (bits, c.simulation.time_s().to_bits(), c.simulation.statistics())
        });
        assert_eq!(a, b, "{what}, {step} steps later");
    }
    let [a, b] = [&mut first, &mut second].map(|c| c.simulation.saved_state().expect("a saved state"));
    assert!(a == b, "{what}: what the runs know at the end differs");
    saved
}

/// Every method in which steps, schedule, corrector or predictor keep something of their own.
fn methods() -> Vec<(String, Method)> {
    let mut methods = Vec::new();
    for (correction_name, correction) in corrections() {
        for (schedule_name, schedule) in schedules() {
            for (control_name, control) in controls() {
                let name = format!("{correction_name} {schedule_name} {control_name}");
                let method = Method { correction: correction.clone(), control, ..classical(1, schedule.clone()) };
                methods.push((name, method));
            }
        }
    }
    let newton = || Correction::Newton(Newton::new(InterfaceJacobian::FiniteDifferences));
    // Linear models are for steps of one length.
    for (name, schedule) in schedules() {
        let method = Method { correction: Correction::LinearImplicit, ..classical(1, schedule) };
        methods.push((format!("linear-implicit {name}"), method));
    }
    let waveform = method(Spectral::new(6), Schedule::Jacobi);
    methods.push(("waveform".to_owned(), Method { correction: newton(), ..waveform }));
    methods.push(("palindromic".to_owned(), classical(0, Schedule::Palindromic(vec![0, 1]))));
    methods.push(("ia1".to_owned(), method(IntegratedAcceleration::new(1), Schedule::GaussSeidel(vec![1, 0]))));
    for (name, energy) in [("nepce", EnergyCorrection::Nepce), ("leak", EnergyCorrection::Leak)] {
        methods.push((name.to_owned(), Method { energy, ..classical(1, Schedule::Jacobi) }));
    }
    methods
}

fn pair_of(method: Method, coupling: Coupling) -> Pair {
    Pair { bonds: Bonds::Named, ..test_pair(coupling, method, 1e-2) }
}

#[test]
fn every_method_continues_bit_by_bit() {
    let _open = factory::open_all().expect("the FMUs open");
    for (name, method) in methods() {
        for coupling in [Coupling::ForceDisplacement, Coupling::ForceForce] {
            let pair = pair_of(method.clone(), coupling);
            let natively = continues(&format!("{coupling} {name}, native"), &pair, &models::native);
            let fmus = continues(&format!("{coupling} {name}, FMUs"), &pair, &factory::fmu);
            assert!(natively.engine == fmus.engine, "{coupling} {name}: natively and through FMUs");
        }
    }
}

#[test]
fn a_state_of_another_definition_is_refused() {
    let pair = pair_of(classical(1, Schedule::Jacobi), Coupling::ForceDisplacement);
    let saved = continues("linear", &pair, &models::native);
    let refusal = |pair: &Pair, saved: &SavedState| {
        let mut other = build(pair, &models::native).expect("built");
        let before = state(&other);
        let error = other.simulation.resume(saved).expect_err("another definition").to_string();
        assert_eq!(state(&other), before, "nothing was changed");
        error
    };
    let quadratic = pair_of(classical(2, Schedule::Jacobi), Coupling::ForceDisplacement);
    let finer = Pair { step_s: 5e-3, ..pair.clone() };
    let coupled = pair_of(classical(1, Schedule::Jacobi), Coupling::ForceForce);
    for (pair, part) in [(&quadratic, "method"), (&finer, "grid"), (&coupled, "units")] {
        let error = refusal(pair, &saved);
        assert!(error.contains(&format!("saved state: found one of a run with other {part}")), "{error}");
    }
    // A part that is cut off, and one of another version.
    let short = SavedState { engine: saved.engine[..saved.engine.len() - 1].to_vec(), ..saved.clone() };
    assert!(refusal(&pair, &short).contains("saved state: found something else"));
    let mut older = saved;
    older.engine[0] -= 1;
    assert!(refusal(&pair, &older).contains("found version 6, expected one of this version"));
}

/// A checkpoint replaces a file, and nothing else that has its name.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_replaced_by_a_checkpoint() {
    use std::os::unix::fs::FileTypeExt;
    let folder = folder("pipe");
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().expect("mkfifo").success());
    let checkpoint = ["--checkpoint", "pipe", "--checkpoint-every", "10"];
    let output = run(&folder, &[&["run", "case-1", "--stop", "0.1", "--no-pictures"][..], &checkpoint].concat());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && message.contains("pipe`: found something that is no file"), "{message}");
    assert!(folder.join("pipe").metadata().is_ok_and(|found| found.file_type().is_fifo()));
}
