//! The T-square under uniform rotation about z through its mount, with gravity along −z.
//!
//! The reduced body is spun up and settles; the displacements of its connectors in body axes are compared with one
//! static solution of the full model under ρω²r and ρg. The slides give neither axis, speed, mounting, density nor
//! gravity, so their own table cannot be repeated.

use macrostep_flexible::mesh::{finer_t_square, t_square};
use macrostep_flexible::moving::{Base, FrameMotion, GeneralizedAlpha, Rayleigh, StepEnd};
use macrostep_flexible::{Basis, BodyState, Error, FlexibleBody, Loads, Material, Mesh, Structure, Tied};
use nalgebra::{DMatrix, DVector, UnitQuaternion, Vector3};

use super::{clamped_static, tie};

/// Speed in rad/s.
pub const SPIN_RAD_S: f64 = 10.0;
/// Duration of the spin-up in s.
pub const SPIN_UP_S: f64 = 0.1;
/// Gravity in m/s².
pub const GRAVITY_M_S2: f64 = 9.81;
/// Step of the generalised-α method in s, and number of steps.
const STEPS: (f64, u32) = (2e-4, 2000);

/// Settled displacements.
#[derive(Debug, Clone)]
pub struct TSquare {
    /// The mesh.
    pub mesh: Mesh,
    /// Displacements of connectors 1 and 2 of the settled reduced body, body axes, m.
    pub settled: [Vector3<f64>; 2],
    /// The same of the full model by one static solution.
    pub full: [Vector3<f64>; 2],
    /// The same on a mesh twice as fine: what of `full` hangs on the mesh.
    pub finer: [Vector3<f64>; 2],
    /// Displacement of every node of the full model, m.
    pub field: Vec<Vector3<f64>>,
    /// Time (s) and displacements of both connectors (m) on the way.
    pub history: Vec<(f64, [Vector3<f64>; 2])>,
}

/// E 2e11 Pa, ν 0.3, ρ 7850 kg/m³.
///
/// # Errors
/// Never: the constants are sound.
pub fn material() -> Result<Material, Error> {
    Material::new(2e11, 0.3, 7850.0)
}

impl TSquare {
    /// Runs the reduced body (Craig–Bampton 18 + 10, frame at the mount) and solves the full model.
    ///
    /// # Errors
    /// Those of assembly, reduction and integration.
    pub fn new() -> Result<Self, Error> {
        let of = |mesh: &Mesh| tie(mesh, &material()?, &["MOUNT", "BAR", "STEM"]);
        let (finer, tied) = of(&finer_t_square(2))?;
        let finer = connectors(&steady(&finer, &tied)?);
        let mesh = t_square();
        let (structure, tied) = of(&mesh)?;
        let u = steady(&structure, &tied)?;
        let all = tied.map.multiply(&u);
        let field = (0..structure.nodes.len()).map(|n| all.fixed_view::<3, 1>(3 * n, 0).into_owned()).collect();

        let basis = Basis::craig_bampton(&tied.chain, 10)?;
        // The settled state does not depend on the damping: it only has to settle.
        let damping = Rayleigh { alpha_per_s: 60.0, beta_s: 3e-5 };
        let body = FlexibleBody::new(&structure, &tied, &basis, 0, damping)?;
        let history = settle(&body)?;
        let settled = history.last().map_or([Vector3::zeros(); 2], |(_, u)| *u);
        Ok(Self { mesh, settled, full: connectors(&u), finer, field, history })
    }
}

/// Displacements of connectors 1 and 2 among those of the tied coordinates.
fn connectors(u: &DMatrix<f64>) -> [Vector3<f64>; 2] {
    [6, 12].map(|at| u.fixed_view::<3, 1>(at, 0).into_owned())
}

/// The full model, clamped at the mount, under gravity and the inertia forces of the steady rotation.
fn steady(structure: &Structure, tied: &Tied) -> Result<DMatrix<f64>, Error> {
    let acceleration = structure.dofs.iter().map(|d| match d.direction {
        2 => -GRAVITY_M_S2,
        axis => SPIN_RAD_S * SPIN_RAD_S * structure.nodes[d.node][axis],
    });
    let volume = structure.mass.apply(&DVector::from_iterator(structure.dofs.len(), acceleration));
    let load = tied.map.dual(&volume);
    clamped_static(&tied.chain, &DMatrix::from_column_slice(load.len(), 1, load.as_slice()))
}

/// Motion of the mount: it turns about z, its speed rises smoothly over the spin-up.
pub fn mount(time_s: f64) -> FrameMotion {
    let x = (time_s / SPIN_UP_S).min(1.0);
    let late = (time_s - SPIN_UP_S).max(0.0);
    let angle = SPIN_RAD_S * (SPIN_UP_S * (x.powi(3) - 0.5 * x.powi(4)) + late);
    FrameMotion {
        position: Vector3::zeros(),
        orientation: UnitQuaternion::from_scaled_axis(Vector3::z() * angle),
        velocity: Vector3::zeros(),
        spin: Vector3::z() * SPIN_RAD_S * (3.0 * x * x - 2.0 * x.powi(3)),
        acceleration: Vector3::zeros(),
        spin_rate: Vector3::z() * SPIN_RAD_S / SPIN_UP_S * 6.0 * (x - x * x),
    }
}

fn settle(body: &FlexibleBody) -> Result<Vec<(f64, [Vector3<f64>; 2])>, Error> {
    let (step_s, count) = STEPS;
    let mut state = BodyState::rest(body.modes());
    let mut loads = Loads::none(body.connectors.len());
    loads.gravity = Vector3::new(0.0, 0.0, -GRAVITY_M_S2);
    let mut scheme = GeneralizedAlpha::new(body, 0.8);
    let mut memory = scheme.start(body, &state, &loads, &Base::Driven(mount(0.0)))?;
    let mut history = vec![(0.0, [Vector3::zeros(); 2])];
    for i in 1..=count {
        let time_s = f64::from(i) * step_s;
        let base = Base::Driven(mount(time_s));
        let end = StepEnd { end_s: time_s, step_s, loads: &loads, base: &base };
        scheme.step(body, &mut state, &mut memory, end)?;
        history.push((time_s, [body.deflection(&state, 1)?.0, body.deflection(&state, 2)?.0]));
    }
    Ok(history)
}
