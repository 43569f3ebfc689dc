//! Bodies the tests share.
#![allow(dead_code)]

use macrostep_flexible::mesh::{l_beam, t_square};
use macrostep_flexible::moving::{Base, FrameMotion, GeneralizedAlpha, Rayleigh, StepEnd};
use macrostep_flexible::{Basis, BodyState, Connector, FlexibleBody, Loads, Material, Mesh, Structure, Tied};
use nalgebra::{UnitQuaternion, Vector3};

/// Material of the L-beam: E, ν = E/2G − 1, ρ of the slides.
pub fn l_material() -> Material {
    Material::new(2.1e11, 2.1e11 / (2.0 * 82e9) - 1.0, 7900.0).unwrap()
}

/// Material of the T-square.
pub fn t_material() -> Material {
    Material::new(2e11, 0.3, 7850.0).unwrap()
}

/// A structure with connectors on surfaces of its mesh, named after them.
pub fn tie(mesh: &Mesh, material: &Material, surfaces: &[&str]) -> (Structure, Tied) {
    let structure = Structure::solid(mesh, material).unwrap();
    let connectors: Vec<_> = surfaces.iter().map(|s| Connector::on(mesh, s, s).unwrap()).collect();
    let tied = structure.tie(&connectors).unwrap();
    (structure, tied)
}

/// The T-square with Craig–Bampton modes, frame at the mount.
pub fn t_body(modes: usize, reference: usize, damping: Rayleigh) -> FlexibleBody {
    let (structure, tied) = tie(&t_square(), &t_material(), &["MOUNT", "BAR", "STEM"]);
    let basis = Basis::craig_bampton(&tied.chain, modes).unwrap();
    FlexibleBody::new(&structure, &tied, &basis, reference, damping).unwrap()
}

/// A coarse L-beam, frame at the clamp.
pub fn l_body(modes: usize, reference: usize) -> FlexibleBody {
    let (structure, tied) = tie(&l_beam(10, 1), &l_material(), &["CLAMP", "TIP"]);
    let basis = Basis::craig_bampton(&tied.chain, modes).unwrap();
    FlexibleBody::new(&structure, &tied, &basis, reference, Rayleigh::default()).unwrap()
}

/// Speed of the T-square in rad/s.
pub const SPIN: f64 = 10.0;
/// Duration of its spin-up.
const SPIN_UP_S: f64 = 0.1;

/// The mount turns about z; its speed rises smoothly to `SPIN`.
pub fn mount(time: f64) -> FrameMotion {
    let x = (time / SPIN_UP_S).min(1.0);
    let late = (time - SPIN_UP_S).max(0.0);
    let speed = SPIN * (3.0 * x * x - 2.0 * x.powi(3));
    let angle = SPIN * (SPIN_UP_S * (x.powi(3) - 0.5 * x.powi(4)) + late);
    let rate = SPIN / SPIN_UP_S * 6.0 * (x - x * x);
    FrameMotion {
        position: Vector3::zeros(),
        orientation: UnitQuaternion::from_scaled_axis(Vector3::z() * angle),
        velocity: Vector3::zeros(),
        spin: Vector3::z() * speed,
        acceleration: Vector3::zeros(),
        spin_rate: Vector3::z() * rate,
    }
}

/// Displacements of connectors 1 and 2 in body axes after spin-up and settling.
pub fn settled_t_square(body: &FlexibleBody) -> [Vector3<f64>; 2] {
    let h = 2e-4;
    let mut state = BodyState::rest(body.modes());
    let mut loads = Loads::none(3);
    loads.gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut scheme = GeneralizedAlpha::new(body, 0.8);
    let mut memory = scheme.start(body, &state, &loads, &Base::Driven(mount(0.0))).unwrap();
    for i in 1..=2000 {
        let time = f64::from(i) * h;
        scheme
            .step(
                body,
                &mut state,
                &mut memory,
                StepEnd { end_s: time, step_s: h, loads: &loads, base: &Base::Driven(mount(time)) },
            )
            .unwrap();
    }
    [1, 2].map(|c| body.deflection(&state, c).unwrap().0)
}
