//! The result of a run: its trace and its error against the exact solution.
//!
//! A run feeds every communication point to a [`Recorder`], which knows the exact solution on the same grid.
//!
//! ```text
//!     error_i = max_n |x_i(t_n) − x_i^exact(t_n)| / max_t |x_i^exact(t)|
//!     drift   = max_n |E(t_n) − E^exact(t_n)| / E^exact(0)
//!     growth  = ½ d(ln E)/dt ,  least squares over all n; shown where it is above 0.01 / T
//! ```
//!
//! A mass that never moves has no amplitude and a system at rest no energy: their errors are given in m and J.
//!
//! | symbol | code | unit | meaning |
//! |---|---|---|---|
//! | x_i^exact | `exact` | m | displacement by the matrix exponential |
//! | E | `energy` | J | kinetic and potential energy, that of the coupling included |
//! | ln ρ / H | `growth_rate` | 1/s | rate at which amplitudes grow |

use macrostep_master::record::{Column, Observer, Trace};
use macrostep_master::{Account, Course, Diverged, Statistics, Unconverged, Verdict};
use macrostep_oscillator::{Exact, Grid, Parameters, State};

/// Everything a report needs of one run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Recorded rows.
    pub trace: Trace,
    /// x1, x2, v1, v2 at the end in m and m/s.
    pub end: State,
    /// Largest position errors, relative to the amplitudes.
    pub error: [f64; 2],
    /// Largest energy error, relative to the energy at the start.
    pub drift: f64,
    /// Energy at the end in J.
    pub energy: f64,
    /// Growth rate of the amplitudes in 1/s, where it is one.
    pub growth_rate: Option<f64>,
    /// Calls of `fmi2DoStep` to subsystem 1 and 2, rejected and repeated ones included.
    pub do_steps: [u64; 2],
    /// Time the run took in s.
    pub wall_s: f64,
    /// What the units said they are.
    pub units: String,
    /// Windows, their repetitions and convergence.
    pub statistics: Statistics,
    /// Accounts of the power bonds.
    pub accounts: Vec<Account>,
    /// What step control has done, where there was one.
    pub course: Option<Course>,
    /// When the run was given up because its signals had grown beyond all bounds \[s\], and which.
    pub diverged_at_s: Option<f64>,
    /// The signal.
    pub diverged: Option<Diverged>,
    /// The first macro step that is not to be relied on, where there was one.
    pub unconverged: Option<Unconverged>,
    /// Time of the last states \[s\].
    pub end_s: f64,
    /// What was noticed that may surprise.
    pub warnings: Vec<String>,
    /// What the run is worth.
    pub verdict: Verdict,
}

/// Takes every communication point of a run, keeps every N-th.
#[derive(Debug)]
pub struct Recorder {
    parameters: Parameters,
    exact: Exact,
    stop_s: f64,
    step_s: f64,
    last: u64,
    every: u64,
    grid: Grid,
    amplitude: [f64; 2],
    start_energy: f64,
    found: Found,
}

/// Results so far, besides the rows.
#[derive(Debug, Clone, Default)]
struct Found {
    next: u64,
    /// x1, x2, v1, v2 at the last point.
    end: [f64; 4],
    end_s: f64,
    error: [f64; 2],
    drift: f64,
    growth: Slope,
}

/// Least squares of a line, fed point by point.
#[derive(Debug, Clone, Default)]
struct Slope {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

/// Rows for which a trace has room at the start.
const ROOM: u64 = 100_000;

/// Columns of a trace and their units.
const COLUMNS: [(&str, &str); 15] = [
    ("x1", "m"),
    ("v1", "m/s"),
    ("x2", "m"),
    ("v2", "m/s"),
    ("coupling_force", "N"),
    ("kinetic_energy", "J"),
    ("potential_energy", "J"),
    ("energy", "J"),
    ("x1_exact", "m"),
    ("v1_exact", "m/s"),
    ("x2_exact", "m"),
    ("v2_exact", "m/s"),
    ("energy_exact", "J"),
    ("x1_error", "m"),
    ("x2_error", "m"),
];

impl Outcome {
    /// The larger of both relative position errors; NaN where a state was none.
    pub fn max_relative_position(&self) -> f64 {
        if self.error.iter().any(|error| error.is_nan()) { f64::NAN } else { self.error[0].max(self.error[1]) }
    }
}

impl Recorder {
    /// For a run over `steps` communication points after the first, `step_s` seconds apart, of which every `every`-th and the
    /// last are kept.
    pub fn new(exact: Exact, step_s: f64, steps: u64, every: u64) -> Self {
        let parameters = *exact.parameters();
        let every = every.max(1);
        // What has no size is measured in its own unit.
        let or_one = |size: f64| if size > 0.0 { size } else { 1.0 };
        Self {
            parameters,
            stop_s: steps as f64 * step_s,
            step_s,
            last: steps,
            every,
            grid: exact.grid(step_s),
            amplitude: exact.amplitudes(steps as f64 * step_s).map(or_one),
            exact,
            start_energy: or_one(parameters.energy(&parameters.start())),
            found: Found { end: parameters.start().into(), ..Found::default() },
        }
    }

    /// The columns of the rows, `time` not among them.
    pub fn columns() -> [Column; 15] {
        COLUMNS.map(|(name, unit)| Column::new(name, unit))
    }

    /// A trace with room for a part of the rows.
    pub(super) fn trace(&self) -> Trace {
        let mut trace = Trace::new(Recorder::columns());
        trace.reserve((self.last / self.every).min(ROOM) as usize + 2);
        trace
    }

    /// Takes the states at the next communication point, the first at t = 0; `rows` gets the row, where one is recorded.
    pub fn point(&mut self, z: &State, rows: &mut dyn Observer) {
        let exact = self.grid.next().unwrap_or(*z);
        let (n, t_s) = (self.found.next, self.found.next as f64 * self.step_s);
        let keep = n.is_multiple_of(self.every) || n == self.last;
        self.take(t_s, z, &exact, keep.then_some(rows));
    }

    /// Takes the states at any time, in a run whose steps are not all of one length.
    pub fn point_at(&mut self, t_s: f64, z: &State, rows: &mut dyn Observer) {
        let exact = self.exact.at(t_s);
        let keep = self.found.next.is_multiple_of(self.every) || t_s >= self.stop_s;
        self.take(t_s, z, &exact, keep.then_some(rows));
    }

    fn take(&mut self, t_s: f64, z: &State, exact: &State, rows: Option<&mut dyn Observer>) {
        // The last point so far is where the run ends.
        self.found.next += 1;
        (self.found.end, self.found.end_s) = ((*z).into(), t_s);

        let kinetic = self.parameters.kinetic_energy(z);
        // Energies here and in the solution, and errors of the displacements.
        let potential = self.parameters.potential_energy(z);
        let (energy, energy_exact) = (kinetic + potential, self.parameters.energy(exact));
        let force = self.parameters.coupling_force(z);
        // As arrays: this crate is compiled with few optimisations, by which an element of a matrix is a call.
        let (z, exact): ([f64; 4], [f64; 4]) = ((*z).into(), (*exact).into());
        let off = [z[0] - exact[0], z[1] - exact[1]];
        // The largest of each so far; growth is the slope of ln √E.
        for (error, (off, amplitude)) in self.found.error.iter_mut().zip(off.iter().zip(self.amplitude)) {
            *error = larger(*error, off.abs() / amplitude);
        }
        // Energy: its drift, and its growth.
        self.found.drift = larger(self.found.drift, (energy - energy_exact).abs() / self.start_energy);
        self.found.growth.point(t_s, 0.5 * energy.ln());

        if let Some(rows) = rows {
            // A row: what was found, energies, the solution, and the difference.
            let row = [
                z[0],
                z[2],
                z[1],
                z[3],
                force,
                kinetic,
                potential,
                energy,
                exact[0],
                exact[2],
                exact[1],
                exact[3],
                energy_exact,
                off[0],
                off[1],
            ];
            rows.row(t_s, &row);
        }
    }

    /// Closes the run; what it cost and what it ran on are for the caller to add.
    pub fn finish(self) -> Outcome {
        // Under external forces amplitudes grow without any fault of the coupling.
        let growth_rate = self.found.growth.value().filter(|rate| rate * self.stop_s > 0.01 && !self.exact.is_forced());
        let energy = self.parameters.energy(&State::from(self.found.end));
        let Self { found: Found { end, end_s, error, drift, .. }, .. } = self;
        Outcome {
            // Errors and energy are known here.
            trace: Trace::default(),
            end: end.into(),
            error,
            drift,
            energy,
            growth_rate,
            // The rest is the run's.
            do_steps: [0; 2],
            wall_s: 0.0,
            units: String::new(),
            statistics: Statistics::default(),
            accounts: Vec::new(),
            course: None,
            diverged_at_s: None,
            diverged: None,
            unconverged: None,
            end_s,
            warnings: Vec::new(),
            verdict: Verdict::default(),
        }
    }
}

impl Slope {
    fn point(&mut self, x: f64, y: f64) {
        if y.is_finite() {
            self.n += 1.0;
            self.x += x;
            self.y += y;
            self.xx += x * x;
            self.xy += x * y;
        }
    }

    fn value(&self) -> Option<f64> {
        let spread = self.n * self.xx - self.x * self.x;
        (self.n >= 2.0 && spread > 0.0).then(|| (self.n * self.xy - self.x * self.y) / spread)
    }
}

/// The larger; NaN wins, so that it is seen.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_line_is_found() {
        let mut slope = Slope::default();
        assert_eq!(slope.value(), None);
        for n in 0..10 {
            slope.point(f64::from(n), 3.0 - 0.25 * f64::from(n));
        }
        slope.point(10.0, f64::NEG_INFINITY);
        assert!((slope.value().expect("two points") + 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_a_number_is_not_lost_in_a_maximum() {
        assert!(larger(larger(1.0, f64::NAN), 2.0).is_nan());
        assert_eq!(larger(1.0, 2.0), 2.0);
    }
}
