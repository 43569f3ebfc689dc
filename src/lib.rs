//! The library behind the command line: benchmark scenarios coupled by the master.

pub mod foundry;
pub mod pair;
