//! Many runs of one scenario: sweeps over grids, samples and tables, and the fit of parameters to data.
//!
//! ```text
//! Points ─┐                    ┌─ Runner (a worker) ─► rows ─► Gauge ─► measures ─┐
//!         ├─► Sweep ─► pool ───┤                                                  ├─► runs.csv ─► summary, pictures, indices
//! Study ──┘                    └─ Runner …                                        ┘
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | `vary`, `design`, `points` | what is varied, and at which points |
//! | `expression`, `gauge`, `samples` | measures, how they are taken of rows, and files they are compared with |
//! | `study`, `subject`, `runner`, `kept` | the definition of many runs, and of their measures; simulations that are brought back to their start |
//! | `pool`, `table`, `sweep` | workers, the rows of a folder, and both together |
//! | `summary`, `pictures`, `indices` | what the rows say |
//! | [`fit`] | parameters from data |

mod design;
mod expression;
pub mod fit;
mod gauge;
mod indices;
mod pictures;
mod points;
mod pool;
mod refused;
mod runner;
mod samples;
mod saved_reset;
mod study;
mod subject;
mod summary;
mod sweep;
mod table;
mod vary;

pub use design::Design;
pub use expression::Measure;
pub use gauge::Measures;
pub use indices::{Index, Indices};
pub use pictures::draw;
pub use points::{Points, Shard};
pub use pool::each;
pub use refused::Refused;
pub use runner::{Cost, Ending, Runner, Way, way};
pub use samples::Samples;
pub use study::{Study, Units};
pub use subject::System;
pub use summary::{Spread, Summary};
pub use sweep::{Done, Sweep};
pub use table::{Definition, RUNS, SWEEP, merge};
pub use vary::{Levels, Target, Vary};
