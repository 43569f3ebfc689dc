//! The state of a run inside, as bytes.

use macrostep_master::SavedState;
use macrostep_ode::Polynomials;
use macrostep_slave::Memory;
use serde::{Deserialize, Serialize};

use crate::between::Between;
use crate::contents::Contents;
use crate::extrapolation::Extrapolation;
use crate::running::{Running, coefficients};

/// What a state of the run is kept as.
#[derive(Serialize, Deserialize)]
struct Saved {
    state: SavedState,
    /// With extrapolated inputs: their values.
    extrapolation: Option<Extrapolation>,
    /// Where the run is ahead.
    between: Option<Between>,
    /// In both cases: polynomials as they were told.
    told: Vec<Vec<f64>>,
}

impl Running {
    /// Everything that changes, as bytes.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn keep(&mut self) -> Result<Vec<u8>, String> {
        let state = self.simulation.saved_state().map_err(|e| e.to_string())?;
        let (extrapolation, between) = (self.extrapolation.clone(), self.between.clone());
        let is_other = extrapolation.is_some() || between.is_some();
        let told = (0..self.told.count()).filter(|_| is_other).map(|i| coefficients(&self.told, i)).collect();
        postcard::to_stdvec(&Saved { state, extrapolation, between, told }).map_err(|e| e.to_string())
    }

    /// Goes on where bytes were saved.
    ///
    /// # Errors
    /// Where they are those of something else, and what a unit answers.
    pub fn recall(&mut self, bytes: &[u8], contents: &Contents, memory: &Memory) -> Result<(), String> {
        let saved: Saved = postcard::from_bytes(bytes).map_err(|e| e.to_string())?;
        self.is_fresh = false;
        self.simulation.resume(&saved.state).map_err(|e| e.to_string())?;
        self.retell(contents, memory);
        self.between = saved.between;
        // Inputs that were extrapolated, or told at another time, are not those the memory has.
        let Saved { extrapolation, told, .. } = saved;
        if self.between.is_some() {
            self.told_others.fill(None);
        } else if extrapolation.is_none() {
            return Ok(());
        }
        if told.len() != self.told.count() {
            return Err(format!("{} inputs, expected {}", told.len(), self.told.count()));
        }
        self.told = Polynomials::new(told.len());
        for (i, coefficients) in told.iter().enumerate() {
            coefficients.iter().enumerate().for_each(|(j, c)| self.told.set(i, j, *c));
            self.simulation.set_outside(i, coefficients);
        }
        self.extrapolation = extrapolation;
        Ok(())
    }
}
