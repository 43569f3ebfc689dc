//! What the program `macrostep` is made of, for its tests and examples.

pub mod embedded;
pub mod foundry;
pub mod input;
pub mod pair;
pub mod values;
