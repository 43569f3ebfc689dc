//! The two-mass linear oscillator of the LIM benchmark and its exact solution.
//!
//! ```text
//!   ▒──/\/\──┐        ┌──/\/\──┐        ┌──/\/\──▒
//!   ▒   k1   │   m1   │  k_c   │   m2   │   k2   ▒
//!   ▒──[=]───┘        └──[=]───┘        └──[=]───▒
//!       c1  →x1          c_c   →x2          c2
//! ```
//!
//! The equations of motion are M ẍ + C ẋ + K x = 0 (1), or ż = A z (3) with z = (x1, x2, ẋ1, ẋ2) (4), whose solution is
//! z(t) = e^{A t} z0 (6). [`Exact`] evaluates (6) to the last bits of an `f64`, for any parameters; [`closed_form()`] is the
//! solution of case 1 in sines, found another way; [`Monolithic`] is the benchmark's own integrator (7).
//!
//! ```
//! use macrostep_oscillator::{Exact, Parameters};
//!
//! let parameters = Parameters::case_1();
//! let exact = Exact::new(&parameters)?;
//! let z = exact.at(10.0);
//! assert!((parameters.energy(&z) / parameters.energy(&parameters.start()) - 1.0).abs() < 1e-13);
//! # Ok::<(), macrostep_oscillator::ParameterError>(())
//! ```
//!
//! # Notation
//!
//! | symbol | code | unit | meaning |
//! |---|---|---|---|
//! | x_i | `z[0]`, `z[1]` | m | displacement of mass i from equilibrium |
//! | ẋ_i = v_i | `z[2]`, `z[3]` | m/s | velocity of mass i |
//! | m_i | `m[i]` | kg | masses |
//! | k_i, k_c | `k[i]`, `k_c` | N/m | springs to the ground and between the masses |
//! | c_i, c_c | `c[i]`, `c_c` | N·s/m | dampers to the ground and between the masses |
//! | f_i | `Force` | N | external force on mass i, positive along x; 0 unless given |
//! | f^c | `coupling_force` | N | k_c (x1 − x2) + c_c (v1 − v2), acts as −f^c on mass 1 and +f^c on mass 2 |
//! | E | `energy` | J | mechanical energy |
//! | A | `system_matrix` | | ż = A z, equation (5) |
//!
//! # References
//!
//! Equation numbers are those of [LIM 2021], Co-simulation benchmarks: Linear oscillator.

mod closed_form;
mod double;
mod exact;
mod exponential;
mod force;
mod modes;
mod monolithic;
mod parameters;

pub use closed_form::closed_form;
pub use exact::{Exact, Grid};
pub use force::Force;
pub use modes::Mode;
pub use monolithic::Monolithic;
pub use parameters::{ParameterError, Parameters};

/// z = (x1, x2, v1, v2) in m and m/s, equation (4).
pub type State = nalgebra::Vector4<f64>;
