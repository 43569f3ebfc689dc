//! Rules of the house that no compiler knows.

mod budget;
mod compiler;
#[cfg(unix)]
mod laboratory;
mod layers;
mod recipes;
mod source;
mod tidy;
