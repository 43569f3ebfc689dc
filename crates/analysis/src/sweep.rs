//! Stability of a scheme on a scenario over the macro step: spectral radius and growth rate from the one-step map, and the
//! largest H up to which the run stays bounded.
//!
//! ```text
//! ρ(H) = max |λ_i| of the one-step map,   growth rate = ln ρ / H
//! limit: the first H, going up, at which ln ρ / H exceeds the growth rate allowed
//! ```
//!
//! A scenario that is not linear is looked at near its start: growth rates are those of small deviations there.

use crate::scenario::{Benchmark, Source};
use crate::scheme::Scheme;
use macrostep_master::RunError;

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
    /// How growth was found.
    pub source: Option<Source>,
    /// The first H \[s\] at which no growth was found, and why; its ρ is NaN.
    pub unknown: Option<(f64, String)>,
    /// Why there is no result, where there is none.
    pub failed: Option<String>,
}

impl Sweep {
    /// Of a scheme that has no growth to look at, and why.
    pub fn failed(scheme: &Scheme, why: String) -> Self {
        let (step_s, radius) = (Vec::new(), Vec::new());
        Sweep { scheme: *scheme, step_s, radius, limit_s: None, source: None, unknown: None, failed: Some(why) }
    }

    /// ln ρ / H \[1/s\] at each macro step.
    pub fn growth_rate(&self) -> Vec<f64> {
        self.radius.iter().zip(&self.step_s).map(|(rho, h)| rho.ln() / h).collect()
    }
}

/// Radii at `steps_s` (ascending) and the limit for growth rates up to `growth_rate` \[1/s\].
///
/// # Errors
/// As [`Benchmark::growth`], where no macro step has an answer.
pub fn sweep(scenario: &dyn Benchmark, scheme: &Scheme, steps_s: &[f64], growth_rate: f64) -> Result<Sweep, RunError> {
    // Radii at all macro steps. One that has none is unknown, and does not end the rest.
    let radius = |step_s: f64| scenario.growth(scheme, step_s, None).map_or(f64::NAN, |g| g.radius);
    let (mut all, mut source, mut refused) = (Vec::new(), None, Vec::new());
    for &step_s in steps_s {
        match scenario.growth(scheme, step_s, None) {
            Ok(growth) => {
                all.push(growth.radius);
                source = source.or(Some(growth.source));
            }
            Err(why) => {
                all.push(f64::NAN);
                refused.push((step_s, why));
            }
        }
    }
    if refused.len() == steps_s.len() {
        return Err(refused.swap_remove(0).1);
    }
    // The first that grows, found more exactly between it and the one before.
    let grows = |rho: f64, h: f64| rho.is_nan() || rho.ln() / h > growth_rate;
    let first = (0..all.len()).find(|&i| grows(all[i], steps_s[i]));
    let limit_s = match first {
        None => None,
        Some(0) => Some(steps_s[0]),
        // Nothing is known from there on: no place to look for between two macro steps.
        Some(i) if refused.first().is_some_and(|(step_s, _)| *step_s == steps_s[i]) => Some(steps_s[i]),
        Some(i) => {
            let (mut low, mut high) = (steps_s[i - 1], steps_s[i]);
            loop {
                let middle = scenario.allowed_step_s((low * high).sqrt());
                // Near enough, or two steps of which units allow none between.
                if high / low <= 1.0 + 1e-4 {
                    break Some(middle);
                }
                if middle <= low * (1.0 + 1e-9) || middle >= high * (1.0 - 1e-9) {
                    break Some(low);
                }
                if grows(radius(middle), middle) { high = middle } else { low = middle }
            }
        }
    };
    // All of it, with the first reason why something is unknown.
    Ok(Sweep {
        scheme: *scheme,
        step_s: steps_s.to_vec(),
        radius: all,
        limit_s,
        source,
        unknown: refused.into_iter().next().map(|(step_s, why)| (step_s, why.to_string())),
        failed: None,
    })
}
