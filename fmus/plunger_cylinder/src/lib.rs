//! The FMU `plunger_cylinder`: a plunger cylinder, driven by the motion of its load.
//!
//! # Equations
//! ```text
//! V = V0 + area x,   Q = G (p_s - p) - area v
//! dp = bulk Q/V,   ddp = bulk (-G dp - area a)/V - bulk Q area v/V^2
//! f = area p
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Plunger;

macrostep_export::export_fmu!(Plunger);
