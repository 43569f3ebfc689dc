//! The hydraulic circuits: their declarations beside the interface that all have.

use macrostep_crane::cylinder::{CylinderOptions, PROPERTIES};
use macrostep_crane::{actuator, crane};
use macrostep_description::Declared;
use macrostep_hydraulics::{Circuit, CircuitState};

/// A hydraulic circuit with one cylinder an interface coordinate.
pub trait Drive: std::fmt::Debug + Send + 'static {
    /// `modelIdentifier`.
    const IDENTIFIER: &'static str;
    /// One sentence.
    const ABOUT: &'static str;
    /// Forces at the start if nothing is set, N, one a cylinder.
    const START_N: &'static [f64];
    /// Communication step and end of the experiment, s.
    const EXPERIMENT: (f64, f64);

    /// Its own real parameters, in the order `circuit` takes them.
    fn reals() -> Vec<Declared> {
        Vec::new()
    }

    /// The circuit.
    fn circuit(reals: &[f64]) -> Circuit;

    /// Its state at rest under these forces.
    fn start(circuit: &Circuit, forces: &[f64]) -> CircuitState;
}

/// The properties of a cylinder as parameters, their names behind a prefix.
fn cylinder(prefix: &str, whose: &str, options: &CylinderOptions) -> Vec<Declared> {
    let declared = |((name, unit, least, about), start): ((&str, &str, f64, &str), f64)| {
        let parameter = Declared::parameter(&format!("{prefix}{name}"), start).range(least, f64::INFINITY);
        let parameter = if unit.is_empty() { parameter } else { parameter.unit(unit) };
        parameter.about(&format!("{about}{whose}"))
    };
    PROPERTIES.into_iter().zip(options.values()).map(declared).collect()
}

/// A cylinder from the parameters `first` and those that follow.
fn options(reals: &[f64], first: usize) -> CylinderOptions {
    CylinderOptions::of(&std::array::from_fn(|i| reals[first + i]))
}

/// A desired speed.
fn speed(name: &str, start: f64, about: &str) -> Declared {
    Declared::parameter(name, start).unit("m/s").range(-0.5, 0.5).about(about)
}

/// The cylinder of the mass on a stop.
#[derive(Debug)]
pub struct StopCircuit;

impl Drive for StopCircuit {
    const IDENTIFIER: &'static str = "stop_hydraulics";
    const ABOUT: &'static str = "The hydraulic cylinder that moves a mass against a stop and back";
    const START_N: &'static [f64] = &[actuator::MASS_KG * actuator::GRAVITY];
    const EXPERIMENT: (f64, f64) = (0.004, actuator::END_S);

    fn reals() -> Vec<Declared> {
        let d = actuator::DriveOptions::default();
        let speeds = [
            speed("out_speed", d.out_ms, "desired speed from 0.2 s to 1.5 s"),
            speed("back_speed", d.back_ms, "desired speed from 1.7 s to 2.4 s"),
        ];
        speeds.into_iter().chain(cylinder("", "", &d.cylinder)).collect()
    }

    fn circuit(reals: &[f64]) -> Circuit {
        let cylinder = options(reals, 2);
        actuator::circuit_for(actuator::DriveOptions { cylinder, out_ms: reals[0], back_ms: reals[1] })
    }

    fn start(circuit: &Circuit, forces: &[f64]) -> CircuitState {
        actuator::start(circuit, forces[0])
    }
}

/// Lift and jib cylinder of the crane.
#[derive(Debug)]
pub struct CraneCircuit;

impl Drive for CraneCircuit {
    const IDENTIFIER: &'static str = "crane_hydraulics";
    const ABOUT: &'static str = "Lift and jib cylinder of the crane with their valves and controllers";
    const START_N: &'static [f64] = &[46.3e3, -18.7e3];
    const EXPERIMENT: (f64, f64) = (0.004, 8.0);

    fn reals() -> Vec<Declared> {
        let d = crane::Manoeuvre::default();
        let speeds = [
            speed("lift_speed", d.lift_ms, "desired speed of the lift cylinder from 4.2 s to 7.2 s"),
            speed("jib_speed", d.jib_ms, "desired speed of the jib cylinder from 5 s to 7 s"),
        ];
        let [lift, jib] = d.cylinders;
        let cylinders =
            [cylinder("lift_", " of the lift cylinder", &lift), cylinder("jib_", " of the jib cylinder", &jib)];
        speeds.into_iter().chain(cylinders.into_iter().flatten()).collect()
    }

    fn circuit(reals: &[f64]) -> Circuit {
        let cylinders = [options(reals, 2), options(reals, 2 + PROPERTIES.len())];
        crane::circuit_for(crane::Manoeuvre { lift_ms: reals[0], jib_ms: reals[1], cylinders })
    }

    fn start(circuit: &Circuit, forces: &[f64]) -> CircuitState {
        crane::start(circuit, forces)
    }
}
