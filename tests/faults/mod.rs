//! Files, processes and values that go wrong: nothing is lost, no wrong result without a message, and an exit code that
//! shows it.

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
