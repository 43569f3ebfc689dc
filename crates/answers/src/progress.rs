//! Progress on standard error, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use macrostep_run::Progress;

/// A bar on standard error that is seen on a terminal only.
pub fn progress_bar(length: u64, unit: &str) -> ProgressBar {
    let bar = if crate::print::is_quiet() { ProgressBar::hidden() } else { ProgressBar::new(length) };
    let template = format!("{{bar:40}} {{human_pos}}/{{human_len}} {unit}  {{elapsed}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}

/// Parts of a run that its bar tells apart.
const PARTS: f64 = 1e4;

/// A bar for one run, which goes when it is dropped.
pub fn of_run() -> Progress {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {eta} left");
    let bar = ProgressBar::new(PARTS as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    Box::new(move |part| bar.set_position((part * PARTS) as u64))
}
