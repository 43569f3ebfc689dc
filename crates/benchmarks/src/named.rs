//! The systems by name.

use crate::oscillator::{Coupling, Oscillator};
use crate::{chain, circuit, cylinder, double_pendulum, nonlinear_spring};
use clap::ValueEnum;
use macrostep_oscillator::Parameters;
use macrostep_system::Scenario;
use macrostep_system::near::nearest;
use macrostep_system::scenario::JointForce;
use std::fmt::Write;

/// A system this program carries.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// As it is typed.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// What a result can be compared with.
    pub solution: &'static str,
    /// Variants, the first of which is meant where none is named; empty where there is one only.
    pub variants: &'static [&'static str],
    make: fn(&str) -> Result<Scenario, String>,
}

/// How to get what a build without the feature `full` leaves out.
pub const FULL: &str = "`cargo build --release --features full` makes the program with all verbs, FMUs and systems";

const CLOSED: &str = "closed form (matrix exponential)";
const WHOLE: &str = "equations of the whole system, integrated";
const CUTS: &[&str] = &["f-s", "s-f", "s-s", "f-f"];

const ALL: [BuiltIn; 12] = [
    BuiltIn {
        name: "case-1",
        about: "two-mass oscillator of the benchmark, undamped",
        solution: CLOSED,
        variants: CUTS,
        make: |cut| oscillator(Parameters::case_1(), cut, [1e-3, 10.0]),
    },
    BuiltIn {
        name: "case-2",
        about: "two-mass oscillator of the benchmark, lightly damped",
        solution: CLOSED,
        variants: CUTS,
        make: |cut| oscillator(Parameters::case_2(), cut, [1e-3, 10.0]),
    },
    BuiltIn {
        name: "test-model",
        about: "two-mass oscillator with a damped coupling, for measuring orders",
        solution: CLOSED,
        variants: CUTS,
        make: |cut| oscillator(Parameters::test_model(), cut, [1e-2, 2.0]),
    },
    BuiltIn {
        name: "nonlinear-spring",
        about: "two masses on a hardening spring; the law is in the master, or in the mass that owns the spring",
        solution: WHOLE,
        variants: &["f-f", "f-s", "s-f", "s-s"],
        make: |cut| Ok(nonlinear_spring(coupling(cut)?)),
    },
    BuiltIn {
        name: "chain",
        about: "five masses in a row, five units, four connections",
        solution: WHOLE,
        variants: &["f-f", "s-f"],
        make: |cut| Ok(chain(coupling(cut)?)),
    },
    BuiltIn {
        name: "circuit",
        about: "two meshes of an RLC circuit with a shunt in common: charge and current, voltages",
        solution: WHOLE,
        variants: CUTS,
        make: |cut| Ok(circuit(coupling(cut)?)),
    },
    BuiltIn {
        name: "cylinder",
        about: "hydraulic cylinder that moves a load: pressure against motion, nonlinear",
        solution: WHOLE,
        variants: &[],
        make: |_| Ok(cylinder()),
    },
    BuiltIn {
        name: "crane",
        about: "hydraulic crane of 18 bodies that grasps a log, with its two cylinders",
        solution: "finer run (`--solution 2e-4`)",
        variants: &[
            "usual",
            "weak-grip",
            "no-friction",
            "form-grip",
            "low-friction",
            "slewing",
            "oblique",
            "end-stops",
        ],
        make: large::crane,
    },
    BuiltIn {
        name: "actuator",
        about: "mass on a guide with dry friction and a stop, moved by a hydraulic cylinder",
        solution: "finer run (`--solution 2e-4`)",
        variants: &[],
        make: large::actuator,
    },
    BuiltIn {
        name: "beam",
        about: "beam of 167 nodes on 167 springs, coupled by all positions and forces or by those of a few nodes",
        solution: "equations of the whole system, by modes (the example `interface`)",
        variants: &["full", "reduced"],
        make: large::beam,
    },
    BuiltIn {
        name: "pendulum",
        about: "flexible arm with a payload at its tip, falling from the horizontal",
        solution: "equations of the whole system, integrated (the example `flexible`)",
        variants: &[],
        make: large::pendulum,
    },
    BuiltIn {
        name: "double-pendulum",
        about: "two rods in a plane, cut at the joint between them, which a constraint keeps closed",
        solution: WHOLE,
        variants: &["linear", "hold"],
        make: |force| Ok(double_pendulum(if force == "hold" { JointForce::Hold } else { JointForce::Linear })),
    },
];

/// All of them.
pub fn all() -> &'static [BuiltIn] {
    &ALL
}

/// The system `NAME` or `NAME:VARIANT`.
pub fn named(name: &str) -> Option<(&'static BuiltIn, &str)> {
    let (name, variant) = name.split_once(':').map_or((name, None), |(name, variant)| (name, Some(variant)));
    let system = ALL.iter().find(|system| system.name == name)?;
    let variant = variant.or(system.variants.first().copied()).unwrap_or_default();
    (variant.is_empty() || system.variants.contains(&variant)).then_some((system, variant))
}

/// The scenario of this name; `None` where there is none, or where it cannot be made.
pub fn find(name: &str) -> Option<Scenario> {
    let (system, variant) = named(name)?;
    system.scenario(variant).ok()
}

/// The message for an unknown name, with the names that exist.
pub fn unknown(name: &str) -> String {
    let known = |of: &[&str]| format!("`{}`", of.join("`, `"));
    let names: Vec<&str> = ALL.iter().map(|system| system.name).collect();
    let base = name.split(':').next().unwrap_or_default();
    let mut text = format!("no system `{name}`: ");
    let written = match ALL.iter().find(|system| system.name == base) {
        Some(system) if system.variants.is_empty() => write!(text, "`{base}` has no variants"),
        Some(system) => write!(text, "variants of `{base}` are {}", known(system.variants)),
        None => {
            let near = nearest(base, names.iter().copied()).first().copied().unwrap_or_default();
            write!(
                text,
                "expected a file ending in .toml, .ssd or .ssp, or one of {}; the nearest is `{near}`",
                known(&names)
            )
        }
    };
    debug_assert!(written.is_ok(), "writing to a string");
    text
}

impl BuiltIn {
    /// The scenario of a variant, which is one of `variants` or empty where there are none.
    ///
    /// # Errors
    /// In words, where its values make no system.
    pub fn scenario(&self, variant: &str) -> Result<Scenario, String> {
        (self.make)(variant)
    }
}

fn coupling(cut: &str) -> Result<Coupling, String> {
    Coupling::from_str(cut, false)
}

fn oscillator(parameters: Parameters, cut: &str, times_s: [f64; 2]) -> Result<Scenario, String> {
    Ok(Oscillator::new(parameters, coupling(cut)?, times_s).scenario())
}

/// Systems of multibody models and flexible bodies.
#[cfg(feature = "full")]
mod large {
    use clap::ValueEnum;
    use macrostep_system::Scenario;

    use crate::beam::{Interface, MODES};
    use crate::multirate::{Multirate, STEP_S, Scheme};
    use crate::plant::{Manoeuvre, Plant};

    pub fn crane(name: &str) -> Result<Scenario, String> {
        multirate(Plant::Crane(Manoeuvre::from_str(name, false)?))
    }

    pub fn actuator(_: &str) -> Result<Scenario, String> {
        multirate(Plant::Actuator)
    }

    pub fn beam(interface: &str) -> Result<Scenario, String> {
        let interface = if interface == "reduced" { Interface::Adapter } else { Interface::Full };
        Ok(crate::beam::beam(&interface, MODES))
    }

    pub fn pendulum(_: &str) -> Result<Scenario, String> {
        Ok(crate::pendulum::pendulum(1e-3, 1.0, 1))
    }

    fn multirate(plant: Plant) -> Result<Scenario, String> {
        Multirate::new(plant, Scheme::RECOMMENDED, STEP_S).scenario()
    }
}

/// Without their models there is an answer only.
#[cfg(not(feature = "full"))]
mod large {
    use macrostep_system::Scenario;

    use super::FULL;
    pub use absent as actuator;
    pub use absent as beam;
    pub use absent as crane;
    pub use absent as pendulum;

    pub fn absent(_: &str) -> Result<Scenario, String> {
        Err(format!("not in this build; {FULL}"))
    }
}
