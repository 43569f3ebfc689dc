//! Imported FMUs: any FMU of FMI 2.0 as a [`Unit`](macrostep_master::unit::Unit), those for co-simulation as [`FmuUnit`], those for model exchange
//! as [`ContinuousUnit`]; and those of FMI 3.0 for co-simulation as [`FmuUnit3`].
//!
//! ```no_run
//! use macrostep_import::fmu::{Fmu, FmuOptions};
//! use macrostep_master::unit::Unit;
//!
//! let fmu = Fmu::open("oscillator1_force.fmu")?;
//! let mut unit = fmu.unit("left", &FmuOptions::default())?;
//! unit.setup(0.0, None, None)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An archive is unpacked once and its library loaded once, however many instances are made and however often it is
//! opened. What is checked before any foreign code runs: the archive's paths and sizes, the description, the library's
//! headers. What foreign code may do after that nobody can check: it runs in this process.
//!
//! | Hazard | What happens here |
//! |---|---|
//! | library that needs `libm` without saying so | `libm` is loaded first, for all to see |
//! | truncated library | refused by its headers, before `dlopen` maps it |
//! | callbacks or URI taken for granted | both memory callbacks, the logger and a `file:` URI are always passed |
//! | callbacks kept by pointer | they live, boxed, as long as the instance |
//! | another `componentEnvironment` than it was given | never followed; the message is that of the instance the thread is in |
//! | rounding, flushing to zero or traps changed | the default is restored after the call; each call of a slave begins with it |
//! | status 42 | an error that names it; statuses are integers |
//! | `fmi2Pending` | polled, up to [`FmuOptions::pending_limit`] |
//! | `fmi2Discard` | an [`Outcome`](macrostep_master::unit::Outcome), with the time reached |
//! | `fmi2Fatal` | the instance is never called again, not even to free it; the library makes no new one |
//!
//! References: FMI 2.0.5, sections 2.1, 2.3, 3.2 and 4.2.
#![allow(unsafe_code)]

mod archive;
mod cache;
mod callbacks;
mod calls;
mod continuous;
mod driven;
mod error;
mod exchange;
mod floating_point;
mod image;
mod instance;
mod library;
mod log;
mod open;
mod options;
#[cfg(unix)]
mod owned;
#[cfg(target_os = "linux")]
mod python;
mod remark;
mod state;
mod status;
mod step;
mod three;
mod unpacked;

pub use crate::{Face, regular};
pub use archive::Limits;
pub use continuous::ContinuousUnit;
pub use error::{Fault, FmuError};
pub use instance::FmuUnit;
pub(crate) use instance::Instance;
pub(crate) use library::keep_all;
pub use log::{LogRecord, LogSink};
pub use open::Fmu;
pub use options::FmuOptions;
#[cfg(target_os = "linux")]
pub(crate) use python::is_there as has_python;
#[cfg(target_os = "linux")]
pub use python::{use_python, within_python};
pub use remark::RemarkSink;
pub use three::FmuUnit3;
pub use unpacked::{LOCK, Unpacked};

/// Text without control characters: those at its end are left out, others shown as they are written in Rust.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.trim_end().chars() {
        if c.is_control() { plain.extend(c.escape_default()) } else { plain.push(c) }
    }
    plain
}
