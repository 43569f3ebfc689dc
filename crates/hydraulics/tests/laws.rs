//! Micro steps of a cylinder and of a window against the equations of their modules, term by term.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_hydraulics::{
    Circuit, CircuitState, Cylinder, Delivery, FastSide, Forces, Interface, Prediction, Profile, Relief, Trapezoid,
    Valve, Window, orifice, window,
};

fn cylinder() -> Cylinder {
    Cylinder {
        area_m2: [40e-4, 25e-4],
        dead_volume_m3: [4e-4, 5e-4],
        stroke_m: 0.6,
        bulk_modulus_pa: 1e9,
        leak_m3spa: 1e-11,
        viscous_nsm: 1e4,
        valve: Valve { gain: 4e-7, supply_pa: 16e6, tank_pa: 1e5, smoothing_pa: 1e5, lag_s: 8e-3 },
        relief: Relief { pressure_pa: 25e6, gain: 8e-10 },
        vapour_pa: 1e3,
        position_gain: 10.0,
        speed_gain: 0.1,
        desired: Profile { pulses: vec![Trapezoid { begin_s: 1.0, end_s: 3.0, ramp_s: 0.5, value: 0.4 }] },
    }
}

/// λ = A1 p1 − A2 p2 − b_f w: friction works against the motion, in both directions.
#[test]
fn friction_is_against_the_motion() {
    let c = cylinder();
    let state = c.holding(0.2, 5000.0, 0, 6e6);
    for w in [0.3, -0.3] {
        assert!((c.force(&state, w) - (5000.0 - 1e4 * w)).abs() < 1e-6, "{w}");
    }
}

/// Flows by the orifice law for an open valve, both ways.
#[test]
fn flows_follow_the_orifice_law() {
    let c = cylinder();
    let mut state = c.holding(0.2, 5000.0, 0, 6e6);
    let [p1, p2] = state.pressure_pa;
    state.spool = 0.5;
    let q = |d: f64| 4e-7 * 0.5 * orifice(d, 1e5);
    assert_eq!(c.flows(&state), [q(16e6 - p1), -q(p2 - 1e5)]);
    state.spool = -0.5;
    assert_eq!(c.flows(&state), [-q(p1 - 1e5), q(16e6 - p2)]);
}

/// The spool goes to the command, and to no more than full opening: x' = (sat(u) − x)/τ.
#[test]
fn the_command_of_the_spool_is_limited() {
    let mut c = cylinder();
    for (desired_m, speed_ms, command) in [(0.25, 0.1, 0.49), (0.2, 1.0, -0.1), (3.0, 0.0, 1.0), (-3.0, 0.0, -1.0)] {
        let mut state = c.holding(0.2, 0.0, 0, 6e6);
        (state.desired_m, state.spool) = (desired_m, 0.25);
        c.advance(&mut state, speed_ms, 1e-4, 0.0);
        let expected = 0.25 + 1e-4 / 8e-3 * (command - 0.25);
        assert!((state.spool - expected).abs() < 1e-15, "{desired_m}: {} is not {expected}", state.spool);
    }
    // The desired speed counts as well, at the beginning of the micro step, and moves the desired position.
    c.position_gain = 0.0;
    let mut state = c.holding(0.2, 0.0, 0, 6e6);
    c.advance(&mut state, 0.1, 1e-4, 1.25);
    assert!((state.spool - 1e-4 / 8e-3 * 0.1 * (0.2 - 0.1)).abs() < 1e-16, "{}", state.spool);
    assert!((state.desired_m - 0.2 - 1e-4 * 0.2).abs() < 1e-16 && (state.position_m - 0.2 - 1e-5).abs() < 1e-16);
}

/// Pressures after a micro step: flow, piston and leak over the volumes at its beginning.
#[test]
fn pressures_follow_flow_piston_and_leak() {
    let c = cylinder();
    let mut state = c.holding(0.2, 5000.0, 0, 6e6);
    state.spool = 0.5;
    let ([p1, p2], [q1, q2]) = (state.pressure_pa, c.flows(&state));
    let (h, w, leak) = (1e-5, 0.3, 1e-11 * (p1 - p2));
    c.advance(&mut state, w, h, 0.0);
    let expected = [
        p1 + h * 1e9 / (4e-4 + 40e-4 * 0.2) * (q1 - 40e-4 * w - leak),
        p2 + h * 1e9 / (5e-4 + 25e-4 * (0.6 - 0.2)) * (q2 + 25e-4 * w + leak),
    ];
    for i in 0..2 {
        assert!(
            (state.pressure_pa[i] / expected[i] - 1.0).abs() < 1e-14,
            "{:?} is not {expected:?}",
            state.pressure_pa
        );
    }
}

/// Writes down what it is given: times, and speeds at the end of each micro step.
struct Notes;

impl FastSide for Notes {
    type State = (f64, Vec<[f64; 2]>);

    fn force(&self, state: &Self::State, speed: &[f64], force: &mut [f64]) {
        force[0] = 2.0 + state.0 - 0.5 * speed[0];
        force[1] = 1.0;
    }

    fn advance(&self, state: &mut Self::State, speed: &[f64], step_s: f64, time_s: f64) {
        state.0 += step_s * speed[0];
        state.1.push([time_s, speed[0]]);
    }

    fn synchronise(&self, state: &mut Self::State, position: &[f64]) {
        state.0 = position[0];
    }
}

fn noted(prediction: Prediction) -> (Vec<[f64; 2]>, Forces) {
    let mobility = &[2.0, 0.5, 0.25, 1.0];
    let slow = Interface {
        prediction,
        position: &[0.5, 0.0],
        speed: &[1.0, 3.0],
        speed_before: &[0.6, 3.0],
        mobility,
        bias: &[-3.0, 0.75],
    };
    let (mut state, mut forces) = ((0.0, Vec::new()), Forces::default());
    window(&Notes, &mut state, &Window::divide(7.0, 0.4, 0.1).unwrap(), &slow, &mut forces);
    (state.1, forces)
}

/// A linear prediction is a straight line, and each micro step is told the time of its beginning.
#[test]
fn micro_steps_are_told_their_time_and_the_speed_at_their_end() {
    let (seen, forces) = noted(Prediction::Linear);
    assert_eq!(seen.len(), 4);
    for (k, [time_s, speed]) in seen.iter().enumerate() {
        let k = k as f64;
        assert!((time_s - 7.0 - 0.1 * k).abs() < 1e-14, "{seen:?}");
        assert!((speed - 1.0 - 0.4 * (k + 1.0) / 4.0).abs() < 1e-14, "{seen:?}");
    }
    // Position: 0.5 + Σ h w.
    assert!((forces.position[0] - 0.5 - 0.1 * (1.1 + 1.2 + 1.3 + 1.4)).abs() < 1e-14, "{forces:?}");
    let (held, _) = noted(Prediction::Hold);
    assert!(held.iter().all(|[_, speed]| *speed == 1.0), "{held:?}");
}

/// Mean force, end force, speeds of the interface model and work, written out again.
#[test]
fn forces_and_work_of_a_window_are_their_sums() {
    let (_, found) = noted(Prediction::InterfaceModel);
    let (mut s, mut w, mut mean, mut work) = ([0.5, 0.0], [1.0, 3.0], [0.0; 2], 0.0);
    for _ in 0..4 {
        let force = [2.0 + s[0] - 0.5 * w[0], 1.0];
        let next =
            [w[0] + 0.1 * (2.0 * force[0] + 0.5 * force[1] - 3.0), w[1] + 0.1 * (0.25 * force[0] + force[1] + 0.75)];
        for i in 0..2 {
            mean[i] += force[i] / 4.0;
            work += 0.1 * force[i] * 0.5 * (w[i] + next[i]);
            s[i] += 0.1 * next[i];
        }
        w = next;
    }
    let near = |a: &[f64], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13);
    assert!(near(&found.mean, mean) && near(&found.speed, w) && near(&found.position, s), "{found:?}");
    assert!(near(&found.end, [2.0 + s[0] - 0.5 * w[0], 1.0]) && (found.work_j - work).abs() < 1e-13, "{found:?}");
}

/// Each cylinder of a circuit has its own speed, force and position.
#[test]
fn a_circuit_is_its_cylinders() {
    let c = cylinder();
    let circuit = Circuit { cylinders: vec![c.clone(), Cylinder { viscous_nsm: 5e3, ..c.clone() }] };
    let starts = vec![c.holding(0.2, 5000.0, 0, 6e6), c.holding(0.3, -2000.0, 1, 4e6)];
    let mut state = CircuitState { cylinders: starts.clone() };
    let mut force = [0.0; 2];
    circuit.force(&state, &[0.1, 0.2], &mut force);
    assert!((force[0] - 4000.0).abs() < 1e-6 && (force[1] + 3000.0).abs() < 1e-6, "{force:?}");
    circuit.advance(&mut state, &[0.1, 0.2], 1e-4, 0.0);
    for (i, w) in [0.1, 0.2].into_iter().enumerate() {
        let mut own = starts[i];
        circuit.cylinders[i].advance(&mut own, w, 1e-4, 0.0);
        assert_eq!(state.cylinders[i], own);
    }
    circuit.synchronise(&mut state, &[0.4, 0.5]);
    assert_eq!(state.cylinders.iter().map(|c| c.position_m).collect::<Vec<_>>(), [0.4, 0.5]);
    assert_ne!(Delivery::End, Delivery::Mean);
}

/// Pulses begin with their first time, end before their last, and add.
#[test]
fn pulses_add_and_end() {
    let pulse = |begin_s, value| Trapezoid { begin_s, end_s: begin_s + 2.0, ramp_s: 0.5, value };
    let profile = Profile { pulses: vec![pulse(1.0, 0.4), pulse(2.0, -0.1)] };
    let expected =
        [(0.99, 0.0), (1.25, 0.2), (1.5, 0.4), (2.25, 0.35), (2.75, 0.1), (3.5, -0.1), (3.75, -0.05), (4.0, 0.0)];
    for (t_s, value) in expected {
        assert!((profile.at(t_s) - value).abs() < 1e-15, "{t_s} s: {}", profile.at(t_s));
    }
    // A rectangle has its value at its beginning, and none at its end.
    let rectangle = Profile { pulses: vec![Trapezoid { begin_s: 1.0, end_s: 2.0, ramp_s: 0.0, value: 3.0 }] };
    assert_eq!([1.0, 1.5, 2.0].map(|t| rectangle.at(t)), [3.0, 3.0, 0.0]);
}
