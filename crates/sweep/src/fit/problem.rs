//! A fit as residuals at points of the box [0, 1]ⁿ, which are runs side by side.

use macrostep_system::scenario::Value;
use nalgebra::DVector;

use super::data::{Rows, Signal};
use super::free::Free;
use crate::pool;
use crate::refused::Refused;
use crate::runner::{Ending, Runner};
use crate::study::Study;

/// A study, its data, and workers with their simulations.
pub struct Problem<'s, 'a> {
    pub study: &'s Study<'a>,
    pub signals: Vec<Signal>,
    pub free: &'s [Free],
    pub runners: Vec<Runner<'s, 'a>>,
    pub runs: u64,
    /// How the last run that failed has ended.
    pub failure: Option<Ending>,
}

impl Problem<'_, '_> {
    /// Values of the parameters at a point.
    pub fn values(&self, z: &DVector<f64>) -> Vec<Value> {
        self.free.iter().zip(z.iter()).map(|(free, z)| Value::Real(free.value(*z))).collect()
    }

    /// Runs at several points, and their values at the times of the data, signal after signal.
    pub fn model(&mut self, points: &[Vec<Value>]) -> Vec<Option<DVector<f64>>> {
        // A run gives the values at the data's times, or why it has ended before.
        let signals = &self.signals;
        let (mut out, failure) = (Vec::new(), &mut self.failure);
        let work = |runner: &mut Runner<'_, '_>, values: &&Vec<Value>| {
            let mut rows = Rows::default();
            match runner.run(values, &mut rows) {
                ending if ending.is_usable() => Ok(signals.iter().flat_map(|s| rows.at(s)).collect::<Vec<f64>>()),
                ending => Err(ending),
            }
        };
        // Runs side by side, in the order of the points. One that fails or has a value that is NaN gives none.
        pool::each(&mut self.runners, points.iter(), work, |_, result| {
            out.push(match result {
                Ok(values) => Some(DVector::from_vec(values)).filter(|v| v.iter().all(|x| x.is_finite())),
                Err(ending) => {
                    *failure = Some(ending);
                    None
                }
            });
            true
        });
        // Failed runs count, too: they are work.
        self.runs += points.len() as u64;
        out
    }

    /// Weighted differences of run and data.
    pub fn residuals(&mut self, points: &[DVector<f64>]) -> Vec<Option<DVector<f64>>> {
        let values: Vec<Vec<Value>> = points.iter().map(|z| self.values(z)).collect();
        let models = self.model(&values);
        let (measured, weights) = (self.measured(), self.weights());
        models.into_iter().map(|model| Some((model? - &measured).component_mul(&weights))).collect()
    }

    /// The measured values, signal after signal.
    pub fn measured(&self) -> DVector<f64> {
        DVector::from_vec(self.signals.iter().flat_map(|s| s.values.iter().copied()).collect())
    }

    /// The weight of each value.
    pub fn weights(&self) -> DVector<f64> {
        DVector::from_vec(self.signals.iter().flat_map(|s| s.values.iter().map(|_| s.weight)).collect())
    }

    /// The error that ended the fit.
    pub fn failed(&self) -> Refused {
        match &self.failure {
            Some(Ending::Interrupted) => Refused::Run("interrupted".to_owned()),
            Some(ending) => Refused::Run(format!("a run that is needed has failed: {}", ending.status())),
            None => Refused::Run("a run gives values that are not finite".to_owned()),
        }
    }

    /// Root mean square of each signal's differences, without weight.
    pub fn rms(&self, residual: &DVector<f64>) -> Vec<f64> {
        let mut first = 0;
        let of = |s: &Signal| {
            let own = residual.rows(first, s.values.len());
            first += s.values.len();
            own.norm() / (s.values.len() as f64).sqrt() / s.weight
        };
        self.signals.iter().map(of).collect()
    }
}
