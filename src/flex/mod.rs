//! `macrostep flex`: bodies imported from finite element models.

pub mod arguments;
mod drawing;
mod examples;

use arguments::FlexVerb;

use crate::failure::Failure;

/// Runs one of the verbs of `macrostep flex`.
///
/// # Errors
/// [`Failure`] of the computation or the files.
pub fn run(verb: &FlexVerb) -> Result<(), Failure> {
    match verb {
        FlexVerb::Examples(arguments) => examples::run(arguments),
    }
}
