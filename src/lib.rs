//! What the program `macrostep` is made of, for its tests and examples.

pub mod embedded;
pub mod foundry;
pub mod models;
pub mod multirate;
pub mod pair;
