//! What the program `macrostep` is made of, for its tests and examples.

pub mod beam;
pub mod catalogue;
pub mod embedded;
pub mod factory;
pub mod input;
pub mod lab;
pub mod multirate;
pub mod pair;
pub mod pendulum;
pub mod scheme;
pub mod values;

/// The recipes of docs/recipes run as tests.
#[cfg(doctest)]
mod recipes {
    #[doc = include_str!("../docs/recipes/new_predictor.md")]
    mod new_predictor {}
    #[doc = include_str!("../docs/recipes/step_by_step.md")]
    mod step_by_step {}
}
