//! The crate `diffsol` beside our integrator for stiff equations.
//!
//! All of it is in `tests/`. `tests/judges/diffsol.sh` runs it.
