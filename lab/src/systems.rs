//! The systems of the laboratory: their sliders, and how they are drawn.

use macrostep_benchmarks::{ANGLES, Coupling as Cut};
use macrostep_benchmarks::{chain as row, circuit as mesh, spring};
use macrostep_oscillator::Parameters;
use serde::Serialize;

/// The two masses.
pub const PAIR: &str = "pair";

/// A system.
#[derive(Debug, Serialize)]
pub struct System {
    /// As it is asked for.
    pub name: &'static str,
    /// As it is shown.
    pub title: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Where it can be cut: word and what that is.
    pub cuts: Vec<(String, String)>,
    /// The word of each part of the method to begin with.
    pub schedule: &'static str,
    /// As the others.
    pub predict: &'static str,
    /// As the others.
    pub correct: &'static str,
    /// Settings that show something, as fragments of the page's address.
    pub presets: Vec<Preset>,
    /// A macro step \[s\] to begin with.
    pub step: f64,
    /// Shortest and longest macro step of the slider \[s\].
    pub steps: [f64; 2],
    /// End \[s\].
    pub stop: f64,
    /// Values.
    pub sliders: Vec<Slider>,
    /// Whether units may step at rates of their own, and there is a stability map.
    pub pair: bool,
}

/// Settings that show something.
#[derive(Debug, Serialize)]
pub struct Preset {
    /// What they show.
    pub title: &'static str,
    /// All that differ from the beginning.
    pub fragment: &'static str,
}

/// A value that is changed.
#[derive(Debug, Serialize)]
pub struct Slider {
    /// As it is asked for.
    pub name: String,
    /// As it is shown.
    pub label: String,
    /// Unit of measurement.
    pub unit: String,
    /// Least and largest value.
    pub range: [f64; 2],
    /// Value to begin with.
    pub value: f64,
    /// Whether it moves through powers of ten.
    pub log: bool,
}

/// All of them.
pub fn systems() -> Vec<System> {
    vec![pair(), nonlinear_spring(), chain(), circuit(), double_pendulum(), bouncing_ball()]
}

/// The masses on a spring that hardens.
fn nonlinear_spring() -> System {
    let mut sliders = Vec::new();
    for (i, [m, k, c, x, v]) in spring::MASSES.into_iter().enumerate() {
        let n = i + 1;
        sliders.extend([
            slider(&format!("m{n}"), &format!("mass m{n}"), "kg", [0.1, 10.0], m).by_powers(),
            slider(&format!("k{n}"), &format!("stiffness k{n}"), "N/m", [1.0, 1e3], k).by_powers(),
            slider(&format!("c{n}"), &format!("damping c{n}"), "N·s/m", [0.0, 5.0], c),
            slider(&format!("x{n}_0"), &format!("start of x{n}"), "m", [-2.0, 2.0], x),
            slider(&format!("v{n}_0"), &format!("start of v{n}"), "m/s", [-5.0, 5.0], v),
        ]);
    }
    let [k_c, cubic, c_c] = spring::SPRING;
    sliders.extend([
        slider("k_c", "stiffness of the coupling k_c", "N/m", [1.0, 1e3], k_c).by_powers(),
        slider("beta", "hardening β of the coupling", "N/m³", [0.0, 200.0], cubic),
        slider("c_c", "damping of the coupling c_c", "N·s/m", [0.0, 5.0], c_c),
    ]);
    let about = "Two masses on a spring that hardens: its force grows with the cube of its length.";
    let cuts = cuts(&[Cut::ForceForce, Cut::ForceDisplacement, Cut::DisplacementForce, Cut::DisplacementDisplacement]);
    let (times, named) = ([1e-2, 1e-3, 0.2, 4.0], ("nonlinear-spring", "Hardening spring", about));
    System { cuts, sliders, ..other(named, times) }
}

/// The row of masses.
fn chain() -> System {
    let mass = |(i, mass): (usize, [f64; 5])| {
        slider(&format!("m{}", i + 1), &format!("mass m{}", i + 1), "kg", [0.1, 10.0], mass[0]).by_powers()
    };
    let mut sliders: Vec<Slider> = row::MASSES.into_iter().enumerate().map(mass).collect();
    let [k_c, c_c] = row::SPRING;
    sliders.extend([
        slider("k_c", "stiffness of the springs between", "N/m", [1.0, 1e3], k_c).by_powers(),
        slider("c_c", "damping of the springs between", "N·s/m", [0.0, 5.0], c_c),
    ]);
    let about = "Five masses in a row, each a program of its own: four springs between programs.";
    let cuts = vec![
        ("f-f".to_owned(), "the master evaluates the springs".to_owned()),
        ("s-f".to_owned(), "each mass owns the spring to its left".to_owned()),
    ];
    System { cuts, sliders, ..other(("chain", "Chain of five masses", about), [2e-2, 1e-3, 0.5, 4.0]) }
}

/// The two meshes.
fn circuit() -> System {
    let mut sliders = Vec::new();
    for (i, [l, r, c, ..]) in mesh::MESHES.into_iter().enumerate() {
        let n = i + 1;
        sliders.extend([
            slider(&format!("L{n}"), &format!("inductance L{n}"), "H", [1e-4, 1e-2], l).by_powers(),
            slider(&format!("R{n}"), &format!("resistance R{n}"), "Ω", [0.0, 50.0], r),
            slider(&format!("C{n}"), &format!("capacitance C{n}"), "F", [1e-7, 1e-5], c).by_powers(),
        ]);
    }
    let [c_s, r_s] = mesh::SHUNT;
    sliders.extend([
        slider("C_s", "capacitance of the shunt", "F", [1e-7, 1e-5], c_s).by_powers(),
        slider("R_s", "resistance of the shunt", "Ω", [0.0, 50.0], r_s),
    ]);
    let about = "Two meshes of a circuit with a branch in common, each a program of its own: charges and currents in the place of motions.";
    let cuts = Cut::ALL.iter().map(|cut| {
        let meant = match cut {
            Cut::ForceDisplacement => "mesh 1 owns the branch and sends a voltage",
            Cut::DisplacementForce => "mesh 2 owns the branch and sends a voltage",
            Cut::DisplacementDisplacement => "both own it and send currents",
            Cut::ForceForce | Cut::AsWritten => "the master evaluates the branch",
        };
        (cut.name().to_owned(), meant.to_owned())
    });
    System { cuts: cuts.collect(), sliders, ..other(("circuit", "RLC circuit", about), [2e-6, 1e-7, 5e-5, 8e-4]) }
}

/// The two rods.
fn double_pendulum() -> System {
    let angle = |name: &str, which: &str, value| {
        slider(name, &format!("start angle of the {which} rod"), "rad", [-3.0, 3.0], value)
    };
    let [upper, lower] = ANGLES;
    System {
        cuts: vec![
            ("linear".to_owned(), "at the joint; the force in it is linear over a step".to_owned()),
            ("hold".to_owned(), "at the joint; the force in it is held over a step".to_owned()),
        ],
        sliders: vec![angle("phi_upper", "upper", upper), angle("phi_lower", "lower", lower)],
        predict: "hold",
        correct: "iqn-ils",
        ..other(
            (
                "double-pendulum",
                "Double pendulum",
                "Two rods, cut at the joint between them: a constraint of the master keeps their ends together.",
            ),
            [1e-2, 1e-3, 0.1, 4.0],
        )
    }
}

/// The ball.
fn bouncing_ball() -> System {
    System {
        cuts: vec![("contact".to_owned(), "at the contact: one program falls, the other knows the ground".to_owned())],
        sliders: vec![
            slider("height", "height at the start", "m", [0.1, 5.0], 1.0),
            slider("restitution", "restitution", "", [0.0, 1.0], 0.8),
        ],
        predict: "hold",
        ..other(
            (
                "bouncing-ball",
                "Bouncing ball",
                "A ball that bounces: the master finds each impact, and a macro step ends there.",
            ),
            [1e-2, 1e-3, 0.1, 3.0],
        )
    }
}

/// A system without multirate and map: name, title, about; macro step, shortest and longest, end \[s\].
fn other(
    (name, title, about): (&'static str, &'static str, &'static str),
    [step, least, most, stop]: [f64; 4],
) -> System {
    System {
        name,
        title,
        about,
        cuts: Vec::new(),
        schedule: "jacobi",
        predict: "linear",
        correct: "explicit",
        presets: Vec::new(),
        step,
        steps: [least, most],
        stop,
        sliders: Vec::new(),
        pair: false,
    }
}

/// A slider.
fn slider(name: &str, label: &str, unit: &str, range: [f64; 2], value: f64) -> Slider {
    Slider { name: name.to_owned(), label: label.to_owned(), unit: unit.to_owned(), range, value, log: false }
}

impl Slider {
    /// Through powers of ten.
    fn by_powers(self) -> Slider {
        Slider { log: true, ..self }
    }
}

/// Cuts of two masses, with what they are.
fn cuts(cuts: &[Cut]) -> Vec<(String, String)> {
    cuts.iter().map(|cut| (cut.name().to_owned(), cut_in_words(*cut).to_owned())).collect()
}

/// The two masses.
fn pair() -> System {
    let sliders = Parameters::case_1().named().into_iter().zip(Parameters::UNITS);
    let slider = |((name, value), unit): ((&str, f64), &str)| {
        let (label, range, log) = shown(name);
        Slider { name: name.to_owned(), label, unit: unit.replace('.', "·"), range, value, log }
    };
    System {
        name: PAIR,
        title: "Two masses",
        about: "Two masses on springs, coupled by a third one; each mass is a program of its own.",
        cuts: cuts(&Cut::ALL),
        schedule: "jacobi",
        predict: "linear",
        correct: "explicit",
        presets: [
            ("held inputs", "predict=hold&step=0.001"),
            ("it explodes", "predict=hold&step=0.04"),
            ("accelerations", "predict=ia1&step=0.01"),
            ("waveform", "predict=spectral:20&correct=newton&step=0.2"),
            ("chosen steps", "cut=f-f&control=error&control_tolerance=1e-5&step=0.1"),
        ]
        .map(|(title, fragment)| Preset { title, fragment })
        .into(),
        step: 5e-3,
        steps: [1e-4, 1.0],
        stop: 10.0,
        sliders: sliders.map(slider).collect(),
        pair: true,
    }
}

/// Who owns the spring between the masses.
fn cut_in_words(cut: Cut) -> &'static str {
    match cut {
        Cut::ForceDisplacement => "mass 1 owns the spring and sends a force",
        Cut::DisplacementForce => "mass 2 owns the spring and sends a force",
        Cut::DisplacementDisplacement => "both own it and send displacements",
        Cut::ForceForce | Cut::AsWritten => "the master evaluates the spring",
    }
}

/// Label, range and scale of a parameter of the pair.
fn shown(name: &str) -> (String, [f64; 2], bool) {
    let label = match name {
        "k_c" => "stiffness of the coupling k_c".to_owned(),
        "c_c" => "damping of the coupling c_c".to_owned(),
        name if name.starts_with('m') => format!("mass {name}"),
        name if name.starts_with('k') => format!("stiffness {name}"),
        name if name.starts_with('c') => format!("damping {name}"),
        name if name.starts_with('x') => format!("start of x{}", &name[1..2]),
        name => format!("start of v{}", &name[1..2]),
    };
    match name.as_bytes()[0] {
        b'm' => (label, [0.1, 10.0], true),
        b'k' => (label, [1.0, 1e4], true),
        b'c' => (label, [0.0, 10.0], false),
        b'x' => (label, [-10.0, 10.0], false),
        _ => (label, [-200.0, 200.0], false),
    }
}
