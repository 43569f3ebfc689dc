//! Systems in TOML and SSP: read, checked, run, interrupted and continued.

mod benchmarks;
#[cfg(target_os = "linux")]
mod checkpoint;
#[cfg(target_os = "linux")]
mod limits;
mod ssp;
mod toml;
