//! Rules of the house that no compiler knows.

mod budget;
mod dependencies;
#[cfg(unix)]
mod laboratory;
mod layers;
mod recipes;
mod source;
mod tidy;
