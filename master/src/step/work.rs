//! Virtual work of a pair of linear maps: positions go forward by one, forces come back by the other.
//!
//! ```text
//! |F·(T δu) − g·δu| ≤ ε |F| |T δu|,   g = what the way back makes of F
//! ```
//!
//! with δu the change of u since the last communication point. The maps are taken as they stand in the system, so that a way
//! back that is not the dual of the way forward is found: it loses or makes power.

use crate::ids::{LawId, Signal};
use crate::savable::savable;
use crate::step::supply::{Sources, Supply};
use crate::system::System;

/// Bound on the relative defect. A dual map leaves rounding, some 1e-15; forces sampled at chosen nodes leave about a half.
pub const WORK_TOLERANCE: f64 = 1e-12;

/// One pair of maps under watch.
#[derive(Debug)]
pub(crate) struct WorkWatch {
    forward: usize,
    back: usize,
    /// Where u and F come from.
    motion: Vec<Signal>,
    force: Vec<Signal>,
    /// Room for u, its change and what the maps make of it and of F.
    u: Vec<f64>,
    change: Vec<f64>,
    full: Vec<f64>,
    f: Vec<f64>,
    g: Vec<f64>,
}

savable! {
/// What a watch has seen.
#[derive(Default)]
pub(crate) struct WatchState {
    /// u at the last communication point.
    before: Option<Vec<f64>>,
    /// The largest defect so far.
    pub defect: f64,
}
}

/// The sources of a pair of maps, kept from the definition for [`WorkWatch`].
#[derive(Debug, Clone, Default)]
pub(crate) struct LawSources(Vec<Vec<Signal>>);

impl LawSources {
    pub fn of(system: &System) -> Self {
        LawSources(system.laws.iter().map(|l| l.inputs.clone()).collect())
    }

    /// How many inputs a law has.
    pub fn inputs(&self, law: LawId) -> usize {
        self.0.get(law.0).map_or(0, Vec::len)
    }
}

impl WorkWatch {
    /// `None` where the maps do not fit together: as many outputs of one as the other has inputs, both ways.
    pub fn new(supply: &Sources, sources: &LawSources, forward: LawId, back: LawId) -> Option<Self> {
        let [motion, force] = [forward, back].map(|law| sources.0.get(law.0).cloned().unwrap_or_default());
        let outputs = |law: LawId| supply.laws.get(law.0).map(|l| l.outputs());
        let fits = outputs(forward) == Some(force.len()) && outputs(back) == Some(motion.len());
        let (m, n) = (motion.len(), force.len());
        fits.then(|| WorkWatch {
            forward: forward.0,
            back: back.0,
            motion,
            force,
            u: vec![0.0; m],
            change: vec![0.0; m],
            full: vec![0.0; n],
            f: vec![0.0; n],
            g: vec![0.0; m],
        })
    }

    /// Looks at the newest samples.
    pub fn look(&mut self, state: &mut WatchState, supply: &Supply<'_>) {
        // u and F of now.
        let newest = |s: &Signal| {
            let history = &supply.histories[s.channel];
            history.row(history.newest())[s.component]
        };
        self.u.iter_mut().zip(&self.motion).for_each(|(u, s)| *u = newest(s));
        self.f.iter_mut().zip(&self.force).for_each(|(f, s)| *f = newest(s));
        // Without an earlier point there is no change yet.
        let Some(before) = &mut state.before else {
            state.before = Some(self.u.clone());
            return;
        };
        for ((change, u), before) in self.change.iter_mut().zip(&self.u).zip(before) {
            *change = u - *before;
            *before = *u;
        }
        // The maps as they stand: T δu, and g for F.
        supply.laws[self.forward].evaluate(&self.change, &mut self.full);
        supply.laws[self.back].evaluate(&self.f, &mut self.g);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        // Relative to |F| |T δu|; where that is zero, nothing is said.
        let scale = (dot(&self.f, &self.f) * dot(&self.full, &self.full)).sqrt();
        if scale > f64::MIN_POSITIVE {
            let defect = (dot(&self.f, &self.full) - dot(&self.g, &self.change)).abs() / scale;
            state.defect = state.defect.max(defect);
        }
    }
}
