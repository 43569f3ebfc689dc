//! The dimensionless test model of stability analysis: two oscillators and their coupling, each given by an eigenvalue,
//! with H = 1 and m1 = 1.
//!
//! ```text
//! k_i = m_i (Λr_i² + Λi_i²),   c_i = −2 m_i Λr_i            i = 1, 2
//! k_c = m_1 (Λr_c² + Λi_c²),   c_c = −2 m_1 Λr_c
//! ```
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | Λr_1, Λi_1 | `re`, `im` | real and imaginary part of an eigenvalue of subsystem 1, times H |
//! | α_m21 | `m21` | m_2 / m_1 |
//! | α_Λr21, α_Λi21 | `re21`, `im21` | Λr_2 / Λr_1, Λi_2 / Λi_1 |
//! | α_Λrc1, α_Λic1 | `rec1`, `imc1` | Λr_c / Λr_1, Λi_c / Λi_1 |
//!
//! The coupling's eigenvalue is that of an oscillator of mass m_1 on the coupling's spring and damper: the text names the
//! ratios and leaves this reading open.
//!
//! Reference: \[Li 2019\], appendices 1 and 2; \[Schweizer 2015\].

use crate::models;
use crate::pair::{Coupled, Pair, Start, build};
use crate::scenario::check_map;
use crate::scheme::Scheme;
use macrostep_master::{OneStepMap, RunError, spectral_radius};
use macrostep_oscillator::Parameters;

/// Ratios between subsystem 2, the coupling and subsystem 1; all 1 is the symmetric model.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Ratios {
    /// α_m21.
    pub m21: f64,
    /// α_Λr21.
    pub re21: f64,
    /// α_Λi21.
    pub im21: f64,
    /// α_Λrc1.
    pub rec1: f64,
    /// α_Λic1.
    pub imc1: f64,
}

impl Default for Ratios {
    fn default() -> Self {
        Ratios { m21: 1.0, re21: 1.0, im21: 1.0, rec1: 1.0, imc1: 1.0 }
    }
}

impl Ratios {
    /// The oscillator with the eigenvalue `re` + i `im` (both times H = 1) for subsystem 1.
    pub fn parameters(&self, re: f64, im: f64) -> Parameters {
        let spring = |m: f64, re: f64, im: f64| (m * (re * re + im * im), -2.0 * m * re);
        let (k1, c1) = spring(1.0, re, im);
        let (k2, c2) = spring(self.m21, self.re21 * re, self.im21 * im);
        let (k_c, c_c) = spring(1.0, self.rec1 * re, self.imc1 * im);
        // Adding 0 makes 0 of −0.
        let c = [c1, c2].map(|c| c + 0.0);
        Parameters { m: [1.0, self.m21], k: [k1, k2], c, k_c, c_c: c_c + 0.0, x0: [0.0; 2], v0: [0.0; 2] }
    }
}

/// Parameters with time measured in macro steps of `step_s` seconds: k H² and c H.
pub fn in_steps(p: &Parameters, step_s: f64) -> Parameters {
    let (stiff, damped) = (step_s * step_s, step_s);
    Parameters {
        k: p.k.map(|k| k * stiff),
        c: p.c.map(|c| c * damped),
        k_c: p.k_c * stiff,
        c_c: p.c_c * damped,
        v0: p.v0.map(|v| v * damped),
        ..*p
    }
}

/// Spectral radii of one scheme on the test model, point after point with the same memory.
pub struct Probe {
    ratios: Ratios,
    pair: Pair,
    coupled: Coupled,
    map: OneStepMap,
}

impl Probe {
    /// For a scheme, on native units.
    ///
    /// # Errors
    /// As [`build`].
    pub fn new(scheme: &Scheme, ratios: Ratios) -> Result<Self, RunError> {
        check_map(scheme)?;
        let shares = scheme.shares(2);
        let pair = Pair {
            parameters: ratios.parameters(-0.1, 0.1),
            start: Start::Exact,
            shares: [shares[0], shares[1]],
            ..Pair::new(scheme.coupling, scheme.method(2), 1.0, 1e9)
        };
        let mut coupled = build(&pair, &models::native)?;
        // The structure of the map is seen where nothing vanishes.
        let mut map = OneStepMap::default();
        map.take(&mut coupled.simulation, 1.0)?;
        map.keep_structure();
        Ok(Probe { ratios, pair, coupled, map })
    }

    /// ρ at the eigenvalue `re` + i `im`.
    ///
    /// # Errors
    /// What a unit answers in two windows.
    pub fn radius(&mut self, re: f64, im: f64) -> Result<f64, RunError> {
        self.radius_of(&self.ratios.parameters(re, im))
    }

    /// ρ for any parameters, with H = 1: those of a macro step H are [`in_steps`].
    ///
    /// # Errors
    /// As [`Probe::radius`].
    pub fn radius_of(&mut self, parameters: &Parameters) -> Result<f64, RunError> {
        self.pair.parameters = *parameters;
        self.coupled.reset_with(&self.pair)?;
        let matrix = self.map.take(&mut self.coupled.simulation, 1.0)?;
        Ok(spectral_radius(matrix))
    }
}
