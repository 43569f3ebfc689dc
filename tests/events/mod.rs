//! Events of a condition: a ball at its contact against the closed form, restarts of the method, and refusals.

mod bound;

use crate::common;
use crate::limited::cut_fmu;
use crate::run::{Left, macrostep};
use std::path::{Path, PathBuf};

/// Gravity, height at the start and coefficient of restitution of the ball.
const G: f64 = 9.81;
const E: f64 = 0.8;

/// Time of impact n ≥ 1 \[s\].
fn impact_s(n: usize) -> f64 {
    let first = (2.0 / G).sqrt();
    first + (1..n).map(|j| 2.0 * first * E.powi(j as i32)).sum::<f64>()
}

/// Height and velocity at `t_s`, in the flight between two impacts.
fn ball(t_s: f64) -> (f64, f64) {
    let n = (1..100).take_while(|n| impact_s(*n) <= t_s).last().unwrap_or(0);
    if n == 0 {
        return (1.0 - 0.5 * G * t_s * t_s, -G * t_s);
    }
    let (tau, v) = (t_s - impact_s(n), (2.0 * G).sqrt() * E.powi(n as i32));
    (v * tau - 0.5 * G * tau * tau, v - G * tau)
}

fn folder(name: &str) -> PathBuf {
    let folder = common::folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The shipped scenario with other lines.
fn bouncing(folder: &Path, changes: &[(&str, &str)]) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/bouncing-ball.toml");
    let mut text = std::fs::read_to_string(example).expect("the example");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    std::fs::write(folder.join("s.toml"), text).expect("written");
}

/// What `--json` prints.
#[track_caller]
fn result(left: &Left) -> serde_json::Value {
    assert_eq!(left.code, Some(0), "{left:?}");
    serde_json::from_str(&left.stdout).expect("JSON")
}

/// Times of the events in a result.
fn times(result: &serde_json::Value) -> Vec<f64> {
    let events = result["events"]["first"].as_array().expect("events");
    events.iter().map(|e| e["t_s"].as_f64().expect("a time")).collect()
}

/// Numbers of a row of the trace.
fn numbers(row: &str) -> Vec<f64> {
    row.split(',').map(|x| x.parse().expect("a number")).collect()
}

#[track_caller]
fn assert_impacts(found: &[f64], n: usize, off_s: f64) {
    assert_eq!(found.len(), n);
    for (i, t_s) in found.iter().enumerate() {
        let off = t_s - impact_s(i + 1);
        assert!(off.abs() <= off_s, "impact {}: {off:e} s off", i + 1);
    }
}

/// Twenty impacts to a billionth of a second, with a row before and one after each, however the units are run.
#[test]
fn impacts_are_those_of_the_closed_form() {
    let folder = folder("impacts");
    bouncing(&folder, &[("stop = 4.0", "stop = 4.02")]);
    let mut traces = Vec::new();
    for options in [&[][..], &["--isolate"], &["--schedule", "gauss-seidel"], &["--predict", "quadratic"]] {
        let left =
            macrostep(&folder, &[&["run", "s.toml", "--json", "--out", "out", "--no-pictures"], options].concat());
        let found = result(&left);
        assert_impacts(&times(&found), 20, 1e-9);
        assert_eq!((&found["events"]["count"], &found["events"]["late_max_s"]), (&20.into(), &0.0.into()));
        // 403 regular rows, and two at each impact.
        let rows = left.rows.expect("rows");
        assert_eq!(rows.len(), 403 + 40, "{options:?}");
        let doubles = rows.windows(2).map(|w| (numbers(&w[0]), numbers(&w[1]))).filter(|(a, b)| a[0] == b[0]);
        for (n, (before, after)) in doubles.enumerate() {
            let v = (2.0 * G).sqrt() * E.powi(n as i32);
            assert!((before[2] + v).abs() < 1e-7 && (after[2] - E * v).abs() < 1e-7, "{n}: {before:?} {after:?}");
        }
        // Between impacts the ball is where it should be.
        for row in rows.iter().map(|row| numbers(row)) {
            let (height, _) = ball(row[0]);
            assert!((row[1] - height).abs() < 1e-8, "{row:?}, expected {height}");
        }
        traces.push(rows);
    }
    assert!(traces[0] == traces[1], "isolated units leave the same bits");
}

/// Step control takes windows back for impacts, and the ground may move.
#[test]
fn step_control_meets_impacts() {
    let folder = folder("control");
    let control = "[coupling]\ncontrol = { kind = \"error\", tolerance = 1e-5, step_max = 0.1 }\n\n[units.ball]";
    bouncing(&folder, &[("stop = 4.0", "stop = 2.0"), ("step = 0.01\n", ""), ("[units.ball]", control)]);
    let found = result(&macrostep(&folder, &["run", "s.toml", "--json"]));
    assert_impacts(&times(&found), 3, 1e-9);
    let height = found["final"]["ball.height"].as_f64().expect("a height");
    assert!((height - ball(2.0).0).abs() < 1e-8, "{height}");
    assert!(found["control"]["rejected"].as_u64().expect("a number") > 0);
}

/// Units that cannot go back: steps before an impact are shorter, and how late it was met is said.
#[test]
fn without_rollback_steps_are_shortened() {
    let folder = folder("forward");
    for name in ["free_ball", "impact_ground"] {
        let without = cut_fmu(name, &["canGetAndSetFMUstate", "canSerializeFMUstate"]);
        std::fs::write(folder.join(format!("{name}.fmu")), without).expect("the FMU");
    }
    let files = [
        ("stop = 4.0", "stop = 2.0"),
        ("embedded:free_ball", "free_ball.fmu"),
        ("embedded:impact_ground", "impact_ground.fmu"),
    ];
    bouncing(&folder, &files);
    let left = macrostep(&folder, &["run", "s.toml", "--json", "--rollback", "own"]);
    assert!(left.stderr.contains("cannot go back"), "{left:?}");
    let found = result(&left);
    assert_impacts(&times(&found), 3, 1e-8);
    assert!(found["events"]["late_max_s"].as_f64().expect("said") <= 1e-9, "{found}");
    // By fork they are met as with states of their own.
    let forked = result(&macrostep(&folder, &["run", "s.toml", "--json"]));
    assert_impacts(&times(&forked), 3, 1e-9);
}

/// Units that may not be read before they step: what they make of the values is known a millionth of a step later.
#[test]
fn units_that_are_not_read_after_a_set_take_the_values_in_a_short_step() {
    let folder = folder("settle");
    for name in ["free_ball", "impact_ground"] {
        std::fs::write(folder.join(format!("{name}.fmu")), cut_fmu(name, &["getAfterSet"])).expect("the FMU");
    }
    let files = [
        ("stop = 4.0", "stop = 2.0"),
        ("embedded:free_ball", "free_ball.fmu"),
        ("embedded:impact_ground", "impact_ground.fmu"),
    ];
    bouncing(&folder, &files);
    let found = result(&macrostep(&folder, &["run", "s.toml", "--json"]));
    assert_impacts(&times(&found), 3, 1e-9);
}

/// A run that is interrupted and continued leaves the same bits.
#[test]
fn a_run_with_events_continues_bit_by_bit() {
    let folder = folder("resume");
    bouncing(&folder, &[("stop = 4.0", "stop = 2.0")]);
    let run = |more: &[&str]| {
        let left = macrostep(&folder, &[&["run", "s.toml", "--json", "--out", "out", "--no-pictures"], more].concat());
        let result = result(&left);
        (left.rows.expect("rows"), result["events"].clone(), result["final"].clone())
    };
    let whole = run(&[]);
    let kept = run(&["--checkpoint", "c", "--checkpoint-every", "100"]);
    let resumed = run(&["--resume", "c"]);
    assert!(whole == kept && whole == resumed);
}

/// What cannot be run is refused in words.
#[test]
fn events_that_make_no_sense_are_refused() {
    let folder = folder("refused");
    let refused = |changes: &[(&str, &str)], code: i32, words: &[&str]| {
        bouncing(&folder, changes);
        let left = macrostep(&folder, &["run", "s.toml"]);
        assert_eq!(left.code, Some(code), "{words:?}: {left:?}");
        assert!(words.iter().all(|word| left.stderr.contains(word)), "{words:?}: {}", left.stderr);
    };
    refused(
        &[("stop = 4.0", "stop = 5.0")],
        1,
        &["`ball.height - ground.z`: 21 times in 0.01 s", "Zeno", "`max` and `span`"],
    );
    // Impacts that are shorter than can be told apart, and none at all: the ball would go through the ground.
    for restitution in ["0.3", "1e-3", "0.0"] {
        let ground = format!("restitution = {restitution}");
        refused(&[("restitution = 0.8", &ground), ("step = 0.01", "step = 0.05")], 1, &["21 times in 0.05 s", "Zeno"]);
    }
    refused(&[("one_sided = true", "one_sided = 1")], 1, &["expected a boolean"]);
    refused(&[("direction", "at = 1.0\ndirection")], 1, &["`at` and `when`"]);
    refused(&[("\"ball.height\"", "\"ball.hight\"")], 1, &["unit `ball` has no variable `hight`"]);
    refused(&[("\"falling\"", "\"down\"")], 1, &["`direction` is `down`, expected `both`, `rising`, `falling`"]);
    refused(&[("\"ground.p\" = {", "\"ground.v\" = {")], 1, &["has a source"]);
    refused(&[("from = \"ground.p_after\" }, \"ground.p\"", "form = 1 }, \"ground.p\"")], 1, &["`form`"]);
    refused(&[("minus = \"ground.z\"\n", "max = 0\n")], 1, &["`max` is 0"]);
}

/// Thresholds and directions: a mass on a spring crosses where its solution does; `verify` and `converge` run through it.
#[test]
fn thresholds_are_crossed_in_the_direction_asked_for() {
    let folder = folder("threshold");
    let scenario = |direction: &str| {
        format!(
            "[experiment]\nstop = 2.0\nstep = 0.05\n\n[units.mass]\nfmu = \"embedded:oscillator1_force\"\n\
             set = {{ m = 1.0, k = 9.0, c = 0.0, x0 = 1.0, v0 = 0.0, integrator = \"exact\" }}\n\n\
             [[events]]\nwhen = \"mass.x\"\nthreshold = 0.5\ndirection = \"{direction}\"\nset = {{ \"mass.f_ext\" = 0.0 }}\n"
        )
    };
    // x = cos 3 t crosses 1/2 at 3 t = ±π/3 + 2 π n.
    let third = std::f64::consts::PI / 9.0;
    for (direction, expected) in
        [("falling", vec![third]), ("rising", vec![5.0 * third]), ("both", vec![third, 5.0 * third])]
    {
        std::fs::write(folder.join("s.toml"), scenario(direction)).expect("written");
        let found = times(&result(&macrostep(&folder, &["run", "s.toml", "--json"])));
        assert_eq!(found.len(), expected.len(), "{direction}: {found:?}");
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-10), "{direction}: {found:?}");
    }
}

/// After an event the method is at its full order again: a push that begins when a mass comes by.
#[test]
fn orders_hold_across_events() {
    let folder = folder("orders");
    let end = |predict: &str, step: f64| {
        let masses = |side: usize, v0: f64| {
            format!(
                "[units.m{side}]\nfmu = \"embedded:oscillator{side}_force\"\n\
                 set = {{ m = 1.0, k = 4.0, c = 0.1, x0 = 0.3, v0 = {v0:?}, integrator = \"exact\" }}\n\n"
            )
        };
        let text = format!(
            "[experiment]\nstop = 2.0\nstep = {step:?}\n\n[coupling]\npredict = \"{predict}\"\n\n{}{}\
             [connections]\n\"m1.f\" = \"spring.f\"\n\"m2.f\" = \"spring.f\"\n\n\
             [laws.spring]\nkind = \"spring-damper\"\nstiffness = 2.0\ndamping = 0.1\n\
             inputs = [\"m1.x\", \"m1.v\", \"m2.x\", \"m2.v\"]\noutputs = [\"f\"]\n\n\
             [[events]]\nwhen = \"m1.x\"\ndirection = \"falling\"\nset = {{ \"m1.f_ext\" = 3.0 }}\n",
            masses(1, -1.0),
            masses(2, 1.0)
        );
        std::fs::write(folder.join("s.toml"), text).expect("written");
        let found = result(&macrostep(&folder, &["run", "s.toml", "--json"]));
        assert_eq!(found["events"]["count"], 1, "{found}");
        found["final"]["m1.x"].as_f64().expect("a position")
    };
    for (predict, order) in [("linear", 2.0), ("ia1", 3.0)] {
        let x = [0.04, 0.02, 0.01, 0.005].map(|step| end(predict, step));
        let found = ((x[1] - x[2]) / (x[2] - x[3])).abs().log2();
        assert!((found - order).abs() < 0.35, "{predict}: {found}, {x:?}");
    }
}

/// A mass that is pushed by a signal which jumps: what was before the event is not extrapolated behind it. Order 2, that of the step
/// after the event, in which the signal is held.
#[test]
fn signals_that_jump_are_extrapolated_from_the_event_on() {
    let folder = folder("jump");
    let end = |step: f64| {
        let mass = "[coupling]\npredict = \"quadratic\"\n\n[units.mass]\nfmu = \"embedded:oscillator2_force\"\n\
                    set = { m = 1.0, k = 4.0, c = 0.1, integrator = \"exact\" }\n\n\
                    [connections]\n\"mass.f\" = { from = \"ball.v\", convert_units = false }\n";
        let step = format!("step = {step:?}");
        bouncing(&folder, &[("stop = 4.0", "stop = 1.0"), ("step = 0.01", &step), ("[connections]\n", mass)]);
        let found = result(&macrostep(&folder, &["run", "s.toml", "--json"]));
        assert_eq!(found["events"]["count"], 1, "{found}");
        found["final"]["mass.x"].as_f64().expect("a position")
    };
    let x = [0.02, 0.01, 0.005, 0.0025].map(end);
    let found = ((x[1] - x[2]) / (x[2] - x[3])).abs().log2();
    assert!((found - 2.0).abs() < 0.1 && (x[2] - x[3]).abs() < 1e-4, "{found}, {x:?}");
}

/// A ball that is thrown up and comes down, past heights at which something is set.
fn thrown(coupling: &str, v0: f64, events: &str) -> String {
    format!(
        "[experiment]\nstop = 1.0\nstep = 0.1\n\n[coupling]\n{coupling}\n\n[units.ball]\nfmu = \"embedded:free_ball\"\n\
         set = {{ m = 1.0, g = {G:?}, height0 = 0.0, v0 = {v0:?}, p = 0.0, integrator = \"runge_kutta_4\" }}\n\n\
         [units.ground]\nfmu = \"embedded:impact_ground\"\n\n[connections]\n\"ground.v\" = \"ball.v\"\n\n{events}"
    )
}

/// An event at a height.
fn at_height(height: f64, direction: &str, f: f64) -> String {
    let when = "[[events]]\nwhen = \"ball.height\"";
    format!("{when}\nthreshold = {height:?}\ndirection = \"{direction}\"\nset = {{ \"ball.f\" = {f:?} }}\n\n")
}

#[track_caller]
fn assert_times(folder: &Path, scenario: &str, expected: &[f64]) {
    std::fs::write(folder.join("s.toml"), scenario).expect("written");
    let found = result(&macrostep(folder, &["run", "s.toml", "--json"]));
    let times = times(&found);
    let is_right = times.len() == expected.len() && times.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(is_right, "{times:?}, expected {expected:?}\n{scenario}");
}

/// A ball that is above a height for a part of one macro step: both crossings are met, or the one in the direction asked for.
#[test]
fn a_height_that_is_passed_twice_in_a_macro_step_is_seen() {
    let folder = folder("twice");
    // The top is in the middle of a macro step, at 0.55 s, and from 1e-10 m to 1 cm above the height.
    let (top_s, control) = (0.55, "control = { kind = \"error\", tolerance = 1e-5, step_max = 0.1 }");
    for above in [1e-2, 1e-4, 1e-8, 1e-10] {
        let half_s = (2.0 * above / G).sqrt();
        let height = 0.5 * G * top_s * top_s - above;
        let [up, down] = [top_s - half_s, top_s + half_s];
        for (direction, expected) in [("both", &[up, down][..]), ("rising", &[up]), ("falling", &[down])] {
            for coupling in ["", "schedule = \"gauss-seidel\"", control] {
                let scenario = thrown(coupling, G * top_s, &at_height(height, direction, 0.0));
                assert_times(&folder, &scenario, expected);
            }
        }
    }
    // One that stays below it by a little is looked at, and nothing happens.
    for below in [1e-3, 1e-9] {
        let height = 0.5 * G * top_s * top_s + below;
        assert_times(&folder, &thrown("", G * top_s, &at_height(height, "both", 0.0)), &[]);
    }
}

/// Two events in one macro step: the earlier is first, and changes when the later one is; and many impacts in one macro step.
#[test]
fn the_earlier_of_two_events_in_a_macro_step_comes_first() {
    let folder = folder("earlier");
    // From 0.1 m below the start on the weight is carried: the speed stays.
    let (v0, top) = (G * 0.2, 0.5 * G * 0.04);
    let first_s = 0.2 + (2.0 * (top + 0.1) / G).sqrt();
    let speed = G * (first_s - 0.2);
    let second_s = first_s + 0.05 / speed;
    let events = at_height(-0.15, "falling", 0.0) + &at_height(-0.1, "falling", G);
    assert!((first_s / 0.1).floor() == (second_s / 0.1).floor(), "{first_s} {second_s}");
    assert_times(&folder, &thrown("", v0, &events), &[first_s, second_s]);
    // Up to five impacts in a macro step of 1 s.
    bouncing(&folder, &[("step = 0.01", "step = 1.0"), ("direction", "span = 0.01\ndirection")]);
    let found = result(&macrostep(&folder, &["run", "s.toml", "--json"]));
    // Each is met to a billionth of a macro step.
    assert_impacts(&times(&found), 19, 2e-8);
}

/// Outputs without a declared derivative: what lies within a macro step is seen where the unit takes shorter ones, and only there.
#[test]
fn crossings_between_rows_of_a_macro_step_are_seen() {
    let folder = folder("rows");
    // a = −9 cos 3 t is above 8.9 about 3 t = π, from 0.9975 to 1.0969 s.
    let half_s = (8.9f64 / 9.0).acos() / 3.0;
    let centre_s = std::f64::consts::PI / 3.0;
    let plain = cut_fmu("oscillator1_force", &["derivative", "derivative", "derivative", "maxOutputDerivativeOrder"]);
    std::fs::write(folder.join("plain.fmu"), plain).expect("the FMU");
    let (rise, fall, whole) = (centre_s - half_s, centre_s + half_s, "embedded:oscillator1_force");
    // Right after an event nothing says on which side such a function is: one direction at a time.
    let runs = [
        ("plain.fmu", "1/5", "rising", vec![rise]),
        ("plain.fmu", "1/5", "falling", vec![fall]),
        ("plain.fmu", "1", "both", vec![]),
        (whole, "1", "both", vec![rise, fall]),
    ];
    for (fmu, step, direction, expected) in runs {
        let mass = |name: &str, step: &str| {
            format!(
                "[units.{name}]\nfmu = \"{fmu}\"\nstep = \"{step}\"\n\
                 set = {{ m = 1.0, k = 9.0, c = 0.0, x0 = 1.0, v0 = 0.0, f = 0.0, f_ext = 0.0, integrator = \"exact\" }}\n\n"
            )
        };
        let scenario = format!(
            "[experiment]\nstop = 2.16\nstep = 0.24\n\n{}{}[[events]]\nwhen = \"mass.a\"\nthreshold = 8.9\ndirection = \"{direction}\"\n\
             set = {{ \"mass.f_ext\" = 0.0 }}\n",
            mass("mass", step),
            mass("other", "1")
        );
        assert_times(&folder, &scenario, &expected);
    }
}
