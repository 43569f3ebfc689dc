//! A window as the fixed-point problem of a corrector: residuals of guesses.

use super::Chosen;
use super::guesses::{Direction, Guess, directions, is_principal};
use super::polynomial::Polynomial;
use super::waveforms::waveforms;
use crate::method::correct::{Convergence, Problem, relative};
use crate::step::guess::GuessState;
use crate::step::jacobian::{self, Guesses};
use crate::step::state::State;
use crate::step::supply::Coupled;
use crate::step::window::{Unfinished, Window};
use crate::unit::UnitError;
use nalgebra::DMatrix;

/// Part of a signal that rounding at a stiff link may be: 2e-16 times a gain of 1e6 of the link over a step, and ten times as much.
const NOISE_MAX: f64 = 2e-9;

/// Tolerance of joints' forces at which a residual of a hundred roundings is small enough; with a larger one no more than these.
const COARSEST: f64 = 1e-10;

/// A window, begun, and what is guessed in it.
pub(super) struct Guessed<'a> {
    pub window: &'a mut Window,
    pub(super) state: &'a mut State,
    pub(super) guesses: &'a [Guess],
    /// Whether the window has been run before, so that it must be taken back first.
    pub(super) ran: bool,
    /// A step a unit did not finish in the last run.
    pub discarded: Option<Unfinished>,
    /// As [`Problem::change_max`].
    change_max: f64,
    /// The part of the tolerance that residuals of this window have.
    part: f64,
    /// The longest window, where windows are chosen \[s\].
    longest_s: Option<f64>,
}

impl<'a> Guessed<'a> {
    pub fn new(window: &'a mut Window, state: &'a mut State, guesses: &'a [Guess]) -> Self {
        Guessed {
            window,
            state,
            guesses,
            ran: false,
            discarded: None,
            change_max: f64::INFINITY,
            part: 1.0,
            longest_s: None,
        }
    }

    /// Short windows are many, and what each leaves adds up: of what may be left in a longest window each has its part; of residuals, which are
    /// mostly rounding, as much as adds up to that by chance.
    pub fn share(&mut self, chosen: Chosen) {
        let length_s = self.window.sources.clock.length_s(self.window.length(self.state));
        let part = length_s / chosen.longest_s;
        self.change_max = chosen.left_out_max * part;
        self.part = part.sqrt();
        self.longest_s = Some(chosen.longest_s);
    }

    /// Runs the window where nothing is guessed.
    pub fn run_once(&mut self) -> Result<Convergence, UnitError> {
        self.discarded = self.window.execute(self.state, false)?;
        Ok(Convergence { runs: 1, residual: 0.0, converged: true })
    }

    /// Puts the guess `y` into the histories.
    pub fn put(&mut self, y: &[f64]) {
        put(self.guesses, self.state, y);
    }

    /// Takes the window back if it has been run, runs it with the guess `y`, and writes what comes out less the guess; infinity
    /// where a unit did not finish a step.
    pub fn run_with(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        if self.ran {
            self.window.rewind(self.state)?;
        }
        self.ran = true;
        // The run.
        self.put(y);
        self.discarded = None;
        self.discarded = self.window.execute(self.state, false)?;
        if self.discarded.is_some() {
            residual.fill(f64::INFINITY);
            return Ok(());
        }
        left(self.guesses, self.state, y, residual);
        Ok(())
    }

    /// Sizes of the signals with the guess `y`; where a signal is zero in all of it, with what came out.
    fn measure(&mut self, y: &[f64], residual: &[f64]) {
        let (guesses, GuessState { sizes, scale, worst, .. }) = (self.guesses, &mut self.state.guess);
        // The guess itself.
        sizes.look();
        for g in guesses {
            sizes.see(g.channel, &y[g.places()]);
        }
        let (joints, floor) = (&mut self.window.joints, &self.state.joints.floor);
        let first = joints.first;
        for (i, (floor, force)) in floor.iter().zip(&mut joints.forces_max).enumerate() {
            *force = sizes.known((first + i, 0));
            sizes.see(first + i, &[*floor]);
        }
        // What came out, where it is zero.
        if guesses.iter().any(|g| sizes.is_some_zero(g.channel, g.width)) {
            for g in guesses {
                for c in 0..g.width {
                    let i = g.first + c;
                    scale[i] = if sizes.is_zero((g.channel, c)) { residual[i].abs() } else { 0.0 };
                }
            }
            for g in guesses {
                sizes.see(g.channel, &scale[g.places()]);
            }
        }
        // The scale of each unknown, and which residual is largest by it.
        let mut largest = -1.0;
        for g in guesses {
            let parts = scale[g.places()].iter_mut().zip(&residual[g.places()]);
            for (c, (scale, residual)) in parts.enumerate() {
                *scale = sizes.of_residual((g.channel, c));
                let part = residual.abs() / *scale;
                if part > largest || part.is_nan() {
                    (largest, *worst) = (part, (g.channel, c));
                }
            }
        }
        self.measure_lasting(y);
    }

    /// What changes that are left undone are measured with where windows are chosen. One of a rate stays, and makes a displacement over a longest
    /// window. So how large the rate has been in a fast motion that has ended says nothing: it counts as large as it is now, and no smaller than
    /// the displacement over a longest window.
    fn measure_lasting(&mut self, y: &[f64]) {
        let GuessState { sizes, scale, lasting, .. } = &mut self.state.guess;
        lasting.copy_from_slice(scale);
        let Some(longest_s) = self.longest_s else { return };
        for (place, first) in self.guesses.iter().enumerate().filter(|(_, g)| g.node == 1 && g.is_motion()) {
            let step = &self.guesses[place..place + first.nodes];
            let mut least = sizes.of_residual((first.channel, 0));
            for c in 1..first.width {
                least /= longest_s;
                let now = step.iter().map(|g| y[g.first + c].abs()).fold(least, f64::max);
                step.iter().for_each(|g| lasting[g.first + c] = now.min(scale[g.first + c]));
            }
        }
    }
}

/// Puts the guess `y` into the histories of a state.
pub(super) fn put(guesses: &[Guess], state: &mut State, y: &[f64]) {
    let State { now, pace, signals, .. } = state;
    for g in guesses {
        signals.histories[g.channel].put_at(g.at(*now, pace.stretch), &y[g.places()]);
    }
}

/// What came out of a run less the guess `y`.
pub(super) fn left(guesses: &[Guess], state: &State, y: &[f64], residual: &mut [f64]) {
    let State { now, pace, signals, .. } = state;
    for g in guesses {
        let (history, guess) = (&signals.histories[g.channel], &y[g.places()]);
        let row = history.find_at(g.at(*now, pace.stretch)).map_or(guess, |i| history.row(i));
        for ((residual, value), guess) in residual[g.places()].iter_mut().zip(row).zip(guess) {
            *residual = value - guess;
        }
    }
}

impl Problem for Guessed<'_> {
    fn evaluate(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        self.run_with(y, residual)?;
        self.measure(y, residual);
        Ok(())
    }

    fn probe(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        self.run_with(y, residual)
    }

    fn probe_all(
        &mut self,
        at: (&[f64], &[f64]),
        trials: &DMatrix<f64>,
        residuals: &mut DMatrix<f64>,
    ) -> Result<bool, UnitError> {
        self.run_together(at, trials, residuals)
    }

    fn scale(&self) -> &[f64] {
        &self.state.guess.scale
    }

    /// Units that are stiff at the ends of a step, whose rounding no waveform tells of, and no joint of which the residual is a gap.
    fn noise_max(&self) -> f64 {
        let is_plain = self.window.joints.is_empty() && self.window.unit_ports.iter().all(|s| s.dense.is_none());
        if is_plain { NOISE_MAX } else { 0.0 }
    }

    fn change_max(&self) -> f64 {
        self.change_max
    }

    fn lasting(&self) -> &[f64] {
        &self.state.guess.lasting
    }

    /// A joint with a limit of its own is closed where its gap says so.
    fn is_met(&self, residual: &[f64], tolerance: f64) -> bool {
        let Guessed { window, state, .. } = self;
        let tolerance = self.part * tolerance;
        let length_s = window.sources.clock.length_s(window.length(state));
        let is_small = |g: &Guess| {
            // A force of a joint is measured with its own size, or with what a hundred roundings are of the tolerance.
            let place = g.channel.checked_sub(window.joints.first);
            let joint = place.and_then(|i| window.joints.forces_max.get(i).zip(state.joints.floor.get(i)));
            let part = joint.map_or(1.0, |(force, floor)| {
                force.max(floor * (COARSEST / tolerance).min(1.0)) / state.guess.scale[g.first]
            });
            relative(&residual[g.places()], &state.guess.scale[g.places()]) <= tolerance * part.min(1.0)
        };
        let is_closed = |g: &Guess| window.joints.is_closed(&state.joints, g.channel, length_s);
        self.discarded.is_none() && self.guesses.iter().all(|g| is_closed(g).unwrap_or_else(|| is_small(g)))
    }

    /// Rounding of the polynomials that inputs are given in.
    fn rounding(&self) -> f64 {
        let sizes = &self.state.guess.sizes;
        let parts =
            waveforms(self.window, self.state).map(|(place, w)| w.rounding() / sizes.of_residual(place).max(w.size()));
        parts.fold(0.0, f64::max)
    }

    /// Polynomials T_k(2s − 1) − T_k(−1) over the nodes of a step: single nodes would be perturbed by polynomials whose powers
    /// of s cancel to the last digit. A motion is moved as one, its last component by the polynomial and those before by its
    /// integrals; behind these directions come those of the other components by themselves, the highest k first. Without
    /// inner nodes that is a unit vector.
    fn direction(&self, j: usize, out: &mut [f64]) {
        out.fill(0.0);
        let Some(Direction { place, component, k }) = directions(self.guesses).nth(j) else { return };
        let (first, q) = (self.guesses[place], self.guesses[place].nodes);
        let step = &self.guesses[place..place + q];
        let stretch = self.state.pace.stretch;
        let size = |c: usize| self.state.guess.sizes.of_trial((first.channel, c));
        let mut p = Polynomial::shifted_chebyshev(k);
        let (mut factor, lowest) = (size(component), if first.is_motion() { 0 } else { component });
        let lowest = if component + 1 == first.width { lowest } else { component };
        for c in (lowest..=component).rev() {
            if c < component {
                p = p.integral();
                factor *= self.window.sources.clock.length_s(first.length(stretch));
            }
            step.iter().for_each(|g| out[g.first + c] = 0.5 * factor * p.at(2.0 * g.s() - 1.0));
        }
    }

    /// Motions as one, and of the other components by themselves the highest polynomials each: what a motion sampled at nodes and
    /// the integral of its sampled rate differ by.
    fn principal(&self) -> usize {
        directions(self.guesses).take_while(|d| is_principal(self.guesses, d)).count()
    }

    fn estimate_jacobian(&mut self, jacobian: &mut DMatrix<f64>) -> Result<bool, UnitError> {
        if self.guesses.iter().any(|g| g.nodes > 1) || !self.window.joints.is_empty() {
            return Ok(false);
        }
        let Guessed { window, state, guesses, .. } = self;
        let State { now, pace, signals, guess, unit_ports: states, .. } = &mut **state;
        let samples: Vec<_> = guesses.iter().map(|g| (g.channel, g.first, g.end(*now, pace.stretch))).collect();
        let Window { unit_ports, sources, plan, .. } = &mut **window;
        let supply = sources.with(&mut signals.histories, *pace);
        let coupled = &mut Coupled { unit_ports, states, supply };
        jacobian::estimate(coupled, (plan, *now), &Guesses { samples: &samples, scale: &guess.scale }, jacobian)
    }
}
