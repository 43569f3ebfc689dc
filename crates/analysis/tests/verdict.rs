//! The verdict on random runs, beside the error against the matrix exponential: good runs are ok, bad runs never are.
//!
//! Two masses with random masses, springs and dampers, undamped, damped or driven, in every cut, coupled by a random scheme and macro step.
//! *Good* is an error of each mass below 3 % of its amplitude, *bad* one above the larger amplitude of both. The seeds are counted from the first one on until there
//! are enough of both; other seeds: `MACROSTEP_SEED=1000000 MACROSTEP_RUNS=150 cargo test -p macrostep-analysis --test verdict -- --nocapture`.

use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Outcome, Pair, build, run};
use macrostep_analysis::scheme::{Correct, Predict, Schedule, Scheme};
use macrostep_master::{Grade, RunError, Verdict};
use macrostep_oscillator::{Force, Parameters};

/// An error up to which a run is good, relative to the amplitude.
const GOOD: f64 = 0.03;

/// Random numbers by SplitMix64, the same on every machine.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn among(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A power of ten.
    fn ten(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.among(low, high))
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[((self.unit() * of.len() as f64) as usize).min(of.len() - 1)]
    }
}

/// A run of this seed, with large macro steps only where they are to be coarse.
fn pair(seed: u64, is_coarse: bool) -> (Pair, String) {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let r = &mut random;
    // What is coupled: weakly or strongly, damped or not, at rest or not.
    let m = [r.ten(-1.0, 1.0), r.ten(-1.0, 1.0)];
    let k = [r.ten(0.0, 3.0), if r.unit() < 0.3 { 0.0 } else { r.ten(0.0, 3.0) }];
    let k_c = r.ten(0.0, 3.0);
    let kind = r.one(&["undamped", "damped", "undamped", "damped", "driven"]);
    let zeta = if kind == "undamped" { 0.0 } else { r.ten(-3.0, -0.7) };
    let damper = |k: f64, m: f64| 2.0 * zeta * (k * m).sqrt();
    let c = [damper(k[0], m[0]), damper(k[1], m[1])];
    let c_c = if r.unit() < 0.5 { 0.0 } else { damper(k_c, m[0].min(m[1])) };
    let moves = kind != "driven" || r.unit() < 0.5;
    let mut start = || if moves { r.among(-1.0, 1.0) } else { 0.0 };
    let (x0, v0) = ([start(), start()], [start(), start()]);
    let parameters = Parameters { m, k, c, k_c, c_c, x0, v0 };
    // How.
    let coupling = r.one(&Coupling::ALL);
    let schedule = r.one(&[Schedule::Jacobi, Schedule::GaussSeidel, Schedule::GaussSeidelReversed]);
    let correct = r.one(&[Correct::Explicit, Correct::Explicit, Correct::Explicit, Correct::Newton, Correct::IqnIls]);
    let predict = match (r.unit() * 6.0) as u32 {
        degree @ 0..=2 => Predict::classical(degree),
        degree @ 3..=4 => Predict::integrated(degree - 3),
        _ => Predict::jerk(1),
    };
    let scheme = Scheme { correct, ..Scheme::new(coupling, schedule, predict) };
    // In steps of a part of the fastest period, over some of the slowest.
    let fastest = ((k[0] + k_c) / m[0]).max((k[1] + k_c) / m[1]).sqrt();
    let slowest = (k[0] / m[0]).min((k[1].max(k_c) + k_c) / m[1]).sqrt();
    let step_s = r.ten(if is_coarse { -0.5 } else { -2.3 }, 0.2) / fastest;
    let windows = (628.0 / 100.0 / slowest * r.ten(0.0, 1.7) / step_s).clamp(40.0, 200.0).round();
    let stop_s = windows * step_s;
    let force = (kind == "driven").then(|| {
        let omega = slowest * r.ten(-0.5, 0.7);
        let times: Vec<f64> = (0..=16).map(|i| f64::from(i) * stop_s / 16.0).collect();
        let values = times.iter().map(|t| [100.0 * (omega * t).sin(), 0.0]).collect();
        Force::new(times, values).expect("finite forces")
    });
    let shown = format!("{kind} {scheme} H ω = {:.3} windows {windows}", step_s * fastest);
    let pair = Pair { parameters, bond: true, force, ..Pair::new(coupling, scheme.method(2), step_s, stop_s) };
    (pair, shown)
}

/// The verdict after the second look of `run`, with half the macro step.
fn second_look(pair: &Pair, outcome: &Outcome) -> Verdict {
    let made = |parts: f64| {
        let pair = Pair { step_s: pair.step_s / parts, ..pair.clone() };
        build(&pair, &models::native).expect("the pair").simulation
    };
    let verdict = outcome.verdict.clone();
    verdict.second_look([&mut made(1.0), &mut made(2.0)], outcome.statistics.windows).expect("a second look")
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs with errors below 3 % of the amplitude are ok, runs with errors above it never are.
#[test]
fn good_runs_are_ok_and_bad_runs_never_are() {
    let (first, wanted) = (number("MACROSTEP_SEED", 1), number("MACROSTEP_RUNS", 200));
    let (mut good, mut bad, mut looked) = ([0u64; 2], [0u64; 2], 0);
    for seed in first.. {
        if good[0] >= wanted && bad[0] >= wanted {
            break;
        }
        let (pair, shown) = pair(seed, good[0] >= wanted);
        let outcome = match run(&pair, &models::native, u64::MAX) {
            Ok(outcome) => outcome,
            Err(RunError::Grid { .. } | RunError::Capability { .. } | RunError::DenseOutput { .. }) => continue,
            Err(error) => panic!("{seed}: {shown}: {error}"),
        };
        let error = outcome.max_relative_position();
        let verdict = &second_look(&pair, &outcome);
        let own = outcome.verdict.grade == Grade::Ok;
        let shares: Vec<[f64; 2]> = outcome.accounts.iter().map(|a| [a.missed_share(), a.residual_share()]).collect();
        let is_ok = verdict.grade == Grade::Ok;
        // A mass that hardly moves beside the other may be wrong by more than its own amplitude.
        let amplitudes = pair.exact().expect("a solution").amplitudes(pair.stop_s);
        let largest = amplitudes[0].max(amplitudes[1]);
        let of_both = outcome.error.iter().zip(amplitudes).map(|(e, a)| e * a / largest);
        let is_bad = of_both.clone().any(|e| e > 1.0 || e.is_nan());
        let (class, is_wrong) = match error {
            e if e < GOOD => (&mut good, !is_ok),
            _ if is_bad => (&mut bad, is_ok),
            _ => continue,
        };
        if class[0] < wanted {
            class[0] += 1;
            class[1] += u64::from(is_wrong);
            looked += u64::from(is_ok && !own);
            if is_wrong {
                println!("{seed}: {shown}: error {error:.1e}, {verdict} {shares:.2?}");
            }
        }
        if std::env::var_os("MACROSTEP_SHOWN").is_some() {
            println!("= {seed} {error:.3e} {} {shares:?} {shown}", verdict.grade);
        }
    }
    println!(
        "good runs: {} of {} not ok, {looked} ok by a second look; bad runs: {} of {} ok",
        good[1], good[0], bad[1], bad[0]
    );
    assert_eq!((good[1], bad[1]), (0, 0), "good runs that are not ok, bad runs that are");
}
