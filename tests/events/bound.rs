//! `error` of an experiment against exact solutions: random pairs of masses, some of which are pushed when one comes by.
//!
//! `MACROSTEP_PAIRS=100 cargo test --test all events::bound -- --nocapture` prints the table of docs/methods.md.

use super::{folder, numbers, result};
use crate::run::macrostep;
use macrostep_oscillator::{Exact, Parameters, State};

/// A push as an event sets it \[N\].
const PUSH_N: f64 = 3.0;

/// Length of the runs \[s\].
const STOP_S: f64 = 4.0;

/// Numbers between 0 and 1, always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.next())
    }
}

fn pair(random: &mut Random) -> Parameters {
    let mut two = |low, high| [random.between(low, high), random.between(low, high)];
    let (m, k, c) = (two(0.5, 4.0), two(1.0, 20.0), two(0.01, 0.5));
    let ([k_c, c_c], x0) = ([two(1.0, 20.0)[0], two(0.01, 0.3)[0]], two(0.2, 1.0));
    Parameters { m, k, c, k_c, c_c, x0, v0: [-1.5, 1.0] }
}

/// The exact solution, with a push of mass 1 from the first time it falls through zero.
struct Pushed {
    exact: Exact,
    at_s: f64,
    rest: State,
}

impl Pushed {
    fn new(p: &Parameters, is_pushed: bool) -> Pushed {
        let exact = Exact::new(p).expect("an oscillator");
        let x = |t_s: f64| exact.at(t_s)[0];
        let steps = (0..40_000).map(|n| f64::from(n) * 1e-4);
        let found = steps.filter(|_| is_pushed).find(|&t| x(t) > 0.0 && x(t + 1e-4) <= 0.0);
        let at_s = found.map_or(f64::INFINITY, |from| {
            let (mut low, mut high) = (from, from + 1e-4);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if x(middle) > 0.0 { low = middle } else { high = middle }
            }
            high
        });
        // Where the push would hold the masses.
        let mut force = State::zeros();
        force[2] = -PUSH_N / p.m[0];
        let rest = p.system_matrix().lu().solve(&force).expect("springs to the ground");
        Pushed { exact, at_s, rest }
    }

    fn at(&self, t_s: f64) -> State {
        if t_s <= self.at_s {
            return self.exact.at(t_s);
        }
        self.rest + self.exact.from(&(self.exact.at(self.at_s) - self.rest), t_s - self.at_s)
    }
}

fn scenario(p: &Parameters, error: f64, is_pushed: bool, predict: &str) -> String {
    let unit = |i: usize| {
        format!(
            "[units.m{}]\nfmu = \"embedded:oscillator{}_force\"\nset = {{ m = {:?}, k = {:?}, c = {:?}, x0 = {:?}, v0 = {:?}, \
             integrator = \"exact\" }}\n\n",
            i + 1,
            i + 1,
            p.m[i],
            p.k[i],
            p.c[i],
            p.x0[i],
            p.v0[i]
        )
    };
    let event = "[[events]]\nwhen = \"m1.x\"\ndirection = \"falling\"\nset = { \"m1.f_ext\" = 3.0 }\n";
    format!(
        "[experiment]\nstop = {STOP_S:?}\nstep = 0.1\nerror = {error:?}\n\n[coupling]\npredict = \"{predict}\"\n\n{}{}[connections]\n\
         \"m1.f\" = \"spring.f\"\n\"m2.f\" = \"spring.f\"\n\n[laws.spring]\nkind = \"spring-damper\"\nstiffness = {:?}\n\
         damping = {:?}\ninputs = [\"m1.x\", \"m1.v\", \"m2.x\", \"m2.v\"]\noutputs = [\"f\"]\n\n[record]\n\
         variables = [\"m1.x\", \"m1.v\", \"m2.x\", \"m2.v\"]\n\n{}",
        unit(0),
        unit(1),
        p.k_c,
        p.c_c,
        if is_pushed { event } else { "" }
    )
}

/// In nineteen of twenty runs the error is what was asked for, and not much less: linear on the benchmark's cut, every third
/// pair with a push.
#[test]
fn an_error_that_is_asked_for_is_kept() {
    let folder = folder("bound");
    let pairs = std::env::var("MACROSTEP_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    let mut random = Random(7);
    let mut all = Vec::new();
    println!("| tolerance | predict | runs | kept | median of achieved / tolerance | largest |");
    println!("|---|---|---|---|---|---|");
    for (tolerance, predict) in [(1e-2, "linear"), (1e-3, "linear"), (1e-4, "ia1")] {
        let mut shares = Vec::new();
        for n in 0..pairs {
            let (p, is_pushed) = (pair(&mut random), n % 3 == 0);
            std::fs::write(folder.join("s.toml"), scenario(&p, tolerance, is_pushed, predict)).expect("written");
            let left = macrostep(&folder, &["run", "s.toml", "--json", "--out", "out", "--no-pictures"]);
            let found = result(&left);
            assert_eq!(found["error_bound"]["bound"], tolerance, "{found}");
            let exact = Pushed::new(&p, is_pushed);
            let (mut apart, mut size) = ([0.0f64; 4], [0.0f64; 4]);
            for row in left.rows.expect("rows").iter().map(|row| numbers(row)) {
                let z = exact.at(row[0]);
                // Columns are x and v of each mass, states are both x, then both v.
                for (column, i) in [0, 2, 1, 3].into_iter().enumerate() {
                    apart[i] = apart[i].max((row[column + 1] - z[i]).abs());
                    size[i] = size[i].max(z[i].abs());
                }
            }
            let error = apart.iter().zip(size).map(|(apart, size)| apart / size).fold(0.0, f64::max);
            shares.push(error / tolerance);
        }
        all.extend(shares.iter().copied());
        shares.sort_by(f64::total_cmp);
        let kept = shares.iter().filter(|share| **share <= 1.0).count();
        let (median, largest) = (shares[shares.len() / 2], shares[shares.len() - 1]);
        println!("| {tolerance:e} | {predict} | {pairs} | {kept} | {median:.2} | {largest:.2} |");
    }
    all.sort_by(f64::total_cmp);
    let kept = all.iter().filter(|share| **share <= 1.0).count();
    assert!(kept as f64 >= 0.95 * all.len() as f64, "{all:?}");
    assert!(all[all.len() / 2] >= 0.2, "{all:?}");
}
