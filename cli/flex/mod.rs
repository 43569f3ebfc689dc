//! `macrostep flex`: bodies imported from finite element models.

use macrostep_answers::failure::Failure;

pub mod arguments;
pub mod drawing;
mod import;
mod source;
mod surface;

use arguments::FlexVerb;

/// Runs one of the verbs of `macrostep flex`.
///
/// # Errors
/// [`Failure`] of the computation or the files.
pub fn run(verb: &FlexVerb) -> Result<(), Failure> {
    match verb {
        FlexVerb::Import(arguments) => import::run(arguments),
        FlexVerb::Surface(arguments) => surface::run(arguments),
    }
}
