//! The C functions, generic over the model.
//!
//! # Safety
//! All of them have the contract of the C function of the same name in FMI 2.0.5: a component is NULL or was returned by
//! [`instantiate`] of the same model, and is not freed; a pointer is NULL or points to as many elements as the count beside it
//! says. NULL is always answered, never followed. Of several calls of one component at the same time, which FMI forbids, the
//! first goes on and the others return `fmi2Error`; where the model says [`Model::EXCLUDES_CALLS`](macrostep_slave::Model::EXCLUDES_CALLS)
//! of itself also those that begin at the same instant, which else must not happen. Calls of different threads one after the other are
//! allowed.
#![allow(clippy::missing_safety_doc)] // stated once, above

mod exchange;
mod life;
mod state;
mod status;
mod values;

pub use exchange::*;
pub use life::*;
pub use state::*;
pub use status::*;
pub use values::*;
