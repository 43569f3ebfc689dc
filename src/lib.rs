//! What the program `macrostep` is made of, for its tests and examples.

pub mod beam;
pub mod catalogue;
pub mod embedded;
pub mod foundry;
pub mod pair;
pub mod pendulum;
