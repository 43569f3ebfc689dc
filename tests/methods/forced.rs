//! The benchmark under external forces, against its exact solution.

use crate::common::*;
use crate::errors::global_errors;
use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Pair, Start, build, slope};
use macrostep_master::Schedule;
use macrostep_oscillator::Force;

/// Lines that begin and jump at multiples of 20 ms, as large as the springs' forces.
fn force() -> Force {
    let times_s = vec![0.0, 0.1, 0.1, 0.3, 0.62];
    let values = vec![[0.0, 50.0], [400.0, 50.0], [-200.0, 0.0], [100.0, 300.0], [0.0, -100.0]];
    Force::new(times_s, values).expect("a force")
}

fn pair(coupling: Coupling, degree: usize, step_s: f64) -> Pair {
    let pair = Pair::new(coupling, classical(degree, Schedule::Jacobi), step_s, 1.0);
    Pair { force: Some(force()), ..pair }
}

/// Hold and linear keep their orders under forces, natively, and the FMUs get the same.
#[test]
fn orders_are_those_without_forces() {
    let _open = factory::open_all().expect("the FMUs open");
    for coupling in Coupling::ALL {
        for (degree, expected) in [(0, 1.0), (1, 2.0)] {
            let error = |h: f64| global_errors(&pair(coupling, degree, h), &models::native).expect("the run");
            let errors = [1e-3, 5e-4, 2.5e-4].map(|h| (h, error(h).position));
            let order = slope(&errors, 0.0).expect("an order");
            assert!((order - expected).abs() < 0.1, "{coupling} degree {degree}: {order} {errors:?}");
        }
        let [a, b] = [&models::native as macrostep_analysis::models::Factory<'_>, &factory::fmu].map(|units| {
            let errors = global_errors(&pair(coupling, 1, 2e-3), units).expect("the run");
            [errors.position.to_bits(), errors.velocity.to_bits()]
        });
        assert_eq!(a, b, "{coupling}");
    }
}

#[test]
fn histories_of_the_free_motion_do_not_go_with_forces() {
    let forced = Pair { start: Start::Exact, ..pair(Coupling::ForceForce, 1, 1e-3) };
    let error = build(&forced, &models::native).err().expect("refused").to_string();
    assert!(error.contains("external forces: found samples of the exact solution"), "{error}");
}
