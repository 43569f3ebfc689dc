//! Rules of the house that no compiler knows.

mod tidy;
