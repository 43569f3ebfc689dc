//! A cylinder lifting a mass on a vertical guide with dry friction, against a stop.
//!
//! One degree of freedom, and everything that makes a coupling hard: stiff oil, stick and slip, impact.

use std::sync::Arc;

use macrostep_hydraulics::{Circuit, CircuitState, Trapezoid};
use macrostep_multibody::{
    Body, BodyId, Coordinate, DefinitionError, JointKind, Limit, Motor, Pose, Steps, System, SystemBuilder, Vec3,
};

use crate::cosim::{Cosim, CosimError, Scheme};
use crate::cylinder::{CylinderOptions, LIMITS};

/// Mass, kg.
pub const MASS_KG: f64 = 1000.0;
/// Gravity, m/s².
pub const GRAVITY: f64 = 9.81;
/// Position of the cylinder at the start, m.
pub const START_M: f64 = 0.2;
/// Position of the stop, m.
pub const STOP_M: f64 = 0.5;
/// Dry friction of the guide, N.
pub const FRICTION_N: f64 = 300.0;

/// The mass and its guide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassOptions {
    /// Mass, kg.
    pub mass_kg: f64,
    /// Dry friction of the guide, N.
    pub friction_n: f64,
    /// Way from the start to the stop, m.
    pub way_m: f64,
}

impl Default for MassOptions {
    fn default() -> Self {
        Self { mass_kg: MASS_KG, friction_n: FRICTION_N, way_m: STOP_M - START_M }
    }
}

/// The cylinder and its desired motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveOptions {
    /// The cylinder.
    pub cylinder: CylinderOptions,
    /// Speed from 0.2 s to 1.5 s, m/s.
    pub out_ms: f64,
    /// Speed from 1.7 s to 2.4 s, m/s.
    pub back_ms: f64,
}

impl Default for DriveOptions {
    fn default() -> Self {
        let cylinder = CylinderOptions {
            area_m2: [40e-4, 25e-4],
            dead_volume_m3: 4e-4,
            stroke_m: 0.6,
            bulk_modulus_pa: 1e9,
            leak_m3spa: 1e-12,
            viscous_nsm: 1e4,
            valve_gain: 4e-7,
            supply_pa: 16e6,
            tank_pa: 1e5,
            lag_s: 8e-3,
            position_gain: 10.0,
            speed_gain: 0.1,
            vapour_pa: LIMITS.0,
            relief_pa: LIMITS.1,
            relief_gain: LIMITS.2,
        };
        Self { cylinder, out_ms: 0.3, back_ms: -0.3 }
    }
}

/// The usual mass on its guide, as [`system_for`].
///
/// # Errors
/// None for these data.
pub fn system() -> Result<Arc<System>, DefinitionError> {
    system_for(MassOptions::default())
}

/// The mass on its guide; interface: travel since assembly (the stop is at [`STOP_M`] − [`START_M`]).
///
/// # Errors
/// [`DefinitionError`] for values that are not physical.
pub fn system_for(options: MassOptions) -> Result<Arc<System>, DefinitionError> {
    let mut builder = SystemBuilder::new(Vec3::new(0.0, 0.0, -GRAVITY));
    let body = builder.body(Body::new("mass", options.mass_kg, [100.0; 3], Pose::world()));
    let frame = (Vec3::zeros(), Vec3::z());
    let guide = builder.joint("guide", JointKind::Prismatic, [BodyId::GROUND, body], frame, 1e-9);
    let coordinate = Coordinate::Joint(guide);
    builder.motor(Motor {
        name: "guide friction".to_owned(),
        coordinate,
        speed: Steps::default(),
        lower_n: -options.friction_n,
        upper_n: options.friction_n,
        compliance: 1e-8,
    });
    let (lower, upper) = (f64::NEG_INFINITY, options.way_m);
    builder.limit(Limit { name: "stop".to_owned(), coordinate, lower, upper, compliance: 1e-8 });
    builder.interface(coordinate);
    Ok(Arc::new(builder.build()?))
}

/// The usual cylinder and its manoeuvre: out against the stop, rest, back.
#[must_use]
pub fn circuit() -> Circuit {
    circuit_for(DriveOptions::default())
}

/// Another cylinder, or other speeds.
#[must_use]
pub fn circuit_for(options: DriveOptions) -> Circuit {
    let pulse = |begin_s, end_s, value| Trapezoid { begin_s, end_s, ramp_s: 0.0, value };
    let pulses = vec![pulse(0.2, 1.5, options.out_ms), pulse(1.7, 2.4, options.back_ms)];
    Circuit { cylinders: vec![options.cylinder.cylinder(START_M, pulses)] }
}

/// At rest under `force_n`, with 6 MPa on the bore side.
#[must_use]
pub fn start(circuit: &Circuit, force_n: f64) -> CircuitState {
    CircuitState { cylinders: circuit.cylinders.iter().map(|c| c.holding(0.0, force_n, 0, 6e6)).collect() }
}

/// The coupled actuator; its run ends at 3 s.
///
/// # Errors
/// [`CosimError::Window`] for a micro step that does not divide the macro step.
pub fn cosim(system: &Arc<System>, scheme: Scheme) -> Result<Cosim<Circuit>, CosimError> {
    let (circuit, weight) = (circuit(), MASS_KG * GRAVITY);
    let state = start(&circuit, weight);
    Cosim::new(system.clone(), circuit, state, vec![weight], scheme)
}

/// Duration of the run, s.
pub const END_S: f64 = 3.0;

/// Runs the manoeuvre and returns `(time in s, speed in m/s)` after each macro step; ends early when a step fails.
///
/// # Errors
/// [`CosimError::Window`] for a micro step that does not divide the macro step.
pub fn run(system: &Arc<System>, scheme: Scheme) -> Result<Vec<(f64, f64)>, CosimError> {
    let mut cosim = cosim(system, scheme)?;
    let mut trace = Vec::new();
    for _ in 0..(END_S / scheme.macro_s + 1e-9).floor() as usize {
        if cosim.step().is_err() {
            break;
        }
        trace.push((cosim.time_s(), cosim.speed()[0]));
    }
    Ok(trace)
}

/// How a run compares with the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it reached the end.
    pub complete: bool,
    /// Root mean square of the speed error, m/s.
    pub rms_ms: f64,
    /// Largest speed error in the last quarter of a second, m/s.
    pub rest_ms: f64,
}

impl Verdict {
    /// Complete, rms error ≤ 0.05 m/s, and coming to rest as the reference does, within 0.03 m/s.
    #[must_use]
    pub fn stable(&self) -> bool {
        self.complete && self.rms_ms <= 0.05 && self.rest_ms <= 0.03
    }
}

/// Compares a trace with macro steps of `macro_s` with a reference whose macro step divides it.
#[must_use]
pub fn compare(trace: &[(f64, f64)], macro_s: f64, reference: &[(f64, f64)]) -> Verdict {
    let reference_s = reference.first().map_or(f64::NAN, |p| p.0);
    let at = |time_s: f64| {
        let place = ((time_s / reference_s).round() as usize).saturating_sub(1);
        reference.get(place).map_or(f64::NAN, |p| p.1)
    };
    let square: f64 = trace.iter().map(|&(t, w)| (w - at(t)).powi(2)).sum();
    let late = trace.iter().filter(|p| p.0 > END_S - 0.25).map(|&(t, w)| (w - at(t)).abs());
    Verdict {
        complete: trace.len() == (END_S / macro_s + 1e-9).floor() as usize,
        rms_ms: (square / trace.len() as f64).sqrt(),
        rest_ms: late.fold(0.0, f64::max),
    }
}
