//! The C functions of FMI 3.0 for co-simulation, generic over the model: a second shell around the same instance.
//!
//! # Value references
//! They are positions in the declaration, counted from 1, over all types; 0 is the time, as
//! [`macrostep_description::xml::write_3`] writes them. Reals are `Float64`, integers `Int32`, enumerations `Int64`.
//!
//! # Inputs inside a step
//! FMI 3.0 sets no derivatives of inputs. Where the importer has named inputs in `requiredIntermediateVariables`, `fmi3DoStep` asks for
//! them by `intermediateUpdate` at Chebyshev–Lobatto nodes of the step, before it advances, and hands the polynomial through them to the
//! model, as derivatives of inputs in FMI 2.0 do: at 5 nodes, and at 9 and 17 until the highest coefficients are rounding. Where 17 are
//! not enough, the step is made in parts that end with steps of the model's own ([`macrostep_slave::Model::own_step_s`]). Without a callback,
//! inputs are constant during a step. An input that was a polynomial in the last step is constant in one in which it is not set.
//!
//! # Safety
//! All of them have the contract of the C function of the same name in FMI 3.0.2: an instance is NULL or was returned by
//! [`instantiate`] of the same model, and is not freed; a pointer is NULL or points to as many elements as the count beside it says. For
//! several calls at the same time holds what [`crate::calls`] says; during `intermediateUpdate` all calls but `fmi3SetFloat64` of inputs
//! that were named are refused.
#![allow(clippy::missing_safety_doc)] // stated once, above

mod exports;
mod handle;
mod inside;
mod life;
mod nodes;
mod state;
mod step;
mod values;

pub use life::*;
pub use state::*;
pub use step::*;
pub use values::*;
