//! The program `macrostep` as a library, for its tests, its examples and the Python module.

// The verbs name the public parts as everybody else does.
extern crate self as macrostep;

pub mod api;
pub mod embedded;
pub mod factory;
pub mod input;
pub mod values;

mod accounts;
mod arguments;
mod check;
mod checkpoint;
mod choices;
#[cfg(feature = "full")]
mod crane;
mod distinct;
mod docs;
mod failure;
mod files;
#[cfg(feature = "full")]
mod fit;
#[cfg(feature = "full")]
mod flex;
mod fmus;
mod formats;
mod help;
mod info;
mod junit;
#[cfg(feature = "full")]
mod lab;
mod laboratory;
mod oscillator;
mod print;
mod program;
mod progress;
mod recover;
mod single;
mod slaves;
mod survey;
#[cfg(feature = "full")]
mod sweep;
mod system;
mod verdict;

#[cfg(feature = "full")]
pub use flex::drawing;
pub use program::program;

/// The recipes of docs/recipes run as tests.
#[cfg(doctest)]
mod recipes {
    #[doc = include_str!("../docs/recipes/new_predictor.md")]
    mod new_predictor {}
    #[doc = include_str!("../docs/recipes/new_corrector.md")]
    mod new_corrector {}
    #[doc = include_str!("../docs/recipes/new_law.md")]
    mod new_law {}
    #[doc = include_str!("../docs/recipes/new_event.md")]
    mod new_event {}
    #[doc = include_str!("../docs/recipes/step_by_step.md")]
    mod step_by_step {}
}
