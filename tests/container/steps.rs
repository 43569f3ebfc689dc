//! Any communication step: windows that are shortened, or outputs between two points of the grid inside.
//!
//! Methods of the first list let windows be shortened, those of the second go on to their grid.

use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::{Derivatives, Outcome, States, Steps};
use macrostep_oscillator::{Exact, Parameters};

use super::{Instance, empty, exported, run};
#[cfg(target_os = "linux")]
use crate::make;

const SHORTENED: [&[&str]; 3] = [
    &["--method", "waveform:20", "--step", "0.2", "--stop", "2"],
    &["--predict", "h5", "--correct", "newton", "--step", "1e-2", "--stop", "2"],
    &["--predict", "linear", "--step", "1e-3", "--stop", "2"],
];

const PASSED: [&[&str]; 2] = [
    &["--method", "palindromic", "--step", "0.01", "--stop", "0.5"],
    &["--control", "error", "--step", "0.01", "--stop", "0.5"],
];

fn varies(fmu: &Fmu) -> bool {
    fmu.description().co_simulation.as_ref().is_some_and(|c| c.can_handle_variable_communication_step_size)
}

/// Steps of these lengths in turn, cut at the end as masters do that add up their time; `look` is shown each point.
fn lead(instance: &mut Instance, lengths: &[f64], stop_s: f64, mut look: impl FnMut(&mut Instance)) {
    for step_s in lengths.iter().cycle() {
        let left_s = stop_s - instance.now_s;
        if left_s <= 0.0 {
            break;
        }
        instance.step(step_s.min(left_s));
        look(instance);
    }
}

/// The largest distance from the exact solution, as a part of the amplitude, where both masses are led by these steps.
fn distance(fmu: &Fmu, lengths: &[f64], stop_s: f64) -> f64 {
    let exact = Exact::new(&Parameters::case_1()).expect("the solution");
    let amplitudes = exact.amplitudes(stop_s);
    let mut instance = Instance::begun(fmu, Some(stop_s));
    let mut worst = 0.0_f64;
    lead(&mut instance, lengths, stop_s, |instance| {
        let state = exact.at(instance.now_s);
        worst = worst.max((instance.get("mass1.x") - state[0]).abs() / amplitudes[0]);
        worst = worst.max((instance.get("mass2.x") - state[1]).abs() / amplitudes[1]);
    });
    worst
}

/// Half windows, thirds, five hundredths, irrational parts and long steps that are no multiple: as near to the solution as whole windows.
#[test]
fn shortened_windows_stay_on_the_solution() {
    for (n, options) in SHORTENED.into_iter().enumerate() {
        let fmu = exported(&empty(&format!("shortened-{n}")), "case-1:s-s", options);
        assert!(varies(&fmu), "{options:?}");
        let window_s: f64 = options[options.len() - 3].parse().expect("the step");
        let whole = distance(&fmu, &[window_s], 2.0);
        let parts = [0.5, 1.0 / 3.0, std::f64::consts::FRAC_1_SQRT_2, 2.5, std::f64::consts::PI, 1.0 + 1e-7];
        for part in parts {
            let found = distance(&fmu, &[part * window_s], 2.0);
            assert!(found <= 3.0 * whole + 1e-12, "{options:?}, {part} windows: {found:e}, whole ones {whole:e}");
        }
        let mixed = [1.0, 0.6, 3.3, 0.7].map(|part| part * window_s);
        let found = distance(&fmu, &mixed, 2.0);
        assert!(found <= 3.0 * whole + 1e-12, "{options:?}, mixed: {found:e}, whole ones {whole:e}");
    }
    // After a window that is much shorter than the next one predictors begin anew: never worse than inputs that are held throughout.
    let [linear, hold] = ["linear", "hold"].map(|predict| {
        let options = ["--predict", predict, "--step", "1e-3", "--stop", "2"];
        exported(&empty(&format!("anew-{predict}")), "case-1:s-s", &options)
    });
    let (found, bound) = (distance(&linear, &[1e-3, 1e-5, 3.3e-3, 0.4e-3], 2.0), distance(&hold, &[1e-3], 2.0));
    assert!(found <= bound, "{found:e}, held {bound:e}");
}

/// A master that adds up its time meets the points of the grid: there are the bits of the run, last step included.
#[test]
fn points_of_the_grid_have_the_bits_of_the_run() {
    for (n, options) in SHORTENED.into_iter().chain(PASSED).enumerate() {
        let folder = empty(&format!("grid-{n}"));
        let (names, rows) = run(&folder, "case-1:f-s", options);
        let fmu = exported(&folder, "case-1:f-s", options);
        let [window_s, stop_s] = [3, 1].map(|back| options[options.len() - back].parse::<f64>().expect("a time"));
        let whole = (stop_s / window_s).round() as usize;
        let mut instance = Instance::begun(&fmu, Some(stop_s));
        let mut found = Vec::new();
        lead(&mut instance, &[window_s], stop_s, |instance| found.push(instance.row(&names)));
        assert_eq!(instance.now_s, stop_s);
        // With step control windows end elsewhere.
        if !options.contains(&"--control") {
            assert_eq!(found[..whole - 1], rows[1..whole], "{options:?}");
            assert_eq!(found.last(), rows.last(), "{options:?}");
        }
    }
}

/// A sum that drifts from the grid by more than a millionth of a window: nothing is told late because of it.
#[test]
fn a_sum_that_drifts_stays_on_the_grid() {
    let folder = empty("drift");
    for options in [["--predict", "hold", "--step", "1e-3"], ["--method", "palindromic", "--step", "1e-3"]] {
        let fmu = exported(&folder, "case-1:f-s", &[&options[..], &["--stop", "1"]].concat());
        let [mut counted, mut summed] = [0, 1].map(|_| Instance::begun(&fmu, Some(1.0)));
        let names = ["mass1.x", "mass2.x"].map(str::to_owned);
        for k in 0..100 {
            for instance in [&mut counted, &mut summed] {
                instance.set("mass1.f_ext", f64::from(k));
                instance.step(1e-3);
            }
            // What rounding does over ten million steps.
            summed.now_s += 5e-10;
            assert_eq!(counted.row(&names), summed.row(&names), "{options:?}, step {k}");
        }
    }
}

/// Where the grid is kept, points of it have the same bits however it is led there.
#[test]
fn between_two_points_of_the_grid() {
    for (n, options) in PASSED.into_iter().enumerate() {
        let fmu = exported(&empty(&format!("between-{n}")), "case-1:f-s", options);
        assert!(!varies(&fmu), "{options:?}");
        let names = ["mass1.x", "mass2.x"].map(str::to_owned);
        let mut whole = Instance::begun(&fmu, Some(0.5));
        let mut rows = vec![whole.row(&names)];
        (0..50).for_each(|_| {
            whole.step(0.01);
            rows.push(whole.row(&names));
        });
        // Halves, thirds, and parts that meet the grid at every tenth window only.
        for (parts, every) in [(&[0.5][..], 1), (&[1.0 / 3.0], 1), (&[0.6180339887, 2.3819660113], 3), (&[2.5], 5)] {
            let lengths: Vec<f64> = parts.iter().map(|part| part * 0.01).collect();
            let mut led = Instance::begun(&fmu, Some(0.5));
            let mut met = 0;
            lead(&mut led, &lengths, 0.5, |led| {
                let windows = led.now_s / 0.01;
                if (windows - windows.round()).abs() < 1e-9 {
                    met += 1;
                    let bits = led.row(&names);
                    if options.contains(&"palindromic") {
                        assert_eq!(bits, rows[windows.round() as usize], "{options:?} {parts:?} at {windows}");
                    }
                }
            });
            assert!(met >= 50 / every, "{options:?} {parts:?}: {met}");
        }
    }
}

/// Outputs between lie on the cubic of values and derivatives: of cos ωt within (ωh)⁴/384, which is reached in the middle; so do derivatives.
#[test]
fn outputs_between_lie_on_a_cubic() {
    let folder = empty("cubic");
    let scenario = include_str!("../cases/container/palindromic-mass.toml");
    std::fs::write(folder.join("one.toml"), scenario).expect("a scenario");
    let fmu = exported(&folder, "one.toml", &[]);
    assert!(!varies(&fmu));
    let bound = 0.4_f64.powi(4) / 384.0;
    let mut instance = Instance::begun(&fmu, Some(1.0));
    let (x, mut worst, mut worst_rate) = (instance.reference("mass.x"), 0.0_f64, 0.0_f64);
    lead(&mut instance, &[0.005], 1.0, |instance| {
        let (angle, mut rate) = (20.0 * instance.now_s, [0.0]);
        worst = worst.max((instance.get("mass.x") - angle.cos()).abs());
        instance.unit.get_output_derivatives(&[x], &[1], &mut rate).expect("a derivative");
        worst_rate = worst_rate.max((rate[0] + 20.0 * angle.sin()).abs());
    });
    assert!(worst <= 1.001 * bound && worst > 0.9 * bound, "{worst:e}, bound {bound:e}");
    assert!(worst_rate < 20.0 * 0.4_f64.powi(3) / 120.0, "{worst_rate:e}");
    // Higher derivatives are refused there, and given at points of the grid.
    let mut instance = Instance::begun(&fmu, Some(1.0));
    instance.step(0.005);
    assert!(instance.unit.get_output_derivatives(&[x], &[2], &mut [0.0]).is_err());
    instance.step(0.015);
    let mut second = [0.0];
    instance.unit.get_output_derivatives(&[x], &[2], &mut second).expect("a derivative");
    assert!((second[0] + 400.0 * 0.4_f64.cos()).abs() < 1e-9, "{second:?}");
}

/// A state between two points holds what lies between, in the same instance and in another one; inputs set there count from the next point.
#[test]
fn a_state_between_two_points_goes_back() {
    let fmu = exported(&empty("between-state"), "case-1:f-s", PASSED[0]);
    let names = ["mass1.x", "mass1.v", "mass2.x", "mass2.v"].map(str::to_owned);
    let mut one = Instance::begun(&fmu, Some(0.5));
    one.step(0.013);
    one.set("mass1.f_ext", 400.0);
    one.unit.save(0).expect("saved");
    let (bytes, middle, now_s) = (one.unit.serialize().expect("bytes"), one.row(&names), one.now_s);
    let on = |instance: &mut Instance| {
        let mut rows = vec![instance.row(&names)];
        for step_s in [0.004, 0.003, 0.0125, 0.0075] {
            instance.step(step_s);
            rows.push(instance.row(&names));
        }
        rows
    };
    let end = on(&mut one);
    assert_eq!(end[0], middle);
    one.unit.restore(0).expect("restored");
    one.now_s = now_s;
    assert_eq!(on(&mut one), end);
    let mut other = Instance { unit: fmu.instantiate("other", &FmuOptions::default()).expect("one"), now_s };
    other.unit.deserialize(&bytes).expect("taken up");
    assert_eq!(on(&mut other), end);
    // The force counts from 0.02 s on: as one that is set there.
    let mut late = Instance::begun(&fmu, Some(0.5));
    late.step(0.02);
    assert_eq!(late.row(&names), end[2]);
    late.set("mass1.f_ext", 400.0);
    late.step(0.02);
    assert_eq!(&late.row(&names), end.last().expect("rows"));
    let mut without = Instance::begun(&fmu, Some(0.5));
    without.step(0.04);
    assert_ne!(&without.row(&names), end.last().expect("rows"));
}

/// A tunable parameter that was set between two points has not reached its unit: after going back there it is told at the next point.
#[cfg(target_os = "linux")]
#[test]
fn a_parameter_set_between_two_points_is_told_after_going_back() {
    let folder = empty("between-told");
    // x' = u, with u as a parameter.
    let xml = make::XML
        .replace("causality=\"input\" variability=\"continuous\"", "causality=\"parameter\" variability=\"tunable\"")
        .replace("<CoSimulation", "<CoSimulation canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"");
    std::fs::write(folder.join("integrator.fmu"), make::fmu(&xml, &[])).expect("an FMU");
    let scenario = include_str!("../cases/container/palindromic-integrators.toml");
    std::fs::write(folder.join("one.toml"), scenario).expect("a scenario");
    let fmu = exported(&folder, "one.toml", &[]);
    let mut one = Instance::begun(&fmu, Some(1.0));
    one.step(0.13);
    one.set("a.u", 3.0);
    one.unit.save(0).expect("saved");
    let (bytes, now_s) = (one.unit.serialize().expect("bytes"), one.now_s);
    // 0.2 s with u = 1, then 0.1 s with u = 3.
    let end = |instance: &mut Instance| {
        instance.step(0.17);
        instance.get("a.x")
    };
    assert!((end(&mut one) - 0.5).abs() < 1e-12);
    one.unit.restore(0).expect("restored");
    one.now_s = now_s;
    assert!((end(&mut one) - 0.5).abs() < 1e-12);
    let mut other = Instance { unit: fmu.instantiate("other", &FmuOptions::default()).expect("one"), now_s };
    other.unit.deserialize(&bytes).expect("taken up");
    assert!((end(&mut other) - 0.5).abs() < 1e-12);
}

/// A stop time between two points is reached too.
#[test]
fn a_stop_time_off_the_grid() {
    for (n, options) in SHORTENED.into_iter().chain(PASSED).enumerate() {
        let fmu = exported(&empty(&format!("off-grid-{n}")), "case-1:f-s", options);
        let mut instance = Instance::begun(&fmu, Some(0.1234567));
        assert_eq!(instance.unit.step(0.0, 0.1234567, true).expect("a step"), Outcome::Done, "{options:?}");
        assert!(instance.get("mass1.x").is_finite());
    }
}

/// An input that is told as a line at points between reaches the units as this line: the same ramp, whatever the steps.
#[test]
fn a_ramp_is_the_same_whatever_the_steps() {
    let fmu = exported(&empty("ramp"), "case-1:f-s", PASSED[0]);
    let slope = 1e4;
    let led = |part: f64| {
        let mut instance = Instance::begun(&fmu, Some(0.5));
        let input = instance.reference("mass1.f_ext");
        let mut at_points = Vec::new();
        while instance.now_s < 0.5 - 1e-9 {
            let value = slope * instance.now_s;
            instance.set("mass1.f_ext", value);
            instance.unit.set_input_derivatives(&[input], &[1], &[slope]).expect("a slope");
            instance.step((part * 0.01).min(0.5 - instance.now_s));
            let windows = instance.now_s / 0.03;
            if (windows - windows.round()).abs() < 1e-9 {
                at_points.push(instance.get("mass1.x"));
            }
        }
        at_points
    };
    let (whole, parts) = (led(1.0), led(0.3));
    assert!(whole.len() == 16 && parts.len() == 16, "{} {}", whole.len(), parts.len());
    let largest = whole.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for (a, b) in whole.iter().zip(&parts) {
        assert!((a - b).abs() < 1e-12 * largest, "{a} {b}");
    }
}
