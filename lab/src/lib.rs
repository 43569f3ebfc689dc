//! The laboratory: scenarios of native models, run in a browser.
//!
//! ```text
//! controls ─► Question (JSON) ─► Scenario ─► TOML, shown ─► reader ─► assemble ─► Simulation ─► rows ─► curves
//!                                                                          solution ─┘
//! ```
//!
//! The page asks by [`room`] and [`ask`] and reads the answer at [`answer()`] and [`numbers`]. Everything behind that is the program's own: words,
//! scenarios, reader, master, models, solutions, stability. Nothing is computed in the page but places on the screen.

mod about;
mod answer;
mod command;
mod exports;
mod map;
mod others;
mod pair;
mod question;
mod run;
mod systems;

pub use exports::{answer, answer_length, ask, numbers, numbers_length, question};
