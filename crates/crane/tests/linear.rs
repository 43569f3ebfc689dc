//! Linear speeds and the force at the step's end: the limit of linear theory for a mass on an oscillator, m v' = λ, λ' = −k w − 2 ζ ω λ.

#[allow(dead_code, reason = "each test looks at a part of it")]
mod coupled;

use std::sync::Arc;

use coupled::Coupled;
use macrostep_hydraulics::FastSide;
use macrostep_multibody::{Body, Coordinate, Pose, SystemBuilder, Vec3};

const MACRO_S: f64 = 0.01;
const MASS_KG: f64 = 10.0;

/// The fast side, with its force as state: stiffness k in N/m, and 2 ζ ω in 1/s.
#[derive(Clone)]
struct Oscillator {
    stiffness: f64,
    decay: f64,
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

/// Whether the swing at x = ω H stays below a hundred times its start over 20 000 steps.
fn is_stable(x: f64, zeta: f64) -> bool {
    let omega = x / MACRO_S;
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let body = builder.body(Body::new("mass", MASS_KG, [1.0; 3], Pose::world()));
    builder.interface(Coordinate::Point { body, point: Vec3::zeros(), direction: Vec3::x() });
    let (system, start) = (Arc::new(builder.build().expect("valid")), MASS_KG * omega);
    let fast = Oscillator { stiffness: MASS_KG * omega * omega, decay: 2.0 * zeta * omega };
    let mut coupled = Coupled::new(system, (fast, start), vec![start], MACRO_S).linear();
    (0..20_000).all(|_| {
        coupled.step();
        coupled.speed[0].abs() <= 100.0
    })
}

#[test]
fn linear_speeds_are_stable_up_to_the_limit_of_linear_theory() {
    for (zeta, limit) in [(0.0, 1.41), (0.1, 1.40)] {
        assert!(is_stable(0.98 * limit, zeta), "ζ = {zeta} below {limit}");
        assert!(!is_stable(1.02 * limit, zeta), "ζ = {zeta} above {limit}");
    }
}
