//! A cylinder lifting a mass on a vertical guide with dry friction, against a stop.
//!
//! One degree of freedom, and everything that makes a coupling hard: stiff oil, stick and slip, impact.

use std::sync::Arc;

use macrostep_hydraulics::{Circuit, CircuitState, Trapezoid};
use macrostep_multibody::{
    Body, BodyId, Coordinate, DefinitionError, JointFrame, JointKind, Limit, Motor, Pose, Steps, System, SystemBuilder,
    Vec3,
};

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
    let frame = JointFrame { point: Vec3::zeros(), axis: Vec3::z() };
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

/// Duration of the run, s.
pub const END_S: f64 = 3.0;
