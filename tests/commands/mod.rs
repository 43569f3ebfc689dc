//! The verbs as a user types them: what they print and write, and their exit codes.

mod crane;
mod explain;
mod flexible;
mod formats;
mod info_check;
mod laboratory;
mod oscillator;
mod report;
