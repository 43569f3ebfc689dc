//! `stability FILE`: runs just inside the largest stable step stay bounded, runs just outside of it grow.

use std::path::Path;

use macrostep_run::read_trace;

use crate::run::macrostep;

/// How far the recorded amplitudes come from the second quarter of a run of 2000 steps of this length to the last.
fn grown(folder: &Path, system: &str, predict: &str, step_s: f64) -> f64 {
    let (step, stop) = (format!("{step_s:e}"), format!("{:e}", 2000.0 * step_s));
    let run = ["run", system, "--predict", predict, "--step", &step, "--stop", &stop, "--out", "out", "--no-pictures"];
    // Runs that grow are looked for.
    let left = macrostep(folder, &[&run[..], &["--accept-growth"]].concat());
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    let trace = read_trace(std::fs::File::open(folder.join("out/trace.csv")).expect("rows")).expect("a trace");
    let rows: Vec<&[f64]> = trace.rows().collect();
    let amplitude = |of: &[&[f64]], column: usize| of.iter().fold(0.0, |max: f64, row| max.max(row[column].abs()));
    let part = |column| {
        let quarter = rows.len() / 4;
        amplitude(&rows[3 * quarter..], column) / amplitude(&rows[quarter..2 * quarter], column)
    };
    (1..trace.columns().len()).map(part).fold(0.0, f64::max)
}

#[test]
fn the_largest_stable_step_of_a_file_is_where_runs_begin_to_grow() {
    let folder = crate::common::folder(module_path!());
    for (system, predict) in
        [("chain:f-f", "hold"), ("circuit:f-s", "linear"), ("test-model:f-s", "hold"), ("test-model:s-s", "linear")]
    {
        let left = macrostep(&folder, &["convert", system, "system.toml"]);
        assert_eq!(left.code, Some(0), "{}", left.stderr);
        let found = macrostep(&folder, &["stability", "system.toml", "--predict", predict, "--grid", "4", "--json"]);
        let found: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
        let limit_s = found[0]["limits"]["step_s"].as_f64().expect("a limit");
        let [inside, outside] = [0.97, 1.03].map(|part| grown(&folder, "system.toml", predict, part * limit_s));
        println!("{system} {predict}: limit {limit_s:.4e} s, inside {inside:.2e}, outside {outside:.2e}");
        assert!(
            inside < 0.7 && outside > 2.0,
            "{system} {predict}: {inside:e} at 0.97, {outside:e} at 1.03 of {limit_s} s"
        );
    }
}

/// A pair whose whole motion is faster by this factor.
fn pair(faster: f64) -> String {
    let [once, twice] = [faster, faster * faster];
    let unit = |n: u32, k: f64, c: f64| {
        format!(
            "[units.mass{n}]\nfmu = \"embedded:oscillator{n}_displacement\"\nset = {{ integrator = \"exact\", v0 = {:?}, k = {:?}, c = {:?}, k_c = {:?}, c_c = {:?} }}\n",
            once,
            k * twice,
            c * once,
            20.0 * twice,
            0.1 * once
        )
    };
    format!(
        "[experiment]\nstop = {:?}\nstep = {:?}\n[coupling]\npredict = \"linear\"\n{}{}[connections]\n\"mass1.xi\" = \"mass2.x\"\n\"mass1.xi_dot\" = \"mass2.v\"\n\"mass2.xi\" = \"mass1.x\"\n\"mass2.xi_dot\" = \"mass1.v\"\n",
        4.0 / once,
        0.01 / once,
        unit(1, 30.0, 0.05),
        unit(2, 90.0, 0.02)
    )
}

/// What counts as stable belongs to the length of the run: a pair that is 1024 times as fast has a limit of a 1024th.
#[test]
fn fast_and_slow_systems_are_asked_the_same() {
    let folder = crate::common::folder(module_path!()).join("scaled");
    std::fs::create_dir_all(&folder).expect("a folder");
    let [slow, fast] = [1.0, 1024.0].map(|faster| {
        std::fs::write(folder.join("pair.toml"), pair(faster)).expect("the system");
        let found = macrostep(&folder, &["stability", "pair.toml", "--grid", "6", "--json"]);
        let found: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
        let limit_s = found[0]["limits"]["step_s"].as_f64().expect("a limit");
        (limit_s * faster, found[0]["stable_fraction"].as_f64().expect("a share"))
    });
    assert!((slow.0 / fast.0 - 1.0).abs() < 1e-2 && slow.1 == fast.1, "{slow:?} {fast:?}");
    assert!((0.3..1.0).contains(&slow.1), "{slow:?}");
}

/// A mass on oil that swings at ω: the largest stable ω H is that of linear theory, with and without the interface model of the
/// mass, for the force at the step's end and its mean, and for both orders. Far outside runs grow by many decades.
#[test]
fn limits_of_an_oscillator_on_oil_are_those_of_linear_theory() {
    let folder = crate::common::folder(module_path!()).join("oil");
    std::fs::create_dir_all(&folder).expect("a folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/mass-on-oil.toml");
    let text = std::fs::read_to_string(example).expect("the example");
    let (from, to) = (text.find("[[interface_models]]").expect("one"), text.find("[record]").expect("one"));
    let omega = 100.0;
    // Prediction, order and force, and ω H at ζ = 0 and at ζ = 0.1. Undamped: 2 by x² = 4, 1.7207 by x tan(x/2) = 2.
    for (model, first, mean, expected) in [
        (false, false, false, [Some(0.0), Some(0.2)]),
        (false, true, false, [Some(2.0), Some(2.013)]),
        (true, false, false, [Some(0.0), Some(0.414)]),
        (true, true, false, [Some(1.7207), Some(1.80)]),
        (true, true, true, [None, None]),
    ] {
        let mut system = if model { text.clone() } else { [&text[..from], &text[to..]].concat() };
        if !model {
            system = system.replace("mean = true }", "mean = true }\n\"oil.v\" = \"mass.w[1]\"");
        }
        if !first {
            system = system.replace("schedule = \"gauss-seidel\"\norder = [\"oil\", \"mass\"]\n", "");
        }
        if !mean {
            system = system.replace("{ from = \"oil.f\", mean = true }", "\"oil.f\"");
        }
        for (conductance, expected) in ["0.0", "2e-10"].into_iter().zip(expected) {
            std::fs::write(folder.join("oil.toml"), system.replace("G = 2e-10", &format!("G = {conductance}")))
                .expect("the system");
            let left = macrostep(&folder, &["stability", "oil.toml", "--steps", "1e-3,8e-2", "--grid", "10", "--json"]);
            let found: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
            let limit = found[0]["limits"]["step_s"].as_f64().map(|limit_s| omega * limit_s);
            let share = found[0]["stable_fraction"].as_f64().expect("a share");
            let what = format!("model {model}, oil first {first}, mean {mean}, G = {conductance}: {found}");
            match expected {
                // None but in islands further out: that of the first step is told.
                Some(0.0) => assert!(limit.is_some_and(|limit| limit <= 0.1) && share < 0.2, "{what}"),
                Some(x) => assert!(limit.is_some_and(|limit| (limit / x - 1.0).abs() < 0.02), "{what}"),
                None => assert!(limit.is_none() && share == 1.0, "{what}"),
            }
        }
    }
}

/// A stiff link without a power bond, held at steps that resolve it: the coupling grows as smoothly as a system may by itself, and half the step
/// does not. One whose own spring pushes away grows by itself, alike with any step.
#[test]
fn smooth_growth_is_told_from_that_of_the_system_itself() {
    let folder = crate::common::folder(module_path!());
    let system = |left: &str, right: &str| {
        format!(
            "[experiment]\nstop = 0.1\nstep = 1e-5\n[units.left]\nfmu = \"embedded:oscillator1_displacement\"\nset = {{ {left} }}\n\
             [units.right]\nfmu = \"embedded:oscillator2_force\"\nset = {{ {right} }}\n[connections]\n\
             \"left.xi\" = \"right.x\"\n\"left.xi_dot\" = \"right.v\"\n\"right.f\" = \"left.f_c\"\n"
        )
    };
    let cases = [("k_c = 1e8", "v0 = 0.0", 1, "growing"), ("k = -3e4", "k = -3e4", 0, "ok")];
    for (left, right, code, grade) in cases {
        std::fs::write(folder.join("smooth.toml"), system(left, right)).expect("written");
        let left = macrostep(&folder, &["run", "smooth.toml", "--json"]);
        let said: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
        assert_eq!((left.code, said["verdict"]["grade"].as_str()), (Some(code), Some(grade)), "{left:#?}");
    }
}
