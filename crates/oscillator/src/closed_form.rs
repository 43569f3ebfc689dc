//! Case 1 in sines and cosines: the one pair of numbers of Table 1 with a short solution by hand.
//!
//! With m = 1 the squares of the eigenfrequencies are the roots of (110 − λ)(1100 − λ) = 100², that is λ = 100 and
//! λ = 1110, with the shapes (10, 1) and (1, −10). Splitting the start velocity (100, −100) in those two gives
//!
//! ```text
//!     x1 = (900/101) sin 10t + 1100/(101 ω2) sin ω2 t ,      ω2 = √1110
//!     x2 =  (90/101) sin 10t − 11000/(101 ω2) sin ω2 t
//! ```

use crate::State;

/// State of case 1 at `t_s` in s. Of the last bits, about ω2 t are lost to the rounding of ω2 t.
pub fn closed_form(t_s: f64) -> State {
    let (omega_1, omega_2) = (10.0, 1110f64.sqrt());
    let (sin_1, cos_1) = (omega_1 * t_s).sin_cos();
    let (sin_2, cos_2) = (omega_2 * t_s).sin_cos();
    State::new(
        (900.0 * sin_1 + 1100.0 / omega_2 * sin_2) / 101.0,
        (90.0 * sin_1 - 11000.0 / omega_2 * sin_2) / 101.0,
        (9000.0 * cos_1 + 1100.0 * cos_2) / 101.0,
        (900.0 * cos_1 - 11000.0 * cos_2) / 101.0,
    )
}
