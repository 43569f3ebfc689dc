//! Colours: eight for lines, a scale from dark to light for values.
//!
//! References: [Okabe 2008] for the lines; the scale passes through ten colours of *viridis*, whose lightness grows evenly,
//! so that it reads in grey as well.

/// Ink of text and axes.
pub(crate) const INK: &str = "#222222";
/// Ink of what stands back: tick marks and minor words.
pub(crate) const SOFT: &str = "#666666";
/// Grid lines.
pub(crate) const GRID: &str = "#e4e4e4";
/// Behind everything.
pub(crate) const PAPER: &str = "#ffffff";

pub(crate) const LINES: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#222222", "#8c6d31"];

const SCALE: [[u8; 3]; 10] = [
    [68, 1, 84],
    [72, 40, 120],
    [62, 73, 137],
    [49, 104, 142],
    [38, 130, 142],
    [31, 158, 137],
    [53, 183, 121],
    [110, 206, 88],
    [181, 222, 43],
    [253, 231, 37],
];

/// From what falls to what grows: blue, nearly white, orange.
const SIDES: [[u8; 3]; 5] = [[5, 48, 97], [67, 147, 195], [247, 247, 247], [244, 165, 82], [140, 56, 4]];

/// Colour of the n-th line; they repeat after eight.
pub(crate) fn line(n: usize) -> &'static str {
    LINES[n % LINES.len()]
}

/// Colour of a value in [0, 1], from dark to light.
pub(crate) fn shade(value: f64) -> String {
    mixed(&SCALE, value)
}

/// Colour of a value in [−1, 1], palest in the middle.
pub(crate) fn side(value: f64) -> String {
    mixed(&SIDES, 0.5 + 0.5 * value)
}

fn mixed(colours: &[[u8; 3]], value: f64) -> String {
    let place = value.clamp(0.0, 1.0) * (colours.len() - 1) as f64;
    let low = (place as usize).min(colours.len() - 2);
    let part = place - low as f64;
    let mix = |i: usize| {
        let (a, b) = (f64::from(colours[low][i]), f64::from(colours[low + 1][i]));
        (a + (b - a) * part).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}
