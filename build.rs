//! Builds and packs the FMUs.
fn main() {}
