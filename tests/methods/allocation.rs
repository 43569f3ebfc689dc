//! Windows after the first ones allocate no memory.

use crate::common::*;
use crate::counting::allocations;
use macrostep::factory;
use macrostep_analysis::pair::{Bonds, Coupling, Pair, build};
use macrostep_master::correct::{Correction, MultiVector, NewtonKrylov, QuasiNewton, SemiImplicit};
use macrostep_master::predict::{Hermite, IntegratedAcceleration, Jerk};
use macrostep_master::record::{Column, Trace};
use macrostep_master::{EnergyCorrection, Estimate, Method, StepControl};

#[test]
fn windows_allocate_nothing() {
    nothing_is_allocated(&Coupling::ALL, &[1, 3], &factory::fmu);
}

#[test]
#[cfg(target_os = "linux")]
fn windows_of_isolated_units_allocate_nothing() {
    let isolation = isolation();
    // A process for each unit: what one cut allocates, another one does.
    nothing_is_allocated(&[Coupling::ForceDisplacement], &[1], &|model, name| {
        factory::isolated(&isolation, model, name)
    });
}

fn nothing_is_allocated(couplings: &[Coupling], rates: &[u32], units: macrostep_analysis::models::Factory<'_>) {
    let _open = factory::open_all().expect("the FMUs open");
    for &coupling in couplings {
        for (name, schedule) in schedules() {
            let corrected = |correction| Method { correction, ..classical(1, schedule.clone()) };
            let (nepce, leak) = (EnergyCorrection::Nepce, EnergyCorrection::Leak);
            let control = Some(StepControl::new(Estimate::Error, 1e-4));
            let methods: [(&str, Method); 14] = [
                ("hold", classical(0, schedule.clone())),
                ("quadratic", classical(2, schedule.clone())),
                ("H5", method(Hermite::H5, schedule.clone())),
                ("ia1", method(IntegratedAcceleration::new(1), schedule.clone())),
                ("jerk", method(Jerk::default(), schedule.clone())),
                ("nepce", Method { energy: nepce, ..classical(1, schedule.clone()) }),
                ("leak", Method { energy: leak, ..classical(0, schedule.clone()) }),
                ("control", Method { control, ..classical(1, schedule.clone()) }),
                ("newton", implicit(classical(1, schedule.clone()))),
                ("iqn-ils", corrected(Correction::QuasiNewton(QuasiNewton::iqn_ils()))),
                ("iqn-imvj", corrected(Correction::MultiVector(MultiVector::default()))),
                ("newton-krylov", corrected(Correction::NewtonKrylov(NewtonKrylov::default()))),
                ("semi-implicit", corrected(Correction::SemiImplicit(SemiImplicit::default()))),
                ("linear-implicit", corrected(Correction::LinearImplicit)),
            ];
            for (method_name, method) in methods {
                for &rate in rates {
                    // Linear models are of one macro step for all.
                    if rate != 1 && matches!(method.correction, Correction::LinearImplicit) {
                        continue;
                    }
                    let is_named = rate == 3 || method.energy != EnergyCorrection::Monitor;
                    let bonds = if is_named { Bonds::Named } else { Bonds::Unwatched };
                    let mut pair = Pair { bonds, ..Pair::new(coupling, method.clone(), 1e-3, 1e6) };
                    pair.shares = [(1, 1), (1, rate)];
                    let mut c = build(&pair, units).expect("built");
                    c.simulation.record(c.units[0], "x", "x1").expect("recorded");
                    c.simulation.record(c.units[1], "a", "a2").expect("recorded");
                    let mut rows = Trace::new(["x1", "a2"].map(|n| Column::new(n, "1")));
                    rows.reserve(200);
                    for _ in 0..50 {
                        c.simulation.step().expect("a step");
                    }
                    let before = allocations();
                    for _ in 0..100 {
                        c.simulation.step().expect("a step");
                        c.simulation.observe(&mut rows).expect("a row");
                    }
                    let count = allocations() - before;
                    assert_eq!(count, 0, "{coupling} {name} {method_name}, rate {rate}");
                }
            }
        }
    }
}
