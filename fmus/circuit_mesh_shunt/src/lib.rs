//! The FMU `circuit_mesh_shunt`: a mesh of a circuit with the shunt it shares with another.
//!
//! # Equations
//! ```text
//! u_s = (q - q_o)/C_s + R_s (i - i_o)
//! dq/dt = i,   di/dt = (-u_s - R i - q/C)/L
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::CircuitMeshShunt;

macrostep_export::export_fmu!(CircuitMeshShunt);
