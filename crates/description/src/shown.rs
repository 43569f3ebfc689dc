//! Texts of a file in a message: cut if they are long, in powers of ten if they are large numbers.

use std::borrow::Cow;

/// Characters of a file's text that a message shows.
const TEXT_MAX: usize = 60;

/// A text of at most 60 characters; of a longer one the beginning and how long it is.
///
/// ```
/// use macrostep_description::shown;
///
/// assert_eq!(shown::text("x"), "x");
/// assert!(shown::text(&"x".repeat(1 << 20)).ends_with("xxx… (1048576 bytes)"));
/// ```
pub fn text(text: &str) -> Cow<'_, str> {
    cut(text, TEXT_MAX)
}

/// A text of at most so many characters; of a longer one the beginning and how long it is.
pub fn cut(text: &str, characters_max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters_max) {
        Some((end, _)) => Cow::Owned(format!("{}… ({} bytes)", &text[..end], text.len())),
        None => Cow::Borrowed(text),
    }
}

/// A time in s with 12 digits, without the rounding of n times a step; 12 digits distinguish 1e8 steps.
///
/// ```
/// use macrostep_description::shown;
///
/// assert_eq!([49.900000000000006, 0.30000000000000004, 1e-9].map(shown::time), ["49.9", "0.3", "1e-9"]);
/// ```
pub fn time(t_s: f64) -> String {
    number(format!("{t_s:.11e}").parse().unwrap_or(t_s))
}

/// A number that reads back to the same bits, in plain digits where these are few.
///
/// ```
/// use macrostep_description::shown;
///
/// assert_eq!([0.1, -2.0, 1e300, 1e-9].map(shown::number), ["0.1", "-2", "1e300", "1e-9"]);
/// ```
pub fn number(x: f64) -> String {
    let is_plain = x == 0.0 || !x.is_finite() || (1e-4..1e15).contains(&x.abs());
    if is_plain { x.to_string() } else { format!("{x:e}") }
}
