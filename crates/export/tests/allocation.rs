//! What a master calls in every step does not allocate.

#[path = "../../../tests/kit/counting.rs"]
mod counting;

use counting::allocations;
use macrostep_models::find;
use macrostep_slave::{Slave, Snapshot, Tangent};

/// A macro step with rollback and everything read.
fn window(s: &mut dyn Slave, saved: &mut Snapshot, refs: &[Vec<u32>; 3], t: f64) {
    let [inputs, outputs, nodes] = refs;
    let orders = [1, 2, 5];
    let (mut y, mut dense) = ([0.0; 7], [0.0; 3]);
    for trial in [0.1, 0.2] {
        if trial == 0.1 {
            s.save(saved).expect("a state");
        } else {
            s.restore(saved).expect("a state");
        }
        s.set_real(inputs, &[trial; 3]).expect("inputs");
        s.set_real_input_derivatives(inputs, &orders, &[trial; 3]).expect("inputs");
        s.do_step(t, 0.01, false).expect("a step");
        s.get_real(outputs, &mut y).expect("outputs");
        s.get_real(nodes, &mut dense).expect("outputs");
        s.get_real_output_derivatives(&outputs[..3], &orders, &mut dense).expect("outputs");
        s.directional_derivative(Tangent::new(&outputs[..3], inputs, &[1.0; 3], &mut dense)).expect("derivatives");
    }
}

#[test]
fn a_step_does_not_allocate_after_the_first() {
    for integrator in [1, 2, 3] {
        let mut s = find("oscillator1_displacement").expect("a model").instantiate("a");
        let s = s.as_mut();
        let refs = [
            vec!["xi", "xi_dot", "f_ext"],
            vec!["x", "v", "a", "jerk", "f_c", "e_kin", "e_pot"],
            vec!["x_node[1]", "v_node[7]", "f_c_node[20]"],
        ];
        let refs = refs.map(|names| {
            names.iter().map(|n| s.description().variable(n).expect("declared").value_reference).collect()
        });
        let parameter = s.description().variable("integrator").expect("declared").value_reference;
        s.set_integer(&[parameter], &[integrator]).expect("settable");
        s.enter_initialization().expect("legal");
        s.exit_initialization().expect("legal");
        let mut saved = Snapshot::new();
        window(s, &mut saved, &refs, 0.0);
        let before = allocations();
        for k in 1..20 {
            window(s, &mut saved, &refs, f64::from(k) * 0.01);
        }
        assert_eq!(allocations() - before, 0, "integrator {integrator}");
    }
}
