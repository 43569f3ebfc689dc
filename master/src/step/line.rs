//! *Lines*: links with delay (transmission line modelling). A wave that leaves one end arrives at the other a delay later, so that over a
//! step no longer than the delay both sides are known beforehand: no rollback, and no limit of stability.
//!
//! With σ = +1 at end 1 and −1 at end 2, f^c the force that end 1 exerts on end 2 and v the speed of an end,
//!
//! ```text
//! f^c_i(t) = c_i(t) + σ_i Z v_i(t)          force at an end: the wave that arrives, and what the end itself makes
//! w_i(t)   = c_i(t) + 2 σ_i Z v_i(t)        wave that leaves it
//! c_1(t)   = w_2(t − τ),  c_2(t) = w_1(t − τ)
//! ```
//!
//! A spring of stiffness k is a line with Z = k τ; it has a mass k τ² of its own. At the start the line is at rest with the force
//! k (x_1 − x_2).
//!
//! What travels are *means over windows*: w̄ = c̄ + 2 σ Z Δx/H of a displacement Δx. A mean has at most the energy of what it is the mean of,
//! so that sampling takes energy out of the line and never puts any in; and displacements leave no drift behind. Energies of a wave are
//! H w̄²/(4 Z).
//!
//! References: \[Auslander 1968\], \[Krus 1990\] for lines between subsystems that are solved apart; \[Braun 2022\] for FMI, and for
//! what a held local part costs.

use crate::error::RunError;
use crate::ids::Signal;
use crate::signal::history::History;
use crate::step::supply::Supply;
use crate::step::unit_port::{answers, rate};
use crate::system::System;
use crate::system::line::{Line, LineAccount, Local};
use crate::time::{Clock, Tick};
use crate::unit::{Tangent, Unit, UnitError};

/// Windows that a delay may last.
const WINDOWS_MAX: f64 = 1e6;

/// Columns of a line's history: means of the waves that left over the window that ends at a row, displacements there, and energies that
/// have left, arrived, and were under way at the start.
const POSITION: usize = 2;
const SENT: usize = 4;
const ARRIVED: usize = 5;
const AT_START: usize = 6;
const WIDTH: usize = 7;

/// Signs of the two ends.
const SIGN: [f64; 2] = [1.0, -1.0];

/// A line in a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waves {
    pub line: Line,
    /// Place of its history.
    pub history: usize,
}

impl Waves {
    /// The lines of a system, and room for their histories behind those there are. A window lasts `window` ticks at least and
    /// `longest` at most.
    ///
    /// # Errors
    /// [`RunError::Grid`] where a window may last longer than a delay, or a delay too many windows.
    pub fn of(
        system: &System,
        (window, longest): (Tick, Tick),
        clock: &Clock,
        histories: &mut Vec<History>,
    ) -> Result<Vec<Waves>, RunError> {
        let mut out = Vec::new();
        for line in &system.lines {
            let (tau, h_s) = (ticks(line.delay_s, clock), clock.length_s(longest));
            let refused =
                |found: String, expected: &str| Err(RunError::grid("delay of a line", found, expected.to_owned()));
            // A positive impedance, and a delay no shorter than the window: no wave arrives in the window that it leaves in.
            if !(line.impedance.is_finite() && line.impedance > 0.0) {
                return refused(format!("the impedance {}", line.impedance), "a positive number");
            }
            if tau.is_nan() || tau < longest as f64 {
                let found = format!("{} s with a window of {h_s} s", line.delay_s);
                return refused(
                    found,
                    "a delay no shorter than the window: choose a smaller macro step or a longer delay",
                );
            }
            // A history as long as the delay.
            let windows = tau / window as f64;
            if windows > WINDOWS_MAX {
                return refused(format!("{windows:.0} windows"), "at most 1000000: choose a larger macro step");
            }
            let history = histories.len();
            histories.push(History::new(WIDTH, windows.ceil() as usize + 2, 2));
            out.push(Waves { line: *line, history });
        }
        Ok(out)
    }

    /// Takes a sample at the start of a window: the waves that left the ends over the window before.
    pub fn sample(&self, histories: &mut [History], clock: &Clock, now: Tick) {
        let Waves { line, history } = self;
        let Line { impedance: z, position, .. } = line;
        // Displacements of both ends at this instant.
        let x = position.map(|s| {
            let known = &histories[s.channel];
            known.value(known.not_after(now), s.component)
        });
        let known = &histories[*history];
        if known.is_empty() || now <= 0 {
            // At rest with the force of the spring; the same wave on both ways.
            let force = z / line.delay_s * (x[0] - x[1]);
            let stored = line.delay_s * force * force / (2.0 * z);
            histories[*history].put(now, &[force, force, x[0], x[1], 0.0, 0.0, stored]);
            return;
        }
        // The window that has ended began at the newest row before this instant.
        let last = known.lead(now) - usize::from(known.find(now).is_some());
        let (from, h_s) = (known.at(last), clock.length_s(1) * (now as f64 - known.at(last)));
        let tau = ticks(line.delay_s, clock);
        let mut row = [0.0; WIDTH];
        row.copy_from_slice(known.row(last));
        // The mean wave w̄ = c̄ + 2 σ Z Δx/H leaves with the energy H w̄²/(4 Z).
        for end in 0..2 {
            let arrived = mean(known, 1 - end, from - tau, now as f64 - tau);
            let left = arrived + 2.0 * z * SIGN[end] * (x[end] - known.value(last, POSITION + end)) / h_s;
            row[end] = left;
            row[POSITION + end] = x[end];
            row[SENT] += h_s * left * left / (4.0 * z);
            row[ARRIVED] += h_s * arrived * arrived / (4.0 * z);
        }
        histories[*history].put(now, &row);
    }

    /// Energy in the line at its newest sample, and the energy that was lost.
    pub fn account(&self, histories: &[History], clock: &Clock) -> LineAccount {
        let known = &histories[self.history];
        if known.is_empty() {
            return LineAccount { stored_j: 0.0, lost_j: 0.0, sent_j: 0.0 };
        }
        let (row, end) = (known.row(known.newest()), known.at(known.newest()));
        let begin = end - ticks(self.line.delay_s, clock);
        let squares = [0, 1].map(|column| integral(known, column, (begin, end), |w| w * w));
        let stored_j = squares.iter().sum::<f64>() * clock.length_s(1) / (4.0 * self.line.impedance);
        LineAccount { stored_j, lost_j: row[SENT] - row[ARRIVED] + row[AT_START] - stored_j, sent_j: row[SENT] }
    }
}

/// An end of a line on the way to the unit there.
pub(crate) struct LineFeed {
    line: Line,
    end: usize,
    /// Place of the line's history.
    history: usize,
    /// Place of this end's own one: start, speed there and force of the last step; empty where it needs none.
    own: Option<usize>,
    pub place: usize,
    /// References of the rate of the speed and of the input, where the answer of the one to the other is asked for.
    asked: Option<[u32; 2]>,
    /// That answer \[1/kg\].
    answer: f64,
}

impl LineFeed {
    /// End `end` of line `line` as input `reference` of a unit, at `place` among its inputs.
    pub fn new((system, line): (&System, usize), end: usize, (reference, place): (u32, usize)) -> Self {
        let (history, line) = (system.channels.len() + line, system.lines[line]);
        let mut feed = LineFeed { line, end, history, own: None, place, asked: None, answer: 0.0 };
        if answers(system, line.speed[end]) {
            feed.asked = rate(system, line.speed[end]).map(|rate| [rate, reference]);
        }
        feed
    }

    /// With a history of its own behind those there are, where the master makes the local part.
    pub fn with_history(mut self, histories: &mut Vec<History>) -> Self {
        if self.line.local[self.end] == Local::Feedback {
            self.own = Some(histories.len());
            histories.push(History::new(2, 2, 4));
        }
        self
    }

    /// Gets the derivative of the unit's acceleration with respect to the force: before each step if the feed needs it, else once.
    pub fn ask(&mut self, unit: &mut dyn Unit) -> Result<(), UnitError> {
        let Some([rate, input]) = self.asked else { return Ok(()) };
        let mut answer = [0.0];
        let asked = unit.directional(Tangent::new(&[rate], &[input], &[1.0], &mut answer));
        self.answer = answer[0];
        if self.own.is_some() {
            return asked;
        }
        self.asked = None;
        Ok(())
    }

    /// The end and the unit's answer, where that has the sign of the other end: the local part would drive it.
    pub fn reversed(&self) -> Option<(usize, f64)> {
        (SIGN[self.end] * self.answer > 0.0).then_some((self.end + 1, self.answer))
    }

    /// The unit's input over a step: the mean of the wave that arrives, with the local part where the master makes it.
    pub fn constant(&mut self, supply: &mut Supply<'_>, from: Tick, to: Tick) -> f64 {
        let tau = ticks(self.line.delay_s, &supply.clock);
        let wave = mean(&supply.histories[self.history], 1 - self.end, from as f64 - tau, to as f64 - tau);
        let stiffness = SIGN[self.end] * self.line.impedance;
        match (self.line.local[self.end], self.own) {
            (Local::Inside, _) | (Local::Feedback, None) => wave,
            (Local::Hold, _) => wave + stiffness * self.speed(supply, from),
            (Local::Feedback, Some(own)) => {
                let (speed, h_s) = (self.speed(supply, from), supply.clock.length_s(to - from));
                let known = &supply.histories[own];
                // The rate of the speed over the step before, and the force it had; at the start it has none.
                let (rate, force) = match (0..known.len()).rev().find(|i| known.at(*i) < from as f64) {
                    Some(i) => {
                        let before_s = supply.clock.length_s(1) * (from as f64 - known.at(i));
                        ((speed - known.value(i, 0)) / before_s, known.value(i, 1))
                    }
                    None => (0.0, wave + stiffness * speed),
                };
                // f = c + σ Z (v + θ h (v̇ + S (f − f_before)))
                let part_s = h_s * fitted(-stiffness * self.answer * h_s);
                let free = wave + stiffness * (speed + part_s * (rate - self.answer * force));
                let f = free / (1.0 - part_s * stiffness * self.answer);
                supply.histories[own].put(from, &[speed, f]);
                f
            }
        }
    }

    /// Value of an input with the force of an end at an instant.
    pub fn value(&self, supply: &Supply<'_>, at: Tick) -> f64 {
        let known = &supply.histories[self.history];
        if known.is_empty() {
            return 0.0;
        }
        // The wave over the window behind the instant it left, where that is known.
        let left = at as f64 - ticks(self.line.delay_s, &supply.clock);
        let i = after(known, left).min(known.newest());
        let local = match self.line.local[self.end] {
            Local::Inside => 0.0,
            Local::Feedback | Local::Hold => SIGN[self.end] * self.line.impedance * self.speed(supply, at),
        };
        known.value(i, 1 - self.end) + local
    }

    fn speed(&self, supply: &Supply<'_>, at: Tick) -> f64 {
        let Signal { channel, component } = self.line.speed[self.end];
        let known = &supply.histories[channel];
        known.value(known.not_after(at), component)
    }
}

/// θ of the mean over a step of what decays by e^{−x} in it: mean = start + θ · (change at the rate of its end), ½ for small x and 1 for
/// large ones.
fn fitted(x: f64) -> f64 {
    if x > 1e-3 { -1.0 / (-x).exp_m1() - 1.0 / x } else { 0.5 + x.max(0.0) / 12.0 }
}

/// A time in ticks, whole where it nearly is.
fn ticks(t_s: f64, clock: &Clock) -> f64 {
    let ticks = t_s / clock.unit_s * clock.per_unit as f64;
    if (ticks - ticks.round()).abs() < 1e-9 * ticks.abs() { ticks.round() } else { ticks }
}

/// The first row later than an instant; the number of rows where there is none.
fn after(known: &History, instant: f64) -> usize {
    let (mut low, mut high) = (0, known.len());
    while low < high {
        let middle = (low + high) / 2;
        if known.at(middle) > instant { high = middle } else { low = middle + 1 }
    }
    low
}

/// The mean over [a, b] of what left an end.
fn mean(known: &History, column: usize, a: f64, b: f64) -> f64 {
    integral(known, column, (a, b), |w| w) / (b - a)
}

/// The integral over [a, b], in ticks, of a function of what left an end: constant from row to row, and as in the first row before that. NaN
/// where rows are gone, which the unit refuses.
fn integral(known: &History, column: usize, (a, b): (f64, f64), of: impl Fn(f64) -> f64) -> f64 {
    let (mut sum, mut from) = (0.0, a);
    for i in after(known, a)..known.len() {
        if i == 0 && known.at(0) > 0.0 {
            return f64::NAN;
        }
        let to = known.at(i).min(b);
        sum += (to - from) * of(known.value(i, column));
        from = to;
        if from >= b {
            return sum;
        }
    }
    // Beyond the newest row.
    sum + (b - from) * of(known.value(known.newest(), column))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ChannelId;

    /// A line between two displacements that are given, sampled every tick of 0.1 s.
    fn line(delay_s: f64) -> (Waves, Vec<History>, Clock) {
        let [one, two] = [0, 1].map(|c| ChannelId(c).component(0));
        let line = Line { impedance: 3.0, delay_s, position: [one, two], speed: [one, two], local: [Local::Inside; 2] };
        let clock = Clock { start_s: 0.0, unit_s: 0.1, per_unit: 1 };
        let depth = (delay_s / 0.1).ceil() as usize + 2;
        let histories = vec![History::new(1, 1, 2), History::new(1, 1, 2), History::new(WIDTH, depth, 2)];
        (Waves { line, history: 2 }, histories, clock)
    }

    #[test]
    fn energy_is_never_created_whatever_the_ends_do() {
        for delay_s in [0.1, 0.4, 0.25, 0.137, 7.77] {
            let (waves, mut histories, clock) = line(delay_s);
            let mut random = 12345_u64;
            let mut lost_j = 0.0;
            for now in 0..2000 {
                for channel in 0..2 {
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    histories[channel].put(now, &[(random >> 40) as f64 / 1e7 - 0.8]);
                }
                waves.sample(&mut histories, &clock, now);
                let account = waves.account(&histories, &clock);
                assert!(account.stored_j >= 0.0 && account.lost_j >= lost_j - 1e-12 * account.sent_j, "{account:?}");
                lost_j = account.lost_j;
            }
            // With a whole number of windows nothing is lost either.
            let is_whole = [0.1, 0.4].contains(&delay_s);
            let (sent_j, lost_j) = (waves.account(&histories, &clock).sent_j, lost_j);
            assert!(is_whole == (lost_j < 1e-12 * sent_j), "{delay_s}: {lost_j} of {sent_j}");
        }
    }

    /// ẋ = a − λ x over a step: the mean is what the implicit formula with the fitted θ makes of it.
    #[test]
    fn the_fitted_mean_is_that_of_a_decay() {
        for x in [1e-6_f64, 5e-4, 2e-3, 0.7, 30.0] {
            let (a, start) = (2.0, 0.3);
            let mean = a / x + (start - a / x) * -(-x).exp_m1() / x;
            let theta = fitted(x);
            let found = (start + theta * a) / (1.0 + theta * x);
            assert!((found - mean).abs() < 1e-9 * mean.abs().max(1.0), "{x}: {found} {mean}");
        }
    }

    #[test]
    fn at_rest_a_line_is_a_spring() {
        let (waves, mut histories, clock) = line(0.25);
        for now in 0..100 {
            histories[0].put(now, &[0.3]);
            histories[1].put(now, &[-0.1]);
            waves.sample(&mut histories, &clock, now);
        }
        let known = &histories[2];
        for end in 0..2 {
            assert!((known.value(known.newest(), end) - 3.0 / 0.25 * 0.4).abs() < 1e-13);
        }
        // Of a spring, k (x1 - x2)^2 / 2.
        let stored_j = waves.account(&histories, &clock).stored_j;
        assert!((stored_j - 0.5 * 12.0 * 0.16).abs() < 1e-13, "{stored_j}");
    }
}
