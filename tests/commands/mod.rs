//! The verbs as a user types them: what they print and write, and their exit codes.

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
mod oscillator;
mod real_time;
mod report;
mod watch;
