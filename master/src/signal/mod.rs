//! *Signals*: samples over time, the polynomials through them, and values given over time.

pub(crate) mod history;
pub(crate) mod nodes;
pub(crate) mod segment;
pub(crate) mod series;
