//! Systems in TOML and SSP: read, checked, run, interrupted and continued.

mod answers;
mod benchmarks;
#[cfg(target_os = "linux")]
mod checkpoint;
#[cfg(target_os = "linux")]
mod defaults;
mod growth;
#[cfg(target_os = "linux")]
mod limits;
mod linear_implicit;
mod methods;
mod multiples;
mod promises;
mod propose;
#[cfg(target_os = "linux")]
mod rollback;
mod solution;
mod ssp;
#[cfg(target_os = "linux")]
mod threads;
mod toml;
mod verdicts;
