//! Systems in TOML and SSP: read, checked, run, interrupted and continued.

mod answers;
mod benchmarks;
#[cfg(target_os = "linux")]
mod checkpoint;
#[cfg(target_os = "linux")]
mod limits;
mod methods;
mod ssp;
#[cfg(target_os = "linux")]
mod threads;
mod toml;
