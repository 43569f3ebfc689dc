//! The program `macrostep` as a library, for its tests, its examples and the Python module.

// The verbs name the public parts as everybody else does.
extern crate self as macrostep;

pub mod embedded;
pub mod factory;

mod arguments;
mod check;
#[cfg(feature = "full")]
mod crane;
mod docs;
#[cfg(feature = "full")]
mod fit;
#[cfg(feature = "full")]
mod flex;
mod fmus;
mod help;
mod info;
#[cfg(feature = "full")]
mod lab;
mod oscillator;
mod program;
mod recover;
mod simulate;
mod survey;
#[cfg(feature = "full")]
mod sweep;
mod system;

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
