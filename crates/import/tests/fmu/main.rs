//! The importer against a small slave in C, and against archives made to hurt.
//!
//! Needs a C compiler, as building the importer does.
#![cfg(unix)]

mod archives;
mod continuous;
mod instances;
mod make;
mod statuses;
mod trials;
