//! Commands that give the same in a shell.

use macrostep_oscillator::Parameters;

use crate::question::Settings;

/// The two masses with every control as an option.
pub fn oscillator(s: &Settings, parameters: &Parameters, every: u64) -> String {
    let mut words = vec![
        format!("macrostep oscillator --coupling {} --schedule {} --predict {}", s.cut, s.schedule, s.predict),
        format!("--step {} --stop {}", s.step, s.stop),
    ];
    if s.correct != "explicit" {
        words.push(format!("--correct {}", s.correct));
    }
    if s.control != "fixed" {
        words.push(format!("--control {} --control-tolerance {:e}", s.control, s.control_tolerance));
    }
    if s.rate != "1" {
        words.push(format!("--rate {} --fast {}", s.rate, s.fast));
    }
    if every > 1 {
        words.push(format!("--record-every {every}"));
    }
    // Values that are not those of the benchmark.
    let usual = Parameters::case_1().named();
    let changed = parameters.named().into_iter().zip(usual).filter(|(now, usual)| now != usual);
    words.extend(changed.map(|((name, value), _)| format!("--set {name}={value}")));
    words.push("--out pair".to_owned());
    words.join(" ")
}

/// A scenario in a file.
pub fn run(file: &str) -> String {
    let folder = file.trim_end_matches(".toml");
    format!("macrostep run {file} --out {folder}")
}
