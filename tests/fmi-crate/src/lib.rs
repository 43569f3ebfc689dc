//! The crate `fmi` as a judge of the FMUs: an independent importer, with another XML reader and other bindings.
//!
//! All of it is in `tests/`. `tests/judges/fmi-crate.sh` writes the FMUs and runs it.
