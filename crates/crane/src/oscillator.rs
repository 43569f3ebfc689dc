//! A mass on an oscillator that the fast side integrates: `m v' = λ`, `λ' = −k w − 2 ζ ω λ`.
//!
//! Coupled exactly this is `w'' + 2 ζ ω w' + ω² w = 0` with `ω² = k/m`: the damping sits in the fast state, as leakage
//! does between the chambers of a cylinder. How large `x = ω H` may be for each scheme is the linear theory that the
//! tests compare with.

use std::sync::Arc;

use macrostep_hydraulics::{FastSide, Window};
use macrostep_multibody::{Body, Coordinate, DefinitionError, Pose, System, SystemBuilder, Vec3};

use crate::cosim::{Cosim, CosimError, Scheme};

/// The fast side; its state is λ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillator {
    /// Stiffness k, N/m.
    pub stiffness: f64,
    /// `2 ζ ω`, 1/s.
    pub decay: f64,
}

impl FastSide for Oscillator {
    type State = f64;

    fn force(&self, state: &f64, _speed: &[f64], force: &mut [f64]) {
        force[0] = *state;
    }

    fn advance(&self, state: &mut f64, speed: &[f64], step_s: f64, _time_s: f64) {
        *state = (*state - step_s * self.stiffness * speed[0]) / (1.0 + step_s * self.decay);
    }
}

/// One free body of mass `mass_kg` with its x position as interface.
///
/// # Errors
/// [`DefinitionError`] for a mass that is not positive.
pub fn mass(mass_kg: f64) -> Result<Arc<System>, DefinitionError> {
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let body = builder.body(Body::new("mass", mass_kg, [1.0; 3], Pose::world()));
    builder.interface(Coordinate::Point { body, point: Vec3::zeros(), direction: Vec3::x() });
    Ok(Arc::new(builder.build()?))
}

/// Growth of the oscillation over `steps` macro steps at `x = ω H`: the largest of |w|, |λ|/(m ω) in the last tenth over
/// the start. `scheme.macro_s` is taken as H, and its micro step must divide it.
///
/// # Errors
/// [`CosimError`], among them the divergence of an unstable scheme to infinity.
pub fn growth(system: &Arc<System>, scheme: Scheme, x: f64, zeta: f64, steps: usize) -> Result<f64, CosimError> {
    Window::divide(0.0, scheme.macro_s, scheme.micro_s)?;
    let omega = x / scheme.macro_s;
    let mass_kg = system.bodies()[0].mass_kg;
    let fast = Oscillator { stiffness: mass_kg * omega * omega, decay: 2.0 * zeta * omega };
    let start = mass_kg * omega;
    let mut cosim = Cosim::new(system.clone(), fast, start, vec![start], scheme)?;
    let mut largest = 0.0_f64;
    for k in 0..steps {
        cosim.step()?;
        if 10 * k >= 9 * steps {
            largest = largest.max(cosim.speed()[0].abs()).max(cosim.fast_state().abs() / start);
        }
        if cosim.speed()[0].abs() > 1e12 {
            return Ok(f64::INFINITY);
        }
    }
    Ok(largest)
}
