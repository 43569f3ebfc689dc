//! Rules of the house that no compiler knows.

mod budget;
mod recipes;
mod source;
mod tidy;
