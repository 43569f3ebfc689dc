//! Communication steps of any length, of the models whose method has steps of one length.

use macrostep_description::Causality;
use macrostep_models_mechanics::find;
use macrostep_slave::{Slave, Snapshot};

/// The models, the step H of their method (s), and a force that moves them (N).
const MODELS: [(&str, f64, f64); 3] =
    [("crane", 0.004, 3e4), ("stop_mass", 0.004, 1.2e4), ("incline_block", 0.005, 3.0)];

/// Outputs of the step to come: they do not lie between two points.
const TO_COME: [&str; 5] = ["der(", "W[", "b[", "mass_eff", "force_eff"];

/// A model under way.
struct Led {
    slave: Box<dyn Slave>,
    reals: Vec<u32>,
    integers: Vec<u32>,
    now_s: f64,
}

impl Led {
    fn begun(name: &str, step_s: f64) -> Led {
        let mut slave = find(name).expect("a model").instantiate("led");
        let step = slave.description().variable("communication_step").expect("declared").value_reference;
        slave.set_real(&[step], &[step_s]).expect("settable");
        slave.setup_experiment(0.0, None, None).expect("legal");
        slave.enter_initialization().expect("legal");
        slave.exit_initialization().expect("legal");
        Led::of(slave, 0.0)
    }

    fn of(slave: Box<dyn Slave>, now_s: f64) -> Led {
        let variables = &slave.description().variables;
        let is_kept = |name: &str| TO_COME.iter().all(|begin| !name.starts_with(begin));
        let outputs = || variables.iter().filter(|v| v.causality == Causality::Output && is_kept(&v.name));
        let reals = outputs().filter(|v| v.real().is_some()).map(|v| v.value_reference).collect();
        let integers =
            ["contacts", "step_active_hash"].map(|n| slave.description().variable(n).expect("one").value_reference);
        Led { slave, reals, integers: integers.into(), now_s }
    }

    fn step(&mut self, length_s: f64) {
        self.slave
            .do_step(self.now_s, length_s, true)
            .unwrap_or_else(|e| panic!("at {} s, {length_s} s: {e}", self.now_s));
        self.now_s += length_s;
    }

    fn row(&mut self) -> (Vec<f64>, Vec<i32>) {
        let (mut reals, mut integers) = (vec![0.0; self.reals.len()], vec![0; self.integers.len()]);
        self.slave.get_real(&self.reals, &mut reals).expect("readable");
        self.slave.get_integer(&self.integers, &mut integers).expect("readable");
        (reals, integers)
    }

    /// Interface forces, as values and slopes.
    fn force(&mut self, value: f64, slope: f64) {
        let variables = &self.slave.description().variables;
        let forces: Vec<u32> =
            variables.iter().filter(|v| v.name.starts_with("lam_i")).map(|v| v.value_reference).collect();
        let n = forces.len();
        self.slave.set_real(&forces, &vec![value; n]).expect("settable");
        self.slave.set_real_input_derivatives(&forces, &vec![1; n], &vec![slope; n]).expect("settable");
    }
}

/// Ways of masters, in parts of H: halves, thirds, five hundredths of the time, parts with an irrational ratio, long ones.
fn ways(points: usize) -> [Vec<f64>; 6] {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    [
        vec![0.5],
        vec![1.0 / 3.0],
        vec![points as f64 / 500.0],
        vec![golden, 3.0 - golden],
        vec![2.5],
        vec![std::f64::consts::FRAC_1_SQRT_2],
    ]
}

/// Where masters meet the grid they have the bits of whole steps; between two points reals lie on the line and integers stay.
#[test]
fn points_of_the_grid_keep_their_bits() {
    const POINTS: usize = 60;
    for (name, step_s, force_n) in MODELS {
        let mut whole = Led::begun(name, step_s);
        whole.force(force_n, 0.0);
        let rows: Vec<_> = (0..=POINTS)
            .map(|n| {
                if n > 0 {
                    whole.step(step_s);
                }
                whole.row()
            })
            .collect();
        for way in ways(POINTS) {
            let (mut led, mut met, end_s) = (Led::begun(name, step_s), 0, POINTS as f64 * step_s);
            led.force(force_n, 0.0);
            // As masters add up their time: the last step is what is left, rounding included.
            for part in way.iter().cycle() {
                let left_s = end_s - led.now_s;
                if left_s <= 0.0 {
                    break;
                }
                led.step((part * step_s).min(left_s));
                let (at, (reals, integers)) = (led.now_s / step_s, led.row());
                if (at - at.round()).abs() < 1e-9 {
                    met += 1;
                    let expected = &rows[at.round() as usize];
                    assert!(reals == expected.0 && integers == expected.1, "{name} {way:?}: {at}");
                    continue;
                }
                let (before, after) = (&rows[at as usize], &rows[at as usize + 1]);
                assert_eq!(integers, before.1, "{name} {way:?}: {at}");
                for (i, y) in reals.iter().enumerate() {
                    let line = before.0[i] + at.fract() * (after.0[i] - before.0[i]);
                    let bound = 1e-9 * (before.0[i].abs() + after.0[i].abs()) + 1e-12;
                    // Quaternions are brought back to length 1.
                    let turned = 1e-4 * f64::from(u8::from(name == "crane" && line.abs() <= 1.0));
                    assert!((y - line).abs() <= bound + turned, "{name} {way:?}: {at}: {y} {line}");
                }
            }
            assert!(met >= 1, "{name} {way:?}");
        }
    }
}

/// A force that is told as a line, and taken with its mean over each step of the method, is the same force whatever the steps.
#[test]
fn a_ramp_is_the_same_whatever_the_steps() {
    let led = |parts: &[f64]| {
        let mut led = Led::begun("incline_block", 0.005);
        for part in parts.iter().cycle() {
            let now_s = led.now_s;
            led.force(40.0 * now_s, 40.0);
            led.step(part * 0.005);
            if led.now_s > 0.3 - 1e-9 {
                break;
            }
        }
        assert!((led.now_s - 0.3).abs() < 1e-9);
        led.row().0
    };
    let whole = led(&[1.0]);
    for parts in [&[0.5][..], &[0.25], &[0.3, 0.7], &[0.6, 2.4], &[3.0], &[0.8, 1.2, 10.0]] {
        for (a, b) in led(parts).iter().zip(&whole) {
            assert!((a - b).abs() <= 1e-11 * (1.0 + b.abs()), "{parts:?}: {a} {b}");
        }
    }
}

/// A state between two points goes back there, in the same instance and in another one, inputs set there included.
#[test]
fn a_state_between_two_points_goes_back() {
    for (name, step_s, force_n) in MODELS {
        let mut one = Led::begun(name, step_s);
        one.force(force_n, 0.0);
        one.step(7.3 * step_s);
        one.force(2.0 * force_n, 0.0);
        let mut snapshot = Snapshot::default();
        one.slave.save(&mut snapshot).expect("saved");
        let mut bytes = vec![0; one.slave.serialized_size(&snapshot).expect("a size")];
        one.slave.serialize(&snapshot, &mut bytes).expect("serialised");
        let (middle, now_s) = (one.row(), one.now_s);
        let on = |led: &mut Led| {
            let mut rows = vec![led.row()];
            for part in [0.2, 0.4, 0.1, 2.6, 1.0] {
                led.step(part * step_s);
                rows.push(led.row());
            }
            rows
        };
        let end = on(&mut one);
        assert!(end[0] == middle && end[1] != middle, "{name}");
        one.slave.restore(&snapshot).expect("restored");
        one.now_s = now_s;
        assert!(on(&mut one) == end, "{name}: the same instance");
        let mut other = find(name).expect("a model").instantiate("other");
        let mut taken = Snapshot::default();
        other.deserialize(&bytes, &mut taken).expect("a state");
        other.restore(&taken).expect("restored");
        assert!(on(&mut Led::of(other, now_s)) == end, "{name}: another instance");
        // The force counts from the next point on: as one that is set there.
        let mut late = Led::begun(name, step_s);
        late.force(force_n, 0.0);
        late.step(8.0 * step_s);
        late.force(2.0 * force_n, 0.0);
        late.step(2.0 * step_s);
        let mut early = Led::begun(name, step_s);
        early.force(force_n, 0.0);
        early.step(7.3 * step_s);
        early.force(2.0 * force_n, 0.0);
        early.step(2.7 * step_s);
        assert!(early.row() == late.row(), "{name}: inputs");
    }
}
