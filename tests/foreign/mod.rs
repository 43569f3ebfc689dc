//! FMUs and systems as other people's tools write them: each class of them made anew with a small FMU of our own.

mod arrays;
mod check;
mod descriptions;
mod faces;
mod feed_through;
mod fmi3;
mod input_orders;
mod logger;
mod measures;
mod meshes;
mod numerics;
mod python;
mod records;
mod ssp;
mod ssp_units;
mod ssp_written;
mod start_values;
mod tolerance;
mod types;
