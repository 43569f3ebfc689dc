//! Linear elastic isotropic material.
//!
//! # Notation
//! | symbol | field | unit |
//! |---|---|---|
//! | E | `young_pa` | Pa |
//! | ν | `poisson` | – |
//! | ρ | `density_kg_m3` | kg/m³ |
//! | G = E / 2(1+ν) | [`Material::shear_pa`] | Pa |

use crate::Error;
use serde::{Deserialize, Serialize};

/// Isotropic linear elastic material.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Young's modulus E in Pa, positive.
    pub young_pa: f64,
    /// Poisson's ratio ν, in (−1, 0.5).
    pub poisson: f64,
    /// Density ρ in kg/m³, positive.
    pub density_kg_m3: f64,
}

impl Material {
    /// Checks the three constants.
    ///
    /// # Errors
    /// [`Error::Material`] when a constant is outside its range.
    pub fn new(young_pa: f64, poisson: f64, density_kg_m3: f64) -> Result<Self, Error> {
        let refuse = |name, value, expected| Err(Error::Material { name, value, expected });
        if !(young_pa > 0.0 && young_pa.is_finite()) {
            return refuse("young_pa", young_pa, "a positive number");
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return refuse("poisson", poisson, "a number in (-1, 0.5)");
        }
        if !(density_kg_m3 > 0.0 && density_kg_m3.is_finite()) {
            return refuse("density_kg_m3", density_kg_m3, "a positive number");
        }
        Ok(Self { young_pa, poisson, density_kg_m3 })
    }

    /// Shear modulus G = E / 2(1 + ν) in Pa.
    pub fn shear_pa(&self) -> f64 {
        self.young_pa / (2.0 * (1.0 + self.poisson))
    }

    /// Lamé constants (λ, μ) in Pa.
    pub fn lame_pa(&self) -> (f64, f64) {
        let (e, nu) = (self.young_pa, self.poisson);
        (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), self.shear_pa())
    }
}
