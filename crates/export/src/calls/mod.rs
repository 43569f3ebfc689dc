//! The C functions, generic over the model.
//!
//! # Safety
//! All of them have the contract of the C function of the same name in FMI 2.0.5: a component is NULL or was returned by
//! [`instantiate`] of the same model, is not freed and is used by one thread at a time; a pointer is NULL or points to as
//! many elements as the count beside it says. NULL is always answered, never followed.
#![allow(clippy::missing_safety_doc)] // stated once, above

mod life;
mod state;
mod status;
mod values;

pub use life::*;
pub use state::*;
pub use status::*;
pub use values::*;
