//! Growth of small deviations from runs alone, for units whose state is not accessible.
//!
//! A run is repeated with a small pulse on the inputs of its units, as long as two samples are apart. The difference δ of the
//! two answers after it is that of a linear system, whose order and eigenvalues follow from the Hankel matrices of its samples:
//!
//! ```text
//! H0 = [δ_{i+j}],  H1 = [δ_{i+j+s}],   H0 = U Σ Vᵀ,   A = Σ^(−½) Uᵀ H1 V Σ^(−½),   ρ = max |λ(A)|^(1/s)
//! ```
//!
//! Singular values that rounding of the two runs alone would leave are no part of Σ: eigenvalues made of them are anything.
//!
//! Where no linear system of small order makes these samples, ρ is the mean growth of |δ|, 1 where that cannot be told from none, and
//! unknown where it is so uncertain that a run might grow without its being seen.
//!
//! Reference: \[Juang 1985\], the eigensystem realization algorithm.

use crate::pair::larger;
use crate::scenario::Coupled;
use macrostep_master::{RunError, spectral_radius};
use nalgebra::DMatrix;
use std::time::Instant;

/// Macro steps before the pulse, in which histories fill and signals move.
const BEFORE: u64 = 8;
/// Samples of δ that Hankel matrices are made of.
const SAMPLES: usize = 80;
/// Macro steps of a run, at most: a shorter part of it would show transients, not growth.
pub const WINDOWS_MAX: f64 = 2e5;
/// Shares of the largest singular value below which others are left out, one after the other.
const RANKS: [f64; 5] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
/// What is left of the samples, relative, where more singular values add nothing.
const SMALL: f64 = 1e-6;
/// What a linear system may leave of the samples, relative.
const RESIDUAL: f64 = 1e-3;
/// Rounding of a value, relative, where a step makes some of it: a random walk over all steps.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Blocks of rows whose sizes a mean growth is taken from.
const BLOCKS: usize = 8;
/// ln of the growth over a run that may not be seen.
const UNSEEN_MAX: f64 = 1.0;
/// δ that has grown by this factor says enough.
const GROWN: f64 = 1e6;

/// The two runs: how long they are, and their pulse.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Macro steps of each.
    pub windows: u64,
    /// Macro steps of the pulse.
    pulse: u64,
}

impl Probe {
    /// For a run of so many macro steps, all of which are looked at.
    ///
    /// # Errors
    /// [`RunError::Grid`] where they are too many.
    pub fn new(windows: f64) -> Result<Self, RunError> {
        if windows.is_nan() || windows > WINDOWS_MAX {
            return Err(RunError::grid(
                "growth of perturbed runs",
                format!("{windows:.3e} macro steps up to the end of the run"),
                format!("at most {WINDOWS_MAX:e}: choose larger macro steps or an earlier `--stop`"),
            ));
        }
        let seen = (windows as u64).max(SAMPLES as u64);
        let pulse = seen / SAMPLES as u64;
        Ok(Probe { windows: BEFORE + pulse + seen, pulse })
    }

    /// From when to when the pulse is \[s\], after the macro steps that the run needs to begin; half a step aside, so that rounding decides nothing.
    pub fn pulse_s(&self, start_s: f64, step_s: f64) -> [f64; 2] {
        let from_s = start_s + (BEFORE as f64 - 0.5) * step_s;
        [from_s, from_s + self.pulse as f64 * step_s]
    }
}

/// ρ of a macro step. `couple` makes the system, with the pulse or without.
///
/// # Errors
/// Where the system cannot be coupled like this; what stopped a run whose growth up to there is not seen, NaN
/// where values left all bounds; [`RunError::Grid`] where a run was still on its way at the instant `until`.
pub fn radius(
    couple: &dyn Fn(bool) -> Result<Coupled, RunError>,
    probe: Probe,
    until: Option<Instant>,
) -> Result<f64, RunError> {
    let run = |is_nudged: bool| -> Result<(Vec<Vec<f64>>, Option<RunError>), RunError> {
        if until.is_some_and(|until| Instant::now() > until) {
            return Err(late(0, probe.windows));
        }
        let mut coupled = couple(is_nudged)?;
        let mut rows = Vec::with_capacity(probe.windows as usize);
        let ended = coupled.follow(probe.windows, |point| {
            rows.push(point.state.to_vec());
            until.is_none_or(|until| Instant::now() <= until)
        });
        if ended.is_ok() && (rows.len() as u64) < probe.windows {
            return Err(late(rows.len(), probe.windows));
        }
        // A unit that refuses what has grown beyond its range has diverged as well.
        Ok((rows, ended.err()))
    };
    let (plain, why) = run(false)?;
    let (nudged, why_nudged) = run(true)?;
    let deltas: Vec<Vec<f64>> = plain
        .iter()
        .zip(&nudged)
        .skip((BEFORE + probe.pulse) as usize)
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| b - a).collect())
        .collect();
    // What rounding makes of the difference, a signal each: of values that grow, only those that are looked at.
    let plain = &plain[..((BEFORE + probe.pulse) as usize + grown(&deltas)).min(plain.len())];
    let steps = plain.len() as f64;
    let largest = |i: usize| plain.iter().fold(0.0f64, |max, row| max.max(row[i].abs()));
    let noise: Vec<f64> =
        (0..plain.first().map_or(0, Vec::len)).map(|i| ROUNDING * steps.sqrt() * largest(i)).collect();
    let found = of_deltas(&deltas, &noise);
    // A run that ended early, and not by growth that is seen here.
    match why.or(why_nudged) {
        Some(RunError::Diverged(_)) => Ok(if found > 1.0 { found } else { f64::NAN }),
        Some(why) if found.is_nan() || found <= 1.0 => Err(why),
        None if found.is_nan() => Err(RunError::grid(
            "growth of perturbed runs",
            "differences of two runs that jump, as at events, or beat",
            "signals between units that move smoothly; see `macrostep verify` for the error of a run",
        )),
        _ => Ok(found),
    }
}

/// Runs that were not done in time.
fn late(made: usize, windows: u64) -> RunError {
    RunError::grid(
        "growth of perturbed runs",
        format!("{made} of {windows} macro steps in the time that is left"),
        "all of them: a larger `--limit` gives more time",
    )
}

/// Largest absolute value of a row, NaN where one is.
fn size(row: &[f64]) -> f64 {
    row.iter().fold(0.0, |max, x| larger(max, x.abs()))
}

/// Largest size of the first differences, which growth is told from.
fn begun(deltas: &[Vec<f64>]) -> f64 {
    deltas.iter().take(SAMPLES / 8).map(|row| size(row)).fold(0.0, larger)
}

/// Where a difference has grown enough: what follows may not be small any more.
fn grown(deltas: &[Vec<f64>]) -> usize {
    let first = begun(deltas);
    deltas.iter().position(|row| size(row).is_nan() || size(row) >= GROWN * first).unwrap_or(deltas.len())
}

/// ρ of the samples of a difference, which has the noise of each signal on it; 0 where there is none.
fn of_deltas(deltas: &[Vec<f64>], noise: &[f64]) -> f64 {
    let first = begun(deltas);
    if first == 0.0 || first.is_nan() {
        return first;
    }
    let deltas = &deltas[..grown(deltas)];
    let stride = (deltas.len() / SAMPLES).max(1);
    let samples: Vec<&Vec<f64>> = deltas.iter().step_by(stride).collect();
    if samples.len() < 8 {
        return f64::NAN;
    }
    let identified = identified(&samples, noise).filter(|rho| rho.is_finite());
    identified.map_or_else(|| mean(deltas), |rho| rho.powf(1.0 / stride as f64))
}

/// ρ of the linear system whose free motion the samples are; `None` where they are not of one of small order.
fn identified(samples: &[&Vec<f64>], noise: &[f64]) -> Option<f64> {
    let width = samples[0].len();
    let largest = |i: usize| samples.iter().fold(0.0f64, |max, row| max.max(row[i].abs()));
    // All signals relative to their largest; those that are nothing but noise say nothing.
    let scale: Vec<f64> = (0..width).map(|i| if largest(i) > noise[i] { 1.0 / largest(i) } else { 0.0 }).collect();
    let rows = samples.len() / 2;
    let columns = samples.len() - rows;
    let entry = |i: usize, j: usize| samples[i / width + j][i % width] * scale[i % width];
    let hankel = DMatrix::from_fn(rows * width, columns, entry);
    // One column less, so that the shifted matrix is as large.
    let (h0, h1) = (hankel.clone().remove_column(columns - 1), hankel.remove_column(0));
    // The largest singular value of a matrix of noise alone.
    let mean_square =
        noise.iter().zip(&scale).map(|(noise, scale)| (noise * scale).powi(2)).sum::<f64>() / width as f64;
    let lost = mean_square.sqrt() * ((h0.nrows() as f64).sqrt() + (h0.ncols() as f64).sqrt());
    let svd = h0.svd(true, true);
    let (u, v_t) = (svd.u.as_ref()?, svd.v_t.as_ref()?);
    // The smallest order that leaves next to nothing: what a larger one adds is rounding.
    let mut last = None;
    for rank in RANKS {
        let order = svd.singular_values.iter().filter(|s| **s > (rank * svd.singular_values[0]).max(lost)).count();
        // No eigenvalue is told by samples that are noise, and so many fit any samples.
        if order == 0 || order > columns / 2 {
            break;
        }
        let root: Vec<f64> = svd.singular_values.iter().take(order).map(|s| s.sqrt()).collect();
        let middle = u.columns(0, order).transpose() * &h1 * v_t.rows(0, order).transpose();
        let left = &h1 - u.columns(0, order) * &middle * v_t.rows(0, order);
        if left.norm() <= RESIDUAL * h1.norm() {
            let a = DMatrix::from_fn(order, order, |i, j| middle[(i, j)] / (root[i] * root[j]));
            last = Some(spectral_radius(&a));
        }
        if left.norm() <= SMALL * h1.norm() {
            break;
        }
    }
    last
}

/// Growth from row to row of the size of δ in blocks, all signals relative to their largest, by a straight line through its logarithm.
/// 1 where the line rises by no more than its points scatter; NaN where they scatter so much that a growth would not be seen.
fn mean(deltas: &[Vec<f64>]) -> f64 {
    let largest = |i: usize| deltas.iter().fold(1e-300f64, |max, row| max.max(row[i].abs()));
    let scale: Vec<f64> = (0..deltas[0].len()).map(|i| 1.0 / largest(i)).collect();
    let square = |row: &Vec<f64>| row.iter().zip(&scale).map(|(x, s)| (x * s).powi(2)).sum::<f64>();
    // Half the logarithm of the sum of squares, a block each.
    let block = deltas.len() / BLOCKS;
    let size = |rows: &[Vec<f64>]| 0.5 * rows.iter().map(square).sum::<f64>().max(1e-300).ln();
    let points: Vec<(f64, f64)> =
        deltas.chunks_exact(block).take(BLOCKS).enumerate().map(|(i, rows)| (i as f64, size(rows))).collect();
    // The line, and the standard error of its slope.
    let n = points.len() as f64;
    let (tm, ym) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let below: f64 = points.iter().map(|(t, _)| (t - tm).powi(2)).sum();
    let slope = points.iter().map(|(t, y)| (t - tm) * (y - ym)).sum::<f64>() / below;
    let left: f64 = points.iter().map(|(t, y)| (y - ym - slope * (t - tm)).powi(2)).sum();
    let uncertain = 3.0 * (left / ((n - 2.0) * below)).sqrt();
    match slope.abs() > uncertain {
        true => (slope / block as f64).exp(),
        false if uncertain * n <= UNSEEN_MAX => 1.0,
        false => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_radius_of_two_modes_is_that_of_the_larger() {
        let deltas: Vec<Vec<f64>> = (0..400)
            .map(|k| {
                let t = f64::from(k);
                let (slow, fast) = (1.0005f64.powf(t) * (0.05 * t).cos(), 0.98f64.powf(t) * (0.9 * t).sin());
                vec![1e-6 * (slow + fast), 3.0 * fast]
            })
            .collect();
        assert!((of_deltas(&deltas, &[0.0; 2]) - 1.0005).abs() < 1e-8, "{}", of_deltas(&deltas, &[0.0; 2]));
    }

    /// Modes of two masses, the slow one seen over a part of its period, with rounding on them: what rounding is made of is no mode,
    /// and becomes one where it is not known.
    #[test]
    fn rounding_is_no_mode() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / f64::from(1u32 << 31) - 0.5
        };
        // Noise on one of two signals, ten times.
        let (noise, mut blind) = (1e-5, 0);
        for _ in 0..10 {
            let row = |t: f64| [(-1e-6 * t).exp() * (2e-4 * t).sin(), (-1e-5 * t).exp() * (0.02 * t).sin()];
            let rows = (0..4000).map(|k| row(f64::from(k)));
            let deltas: Vec<Vec<f64>> =
                rows.map(|[slow, fast]| vec![slow + 1e-3 * fast + noise * random(), fast + 1e-4 * slow]).collect();
            let growth = |noise: f64| of_deltas(&deltas, &[noise, 0.0]).ln() * 4000.0;
            assert!((growth(noise) + 4e-3).abs() < 2e-3, "{}", growth(noise));
            blind += usize::from(growth(0.0) > 0.1);
        }
        assert!(blind > 0);
    }

    /// More modes than samples tell apart: none of them grows, and all of them grow by the same.
    #[test]
    fn many_modes_grow_in_the_mean() {
        let of = |growth: f64| -> Vec<Vec<f64>> {
            let mode = |t: f64, k: i32| (0.0317 * f64::from(k * k) * t + f64::from(k)).cos() / f64::from(1 + k % 5);
            let row = |t: f64| vec![growth.powf(t) * (1..90).map(|k| mode(t, k)).sum::<f64>()];
            (0..8000).map(|k| row(f64::from(k))).collect()
        };
        assert_eq!(of_deltas(&of(1.0), &[0.0]), 1.0);
        let found = of_deltas(&of(1.001), &[0.0]).ln() / 1.001f64.ln();
        assert!((found - 1.0).abs() < 0.1, "{found}");
    }

    /// A run whose values become NaN is not one that does not move; where they do so late, the growth before is seen.
    #[test]
    fn nan_is_no_rest() {
        assert!(of_deltas(&vec![vec![f64::NAN, 0.0]; 400], &[0.0; 2]).is_nan());
        let row = |k: i32| vec![if k < 300 { 1.01f64.powi(k) } else { f64::NAN }, 0.0];
        let deltas: Vec<Vec<f64>> = (0..400).map(row).collect();
        let found = of_deltas(&deltas, &[0.0; 2]);
        assert!((found - 1.01).abs() < 1e-8, "{found}");
    }

    /// Samples below the rounding of what they are differences of say nothing, in place of ρ = 0.
    #[test]
    fn nothing_but_noise_is_no_mode() {
        let deltas: Vec<Vec<f64>> = (0..400).map(|k| vec![1e-12 * f64::from(k).cos()]).collect();
        assert!(identified(&deltas.iter().take(80).collect::<Vec<_>>(), &[1e-9]).is_none());
    }

    #[test]
    fn what_no_linear_system_makes_grows_in_the_mean() {
        // A chirp that grows by 1 % a sample.
        let deltas: Vec<Vec<f64>> =
            (0..400).map(f64::from).map(|t| vec![1.01f64.powf(t) * (0.002 * t * t).cos()]).collect();
        assert!((of_deltas(&deltas, &[0.0]) - 1.01).abs() < 3e-3, "{}", of_deltas(&deltas, &[0.0]));
    }
}
