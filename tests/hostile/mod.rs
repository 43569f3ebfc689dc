//! Every known hazard for the program: no crash, no hang, no lost row, one clear error.
//!
//! The errors are collected in `docs/errors.md`; see [`page`].

#[cfg(target_os = "linux")]
mod far;
mod files;
mod forked;
mod options;
mod page;
mod process;
mod slaves;
mod systems;
#[cfg(target_os = "linux")]
mod trials;
