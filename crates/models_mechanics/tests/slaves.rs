//! The mechanical models as slaves: declarations, steps, saved states, the identity between hydraulics and multibody.

use macrostep_description::{Causality, rules};
use macrostep_models_mechanics::{all, find};
use macrostep_slave::{Outcome, Slave, Snapshot, Tangent};

/// Value references of the reals `name[1]`, `name[2]`, … or of `name` itself.
fn references(slave: &dyn Slave, name: &str) -> Vec<u32> {
    let is_entry = |v: &str| v == name || v.strip_prefix(name).is_some_and(|rest| rest.starts_with('['));
    let variables = slave.description().variables.iter().filter(|v| is_entry(&v.name) && v.real().is_some());
    let list: Vec<u32> = variables.map(|v| v.value_reference).collect();
    assert!(!list.is_empty(), "`{name}` is declared");
    list
}

fn get(slave: &mut dyn Slave, name: &str) -> Vec<f64> {
    let references = references(slave, name);
    let mut values = vec![0.0; references.len()];
    slave.get_real(&references, &mut values).expect("readable");
    values
}

fn set(slave: &mut dyn Slave, name: &str, values: &[f64]) {
    let references = references(slave, name);
    slave.set_real(&references, values).expect("settable");
}

fn initialise(slave: &mut dyn Slave) {
    slave.setup_experiment(0.0, None, None).expect("legal");
    slave.enter_initialization().expect("legal");
    slave.exit_initialization().expect("legal");
}

/// One macro step of the fast side first, with the mean force; returns the predicted speeds.
fn couple(slow: &mut dyn Slave, fast: &mut dyn Slave, t_s: f64, h: f64) -> Vec<f64> {
    for (from, to) in [("w", "w0"), ("s", "s0"), ("W", "W"), ("b", "b")] {
        let values = get(slow, from);
        set(fast, to, &values);
    }
    assert_eq!(fast.do_step(t_s, h, true).expect("a step"), Outcome::Done);
    let force = get(fast, "lam_mean");
    set(slow, "lam_i", &force);
    assert_eq!(slow.do_step(t_s, h, true).expect("a step"), Outcome::Done);
    get(fast, "w_pred")
}

/// Both sides of a pair, initialised in equilibrium for a communication step.
fn pair(slow: &str, fast: &str, h: f64) -> [Box<dyn Slave>; 2] {
    let mut slow = find(slow).expect("a model").instantiate("slow");
    set(slow.as_mut(), "communication_step", &[h]);
    initialise(slow.as_mut());
    let holding = get(slow.as_mut(), "lam_hold");
    let mut fast = find(fast).expect("a model").instantiate("fast");
    set(fast.as_mut(), "lam_start", &holding);
    initialise(fast.as_mut());
    [slow, fast]
}

#[test]
fn declarations_break_no_rule() {
    for entry in all() {
        let d = entry.try_describe().expect("a legal declaration");
        assert_eq!(rules::check(&d), [], "{}", entry.identifier);
        assert_eq!(d.guid, entry.describe().guid);
        let co = d.co_simulation.as_ref().expect("co-simulation");
        assert!(co.can_serialize_fmu_state && co.provides_directional_derivative);
        assert_eq!(co.can_handle_variable_communication_step_size, entry.identifier.ends_with("hydraulics"));
    }
}

fn integer(slave: &mut dyn Slave, name: &str) -> i32 {
    let reference = slave.description().variable(name).expect("declared").value_reference;
    let mut value = [0];
    slave.get_integer(&[reference], &mut value).expect("readable");
    value[0]
}

/// (I) through the slaves: what the hydraulics predict is what the multibody system does, while the set holds and no
/// Coulomb friction that slides changes the interface speed (its bound follows the normal force inside the step).
#[test]
fn predicted_speeds_come_true() {
    for (slow, fast, h, steps) in
        [("stop_mass", "stop_hydraulics", 0.004, 700), ("crane", "crane_hydraulics", 0.016, 130)]
    {
        let [mut slow, mut fast] = pair(slow, fast, h);
        let (mut held, mut changed) = (0, 0.0_f64);
        for n in 0..steps {
            let expected = integer(slow.as_mut(), "active_hash");
            let predicted = couple(slow.as_mut(), fast.as_mut(), f64::from(n) * h, h);
            let found = get(slow.as_mut(), "w_step");
            let error = predicted.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if integer(slow.as_mut(), "step_active_hash") == expected {
                held += 1;
                assert!(error < 1e-12, "step {n}: {error:e}");
            } else {
                changed = changed.max(error);
            }
        }
        assert!(held > steps * 9 / 10, "{held} held");
        // The test sees a changed set: the mass meets its stop.
        assert!(slow.description().model_name != "stop_mass" || changed > 1e-4, "{changed:e}");
    }
}

#[test]
fn directional_derivatives_are_the_mobility_and_the_viscous_friction() {
    let [mut slow, mut fast] = pair("crane", "crane_hydraulics", 0.004);
    for n in 0..20 {
        couple(slow.as_mut(), fast.as_mut(), f64::from(n) * 0.004, 0.004);
    }
    let (forces, rates) = (
        references(slow.as_ref(), "lam_i"),
        [1, 2].map(|i| slow.description().variable(&format!("der(w[{i}])")).expect("declared").value_reference),
    );
    let w = get(slow.as_mut(), "W");
    let mut column = [0.0; 2];
    slow.directional_derivative(Tangent::new(&rates, &forces, &[0.0, 1.0], &mut column)).expect("offered");
    assert_eq!(column.map(f64::to_bits), [w[1], w[2]].map(f64::to_bits));
    // Against a difference: der(w) is linear in the forces.
    let rate = |slave: &mut dyn Slave| {
        let mut values = [0.0; 2];
        slave.get_real(&rates, &mut values).expect("readable");
        values
    };
    let (force, before) = (get(slow.as_mut(), "lam_i"), rate(slow.as_mut()));
    set(slow.as_mut(), "lam_i", &[force[0], force[1] + 100.0]);
    let after = rate(slow.as_mut());
    for i in 0..2 {
        assert!(((after[i] - before[i]) / 100.0 - column[i]).abs() < 1e-9, "{before:?} {after:?}");
    }
    let (speeds, lam) = (references(fast.as_ref(), "w0"), references(fast.as_ref(), "lam"));
    fast.directional_derivative(Tangent::new(&lam, &speeds, &[1.0, 1.0], &mut column)).expect("offered");
    assert_eq!(column, [-2e4, -1.5e4]);
}

/// Hydraulics take any step: as near to fine micro steps as with multiples of the micro step.
#[test]
fn hydraulics_take_any_step() {
    let force = |micro_s: f64, lengths: &[f64]| {
        let mut slave = find("crane_hydraulics").expect("a model").instantiate("any");
        set(slave.as_mut(), "micro_step", &[micro_s]);
        initialise(slave.as_mut());
        let mut t = 0.0;
        for h in lengths.iter().cycle() {
            let h = h.min(0.2 - t);
            if h <= 0.0 {
                break;
            }
            set(slave.as_mut(), "w0", &[0.02, -0.01]);
            set(slave.as_mut(), "s0", &[0.02 * t, -0.01 * t]);
            slave.do_step(t, h, true).expect("a step");
            t += h;
        }
        get(slave.as_mut(), "lam_end")[0]
    };
    let (fine, whole) = (force(1e-6, &[0.004]), force(2e-4, &[0.004]));
    let bound = (whole - fine).abs();
    assert!(bound > 0.0);
    for lengths in [&[0.0005][..], &[0.004 / 3.0], &[0.004 * std::f64::consts::FRAC_1_SQRT_2], &[0.00407, 0.0002]] {
        let off = (force(2e-4, lengths) - fine).abs();
        assert!(off <= 1.2 * bound, "{lengths:?}: {off:e} Pa, with multiples {bound:e} Pa");
    }
}

/// A line through the last two speeds is one in time, whatever the lengths of steps.
#[test]
fn linear_predictions_follow_a_ramp_over_steps_of_any_length() {
    let mut slave = find("crane_hydraulics").expect("a model").instantiate("ramp");
    initialise(slave.as_mut());
    let prediction = slave.description().variable("prediction").expect("declared").value_reference;
    slave.set_integer(&[prediction], &[2]).expect_err("fixed by now");
    let mut slave = find("crane_hydraulics").expect("a model").instantiate("ramp");
    slave.set_integer(&[prediction], &[2]).expect("set");
    initialise(slave.as_mut());
    let mut t = 0.0;
    for (n, h) in [0.004, 0.004, 0.0013, 0.0071, 0.002].into_iter().enumerate() {
        set(slave.as_mut(), "w0", &[0.5 * t, -0.2 * t]);
        slave.do_step(t, h, true).expect("a step");
        t += h;
        let found = get(slave.as_mut(), "w_pred");
        assert!(n == 0 || ((found[0] - 0.5 * t).abs() < 1e-14 && (found[1] + 0.2 * t).abs() < 1e-14), "{n}: {found:?}");
    }
}

#[test]
fn without_a_communication_step_the_first_step_decides() {
    for name in ["crane", "stop_mass", "incline_block"] {
        let entry = find(name).expect("a model");
        let recommended = entry.describe().default_experiment.and_then(|e| e.step_size).expect("a step");
        let fresh = |h: f64| {
            let mut slave = entry.instantiate("first");
            set(slave.as_mut(), "communication_step", &[h]);
            initialise(slave.as_mut());
            slave
        };
        // The recommended step: the same bits as with the parameter, the interface model before the first step included.
        let [mut open, mut fixed] = [fresh(0.0), fresh(recommended)];
        for n in 0..20 {
            for output in ["W", "b", "w", "s", "w_step", "e_kin"] {
                let bits = |slave: &mut dyn Slave| get(slave, output).into_iter().map(f64::to_bits).collect::<Vec<_>>();
                assert_eq!(bits(open.as_mut()), bits(fixed.as_mut()), "{name} {output} {n}");
            }
            for slave in [&mut open, &mut fixed] {
                slave.do_step(f64::from(n) * recommended, recommended, true).expect("a step");
            }
        }
        // Another step: from then on as with the parameter, a remainder before it notwithstanding.
        let h = 2.0 * recommended;
        let [mut open, mut fixed, mut late] = [fresh(0.0), fresh(h), fresh(0.0)];
        late.do_step(0.0, 1e-9 * h, true).expect("a remainder");
        for (slave, start_s) in [(&mut open, 0.0), (&mut fixed, 0.0), (&mut late, 1e-9 * h)] {
            slave.do_step(start_s, h, true).expect("a step");
        }
        assert_eq!(get(open.as_mut(), "b"), get(fixed.as_mut(), "b"), "{name}");
        assert_eq!(get(late.as_mut(), "b"), get(fixed.as_mut(), "b"), "{name}");
        // Lengths that are no H: it is the recommended one.
        for other in [1e-7, 1.5] {
            let mut slave = fresh(0.0);
            slave.do_step(0.0, other, true).expect("a step");
            let mut fixed = fresh(recommended);
            (0..(other / recommended).ceil() as u32).for_each(|n| {
                fixed.do_step(f64::from(n) * recommended, recommended, true).expect("a step");
            });
            assert_eq!(get(slave.as_mut(), "b"), get(fixed.as_mut(), "b"), "{name} {other}");
        }
        let refused = fresh(0.0).do_step(0.0, 1e300, true).expect_err("too many").to_string();
        assert!(refused.contains("expected at most 1000000"), "{refused}");
        let mut slave = entry.instantiate("wrong");
        set(slave.as_mut(), "communication_step", &[1e-9]);
        slave.setup_experiment(0.0, None, None).expect("legal");
        let refused = slave.enter_initialization().expect_err("no length").to_string();
        assert!(refused.contains("`communication_step` = 0.000000001 s found"), "{refused}");
    }
}

fn state(slave: &mut dyn Slave) -> Vec<u8> {
    let mut snapshot = Snapshot::default();
    slave.save(&mut snapshot).expect("saved");
    let mut bytes = vec![0; slave.serialized_size(&snapshot).expect("a size")];
    slave.serialize(&snapshot, &mut bytes).expect("serialised");
    bytes
}

fn restore(slave: &mut dyn Slave, bytes: &[u8]) {
    let mut snapshot = Snapshot::default();
    slave.deserialize(bytes, &mut snapshot).expect("a state");
    slave.restore(&snapshot).expect("restored");
}

/// Saved in the grasp, where sets change, restored into the same and into fresh instances: the same bits.
#[test]
fn save_restore_repeat_is_bit_identical() {
    let h = 0.016;
    let [mut slow, mut fast] = pair("crane", "crane_hydraulics", h);
    let run = |slow: &mut dyn Slave, fast: &mut dyn Slave, from: i32, to: i32| {
        for n in from..to {
            couple(slow, fast, f64::from(n) * h, h);
        }
    };
    run(slow.as_mut(), fast.as_mut(), 0, 200);
    let saved = [state(slow.as_mut()), state(fast.as_mut())];
    run(slow.as_mut(), fast.as_mut(), 200, 260);
    let first = [state(slow.as_mut()), state(fast.as_mut())];
    let mut fresh = ["crane", "crane_hydraulics"].map(|name| find(name).expect("a model").instantiate("fresh"));
    for [slow, fast] in [&mut [slow, fast], &mut fresh] {
        restore(slow.as_mut(), &saved[0]);
        restore(fast.as_mut(), &saved[1]);
        assert!(saved == [state(slow.as_mut()), state(fast.as_mut())]);
        run(slow.as_mut(), fast.as_mut(), 200, 260);
        assert!(first == [state(slow.as_mut()), state(fast.as_mut())]);
    }
}

/// On an incline the block slides as the closed form says, and rests below the friction angle.
#[test]
fn the_block_slides_where_it_must() {
    for (degrees, friction) in [(26.57_f64, 0.5), (26.56, 0.5), (40.0, 0.3)] {
        let mut block = find("incline_block").expect("a model").instantiate("block");
        let angle = degrees.to_radians();
        set(block.as_mut(), "angle", &[angle]);
        set(block.as_mut(), "friction", &[friction]);
        initialise(block.as_mut());
        let speeds = [100, 200].map(|end| {
            for n in end - 100..end {
                block.do_step(f64::from(n) * 0.005, 0.005, true).expect("a step");
            }
            get(block.as_mut(), "w")[0]
        });
        let expected = 9.81 * (angle.sin() - friction * angle.cos());
        if expected > 0.0 {
            assert!(((speeds[1] - speeds[0]) / 0.5 - expected).abs() < 1e-9, "{degrees}: {speeds:?} {expected}");
        } else {
            assert!(speeds[1].abs() < 1e-7, "{degrees}: {speeds:?}");
        }
    }
}

/// Without forces the crane falls onto the log and the ground: contacts, stops and all rows at once, and still no failure.
#[test]
fn the_crane_falls_without_harm() {
    let mut crane = find("crane").expect("a model").instantiate("crane");
    initialise(crane.as_mut());
    for n in 0..500 {
        set(crane.as_mut(), "lam_i", &[0.0, 0.0]);
        crane.do_step(f64::from(n) * 0.004, 0.004, true).expect("a step");
    }
    let is_output = |v: &&macrostep_description::Variable| v.causality == Causality::Output && v.real().is_some();
    let outputs: Vec<u32> = crane.description().variables.iter().filter(is_output).map(|v| v.value_reference).collect();
    let mut values = vec![0.0; outputs.len()];
    crane.get_real(&outputs, &mut values).expect("readable");
    assert!(values.iter().all(|v| v.is_finite()));
    assert!(integer(crane.as_mut(), "contacts") > 3);
    assert!(get(crane.as_mut(), "violation")[0] < 1e-3);
    // It has come to rest, and below where it began.
    assert!(get(crane.as_mut(), "e_kin")[0] < 100.0 && get(crane.as_mut(), "s")[0] < -0.05);
}
