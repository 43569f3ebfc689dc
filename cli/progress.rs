//! Progress on standard error, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error that is seen on a terminal only.
pub fn progress_bar(length: u64, unit: &str) -> ProgressBar {
    let bar = if crate::print::is_quiet() { ProgressBar::hidden() } else { ProgressBar::new(length) };
    let template = format!("{{bar:40}} {{human_pos}}/{{human_len}} {unit}  {{elapsed}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}
