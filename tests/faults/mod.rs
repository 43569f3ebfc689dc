//! Files, processes and values that go wrong: nothing is lost, nothing is wrong in silence, and the exit code says so.

mod bounds;
mod divergence;
mod floating_point;
mod locks;
mod overwrite;
mod recover;
mod resume;
mod signals;
mod steps;
mod values;
mod watched;
