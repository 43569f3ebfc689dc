//! The FMU `circuit_mesh`: a mesh of a circuit, driven by the voltage of a shunt.
//!
//! # Equations
//! ```text
//! dq/dt = i,   di/dt = (u - R i - q/C)/L
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::CircuitMesh;

macrostep_export::export_fmu!(CircuitMesh);
