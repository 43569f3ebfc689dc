//! Verbs about systems of FMUs of any tool.

pub mod arguments;
mod bundle;
pub mod convert;
pub mod explain;
#[cfg(feature = "full")]
pub mod export;
pub mod graph;
pub mod list;
pub mod new;
pub mod run;
pub mod verify;
