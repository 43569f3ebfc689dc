//! Numbers that options may have.

/// More steps than this in a run are taken for a mistake.
pub const STEPS_MAX: f64 = 1e8;

/// A finite number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && *value > 0.0)
        .ok_or("expected a finite number above 0".to_owned())
}

/// A number above 0 and below 1.
pub fn part(text: &str) -> Result<f64, String> {
    let what = "expected a number above 0 and below 1";
    text.parse().ok().filter(|value: &f64| *value > 0.0 && *value < 1.0).ok_or(what.to_owned())
}
