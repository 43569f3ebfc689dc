//! Prediction of noisy signals: a filter beside extrapolation, through FMUs.

use std::fmt::Write;

use crate::common;
use crate::make;
use crate::run::macrostep;

/// Macro step \[s\].
const STEP_S: f64 = 0.02;

/// A sensor shows sin 2t with noise between −0.05 and 0.05; a mass is driven by that force. Measured: the rms of the acceleration's error at
/// the ends of the steps, with the force that was predicted. Both filters have less error than `hold` and `linear`, which makes more of the noise than there is; without
/// noise `linear` is the best of them.
#[test]
fn a_filter_predicts_what_is_behind_noise() {
    let folder = common::folder(module_path!());
    // Two sensors: the noise is made of the number of the step.
    let sensor = |noise: f64| {
        let step = format!(
            "unsigned n = (unsigned)((t + h) / h + 0.5); n = (n * 2654435761u) ^ (n * 40503u << 7); n ^= n >> 15; n *= 2246822519u; n ^= n >> 13; \
             s->u = 0; s->x = sin(2 * (t + h)) + {noise:?} * ((n % 20001u) / 10000.0 - 1.0)"
        );
        make::fmu(make::XML, &[("AT_EVERY_STEP", step.as_str())])
    };
    std::fs::write(folder.join("noisy.fmu"), sensor(0.05)).expect("the FMU");
    std::fs::write(folder.join("clean.fmu"), sensor(0.0)).expect("the FMU");
    // What the acceleration of a free mass of 1 kg would be: the force itself.
    let truth = |text: &mut String, k: u32| {
        writeln!(text, "{:?},{:?}", f64::from(k) * STEP_S, (2.0 * f64::from(k) * STEP_S).sin())
    };
    let mut csv = "time,mass.a\n".to_owned();
    (50..=500).for_each(|k| truth(&mut csv, k).expect("a line"));
    std::fs::write(folder.join("truth.csv"), csv).expect("a file");
    for name in ["noisy", "clean"] {
        let text = format!(
            "[experiment]\nstop = 10.0\nstep = {STEP_S:?}\n\n[coupling]\nsampling = \"lagged\"\n\n[units.sensor]\nfmu = \"{name}.fmu\"\n\n[units.mass]\n\
             fmu = \"embedded:oscillator2_force\"\nset = {{ m = 1.0, k = 0.0, c = 0.0, x0 = 0.0, v0 = 0.0, integrator = \"exact\" }}\n\n\
             [connections]\n\"mass.f\" = {{ from = \"sensor.x\", convert_units = false }}\n"
        );
        std::fs::write(folder.join(format!("{name}.toml")), text).expect("a file");
    }
    let errors = |name: &str| {
        let (system, out) = (format!("{name}.toml"), format!("out-{name}"));
        let _ = std::fs::remove_dir_all(folder.join(&out));
        let words =
            ["--vary", "predict=hold,linear,kalman:1:300,kalman:2:20", "--measure", "e=distance(mass.a, truth.csv)"];
        let left = macrostep(&folder, &[&["sweep", &system, "--out", &out, "--no-pictures"], &words[..]].concat());
        assert_eq!(left.code, Some(0), "{left:?}");
        let rows = std::fs::read_to_string(folder.join(&out).join("runs.csv")).expect("rows");
        let error = |line: &str| line.split(',').nth(1).and_then(|x| x.parse::<f64>().ok()).expect("an error");
        rows.lines().skip(1).map(error).collect::<Vec<f64>>()
    };
    let (noisy, clean) = (errors("noisy"), errors("clean"));
    println!("noisy {noisy:?}, clean {clean:?}");
    let [hold, linear, velocity, acceleration] = noisy[..] else { panic!("{noisy:?}") };
    assert!(velocity < 0.6 * hold && velocity < 0.4 * linear, "{noisy:?}");
    assert!(acceleration < 0.55 * hold && acceleration < 0.35 * linear, "{noisy:?}");
    assert!(clean[1] < clean[3] && clean[3] < clean[2] && clean[2] < 0.5 * clean[0], "{clean:?}");
}
