//! Nonsmooth rigid multibody systems in maximal coordinates, and their interface models for co-simulation.
//!
//! Bodies with joints, bounded motors and brakes, springs and dampers, end stops, unilateral contact with box friction;
//! one mixed linear complementarity problem a time step ([`Simulation::step`]); the dynamics seen at an interface,
//! `ẇ = W λ + b` ([`Simulation::interface_model`]).
//!
//! A [`System`] is an immutable definition, a [`State`] is everything that changes, and a [`Simulation`] holds both and
//! the memory of the computation. A simulation restored to a saved state repeats with the same bits.
//!
//! ```
//! use std::sync::Arc;
//! use macrostep_multibody::{Body, Coordinate, Pose, Simulation, SystemBuilder, Vec3};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut builder = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
//! let ball = builder.body(Body::new("ball", 2.0, [0.1; 3], Pose::world()));
//! builder.interface(Coordinate::Point { body: ball, point: Vec3::zeros(), direction: Vec3::z() });
//! let mut simulation = Simulation::new(Arc::new(builder.build()?));
//! let model = simulation.interface_model(0.01, &Default::default())?;
//! assert_eq!((model.mobility[0], model.bias[0]), (0.5, -9.81));
//! simulation.step(0.01, &[2.0 * 9.81])?;
//! assert!(simulation.report().speed_after[0].abs() < 1e-15);
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it is |
//! |---|---|
//! | `body`, `joint`, `element`, `shape` | the parts of a definition |
//! | `system` | the definition and its builder |
//! | `state` | positions, velocities, time, memory of the solver |
//! | `contact` | contact points between shapes |
//! | `collect`, `row` | the rows of A and D |
//! | `envelope`, `configuration` | factorisation of the equation rows, problem of the bounded rows |
//! | `simulation` | the time step |
//! | `interface_model` | W and b |
//! | `report` | statistics, energies, momentum, violation |
//!
//! Units are SI; world axes are fixed; nothing here knows of FMI.

mod active;
mod algebra;
mod body;
mod collect;
mod configuration;
pub mod contact;
mod element;
mod envelope;
mod error;
mod interface_model;
mod joint;
mod report;
mod row;
mod shape;
mod simulation;
mod state;
mod system;

pub use algebra::{Pose, Twist, Vec3};
pub use body::{Body, BodyId};
pub use element::{Coordinate, Limit, Motor, Spring, Steps};
pub use error::{DefinitionError, StateError, StepError};
pub use interface_model::{BiasTerms, FrictionForm, InterfaceModel, InterfaceOptions};
pub use joint::{Joint, JointFrame, JointId, JointKind};
pub use macrostep_mlcp as mlcp;
pub use report::{Energy, Momentum, StepReport, Violation};
pub use shape::{Carried, FACETS_MAX, Pair, Shape, ShapeId, Surface};
pub use simulation::Simulation;
pub use state::{Clock, FlatState, Memory, State};
pub use system::{System, SystemBuilder};
