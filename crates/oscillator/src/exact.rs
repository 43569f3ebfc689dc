//! The exact solution z(t) = e^{A t} z0, equation (6).
//!
//! Everything is computed in numbers of twice the precision and rounded once, at the end. That answers three questions at a
//! time. *Any parameters*: no eigenvectors, so defective matrices are no special case. *A uniform grid*: the exponential of
//! one step is computed once and z_{n+1} = e^{A h} z_n repeated; an error of about 1e-31 a step is invisible in an `f64` for
//! more than 1e14 steps, so no re-anchoring is needed. *Phase*: A itself is formed without rounding, where an `f64` A would
//! shift the phase by ω t · 1e-16.
//!
//! What is left is the rounding of t by the caller: 0.1 is not a tenth. [`Exact::grid`] takes (step, n), as the time of a
//! run is n·h, [`Exact::at`] takes t; at ω t = 333 (case 1, 10 s) the two differ by up to 4e-14 of the amplitude.
//!
//! Notation: see the crate. Reference: [LIM 2021], equations (5) and (6).

use crate::State;
use crate::double::Double;
use crate::exponential::{Matrix, Transition, exponential};
use crate::force::{Force, Forced};
use crate::parameters::{ParameterError, Parameters};
use std::sync::Arc;

/// The exact motion for one set of parameters.
#[derive(Debug, Clone)]
pub struct Exact {
    parameters: Parameters,
    a: Matrix,
    /// With external forces: the whole of it.
    forced: Option<Arc<Forced>>,
}

/// The exact states at t = 0, h, 2h, …, without end: take as many as needed.
#[derive(Debug, Clone)]
pub struct Grid {
    step: Transition,
    z: [Double; 4],
    /// With external forces: these, the transition of a step, its length \[s\] and the steps made.
    forced: Option<(Arc<Forced>, Transition<8>, f64, u64)>,
}

impl Exact {
    /// Prepares the matrix A.
    ///
    /// # Errors
    /// Those of [`Parameters::validate`].
    pub fn new(parameters: &Parameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self { parameters: *parameters, a: system_matrix(parameters), forced: None })
    }

    /// The same under external forces.
    ///
    /// # Errors
    /// As [`Exact::new`].
    pub fn forced(parameters: &Parameters, force: Force) -> Result<Self, ParameterError> {
        let exact = Exact::new(parameters)?;
        let forced = Forced::new(&exact.a, parameters.m, lift(&parameters.start()), force);
        Ok(Self { forced: Some(Arc::new(forced)), ..exact })
    }

    /// The parameters it was made from.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Whether it moves under external forces.
    pub fn is_forced(&self) -> bool {
        self.forced.is_some()
    }

    /// State at `t_s` in s, which may be negative: the motion that leads to the start.
    pub fn at(&self, t_s: f64) -> State {
        match &self.forced {
            Some(forced) => round(&forced.at(t_s)),
            None => self.from(&self.parameters.start(), t_s),
        }
    }

    /// State `span_s` in s after the state `z`, without external forces.
    pub fn from(&self, z: &State, span_s: f64) -> State {
        round(&self.transition(span_s).apply(&lift(z)))
    }

    /// States at n · `step_s` in s, n = 0, 1, 2, …
    pub fn grid(&self, step_s: f64) -> Grid {
        let forced = self.forced.as_ref().map(|f| (Arc::clone(f), f.transition(step_s), step_s, 0));
        Grid { step: self.transition(step_s), z: lift(&self.parameters.start()), forced }
    }

    /// max |x1|, max |x2| in m for t in [0, `stop_s`], the scale of relative errors; 0 where a mass never moves.
    ///
    /// Extrema inside are found on a grid of at least 256 points a period, each refined by one Newton step on v = 0; the
    /// result is within 1e-12 of the maximum. In a run of more than 15 625 periods of the fastest mode it is the largest of
    /// 4 million evenly spaced values: refining each extremum would take minutes. With external forces it is that of the grid.
    pub fn amplitudes(&self, stop_s: f64) -> [f64; 2] {
        const POINTS_MAX: f64 = 4e6;
        // A grid that resolves the fastest mode, where that is possible.
        let fastest = self.parameters.modes().iter().map(|mode| mode.omega).fold(0.0, f64::max);
        let wanted = (stop_s * fastest * 256.0 / std::f64::consts::TAU).ceil();
        let points = wanted.clamp(256.0, POINTS_MAX);
        let (step_s, is_resolved) = (stop_s / points, wanted <= POINTS_MAX && self.forced.is_none());

        // The largest values on it, and between points where a velocity changes its sign. What lies there is above both points by no
        // more than the step times twice the larger velocity and 1e-5 of the largest value: most extrema are below that.
        let mut max = [0.0f64; 2];
        let reaches = |max: f64, z: &State, end: &State, i: usize| {
            let speed = z[i + 2].abs().max(end[i + 2].abs());
            z[i].abs().max(end[i].abs()) + 2.0 * step_s * speed >= max * (1.0 - 1e-5)
        };
        let mut states = self.grid(step_s).take(points as usize + 1).peekable();
        while let Some(z) = states.next() {
            let next = states.peek().copied();
            for i in 0..2 {
                max[i] = max[i].max(z[i].abs());
                if let Some(end) =
                    next.filter(|end| is_resolved && z[i + 2] * end[i + 2] < 0.0 && reaches(max[i], &z, end, i))
                {
                    max[i] = max[i].max(self.turning_point(&z, &end, i, step_s).abs());
                }
            }
        }
        max
    }

    /// Displacement of mass `i` where its velocity vanishes between two states `step_s` apart.
    fn turning_point(&self, z: &State, end: &State, i: usize, step_s: f64) -> f64 {
        // Secant guess for v = 0, then one Newton step on the exact state there, then the top of the parabola.
        let guess_s = step_s * z[i + 2] / (z[i + 2] - end[i + 2]);
        let near = self.from(z, guess_s);
        let a = self.parameters.acceleration(&near)[i];
        let shift_s = if a == 0.0 { 0.0 } else { (-near[i + 2] / a).clamp(-step_s, step_s) };
        near[i] + shift_s * near[i + 2] + 0.5 * shift_s * shift_s * a
    }

    /// e^{A t}.
    fn transition(&self, t_s: f64) -> Transition {
        let t = Double::from(t_s);
        exponential(&self.a.map(|row| row.map(|value| value * t)))
    }
}

impl Iterator for Grid {
    type Item = State;

    fn next(&mut self) -> Option<State> {
        let now = round(&self.z);
        self.z = match &mut self.forced {
            None => self.step.apply(&self.z),
            Some((forced, step, step_s, n)) => {
                *n += 1;
                forced.stepped(step, self.z, [(*n - 1) as f64 * *step_s, *n as f64 * *step_s])
            }
        };
        Some(now)
    }
}

/// Equation (5) without rounding in sums and quotients.
fn system_matrix(parameters: &Parameters) -> Matrix {
    let Parameters { m, k, c, k_c, c_c, .. } = *parameters;
    let over = |a: f64, b: f64, mass: f64| Double::sum(a, b).over(mass);
    let zero = Double::default();
    [
        [zero, zero, Double::ONE, zero],
        [zero, zero, zero, Double::ONE],
        [over(-k[0], -k_c, m[0]), over(k_c, 0.0, m[0]), over(-c[0], -c_c, m[0]), over(c_c, 0.0, m[0])],
        [over(k_c, 0.0, m[1]), over(-k[1], -k_c, m[1]), over(c_c, 0.0, m[1]), over(-c[1], -c_c, m[1])],
    ]
}

fn lift(z: &State) -> [Double; 4] {
    [z[0], z[1], z[2], z[3]].map(Double::from)
}

fn round(z: &[Double; 4]) -> State {
    State::from(z.map(Double::round))
}
