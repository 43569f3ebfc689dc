//! After the first steps a macro step of the slaves allocates nothing, outputs and interface model included.

#[path = "../../../tests/kit/counting.rs"]
mod counting;

use counting::allocations;
use macrostep_models_mechanics::find;
use macrostep_slave::Slave;

/// Value references of the reals `name[…]`.
fn references(slave: &dyn Slave, name: &str) -> Vec<u32> {
    let is_entry = |v: &str| v.strip_prefix(name).is_some_and(|rest| rest.starts_with('['));
    slave.description().variables.iter().filter(|v| is_entry(&v.name)).map(|v| v.value_reference).collect()
}

fn ready(model: &str) -> Box<dyn Slave> {
    let mut slave = find(model).expect("a model").instantiate("counted");
    slave.setup_experiment(0.0, None, None).expect("legal");
    slave.enter_initialization().expect("legal");
    slave.exit_initialization().expect("legal");
    slave
}

#[test]
fn macro_steps_allocate_nothing_while_no_contact_appears() {
    let (mut slow, mut fast) = (ready("crane"), ready("crane_hydraulics"));
    let wires: Vec<(Vec<u32>, Vec<u32>)> = [("w", "w0"), ("s", "s0"), ("W", "W"), ("b", "b")]
        .map(|(from, to)| (references(slow.as_ref(), from), references(fast.as_ref(), to)))
        .into();
    let back = (references(fast.as_ref(), "lam_mean"), references(slow.as_ref(), "lam_i"));
    let (mut values, mut allocating) = ([0.0; 4], Vec::new());
    for n in 0..500_u32 {
        let (t_s, before) = (f64::from(n) * 0.004, allocations());
        for (from, to) in &wires {
            let values = &mut values[..from.len()];
            slow.get_real(from, values).expect("readable");
            fast.set_real(to, values).expect("settable");
        }
        fast.do_step(t_s, 0.004, true).expect("a step");
        fast.get_real(&back.0, &mut values[..2]).expect("readable");
        slow.set_real(&back.1, &values[..2]).expect("settable");
        slow.do_step(t_s, 0.004, true).expect("a step");
        if allocations() > before {
            allocating.push(n);
        }
    }
    println!("{allocating:?}");
    assert!(allocating.iter().filter(|n| **n >= 5).count() == 0, "{allocating:?}");
    assert!(!allocating.is_empty(), "the test counts: the first steps allocate");
}
