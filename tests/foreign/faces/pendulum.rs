//! A double pendulum as two FMUs for model exchange: a coupling through accelerations and forces, with feed-through both ways.
//!
//! # Equations
//! The cut is at the joint, and exact. The upper pendulum gets the force F of the joint at its mass, and sends the acceleration a of that mass. The lower
//! one hangs on a hinge with that acceleration, and sends the force of its rod on the hinge:
//!
//! ```text
//! l₁ φ̈₁ = F·t₁/m₁ − g sin φ₁        a = l₁ (φ̈₁ t₁ + φ̇₁² n₁)
//! l₂ φ̈₂ = −a·t₂ − g sin φ₂          F = −m₂ (a·n₂ + l₂ φ̇₂² + g cos φ₂) n₂
//! t = (cos φ, sin φ), n = (−sin φ, cos φ)
//! ```
//!
//! So there is no spring in the joint and no constraint that could drift, and nothing of one pendulum is in the other. But a depends on F, and F on a, at
//! the same instant: an algebraic loop, with a gain of up to m₂/m₁.

use super::WAVEFORM;
use crate::make;
use crate::run::macrostep;
use std::path::{Path, PathBuf};

/// Masses \[kg\], lengths \[m\], and angles \[rad\] from which both are released; gravity is in the FMUs.
const MASSES: [f64; 2] = [2.0, 1.0];
const LENGTHS: [f64; 2] = [2.0, 1.5];
const START: [f64; 2] = [0.8, -0.4];
const GRAVITY: f64 = 9.81;

/// φ₁, φ̇₁, φ₂, φ̇₂ \[rad, rad/s\] after 2 s and 5 s: Taylor series of degree 30 with 42 digits of the double pendulum as one system, with steps of 1/30 s and
/// of 1/45 s alike. Over this time a change of the start grows to some twenty times itself, so that chaos does not matter.
const ENDS: [(&str, [f64; 4]); 2] = [
    ("2", [0.062_598_595_981_672_03, 0.866_971_707_353_821_7, -1.548_316_160_822_752_5, -0.029_593_926_658_135_16]),
    ("5", [-0.114_513_378_832_519_18, -0.942_409_528_341_166_3, -1.381_721_052_141_345_6, 1.533_627_683_425_258_6]),
];

/// The description of a pendulum that gets `input` and sends `output`, vectors.
fn description(input: &str, output: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="pendulum" guid="{{pendulum}}" numberOfEventIndicators="0">
  <ModelExchange modelIdentifier="pendulum"/>
  <ModelVariables>
    <ScalarVariable name="{input}_x" valueReference="20" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="{input}_y" valueReference="24" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="phi" valueReference="0" causality="output" initial="exact"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="omega" valueReference="1" causality="output" initial="exact"><Real start="0" derivative="3"/></ScalarVariable>
    <ScalarVariable name="{output}_x" valueReference="30" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="{output}_y" valueReference="31" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="der(phi)" valueReference="10"><Real derivative="3"/></ScalarVariable>
    <ScalarVariable name="der(omega)" valueReference="11"><Real derivative="4"/></ScalarVariable>
    <ScalarVariable name="m" valueReference="21" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="l" valueReference="22" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs>
      <Unknown index="3" dependencies="3"/><Unknown index="4" dependencies="4"/>
      <Unknown index="5" dependencies="1 2 3 4"/><Unknown index="6" dependencies="1 2 3 4"/>
    </Outputs>
    <Derivatives><Unknown index="7" dependencies="4"/><Unknown index="8" dependencies="1 2 3"/></Derivatives>
    <InitialUnknowns><Unknown index="5"/><Unknown index="6"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
"#
    )
}

/// Both pendulums and their joint in a folder: `pair.toml`.
fn pair(name: &str) -> PathBuf {
    let folder = make::folder(name);
    for (unit, model, input, output) in [("upper", "UPPER", "f", "a"), ("lower", "LOWER", "a", "f")] {
        let (xml, library) = (description(input, output), make::compiled("equations.c", &[("MODEL", model)]));
        let entries = [("modelDescription.xml", xml.as_bytes()), ("binaries/linux64/pendulum.so", library.as_slice())];
        std::fs::write(folder.join(format!("{unit}.fmu")), make::archive(&entries)).expect("written");
    }
    let unit = |i: usize| format!("phi = {:?}, m = {:?}, l = {:?}", START[i], MASSES[i], LENGTHS[i]);
    let text = format!(
        r#"
[experiment]
stop = 5.0
step = 0.25

[units.upper]
fmu = "upper.fmu"
set = {{ {} }}

[units.lower]
fmu = "lower.fmu"
set = {{ {} }}

[connections]
"upper.f_x" = "lower.f_x"
"upper.f_y" = "lower.f_y"
"lower.a_x" = "upper.a_x"
"lower.a_y" = "upper.a_y"
"#,
        unit(0),
        unit(1),
    );
    std::fs::write(folder.join("pair.toml"), text).expect("written");
    folder
}

/// Angles and rates at the end, in the order of [`ENDS`].
fn run(folder: &Path, more: &[&str]) -> [f64; 4] {
    let names = ["upper.phi", "upper.omega", "lower.phi", "lower.omega"];
    let record: Vec<&str> = names.iter().flat_map(|name| ["--record", *name]).collect();
    let left = macrostep(folder, &[&["run", "pair.toml", "--out", "out"], &record[..], more].concat());
    assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
    let last = left.rows.as_ref().and_then(|rows| rows.last()).expect("rows");
    let last: Vec<f64> = last.split(',').map(|x| x.parse().expect("a number")).collect();
    [1, 2, 3, 4].map(|i| last[i])
}

/// Largest error, of angles relative to 1 rad and of rates to √(g/l).
fn error(found: [f64; 4], exact: [f64; 4]) -> f64 {
    let [first, second] = LENGTHS.map(|l| (GRAVITY / l).sqrt());
    let sizes = [1.0, first, 1.0, second];
    (0..4).map(|i| ((found[i] - exact[i]) / sizes[i]).abs()).fold(0.0, f64::max)
}

/// Energy \[J\] of the double pendulum, which stays.
fn energy([p1, w1, p2, w2]: [f64; 4]) -> f64 {
    let ([m1, m2], [l1, l2]) = (MASSES, LENGTHS);
    let (v1, v2) = (l1 * w1, l2 * w2);
    let square = v1 * v1 + v2 * v2 + 2.0 * v1 * v2 * (p1 - p2).cos();
    let (y1, y2) = (-l1 * p1.cos(), -l1 * p1.cos() - l2 * p2.cos());
    0.5 * m1 * v1 * v1 + 0.5 * m2 * square + GRAVITY * (m1 * y1 + m2 * y2)
}

/// With eight macro steps of 0.25 s, and with forty of 0.125 s. The reference knows nothing of the cut, and neither does the energy.
#[test]
fn a_double_pendulum_reaches_the_last_digits() {
    let folder = pair("double");
    let released = energy([START[0], 0.0, START[1], 0.0]);
    for ((stop, exact), step) in ENDS.into_iter().zip(["0.25", "0.125"]) {
        let options = [&WAVEFORM[..], &["--step", step, "--stop", stop, "--solver-tolerance", "1e-13"]].concat();
        let found = run(&folder, &options);
        let lost = (energy(found) / released - 1.0).abs();
        println!("{stop} s with steps of {step} s: error {:.1e}, energy {lost:.1e}", error(found, exact));
        assert!(
            error(found, exact) <= 1e-12 && lost <= 1e-12,
            "{stop} s: {:e} {lost:e} {found:?}",
            error(found, exact)
        );
    }
}

/// An output with feed-through belongs to the inputs of its instant, though the FMU has no directional derivatives: the lower pendulum alone on a hinge that
/// the upper one moves, sampled with inputs that are held, so that those of the step before are another force.
#[test]
fn an_output_follows_the_inputs_of_its_instant() {
    let folder = pair("follows");
    let text = std::fs::read_to_string(folder.join("pair.toml")).expect("written");
    let one_way: Vec<&str> = text.lines().filter(|line| !line.starts_with("\"upper.f")).collect();
    std::fs::write(folder.join("pair.toml"), one_way.join("\n")).expect("written");
    let names = ["upper.a_x", "upper.a_y", "lower.phi", "lower.omega", "lower.f_x", "lower.f_y"];
    let record: Vec<&str> = names.iter().flat_map(|name| ["--record", *name]).collect();
    let options = ["run", "pair.toml", "--predict", "hold", "--step", "0.01", "--stop", "0.5"];
    let left = macrostep(&folder, &[&options[..], &record, &["--out", "out"]].concat());
    assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
    let rows = left.rows.expect("rows");
    assert_eq!(rows.len(), 51);
    for row in &rows {
        let [_, ax, ay, phi, omega, fx, fy] =
            <[f64; 7]>::try_from(row.split(',').map(|x| x.parse().expect("a number")).collect::<Vec<f64>>())
                .expect("seven columns");
        let (sine, cosine) = phi.sin_cos();
        let rod = MASSES[1] * (ay * cosine - ax * sine + LENGTHS[1] * omega * omega + GRAVITY * cosine);
        let apart = (fx - rod * sine).hypot(fy + rod * cosine);
        assert!(apart <= 1e-11, "{row}: {apart:e}");
    }
}
