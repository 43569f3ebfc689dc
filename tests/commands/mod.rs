//! The verbs: their output, their files, and their exit codes.

mod crane;
mod docs;
mod explain;
mod flexible;
mod formats;
#[cfg(unix)]
mod help;
mod info_check;
mod json;
mod junit;
mod laboratory;
mod main_job;
mod oscillator;
mod real_time;
mod report;
mod watch;
