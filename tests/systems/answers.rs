//! Answers for systems from files: predictions agree with measurements, and systems called stable stay bounded.

use std::path::{Path, PathBuf};

use macrostep::embedded;
use macrostep_analysis::advise::{Question, advise};
use macrostep_analysis::measure::{FLOOR, Reference, run};
use macrostep_analysis::missed::{Missed, Nearest, Unadvised};
use macrostep_analysis::pair::Coupling;
use macrostep_analysis::scheme::{Predict, Schedule, Scheme};
use macrostep_analysis::{Benchmark, FromFile, Setup, scenarios};
use macrostep_system::{Fmus, toml};

use crate::limited::cut_fmu;

/// A system as its text says; FMU files are in `folder`.
fn system(text: &str, folder: &Path) -> FromFile {
    let scenario = toml::read(text, "system.toml", folder).expect("a scenario");
    let made = FromFile::new("system", &scenario, Box::new(Fmus::new(embedded::fmu)));
    made.unwrap_or_else(|findings| panic!("{findings:?}")).0
}

fn example(name: &str) -> FromFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems").join(name);
    system(&std::fs::read_to_string(path).expect("an example"), Path::new(""))
}

/// Two masses by displacements; `fmus` are their files, `set` their parameters.
fn pair(fmus: [&str; 2], set: [&str; 2], times: &str) -> String {
    format!(
        r#"
        [experiment]
        {times}
        [units.mass1]
        fmu = "{}"
        set = {{ integrator = "exact"{} }}
        [units.mass2]
        fmu = "{}"
        set = {{ integrator = "exact"{} }}
        [connections]
        "mass1.xi" = "mass2.x"
        "mass1.xi_dot" = "mass2.v"
        "mass2.xi" = "mass1.x"
        "mass2.xi_dot" = "mass1.v"
        [record]
        variables = ["mass*.x", "mass*.v", "mass1.m"]
        "#,
        fmus[0], set[0], fmus[1], set[1]
    )
}

const WHOLE: [&str; 2] = ["embedded:oscillator1_displacement", "embedded:oscillator2_displacement"];

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Measured error over predicted error of what is advised.
fn ratio(of: &FromFile, name: &str, tolerance: f64) -> f64 {
    let stop_s = of.card().stop_s;
    let question = Question::new(tolerance, stop_s, macrostep::factory::fmu);
    let advice = advise(of, &question, &|| ()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let best = advice.candidates[0];
    let reference = Reference::new(of, best.step_s, stop_s).expect("a reference");
    let error = of.solution_error(stop_s).expect("its error");
    let setup = Setup::new(&best.scheme, best.step_s, &macrostep::factory::fmu);
    let work = run(of, &setup, &reference).expect("a run");
    println!(
        "{name} {tolerance:e}: {} H = {:.3e}, predicted {:.2e}, measured {:.2e}, reference {error:.0e}, do_steps {} ({}), left out {}",
        best.scheme,
        best.step_s,
        best.error,
        work.error.position,
        best.do_steps,
        work.do_steps,
        advice.left_out.len()
    );
    assert!(error < 0.1 * tolerance, "{name}: the reference has an error of {error:e}");
    assert!(work.error.position <= 1.1 * tolerance, "{name}: {:e}", work.error.position);
    // Neither the reference nor rounding lets smaller errors be seen.
    let visible = 2.0 * error.max(FLOOR);
    if work.error.position <= visible {
        assert!(best.error <= visible, "{name}: {:e}", best.error);
        return 1.0;
    }
    work.error.position / best.error
}

/// What is advised for each of these at a tolerance is what is measured.
fn all_hold(systems: &[(String, FromFile)], tolerance: f64) {
    for (name, of) in systems {
        let ratio = ratio(of, name, tolerance);
        assert!((0.5..=2.0).contains(&ratio), "{name}: {ratio}");
    }
}

#[test]
fn advice_for_files_holds() {
    let mut systems = Vec::new();
    for name in ["oscillator-f-f.toml", "oscillator-f-s.toml", "oscillator-s-s.toml"] {
        systems.push((name.to_owned(), example(name)));
    }
    // Masses over six decades, steps of the file that are of no use.
    let mut random = 12345u64;
    let mut next = || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as f64 / (1u64 << 31) as f64
    };
    for n in 0..4 {
        let mass = |x: f64| format!(", m = {:e}", 10f64.powf(6.0 * x - 3.0));
        let set = [mass(next()), mass(next())];
        // About twenty of the shorter periods.
        let text = pair(WHOLE, [&set[0], &set[1]], "stop = 1.0\nstep = 1e-2");
        systems.push((format!("random {n}{}{}", set[0], set[1]), system(&text, Path::new(""))));
    }
    all_hold(&systems, 1e-3);
    all_hold(&systems[..1], 1e-4);
    // A constant is no quantity.
    assert!(systems[5].1.quantities().iter().all(|q| q.name != "mass1.m"));
}

/// FMUs that offer less.
#[test]
fn advice_for_limited_fmus_holds() {
    let mut systems = Vec::new();
    let folder = folder("answers-cut");
    let cuts = [
        ("no state", vec!["canGetAndSetFMUstate", "canSerializeFMUstate"]),
        ("no derivatives", vec!["providesDirectionalDerivative", "maxOutputDerivativeOrder"]),
        ("no interpolation", vec!["canInterpolateInputs"]),
        ("no variable steps", vec!["canHandleVariableCommunicationStepSize"]),
        (
            "nothing",
            vec![
                "canGetAndSetFMUstate",
                "canSerializeFMUstate",
                "providesDirectionalDerivative",
                "maxOutputDerivativeOrder",
                "canInterpolateInputs",
            ],
        ),
    ];
    for (n, (name, attributes)) in cuts.iter().enumerate() {
        let files = [1, 2].map(|i| {
            let file = format!("mass{i}_{n}.fmu");
            let bytes = cut_fmu(&format!("oscillator{i}_displacement"), attributes);
            std::fs::write(folder.join(&file), bytes).expect("an FMU");
            file
        });
        let text = pair([&files[0], &files[1]], ["", ""], "stop = 2.0\nstep = 1e-3");
        systems.push(((*name).to_owned(), system(&text, &folder)));
    }
    all_hold(&systems, 1e-3);
}

/// A joint, events, a law in the master, circuits, a nonlinear unit.
#[test]
fn advice_for_other_systems_holds() {
    let mut systems = Vec::new();
    for name in ["double-pendulum.toml", "bouncing-ball.toml"] {
        systems.push((name.to_owned(), example(name)));
    }
    for name in ["chain", "circuit", "cylinder"] {
        let scenario = macrostep_benchmarks::find(name).expect("a built-in system");
        let made = FromFile::new(name, &scenario, Box::new(Fmus::new(embedded::fmu)));
        systems.push((name.to_owned(), made.unwrap_or_else(|findings| panic!("{findings:?}")).0));
    }
    all_hold(&systems, 1e-3);
}

#[test]
fn what_units_lack_is_said() {
    let folder = folder("answers-lack");
    for i in [1, 2] {
        let bytes = cut_fmu(&format!("oscillator{i}_displacement"), &["canGetAndSetFMUstate", "canSerializeFMUstate"]);
        std::fs::write(folder.join(format!("mass{i}.fmu")), bytes).expect("an FMU");
    }
    let of = system(&pair(["mass1.fmu", "mass2.fmu"], ["", ""], "stop = 1.0\nstep = 1e-3"), &folder);
    let question = Question::new(1e-2, 1.0, macrostep::factory::fmu);
    let advice = advise(&of, &question, &|| ()).expect("advice");
    let lacks = |what: &str, scheme: &str| {
        advice.left_out.iter().any(|l| l.why.contains(what) && l.schemes.iter().any(|s| s.contains(scheme)))
    };
    assert!(lacks("canGetAndSetFMUstate", "iqn-ils") && lacks("mass1", "newton"), "{:?}", advice.left_out);
    // No power bond is named or shown by units of measurement.
    assert!(advice.connections.is_empty());
}

/// What goes through the interfaces of a file: of the bonds that it names, or that units of measurement show.
#[test]
fn interfaces_of_files_are_measured() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/oscillator-f-f.toml"));
    let text = text.expect("an example");
    let (before, after) = text.split_once("[[bonds]]").expect("bonds");
    let unnamed = format!("{before}{}", after.find("\n[").map_or("", |at| &after[at..]));
    let found = [text.as_str(), &unnamed].map(|text| {
        let of = system(text, Path::new(""));
        let question = Question::new(1e-3, 1.0, macrostep::factory::fmu);
        advise(&of, &question, &|| ()).expect("advice").connections
    });
    assert_eq!(found[0], found[1], "named and found");
    let case_1 = scenarios().into_iter().find(|s| s.name() == "case-1").expect("case 1");
    let question = Question::new(1e-3, 1.0, macrostep::factory::fmu);
    let expected = advise(case_1.as_ref(), &question, &|| ()).expect("advice").connections;
    assert_eq!(found[0].len(), 2);
    // The same masses and spring, by another method that is as accurate.
    for (found, expected) in found[0].iter().zip(&expected) {
        println!("{found:?} {expected:?}");
        assert!((found.power_max_w / expected.power_max_w - 1.0).abs() < 0.1, "{found:?} {expected:?}");
        assert!((found.power_rms_w / expected.power_rms_w - 1.0).abs() < 0.1, "{found:?} {expected:?}");
    }
}

/// Growth rates from the pulse of a run are those of the one-step map of the same system.
#[test]
fn growth_from_runs_is_that_of_the_map() {
    let file = example("oscillator-f-s.toml");
    let case_1 = scenarios().into_iter().find(|s| s.name() == "case-1").expect("case 1");
    // From steps so short that a few hundred of them show nothing but transients.
    let cells = [(0, 1e-4), (1, 1e-4), (2, 2.5e-4), (0, 1e-3), (0, 4e-3), (1, 4e-3), (1, 1e-2), (2, 1e-2), (2, 2e-2)];
    for (predict, step_s) in cells {
        for schedule in [Schedule::Jacobi, Schedule::GaussSeidel] {
            let of = |cut| Scheme::new(cut, schedule, Predict::classical(predict));
            let rate = |b: &dyn Benchmark, cut| b.growth(&of(cut), step_s, None).expect("growth").radius.ln() / step_s;
            let (found, expected) =
                (rate(&file, Coupling::AsWritten), rate(case_1.as_ref(), Coupling::ForceDisplacement));
            println!("{schedule} {predict} {step_s:e}: {found:.6e}, map {expected:.6e}");
            assert!((found - expected).abs() < 1e-3 * expected.abs() + 2e-4, "{schedule} {predict} {step_s:e}");
        }
    }
}

/// A line with delay has more modes than a run of a few samples tells apart, and creates no energy.
#[test]
fn a_line_does_not_grow() {
    let line = example("line.toml");
    for step_s in [1e-5, 1e-4, 1e-3] {
        let growth = line.growth(&line.written().expect("its scheme"), step_s, None).expect("a growth");
        assert!(growth.radius.ln() / step_s < 1e-2, "{step_s:e}: {} 1/s", growth.radius.ln() / step_s);
    }
}

/// Trials that have no time are left out in words.
#[test]
fn advice_ends_in_time() {
    let of = example("oscillator-f-s.toml");
    let limit = Some(std::time::Duration::ZERO);
    let question = Question { limit, ..Question::new(1e-3, 1.0, macrostep::factory::fmu) };
    let refused = advise(&of, &question, &|| ()).expect_err("no time").to_string();
    assert!(refused.contains("time of trials") && refused.contains("--limit"), "{refused}");
}

/// A tolerance that no scheme meets in time: the nearest miss is told, with the step that it would take, and every reason by itself.
#[test]
fn the_nearest_miss_is_told() {
    let of = example("oscillator-f-s.toml");
    let question = Question { guess_s: 0.02, ..Question::new(1e-30, 0.1, macrostep::factory::fmu) };
    // What rounding hides needs no trial.
    let Err(Unadvised::Missed(missed)) = advise(&of, &question, &|| ()) else { panic!("no rounding is as small") };
    let told = missed.to_string();
    assert!(missed.nearest.is_none() && told.contains("rounding hides errors below 1e-11"), "{told}");
    // What can be seen: the step is the one of the observed order.
    let scheme = Scheme::new(Coupling::AsWritten, Schedule::Jacobi, Predict::classical(0));
    let nearest = Some(Nearest { scheme, step_s: 1e-3, error: 0.05, order: 1.0 });
    let missed = Missed { tolerance: 0.01, nearest, ..*missed };
    let told = missed.to_string();
    assert!(told.contains("\nnearest: ") && told.contains("for 1e-2 it would take about H = 2.0e-4 s"), "{told}");
    assert!(told.lines().all(|line| line.matches("expected").count() <= 1), "{told}");
}

/// Hydraulics that take multiples of their micro step only are asked for such, and the advice keeps its promise.
#[test]
fn advice_is_a_step_that_units_allow() {
    let mut scenario = macrostep_benchmarks::find("actuator").expect("a system");
    scenario.record.variables = vec![("mechanics.s[1]".to_owned(), Default::default())];
    scenario.experiment.stop_s = Some(0.4);
    let made = FromFile::new("actuator", &scenario, Box::new(Fmus::new(embedded::fmu)));
    let (file, _) = made.unwrap_or_else(|findings| panic!("{findings:?}"));
    assert_eq!(file.step_multiple_s(), Some(2e-4));
    // A third of the run is no multiple.
    let question = Question { guess_s: 0.4 / 3.0, ..Question::new(1e-2, 0.4, macrostep::factory::fmu) };
    let advice = advise(&file, &question, &|| ()).expect("advice");
    assert!(advice.candidates.len() > 10, "{:?}", advice.left_out);
    let steps = advice.candidates.iter().map(|c| c.step_s).chain([advice.first.step_s]);
    for step_s in steps {
        let parts = step_s / 2e-4;
        assert!((parts - parts.round()).abs() < 1e-9 * parts, "{step_s}");
    }
    // The nearest one: at least one multiple, and a multiple keeps its digits.
    let allowed = [1e-6, 0.29e-3, 0.31e-3, 16e-3, 0.4 / 3.0].map(|step_s| file.allowed_step_s(step_s));
    assert_eq!(allowed, [1.0, 1.0, 2.0, 80.0, 667.0].map(|n| if n == 80.0 { 16e-3 } else { n * 2e-4 }));
}

/// Between events the solution is that of the bounces in closed form, wherever it is asked.
#[test]
fn references_of_events_keep_their_jumps() {
    let of = example("bouncing-ball.toml");
    let places =
        ["ball.height", "ball.v"].map(|name| of.quantities().iter().position(|q| q.name == name).expect("a quantity"));
    // Height and speed after falls of 1 m with g = 9.81 m/s² and a restitution of 0.8.
    let exact = |t_s: f64| {
        let (g, e) = (9.81f64, 0.8f64);
        let first_s = (2.0 / g).sqrt();
        if t_s < first_s {
            return [1.0 - 0.5 * g * t_s * t_s, -g * t_s];
        }
        let (mut left_s, mut up) = (t_s - first_s, e * g * first_s);
        while left_s > 2.0 * up / g {
            left_s -= 2.0 * up / g;
            up *= e;
        }
        [up * left_s - 0.5 * g * left_s * left_s, up - g * left_s]
    };
    let times_s: Vec<f64> = (0..1234).map(|n| f64::from(n) * 4.0 / 1234.0).collect();
    for (t_s, row) in times_s.iter().zip(of.solution(&times_s).expect("a solution")) {
        for (found, expected) in places.map(|i| row[i]).iter().zip(exact(*t_s)) {
            assert!((found - expected).abs() < 1e-7, "{t_s}: {found} {expected}");
        }
    }
}

/// Systems that cannot be run with any method or macro step have a reference, also a little behind their end.
#[test]
fn joints_and_lines_have_references() {
    let pendulum = example("double-pendulum.toml");
    let behind_s = 1.004 * pendulum.card().stop_s;
    pendulum.solution(&[behind_s]).expect("a solution");
    assert!(pendulum.solution_error(behind_s).expect("its error") < 1e-8);
    let line = example("line.toml");
    assert_eq!(line.step_max_s(), 1e-3, "its delay");
    line.solution(&[0.1]).expect("a solution");
    assert!(line.solution_error(0.1).expect("its error") < 0.05);
}
