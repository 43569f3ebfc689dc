//! Slaves in processes of their own.
//!
//! The program starts itself again for every slave. Both sides share a piece of memory: a word that says whose turn it
//! is, and room for one message. A message holds any number of calls; setting inputs is put off until the step, and what
//! was read after the last step is read again behind the next one, so that a communication step is one round trip:
//!
//! ```text
//! master:  [set inputs, set derivatives, step, get outputs] ─► turn = slave
//! slave:                                     turn = master ◄─ [done, done, done, values]
//! ```
//!
//! Whoever waits spins for some microseconds and then sleeps on the word (futex). The master wakes up every 10 ms to see
//! whether the slave still lives, how long the call has taken and how much memory the process has.
//!
//! | Hazard | What becomes of it |
//! |---|---|
//! | the slave crashes, aborts or exits | the call fails and says by which signal or with which status |
//! | a call never ends | the process is killed at [`Limits::call`] and the call fails |
//! | unbounded allocation | the process is killed at [`Limits::memory_bytes`]; its address space has a limit too |
//! | writes to standard output | go to standard error |
//! | closed descriptors, changed folder | happen to the slave's process only |
//! | the master is killed | the slave's process ends within half a second |
//!
//! What the slave writes into the shared memory is bytes to the master, checked as those of a file. Linux only.

mod call;
pub mod guard;
pub mod interrupt;
mod line;
mod process;
mod reading;
mod server;
mod system;
mod unit;
mod wire;

pub use process::Limits;
pub use server::{ARGUMENT, serve};
pub use unit::{IsolatedUnit, Isolation};
