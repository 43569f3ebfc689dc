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
//! | writes to standard output or error | go to standard error, the last lines into the error too |
//! | closed descriptors, changed folder | happen to the slave's process only |
//! | the master is killed | the slave's process ends within half a second |
//!
//! What the slave writes into the shared memory is bytes to the master, checked as those of a file.
//!
//! A slave that cannot save its state goes back by fork: copies of its process sleep as its snapshots. Then the process
//! the master has started only guards the one that has the slave, and its snapshots:
//!
//! ```text
//! master ─ guard ┬─ process with the slave    killed: the guard ends as it has ended
//!                ├─ snapshot in slot 0, asleep
//!                └─ snapshot in slot 1, asleep    guard killed: the system kills all below it
//! ```
//!
//! A slave in the program's own process is another matter: there a second process watches the program, see [`watch`].
//! Linux only: elsewhere an isolated slave is refused, and nobody watches.

mod again;
#[cfg(target_os = "linux")]
mod board;
#[cfg(target_os = "linux")]
mod call;
#[cfg(target_os = "linux")]
mod calls;
mod cut;
#[cfg(target_os = "linux")]
mod failures;
pub mod far;
#[cfg(target_os = "linux")]
mod gateway;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod inspection;
#[cfg(target_os = "linux")]
pub mod interrupt;
mod limits;
#[cfg(target_os = "linux")]
mod line;
#[cfg(target_os = "linux")]
mod output;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod reading;
#[cfg(target_os = "linux")]
mod region;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod snapshot;
#[cfg(target_os = "linux")]
mod system;
#[cfg(target_os = "linux")]
mod trials;
#[cfg(target_os = "linux")]
mod unit;
#[cfg(target_os = "linux")]
mod values;
#[cfg(target_os = "linux")]
mod warned;
#[cfg(target_os = "linux")]
pub mod watch;
#[cfg(target_os = "linux")]
mod watched;
#[cfg(target_os = "linux")]
mod wire;
mod words;
#[cfg(target_os = "linux")]
mod written;

pub use again::started_by;
pub use cut::Cut;
#[cfg(target_os = "linux")]
pub use gateway::{Host, Way, relay};
pub use limits::{Isolation, Limits};
pub use words::{kept, shortened};

#[cfg(target_os = "linux")]
pub use call::Call;
#[cfg(target_os = "linux")]
pub use output::Output;
#[cfg(target_os = "linux")]
pub use region::Region;
#[cfg(target_os = "linux")]
pub use server::{ARGUMENT, serve};
#[cfg(target_os = "linux")]
pub use system::divert_output;
#[cfg(target_os = "linux")]
pub use unit::IsolatedUnit;
#[cfg(target_os = "linux")]
pub use watched::{ADVICE, during, watched};

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{ADVICE, ARGUMENT, Call, Output, Region, divert_output, during, interrupt, serve, watch, watched};
