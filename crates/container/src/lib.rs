//! A system of FMUs as one FMU: a scenario with its FMUs in `resources/`, behind the functions of a slave.
//!
//! ```text
//! outer master ─► variables `UNIT.NAME` ─► [ scenario: units, connections, method ─ the master's engine ] ─► outputs
//! ```
//!
//! | file in `resources/` | what it says |
//! |---|---|
//! | `scenario.toml` | the system, as `macrostep run` takes it; FMUs are folders beside it |
//! | `interface.toml` | which variables of the units show: [`Interface`] |
//! | `fmus/NAME/` | an FMU, unpacked |
//! | `slave/ARCHITECTURE` | the program of processes of their own, see [`Slaves`] |
//!
//! An outer step is windows inside, the last one shortened or passed. Inputs are polynomials over it, as the outer master gives them. Outputs are
//! what a run of the scenario records. The state is that of the engine with those of the units, so that an outer master goes back
//! where every unit can write its state down.
//!
//! One library serves every system: the declaration is made from the files.

mod between;
mod choice;
mod contents;
mod declaration;
mod dependence;
mod extrapolation;
mod judged;
mod messages;
mod model;
mod outputs;
mod running;
mod saved;
mod slaves;
mod stepping;
mod steps;
mod tangent;
mod types;

pub use choice::{Choice, ChoiceError, Wanted, choose};
pub use contents::{FMUS, INTERFACE, Interface, SCENARIO};
pub use declaration::describe;
pub use model::Container;
pub use slaves::{EXTRAPOLATE, ISOLATE, Slaves, slave_program};
