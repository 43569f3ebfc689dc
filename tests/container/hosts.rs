//! What a host may do wrong, and what it is told.

use macrostep_import::fmu::FmuOptions;
use macrostep_master::unit::Unit;

use super::{Instance, empty, exported};

/// Calls at the wrong time and with wrong values are refused, and the instance goes on.
#[test]
fn wrong_calls_are_refused() {
    let folder = empty("wrong");
    let options = ["--predict", "linear", "--step", "1e-3", "--stop", "0.1"];
    let fmu = exported(&folder, "case-1:f-s", &options);
    let mut instance = Instance { unit: fmu.instantiate("early", &FmuOptions::default()).expect("one"), now_s: 0.0 };
    let x = instance.reference("mass1.x");
    assert!(instance.unit.get_real(&[x], &mut [0.0]).is_err());
    assert!(instance.unit.step(0.0, 1e-3, true).is_err());
    instance.unit.setup(0.0, Some(0.1), None).expect("set up");
    instance.begin();
    for (t_s, step_s) in [(0.0, 0.0), (0.0, -1e-3), (0.0, f64::NAN), (0.5, 1e-3), (0.0, 1.0), (0.0, f64::INFINITY)] {
        assert!(instance.unit.step(t_s, step_s, true).is_err(), "{t_s} {step_s}");
    }
    assert!(instance.unit.get_real(&[99_999], &mut [0.0]).is_err());
    assert!(instance.unit.set_real(&[x], &[1.0]).is_err());
    instance.step(1e-3);
}
