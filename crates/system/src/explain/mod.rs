//! What a run will do, said before it runs: order of execution, which connections lag and how, algebraic loops; and, from a
//! run, the energy that appears in power bonds.

mod advice;
mod bond;
mod choices;
mod late;
mod methods;
mod order;
mod residual;

pub use advice::{corrections, which};
pub use bond::{Candidate, Candidates, PowerPort, candidates, ports};
pub use choices::choices;
pub use late::Lateness;
pub(crate) use late::feed_through;
pub use methods::{Allowed, methods};
pub use order::{Delay, Loop, Order, Sampled, delays, order, steps};
pub use residual::{Far, Residuals, residuals};
