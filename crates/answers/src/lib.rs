//! What is asked of a scenario, and the answers.
//!
//! A scenario with options is an [`Opened`](system::Opened), of any system: a file, a built-in system by its name, FMUs, or a document of a caller.
//! From there one goes to a run and its [`Outcome`](system::outcome::Outcome), to an explanation, an error estimate, a page, and to the comparisons of
//! coupling methods ([`laboratory`]). The program and the Python module ([`api`]) are two ways to the same answers.

pub mod accounts;
pub mod api;
pub mod carried;
pub mod checkpoint;
pub mod choices;
pub mod distinct;
pub mod failure;
pub mod files;
pub mod formats;
pub mod junit;
pub mod laboratory;
pub mod numbers;
pub mod print;
pub mod progress;
pub mod slaves;
pub mod system;
pub mod values;
pub mod verdict;

pub use carried::Carried;
