//! Stability of a scheme on a scenario over the macro step: spectral radius and growth rate from the one-step map, and the
//! largest H up to which the run stays bounded.
//!
//! ```text
//! ρ(H) = max |λ_i| of the one-step map,   growth rate = ln ρ / H
//! limit: the first H, going up, at which ln ρ / H exceeds the growth rate allowed
//! ```
//!
//! A scenario that is not linear is looked at near its start: growth rates are those of small deviations there.

use crate::foundry;
use crate::lab::scenario::{Benchmark, Setup, check_cut};
use crate::pair::Start;
use crate::scheme::Scheme;
use macrostep_master::{OneStepMap, RunError, spectral_radius};

/// Spectral radii of a scheme over macro steps.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// The scheme.
    pub scheme: Scheme,
    /// Macro steps \[s\], ascending.
    pub step_s: Vec<f64>,
    /// ρ at each.
    pub radius: Vec<f64>,
    /// First H \[s\] beyond which growth exceeds what is allowed; `None` where it does not.
    pub limit_s: Option<f64>,
}

impl Sweep {
    /// ln ρ / H \[1/s\] at each macro step.
    pub fn growth_rate(&self) -> Vec<f64> {
        self.radius.iter().zip(&self.step_s).map(|(rho, h)| rho.ln() / h).collect()
    }
}

/// ρ of a scheme at one macro step \[s\].
///
/// # Errors
/// As [`Benchmark::couple`].
pub fn radius(scenario: &dyn Benchmark, scheme: &Scheme, step_s: f64) -> Result<f64, RunError> {
    let card = scenario.card();
    check_cut(&card, scheme.coupling)?;
    check_map(scheme)?;
    let setup = Setup { start: Start::Exact, ..Setup::new(scheme, step_s, &foundry::native) };
    let mut coupled = scenario.couple(&setup)?;
    let delta = if card.linear { 1.0 } else { 1e-7 };
    Ok(spectral_radius(OneStepMap::default().take(&mut coupled.simulation, delta)?))
}

/// A scheme that has no one-step map.
///
/// # Errors
/// [`RunError::Grid`] with the reason.
pub fn check_map(scheme: &Scheme) -> Result<(), RunError> {
    scheme.mapless().map_or(Ok(()), |why| {
        Err(RunError::Grid {
            what: "one-step map",
            found: format!("`{scheme}`, which has none: {why}"),
            expected: "a scheme whose steps are all the same linear map".to_string(),
        })
    })
}

/// Radii at `steps_s` (ascending) and the limit for growth rates up to `growth_rate` \[1/s\].
///
/// # Errors
/// As [`radius`].
pub fn sweep(scenario: &dyn Benchmark, scheme: &Scheme, steps_s: &[f64], growth_rate: f64) -> Result<Sweep, RunError> {
    let all = steps_s.iter().map(|h| radius(scenario, scheme, *h)).collect::<Result<Vec<f64>, RunError>>()?;
    let grows = |rho: f64, h: f64| rho.is_nan() || rho.ln() / h > growth_rate;
    let first = (0..all.len()).find(|&i| grows(all[i], steps_s[i]));
    let limit_s = match first {
        None => None,
        Some(0) => Some(steps_s[0]),
        Some(i) => {
            let (mut low, mut high) = (steps_s[i - 1], steps_s[i]);
            while high / low > 1.0 + 1e-4 {
                let middle = (low * high).sqrt();
                if grows(radius(scenario, scheme, middle)?, middle) { high = middle } else { low = middle }
            }
            Some((low * high).sqrt())
        }
    };
    Ok(Sweep { scheme: *scheme, step_s: steps_s.to_vec(), radius: all, limit_s })
}
