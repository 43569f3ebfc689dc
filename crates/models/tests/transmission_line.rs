//! The transmission line against its standing waves, the delay of a wave, and its account of energy.

use macrostep_models::find;
use macrostep_slave::Slave;
use std::f64::consts::PI;

/// Cells of the model.
const CELLS: usize = 20;
/// Delay √(L C) \[s\] and impedance √(L/C) \[Ω\] of the model's start values.
const DELAY_S: f64 = 5e-7;
const IMPEDANCE: f64 = 50.0;

fn reference(slave: &dyn Slave, name: &str) -> u32 {
    slave.description().variable(name).unwrap_or_else(|| panic!("`{name}` is declared")).value_reference
}

fn get<const N: usize>(slave: &mut dyn Slave, names: [&str; N]) -> [f64; N] {
    let refs = names.map(|name| reference(slave, name));
    let mut values = [0.0; N];
    slave.get_real(&refs, &mut values).expect("readable");
    values
}

/// A line at its start, integrated exactly.
fn line(parameters: &[(&str, f64)]) -> Box<dyn Slave> {
    let mut slave = find("transmission_line").expect("a model").instantiate("line");
    for (name, value) in parameters {
        let r = reference(slave.as_ref(), name);
        slave.set_real(&[r], &[*value]).expect("settable");
    }
    let r = reference(slave.as_ref(), "integrator");
    slave.set_integer(&[r], &[3]).expect("settable");
    slave.setup_experiment(0.0, None, None).expect("legal");
    slave.enter_initialization().expect("legal");
    slave.exit_initialization().expect("legal");
    slave
}

/// Currents over the next step: values and rates.
fn drive(slave: &mut dyn Slave, currents: [[f64; 2]; 2]) {
    let refs = ["i_1", "i_2"].map(|name| reference(slave, name));
    slave.set_real(&refs, &currents.map(|i| i[0])).expect("inputs");
    slave.set_real_input_derivatives(&refs, &[1, 1], &currents.map(|i| i[1])).expect("rates");
}

/// Open at both ends and without losses, the voltages are the standing waves of the cells, cos(m π k/N) cos(ω_m t) with
/// ω_m = 2 N sin(m π/(2 N))/√(L C); those of the continuous line have m π/√(L C).
#[test]
fn an_open_line_has_its_standing_waves() {
    let mut slave = line(&[("R", 0.0), ("u0", 2.0)]);
    // Parts of the waves in the start: a scalar product with half weights at both ends, as the capacitances have.
    let n = CELLS as f64;
    let weight = |k: usize| if k == 0 || k == CELLS { 0.5 } else { 1.0 };
    let shape = |m: usize, k: usize| (PI * (m * k) as f64 / n).cos();
    let part = |m: usize| {
        let sum: f64 = (0..=CELLS).map(|k| weight(k) * shape(m, k) * 2.0 * (1.0 - k as f64 / n)).sum();
        sum * if m == 0 || m == CELLS { 1.0 } else { 2.0 } / n
    };
    let step_s = 3.7e-8;
    for step in 0..200 {
        let t_s = f64::from(step) * step_s;
        for (name, k) in [("u_1", 0), ("u_2", CELLS)] {
            let wave =
                |m: usize| part(m) * shape(m, k) * (2.0 * n * (0.5 * PI * m as f64 / n).sin() * t_s / DELAY_S).cos();
            let expected: f64 = (0..=CELLS).map(wave).sum();
            let [found] = get(slave.as_mut(), [name]);
            assert!((found - expected).abs() < 1e-10, "{name} at {t_s} s: {found} {expected}");
        }
        slave.do_step(t_s, step_s, true).expect("a step");
    }
}

/// A slow pulse of current into end 1 makes Z i there, comes out at the open end 2 after the delay with twice the voltage, and back at end 1
/// after twice the delay. Waves of the cells are slower than the line's, which is the error allowed.
#[test]
fn a_pulse_travels_with_the_delay() {
    let mut slave = line(&[("R", 0.0), ("u0", 0.0)]);
    let (length_s, step_s) = (3.0 * DELAY_S, DELAY_S / 50.0);
    let pulse = |t_s: f64| if (0.0..length_s).contains(&t_s) { (PI * t_s / length_s).sin().powi(4) } else { 0.0 };
    let mut worst: f64 = 0.0;
    for step in 0..250 {
        let t_s = f64::from(step) * step_s;
        // Open ends reflect a wave whole: it passes end 1 again after two delays, and end 2 after three.
        let echoes = |first: f64| (0..3).map(|n| pulse(t_s - (first + 2.0 * f64::from(n)) * DELAY_S)).sum::<f64>();
        let expected = [2.0 * echoes(0.0) - pulse(t_s), 2.0 * echoes(1.0)].map(|i| IMPEDANCE * i);
        let found = get(slave.as_mut(), ["u_1", "u_2"]);
        worst = found.iter().zip(expected).map(|(f, e)| (f - e).abs()).fold(worst, f64::max);
        let slope = (pulse(t_s + step_s) - pulse(t_s)) / step_s;
        drive(slave.as_mut(), [[pulse(t_s), slope], [0.0, 0.0]]);
        slave.do_step(t_s, step_s, true).expect("a step");
    }
    println!("largest error {worst:.3} V of {:.0} V", 2.0 * IMPEDANCE);
    assert!(worst < 0.008 * 2.0 * IMPEDANCE, "{worst}");
}

/// With losses and currents at both ends the stored energy is what flowed in less what was lost.
#[test]
fn energy_is_accounted_for() {
    let mut slave = line(&[("R", 20.0), ("G", 1e-3), ("u0", 5.0)]);
    let step_s = 1e-10;
    let currents = |t_s: f64| [0.1 * (3e6 * t_s).sin(), 0.05 + 2e4 * t_s];
    // Power into the line less losses, at the newest three points for Simpson's rule.
    let power = |slave: &mut dyn Slave, t_s: f64| {
        let ([u_1, u_2, loss], [i_1, i_2]) = (get(slave, ["u_1", "u_2", "loss"]), currents(t_s));
        u_1 * i_1 + u_2 * i_2 - loss
    };
    let [start] = get(slave.as_mut(), ["energy"]);
    let (mut flowed, mut lost, mut ends) = (0.0, 0.0, [power(slave.as_mut(), 0.0); 3]);
    for step in 0..10_000u32 {
        let t_s = f64::from(step) * step_s;
        let (now, next) = (currents(t_s), currents(t_s + step_s));
        drive(slave.as_mut(), [0, 1].map(|i| [now[i], (next[i] - now[i]) / step_s]));
        slave.do_step(t_s, step_s, true).expect("a step");
        ends[1 + step as usize % 2] = power(slave.as_mut(), t_s + step_s);
        lost += get(slave.as_mut(), ["loss"])[0] * step_s;
        if step % 2 == 1 {
            flowed += (ends[0] + 4.0 * ends[1] + ends[2]) * step_s / 3.0;
            ends[0] = ends[2];
        }
    }
    let [end] = get(slave.as_mut(), ["energy"]);
    println!("start {start:e} J, end {end:e} J, lost {lost:e} J");
    assert!(lost > 0.1 * start && (end - start - flowed).abs() < 1e-5 * start, "{end:e} {start:e} {flowed:e}");
}
