//! *Joints* between units in a run, closed at the end of every window in position and velocity.
//!
//! Interface positions p and velocities v of units are outputs, forces on them inputs. A joint is g(p₁, p₂) = 0 with m
//! equations, G = ∂g/∂p, and the ends get f = −Gᵀ λ. Over a window the joint's force is linear,
//!
//! ```text
//! λ(t) = a + b (t − T_n)/H,      (a, b) such that g(T_{n+1}) = 0 and ġ(T_{n+1}) = 0
//! ```
//!
//! so that nothing drifts and there is nothing to tune. The 2 m numbers are one row of a history, guessed and corrected
//! like every sample that is consumed before it is published: what a window publishes of a joint is the guess, corrected by
//!
//! ```text
//! ∂(g/H, ġ)/∂(a, b) = −[[W H/2, W H c], [W H, W H/2]],   W = Σ Gᵢ Sᵢ Gᵢᵀ,   c = 1/6 + 1/(12 n²)
//! ```
//!
//! with S = ∂v̇/∂f from directional derivatives at the window's start, else from differences of repeated windows, kept. So the
//! residual that a corrector sees is the correction itself, and any corrector goes with it. A force that is held (b = 0) can
//! close the velocity alone: the order is 2 instead of 4, and the positions drift.
//!
//! Windows that are run once, because units cannot go back, get a force that is foretold, see `foretelling.rs`.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | p, v | `position`, `velocity` | coordinates and velocities of an end |
//! | g, ġ | `gap`, `rate` | what is to be 0, and its rate |
//! | G | `slopes` | ∂ġ/∂v |
//! | λ, a, b | `a`, `b` | force in the joint at the window's start, and what it changes by to its end |
//! | W | `mobility` | what λ̇ gives ġ, m × m over all joints |
//! | c | `weight` | share of b in the position; n sub-steps, where a unit holds its inputs |
//! | H | `length_s` | length of the window (s) |
//!
//! Reference: \[Gear 1985\] for keeping position and velocity at once.

mod foretelling;
mod joint;
mod mobility;
mod opening;
mod prediction;
mod reaction;
mod secant;
mod set;
mod state;
mod turning;

pub(crate) use joint::largest;
pub use opening::Opening;
pub(crate) use prediction::expected;
pub(crate) use reaction::ReactionFeed;
pub(crate) use set::Joints;
pub(crate) use state::JointsState;
