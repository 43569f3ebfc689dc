//! Joints between FMUs, from a scenario file: orders, gaps, refusals, and reading and writing of TOML.

mod arm;

use crate::common::folder;
use crate::limited::cut_fmu;
use crate::run::{json, program};
use macrostep_system::toml;
use std::path::Path;

/// φ of both rods of 1 kg and 1 m after 1 s from rest at 2 and 1 rad: the uncut pendulum, by Runge–Kutta of order 4.
fn exact() -> [f64; 2] {
    let rates = |[p, q, v, w]: [f64; 4]| {
        let (m, sine) = (0.5 * (p - q).cos(), 0.5 * (p - q).sin());
        let (a, b) = (-1.5 * 9.81 * p.sin() - sine * w * w, -0.5 * 9.81 * q.sin() + sine * v * v);
        let determinant = 4.0 / 9.0 - m * m;
        [v, w, (a / 3.0 - m * b) / determinant, (4.0 / 3.0 * b - m * a) / determinant]
    };
    let (mut z, h) = ([2.0, 1.0, 0.0, 0.0], 1e-4);
    let plus = |z: [f64; 4], k: [f64; 4], h: f64| -> [f64; 4] { std::array::from_fn(|i| z[i] + h * k[i]) };
    for _ in 0..10_000 {
        let k = rates(z);
        let l = rates(plus(z, k, h / 2.0));
        let m = rates(plus(z, l, h / 2.0));
        let n = rates(plus(z, m, h));
        z = std::array::from_fn(|i| z[i] + h / 6.0 * (k[i] + 2.0 * l[i] + 2.0 * m[i] + n[i]));
    }
    [z[0], z[1]]
}

/// Largest error of both angles after 1 s, and what the joint was open by.
fn run(system: &str, step: &str) -> (f64, f64) {
    let result = json(&["run", system, "--step", step, "--stop", "1", "--json"]);
    assert_eq!(result["unconverged_windows"], 0, "{result}");
    let angles = ["upper.phi", "lower.phi"].map(|name| result["final"][name].as_f64().expect("an angle"));
    let error = angles.iter().zip(exact()).map(|(a, e)| (a - e).abs()).fold(0.0, f64::max);
    (error, result["constraints"][0]["gap_max"].as_f64().expect("a gap"))
}

#[test]
fn a_joint_between_fmus_has_order_four_and_does_not_drift() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/double-pendulum.toml");
    let example = example.display().to_string();
    for system in ["double-pendulum", example.as_str()] {
        let [coarse, fine] = ["0.02", "0.01"].map(|step| run(system, step));
        let order = (coarse.0 / fine.0).log2();
        assert!((3.8..4.2).contains(&order) && fine.1 < 2e-11, "{system}: order {order}, gap {}", fine.1);
    }
    // A force that is held lets the joint drift.
    let (error, gap) = run("double-pendulum:hold", "0.01");
    assert!(error > 1e-3 && gap > 1e-4, "{error} {gap}");
}

/// Two rods on a link, at a step so short that the rounding of accelerations is above the tolerance: h3 does not sample them.
const LINK: &str = include_str!("../cases/joints/link.toml");

#[test]
fn a_link_converges_at_short_steps() {
    let path = folder("joint-link").join("system.toml");
    std::fs::write(&path, LINK).expect("a file");
    let result = json(&["run", &path.display().to_string(), "--json"]);
    assert_eq!(result["unconverged_windows"], 0, "{result}");
}

/// A limit of the gap holds over 20 s, in three runs a macro step; a tolerance of the force that reaches as far takes more.
#[test]
fn a_limit_of_the_gap_holds_in_three_runs() {
    let folder = folder("joint-limit");
    let text = include_str!("../../examples/systems/double-pendulum.toml");
    let path = folder.join("system.toml");
    let parts = [
        ("stop = 2.0", "stop = 20.0"),
        ("correct = \"iqn-ils\"", "correct = \"fixed-point\""),
        ("kind = \"hinge\"", "kind = \"hinge\"\ngap_max = 1e-12"),
    ];
    let text = parts.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    std::fs::write(&path, text).expect("a scenario");
    let result = json(&["run", &path.display().to_string(), "--json"]);
    let gap = result["constraints"][0]["gap_max"].as_f64().expect("a gap");
    let rate = result["constraints"][0]["rate_max"].as_f64().expect("a rate");
    let runs = result["window_runs"].as_f64().expect("runs") / 2e3;
    assert_eq!(result["unconverged_windows"], 0, "{result}");
    assert!(gap <= 1e-12 && rate < 1e-8 && runs < 3.05, "gap {gap:e} m, rate {rate:e} m/s, {runs} runs");
}

/// FMUs that cannot go back: every macro step is run once, with a force that is foretold.
#[test]
fn fmus_that_cannot_go_back_are_joined() {
    let folder = folder("joint-forward");
    let mut text = include_str!("../../examples/systems/double-pendulum.toml").replace("correct = \"iqn-ils\"", "");
    for name in ["rod_hinged", "rod_free"] {
        let cut = cut_fmu(name, &["canGetAndSetFMUstate", "canSerializeFMUstate"]);
        std::fs::write(folder.join(format!("{name}.fmu")), cut).expect("the FMU");
        text = text.replace(&format!("embedded:{name}"), &format!("{name}.fmu"));
    }
    let path = folder.join("system.toml");
    std::fs::write(&path, text).expect("a scenario");
    let system = path.display().to_string();
    let result = json(&["run", &system, "--rollback", "own", "--step", "0.0025", "--stop", "1", "--json"]);
    assert_eq!(result["window_runs"], 400, "{result}");
    let angles = ["upper.phi", "lower.phi"].map(|name| result["final"][name].as_f64().expect("an angle"));
    let error = angles.iter().zip(exact()).map(|(a, e)| (a - e).abs()).fold(0.0, f64::max);
    let gap = result["constraints"][0]["gap_max"].as_f64().expect("a gap");
    assert!(error < 2e-6 && gap < 1e-6, "error {error:e}, gap {gap:e} m");
}

/// Steps that are too long for a force that is foretold tear a joint: the run fails with the gap, after its rows are written.
#[test]
fn a_torn_joint_fails_the_run() {
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/crane-arm.toml");
    let run = |more: &[&str]| {
        let arguments = ["run", &example.display().to_string(), "--correct", "explicit", "--no-pictures"];
        program(&[&arguments[..], more].concat())
    };
    let torn = run(&["--step", "0.02"]);
    let said = String::from_utf8_lossy(&torn.stderr).into_owned();
    assert_eq!(torn.status.code(), Some(1), "{said}");
    assert!(said.contains("is torn: a gap of") && said.contains("choose a smaller macro step"), "{said}");
    let accepted = run(&["--step", "0.02", "--accept-unconverged"]);
    assert_eq!(accepted.status.code(), Some(0), "{}", String::from_utf8_lossy(&accepted.stderr));
    // With short steps it holds.
    let whole = run(&["--step", "0.001"]);
    assert_eq!(whole.status.code(), Some(0), "{}", String::from_utf8_lossy(&whole.stderr));
}

/// 1 g above 1 kg: a step that is short for the rod under tension is closed to the limit, and a longer one says which joint failed.
#[test]
fn a_light_rod_carries_a_heavy_one() {
    let text = include_str!("../../examples/systems/double-pendulum.toml");
    let text = text.replace("phi0 = 2.0,", "phi0 = 2.0, m = 0.001,");
    let text = text.replace("kind = \"hinge\"", "kind = \"hinge\"\ngap_max = 1e-9");
    let path = folder("joint-light").join("system.toml");
    std::fs::write(&path, text).expect("a scenario");
    let system = path.display().to_string();
    let result = json(&["run", &system, "--step", "0.005", "--json"]);
    let gap = result["constraints"][0]["gap_max"].as_f64().expect("a gap");
    assert!(gap <= 1e-9 && result["unconverged_windows"] == 0, "{result}");
    let output = program(&["run", &system, "--step", "0.01"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let words = ["did not converge from t = ", "`force of constraint elbow`", "choose a smaller macro step"];
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
}

/// The example with something replaced, which must be refused with these words.
#[track_caller]
fn refused((from, to): (&str, &str), words: &[&str]) {
    let text = include_str!("../../examples/systems/double-pendulum.toml");
    assert!(text.contains(from), "`{from}` is in the example");
    let folder = folder("joint-refused");
    let path = folder.join("system.toml");
    std::fs::write(&path, text.replace(from, to)).expect("a file");
    let output = program(&["run", &path.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
}

#[test]
fn joints_that_cannot_be_are_refused_in_words() {
    let without = "correct = \"iqn-ils\"\n\n[units.upper]\nfmu = \"embedded:rod_hinged\"";
    let silent = "sub_steps = 2\n\n[units.upper]\nfmu = \"silent.fmu\"";
    let silent_fmu = cut_fmu("rod_hinged", &["providesDirectionalDerivative"]);
    std::fs::write(folder("joint-refused").join("silent.fmu"), silent_fmu).expect("the FMU");
    refused((without, silent), &["constraint `elbow`", "explicit", "unit `upper` has no directional", "iqn-ils"]);
    refused(
        ("phi0 = 1.0, x0 = 0.9092974268256817", "phi0 = 1.0, x0 = 0.91"),
        &["`elbow` is open", "coordinates", "7.026e-4"],
    );
    refused(("\"upper.vx_b\", \"upper.vy_b\"", "\"upper.vx_b\""), &["`velocity` has 1 variables, expected 2"]);
    let hinge = |gap: &str| format!("kind = \"hinge\"\ngap_max = {gap}");
    refused(("kind = \"hinge\"", &hinge("0.0")), &["`gap_max` is 0.0", "above 0"]);
    refused(("kind = \"hinge\"", &hinge("1e-12\nforce = \"hold\"")), &["`gap_max` with a force that is held"]);
    refused(("kind = \"hinge\"", "kind = \"weld\""), &["`weld`", "`distance`"]);
    refused(("\"lower.fx_a\", \"lower.fy_a\"", "\"upper.fx_b\", \"lower.fy_a\""), &["connected twice"]);
}

/// Twelve values that are equal up to an offset may have one; a pose in space has none, and it is said why.
#[test]
fn twelve_coordinates_have_an_offset_where_they_are_no_pose() {
    let folder = folder("joint-twelve");
    let said = |kind: &str| {
        let end = format!("{{ fixed = {:?} }}", [0.0; 12]);
        let text = include_str!("../../examples/systems/double-pendulum.toml").to_owned()
            + &format!("[[constraints]]\nkind = \"{kind}\"\noffset = {:?}\nfirst = {end}\nsecond = {end}\n", [0.0; 12]);
        let path = folder.join(format!("{kind}.toml"));
        std::fs::write(&path, text).expect("a file");
        String::from_utf8_lossy(&program(&["run", &path.display().to_string()]).stderr).into_owned()
    };
    let (equal, rigid) = (said("equal"), said("rigid"));
    assert!(equal.contains("both ends are fixed") && !equal.contains("`offset`"), "{equal}");
    assert!(rigid.contains("`offset` of a pose in space, which has none"), "{rigid}");
}

#[test]
fn joints_round_trip() {
    let text = include_str!("../../examples/systems/double-pendulum.toml").to_owned()
        + "[[constraints]]\nname = \"rope\"\nkind = \"distance\"\nlength = 2.0\nforce = \"hold\"\ngap_max = 1e-9\n\
           first = { position = [\"lower.x_b\", \"lower.y_b\"], velocity = [\"lower.vx_b\", \"lower.vy_b\"], force = [\"lower.fx_b\", \"lower.fy_b\"] }\n\
           second = { fixed = [0.0, 1.5] }\n";
    let read = |text: &str| toml::read(text, "s.toml", Path::new(".")).expect("a scenario");
    let scenario = read(&text);
    assert_eq!(scenario.constraints.len(), 2);
    assert_eq!(read(&toml::write(&scenario)).constraints, scenario.constraints);
}

/// Three rods welded into a triangle, a closed loop: nine rows of which six are enough. It spins about its centre at 2 rad/s.
fn triangle(correct: &str, sub_steps: usize) -> String {
    let (turn, spin) = (std::f64::consts::TAU / 3.0, 2.0);
    let mut text = format!(
        "[experiment]\nstop = 20.0\nstep = 0.01\n\n[coupling]\ncorrect = \"{correct}\"\ncorrector_tolerance = 1e-10\nsub_steps = {sub_steps}\n\n"
    );
    // Less the centre of the corners.
    let mut corner = [-3f64.sqrt() / 6.0, 0.5];
    for (i, rod) in ["one", "two", "three"].iter().enumerate() {
        let (phi, [x, y]) = (turn * i as f64, corner);
        text += &format!(
            "[units.{rod}]\nfmu = \"embedded:rod_free\"\nset = {{ phi0 = {phi:?}, x0 = {x:?}, y0 = {y:?}, omega0 = {spin:?}, g = 0.0, \
             vx0 = {:?}, vy0 = {:?}, integrator = 2, micro_step = 1e-3 }}\n\n",
            -spin * y,
            spin * x
        );
        corner = [x + phi.sin(), y - phi.cos()];
    }
    let end = |rod: &str, end: &str| {
        let list = |names: [&str; 3]| names.map(|name| format!("\"{rod}.{name}\"")).join(", ");
        let at = |prefix: &str, axis: &str| format!("{prefix}{axis}_{end}");
        let [x, y, vx, vy, fx, fy] =
            [("", "x"), ("", "y"), ("v", "x"), ("v", "y"), ("f", "x"), ("f", "y")].map(|(p, a)| at(p, a));
        format!(
            "{{ position = [{}], velocity = [{}], force = [{}] }}",
            list([&x, &y, "phi"]),
            list([&vx, &vy, "omega"]),
            list([&fx, &fy, &format!("m_{end}")])
        )
    };
    for (first, second, offset) in [("one", "two", -turn), ("two", "three", -turn), ("three", "one", 2.0 * turn)] {
        text += &format!(
            "[[constraints]]\nname = \"{first}-{second}\"\nkind = \"rigid\"\noffset = [0.0, 0.0, {offset:?}]\nfirst = {}\nsecond = {}\n\n",
            end(first, "b"),
            end(second, "a")
        );
    }
    text + "[record]\nvariables = [\"*.phi\", \"*.x_a\", \"*.y_a\", \"*.fx_a\", \"*.fy_a\", \"*.m_a\"]\n"
}

/// A closed loop of three FMUs from a scenario file: no joint opens, it moves as one body, and the forces that move nothing do not
/// build up, with each corrector, where units give derivatives of their states or nothing but rollback.
#[test]
fn a_closed_loop_of_three_fmus_moves_as_one_body() {
    let folder = folder("triangle");
    let path = folder.join("s.toml");
    for (correct, offers) in [("newton", true), ("fixed-point", true), ("fixed-point", false)] {
        let mut text = triangle(correct, if offers { 1 } else { 4 });
        if !offers {
            // What is left is rollback: inputs are held over sub-steps.
            let cut = cut_fmu(
                "rod_free",
                &["canInterpolateInputs", "providesDirectionalDerivative", "maxOutputDerivativeOrder"],
            );
            std::fs::write(folder.join("plain.fmu"), cut).expect("the FMU");
            text = text.replace("embedded:rod_free", "plain.fmu");
        }
        std::fs::write(&path, text).expect("a scenario");
        let result = json(&["run", &path.display().to_string(), "--json"]);
        assert_eq!(result["unconverged_windows"], 0, "{result}");
        for joint in result["constraints"].as_array().expect("joints") {
            assert!(joint["gap_max"].as_f64().expect("a gap") < 1e-9, "{correct}, {offers}: {joint}");
        }
        let last = |name: &str| result["final"][name].as_f64().expect("a number");
        // It turns evenly about a point that stays.
        let corners = |name: &str| ["one", "two", "three"].map(|rod| last(&format!("{rod}.{name}")));
        let (turned, centre) = (last("one.phi"), ["x_a", "y_a"].map(|name| corners(name).iter().sum::<f64>() / 3.0));
        assert!(
            (turned - 40.0).abs() < 1e-7 && centre.iter().all(|c| c.abs() < 1e-9),
            "{correct}, {offers}: {turned} {centre:?}"
        );
        // What holds a rod in its turn is m ω² √3/6 = 1.2 N.
        let forces = ["fx_a", "fy_a", "m_a"].map(corners);
        assert!(forces.iter().flatten().all(|f| f.abs() < 2.0), "{forces:?} N");
    }
}
