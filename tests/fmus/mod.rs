//! The FMUs of this project: their references, tables and recipes, and coupled flexible bodies.

#[cfg(target_os = "linux")]
mod exchange;
mod flexible_units;
mod platforms;
mod recipes;
mod references;
mod second_reader;
mod second_reader_3;
mod tables;
