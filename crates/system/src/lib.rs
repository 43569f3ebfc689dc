#![doc = include_str!("../README.md")]
//!
//! Systems of FMUs of any tool: scenarios, read from files, checked, and converted to the master's values.
//!
//! ```text
//! TOML ─┐                       ┌─ check ──► findings, each with its place in the file
//!       ├─► Document: Scenario ─┤
//! SSP ──┘        ▲              └─ assemble ─► System + Method + Grid ─► Simulation
//!   write ◄──────┘                                     └─ explain, graph, verify
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | [`scenario`] | what is coupled to what and how, as plain values |
//! | [`toml`], [`ssp`] | files; nothing of running |
//! | [`catalogue`] | where FMUs are and how units are made of them |
//! | [`mod@check`] | whether a scenario fits its FMUs |
//! | [`mod@assemble`] | the one conversion into the master's `System`, `Method` and `Grid` |
//! | [`explain`], [`graph`], [`verify`] | what a run does, without and with numbers |
//!
//! In a browser, where there are no FMUs, it reads TOML and couples native models: `ssp`, `open` and `Fmus` are not there.
//!
//! References: \[SSP 1.0\]; FMI 2.0.5, sections 2.2 and 4.2.

pub mod assemble;
pub mod catalogue;
pub mod check;
pub mod explain;
mod finding;
#[cfg(feature = "graph")]
pub mod graph;
pub mod input;
pub mod near;
#[cfg(not(target_family = "wasm"))]
mod open;
pub mod propose;
mod rated;
pub mod scenario;
mod second_look;
#[cfg(not(target_family = "wasm"))]
pub mod ssp;
pub mod toml;
pub mod verify;
pub mod words;

pub use assemble::{Assembly, assemble};
pub use catalogue::Catalogue;
#[cfg(not(target_family = "wasm"))]
pub use catalogue::Fmus;
pub use check::check;
pub use finding::{Finding, Severity, summary};
#[cfg(not(target_family = "wasm"))]
pub use open::{Document, OpenError, open};
pub use scenario::Scenario;
pub use second_look::second_look;
